//! Topologies of the Switch Engine: variants with their fields, and values that make the declared slices and time.
//!
//! What a value makes is derived as the rules derive it; a bounded number of values is tried.

use crate::db::Db;
use crate::derivation::switch::derive_switch;
use crate::items::Span;
use crate::kernel::dialect::{Dialect, SwitchWord};
use crate::kernel::{
    CanonicalStage, Pass, Stage, StageKind, SwitchConfig, SwitchParameter, SwitchTopology, Written,
};
use crate::numbers::thousands;
use crate::{Completion, CompletionKind};

use super::context::{Around, Opener, Owner};
use super::receiver::Receiver;
use super::word_proposal;

/// Configurations of one variant that are tried, at most.
const TRIAL_LIMIT: usize = 64;
/// Values that are proposed at most.
const VALUE_LIMIT: usize = 16;
/// What is said of values that fit.
const FITS: &str = "makes the declared slices and time";

/// What a topology does with slices and time (book: Switch Engine; the last is the library's).
const fn topology_words(topology: SwitchTopology) -> &'static str {
    match topology {
        SwitchTopology::Broadcast01 => {
            "slices [s2, s1, s0] to [s2, new, new], time [t1, t0] to [t1, s1, t0, s0]"
        }
        SwitchTopology::Broadcast1 => "slices [s2, s1, s0] to [s2, new, s0], time [t] to [t, s1]",
        SwitchTopology::Transpose => "slices [s2, s1, s0] to [s2, s0, s1]",
        SwitchTopology::InterTranspose => {
            "slices [s2, s1, s0] to [s2, t1, s0], time [t2, t1, t0] to [t2, t0, s1]"
        }
        SwitchTopology::CustomBroadcast => "any slices; what leaves them becomes innermost in time",
        SwitchTopology::TransposedBroadcast1 => {
            "slices [s2, s1, s0] to [s2, new, s1], time [t] to [t, s0]"
        }
        SwitchTopology::Forwarding => "slices and time as they are",
    }
}

const SLICE1: SwitchParameter = SwitchParameter::Slice1;
const SLICE0: SwitchParameter = SwitchParameter::Slice0;
const TIME0: SwitchParameter = SwitchParameter::Time0;
const RING_SIZE: SwitchParameter = SwitchParameter::RingSize;

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

