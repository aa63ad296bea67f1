//! Rules about pipes and events: flags that nobody sets or awaits, events and pipes that do not exist.

use rustc_hash::FxHashSet;

use super::super::analysis::Analysis;
use super::super::program::{EVENTS, Flag, Function, Named, PIPES, Step, What};
use super::super::syntax::OperationId;
use super::writing::{Change, span};
use super::{Check, Found};
use crate::findings::{Applicability, Rule, rule};
use crate::names::nearest_names;

pub(super) static PTO_EVENT_NEVER_SET: Rule = rule!(
    Pto: "pto_event_never_set",
    Hardware,
    "derived",
    "a wait for a flag that nothing in the function sets: the pipe waits forever",
    "A pipe that waits stops until another one sets the flag of the same two pipes and the same event. Where nothing sets it, \
     the pipe and all that depends on it stand still.",
    fix
);

pub(super) static PTO_EVENT_NEVER_AWAITED: Rule = rule!(
    Pto: "pto_event_never_awaited",
    Suspicious,
    "derived",
    "a flag that is set and that nothing in the function waits for",
    "A flag orders two pipes only where the second one waits for it. One that nobody waits for orders nothing, and is still \
     set for the next kernel. \
     Most often the wait names another event or another pair of pipes."
);

pub(super) static PTO_EVENT_REUSED: Rule = rule!(
    Pto: "pto_event_reused",
    Suspicious,
    "derived",
    "a flag that is set again before any wait for it",
    "A flag is set or not set: setting it twice is setting it once. The first wait then goes on with either, and the second one \
     may wait for ever. Another event keeps them apart.",
    fix
);

pub(super) static PTO_EVENT_ID: Rule = rule!(
    Pto: "pto_event_id",
    Hardware,
    "derived",
    "an event number above 7: a pair of pipes has 8 events",
    "Between two pipes there are eight events, `EVENT_ID0` to `EVENT_ID7`. \
     The number goes into a field of three bits, so that the assembler refuses a larger one. Events of other pairs are others: each pair has its own eight.",
    fix
);

pub(super) static PTO_UNKNOWN_PIPE: Rule = rule!(
    Pto: "pto_unknown_pipe",
    Mapping,
    "derived",
    "a pipe that the core does not have",
    "Flags and barriers name pipes: `PIPE_MTE2` loads, `PIPE_MTE3` stores, `PIPE_V` computes, `PIPE_S` is the scalar unit, and so on. The \
     assembler refuses other names.",
    fix
);

/// Flags of a function among which the nearest one is looked for.
const MOST_COMPARED: usize = 1_000;

/// A flag as an operation of the function uses it.
struct Use {
    operation: OperationId,
    flag: Flag,
    sets: bool,
}

pub(super) fn check(check: &mut Check<'_>, function: &Function) {
    let mut uses = Vec::new();
    let mut barriers = Vec::new();
    // Calls, dynamic flags and the like may set or await any flag.
    let mut is_closed = !function.is_called;
    function.each(&mut |action| match &action.what {
        What::Set(flag) | What::Wait(flag) => uses.push(Use {
            operation: action.operation,
            flag: flag.clone(),
            sets: matches!(action.what, What::Set(_)),
        }),
        What::Barrier(named) => barriers.push((action.operation, named.clone())),
        What::Orders | What::Call => is_closed = false,
        _ => {}
    });
    for one in &uses {
        unknown_pipe(check, one.operation, &one.flag.from);
        unknown_pipe(check, one.operation, &one.flag.to);
        event_number(check, one, &uses);
    }
    for (operation, named) in &barriers {
        unknown_pipe(check, *operation, named);
    }
    if is_closed {
        unmatched(check, &uses);
    }
    let mut set = Vec::new();
    reused(check, &function.steps, &uses, &mut set);
}

