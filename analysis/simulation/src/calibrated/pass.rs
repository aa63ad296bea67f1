//! A pass: `max over the stages of (constant + work)`. Latencies are inside the constants.

use crate::hardware::calibration::PassConstants;
use crate::hardware::{Class, FLIT_BYTES};
use crate::kernel::{Context, Pass, PassEnd, StageKind};
use crate::mapping::{Form, Term};

use super::super::{Engine, StageCost};

/// A stage as a schedule counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScheduledStage {
    /// Cycles of a pass that this stage decides: its constant, and its work or that of what it waits for.
    pub cycles: u64,
    /// Cycles of its own work.
    pub work: u64,
    /// Why its own work is more than the formula of the stage says; `None` where it is the same.
    pub more: Option<&'static str>,
}

/// The stages of a pass as a schedule counts them: the pass takes the most cycles of any. `None` where a stage is unknown.
pub fn scheduled_stages(
    pass: &Pass,
    stages: &[StageCost],
    table: &PassConstants,
) -> Option<Vec<ScheduledStage>> {
    let facts = Facts::of(pass, stages, table)?;
    stages.iter().map(|stage| facts.stage(stage)).collect()
}

/// What is asked of the whole pass.
struct Facts<'a> {
    pass: &'a Pass,
    table: &'a PassConstants,
    sub: bool,
    to_vrf: bool,
    vector: bool,
    slices: u64,
    /// Work of the Contraction Engine, which what is behind it takes as long for.
    contraction: u64,
    /// The ring of a reduction across slices.
    ring: Option<u64>,
    /// Cycles of a table lookup.
    lookup: u64,
}

impl<'a> Facts<'a> {
    fn of(pass: &'a Pass, stages: &[StageCost], table: &'a PassConstants) -> Option<Self> {
        let contracts = stages.iter().any(|stage| is_contraction(stage.engine));
        // Flits enter the adapter one by one, whatever it pairs them to.
        let contraction = stages.iter().filter(|stage| {
            contracts && (is_contraction(stage.engine) || stage.engine == Engine::Collect)
        });
        let (flits, cycles) = table.lookup;
        Some(Self {
            pass,
            table,
            sub: pass.context == Some(Context::Sub),
            to_vrf: matches!(pass.end, PassEnd::ToVrf { .. }),
            vector: stages.iter().any(|stage| stage.engine == Engine::Vector),
            slices: pass.machine.slices,
            contraction: contraction
                .filter_map(|stage| stage.busy)
                .max()
                .unwrap_or(0),
            ring: reduced_ring(pass, table.ring_counts_padding),
            lookup: match looked_up_flits(pass)? {
                0 => 0,
                count => count.checked_mul(cycles)?.div_ceil(flits),
            },
        })
    }

    fn stage(&self, stage: &StageCost) -> Option<ScheduledStage> {
        let table = self.table;
        let (work, more) = self.own_work(stage)?;
        let (constant, awaited) = match stage.engine {
            Engine::Fetch | Engine::Collect | Engine::TrfLoad | Engine::VrfLoad => (table.fetch, 0),
            Engine::Switch => {
                let ring = stage.inputs.iter().find(|(name, _)| *name == "ring");
                let whole = ring.is_some_and(|(_, ring)| *ring >= self.slices);
                let more = if whole { table.whole_ring } else { 0 };
                (table.switch + more, 0)
            }
            engine if is_contraction(engine) => (table.contract, self.contraction),
            Engine::Vector => match self.behind_few_outputs(stage.busy?) {
                Some(cycles) => (table.contract, cycles),
                None => (self.vector_constant(), self.vector_work(stage.busy?)?),
            },
            Engine::Commit if self.sub && self.vector => (table.sub_vector_commit, 0),
            Engine::Commit | Engine::Cast => (table.commit, 0),
            _ => (table.contract, 0),
        };
        Some(ScheduledStage {
            cycles: constant.checked_add(work.max(awaited))?,
            work,
            more,
        })
    }

