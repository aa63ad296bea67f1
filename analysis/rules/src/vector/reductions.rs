//! Words for what the reductions inside a slice and across slices cannot do.

use crate::alternatives::mappings_alternative;
use crate::derivation::vector::{ACCUMULATOR_SLOTS, InterFault, Mismatch};
use crate::items::Span;
use crate::kernel::catalogue::{CanonicalStage, Generic};
use crate::kernel::dialect::Dialect;
use crate::kernel::{Level, Stage, VectorStage};
use crate::mapping::Mapping;
use crate::vector::declarations::{
    INTER_REDUCE_MAPPING, INTER_REDUCE_STAGE, INTRA_REDUCE_MAPPING, INTRA_REDUCE_SLOTS,
    REDUCE_PADDING,
};

use super::super::wording::{differing, mapping_macro_text, propose_mappings, quoted_names};
use super::super::{Alternative, Applicability, Finding, levels};
use super::shape_words::{widen_before, word_shape};

pub(super) fn intra_mapping(
    span: Span,
    stage: &Stage,
    axis: &str,
    (mismatches, mixed): (&[Mismatch], &[String]),
) -> Finding {
    if mixed.is_empty() {
        let finding = word_shape(&INTRA_REDUCE_MAPPING, span, stage, mismatches);
        return finding.note(format!(
            "the reduce takes every part of `{axis}` out of time and packet"
        ));
    }
    Finding::new(
        &INTRA_REDUCE_MAPPING,
        span,
        format!(
            "{} shares the four lanes with `{axis}`; the tree folds all of them into one value",
            quoted_names(mixed)
        ),
    )
    .related(stage.span, format!("`{axis}` is reduced here"))
    .help(format!(
        "keep {} out of the packet: in time or in the slice",
        quoted_names(mixed)
    ))
}

pub(super) fn word_padded(span: Span, stage: &Stage, axis: &str, part: &Mapping) -> Finding {
    Finding::new(
        &REDUCE_PADDING,
        span,
        format!(
            "`{}` has padding, and the reduction over `{axis}` takes it in",
            mapping_macro_text(part)
        ),
    )
    .related(stage.span, format!("`{axis}` is reduced here"))
    .help(format!(
        "reduce `{axis}` without padding, or fill the padding with what does not count and declare an axis of the padded size"
    ))
}

pub(super) fn intra_slots(
    span: Span,
    stage: &Stage,
    axis: &str,
    (slots, inner, reordered): (u64, &[Mapping], Option<&Mapping>),
) -> Finding {
    let factors: Vec<String> = inner
        .iter()
        .map(|factor| format!("`{factor}` ({})", factor.size()))
        .collect();
    let finding = Finding::new(
        &INTRA_REDUCE_SLOTS,
        span,
        format!(
            "the reduce over `{axis}` needs {slots} accumulator slots; there are {ACCUMULATOR_SLOTS}"
        ),
    )
    .note(format!("inside the outermost `{axis}` in time: {}", factors.join(" * ")))
    .related(stage.span, format!("`{axis}` is reduced here"));
    match reordered {
        Some(_) => finding.help(format!(
            "go through `{axis}` innermost in time: then no sum waits for another"
        )),
        None => finding,
    }
}

pub(super) fn inter_stage(
    library: Dialect,
    span: Span,
    from: VectorStage,
    earlier: Option<Span>,
) -> Finding {
    let again = earlier.is_some() || from == VectorStage::InterSliceReduce;
    let message = if again {
        "a pass reduces across slices once".to_owned()
    } else {
        format!(
            "{} has four lanes; the inter-slice block takes flits of eight",
            from.name()
        )
    };
    let help = if again {
        "run the second reduction in a second pass".to_owned()
    } else {
        widen_before(library)
    };
    let finding = Finding::new(&INTER_REDUCE_STAGE, span, message).help(help);
    match earlier {
        Some(earlier) => finding.related(earlier, "the first reduction is here"),
        None => finding,
    }
}

/// The vendor's compiler gives the sum to rings of neighbouring slices, and refuses another part than the innermost.
fn not_innermost(span: Span, reduced: &[String], inside: &[String]) -> Finding {
    let reduced = quoted_names(reduced);
    let (inside, verb) = match inside {
        [] => ("padding".to_owned(), "is"),
        [axis] => (format!("`{axis}`"), "stays"),
        axes => (quoted_names(axes), "stay"),
    };
    let message = format!(
        "{reduced} is reduced across slices, and {inside} {verb} inside of it in the slice; a ring sums neighbouring slices, \
         so that only the innermost part of the slice is reduced"
    );
    let mut finding = Finding::new(&INTER_REDUCE_MAPPING, span, message)
        .help(format!(
            "lay the tensor out with {reduced} innermost in the slice, by the load or a switch before this pass"
        ))
        .found_by_compiler();
    if inside.is_empty() {
        // The compiler's words name axes, and padding is none.
        finding.group = finding.rule.lesser;
    }
    finding
}

pub(super) fn inter_mapping(
    library: Dialect,
    (span, stage): (Span, &Stage),
    fault: &InterFault,
    expected: Option<&(Mapping, Mapping)>,
) -> Finding {
    let message = match fault {
        InterFault::Packet => {
            "the packet changes; a reduction across slices leaves it as it is".to_owned()
        }
        InterFault::NewInTime(axes) => {
            format!(
                "{} is new in time; only the slice can take what the reduction leaves room for",
                levels::sized(axes, stage.output.time.get())
            )
        }
        InterFault::LostFromTime(axes) => {
            format!(
                "{} is missing in the target's time; only axes of the slice are reduced across slices",
                levels::sized(axes, expected.map(|(_, time)| time))
            )
        }
        InterFault::TimeOrder => {
            "time runs in another order; a reduction across slices does not reorder".to_owned()
        }
        InterFault::MovedInSlice(axes) => {
            format!(
                "{} stays in the slice, but at other slices; a reduction does not move what it keeps",
                quoted_names(axes)
            )
        }
        InterFault::NotInnermost { reduced, inside } => {
            return not_innermost(span, reduced, inside);
        }
    };
    let finding = Finding::new(&INTER_REDUCE_MAPPING, span, message);
    let Some((slice, time)) = expected else {
        return finding.help("keep the slice's other axes in their places and time in its order");
    };
    let output = &stage.output;
    let replacements: Vec<(Span, &Mapping)> =
        differing([(&output.slice, slice), (&output.time, time)])
            .into_iter()
            .map(|(declared, wanted)| (declared.span, wanted))
            .collect();
    let generics = [
        (Generic::Level(Level::Slice), mapping_macro_text(slice)),
        (Generic::Level(Level::Time), mapping_macro_text(time)),
    ];
    let call = format!(
        "`{}`, with a new axis or one of time in place of the hole where the result is wanted in more slices",
        library.write_method(CanonicalStage::VectorInterReduce, &generics)
    );
    let stated = mappings_alternative("", stage.span, &replacements);
    let stated = stated.map(|stated| Alternative {
        text: call,
        ..stated
    });
    let finding = finding.alternatives("write ", stated);
    propose_mappings(finding, Applicability::Maybe, stage.span, &replacements)
}
