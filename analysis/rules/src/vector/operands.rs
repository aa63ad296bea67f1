//! Words for operands in the VRF that the indexer cannot read, and for groups that do not fit their cache.

use crate::hardware::GROUP_CACHE_ELEMENTS;
use crate::items::Span;
use crate::kernel::{Level, TensorId};
use crate::mapping::Mapping;
use crate::vector::declarations::{OPERAND_MAPPING, OPERAND_PLACEMENT, UNZIP_GROUP};

use super::super::wording::{mapping_macro_text, thousands};
use super::super::{Checked, Finding};

/// An operand on other chips, clusters or slices.
pub(super) fn word_placement(
    checked: &Checked<'_>,
    span: Span,
    tensor: TensorId,
    (level, stream, held): (Level, &Mapping, &Mapping),
) -> Finding {
    let (level, what) = match level {
        Level::Chip => (Level::Chip, "chips"),
        Level::Cluster => (Level::Cluster, "clusters"),
        _ => (Level::Slice, "slices"),
    };
    let message = format!(
        "the register is on the {what} `{}`, the stream on `{}`; a slice reads its own register alone",
        mapping_macro_text(held),
        mapping_macro_text(stream)
    );
    let finding = Finding::new(&OPERAND_PLACEMENT, span, message).help(format!(
        "load the register on the stream's {what}, or reshape it where the same data is meant"
    ));
    let levels = checked.body.tensor(tensor).map(|tensor| &tensor.levels);
    let place = levels.and_then(|levels| match level {
        Level::Chip => levels.chip.as_ref(),
        Level::Cluster => levels.cluster.as_ref(),
        _ => levels.slice.as_ref(),
    });
    match place {
        Some(place) => finding.related(place.span, "the register's mapping"),
        None => finding,
    }
}

/// An operand with a hole that must not be touched.
pub(super) fn word_hole(checked: &Checked<'_>, span: Span, tensor: TensorId) -> Finding {
    let message = "the register has padding that must not be touched; an operand is read whole";
    at_register(
        checked,
        tensor,
        Finding::new(&OPERAND_MAPPING, span, message.to_owned())
            .help("load the register without the hole, or with padding that may be read"),
    )
}

/// An operand of which a packet reads neither one address nor a run.
pub(super) fn word_access(
    checked: &Checked<'_>,
    span: Span,
    tensor: TensorId,
    packet: &Mapping,
) -> Finding {
    let element = checked.body.tensor(tensor);
    let element = element.and_then(|tensor| tensor.levels.element.get());
    let held = element.map_or_else(String::new, |element| {
        format!(" `{}`", mapping_macro_text(element))
    });
    let message = format!(
        "a packet `{}` reads the register{held} at neither one address nor {} consecutive elements",
        mapping_macro_text(packet),
        packet.size()
    );
    at_register(
        checked,
        tensor,
        Finding::new(&OPERAND_MAPPING, span, message).help(
            "store the register with the packet's axes innermost and contiguous, or without them",
        ),
    )
}

fn at_register(checked: &Checked<'_>, tensor: TensorId, finding: Finding) -> Finding {
    match checked.body.tensor(tensor) {
        Some(tensor) => finding.related(tensor.levels.element.span, "the register's mapping"),
        None => finding,
    }
}

/// Groups that are larger than the cache.
pub(super) fn volume(span: Span, axis: &str, elements: u64) -> Finding {
    Finding::new(
        &UNZIP_GROUP,
        span,
        format!(
            "{} elements are inside `{axis}`; one group holds at most {GROUP_CACHE_ELEMENTS}",
            thousands(elements)
        ),
    )
    .help(format!(
        "go through `{axis}` further inside of the time, so that fewer elements follow it"
    ))
}
