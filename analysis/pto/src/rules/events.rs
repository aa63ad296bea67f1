//! Rules about pipes and events: flags that are never set or awaited, events and pipes that do not exist.
//!
//! A wait for a flag that nobody sets hangs the chip, so it is worth an error; but a call or a flag by a run-time number may set any flag. Such
//! a function is not judged. Most kernels answer all of their flags. That is decided by one set of names, and the nearest flag, which
//! the message offers, is looked for only where one is left over.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::analysis::{Analysis, Facts};
use super::super::program::{EVENT_NAMES, EVENTS, Flag, Function, Name, Named, PIPES, Step, What};
use super::super::syntax::OperationId;
use super::writing::{Change, text_span};
use super::{Check, Found};
use visa_base::names::nearest_names;
use visa_findings::{Applicability, Rule, rule};

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
    "A flag orders two pipes only where the second one waits for it. One that nothing waits for orders nothing, and \
     is still set when the next kernel starts. Most often the wait names another event or another pair of pipes."
);

pub(super) static PTO_EVENT_REUSED: Rule = rule!(
    Pto: "pto_event_reused",
    Suspicious,
    "derived",
    "a flag that is set again before any wait for it",
    "A flag does not count: setting it twice is the same as setting it once. Either of the two ends the first wait, \
     and the second wait may never end. Another event keeps them apart.",
    fix
);

pub(super) static PTO_EVENT_ID: Rule = rule!(
    Pto: "pto_event_id",
    Hardware,
    "derived",
    "an event number above 7: a pair of pipes has 8 events",
    "Between two pipes there are eight events, `EVENT_ID0` to `EVENT_ID7`. The number goes into a field of three \
     bits, so that the assembler refuses a larger one. Each pair of pipes has its own eight.",
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

/// A flag as an operation of the function uses it.
#[derive(Clone, Copy)]
struct Use<'a> {
    operation: OperationId,
    flag: &'a Flag,
    sets: bool,
}

/// The events that each pair of pipes uses in a function, a bit each.
#[derive(Default)]
struct UsedEvents<'a> {
    of_pair: FxHashMap<(&'a str, &'a str), u32>,
}

impl<'a> UsedEvents<'a> {
    fn of(uses: &[Use<'a>]) -> Self {
        let mut found = Self::default();
        for one in uses {
            let number = EVENT_NAMES
                .iter()
                .position(|name| *name == one.flag.event.name);
            if let Some(number) = number {
                let pair = (&*one.flag.from.name, &*one.flag.to.name);
                *found.of_pair.entry(pair).or_default() |= 1 << number;
            }
        }
        found
    }

    /// The lowest event that no flag between two pipes uses.
    fn free_event(&self, from: &str, to: &str) -> Option<&'static str> {
        let used = self.of_pair.get(&(from, to)).copied().unwrap_or(0);
        EVENT_NAMES.get(used.trailing_ones() as usize).copied()
    }
}

pub(super) fn check_events(check: &mut Check<'_>, function: &Function, facts: &Facts) {
    let mut uses = Vec::new();
    let mut barriers = Vec::new();
    // Calls, dynamic flags and the like may set or await any flag.
    let mut is_closed = !facts.is_called;
    function.visit_actions(&mut |action| match &action.what {
        What::Set(flag) | What::Wait(flag) => uses.push(Use {
            operation: action.operation,
            flag,
            sets: matches!(action.what, What::Set(_)),
        }),
        What::Barrier(named) => barriers.push((action.operation, named)),
        What::Orders | What::Call => is_closed = false,
        _ => {}
    });
    let used = UsedEvents::of(&uses);
    for one in &uses {
        unknown_pipe(check, one.operation, &one.flag.from);
        unknown_pipe(check, one.operation, &one.flag.to);
        event_number(check, one, &uses, &used);
    }
    for (operation, named) in barriers {
        unknown_pipe(check, operation, named);
    }
    if is_closed {
        check_unmatched_flags(check, &uses);
    }
    let mut set = FxHashMap::default();
    check_reused_flags(check, &function.steps, &used, &mut set);
}

fn is_unknown_pipe(named: &Named) -> bool {
    named.name.starts_with("PIPE") && !PIPES.contains(&&*named.name)
}

/// Whether a pipe or the event of a flag does not exist, which is a finding of its own: who answers the flag is not asked.
pub(super) fn is_no_flag(flag: &Flag) -> bool {
    is_unknown_pipe(&flag.from)
        || is_unknown_pipe(&flag.to)
        || flag.number().is_some_and(|number| number >= EVENTS)
}

fn unknown_pipe(check: &mut Check<'_>, operation: OperationId, named: &Named) {
    if !is_unknown_pipe(named) {
        return;
    }
    let message = format!("the core has no pipe `{}`", named.name);
    let mut finding = Found::new(&PTO_UNKNOWN_PIPE, text_span(named.place), message);
    if let Some(nearest) = nearest_names(&named.name, PIPES).into_iter().next() {
        let mut change = Change::before_operation(check.analysis, &check.constants, operation);
        change.replace_place(named.place, nearest.clone());
        let fix = change.into_fix(Applicability::Maybe, format!("Write `{nearest}`"));
        finding = finding.stating(Some(fix));
    }
    check.report(finding);
}

