//! Rules about what nothing orders: reads after writes of another pipe, and stores to the same bytes of GM.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::analysis::Facts;
use super::super::order::Race;
use super::super::program::{EVENTS, Function, Step, What};
use super::super::syntax::OperationId;
use super::super::transfers::{CopyKind, Derived};
use super::super::values::Memory;
use super::writing::{Change, text_span};
use super::{Check, Found};
use visa_findings::{Applicability, Group, Rule, rule};
use visa_transfer::{Meeting, Side, sides_meet};

pub(super) static PTO_STORE_ORDER: Rule = rule!(
    Pto: "pto_store_order",
    Suspicious,
    "derived",
    "two stores to the same bytes of GM with no barrier of their pipe between them",
    "Stores of one pipe may overtake each other on their way to GM. Where two of them write the same bytes, which \
     value stays is not defined unless a barrier of `PIPE_MTE3` is between them.",
    fix
);

pub(super) static PTO_UNSYNCHRONISED: Rule = Rule {
    // What a branch or a loop orders where it runs, and GM, which is written through caches.
    lesser: Some(Group::Suspicious),
    ..rule!(
        Pto: "pto_unsynchronised",
        Silent,
        "DMA Transfer Execution",
        "a read of UB or GM that nothing orders after the write of another pipe",
        "The engines that load, compute and store run in parallel. A read sees the writes of another pipe only after a \
         flag from the writer's pipe to the reader's, or after a barrier of all pipes. A flag that is awaited in a \
         branch, or in a loop that may run no times, orders nothing where that is left out. Functions without any such \
         operation are left out: for them the assembler inserts the synchronisation.",
        fix
    )
};

pub(super) fn check_unsynchronised(check: &mut Check<'_>, function: &Function, facts: &Facts) {
    check_races(check, function, facts);
    let mut stores = Vec::new();
    store_order(check, &function.steps, facts, &mut stores);
}

/// The events that flags between each two pipes use in a function.
fn used_events(function: &Function) -> FxHashMap<(&str, &str), FxHashSet<u32>> {
    let mut used: FxHashMap<(&str, &str), FxHashSet<u32>> = FxHashMap::default();
    function.visit_actions(&mut |action| {
        if let What::Set(flag) | What::Wait(flag) = &action.what {
            let pair = (&*flag.from.name, &*flag.to.name);
            used.entry(pair).or_default().extend(flag.number());
        }
    });
    used
}

fn check_races(check: &mut Check<'_>, function: &Function, facts: &Facts) {
    if facts.races.is_empty() {
        return;
    }
    let used = used_events(function);
    let mut said = FxHashSet::default();
    let mut found = Vec::new();
    for race in &facts.races {
        // What orders the first read of a write orders the others.
        if said.insert((race.write, race.read_pipe, race.memory)) {
            let used = used.get(&(race.write_pipe, race.read_pipe));
            found.push(race_finding(check, race, used));
        }
    }
    check.found.extend(found);
}

fn race_finding(check: &Check<'_>, race: &Race, used: Option<&FxHashSet<u32>>) -> Found {
    let file = &check.analysis.file;
    let (write, read) = (file.operation(race.write), file.operation(race.read));
    let nothing = match race.ordered_by {
        Some(by) => format!(
            "only `{}` orders the two pipes, and it may be left out",
            file.name(by)
        ),
        None => "nothing orders the two pipes".to_owned(),
    };
    let message = format!(
        "{} reads bytes of {} that {} writes by `{}`; {nothing}",
        race.read_pipe,
        race.memory.name(),
        race.write_pipe,
        file.text_at(write.name),
    );
    let mut finding = Found::new(&PTO_UNSYNCHRONISED, text_span(read.name), message).related(
        text_span(write.name),
        format!("{} writes them here", race.write_pipe),
    );
    if let Some(by) = race.ordered_by {
        let place = file.operation(by).name;
        finding = finding.related(
            text_span(place),
            "where this is left out, nothing is awaited",
        );
    }
    if race.ordered_by.is_some() || race.memory != Memory::Ub {
        finding.group = PTO_UNSYNCHRONISED.lesser;
    }
    let is_used = |event: &u32| used.is_some_and(|used| used.contains(event));
    let Some(event) = (0..EVENTS).find(|event| !is_used(event)) else {
        return finding;
    };
    let mut change = Change::before_operation(check.analysis, &check.constants, race.read);
    let flag = format!(
        "[\"{}\", \"{}\", \"EVENT_ID{event}\"]",
        race.write_pipe, race.read_pipe
    );
    change.line(format!("pto.set_flag{flag}"));
    change.line(format!("pto.wait_flag{flag}"));
    let title = format!("Set and await `EVENT_ID{event}` before the read");
    finding
        .fixes
        .push(change.into_fix(Applicability::Machine, title));
    finding.help(format!(
        "`pto.set_flag{flag}` after the write and `pto.wait_flag{flag}` before the read order the two pipes"
    ))
}

