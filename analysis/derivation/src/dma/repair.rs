//! What would mend a transfer: elements padded so that runs and steps are multiples of 8 bytes, or a target in the
//! source's order.
//!
//! Only the element levels of the two tensors change here. Whether something else is in the way of the changed
//! tensors is not known.

use crate::kernel::{Body, Copy, Levels, Tensor, TensorId};
use crate::mapping::{Digit, Form, Mapping, PaddingKind, gcd};

use super::{DmaViolation, Side, UNIT_BITS, derive_transfer};

/// How many repairs of one transfer follow each other.
const ROUND_LIMIT: usize = 8;

/// New element mappings for the two tensors with which the transfer is legal; empty if none are found. Only tensors that
/// change are listed.
pub(super) fn padded_elements(
    body: &Body,
    copy: &Copy,
    first: &DmaViolation,
) -> Vec<(TensorId, Mapping)> {
    padded_to_units(body, copy, first).unwrap_or_default()
}

fn padded_to_units(
    body: &Body,
    copy: &Copy,
    first: &DmaViolation,
) -> Option<Vec<(TensorId, Mapping)>> {
    let mut source = body.tensor(copy.source)?.clone();
    let mut target = body.tensor(copy.target)?.clone();
    // Where single elements are moved although both sides have more of them, their order is at fault.
    let scalars = holds_scalars(&source) || holds_scalars(&target);
    let mut violation = first.clone();
    for _ in 0..ROUND_LIMIT {
        let sides: &mut [&mut Tensor] = match &violation {
            DmaViolation::Packet { .. } => &mut [&mut source, &mut target],
            DmaViolation::Stride { side, .. } => match side {
                Side::Source => &mut [&mut source],
                Side::Target => &mut [&mut target],
            },
            _ => return None,
        };
        for tensor in sides {
            tensor.levels.element.value =
                Some(element_padded_to_units(tensor, &violation, scalars)?);
        }
        let derivation = derive_transfer(body, copy, &source, &target)?;
        let left = derivation.violations.into_iter().find(|violation| {
            !matches!(
                violation,
                DmaViolation::Address { .. } | DmaViolation::Window { .. }
            )
        });
        let Some(next) = left else {
            let changed = [source, target].into_iter().filter_map(|tensor| {
                let element = tensor.levels.element.value?;
                let before = body.tensor(tensor.id)?.levels.element.get()?;
                (*before != element).then_some((tensor.id, element))
            });
            return Some(changed.collect());
        };
        violation = next;
    }
    None
}

/// The target's element in the source's order, if the two hold the same otherwise and the transfer is legal then.
pub(super) fn in_source_order(body: &Body, copy: &Copy) -> Option<Mapping> {
    let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
    let element = source.levels.element.get()?;
    let spatial = |levels: &Levels| {
        let levels = [&levels.chip, &levels.cluster, &levels.slice];
        levels.map(|level| {
            let mapping = level.as_ref().and_then(|level| level.get());
            mapping.map(|mapping| mapping.form().clone())
        })
    };
    if spatial(&source.levels) != spatial(&target.levels) {
        return None;
    }
    let mut reordered = target.clone();
    reordered.levels.element.value = Some(element.clone());
    let derivation = derive_transfer(body, copy, source, &reordered)?;
    derivation.violations.is_empty().then(|| element.clone())
}

/// Whether a tensor holds single elements, padded or not, at its innermost level.
fn holds_scalars(tensor: &Tensor) -> bool {
    tensor.levels.element.get().is_some_and(|element| {
        let digits = element.form().digits();
        digits.first().is_none_or(|digit| digit.term.is_none())
    })
}

/// The element of a tensor with what is inside of the run or the step padded to whole units of 8 bytes.
fn element_padded_to_units(
    tensor: &Tensor,
    violation: &DmaViolation,
    scalars: bool,
) -> Option<Mapping> {
    let element_bits = tensor.element_type.value?.bits();
    let bits = match violation {
        DmaViolation::Packet { bits, .. } => *bits,
        DmaViolation::Stride { bits, .. } => u64::try_from(*bits).ok()?,
        _ => return None,
    };
    let (elements, unit) = (bits.checked_div(element_bits)?, UNIT_BITS / element_bits);
    let mut inside: u64 = 1;
    let mut reached = false;
    if elements == 1 && !scalars {
        return None;
    }
    let mut digits = tensor.levels.element.get()?.form().digits().to_vec();
    for digit in &mut digits {
        let extent = inside.checked_mul(digit.extent)?;
        let ends_here = elements > 1 || digit.term.is_none();
        if !reached && ends_here && extent >= elements {
            // The run or the step ends in this digit, or with it.
            let factor = unit / gcd(unit, inside);
            let kind = digit.padding_kind();
            digit.add_padding(digit.extent.checked_next_multiple_of(factor)?, kind);
            reached = true;
        }
        inside = inside.checked_mul(digit.extent)?;
    }
    if !reached && elements == 1 {
        // A scalar: the padding is alone.
        let mut padding = Digit::new(None, 1);
        padding.add_padding(unit, PaddingKind::Top);
        digits.insert(0, padding);
    }
    Some(Form::from_digits(digits)?.to_mapping())
}
