//! Candidates that give each piece of a tensor that a kernel keeps in HBM for itself whole units: padding behind the piece, so that no two
//! slices write one unit of 256 bytes.
//!
//! Only for what the kernel stores once and loads again, and neither takes nor gives: what is outside keeps its mapping. The padding
//! is never read.

use ra_ap_syntax::ast::{self, AstNode, HasGenericArgs, HasName};

use crate::changes::is_kept_for_itself;
use crate::db::Db;
use crate::hardware::DMA_REQUEST_BYTES;
use crate::items::parse_item;
use crate::kernel::catalogue::Generic;
use crate::kernel::{Body, Copy, Level, Operation, OperationKind, Origin, Tensor, TensorId, Tier};
use crate::mapping::Form;
use crate::rules::Edit;

use super::writing::{retyped, tensor_phrase, written_mapping};
use super::{Candidate, Kind};

/// The store of a tensor that the kernel loads again, with pieces in slots of their own.
pub(super) fn slot_candidates(db: &dyn Db, body: &Body, operation: &Operation) -> Vec<Candidate> {
    match &operation.kind {
        OperationKind::Copy(copy) => {
            padded_candidates(db, body, operation, copy).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// Whether one transfer writes a tensor whole, and transfers alone read it whole.
pub(super) fn is_moved_whole(body: &Body, root: TensorId, operation: &Operation) -> bool {
    let whole = |tensor: &Tensor| {
        matches!(
            tensor.origin,
            Origin::New | Origin::Operation(_) | Origin::View { tile: None, .. }
        )
    };
    let mut sharing = body.tensors.iter();
    let whole = sharing.all(|tensor| body.root(tensor.id) != root || whole(tensor));
    let once = body.operations.iter().all(|one| {
        let touches = |ids: &[TensorId]| ids.iter().any(|id| body.root(*id) == root);
        match &one.kind {
            OperationKind::Copy(copy) => {
                let writes = touches(&[copy.target]);
                (!writes || one.id == operation.id)
                    && (one.loops.is_empty() || !touches(&[copy.source, copy.target]))
            }
            OperationKind::Collective(collective) => {
                !touches(&collective.sources) && !touches(&collective.targets)
            }
            OperationKind::Pass(_) => true,
        }
    });
    whole && once
}

fn padded_candidates(
    db: &dyn Db,
    body: &Body,
    operation: &Operation,
    copy: &Copy,
) -> Option<Vec<Candidate>> {
    let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
    let root = body.tensor(body.root(copy.target))?;
    if source.tier != Tier::Dm
        || !is_kept_for_itself(body, root.id)
        || !is_moved_whole(body, root.id, operation)
    {
        return None;
    }
    let held = source.levels.element.get()?.form().remove_padding();
    let stored = target.levels.element.get()?.form();
    let bits = target.element_type.get()?.bits();
    let slot = DMA_REQUEST_BYTES.checked_mul(8)?.checked_div(bits)?;
    let mut pieces = Vec::new();
    let mut size: u64 = 1;
    for digit in held.digits() {
        size = size.checked_mul(digit.extent)?;
        let (Some((_, piece)), Some((outer, own))) = (held.split_at(size), stored.split_at(size))
        else {
            continue;
        };
        if piece == own && outer.size() > 1 && !size.is_multiple_of(slot) {
            let padded = own.pad(size.checked_next_multiple_of(slot)?)?;
            pieces.push(Form::multiply(&outer, &padded)?);
        }
    }
    // The longest pieces first.
    let candidate = |element: Form| {
        let edits = match root.origin {
            Origin::New => vec![annotation_edit(db, root, &element)?],
            _ => stored_as(db, body, copy, root, &element)?,
        };
        Some(Candidate {
            kind: Kind::Slots,
            title: format!(
                "Keep each piece of {} in slots of {DMA_REQUEST_BYTES} bytes of HBM, `{}`",
                tensor_phrase(body, root),
                written_mapping(&element)
            ),
            span: operation.span,
            rule: None,
            edits,
        })
    };
    Some(pieces.into_iter().rev().filter_map(candidate).collect())
}

/// The edits after which a store makes a tensor of HBM of another mapping.
fn stored_as(
    db: &dyn Db,
    body: &Body,
    copy: &Copy,
    root: &Tensor,
    element: &Form,
) -> Option<Vec<Edit>> {
    let chip = root.levels.chip.as_ref()?.get()?.form();
    let generics = [
        (Generic::Level(Level::Chip), written_mapping(chip)),
        (Generic::Level(Level::Element), written_mapping(element)),
    ];
    retyped(db, body, copy, &generics)
}

/// The edit of the type that a variable is declared with: its last mapping.
fn annotation_edit(db: &dyn Db, root: &Tensor, element: &Form) -> Option<Edit> {
    let parsed = parse_item(db, root.span.item);
    let tree = parsed.root()?;
    let mut statements = tree.syntax().descendants().filter_map(ast::LetStmt::cast);
    let statement = statements.find(|statement| {
        let pattern = statement.pat();
        let Some(ast::Pat::IdentPat(pattern)) = pattern else {
            return false;
        };
        pattern
            .name()
            .is_some_and(|name| parsed.span(name.syntax()) == root.span)
    })?;
    let ast::Type::PathType(kind) = statement.ty()? else {
        return None;
    };
    let arguments = kind.path()?.segment()?.generic_arg_list()?;
    let mapping = arguments.generic_args().last()?;
    Some(Edit::new(
        parsed.span(mapping.syntax()),
        written_mapping(element),
    ))
}