fn unknown_pipe(check: &mut Check<'_>, operation: OperationId, named: &Named) {
    if PIPES.contains(&named.name.as_str()) || !named.name.starts_with("PIPE") {
        return;
    }
    let message = format!("the core has no pipe `{}`", named.name);
    let mut finding = Found::new(&PTO_UNKNOWN_PIPE, span(named.place), message);
    if let Some(nearest) = nearest_names(&named.name, PIPES).into_iter().next() {
        let mut change = Change::before(check.analysis, &check.constants, operation);
        change.replace(named.place, nearest.clone());
        let fix = change.fix(Applicability::Maybe, format!("Write `{nearest}`"));
        finding = finding.stating(Some(fix));
    }
    check.report(finding);
}

/// The lowest event that no flag between two pipes uses in a function.
fn free_event(uses: &[Use], from: &str, to: &str) -> Option<String> {
    let is_used = |event: &String| {
        uses.iter().any(|one| {
            one.flag.from.name == from && one.flag.to.name == to && one.flag.event.name == *event
        })
    };
    (0..EVENTS)
        .map(|number| format!("EVENT_ID{number}"))
        .find(|event| !is_used(event))
}

fn event_number(check: &mut Check<'_>, one: &Use, uses: &[Use]) {
    let Some(number) = one.flag.number().filter(|&number| number >= EVENTS) else {
        return;
    };
    let message = format!(
        "event {number} does not exist: a pair of pipes has {EVENTS}, 0 to {}",
        EVENTS - 1
    );
    let mut finding = Found::new(&PTO_EVENT_ID, span(one.flag.event.place), message);
    if let Some(free) = free_event(uses, &one.flag.from.name, &one.flag.to.name) {
        let mut change = Change::before(check.analysis, &check.constants, one.operation);
        for other in uses.iter().filter(|other| other.flag.is(&one.flag)) {
            change.replace(other.flag.event.place, free.clone());
        }
        let fix = change.fix(
            Applicability::Machine,
            format!("Use `{free}`, which is free"),
        );
        finding.fixes.push(fix);
        finding = finding.help(format!("`{free}` is free between these pipes"));
    }
    check.report(finding);
}

fn unmatched(check: &mut Check<'_>, uses: &[Use]) {
    for one in uses {
        // A flag of a function beside this one may be meant for it.
        if check.flags.contains(&flag_key(&one.flag, !one.sets)) {
            continue;
        }
        let whole = one.flag.from.place.to(one.flag.event.place);
        let shown = one.flag.shown();
        if one.sets {
            let message = format!("`{shown}` is set, and nothing in the function waits for it");
            check.report(Found::new(&PTO_EVENT_NEVER_AWAITED, span(whole), message));
            continue;
        }
        let message = format!(
            "`{shown}` is waited for, and nothing in the function sets it: the pipe waits forever"
        );
        let mut finding = Found::new(&PTO_EVENT_NEVER_SET, span(whole), message);
        if let Some(nearest) = nearest_set(one, uses) {
            let mut change = Change::before(check.analysis, &check.constants, one.operation);
            for (there, here) in [
                (&one.flag.from, &nearest.flag.from),
                (&one.flag.to, &nearest.flag.to),
                (&one.flag.event, &nearest.flag.event),
            ] {
                if there.name != here.name {
                    change.replace(there.place, here.name.clone());
                }
            }
            let fix = change.fix(
                Applicability::Maybe,
                format!("Wait for `{}`", nearest.flag.shown()),
            );
            finding.fixes.push(fix);
            let place = nearest.flag.from.place.to(nearest.flag.event.place);
            finding = finding
                .related(span(place), "this flag is set, and nothing waits for it")
                .help(format!("`{}` is set and not awaited", nearest.flag.shown()));
        }
        check.report(finding);
    }
}

/// A flag with whether it is set or awaited.
pub(super) type FlagKey = (String, String, String, bool);

fn flag_key(flag: &Flag, sets: bool) -> FlagKey {
    let [from, to, event] = [&flag.from, &flag.to, &flag.event].map(|named| named.name.clone());
    (from, to, event, sets)
}

