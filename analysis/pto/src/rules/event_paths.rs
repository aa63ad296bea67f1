//! A rule about flags that are set or awaited on some paths only.
//!
//! What is compared are the branches and loops around the settings of a flag and around its waits. Where more than one of them
//! decides, their conditions may belong together, and nothing is said.

use rustc_hash::FxHashMap;

use super::super::analysis::Facts;
use super::super::program::{Flag, Function, Step, What};
use super::super::syntax::OperationId;
use super::events::{flag_key, is_no_flag};
use super::writing::text_span;
use super::{Check, FlagKey, Found};
use visa_findings::{Rule, rule};

pub(super) static PTO_EVENT_SOME_PATHS: Rule = rule!(
    Pto: "pto_event_some_paths",
    Suspicious,
    "derived",
    "a flag that is set, or awaited, only in a branch or in a loop that may run no times",
    "A wait ends when the flag is set. Where the only setting is in a branch that is not taken, or in a loop that \
     runs no times, the pipe waits forever. Where the only wait is in one, the flag stays set, and the next wait for \
     it ends too early. Put the setting and the wait into the same branch, or set the flag before the loop and await \
     it after the loop."
);

/// Settings and waits of a flag that are looked at.
const MOST_USES: usize = 256;

/// A step that some paths leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Around {
    operation: OperationId,
    way: Way,
}

/// How a path leaves a step out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Its condition does not hold.
    First,
    /// Its condition holds.
    Second,
    /// It runs no times.
    Loop,
    /// In a way that is not followed.
    Unknown,
}

/// A setting of a flag, or a wait, with the steps around it that may be left out.
struct Use<'a> {
    flag: &'a Flag,
    around: Vec<Around>,
}

#[derive(Default)]
struct Uses<'a> {
    sets: Vec<Use<'a>>,
    waits: Vec<Use<'a>>,
}

struct Walk<'a> {
    around: Vec<Around>,
    of: FxHashMap<FlagKey, Uses<'a>>,
    /// Whether something may set or await any flag.
    is_open: bool,
}

impl<'a> Walk<'a> {
    fn steps(&mut self, steps: &'a [Step]) {
        for step in steps {
            match step {
                Step::Do(action) => match &action.what {
                    What::Set(flag) => self.note_flag(flag, true),
                    What::Wait(flag) => self.note_flag(flag, false),
                    What::Orders | What::Call | What::Forget => self.is_open = true,
                    _ => {}
                },
                Step::Choice {
                    operation,
                    one,
                    other,
                    is_followed,
                } => {
                    let way = |way| if *is_followed { way } else { Way::Unknown };
                    self.walk_inside(*operation, way(Way::First), one);
                    self.walk_inside(*operation, way(Way::Second), other);
                }
                Step::Repeat {
                    operation,
                    body,
                    may_skip: true,
                    ..
                } => self.walk_inside(*operation, Way::Loop, body),
                Step::Repeat { body, .. } => self.steps(body),
            }
        }
    }

    fn walk_inside(&mut self, operation: OperationId, way: Way, steps: &'a [Step]) {
        self.around.push(Around { operation, way });
        self.steps(steps);
        self.around.pop();
    }

    fn note_flag(&mut self, flag: &'a Flag, sets: bool) {
        let uses = self.of.entry(flag_key(flag, true)).or_default();
        let uses = if sets {
            &mut uses.sets
        } else {
            &mut uses.waits
        };
        uses.push(Use {
            flag,
            around: self.around.clone(),
        });
    }
}

/// The step that holds all answers of a use and not the use itself, if that one step decides whether there is an answer.
fn deciding(one: &Use<'_>, answers: &[Use<'_>]) -> Option<Around> {
    let (first, others) = answers.split_first()?;
    let shared = |one: &[Around], other: &[Around]| {
        let pairs = one.iter().zip(other);
        pairs.take_while(|(one, other)| one == other).count()
    };
    let all = others.iter().fold(first.around.len(), |length, other| {
        length.min(shared(&first.around, &other.around))
    });
    let around = first.around.get(..all)?;
    // What is around the use as well decides nothing between the two; what is around it alone may belong to the same condition.
    let outer = shared(around, &one.around);
    if outer < one.around.len() || around.iter().any(|step| step.way == Way::Unknown) {
        return None;
    }
    around.get(outer).copied()
}

pub(super) fn check_event_paths(check: &mut Check<'_>, function: &Function, facts: &Facts) {
    let mut walk = Walk {
        around: Vec::new(),
        of: FxHashMap::default(),
        is_open: facts.is_called,
    };
    walk.steps(&function.steps);
    if walk.is_open {
        return;
    }
    for uses in walk.of.values() {
        if uses.sets.len().max(uses.waits.len()) > MOST_USES {
            continue;
        }
        for (from, answers, sets) in [
            (&uses.waits, &uses.sets, false),
            (&uses.sets, &uses.waits, true),
        ] {
            for one in from.iter().filter(|one| !is_no_flag(one.flag)) {
                if let Some(step) = deciding(one, answers) {
                    report_flag(check, one.flag, sets, step, answers);
                }
            }
        }
    }
}

fn report_flag(check: &mut Check<'_>, flag: &Flag, sets: bool, step: Around, answers: &[Use<'_>]) {
    let file = &check.analysis.file;
    let name = file.name(step.operation);
    let left_out = match step.way {
        Way::First => "where its condition does not hold",
        Way::Second => "where its condition holds",
        Way::Loop => "where it runs no times",
        Way::Unknown => return,
    };
    let shown = flag.flag_text();
    let message = if sets {
        format!(
            "`{shown}` is set here and awaited only in `{name}`: {left_out}, the flag stays set"
        )
    } else {
        format!("`{shown}` is set only in `{name}`: {left_out}, the pipe waits forever")
    };
    let whole = |flag: &Flag| text_span(flag.from.place.span_to(flag.event.place));
    let mut finding = Found::new(&PTO_EVENT_SOME_PATHS, whole(flag), message);
    if let Some(answer) = answers.first() {
        let words = if sets {
            "it is awaited here"
        } else {
            "it is set here"
        };
        finding = finding.related(whole(answer.flag), words);
    }
    let place = file.operation(step.operation).name;
    finding = finding.related(text_span(place), "this may be left out");
    let (other, there) = if sets {
        ("pto.wait_flag", "await")
    } else {
        ("pto.set_flag", "set")
    };
    check.report(finding.help(format!(
        "put both into `{name}`, or {there} the flag by `{other}` on the other path as well"
    )));
}
