//! Shapes of both ends: permutations, results, element counts.

use super::edits::{fix_of_edits, replace_edit};
use super::releases::{Since, refused_since};
use super::{Context, Found};
use crate::names::Api;
use crate::symbols::{Size, same_product};
use crate::transfers::{End, Kind, Transfer, Written, axes_of_rank};
use crate::types::{Space, shape_text};
use visa_findings::{Applicability, Finding, Rule, rule};

/// See the declaration.
pub static TRANSPOSE_AXES: Rule = rule!(
    Nki: "nki_transpose_axes", Hardware, "derived",
    "a permutation that a transpose by DMA does not make",
    "A transpose exchanges the first axis and the last. Its order is (1, 0), (2, 1, 0) or (3, 1, 2, 0), by the number \
     of axes of the source. Make other permutations by reshaping first, or on the Tensor Engine.",
    fix
);

/// See the declaration.
pub static TRANSPOSE_RESULT: Rule = rule!(
    Nki: "nki_transpose_result", Hardware, "derived",
    "the destination of a transpose does not have the permuted shape",
    "The element at (i, j) goes to (j, i). A destination of another shape has no place for it. \
     Declare the destination with the axes of the source in the order of the permutation.",
    fix
);

/// See the declaration.
pub static TRANSPOSE_RANK: Rule = rule!(
    Nki: "nki_transpose_rank", Toolchain, "derived",
    "source and destination of a transpose have different numbers of axes",
    "Releases before 0.4 took a destination with the same number of elements in other axes. Give both ends the same \
     axes by `reshape`. The bytes stay where they are; only the shape changes."
);

/// See the declaration.
pub static TRANSPOSE_DESTINATION: Rule = rule!(
    Nki: "nki_transpose_destination", Hardware, "derived",
    "a transpose by DMA whose destination is not in SBUF",
    "The transposing DMA writes partitions of SBUF. Copy from there to HBM or PSUM. \
     Allocate the destination with `buffer=nl.sbuf`, and store it by a copy where it is needed elsewhere."
);

/// See the declaration.
pub static COPY_SIZE: Rule = rule!(
    Nki: "nki_copy_size", Hardware, "derived",
    "source and destination of a copy have different numbers of elements",
    "A copy reads one element for each element that it writes. The shapes may differ, the numbers of elements may \
     not: bytes would be read past the source or stay unwritten in the destination. Slice the larger of the two."
);

/// Looks at a transfer.
pub fn check_shapes(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    match transfer.kind {
        Kind::Transpose => {
            let is_legal = check_axes(transfer, found);
            if is_legal {
                check_result(transfer, context, found);
            }
            check_destination(transfer, found);
        }
        Kind::Copy => check_copy(transfer, found),
        // A tile of fewer elements may be repeated.
        Kind::Store if !may_repeat(transfer) => check_copy(transfer, found),
        Kind::Store | Kind::Load | Kind::Compute => {}
    }
}

/// Whether the source of a store has axes of one position that may be stretched, or too few axes, or may have.
fn may_repeat(transfer: &Transfer) -> bool {
    let extents = |end: &End| end.tensor.shape.known_extents().map(<[Size]>::to_vec);
    let ends = extents(&transfer.source).zip(extents(&transfer.destination));
    ends.is_none_or(|(from, to)| {
        from.len() != to.len()
            || from
                .iter()
                .any(|extent| extent.value().is_none_or(|one| one == 1))
    })
}

fn axes_text(axes: &[i64]) -> String {
    let words: Vec<String> = axes.iter().map(i64::to_string).collect();
    format!("({})", words.join(", "))
}

/// Whether the permutation is one that is taken, as far as is known.
fn check_axes(transfer: &Transfer, found: &mut Vec<Found>) -> bool {
    let Some((stated, written)) = &transfer.axes else {
        return true;
    };
    let rank = transfer
        .source
        .tensor
        .shape
        .known_extents()
        .map(<[Size]>::len);
    let wanted = axes_of_rank(rank.unwrap_or(stated.len()));
    if wanted == Some(stated.as_slice()) {
        return true;
    }
    let message = match rank {
        Some(rank) if rank != stated.len() => {
            format!("axes {} of a source with {rank} axes", axes_text(stated))
        }
        _ => format!(
            "axes {}: a transpose swaps the first and the last axis",
            axes_text(stated)
        ),
    };
    let mut finding = Finding::new(&TRANSPOSE_AXES, written.value.into(), message);
    if let Some(wanted) = wanted {
        let text = axes_text(wanted);
        finding = finding.note(format!("with {} axes it is {text}", wanted.len()));
        let source = transfer.source.tensor.shape.known_extents();
        let fits = source
            .zip(transfer.destination.tensor.shape.known_extents())
            .map(|(from, to)| {
                from.len() == to.len()
                    && wanted.iter().zip(to).all(|(axis, extent)| {
                        let axis = usize::try_from(*axis).unwrap_or_default();
                        from.get(axis).and_then(|from| from.is_equal(extent)) == Some(true)
                    })
            });
        let applicability = if fits == Some(true) {
            Applicability::Machine
        } else {
            Applicability::Maybe
        };
        finding.fixes.push(fix_of_edits(
            applicability,
            format!("Write `{text}`"),
            vec![replace_edit(written.value, text)],
        ));
    } else {
        finding = finding.note("axes are (1, 0), (2, 1, 0) or (3, 1, 2, 0)");
    }
    found.push(finding);
    false
}