    /// Cycles of a stage's own work, and why they are more than its formula says.
    fn own_work(&self, stage: &StageCost) -> Option<(u64, Option<&'static str>)> {
        let formula = stage.busy?;
        let (counted, why) = match stage.engine {
            Engine::Fetch => (self.lookup, "with the table lookup"),
            Engine::Commit if self.sub => (
                self.sub_commit(stage).unwrap_or(0),
                "in the narrow writes of the sub context",
            ),
            Engine::Vector if self.reduces_across(stage) => (
                formula.checked_add(self.tail()?)?,
                "with the way around the ring",
            ),
            _ => return Some((formula, None)),
        };
        Some((formula.max(counted), (counted > formula).then_some(why)))
    }

    /// Whether a stage is the reduction across slices.
    fn reduces_across(&self, stage: &StageCost) -> bool {
        let asked = stage.stage.and_then(|index| self.pass.stages.get(index));
        asked.is_some_and(|asked| matches!(asked.kind, StageKind::VectorInterReduce { .. }))
    }

    /// Writes of the sub context, which are narrower than those of the main context.
    fn sub_commit(&self, stage: &StageCost) -> Option<u64> {
        let input = |wanted: &str| {
            let mut inputs = stage.inputs.iter();
            let found = inputs.find(|(name, _)| *name == wanted);
            found.map(|(_, value)| *value)
        };
        let writes = input("packet")?.div_ceil(self.table.sub_commit_bytes);
        input("time")?.checked_mul(writes)
    }

    const fn vector_constant(&self) -> u64 {
        match (self.sub, self.to_vrf) {
            (true, _) => self.table.sub_vector,
            (false, true) => self.table.vector_to_vrf,
            (false, false) => self.table.vector,
        }
    }

    /// Packets, or the contraction in front of them where that takes longer, and the tail of a reduction across slices.
    fn vector_work(&self, packets: u64) -> Option<u64> {
        packets.max(self.contraction).checked_add(self.tail()?)
    }

    /// The work of a reduction across slices of no more outputs of a contraction than its ring has slices; `None` for any other.
    fn behind_few_outputs(&self, outputs: u64) -> Option<u64> {
        let ring = self.ring.filter(|ring| *ring > 1)?;
        let few = self.contraction > 0 && outputs <= ring;
        few.then(|| self.contraction.saturating_add(self.table.ring_few_outputs))
    }

    /// What a reduction across slices takes behind the packets; 0 without one.
    fn tail(&self) -> Option<u64> {
        match self.ring {
            Some(ring) if ring > 1 => {
                reduction_tail(self.table, ring, self.slices, self.contraction > 0)
            }
            _ => Some(0),
        }
    }
}

/// Cycles at the beginning of a pass in which a reduction across slices waits for its ring, and nothing is stored yet; 0 without one.
pub fn ring_wait(pass: &Pass, table: &PassConstants) -> u64 {
    let ring = reduced_ring(pass, table.ring_counts_padding).filter(|ring| *ring > 1);
    let contracts = pass
        .stages
        .iter()
        .any(|stage| matches!(stage.kind, StageKind::Contract | StageKind::ContractMax));
    ring.and_then(|ring| reduction_tail(table, ring, pass.machine.slices, contracts))
        .unwrap_or(0)
}

/// What a reduction across a ring of slices takes behind the packets. Behind a contraction the rows have a little less.
pub fn reduction_tail(
    table: &PassConstants,
    ring: u64,
    all_slices: u64,
    contracts: bool,
) -> Option<u64> {
    let mut behind = table.ring_behind_contraction.iter();
    if contracts && let Some((_, tail)) = behind.find(|(size, _)| *size == ring) {
        return Some(*tail);
    }
    if ring == all_slices {
        return Some(table.ring_whole);
    }
    ring.saturating_sub(1)
        .checked_mul(table.ring_slice)?
        .checked_add(table.ring_once)
}

