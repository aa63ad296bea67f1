//! The differences between the library's releases that change values.

/// The arithmetic of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Arithmetic {
    /// Conversions of `bf16` make zeros of subnormals and have one NaN (since 0.6).
    pub bf16_flushes: bool,
    /// Unary functions make zeros of subnormals and have one NaN; sine and cosine have a range (since 0.7).
    pub unary_flushes: bool,
    /// The first slot whose guard fits is used, and no other (since 0.6).
    pub first_slot_wins: bool,
    /// A contraction folds the packet first, then time, then lanes (up to 0.3).
    pub folds_by_stage: bool,
}

impl Arithmetic {
    /// That of the newest release.
    pub const NEWEST: Self = Self {
        bf16_flushes: true,
        unary_flushes: true,
        first_slot_wins: true,
        folds_by_stage: false,
    };

    /// That of a release of the optimiser's library, by the two numbers of its name.
    pub fn of_release(major: u16, minor: u16) -> Self {
        let since = |release: u16| major > 0 || minor >= release;
        Self {
            bf16_flushes: since(6),
            unary_flushes: since(7),
            first_slot_wins: since(6),
            folds_by_stage: !since(4),
        }
    }

    /// That of the book's library, and of releases that flush nothing.
    pub const BOOK: Self = Self {
        bf16_flushes: false,
        unary_flushes: false,
        first_slot_wins: false,
        folds_by_stage: true,
    };
}