fn check_result(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    let (source, destination) = (&transfer.source.tensor, &transfer.destination.tensor);
    let (Some(from), Some(to), Some(at)) = (
        source.shape.known_extents(),
        destination.shape.known_extents(),
        transfer.destination.written,
    ) else {
        return;
    };
    let Some(permuted) = transfer.permuted() else {
        return;
    };
    let counts_agree = same_product(from, to);
    if from.len() != to.len() && counts_agree != Some(false) {
        check_ranks(transfer, context, at, counts_agree, found);
        return;
    }
    let differs = from.len() != to.len()
        || permuted
            .iter()
            .zip(to)
            .any(|(one, other)| one.is_equal(other) == Some(false));
    if !differs {
        return;
    }
    let wanted = shape_text(&permuted);
    let mut finding = Finding::new(
        &TRANSPOSE_RESULT,
        at.value.into(),
        format!(
            "{} transposed is {wanted}; the destination is {}",
            shape_text(from),
            shape_text(to)
        ),
    );
    if let Some(declared) = destination.shape_span.filter(|_| !destination.is_view) {
        finding = finding.related(declared.into(), "its shape is stated here");
        let written = permuted.iter().all(|extent| extent.value().is_some());
        if written {
            // What else uses the tensor may ask for the other shape.
            finding.fixes.push(fix_of_edits(
                Applicability::Maybe,
                format!("Declare the destination as `{wanted}`"),
                vec![replace_edit(declared, wanted)],
            ));
        }
    }
    found.push(finding);
}

fn check_ranks(
    transfer: &Transfer,
    context: &Context<'_>,
    at: Written,
    counts_agree: Option<bool>,
    found: &mut Vec<Found>,
) {
    let (Some(true), Api::Current) = (counts_agree, transfer.api) else {
        return;
    };
    let (Some(from), Some(to)) = (
        transfer.source.tensor.shape.known_extents(),
        transfer.destination.tensor.shape.known_extents(),
    ) else {
        return;
    };
    if let Some(refused) = refused_since(Since(0, 4), context.release) {
        found.push(
            Finding::new(
                &TRANSPOSE_RANK,
                at.value.into(),
                format!(
                    "a transpose of {} into {}: {} axes and {}, which {refused}",
                    shape_text(from),
                    shape_text(to),
                    from.len(),
                    to.len()
                ),
            )
            .help("`reshape` one of them to the axes of the other"),
        );
    }
}

fn check_destination(transfer: &Transfer, found: &mut Vec<Found>) {
    if let (Some(space @ (Space::Hbm | Space::Psum)), Some(at)) = (
        transfer.destination.tensor.space,
        transfer.destination.written,
    ) {
        found.push(
            Finding::new(
                &TRANSPOSE_DESTINATION,
                at.value.into(),
                format!(
                    "a transpose by DMA into {}: it writes to SBUF only",
                    space.name()
                ),
            )
            .help("transpose into SBUF, then copy"),
        );
    }
}

fn check_copy(transfer: &Transfer, found: &mut Vec<Found>) {
    let ends = [&transfer.source, &transfer.destination];
    // An argument may have more axes than are cut, and the other end as many.
    let assumes_axes = ends.iter().any(|end| end.tensor.has_assumed_axes);
    let [from, to] = ends.map(|end| end.tensor.shape.known_extents().map(<[Size]>::len));
    if assumes_axes && from != to {
        return;
    }
    // Rows that an index in brackets chooses: how the other indices go with it is not stated.
    if ends.iter().any(|end| {
        end.tensor
            .gather
            .as_ref()
            .is_some_and(|gather| !gather.by_offset)
    }) {
        return;
    }
    let (Some(from), Some(to)) = (
        transfer.source.tensor.shape.known_extents(),
        transfer.destination.tensor.shape.known_extents(),
    ) else {
        return;
    };
    if same_product(from, to) != Some(false) {
        return;
    }
    let count = |end: &End| {
        end.tensor
            .elements()
            .map_or_else(String::new, |count| count.to_string())
    };
    let mut finding = Finding::new(
        &COPY_SIZE,
        transfer.callee.into(),
        format!(
            "a copy of {} elements, {}, into {}, {}",
            count(&transfer.source),
            shape_text(from),
            count(&transfer.destination),
            shape_text(to)
        ),
    );
    for (end, what) in [
        (&transfer.source, "read here"),
        (&transfer.destination, "written here"),
    ] {
        if let Some(written) = end.written {
            finding = finding.related(
                written.value.into(),
                format!("{} elements are {what}", count(end)),
            );
        }
    }
    found.push(finding);
}
