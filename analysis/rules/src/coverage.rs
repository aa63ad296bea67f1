//! What was not looked at: operations that could not be followed, limits that end the analysis, releases that are not known.
//!
//! Every other rule is silent about these. The rules here say where, and why.

use crate::db::Db;
use crate::items::{Span, item_text};
use crate::kernel::{Body, Unresolved, UnresolvedReason};
use crate::lowering::{CALL_DEPTH, EXPRESSION_DEPTH};
use crate::numbers::thousands;

use super::{Checked, EnabledRules, Families, Finding, Level, OwnRules as _, Rule, rule};

/// Letters of a text that is named.
const LONGEST_NAME: usize = 60;

pub(crate) static DIALECT_UNSUPPORTED: Rule = rule!(
    "dialect_unsupported",
    Toolchain,
    Coverage,
    "library",
    "the crate is written for a release of its library that is not known",
    "Kernels are written against a library, and its release decides the meaning of a method. In another release the \
     same name may take other type arguments, check other things or be another stage. Of `{crate of the successor}`, \
     the successor of the book's library, the releases are known one by one. A crate for a newer one is read for the \
     newest known release. New methods cannot be judged, and changed ones may be judged wrongly. The manifest decides \
     which library a crate is for, then what any of its files imports; `dialect` in the settings or `--dialect` says \
     otherwise.";
    refused: Refusal::OWN,
);

pub(crate) static ANALYSIS_LIMIT: Rule = rule!(
    "analysis_limit",
    Toolchain,
    Coverage,
    "derived",
    "a limit of visa-lint ends the analysis, so that a part of the kernel is not checked",
    "visa-lint follows a kernel run by run: helpers are followed at each call, loops are unrolled. So that every \
     check ends, there are limits for operations, runs of a loop, helpers that call each other, and nested \
     expressions. Past a limit every rule is silent. The finding says which limit it is, where it was met and how \
     much comes after it. Split the function, or put repeated code into a loop whose runs are alike. For a longer \
     loop, the first two runs and the last one are checked.";
    refused: Refusal::OWN,
);

pub(crate) static UNRESOLVED_OPERATION: Rule = Rule {
    level: Some(Level::Allow),
    language: None,
    ..rule!(
        "unresolved_operation",
        Toolchain,
        Coverage,
        "derived",
        "an operation could not be followed, so that no other rule looks at it",
        "visa-lint follows a kernel's values without a compiler. An unknown method, a name from elsewhere, a mapping that \
         only a caller knows, or a macro or closure in unknown code ends that. The effect of the operation is then \
         unknown, and no rule judges it. Known but undecided operations count too. If a size cuts across a group, the \
         elements that a sequencer reads or a reduce counts may stay undecided. A run without findings then says nothing \
         about it either. The summary counts such operations; this rule shows them, with what could not be resolved. It \
         is off by default, because most of them are mistakes that the compiler reports in better words. With \
         `--deny unresolved_operation` a CI job accepts only kernels that are checked as a whole.";
        refused: Refusal::OWN,
    )
};

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[&DIALECT_UNSUPPORTED, &ANALYSIS_LIMIT, &UNRESOLVED_OPERATION];

/// The family looks at what bodies lack; see [`not_looked_at`].
pub(super) fn check_coverage(_checked: &Checked<'_>, _findings: &mut Vec<Finding>) {}

/// The rule that shows what was not looked at.
pub const fn unresolved_operation() -> &'static Rule {
    &UNRESOLVED_OPERATION
}

/// Whether a rule about what derivations leave open is on.
pub fn asks_for_undecided(enabled: &EnabledRules) -> bool {
    enabled.has_own(UNRESOLVED_OPERATION.name)
}

/// Whether one of the rules here is on.
pub fn reports_unresolved(families: Families) -> bool {
    families.have_one_of(RULES)
}

/// A finding for each operation of a body that is not looked at, and for what derivations left open.
pub fn not_looked_at(db: &dyn Db, body: &Body, undecided: &[Unresolved]) -> Vec<Finding> {
    let places = body.unresolved.iter().chain(undecided);
    let mut findings: Vec<Finding> = places.map(|place| unresolved_finding(db, place)).collect();
    findings.extend(limit_findings(body));
    findings
}

/// A finding for each macro of an item that hides kernels.
pub fn hidden_findings(db: &dyn Db, calls: &[Unresolved]) -> Vec<Finding> {
    calls
        .iter()
        .map(|place| unresolved_finding(db, place))
        .collect()
}

/// A finding for each limit that a body met, at the first place that is not looked at for it; a loop has its own.
fn limit_findings(body: &Body) -> Vec<Finding> {
    let mut met: Vec<(&UnresolvedReason, Span, u64)> = Vec::new();
    for place in body
        .unresolved
        .iter()
        .filter(|place| place.reason.is_limit())
    {
        let own = matches!(place.reason, UnresolvedReason::LongLoop(_));
        match met
            .iter_mut()
            .find(|(reason, ..)| !own && **reason == place.reason)
        {
            Some((.., count)) => *count = count.saturating_add(1),
            None => met.push((&place.reason, place.operation, 1)),
        }
    }
    met.into_iter()
        .map(|(reason, place, count)| {
            Finding::new(&ANALYSIS_LIMIT, place, limit_words(reason, body, count))
        })
        .collect()
}

/// The finding for a function or item at a place that takes longer than a file may.
pub fn beyond_time(db: &dyn Db, place: Span) -> Finding {
    let words = format!(
        "the analysis of `{}` takes longer than a file may: what comes here is not checked",
        text_at_span(db, place)
    );
    Finding::new(&ANALYSIS_LIMIT, place, words)
}

fn limit_words(reason: &UnresolvedReason, body: &Body, count: u64) -> String {
    let rest = match count {
        1 => "what comes here is not checked".to_owned(),
        _ => format!(
            "{} operations from here on are not checked",
            thousands(count)
        ),
    };
    let number = |number: usize| thousands(u64::try_from(number).unwrap_or(u64::MAX));
    match reason {
        UnresolvedReason::LongLoop(Some(runs)) => format!(
            "the loop runs {} times, and its runs differ: the first two and the last one are checked, {} are not",
            thousands(*runs),
            thousands(runs.saturating_sub(3))
        ),
        UnresolvedReason::LongLoop(None) => {
            "the loop runs longer than it is followed: the runs after that are not checked"
                .to_owned()
        }
        UnresolvedReason::TooDeep("helpers") => format!(
            "more than {} helpers call each other: {rest}",
            number(CALL_DEPTH)
        ),
        UnresolvedReason::TooDeep(_) => {
            format!("more than {EXPRESSION_DEPTH} expressions are in each other: {rest}")
        }
        _ => format!(
            "the analysis of `{}` ends after {} operations: {rest}",
            body.name,
            number(body.operations.len())
        ),
    }
}

fn unresolved_finding(db: &dyn Db, place: &Unresolved) -> Finding {
    let message = format!(
        "`{}` is not checked: {}",
        text_at_span(db, place.operation),
        place.reason.reason_text()
    );
    let finding = Finding::new(&UNRESOLVED_OPERATION, place.operation, message);
    if place.span == place.operation {
        finding
    } else {
        finding.related(place.span, "this could not be resolved")
    }
}

/// The text of a place as reports name it: a line at most.
pub fn text_at_span(db: &dyn Db, span: Span) -> String {
    let text = item_text(db, span.item);
    let text = text.text.get(span.start as usize..span.end as usize);
    let line = text.unwrap_or_default().lines().next().unwrap_or_default();
    match line.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or(line)),
        None => line.to_owned(),
    }
}