/// Values by their parameters.
type Values = Vec<(SwitchParameter, u64)>;

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
    fn makes_declared(&self, topology: SwitchTopology, values: &Values) -> bool {
        self.is_as_long(topology, values)
            && self
                .tried_derivation(topology, values)
                .is_some_and(|derived| derived.violations.is_empty() && derived.ring_size.is_some())
    }

    /// Whether a configuration makes as many iterations as are declared: most are ruled out by it.
    fn is_as_long(&self, topology: SwitchTopology, values: &Values) -> bool {
        let value = |wanted: SwitchParameter| {
            let found = values.iter().find(|(field, _)| *field == wanted);
            found.map_or(1, |(_, value)| *value)
        };
        let copies = match topology {
            SwitchTopology::Broadcast01 => value(SLICE1).checked_mul(value(SLICE0)),
            SwitchTopology::Broadcast1 => Some(value(SLICE1)),
            SwitchTopology::TransposedBroadcast1 => Some(value(SLICE0)),
            SwitchTopology::Transpose
            | SwitchTopology::InterTranspose
            | SwitchTopology::Forwarding => Some(1),
            SwitchTopology::CustomBroadcast => return true,
        };
        let (Some(time), Some(made), Some(copies)) = (self.time, self.made, copies) else {
            return false;
        };
        time.checked_mul(copies) == Some(made)
    }

    fn tried_derivation(
        &self,
        topology: SwitchTopology,
        values: &Values,
    ) -> Option<crate::derivation::switch::SwitchDerivation> {
        let config = config(topology, values, self.stage.span)?;
        let mut pass = self.pass.clone();
        let index = pass.stages.len();
        pass.stages.push(Stage {
            kind: StageKind::Switch(Written::new(config, self.stage.span)),
            ..self.stage.clone()
        });
        Some(derive_switch(&pass, index))
    }

    /// Values that a field may have beside others: those that divide what is split.
    fn candidates(
        &self,
        topology: SwitchTopology,
        field: SwitchParameter,
        others: &Values,
    ) -> Vec<u64> {
        let other = |wanted: SwitchParameter| {
            others
                .iter()
                .find(|(field, _)| *field == wanted)
                .map_or(1, |(_, value)| *value)
        };
        let slices = self.slices.unwrap_or(self.pass.machine.slices);
        let (whole, taken) = match field {
            SLICE1 => (slices, other(SLICE0)),
            SLICE0 => (slices, other(SLICE1)),
            TIME0 if topology == SwitchTopology::InterTranspose => {
                (self.time.unwrap_or(1), other(SLICE1))
            }
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
        (1..=rest.min(self.pass.machine.slices))
            .filter(|value| rest.is_multiple_of(*value))
            .filter(|value| !is_ring || value.is_power_of_two())
            .collect()
    }

    /// Values that make what is declared, if they are found among few.
    fn solve(&self, word: &SwitchWord) -> Option<Values> {
        let has_time = word.fields.iter().any(|(_, parameter)| *parameter == TIME0);
        if !self.is_declared() {
            return None;
        }
        if word.topology == SwitchTopology::CustomBroadcast {
            let least = self
                .tried_derivation(word.topology, &vec![(RING_SIZE, self.slices?)])?
                .least_ring?;
            let values = vec![(RING_SIZE, least)];
            return self
                .makes_declared(word.topology, &values)
                .then_some(values);
        }
        let mut tried = 0_usize;
        for slice1 in self.candidates(word.topology, SLICE1, &Values::new()) {
            let given = vec![(SLICE1, slice1)];
            for slice0 in self.candidates(word.topology, SLICE0, &given) {
                if slice1 == 1 {
                    // Nothing is exchanged.
                    continue;
                }
                let given = vec![(SLICE1, slice1), (SLICE0, slice0)];
                let times = if has_time {
                    self.candidates(word.topology, TIME0, &given)
                } else {
                    vec![1]
                };
                for time0 in times {
                    let mut values = given.clone();
                    if has_time {
                        values.push((TIME0, time0));
                    }
                    tried += usize::from(self.is_as_long(word.topology, &values));
                    if tried > TRIAL_LIMIT {
                        return None;
                    }
                    if self.makes_declared(word.topology, &values) {
                        return Some(values);
                    }
                }
            }
        }
        None
    }
}

