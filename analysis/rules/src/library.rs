//! Rules of the group "toolchain": what the machine takes and the named release of the library does not.

use crate::derivation::library::{LibraryLimit, LibraryLimitKind, TransposeRows, Unimplemented};
use crate::hardware::{Function, VectorOperation};
use crate::items::{MappingRemarkKind, MappingSite, Span};
use crate::kernel::Level;
use crate::kernel::dialect::{Access, Action, Dialect};

use super::wording::{mapping_macro_text, selection_text};
use super::{Alternative, Checked, Finding, Rule, rule};

pub(crate) static LIBRARY_LIMIT: Rule = rule!(
    "library_limit",
    Toolchain,
    Library,
    "library",
    "a form that the hardware takes and this release of the library refuses",
    "The library runs a kernel's body on the host as well, and each of its methods first checks the mappings that it \
     is given. Some of these checks are narrower than the engine. They refuse padding that a commit could write, a \
     ring that is larger than necessary, copies without a name, and rows of a transpose from several axes. Some \
     operations have no body at all. The kernel is legal, but its test stops with a panic, or its macro does not \
     expand. Another spelling of the same, or another release, gets it through.";
    holds: Holds::BOOK,
    instead: &["stage_unimplemented"],
    refused: Refusal::BY_LIBRARIES,
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[&LIBRARY_LIMIT];

/// Turns what the library refuses of a body into findings.
pub(super) fn check_library(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let library = checked.body.library();
    let limits = checked.derivation().library.iter();
    findings.extend(limits.map(|limit| to_finding(library, limit)));
}

/// Bare numbers in the mappings of an item.
pub(super) fn check_sites(library: Dialect, sites: &[MappingSite]) -> Vec<Finding> {
    let remarks = sites.iter().flat_map(|site| &site.remarks);
    remarks
        .filter_map(|remark| match remark.kind {
            MappingRemarkKind::BareNumber(count) => Some(word_number(library, count, remark.span)),
            MappingRemarkKind::Redundant { .. } | MappingRemarkKind::Unmerged { .. } => None,
        })
        .collect()
}

fn library_limit_finding(library: Dialect, span: Span, fact: &str, refusal: &str) -> Finding {
    let release = library.edition();
    Finding::new(&LIBRARY_LIMIT, span, format!("{fact}; {release} {refusal}"))
}

fn word_number(library: Dialect, count: u64, span: Span) -> Finding {
    library_limit_finding(
        library,
        span,
        &format!("`{count}` stands for {count} positions without an axis"),
        "expands `m!` with no other number than `1`",
    )
    .help("declare an axis for copies, or write padding where the positions hold nothing")
    .alternatives(
        "declare an axis for copies, or write, where the positions hold nothing, ",
        [Alternative::text(span, format!("1 # {count}"))],
    )
}

/// Words why the library does not find the rows of a transpose.
fn word_rows(library: Dialect, span: Span, rows: &TransposeRows) -> Finding {
    match rows {
        TransposeRows::NoAxis => library_limit_finding(
            library,
            span,
            "the transpose turns a single row",
            "looks for an axis of two rows at least and panics",
        )
        .help(
            "leave the transpose out and fetch the elements one by one, or turn rows of an axis of two or more",
        ),
        TransposeRows::Bits { rows, bits } => library_limit_finding(
            library,
            span,
            &format!("a column of {rows} rows takes {bits} bits"),
            "counts whole bytes and panics",
        )
        .help("declare an axis of one row more"),
        TransposeRows::Parts { parts, packets } => {
            let what = if *packets {
                "the packets of a row are"
            } else {
                "the rows are"
            };
            library_limit_finding(
                library,
                span,
                &format!("{what} of several parts, `{}`", mapping_macro_text(parts)),
                "takes the outermost part for all of them and panics",
            )
            .help("declare one axis in place of the parts, or turn one part at a time")
        }
        TransposeRows::Elsewhere { rows, time } => library_limit_finding(
            library,
            span,
            &format!(
                "the iterations `{}` hold the rows `{}` with padding, or in pieces",
                mapping_macro_text(time),
                mapping_macro_text(rows)
            ),
            "looks for them in one piece without padding",
        )
        .help("declare an axis as large as the padded rows"),
    }
}

/// Words what the release has no body for.
fn word_unimplemented(library: Dialect, span: Span, what: &Unimplemented) -> Finding {
    let called = |does: Action| library.method_that(does).map_or("", |method| method.name);
    let (fact, help) = match what {
        Unimplemented::Gather(method) => (
            format!("`{method}` reads rows by indices"),
            format!(
                "no other method gathers: load the table whole, or rows known beforehand by `{}().{}::<..>(start)`",
                called(Action::View(Access::Shared)),
                called(Action::Tile(Level::Element))
            ),
        ),
        Unimplemented::Shuffle(method, level) => (
            match level {
                Level::Chip => format!("`{method}` moves tensors between the chips' memories"),
                _ => format!("`{method}` moves tensors between the clusters"),
            },
            format!(
                "load the tensor, shuffle it by `{}`, and store it",
                called(Action::Shuffle(*level))
            ),
        ),
        Unimplemented::Stage(method) => (
            format!("`{method}` leaves out flits by their branch"),
            "let all flits through, and leave out in a later transfer what is not wanted"
                .to_owned(),
        ),
        Unimplemented::BranchMode(mode) => (
            format!(
                "`{}::{mode}` is a branch mode of the Vector Engine",
                library.words.branch_type
            ),
            modes_with_body(library),
        ),
        Unimplemented::Operation(operation) => (
            operation_words(library, operation),
            instead_of(library, operation),
        ),
    };
    let refusal = "names it without a body: a run of the kernel panics there";
    library_limit_finding(library, span, &fact, refusal).help(help)
}

fn modes_with_body(library: Dialect) -> String {
    let modes = library.words.modes_with_body().into_iter();
    let modes: Vec<String> = modes.map(|mode| format!("`{mode}`")).collect();
    let listed = match modes.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => modes.concat(),
    };
    format!("{listed} have bodies")
}

