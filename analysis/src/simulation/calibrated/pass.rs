//! A pass: `max over the stages of (constant + work)`. Latencies are inside the constants.

use crate::hardware::Class;
use crate::hardware::calibration::PassConstants;
use crate::kernel::{Context, Pass, PassEnd, StageKind};
use crate::mapping::Form;

use super::super::{Engine, StageCost};

/// The cycles of a pass with these stages, and the stage that decides them. `None` where a stage is unknown.
#[must_use]
pub fn cycles(pass: &Pass, stages: &[StageCost], table: &PassConstants) -> Option<(u64, usize)> {
    let facts = Facts::of(pass, stages, table)?;
    let mut most = None;
    for (index, stage) in stages.iter().enumerate() {
        let cycles = facts.stage(stage)?;
        if most.is_none_or(|(before, _)| cycles >= before) {
            most = Some((cycles, index));
        }
    }
    most
}

/// What is asked of the whole pass.
struct Facts<'a> {
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
    fn of(pass: &Pass, stages: &[StageCost], table: &'a PassConstants) -> Option<Self> {
        let contracts = stages.iter().any(|stage| is_contraction(stage.engine));
        // Flits enter the adapter one by one, whatever it pairs them to.
        let contraction = stages.iter().filter(|stage| {
            contracts && (is_contraction(stage.engine) || stage.engine == Engine::Collect)
        });
        let (elements, cycles) = table.lookup;
        Some(Self {
            table,
            sub: pass.context == Some(Context::Sub),
            to_vrf: matches!(pass.end, PassEnd::ToVrf { .. }),
            vector: stages.iter().any(|stage| stage.engine == Engine::Vector),
            slices: pass.machine.slices,
            contraction: contraction
                .filter_map(|stage| stage.busy)
                .max()
                .unwrap_or(0),
            ring: reduced_ring(pass),
            lookup: match looked_up(pass)? {
                0 => 0,
                count => count.checked_mul(cycles)?.div_ceil(elements),
            },
        })
    }

    fn stage(&self, stage: &StageCost) -> Option<u64> {
        let table = self.table;
        let work = stage.busy?;
        let (constant, work) = match stage.engine {
            Engine::Fetch => (table.fetch, work.max(self.lookup)),
            Engine::Collect | Engine::TrfLoad | Engine::VrfLoad => (table.fetch, work),
            Engine::Switch => {
                let ring = stage.inputs.iter().find(|(name, _)| *name == "ring");
                let whole = ring.is_some_and(|(_, ring)| *ring >= self.slices);
                let more = if whole { table.whole_ring } else { 0 };
                (table.switch + more, work)
            }
            engine if is_contraction(engine) => (table.contract, work.max(self.contraction)),
            Engine::Vector => (self.vector_constant(), self.vector_work(work)?),
            Engine::Commit if self.sub => {
                let constant = if self.vector {
                    table.sub_vector_commit
                } else {
                    table.commit
                };
                (constant, work.max(self.sub_commit(stage).unwrap_or(0)))
            }
            Engine::Commit | Engine::Cast => (table.commit, work),
            _ => (table.contract, work),
        };
        constant.checked_add(work)
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
        let work = packets.max(self.contraction);
        match self.ring {
            Some(ring) if ring > 1 => {
                let contracts = self.contraction > 0;
                work.checked_add(tail(self.table, ring, self.slices, contracts)?)
            }
            _ => Some(work),
        }
    }
}

/// What a reduction across a ring of slices takes behind the packets. Behind a contraction the rows have a little less.
pub(super) fn tail(
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
#[must_use]
pub fn lookups(pass: &Pass) -> bool {
    looked_up(pass).is_none_or(|elements| elements > 0)
}

const fn looks_up(kind: &StageKind) -> bool {
    matches!(
        kind,
        StageKind::Fetch { table: true, .. } | StageKind::FetchTable
    )
}

/// Elements that a pass looks up in a table; 0 where it does not.
fn looked_up(pass: &Pass) -> Option<u64> {
    let mut stages = pass.stages.iter();
    let Some(stage) = stages.find(|stage| looks_up(&stage.kind)) else {
        return Some(0);
    };
    let (time, packet) = (stage.output.time.get()?, stage.output.packet.get()?);
    time.size().checked_mul(packet.size())
}

/// The ring of a reduction across slices: the reduced digits, which are innermost, and the padding directly above them.
#[must_use]
pub fn reduced_ring(pass: &Pass) -> Option<u64> {
    let mut stages = pass.stages.iter().enumerate();
    let (index, stage) =
        stages.find(|(_, stage)| matches!(stage.kind, StageKind::VectorInterReduce { .. }))?;
    let before = pass.input_of(index).slice.get()?.form();
    let after = stage.output.slice.get()?.form();
    ring(before, after)
}

fn ring(before: &Form, after: &Form) -> Option<u64> {
    let mut ring: u64 = 1;
    let mut reduced = false;
    for digit in before.digits() {
        match &digit.term {
            None => ring = ring.checked_mul(digit.extent)?,
            Some(term) => {
                let kept = after
                    .digits()
                    .iter()
                    .any(|digit| digit.term.as_ref() == Some(term));
                if kept {
                    break;
                }
                reduced = true;
                ring = ring.checked_mul(digit.extent)?;
            }
        }
    }
    reduced.then_some(ring)
}

/// What a pass is, as its evidence is sorted.
#[must_use]
pub fn class(pass: &Pass) -> Class {
    let has = |wanted: fn(&StageKind) -> bool| pass.stages.iter().any(|stage| wanted(&stage.kind));
    let vector = has(|kind| matches!(kind, StageKind::VectorInit));
    let switch = has(|kind| matches!(kind, StageKind::Switch(_)));
    let across = has(|kind| matches!(kind, StageKind::VectorInterReduce { .. }));
    let contract = has(|kind| matches!(kind, StageKind::Contract | StageKind::ContractMax));
    let table = has(looks_up);
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
