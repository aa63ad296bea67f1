//! The rules about PTO: what is derived becomes findings with words, numbers and fixes. Each rule is declared once, beside its check.
//!
//! A rule is silent where a value is not known. One at deny fires on what holds in every reading of the sources.

mod event_paths;
mod events;
mod fields;
mod nests;
mod packed_rows;
mod padding;
mod registers;
mod rows;
mod text;
mod tiles;
mod unsynchronised;
mod writing;

use rustc_hash::FxHashSet;

use super::analysis::Analysis;
pub(super) use events::FlagKey;
use events::flags_of;
use visa_findings::{Finding, Rule, TextSpan};
pub(super) use writing::{Change, Constants};

/// A finding in a PTO file.
type Found = Finding<TextSpan>;

/// All rules, in the catalogue's order.
pub(crate) const RULES: &[&Rule] = &[
    &text::PTO_SYNTAX,
    &text::PTO_OPERANDS,
    &text::PTO_UNKNOWN_VALUE,
    &fields::PTO_DIRECTION,
    &fields::PTO_ELEMENT_WIDTH,
    &fields::PTO_FIELD_WIDTH,
    &fields::PTO_FIELD_NARROW,
    &fields::PTO_ADDRESS_ALIGNMENT,
    &rows::PTO_STRIDE_ALIGNMENT,
    &rows::PTO_UB_BOUNDS,
    &rows::PTO_ROWS_OVERLAP,
    &rows::PTO_SOURCE_ROWS_OVERLAP,
    &registers::PTO_LOOP_STRIDE_UNSET,
    &registers::PTO_LOOP_REGISTERS_UNSET,
    &registers::PTO_LOOP_REGISTERS_STALE,
    &registers::PTO_LOOP_DIRECTION,
    &registers::PTO_LOOP_COUNT_ORDER,
    &padding::PTO_PAD_VALUE_UNSET,
    &padding::PTO_PADDING_DISABLED,
    &padding::PTO_ROW_TAIL,
    &padding::PTO_PAD_TYPE,
    &fields::PTO_RESERVED_FIELD,
    &fields::PTO_ZERO_COUNT,
    &fields::PTO_ELEMENT_SPLIT,
    &rows::PTO_UB_COPY_OVERLAP,
    &tiles::PTO_TILE_ALIGNMENT,
    &tiles::PTO_TILE_SIZE,
    &tiles::PTO_VIEW_BOUNDS,
    &unsynchronised::PTO_STORE_ORDER,
    &unsynchronised::PTO_UNSYNCHRONISED,
    &events::PTO_EVENT_NEVER_SET,
    &events::PTO_EVENT_NEVER_AWAITED,
    &event_paths::PTO_EVENT_SOME_PATHS,
    &events::PTO_EVENT_REUSED,
    &events::PTO_EVENT_ID,
    &events::PTO_UNKNOWN_PIPE,
    &nests::PTO_LOOP_COLLAPSIBLE,
    &nests::PTO_SOFTWARE_LOOP,
    &nests::PTO_BURSTS_MERGEABLE,
    &nests::PTO_SMALL_TRANSFER,
    &fields::PTO_STREAM_ID,
];

/// What a check reads, and where its findings go.
struct Check<'a> {
    analysis: &'a Analysis,
    constants: Constants,
    /// The flags that the part sets and awaits.
    flags: FxHashSet<FlagKey>,
    found: Vec<Found>,
    unanswered: Vec<(FlagKey, Found)>,
}

impl Check<'_> {
    fn report(&mut self, finding: Found) {
        self.found.push(finding);
    }
}

/// What the rules find in a part of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Checked {
    /// What holds whatever the rest of the file is; each place and rule once, in the order of their places.
    pub(super) findings: Vec<Found>,
    /// What holds unless another part of the file has this flag.
    pub(super) unanswered: Vec<(FlagKey, Found)>,
    /// The flags that the part sets and awaits.
    pub(super) flags: FxHashSet<FlagKey>,
}

/// What the rules find in a file that is looked at as one part.
#[cfg(test)]
pub(super) fn check_analysis(analysis: &Analysis) -> Vec<Found> {
    let checked = check_part(analysis);
    let mut found = checked.findings;
    found.extend(checked.unanswered.into_iter().map(|(_, finding)| finding));
    found.sort_by_key(|finding| (finding.span, finding.rule));
    found
}

/// What the rules find in a part of a file.
pub(super) fn check_part(analysis: &Analysis) -> Checked {
    let mut check = Check {
        analysis,
        constants: Constants::default(),
        flags: flags_of(analysis),
        found: Vec::new(),
        unanswered: Vec::new(),
    };
    text::check_text(&mut check);
    for (function, facts) in analysis.functions() {
        for derived in &facts.derived {
            fields::check_fields(&mut check, function, derived);
            padding::check_padding(&mut check, function, derived);
            rows::check_rows(&mut check, function, facts, derived);
            nests::check_nests(&mut check, function, derived);
            registers::check_copy(&mut check, function, derived);
        }
        tiles::check_tiles(&mut check, function);
        fields::check_registers(&mut check, function);
        padding::check_registers(&mut check, function);
        registers::check_function_registers(&mut check, function, facts);
        events::check_events(&mut check, function, facts);
        event_paths::check_event_paths(&mut check, function, facts);
        unsynchronised::check_unsynchronised(&mut check, function, facts);
    }
    let mut findings = check.found;
    if findings.len() > 1 {
        let mut seen = FxHashSet::default();
        findings.retain(|finding| seen.insert((finding.rule, finding.span)));
        findings.sort_by_key(|finding| (finding.span, finding.rule));
    }
    Checked {
        findings,
        unanswered: check.unanswered,
        flags: check.flags,
    }
}