fn operation_words(library: Dialect, operation: &'static VectorOperation) -> String {
    let named = library.operations().name_of(operation);
    let name = named.map_or_else(String::new, |named| {
        format!("{}::{}", named.enumeration, named.variant)
    });
    let alu = operation.alu;
    let of = alu.map_or_else(String::new, |alu| format!(" of the ALU {}", alu.name()));
    format!("`{name}` is an operation{of}")
}

/// What computes the same, or nearly so.
fn instead_of(library: Dialect, operation: &VectorOperation) -> String {
    let variant = |function| library.operations().variant(operation.group, function);
    match operation.function {
        Function::ShiftRightRounded => format!(
            "add half of the last bit that stays by `{}` (`1 << (n - 1)` for a shift by `n`), and shift by `{}`",
            variant(Function::Add),
            variant(Function::ShiftRightSigned)
        ),
        Function::Erf => format!(
            "`{}` comes near: `erf(x)` is about `tanh(1.128 x + 0.101 x^3)`",
            variant(Function::Tanh)
        ),
        Function::MaskedMultiply => format!(
            "multiply by `{}` with an operand of ones and zeros",
            variant(Function::Multiply)
        ),
        _ => format!(
            "use `{}`, with operands that hold zeros where nothing is to be added",
            variant(Function::MultiplyAdd)
        ),
    }
}

