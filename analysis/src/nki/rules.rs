//! The rules about NKI, each declared once.

use crate::findings::Rule;

/// All of them, in the catalogue's order.
pub(crate) const RULES: &[&Rule] = &[];