fn event_number(check: &mut Check<'_>, one: &Use<'_>, uses: &[Use<'_>], used: &UsedEvents<'_>) {
    let Some(number) = one.flag.number().filter(|&number| number >= EVENTS) else {
        return;
    };
    let message = format!(
        "event {number} does not exist: a pair of pipes has {EVENTS}, 0 to {}",
        EVENTS - 1
    );
    let mut finding = Found::new(&PTO_EVENT_ID, text_span(one.flag.event.place), message);
    if let Some(free) = used.free_event(&one.flag.from.name, &one.flag.to.name) {
        let mut change = Change::before_operation(check.analysis, &check.constants, one.operation);
        for other in uses
            .iter()
            .filter(|other| other.flag.is_same_flag(one.flag))
        {
            change.replace_place(other.flag.event.place, free);
        }
        let fix = change.into_fix(
            Applicability::Machine,
            format!("Use `{free}`, which is free"),
        );
        finding.fixes.push(fix);
        finding = finding.help(format!("`{free}` is free between these pipes"));
    }
    check.report(finding);
}

fn check_unmatched_flags(check: &mut Check<'_>, uses: &[Use<'_>]) {
    // Most functions answer all of their flags.
    let mut sets: Option<UnawaitedSets<'_>> = None;
    for one in uses {
        let answer = flag_key(one.flag, !one.sets);
        if check.flags.contains(&answer) || is_no_flag(one.flag) {
            continue;
        }
        let whole = one.flag.from.place.span_to(one.flag.event.place);
        let shown = one.flag.flag_text();
        if one.sets {
            let message = format!("`{shown}` is set, and nothing in the function waits for it");
            let finding = Found::new(&PTO_EVENT_NEVER_AWAITED, text_span(whole), message);
            check.unanswered.push((answer, finding));
            continue;
        }
        let message = format!(
            "`{shown}` is waited for, and nothing in the function sets it: the pipe waits forever"
        );
        let mut finding = Found::new(&PTO_EVENT_NEVER_SET, text_span(whole), message);
        let sets = sets.get_or_insert_with(|| UnawaitedSets::of(uses));
        if let Some(nearest) = sets.nearest_flag(one.flag) {
            let mut change =
                Change::before_operation(check.analysis, &check.constants, one.operation);
            for (there, here) in [
                (&one.flag.from, &nearest.from),
                (&one.flag.to, &nearest.to),
                (&one.flag.event, &nearest.event),
            ] {
                if there.name != here.name {
                    change.replace_place(there.place, &*here.name);
                }
            }
            let fix = change.into_fix(
                Applicability::Maybe,
                format!("Wait for `{}`", nearest.flag_text()),
            );
            finding.fixes.push(fix);
            let place = nearest.from.place.span_to(nearest.event.place);
            finding = finding
                .related(
                    text_span(place),
                    "this flag is set, and nothing waits for it",
                )
                .help(format!("`{}` is set and not awaited", nearest.flag_text()));
        }
        check.unanswered.push((answer, finding));
    }
}

/// A flag with whether it is set or awaited.
pub(in super::super) type FlagKey = (Name, Name, Name, bool);

pub(super) fn flag_key(flag: &Flag, sets: bool) -> FlagKey {
    let [from, to, event] = [&flag.from, &flag.to, &flag.event].map(|named| named.name.clone());
    (from, to, event, sets)
}

