//! Judgement of NKI kernels: each rule is declared beside the check that words it.
//!
//! Checks read what `values` found and compare; they derive nothing. A check is silent where a value is unknown.

mod allocations;
mod compute;
mod edits;
mod indirect;
mod lifetimes;
pub mod machine;
mod modes;
mod older;
mod performance;
mod releases;
mod shapes;
mod style;
mod syntax;
mod transpose;

pub use modes::legal_modes;

use rustc_hash::{FxHashMap, FxHashSet};

use super::syntax::SyntaxError;
use super::syntax::remarks::Remarks;
use super::transfers::Transfer;
use super::types::Span;
use super::values::{Followed, Instruction};
use visa_findings::{Finding, Group, Level, Rule, TextSpan};

/// A finding in a file.
pub type Found = Finding<TextSpan>;

/// What checks read.
pub struct Context<'a> {
    /// The file's text.
    pub text: &'a str,
    /// Its comments.
    pub remarks: &'a Remarks,
    /// What following it found.
    pub followed: &'a Followed,
    /// What does not parse.
    pub errors: &'a [SyntaxError],
    /// The release that the kernels are for, if that is said: `(0, 6)`.
    pub release: Option<(u16, u16)>,
    /// The first instruction of the GpSimd Engine in each loop that has one, loops in it included.
    pub on_gpsimd: FxHashMap<usize, &'a Instruction>,
}

impl Context<'_> {
    /// The first instruction of the GpSimd Engine in each loop that has one.
    pub fn on_gpsimd(followed: &Followed) -> FxHashMap<usize, &Instruction> {
        let mut first = FxHashMap::default();
        for instruction in &followed.gpsimd {
            let mut within = instruction.within;
            while let Some(place) = within {
                // Where a loop has one, those around it have one too.
                if first.contains_key(&place) {
                    break;
                }
                first.insert(place, instruction);
                within = followed.loops.get(place).and_then(|inner| inner.within);
            }
        }
        first
    }
}

impl From<Span> for TextSpan {
    fn from(span: Span) -> Self {
        Self::new(span.start, span.end)
    }
}

/// All rules, in the catalogue's order.
pub const RULES: &[&Rule] = &[
    &syntax::SYNTAX,
    &syntax::UNKNOWN_MEMBER,
    &modes::HWDGE_ENGINE,
    &modes::ENGINE_IGNORED,
    &modes::ENGINE_WITHOUT_MODE,
    &modes::HWDGE_TARGET,
    &indirect::INDIRECT_MODE,
    &indirect::INDIRECT_TARGET,
    &modes::DYNAMIC_DESCRIPTOR,
    &indirect::INDIRECT_MEMORY,
    &indirect::INDEX_MEMORY,
    &indirect::INDEX_DTYPE,
    &indirect::INDEX_SHAPE,
    &indirect::INDIRECT_SHAPE,
    &transpose::TRANSPOSE_DTYPE,
    &transpose::TRANSPOSE_SHAPE,
    &transpose::TRANSPOSE_SHAPE_VERSION,
    &transpose::TRANSPOSE_MODE,
    &transpose::TRANSPOSE_MODE_VERSION,
    &transpose::FOUR_AXES,
    &shapes::TRANSPOSE_AXES,
    &shapes::TRANSPOSE_RESULT,
    &shapes::TRANSPOSE_RANK,
    &shapes::TRANSPOSE_DESTINATION,
    &shapes::COPY_SIZE,
    &releases::HWDGE_DTYPE,
    &releases::PSUM_SOURCE,
    &releases::REMOVED_PARAMETER,
    &older::OLDER_FORM,
    &older::REMOVED_FORM,
    &indirect::OOB_DIRECT,
    &indirect::OOB_ABORT,
    &indirect::OFFSETS_EXCLUSIVE,
    &indirect::COLUMN_OFFSET,
    &modes::PRIORITY,
    &allocations::PARTITION_LIMIT,
    &allocations::PARTITION_BYTES,
    &lifetimes::NEEDED_AT_ONCE,
    &lifetimes::FIXED_ADDRESS,
    &compute::COMPUTE_OPERATION,
    &compute::COMPUTE_SOURCES,
    &performance::SBUF_COPY,
    &performance::SMALL_PAYLOAD_RULE,
    &performance::HWDGE_OVERHEAD,
    &performance::DESCRIPTOR_COUNT,
    &performance::GPSIMD_CONTENTION,
    &style::FORCED_MODE,
    &style::UNNAMED_DMA,
];

/// All findings, of which those that are not there without the descriptions of arguments are no proof: a description may be out of
/// date.
pub fn with_doubtful(mut proven: Vec<Found>, described: Vec<Found>) -> Vec<Found> {
    let known: FxHashSet<_> = proven
        .iter()
        .map(|finding| (finding.rule.name, finding.span))
        .collect();
    for mut finding in described {
        if known.contains(&(finding.rule.name, finding.span)) {
            continue;
        }
        if finding.rule.default_level() == Level::Deny {
            finding.group = Some(Group::Suspicious);
            finding.notes.push(
                "a comment or docstring states the shape of the argument, and may be out of date"
                    .to_owned(),
            );
        }
        proven.push(finding);
    }
    proven
}

/// A check of one transfer.
type Check = fn(&Transfer, &Context<'_>, &mut Vec<Found>);

const CHECKS: &[Check] = &[
    modes::check_modes,
    indirect::check_indirect,
    transpose::check_transpose,
    shapes::check_shapes,
    releases::check_releases,
    compute::check_compute,
    performance::check_performance,
    style::check_style,
];

/// The checks of `nl.load` and `nl.store`: they have no modes, engines and names.
const CHECKS_OF_LANGUAGE: &[Check] = &[shapes::check_shapes, performance::check_performance];

/// The findings of all rules in a file, each place and rule once.
pub fn check_file(context: &Context<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    syntax::check_syntax(context, &mut found);
    allocations::check_allocations(context, &mut found);
    lifetimes::check_lifetimes(context, &mut found);
    older::check_older(context, &mut found);
    for transfer in &context.followed.transfers {
        // What an argument that is not seen gives, no rule knows; and code that no generation runs is none.
        if transfer.generations.is_none() {
            continue;
        }
        let checks = if transfer.kind.is_of_language() {
            CHECKS_OF_LANGUAGE
        } else {
            CHECKS
        };
        for check in checks {
            check(transfer, context, &mut found);
        }
    }
    if found.len() > 1 {
        let mut seen = FxHashSet::default();
        found.retain(|finding| seen.insert((finding.rule, finding.span)));
    }
    found
}