/// Proposals for the variants, with their fields; `whole` writes the enum's name before them.
pub(super) fn variant_completions(
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
    let table = around.dialect(db).words;
    let proposals = table.switches.iter().zip(0_u32..).map(|(word, rank)| {
        let solved = setting.as_ref().and_then(|setting| setting.solve(word));
        let label = if whole {
            format!("{}::{}", table.switch_type, word.name)
        } else {
            word.name.to_owned()
        };
        let rank = if solved.is_some() { rank } else { rank + 10 };
        let mut found = word_proposal(around, label, CompletionKind::Variant, rank);
        let fields = word
            .fields
            .iter()
            .zip(1_u32..)
            .map(|((field, parameter), place)| {
                let mut values = solved.iter().flatten();
                match values.find(|(known, _)| known == parameter) {
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
            topology_words(word.topology).to_owned()
        });
        found.documentation = Some(format!("{}.", topology_words(word.topology)));
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
    let dialect = around.dialect(db);
    let word = dialect
        .words
        .switch(&variant)
        .filter(|_| owner == dialect.words.switch_type)?;
    let dot = around
        .openers
        .iter()
        .find_map(|opener| match around.owner(*opener) {
            Owner::Arguments { name, dot } if is_switch(dialect, &name) => Some(dot),
            _ => None,
        });
    let setting = dot.and_then(|dot| Setting::at(db, around, dot));
    let given = given_values(around, opener, word, setting.as_ref());
    if around.text(0) == ":" {
        let (_, field) = word
            .fields
            .iter()
            .find(|(name, _)| *name == around.text(1))?;
        return Some(value_completions(
            around,
            setting.as_ref()?,
            word,
            *field,
            &given,
        ));
    }
    if !matches!(around.text(0), "{" | ",") {
        return None;
    }
    let named: Vec<&str> = around
        .tokens_since(opener)
        .map(ra_ap_syntax::SyntaxToken::text)
        .collect();
    let missing = word.fields.iter().filter(|(name, field)| {
        !named.contains(name) && given.iter().all(|(known, _)| known != field)
    });
    Some(
        missing
            .zip(0_u32..)
            .map(|((name, field), rank)| {
                let mut found = word_proposal(around, *name, CompletionKind::Field, rank);
                found.insert = format!("{name}: $1");
                found.snippet = true;
                found.detail = Some(field_words(word, *field, setting.as_ref()));
                found
            })
            .collect(),
    )
}

/// Whether a method of that name sets the Switch Engine.
pub(super) fn is_switch(dialect: Dialect, name: &str) -> bool {
    dialect
        .methods(name)
        .any(|method| method.stage() == Some(CanonicalStage::Switch))
}

fn field_words(word: &SwitchWord, field: SwitchParameter, setting: Option<&Setting>) -> String {
    let name = |wanted: SwitchParameter| {
        let mut fields = word.fields.iter();
        let found = fields.find(|(_, parameter)| *parameter == wanted);
        found.map_or("", |(name, _)| *name)
    };
    let size = |size: Option<u64>| size.map_or_else(|| "the".to_owned(), thousands);
    let (slices, time) = setting.map_or((None, None), |setting| (setting.slices, setting.time));
    match field {
        SLICE1 | SLICE0 => format!(
            "{} * {} divides {} slices",
            name(SLICE1),
            name(SLICE0),
            size(slices)
        ),
        TIME0 if word.topology == SwitchTopology::InterTranspose => format!(
            "{} * {} divides {} iterations",
            name(SLICE1),
            name(TIME0),
            size(time)
        ),
        TIME0 => format!("divides {} iterations", size(time)),
        _ => "a power of two".to_owned(),
    }
}

/// Fields with numbers, before the cursor by their tokens and behind it by the lowered stage.
fn given_values(
    around: &Around,
    opener: Opener,
    word: &SwitchWord,
    setting: Option<&Setting>,
) -> Values {
    let tokens: Vec<&str> = around
        .tokens_since(opener)
        .map(ra_ap_syntax::SyntaxToken::text)
        .collect();
    let mut found = Values::new();
    for (field, parameter) in word.fields {
        let written = tokens.windows(3).find_map(|window| match window {
            [name, ":", value] if name == field => value.replace('_', "").parse::<u64>().ok(),
            _ => None,
        });
        let lowered = || match &setting?.stage.kind {
            StageKind::Switch(config) => config.get()?.parameter(*parameter)?.get().copied(),
            _ => None,
        };
        if let Some(value) = written.or_else(lowered).filter(|value| *value > 0) {
            found.push((*parameter, value));
        }
    }
    found
}

fn value_completions(
    around: &Around,
    setting: &Setting,
    word: &SwitchWord,
    field: SwitchParameter,
    given: &Values,
) -> Vec<Completion> {
    let others: Values = given
        .iter()
        .copied()
        .filter(|(name, _)| *name != field)
        .collect();
    let is_complete = others.len() + 1 == word.fields.len() && setting.is_declared();
    let mut found: Vec<(u32, u64, String)> = setting
        .candidates(word.topology, field, &others)
        .into_iter()
        .map(|value| {
            let mut whole = others.clone();
            whole.push((field, value));
            if is_complete && setting.makes_declared(word.topology, &whole) {
                (0, value, FITS.to_owned())
            } else {
                let rank = if value.is_power_of_two() { 10 } else { 20 };
                (rank, value, field_words(word, field, Some(setting)))
            }
        })
        .collect();
    found.sort();
    found
        .into_iter()
        .take(VALUE_LIMIT)
        .zip(0_u32..)
        .map(|((_, value, words), rank)| {
            let mut proposed =
                word_proposal(around, value.to_string(), CompletionKind::Value, rank);
            proposed.detail = Some(words);
            proposed
        })
        .collect()
}

/// A topology with values; `None` where one is missing.
fn config(topology: SwitchTopology, values: &Values, span: Span) -> Option<SwitchConfig> {
    let config = SwitchConfig::new(topology, |wanted| {
        let value = values.iter().find(|(field, _)| *field == wanted);
        Written {
            value: value.map(|(_, value)| *value),
            ..Written::unknown(span)
        }
    });
    let parameters = [SLICE1, SLICE0, TIME0, RING_SIZE];
    let mut parameters = parameters
        .into_iter()
        .filter_map(|one| config.parameter(one));
    parameters
        .all(|written| written.value.is_some())
        .then_some(config)
}
