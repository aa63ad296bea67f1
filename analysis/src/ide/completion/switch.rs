//! `SwitchConfig`: variants with their fields, and values that make the declared slices and time.
//!
//! What a value makes is derived as the rules derive it; a bounded number of values is tried.

use crate::db::Db;
use crate::derivation::switch::derive;
use crate::hardware::SLICES;
use crate::ide::{Completion, CompletionKind};
use crate::items::Span;
use crate::kernel::{Pass, Stage, StageKind, SwitchConfig, SwitchParameter, Written};
use crate::numbers::thousands;

use super::context::{Around, Opener, Owner};
use super::proposal;
use super::receiver::Receiver;

/// Configurations of one variant that are tried, at the most.
const TRIAL_LIMIT: usize = 64;
/// Values that are proposed at the most.
const VALUE_LIMIT: usize = 16;
/// What is said of values that fit.
const FITS: &str = "makes the declared slices and time";

/// A variant in words.
struct Topology {
    name: &'static str,
    fields: &'static [&'static str],
    words: &'static str,
}

const fn topology(
    name: &'static str,
    fields: &'static [&'static str],
    words: &'static str,
) -> Topology {
    Topology {
        name,
        fields,
        words,
    }
}

const SLICE1: &str = "slice1";
const SLICE0: &str = "slice0";
const TIME0: &str = "time0";
const RING_SIZE: &str = "ring_size";

/// The variants (book: Switch Engine; the last is the library's).
const TOPOLOGIES: &[Topology] = &[
    topology(
        "Broadcast01",
        &[SLICE1, SLICE0, TIME0],
        "slices [s2, s1, s0] to [s2, new, new], time [t1, t0] to [t1, s1, t0, s0]",
    ),
    topology(
        "Broadcast1",
        &[SLICE1, SLICE0],
        "slices [s2, s1, s0] to [s2, new, s0], time [t] to [t, s1]",
    ),
    topology(
        "Transpose",
        &[SLICE1, SLICE0],
        "slices [s2, s1, s0] to [s2, s0, s1]",
    ),
    topology(
        "InterTranspose",
        &[SLICE1, SLICE0, TIME0],
        "slices [s2, s1, s0] to [s2, t1, s0], time [t2, t1, t0] to [t2, t0, s1]",
    ),
    topology(
        "CustomBroadcast",
        &[RING_SIZE],
        "any slices; what leaves them becomes innermost in time",
    ),
    topology(
        "TransposedBroadcast1",
        &[SLICE1, SLICE0],
        "slices [s2, s1, s0] to [s2, new, s1], time [t] to [t, s0]",
    ),
];

/// The stage that a configuration is for.
struct Setting {
    pass: Pass,
    /// The stage as written so far, with its declared output.
    stage: Stage,
    /// Slices before it.
    slices: Option<u64>,
    /// Iterations before it.
    time: Option<u64>,
    /// Iterations behind it, as declared.
    made: Option<u64>,
}

