//! Views with other padding behind their elements.

use crate::kernel::{Body, Origin, Tensor};
use crate::mapping::{Answer, PaddingKind, equal_forms};

use super::{PlanFault, PlanViolation};

/// Whether a view with more or less padding differs from what it is taken of in one padding behind everything else.
pub(super) fn judge_resized_view(body: &Body, tensor: &Tensor) -> Option<PlanViolation> {
    let Origin::Resized { of, widens } = tensor.origin else {
        return None;
    };
    let before = body.tensor(of)?.levels.element.get()?;
    let after = tensor.levels.element.get()?;
    if before.is_opaque() || after.is_opaque() {
        return None;
    }
    let (narrow, wide) = if widens {
        (before, after)
    } else {
        (after, before)
    };
    let fault = if wide.size() < narrow.size() {
        PlanFault::Narrower {
            widens,
            before: before.size(),
            after: after.size(),
        }
    } else {
        let expected = narrow.form().pad_as(wide.size(), PaddingKind::Top)?;
        if equal_forms(&expected, wide.form()) != Answer::No {
            return None;
        }
        PlanFault::Padding {
            widens,
            expected: narrow.pad_to(wide.size(), PaddingKind::Top).ok()?,
            found: wide.clone(),
        }
    };
    Some(PlanViolation {
        fault,
        span: tensor.levels.element.span,
        method: tensor.span,
        operation: None,
    })
}
