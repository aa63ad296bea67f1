//! Rewriting texts for the library and release that they are read as: the fixes of one rule, and the holes of tiles, as steps of one
//! change.

use super::rounds::apply_all;
use super::steps::Steps;
use super::{Fixable, Fixed, Trust};

/// Applies the fixes of names and calls of other releases until none is left, also those that a person should look at, and spells
/// the holes of tiles as the release has them. What is
/// still reported by that rule afterwards is to be done by hand.
///
/// What other rules say before and after is left out of account: a kernel that is half rewritten is no kernel.
pub fn migrate_all(target: &mut impl Fixable) -> Fixed {
    apply_all(target, Trust::Maybe, Steps::Migration)
}
