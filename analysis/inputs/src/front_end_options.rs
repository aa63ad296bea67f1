//! What the settings say of machines and releases that kernels in other languages than Rust are for.

/// What is known of the machine that PTO files are for. Without figures no cycles are claimed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PtoOptions {
    /// Bytes that a transfer between GM and UB moves in a cycle.
    pub gm_bytes_per_cycle: Option<u64>,
    /// Cycles before its first byte.
    pub setup_cycles: Option<u64>,
}

/// A generation of the NeuronCore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generation {
    /// inf2 and trn1.
    Trn1,
    /// trn2.
    Trn2,
    /// trn3.
    Trn3,
}

impl Generation {
    /// All of them, the oldest first.
    pub const ALL: [Self; 3] = [Self::Trn1, Self::Trn2, Self::Trn3];

    /// The name in settings and comments.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trn1 => "trn1",
            Self::Trn2 => "trn2",
            Self::Trn3 => "trn3",
        }
    }

    /// The number that NKI gives it: 2, 3, 4.
    pub const fn number(self) -> u64 {
        match self {
            Self::Trn1 => 2,
            Self::Trn2 => 3,
            Self::Trn3 => 4,
        }
    }

    /// The generation of that name.
    pub fn named(name: &str) -> Option<Self> {
        let own = Self::ALL
            .into_iter()
            .find(|generation| generation.name() == name);
        own.or_else(|| (name == "inf2").then_some(Self::Trn1))
    }
}

/// What is known of the machine and the release that NKI kernels are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NkiOptions {
    /// The generation; `None` where the file says it, or nothing does.
    pub target: Option<Generation>,
    /// The release, `(0, 6)` for `0.6`; likewise.
    pub version: Option<(u16, u16)>,
}