/// All flags that the functions of a file set or wait for.
pub(in super::super) fn flags_of(analysis: &Analysis) -> FxHashSet<FlagKey> {
    let mut flags = FxHashSet::default();
    for function in &analysis.program.functions {
        function.visit_actions(&mut |action| match &action.what {
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

/// Flags that are set and that nothing in their function awaits, by each one and each two of their three names.
struct UnawaitedSets<'a> {
    /// The first that is set, by two names.
    by_two: FxHashMap<SomeNames<'a>, (OperationId, &'a Flag)>,
    /// The first that is set, by one name.
    by_one: FxHashMap<SomeNames<'a>, (OperationId, &'a Flag)>,
}

impl<'a> UnawaitedSets<'a> {
    fn of(uses: &[Use<'a>]) -> Self {
        let waits = uses.iter().filter(|one| !one.sets);
        let awaited: FxHashSet<[&str; 3]> = waits.map(|one| names_of(one.flag)).collect();
        let mut found = Self {
            by_two: FxHashMap::default(),
            by_one: FxHashMap::default(),
        };
        for one in uses.iter().filter(|one| one.sets && !is_no_flag(one.flag)) {
            if awaited.contains(&names_of(one.flag)) {
                continue;
            }
            let set = (one.operation, one.flag);
            for (kept, sets) in [
                (TWO_NAMES, &mut found.by_two),
                (ONE_NAME, &mut found.by_one),
            ] {
                for kept in kept {
                    let first = sets.entry(some_names(one.flag, kept)).or_insert(set);
                    if set.0 < first.0 {
                        *first = set;
                    }
                }
            }
        }
        found
    }

    /// The one that differs in the fewest names from a flag, and in one at least is the same; the first of several.
    fn nearest_flag(&self, flag: &Flag) -> Option<&'a Flag> {
        [(TWO_NAMES, &self.by_two), (ONE_NAME, &self.by_one)]
            .into_iter()
            .find_map(|(kept, sets)| {
                let found = kept
                    .into_iter()
                    .filter_map(|kept| sets.get(&some_names(flag, kept)));
                found.min_by_key(|set| set.0).map(|(_, flag)| *flag)
            })
    }
}

const TWO_NAMES: [[bool; 3]; 3] = [
    [true, true, false],
    [true, false, true],
    [false, true, true],
];
const ONE_NAME: [[bool; 3]; 3] = [
    [true, false, false],
    [false, true, false],
    [false, false, true],
];

fn names_of(flag: &Flag) -> [&str; 3] {
    [&flag.from.name, &flag.to.name, &flag.event.name]
}

/// Some of a flag's names, the others left out.
type SomeNames<'a> = [Option<&'a str>; 3];

fn some_names(flag: &Flag, kept: [bool; 3]) -> SomeNames<'_> {
    let mut names = names_of(flag).map(Some);
    for (name, kept) in names.iter_mut().zip(kept) {
        *name = name.filter(|_| kept);
    }
    names
}

/// Flags that are set twice in a straight line; what is in a branch or a loop begins again.
fn check_reused_flags<'a>(
    check: &mut Check<'_>,
    steps: &'a [Step],
    used: &UsedEvents<'_>,
    set: &mut FxHashMap<[&'a str; 3], &'a Named>,
) {
    // The waits of this line by their flags, looked for when a flag is set twice.
    let mut waits: Option<Waits<'_>> = None;
    for (index, step) in steps.iter().enumerate() {
        match step {
            Step::Do(action) => match &action.what {
                What::Set(flag) => {
                    let Some(first) = set.get(&names_of(flag)) else {
                        set.insert(names_of(flag), &flag.event);
                        continue;
                    };
                    let waits = waits.get_or_insert_with(|| waits_of(steps));
                    let own = waits.get(&names_of(flag)).map_or(&[][..], Vec::as_slice);
                    let behind = own.partition_point(|(place, _)| *place <= index);
                    let behind = own.get(behind..).unwrap_or_default();
                    report_reused(check, action.operation, flag, first, behind, used);
                }
                What::Wait(flag) => {
                    set.remove(&names_of(flag));
                }
                What::Orders | What::Call | What::Forget => set.clear(),
                _ => {}
            },
            Step::Choice { one, other, .. } => {
                check_reused_flags(check, one, used, &mut FxHashMap::default());
                check_reused_flags(check, other, used, &mut FxHashMap::default());
                set.clear();
            }
            Step::Repeat { body, .. } => {
                check_reused_flags(check, body, used, &mut FxHashMap::default());
                set.clear();
            }
        }
    }
}

/// The waits of a line by their flags, each with its number in the line.
type Waits<'a> = FxHashMap<[&'a str; 3], Vec<(usize, &'a Flag)>>;

fn waits_of(steps: &[Step]) -> Waits<'_> {
    let mut waits = Waits::default();
    for (index, step) in steps.iter().enumerate() {
        if let Step::Do(action) = step
            && let What::Wait(flag) = &action.what
        {
            waits.entry(names_of(flag)).or_default().push((index, flag));
        }
    }
    waits
}

fn report_reused(
    check: &mut Check<'_>,
    operation: OperationId,
    flag: &Flag,
    first: &Named,
    waits: &[(usize, &Flag)],
    used: &UsedEvents<'_>,
) {
    let message = format!(
        "`{}` is set again before any wait for it: the second set is lost",
        flag.flag_text()
    );
    let place = flag.from.place.span_to(flag.event.place);
    let mut finding = Found::new(&PTO_EVENT_REUSED, text_span(place), message)
        .related(text_span(first.place), "it is set here");
    let free = used.free_event(&flag.from.name, &flag.to.name);
    // The second of two waits behind it belongs to the second setting.
    if let (Some(free), &[_, (_, second)]) = (free, waits) {
        let mut change = Change::before_operation(check.analysis, &check.constants, operation);
        change.replace_place(flag.event.place, free);
        change.replace_place(second.event.place, free);
        let fix = change.into_fix(
            Applicability::Maybe,
            format!("Use `{free}` for the second one"),
        );
        finding.fixes.push(fix);
        finding = finding.help(format!("`{free}` is free between these pipes"));
    }
    check.report(finding);
}
