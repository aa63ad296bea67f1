//! What the moves of a body's operations do that they must not, and what the library refuses of the operations.
//!
//! Most operations have neither, and whether one has follows from what it is made of: those that were looked at once are not looked
//! at again. Knows no rule about moves and no limit of a library: these are [`moves`]' and [`library`]'s.

use std::sync::LazyLock;

use super::OperationDerivation;
use super::content::Content;
use super::conventions::Conventions;
use super::library::{self, LibraryLimit};
use super::memo::Memo;
use super::moves::{self, MoveViolation};
use crate::kernel::{Body, OperationKind};

/// Operations of which no move is wrong and of which the library refuses nothing, by what they are made of.
static FAULTLESS: LazyLock<Memo<()>> = LazyLock::new(Memo::default);

/// The moves of a body that are wrong, and what the library refuses of it, given what is derived of its operations and what each of
/// them is made of.
pub(super) fn of_body(
    body: &Body,
    operations: &[OperationDerivation],
    contents: &[Content],
) -> (Vec<MoveViolation>, Vec<LibraryLimit>) {
    let (mut moves, mut limits) = (Vec::new(), Vec::new());
    let is_limited = Conventions::of(body.dialect).has_library_limits();
    let derived = body.operations.iter().zip(operations);
    for ((operation, derived), content) in derived.zip(contents) {
        // A collective's answer reads more of the body than its own tensors.
        let key = match operation.kind {
            OperationKind::Collective(_) => None,
            OperationKind::Copy(_) | OperationKind::Pass(_) => Some(*content),
        };
        if key.is_some_and(|key| FAULTLESS.get(key).is_some()) {
            continue;
        }
        let own_moves = moves::of_operation(body, operation);
        let own_limits = if is_limited {
            library::of_operation(body, operation, derived, &own_moves)
        } else {
            Vec::new()
        };
        if let Some(key) = key
            && own_moves.is_empty()
            && own_limits.is_empty()
        {
            FAULTLESS.keep_answer(key, ());
        }
        moves.extend(own_moves);
        limits.extend(own_limits);
    }
    moves.extend(moves::of_tensors(body));
    if is_limited {
        limits.extend(library::of_tensors(body, &moves));
    }
    (moves, limits)
}