fn to_finding(library: Dialect, limit: &LibraryLimit) -> Finding {
    let finding =
        |fact: &str, refusal: &str| library_limit_finding(library, limit.span, fact, refusal);
    let worded = match &limit.kind {
        LibraryLimitKind::CommitPadding {
            positions,
            time,
            packet,
        } => finding(
            &format!(
                "the element has {positions} positions for {time} packets of {packet} committed elements: it pads between them"
            ),
            "takes an element of just as many packets, with padding after each packet alone",
        )
        .help(
            "commit without that padding and add it in the next transfer, or pad the packet before it is committed",
        ),
        LibraryLimitKind::CommitPacket { found, packet } => finding(
            &format!(
                "the element takes the packet `{}` apart: innermost is `{}`",
                mapping_macro_text(packet),
                mapping_macro_text(found)
            ),
            "takes only an element with the packet innermost, in its own order",
        )
        .help("order the stream by its fetch, or reorder in the next transfer"),
        LibraryLimitKind::Truncation { axis } => finding(
            &format!("only a part of `{axis}` arrives in the target"),
            "moves whole tensors: a resize in the target makes the move panic",
        )
        .help("read a tile of the source instead"),
        LibraryLimitKind::Repetition { axis, parts } => {
            let [fine, coarse] = parts.map(selection_text);
            finding(
                &format!(
                    "the source selects `{axis}` twice ({fine} and {coarse}), and the target holds it once"
                ),
                "looks for every selection of an axis in the target and panics at the one that it does not find",
            )
            .help(format!(
                "select each digit of `{axis}` once in the source, or declare another axis for the second selection"
            ))
        }
        LibraryLimitKind::AlignTiling { tiling } => finding(
            &format!(
                "each pair of collected flits is repeated {tiling} times, so the second flit is inside the repetition"
            ),
            "takes repetitions only inside of all collected flits",
        )
        .help("align one collected flit, zero-padded, or repeat the packet in the fetch"),
        LibraryLimitKind::AccumulatedPadding { live } => finding(
            &format!("the output time keeps padding of the contracted packet after its {live} columns of data"),
            "takes the packet without its padding",
        )
        .help("leave the padding out of the output time, and pad in the commit"),
        LibraryLimitKind::RingSize { ring_size, least } => finding(
            &format!("the ring has {ring_size} slices, and the exchange needs {least}"),
            "takes only the smallest valid ring",
        )
        .help("use the smallest valid ring"),
        LibraryLimitKind::RingCopies { axis, padded: true } => finding(
            &format!("the copies `{axis}` are padded in the output slice"),
            "takes a broadcast axis without padding",
        )
        .help("declare an axis as large as the padded copies"),
        LibraryLimitKind::RingCopies { axis, padded: false } => finding(
            &format!("the copies `{axis}` are in several parts of the output slice"),
            "takes each broadcast axis in one piece",
        )
        .help("declare one axis for each part"),
        LibraryLimitKind::PairLanes => finding(
            "two groups can be trimmed and padded like a single stream",
            "has this method on a single stream only",
        )
        .help("split and concatenate the pair, or trim after the zip"),
        LibraryLimitKind::TernaryAfterConversion => finding(
            "the stream came in as i32 and was converted to f32",
            "compares every ternary operation with the type that came in, stash or none, and panics",
        )
        .help("convert in the fetch, or use two binary operations"),
        LibraryLimitKind::PartialReduction { axis } => finding(
            &format!("a part of `{axis}` is reduced across slices and the rest of it stays"),
            "reduces whole axes only",
        )
        .help(format!("declare the two parts of `{axis}` as axes of their own")),
        LibraryLimitKind::TransposeRows(rows) => word_rows(library, limit.span, rows),
        LibraryLimitKind::IntegerBits { bits } => finding(
            &format!("the conversion is given an integer part of {bits} bits"),
            "takes fewer than 32 and panics",
        )
        .help("leave one bit for the sign"),
        LibraryLimitKind::ScatterAxis => finding(
            "the target of the scatter has no axis for its one index, only the row",
            "looks for such an axis and panics",
        )
        .help("give the target an axis that the indices count"),
        LibraryLimitKind::AlwaysOperands { operands } => finding(
            &format!("{operands} operands are there for all branches"),
            "takes at most one such operand and panics",
        )
        .help("give each operand the group that it is for"),
        LibraryLimitKind::Unimplemented(what) => word_unimplemented(library, limit.span, what),
        LibraryLimitKind::Reshape { before, after } => finding(
            &format!("the reshape makes {after} factors of {before}"),
            "reshapes only between mappings of as many factors",
        )
        .help("spell both mappings with as many factors, or move the tensor"),
    };
    if limit.method == limit.span {
        worded
    } else {
        worded.related(limit.method, "the library stops here")
    }
}
