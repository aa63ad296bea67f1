//! Tags of elements and the guards that read them.

/// A comparison that sets one bit of a tag.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Comparison<T> {
    /// Equal to a threshold; as floats −0 equals 0 and NaN nothing.
    Equal(T),
    /// Below a threshold.
    Less(T),
    /// Above a threshold.
    Greater(T),
    /// Below a threshold, both read as 32 bits without a sign.
    LessUnsigned(T),
    /// Above a threshold, both read as 32 bits without a sign.
    GreaterUnsigned(T),
    /// Always.
    True,
    /// Never.
    False,
}

/// A type that the Vector Engine computes with.
pub trait Lane: Copy + PartialOrd {
    /// Its 32 bits.
    fn raw_bits(self) -> u32;
}

impl Lane for i32 {
    fn raw_bits(self) -> u32 {
        self.cast_unsigned()
    }
}

impl Lane for f32 {
    fn raw_bits(self) -> u32 {
        self.to_bits()
    }
}

impl<T: Lane> Comparison<T> {
    /// Whether it holds for an element.
    pub fn holds(self, element: T) -> bool {
        match self {
            Self::Equal(threshold) => element == threshold,
            Self::Less(threshold) => element < threshold,
            Self::Greater(threshold) => element > threshold,
            Self::LessUnsigned(threshold) => element.raw_bits() < threshold.raw_bits(),
            Self::GreaterUnsigned(threshold) => element.raw_bits() > threshold.raw_bits(),
            Self::True => true,
            Self::False => false,
        }
    }

    /// Whether it is the same for every element.
    pub const fn is_constant(&self) -> bool {
        matches!(self, Self::True | Self::False)
    }
}

/// The tag of an element: bit k is set where the comparison k holds.
pub fn compared<T: Lane>(comparisons: &[Comparison<T>; 4], element: T) -> u8 {
    comparisons
        .iter()
        .enumerate()
        .fold(0, |tag, (bit, comparison)| {
            tag | u8::from(comparison.holds(element)) << bit
        })
}

/// The tag of an element at a coordinate of the axis that a branch toggles by.
pub const fn toggled(coordinate: u64) -> u8 {
    ((coordinate & 1) as u8) << 3
}

/// A condition on tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Guard {
    /// Every element.
    All,
    /// Elements of group 0 or 1: those with that bit 3.
    Group(bool),
    /// Elements whose bits are as required; `None` for a bit that does not matter. The lowest bit is the first.
    Matches([Option<bool>; 4]),
    /// All others.
    NotMatches([Option<bool>; 4]),
}

impl Guard {
    /// Whether it lets an element with that tag through.
    pub fn accepts(self, tag: u8) -> bool {
        let matches = |required: [Option<bool>; 4]| {
            required
                .iter()
                .enumerate()
                .all(|(bit, required)| required.is_none_or(|set| set == (tag >> bit & 1 == 1)))
        };
        match self {
            Self::All => true,
            Self::Group(second) => second == (tag >> 3 & 1 == 1),
            Self::Matches(required) => matches(required),
            Self::NotMatches(required) => !matches(required),
        }
    }

    /// Whether it looks at tags at all.
    pub fn reads_tags(self) -> bool {
        match self {
            Self::All => false,
            Self::Group(_) => true,
            Self::Matches(required) | Self::NotMatches(required) => {
                required.iter().any(Option::is_some)
            }
        }
    }
}
