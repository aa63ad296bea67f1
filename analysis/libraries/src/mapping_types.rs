//! The types that `m!` builds, as they are called where they are written out.
//!
//! Early releases take a number where later ones take a type; both are read.

/// A type that `m!` builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappingType {
    /// `Symbol<A>`: an axis.
    Axis,
    /// `Broadcast<n>`: `n` positions that name no axis.
    Broadcast,
    /// `Pair<L, R>`: `L, R`.
    Pair,
    /// `Stride<E, n>`: `E / n`.
    Stride,
    /// `Modulo<E, n>`: `E % n`.
    Modulo,
    /// `Resize<E, n>`: `E = n`.
    Resize,
    /// `Padding<E, n, { kind }>`: `E # n`.
    Padding,
    /// `Identity`: `1`.
    Identity,
}

impl MappingType {
    /// The type of a name, without the path in front of it.
    pub fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "Symbol" => Self::Axis,
            "Broadcast" => Self::Broadcast,
            "Pair" => Self::Pair,
            "Stride" => Self::Stride,
            "Modulo" => Self::Modulo,
            "Resize" => Self::Resize,
            "Padding" => Self::Padding,
            "Identity" => Self::Identity,
            _ => return None,
        })
    }
}