/// All flags that the functions of a file set or wait for.
pub(super) fn flags_of(analysis: &Analysis) -> FxHashSet<FlagKey> {
    let mut flags = FxHashSet::default();
    for function in &analysis.program.functions {
        function.each(&mut |action| match &action.what {
            What::Set(flag) => {
                flags.insert(flag_key(flag, true));
            }
            What::Wait(flag) => {
                flags.insert(flag_key(flag, false));
            }
            _ => {}
        });
    }
    flags
}

/// The flag that is set, that nothing awaits, and that differs in the fewest names: in one at least the same.
fn nearest_set<'a>(one: &Use, uses: &'a [Use]) -> Option<&'a Use> {
    let same = |other: &Use| {
        usize::from(other.flag.from.name == one.flag.from.name)
            + usize::from(other.flag.to.name == one.flag.to.name)
            + usize::from(other.flag.event.name == one.flag.event.name)
    };
    if uses.len() > MOST_COMPARED {
        return None;
    }
    let is_awaited = |set: &Use| {
        uses.iter()
            .any(|other| !other.sets && other.flag.is(&set.flag))
    };
    uses.iter()
        .filter(|set| set.sets && !is_awaited(set) && same(set) > 0)
        .max_by_key(|set| (same(set), std::cmp::Reverse(set.operation)))
}

/// Flags that are set twice in a straight line; what is in a branch or a loop begins anew.
fn reused(check: &mut Check<'_>, steps: &[Step], uses: &[Use], set: &mut Vec<(OperationId, Flag)>) {
    for (index, step) in steps.iter().enumerate() {
        match step {
            Step::Do(action) => match &action.what {
                What::Set(flag) => {
                    if let Some((first, known)) = set.iter().find(|(_, known)| known.is(flag)) {
                        let first = (*first, known.event.clone());
                        let rest = steps.get(index + 1..).unwrap_or_default();
                        report_reused(check, action.operation, flag, &first.1, rest, uses);
                    } else {
                        set.push((action.operation, flag.clone()));
                    }
                }
                What::Wait(flag) => set.retain(|(_, known)| !known.is(flag)),
                What::Orders | What::Call | What::Forget => set.clear(),
                _ => {}
            },
            Step::Choice(one, other) => {
                reused(check, one, uses, &mut Vec::new());
                reused(check, other, uses, &mut Vec::new());
                set.clear();
            }
            Step::Repeat { body, .. } => {
                reused(check, body, uses, &mut Vec::new());
                set.clear();
            }
        }
    }
}

fn report_reused(
    check: &mut Check<'_>,
    operation: OperationId,
    flag: &Flag,
    first: &Named,
    rest: &[Step],
    uses: &[Use],
) {
    let message = format!(
        "`{}` is set again before any wait for it: the second set is lost",
        flag.shown()
    );
    let place = flag.from.place.to(flag.event.place);
    let mut finding = Found::new(&PTO_EVENT_REUSED, span(place), message)
        .related(span(first.place), "it is set here");
    // The second of two waits behind it belongs to the second setting.
    let waits: Vec<&Flag> = rest
        .iter()
        .filter_map(|step| match step {
            Step::Do(action) => match &action.what {
                What::Wait(wait) if wait.is(flag) => Some(wait),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let free = free_event(uses, &flag.from.name, &flag.to.name);
    if let (Some(free), &[_, second]) = (free, &waits[..]) {
        let mut change = Change::before(check.analysis, &check.constants, operation);
        change.replace(flag.event.place, free.clone());
        change.replace(second.event.place, free.clone());
        let fix = change.fix(
            Applicability::Maybe,
            format!("Use `{free}` for the second one"),
        );
        finding.fixes.push(fix);
        finding = finding.help(format!("`{free}` is free between these pipes"));
    }
    check.report(finding);
}
