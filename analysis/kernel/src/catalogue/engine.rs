//! The engines of the Tensor Unit and what they are called.

use std::fmt;

/// An engine, or a step of one, that a stage or a transfer keeps busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Engine {
    /// Fetch Engine.
    Fetch,
    /// Switch Engine.
    Switch,
    /// Collect Engine.
    Collect,
    /// Stream Adapter of the Contraction Engine.
    Align,
    /// Reduction tree of the Contraction Engine.
    Contract,
    /// Accumulator of the Contraction Engine.
    Accumulate,
    /// Vector Engine.
    Vector,
    /// Cast Engine.
    Cast,
    /// Transpose Engine.
    Transpose,
    /// Commit Engine.
    Commit,
    /// Writing of the TRF.
    TrfLoad,
    /// Writing of the VRF.
    VrfLoad,
    /// Reading side of a DMA transfer.
    DmaRead,
    /// Writing side of a DMA transfer.
    DmaWrite,
    /// Start of a DMA command.
    DmaStart,
    /// The PCIe link between chips or to the host.
    Pcie,
}

/// An engine's three names: in tables and JSON, in a sentence, and the whole engine that it is a step of.
struct EngineNames {
    short: &'static str,
    step: &'static str,
    whole: &'static str,
}

const fn engine_names(short: &'static str, step: &'static str, whole: &'static str) -> EngineNames {
    EngineNames { short, step, whole }
}

impl Engine {
    const fn names(self) -> EngineNames {
        match self {
            Self::Fetch => engine_names("fetch", "the Fetch Engine", "Fetch"),
            Self::Switch => engine_names("switch", "the Switch Engine", "Switch"),
            Self::Collect => engine_names("collect", "the Collect Engine", "Collect"),
            Self::Align => engine_names("align", "the Contraction Engine", "Contraction"),
            Self::Contract => engine_names(
                "contract",
                "the Contraction Engine's reduction tree",
                "Contraction",
            ),
            Self::Accumulate => engine_names(
                "accumulate",
                "the Contraction Engine's accumulator",
                "Contraction",
            ),
            Self::Vector => engine_names("vector", "the Vector Engine", "Vector"),
            Self::Cast => engine_names("cast", "the Cast Engine", "Cast"),
            Self::Transpose => engine_names("transpose", "the Transpose Engine", "Transpose"),
            Self::Commit => engine_names("commit", "the Commit Engine", "Commit"),
            Self::TrfLoad => engine_names("trf_load", "a load of the tensor register file", ""),
            Self::VrfLoad => engine_names("vrf_load", "a load of the vector register file", ""),
            Self::DmaRead => engine_names("read", "the reading side of a DMA engine", ""),
            Self::DmaWrite => engine_names("write", "the writing side of a DMA engine", ""),
            Self::DmaStart => engine_names("start", "the start of a DMA command", ""),
            Self::Pcie => engine_names("pcie", "the PCIe link", ""),
        }
    }

    /// Its name in tables and JSON.
    pub const fn name(self) -> &'static str {
        self.names().short
    }

    /// The name of the engine that it is, or is a step of; empty for what is no engine of the Tensor Unit.
    pub const fn whole_engine_name(self) -> &'static str {
        self.names().whole
    }

    /// Whether the engine takes flits, which only the Collect Engine makes.
    pub const fn takes_flits(self) -> bool {
        !matches!(
            self,
            Self::Fetch | Self::Switch | Self::Collect | Self::Commit
        )
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.names().step)
    }
}
