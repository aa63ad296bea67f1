//! The parts of the machine that rules speak about: the index of the documentation is ordered by them.

/// A part of the machine, or of a kernel's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Engine {
    /// What is written in `axes!`, `m!` and `i!`.
    Mappings,
    /// Shapes, capacities and contents of tensors.
    Memory,
    /// What a library has no body for.
    Library,
    /// What the compiler takes of Rust in a kernel.
    Language,
    /// Sequencers of all engines.
    Sequencers,
    /// The Fetch Engine.
    Fetch,
    /// The Switch Engine.
    Switch,
    /// The Collect Engine, and the order of the pipeline.
    Collect,
    /// The Contraction Engine and its register file.
    Contraction,
    /// The Vector Engine and its register file.
    Vector,
    /// The Cast Engine.
    Cast,
    /// The Transpose Engine.
    Transpose,
    /// The Commit Engine.
    Commit,
    /// The DMA Engine and the memory of the chip.
    Dma,
    /// Banks and the order of operations.
    Schedule,
    /// What was not looked at.
    Coverage,
    /// Comments and attributes that suppress findings.
    Suppressions,
    /// Copies between the memories of the PTO vector core.
    Pto,
    /// DMA and descriptor generation of NKI.
    Nki,
}

impl Engine {
    /// All of them, in the order of the index: the engines as a pass goes through them.
    pub const ALL: [Self; 19] = [
        Self::Mappings,
        Self::Memory,
        Self::Library,
        Self::Language,
        Self::Sequencers,
        Self::Fetch,
        Self::Switch,
        Self::Collect,
        Self::Contraction,
        Self::Vector,
        Self::Cast,
        Self::Transpose,
        Self::Commit,
        Self::Dma,
        Self::Schedule,
        Self::Coverage,
        Self::Suppressions,
        Self::Pto,
        Self::Nki,
    ];

    /// The title in the index.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mappings => "Mapping expressions",
            Self::Memory => "Tensors and memory",
            Self::Library => "Library",
            Self::Language => "Kernel language",
            Self::Sequencers => "Sequencers",
            Self::Fetch => "Fetch Engine",
            Self::Switch => "Switch Engine",
            Self::Collect => "Collect Engine",
            Self::Contraction => "Contraction Engine",
            Self::Vector => "Vector Engine",
            Self::Cast => "Cast Engine",
            Self::Transpose => "Transpose Engine",
            Self::Commit => "Commit Engine",
            Self::Dma => "DMA Engine and HBM",
            Self::Schedule => "Banks and schedule",
            Self::Coverage => "Not looked at",
            Self::Suppressions => "Suppressions",
            Self::Pto => "PTO: DMA of the vector core",
            Self::Nki => "NKI: DMA and descriptor generation",
        }
    }
}