/// Stores that a later one is compared with.
const MOST_STORES: usize = 128;

/// Stores in a straight line since the last barrier; what is in a branch or a loop begins again.
fn store_order<'a>(
    check: &mut Check<'_>,
    steps: &[Step],
    facts: &'a Facts,
    stores: &mut Vec<&'a Derived>,
) {
    for step in steps {
        match step {
            Step::Do(action) => match &action.what {
                What::Copy(index) => {
                    let store = facts
                        .derived
                        .get(*index)
                        .filter(|derived| derived.copy.kind == CopyKind::UbToGm);
                    if let Some(store) = store {
                        if let Some(earlier) =
                            stores.iter().rev().find(|one| stores_meet(one, store))
                        {
                            report_store(check, store, earlier.operation());
                        }
                        if stores.len() >= MOST_STORES {
                            stores.remove(0);
                        }
                        stores.push(store);
                    }
                }
                What::Barrier(named) if matches!(&*named.name, "PIPE_MTE3" | "PIPE_ALL") => {
                    stores.clear();
                }
                What::Orders | What::Call | What::Forget => stores.clear(),
                _ => {}
            },
            Step::Choice { one, other, .. } => {
                store_order(check, one, facts, &mut Vec::new());
                store_order(check, other, facts, &mut Vec::new());
                stores.clear();
            }
            Step::Repeat { body, .. } => {
                store_order(check, body, facts, &mut Vec::new());
                stores.clear();
            }
        }
    }
}

fn stores_meet(one: &Derived, other: &Derived) -> bool {
    let known = |derived: &Derived| derived.copy.base_address(Side::Target)?.known;
    let (Some(one_base), Some(other_base)) = (known(one), known(other)) else {
        return false;
    };
    let Some(distance) = other_base.always.minus(one_base.always) else {
        return false;
    };
    let (Some(one), Some(other)) = (&one.transfer, &other.transfer) else {
        return false;
    };
    let meeting = sides_meet(
        (one, Side::Target),
        (other, Side::Target),
        i128::from(distance),
    );
    matches!(meeting, Meeting::Shared { .. })
}

fn report_store(check: &mut Check<'_>, store: &Derived, earlier: OperationId) {
    let file = &check.analysis.file;
    let (name, earlier) = (
        file.operation(store.operation()).name,
        file.operation(earlier).name,
    );
    let message = "the store writes bytes of GM that an earlier store writes, with no barrier of PIPE_MTE3 between them";
    let mut change = Change::before_operation(check.analysis, &check.constants, store.operation());
    change.line("pto.barrier #pto.pipe<PIPE_MTE3>".to_owned());
    let fix = change.into_fix(
        Applicability::Machine,
        "Insert a barrier of PIPE_MTE3 before the store",
    );
    let mut finding = Found::new(&PTO_STORE_ORDER, text_span(name), message)
        .related(text_span(earlier), "the earlier store");
    finding.fixes.push(fix);
    check.report(finding.help("put `pto.barrier #pto.pipe<PIPE_MTE3>` between them"));
}
