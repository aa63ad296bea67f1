//! Conversions of the Fetch Engine.

use super::{ElementType, Target};

use ElementType::{Bf16, F4E2M1, F8E4M3, F8E5M2, F16, F32, I4, I5, I8, I9, I16, I32};

/// What every chip converts while fetching (book: Type Casting).
const RNGD: &[(ElementType, ElementType)] = &[
    (I4, I5),
    (I4, I32),
    (I8, I9),
    (I8, I32),
    (I16, I32),
    (F8E4M3, F32),
    (F8E5M2, F32),
    (Bf16, F32),
    (F16, F32),
    (F32, Bf16),
];

/// What RNGD-S converts besides (book: Type Casting).
const RNGD_S: &[(ElementType, ElementType)] =
    &[(I4, I9), (I16, I9), (F8E4M3, Bf16), (F8E5M2, Bf16)];

/// Whether the Fetch Engine delivers elements of one type as another. To deliver a type as itself is no conversion.
pub fn fetch_casts(target: Target, from: ElementType, to: ElementType) -> bool {
    from == to || fetch_cast_targets(target, from).any(|found| found == to)
}

/// The types that the Fetch Engine converts a type to, in the order of the book's tables; itself not among them.
pub fn fetch_cast_targets(target: Target, from: ElementType) -> impl Iterator<Item = ElementType> {
    let more = match target {
        Target::Rngd => &[],
        Target::RngdS => RNGD_S,
    };
    RNGD.iter()
        .chain(more)
        .filter(move |(source, _)| *source == from)
        .map(|(_, to)| *to)
}

/// The types that a conversion behind a fetch, a step of its own, makes of a type: the Fetch Engine's, the type itself, and not
/// what takes a zero point (library: `FetchCast`).
pub fn fetch_casts_of_step(target: Target, from: ElementType) -> Vec<ElementType> {
    let converted = fetch_cast_targets(target, from).filter(|to| !matches!(to, I5 | I9));
    std::iter::once(from).chain(converted).collect()
}

/// The types that a table lookup makes of a type (library: `TableLookupCast`).
pub fn table_lookup_targets(from: ElementType) -> Vec<ElementType> {
    match from {
        F4E2M1 => vec![F8E4M3, F8E5M2],
        F8E4M3 | F8E5M2 => vec![Bf16],
        _ => Vec::new(),
    }
}

/// The type that a type less its zero point is, and least and largest zero point; `None` for types that have none (library:
/// `FetchZeroPointSub`).
pub const fn zero_point_target(from: ElementType) -> Option<(ElementType, (i64, i64))> {
    match from {
        I4 => Some((I5, (-8, 7))),
        I8 => Some((I9, (-128, 127))),
        _ => None,
    }
}

/// The types that the Commit Engine makes of a type while it writes (library: `CommitCast`).
pub fn commit_cast_targets(from: ElementType) -> Vec<ElementType> {
    match from {
        F32 => vec![Bf16],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rngd_s_converts_to_more_types() {
        assert!(fetch_casts(Target::Rngd, I8, I32));
        assert!(fetch_casts(Target::Rngd, I8, I8));
        assert!(!fetch_casts(Target::Rngd, I8, F32));
        assert!(!fetch_casts(Target::Rngd, F8E4M3, Bf16));
        assert!(fetch_casts(Target::RngdS, F8E4M3, Bf16));
        assert_eq!(
            fetch_cast_targets(Target::Rngd, I4).collect::<Vec<_>>(),
            [I5, I32]
        );
        assert_eq!(
            fetch_cast_targets(Target::RngdS, I4).collect::<Vec<_>>(),
            [I5, I32, I9]
        );
    }
}
