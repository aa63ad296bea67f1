//! How a row of a library's guide is written, and the parameters that both libraries describe alike.

use crate::Tier;
use crate::dialect::{GuideRow, Part};

/// A generic parameter.
pub(in crate::dialect) const fn generic_part(name: &'static str, meaning: &'static str) -> Part {
    Part {
        name,
        ty: "",
        meaning,
        usual: "",
    }
}

/// An argument.
pub(in crate::dialect) const fn value_part(
    name: &'static str,
    ty: &'static str,
    meaning: &'static str,
) -> Part {
    Part {
        name,
        ty,
        meaning,
        usual: "",
    }
}

/// A method whose generics authors write out.
pub(in crate::dialect) const fn guide_row(
    name: &'static str,
    summary: &'static str,
    generics: &'static [Part],
) -> GuideRow {
    GuideRow {
        name,
        tier: None,
        summary,
        generics,
        turbofish: true,
    }
}

/// A method whose generics an annotation says.
pub(in crate::dialect) const fn annotated_row(
    name: &'static str,
    summary: &'static str,
    generics: &'static [Part],
) -> GuideRow {
    GuideRow {
        turbofish: false,
        ..guide_row(name, summary, generics)
    }
}

/// A row for the tensors of one memory, where methods of the name differ by it.
pub(in crate::dialect) const fn row_on_tier(tier: Tier, row: GuideRow) -> GuideRow {
    GuideRow {
        tier: Some(tier),
        ..row
    }
}

pub(in crate::dialect) const CHIP: Part = generic_part("Chip2", "The chips of the result.");
pub(in crate::dialect) const ELEMENT: Part = generic_part(
    "Element2",
    "The positions that each slice or chip of the result holds.",
);
pub(in crate::dialect) const INDEX: Part =
    generic_part("Index", "The index along which the tile is cut.");
pub(in crate::dialect) const LENGTH: Part =
    generic_part("LEN", "How many values of the index the tile keeps.");
pub(in crate::dialect) const SOURCE: Part = generic_part("_", "Follows from the argument.");