const fn is_contraction(engine: Engine) -> bool {
    matches!(
        engine,
        Engine::Align | Engine::Contract | Engine::Accumulate
    )
}

/// Passes of a kernel that look elements up each bring a table.
pub fn lookups(pass: &Pass) -> bool {
    looked_up_flits(pass).is_none_or(|flits| flits > 0)
}

/// Flits that leave the table that a pass looks elements up in; 0 where it does not. `None` where a type or size is unknown.
fn looked_up_flits(pass: &Pass) -> Option<u64> {
    let mut stages = pass.stages.iter();
    let Some(stage) = stages.find(|stage| stage.kind.looks_up()) else {
        return Some(0);
    };
    let (time, packet) = (stage.output.time.get()?, stage.output.packet.get()?);
    let bytes = stage
        .output
        .element_type
        .get()?
        .bytes_rounded_up(packet.size())?;
    time.size().checked_mul(bytes.div_ceil(FLIT_BYTES))
}

/// The ring of a reduction across slices: the reduced digits, which are innermost, and, in releases that count it, the padding directly
/// above them.
pub fn reduced_ring(pass: &Pass, counts_padding: bool) -> Option<u64> {
    let mut stages = pass.stages.iter().enumerate();
    let (index, stage) =
        stages.find(|(_, stage)| matches!(stage.kind, StageKind::VectorInterReduce { .. }))?;
    let before = pass.input_of(index).slice.get()?.form();
    let after = stage.output.slice.get()?.form();
    ring_between(before, after, counts_padding)
}

fn ring_between(before: &Form, after: &Form, counts_padding: bool) -> Option<u64> {
    let mut ring: u64 = 1;
    let mut reduced = false;
    for digit in before.digits() {
        match &digit.term {
            None if reduced && !counts_padding => {}
            None => ring = ring.checked_mul(digit.extent)?,
            Some(term) => {
                let digits = after.digits().iter();
                let mut terms = digits.filter_map(|digit| digit.term.as_ref());
                if terms.any(|other| covers_term(other, term)) {
                    break;
                }
                reduced = true;
                let slices = if counts_padding {
                    digit.extent
                } else {
                    digit.live
                };
                ring = ring.checked_mul(slices)?;
            }
        }
    }
    reduced.then_some(ring)
}

/// Whether a term has all values of another one: digits of one axis that are neighbours are one digit.
fn covers_term(term: &Term, other: &Term) -> bool {
    let end = |term: &Term| u128::from(term.stride) * u128::from(term.modulo);
    term.atom == other.atom && term.stride <= other.stride && end(term) >= end(other)
}

/// What a pass is, as its evidence is sorted.
pub fn pass_class(pass: &Pass) -> Class {
    let has = |wanted: fn(&StageKind) -> bool| pass.stages.iter().any(|stage| wanted(&stage.kind));
    let vector = has(|kind| matches!(kind, StageKind::VectorInit));
    let switch = has(|kind| matches!(kind, StageKind::Switch(_)));
    let across = has(|kind| matches!(kind, StageKind::VectorInterReduce { .. }));
    let contract = has(|kind| matches!(kind, StageKind::Contract | StageKind::ContractMax));
    let table = has(StageKind::looks_up);
    let to_vrf = matches!(pass.end, PassEnd::ToVrf { .. });
    match () {
        () if table => Class::Table,
        () if contract && across => Class::ContractInterSlice,
        () if contract && vector => Class::ContractVector,
        () if contract => Class::Contract,
        () if across => Class::InterSlice,
        () if switch && vector => Class::SwitchVector,
        () if switch => Class::Switch,
        () if vector && to_vrf => Class::VectorVrf,
        () if vector => Class::Vector,
        () if to_vrf => Class::SubVrf,
        () if matches!(pass.end, PassEnd::ToTrf { .. }) => Class::SubTrf,
        () => Class::Move,
    }
}