/// Values by the names of fields.
type Values = Vec<(&'static str, u64)>;

impl Setting {
    fn at(db: &dyn Db, around: &Around, dot: usize) -> Option<Self> {
        let receiver = Receiver::at(db, around, dot)?;
        let pass = receiver.pass()?;
        let stage = receiver.next_stage()?.clone();
        let size = |mapping: &Written<crate::mapping::Mapping>| {
            mapping.get().map(crate::mapping::Mapping::size)
        };
        let (slices, time) = (size(&pass.output().slice), size(&pass.output().time));
        let made = size(&stage.output.time);
        // Nothing before the stage matters to it but the shape that enters.
        let pass = Pass {
            begin: pass.output().clone(),
            stages: Vec::new(),
            ..pass
        };
        Some(Self {
            pass,
            stage,
            slices,
            time,
            made,
        })
    }

    fn is_declared(&self) -> bool {
        self.stage.output.slice.get().is_some() && self.stage.output.time.get().is_some()
    }

    /// Whether a configuration makes what is declared.
    fn fits(&self, name: &str, values: &Values) -> bool {
        self.is_as_long(name, values)
            && self
                .tried(name, values)
                .is_some_and(|derived| derived.violations.is_empty() && derived.ring_size.is_some())
    }

    /// Whether a configuration makes as many iterations as are declared: most are ruled out by it.
    fn is_as_long(&self, name: &str, values: &Values) -> bool {
        let value = |wanted: &str| {
            let found = values.iter().find(|(field, _)| *field == wanted);
            found.map_or(1, |(_, value)| *value)
        };
        let copies = match name {
            "Broadcast01" => value(SLICE1).checked_mul(value(SLICE0)),
            "Broadcast1" => Some(value(SLICE1)),
            "TransposedBroadcast1" => Some(value(SLICE0)),
            "Transpose" | "InterTranspose" => Some(1),
            _ => return true,
        };
        let (Some(time), Some(made), Some(copies)) = (self.time, self.made, copies) else {
            return false;
        };
        time.checked_mul(copies) == Some(made)
    }

    fn tried(
        &self,
        name: &str,
        values: &Values,
    ) -> Option<crate::derivation::switch::SwitchDerivation> {
        let config = config(name, values, self.stage.span)?;
        let mut pass = self.pass.clone();
        let index = pass.stages.len();
        pass.stages.push(Stage {
            kind: StageKind::Switch(Written::new(config, self.stage.span)),
            ..self.stage.clone()
        });
        Some(derive(&pass, index))
    }

    /// Values that a field may have beside others: those that divide what is split.
    fn candidates(&self, name: &str, field: &str, others: &Values) -> Vec<u64> {
        let other = |wanted: &str| {
            others
                .iter()
                .find(|(field, _)| *field == wanted)
                .map_or(1, |(_, value)| *value)
        };
        let slices = self.slices.unwrap_or(SLICES);
        let (whole, taken) = match field {
            SLICE1 => (slices, other(SLICE0)),
            SLICE0 => (slices, other(SLICE1)),
            TIME0 if name == "InterTranspose" => (self.time.unwrap_or(1), other(SLICE1)),
            TIME0 => (self.time.unwrap_or(1), 1),
            _ => (slices, 1),
        };
        let Some(rest) = whole
            .checked_div(taken)
            .filter(|rest| rest.checked_mul(taken) == Some(whole))
        else {
            return Vec::new();
        };
        let is_ring = field == RING_SIZE;
        (1..=rest.min(SLICES))
            .filter(|value| rest.is_multiple_of(*value))
            .filter(|value| !is_ring || value.is_power_of_two())
            .collect()
    }

    /// Values that make what is declared, if they are found among few.
    fn solve(&self, topology: &Topology) -> Option<Values> {
        if !self.is_declared() {
            return None;
        }
        if topology.name == "CustomBroadcast" {
            let least = self
                .tried(topology.name, &vec![(RING_SIZE, self.slices?)])?
                .least_ring?;
            let values = vec![(RING_SIZE, least)];
            return self.fits(topology.name, &values).then_some(values);
        }
        let mut tried = 0_usize;
        for slice1 in self.candidates(topology.name, SLICE1, &Values::new()) {
            let given = vec![(SLICE1, slice1)];
            for slice0 in self.candidates(topology.name, SLICE0, &given) {
                if slice1 == 1 {
                    // Nothing is exchanged.
                    continue;
                }
                let given = vec![(SLICE1, slice1), (SLICE0, slice0)];
                let times = if topology.fields.contains(&TIME0) {
                    self.candidates(topology.name, TIME0, &given)
                } else {
                    vec![1]
                };
                for time0 in times {
                    let mut values = given.clone();
                    if topology.fields.contains(&TIME0) {
                        values.push((TIME0, time0));
                    }
                    tried += usize::from(self.is_as_long(topology.name, &values));
                    if tried > TRIAL_LIMIT {
                        return None;
                    }
                    if self.fits(topology.name, &values) {
                        return Some(values);
                    }
                }
            }
        }
        None
    }
}

/// Proposals for the variants, with their fields; `whole` writes the enum's name before them.
pub(super) fn variants(
    db: &dyn Db,
    around: &Around,
    dot: Option<usize>,
    whole: bool,
) -> Option<Vec<Completion>> {
    let setting = dot.and_then(|dot| Setting::at(db, around, dot));
    if whole && setting.is_none() {
        // Any method may be called `switch`.
        return None;
    }
    let proposals = TOPOLOGIES.iter().zip(0_u32..).map(|(topology, rank)| {
        let solved = setting.as_ref().and_then(|setting| setting.solve(topology));
        let label = if whole {
            format!("SwitchConfig::{}", topology.name)
        } else {
            topology.name.to_owned()
        };
        let rank = if solved.is_some() { rank } else { rank + 10 };
        let mut found = proposal(around, label, CompletionKind::Variant, rank);
        let fields = topology.fields.iter().zip(1_u32..).map(|(field, place)| {
            let value = solved.iter().flatten().find(|(name, _)| name == field);
            match value {
                Some((_, value)) => format!("{field}: ${{{place}:{value}}}"),
                None => format!("{field}: ${place}"),
            }
        });
        let fields: Vec<String> = fields.collect();
        if !around.is_called() {
            found.insert = format!("{} {{ {} }}$0", found.label, fields.join(", "));
            found.snippet = true;
        }
        found.detail = Some(if solved.is_some() {
            FITS.to_owned()
        } else {
            topology.words.to_owned()
        });
        found.documentation = Some(format!("{}.", topology.words));
        found
    });
    Some(proposals.collect())
}

/// Proposals in a literal `SwitchConfig::Variant { … }`: fields that are missing, or values of one.
pub(super) fn fields(db: &dyn Db, around: &Around) -> Option<Vec<Completion>> {
    let opener = around.openers.first().copied()?;
    let Owner::Record(owner, variant) = around.owner(opener) else {
        return None;
    };
    let topology = TOPOLOGIES
        .iter()
        .find(|topology| owner == "SwitchConfig" && topology.name == variant)?;
    let dot = around
        .openers
        .iter()
        .find_map(|opener| match around.owner(*opener) {
            Owner::Arguments { name, dot } if name == "switch" => Some(dot),
            _ => None,
        });
    let setting = dot.and_then(|dot| Setting::at(db, around, dot));
    let given = given(around, opener, topology, setting.as_ref());
    if around.text(0) == ":" {
        let field = topology
            .fields
            .iter()
            .find(|field| **field == around.text(1))?;
        return Some(values(around, setting.as_ref()?, topology, field, &given));
    }
    if !matches!(around.text(0), "{" | ",") {
        return None;
    }
    let named: Vec<&str> = around
        .since(opener)
        .map(ra_ap_syntax::SyntaxToken::text)
        .collect();
    let missing = topology
        .fields
        .iter()
        .filter(|field| !named.contains(field) && given.iter().all(|(name, _)| name != *field));
    Some(
        missing
            .zip(0_u32..)
            .map(|(field, rank)| {
                let mut found = proposal(around, *field, CompletionKind::Field, rank);
                found.insert = format!("{field}: $1");
                found.snippet = true;
                found.detail = Some(field_words(topology, field, setting.as_ref()));
                found
            })
            .collect(),
    )
}

fn field_words(topology: &Topology, field: &str, setting: Option<&Setting>) -> String {
    let size = |size: Option<u64>| size.map_or_else(|| "the".to_owned(), thousands);
    let (slices, time) = setting.map_or((None, None), |setting| (setting.slices, setting.time));
    match field {
        SLICE1 | SLICE0 => format!("slice1 * slice0 divides {} slices", size(slices)),
        TIME0 if topology.name == "InterTranspose" => {
            format!("slice1 * time0 divides {} iterations", size(time))
        }
        TIME0 => format!("divides {} iterations", size(time)),
        _ => "a power of two".to_owned(),
    }
}

/// Fields with numbers, before the cursor by their tokens and behind it by the lowered stage.
fn given(
    around: &Around,
    opener: Opener,
    topology: &Topology,
    setting: Option<&Setting>,
) -> Values {
    let tokens: Vec<&str> = around
        .since(opener)
        .map(ra_ap_syntax::SyntaxToken::text)
        .collect();
    let mut found = Values::new();
    for field in topology.fields {
        let written = tokens.windows(3).find_map(|window| match window {
            [name, ":", value] if name == field => value.replace('_', "").parse::<u64>().ok(),
            _ => None,
        });
        let lowered = || match &setting?.stage.kind {
            StageKind::Switch(config) => value_of(config.get()?, field),
            _ => None,
        };
        if let Some(value) = written.or_else(lowered).filter(|value| *value > 0) {
            found.push((field, value));
        }
    }
    found
}

fn values(
    around: &Around,
    setting: &Setting,
    topology: &Topology,
    field: &'static str,
    given: &Values,
) -> Vec<Completion> {
    let others: Values = given
        .iter()
        .copied()
        .filter(|(name, _)| *name != field)
        .collect();
    let is_complete = others.len() + 1 == topology.fields.len() && setting.is_declared();
    let mut found: Vec<(u32, u64, String)> = setting
        .candidates(topology.name, field, &others)
        .into_iter()
        .map(|value| {
            let mut whole = others.clone();
            whole.push((field, value));
            if is_complete && setting.fits(topology.name, &whole) {
                (0, value, FITS.to_owned())
            } else {
                let rank = if value.is_power_of_two() { 10 } else { 20 };
                (rank, value, field_words(topology, field, Some(setting)))
            }
        })
        .collect();
    found.sort();
    found
        .into_iter()
        .take(VALUE_LIMIT)
        .zip(0_u32..)
        .map(|((_, value, words), rank)| {
            let mut proposed = proposal(around, value.to_string(), CompletionKind::Value, rank);
            proposed.detail = Some(words);
            proposed
        })
        .collect()
}

fn config(name: &str, values: &Values, span: Span) -> Option<SwitchConfig> {
    let field = |wanted: &str| {
        let value = values.iter().find(|(field, _)| *field == wanted);
        value.map(|(_, value)| Written::new(*value, span))
    };
    Some(match name {
        "Broadcast01" => SwitchConfig::Broadcast01 {
            slice1: field(SLICE1)?,
            slice0: field(SLICE0)?,
            time0: field(TIME0)?,
        },
        "Broadcast1" => SwitchConfig::Broadcast1 {
            slice1: field(SLICE1)?,
            slice0: field(SLICE0)?,
        },
        "Transpose" => SwitchConfig::Transpose {
            slice1: field(SLICE1)?,
            slice0: field(SLICE0)?,
        },
        "InterTranspose" => SwitchConfig::InterTranspose {
            slice1: field(SLICE1)?,
            slice0: field(SLICE0)?,
            time0: field(TIME0)?,
        },
        "CustomBroadcast" => SwitchConfig::CustomBroadcast {
            ring_size: field(RING_SIZE)?,
        },
        "TransposedBroadcast1" => SwitchConfig::TransposedBroadcast1 {
            slice1: field(SLICE1)?,
            slice0: field(SLICE0)?,
        },
        _ => return None,
    })
}

fn value_of(config: &SwitchConfig, field: &str) -> Option<u64> {
    let parameter = match field {
        SLICE1 => SwitchParameter::Slice1,
        SLICE0 => SwitchParameter::Slice0,
        TIME0 => SwitchParameter::Time0,
        RING_SIZE => SwitchParameter::RingSize,
        _ => return None,
    };
    config.parameter(parameter)?.get().copied()
}
