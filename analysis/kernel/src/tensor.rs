//! Tensors at rest: where they are, how they are mapped, and what they are made from.

use std::hash::{Hash, Hasher};

use crate::hardware::{ElementType, Machine};
use crate::items::Span;
use crate::mapping::Mapping;

use super::{OperationId, Written};

/// A tensor's number within its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TensorId(pub u32);

/// As a `u128`, which nothing else hands over: a hash of what a kernel does may take in the tensor instead.
impl Hash for TensorId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u128(u128::from(self.0));
    }
}

/// The memory a tensor is in (book: Memory).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tier {
    /// System memory of the host.
    Host,
    /// HBM of a chip.
    Hbm,
    /// Data memory of a slice.
    Dm,
    /// Tensor register file of a slice.
    Trf,
    /// Vector register file of a slice.
    Vrf,
    /// Scratchpad of a processing element, which 64 slices share.
    Spm,
}

/// The execution context an operation runs in (book: Execution Contexts).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    /// `ctx.main`.
    Main,
    /// `ctx.sub`.
    Sub,
    /// `ctx.tdma`, the Tensor DMA.
    TensorDma,
    /// `ctx.pdma`, the PCIe DMA.
    PcieDma,
}

/// A level of the spatial or temporal hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Chips.
    Chip,
    /// Clusters of a chip.
    Cluster,
    /// Slices of a cluster.
    Slice,
    /// Processing elements of a cluster, each with a scratchpad.
    Pe,
    /// Rows of the MAC array.
    Row,
    /// Positions of a memory, a slice or a row.
    Element,
    /// Iterations of a stream.
    Time,
    /// Elements of one iteration of a stream.
    Packet,
}

/// The mapping parameters of a tensor's type. A level that the tier does not have is `None`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Levels {
    /// Chips (all tiers but the host).
    pub chip: Option<Written<Mapping>>,
    /// Clusters (DM, TRF, VRF, scratchpad).
    pub cluster: Option<Written<Mapping>>,
    /// Slices (DM, TRF, VRF).
    pub slice: Option<Written<Mapping>>,
    /// Processing elements (scratchpad).
    pub pe: Option<Written<Mapping>>,
    /// Rows (TRF).
    pub row: Option<Written<Mapping>>,
    /// The rest: a chip's, slice's or row's own positions.
    pub element: Written<Mapping>,
}

impl Levels {
    /// The levels that exist, outermost first, with their names.
    pub fn iter(&self) -> impl Iterator<Item = (Level, &Written<Mapping>)> {
        [
            (Level::Chip, self.chip.as_ref()),
            (Level::Cluster, self.cluster.as_ref()),
            (Level::Slice, self.slice.as_ref()),
            (Level::Pe, self.pe.as_ref()),
            (Level::Row, self.row.as_ref()),
            (Level::Element, Some(&self.element)),
        ]
        .into_iter()
        .filter_map(|(level, mapping)| mapping.map(|mapping| (level, mapping)))
    }

    /// Elements of all levels, copies counted as often as they are held; `None` if a level is unknown or the number overflows.
    pub fn position_count(&self) -> Option<u64> {
        self.iter().try_fold(1_u64, |product, (_, level)| {
            product.checked_mul(level.get()?.form().elements())
        })
    }

    /// The full mapping: the pair of all levels, outermost first; `None` if one is unknown or the product overflows.
    pub fn full_mapping(&self) -> Option<Mapping> {
        let parts = self
            .iter()
            .map(|(_, mapping)| mapping.value.clone())
            .collect::<Option<Vec<_>>>()?;
        Mapping::product(&parts).ok()
    }
}

/// The three regions of the TRF that an address can name (book: TRF Address Modes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TrfAddress {
    /// The first half of each row.
    FirstHalf,
    /// The second half of each row.
    SecondHalf,
    /// All of it.
    Full,
}

/// What is known of an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum AddressValue {
    /// Bytes from the start of the memory (of the slice for DM and VRF, of the chip for HBM).
    Bytes(u64),
    /// A region of the TRF.
    Trf(TrfAddress),
    /// No constant expression, or an address that the function is given.
    Unknown,
}

/// An address and where it is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    /// The value.
    pub value: AddressValue,
    /// The expression, or the method's name where the library chooses the address.
    pub span: Span,
}

impl Address {
    /// The byte address, if it is a known one.
    pub const fn bytes(&self) -> Option<u64> {
        match self.value {
            AddressValue::Bytes(bytes) => Some(bytes),
            AddressValue::Trf(_) | AddressValue::Unknown => None,
        }
    }
}

/// The part of a tensor that a tile selects, in its own words (book: Resize; library: views and tiles).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TileWindow {
    /// The level whose mapping changes.
    pub level: Level,
    /// The tiled index expression.
    pub index: Written<Mapping>,
    /// How many values of the index the tile keeps.
    pub length: Written<u64>,
    /// The first value, if constant in this run of the body. With loops it differs a run.
    pub start: Written<u64>,
    /// Least and largest start over all runs of an unrolled or bounded loop, if known.
    pub start_range: Option<(u64, u64)>,
    /// The new mapping of the level as written.
    pub output: Written<Mapping>,
    /// The method's name.
    pub span: Span,
}

/// What a tensor is made by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A parameter of the function; its contents come from outside.
    Parameter,
    /// `unsafe { T::from_addr(..) }`: alive for the whole body unless written later.
    FromAddress,
    /// `T::new()`: holds nothing until it is written first.
    New,
    /// The result of an operation.
    Operation(OperationId),
    /// A view (`view`, `view_mut`, or a chain of tiles) of another tensor: shares its bytes.
    View {
        /// The tensor or view it is taken of.
        of: TensorId,
        /// The tile, if it is one.
        tile: Option<Box<TileWindow>>,
    },
    /// `x.pad()`, `x.unpad()`: a view with other padding behind its elements.
    Resized {
        /// The view it is taken of.
        of: TensorId,
        /// Whether it is asked for more padding; else for less.
        widens: bool,
    },
    /// `unsafe { x.reshape() }`: the same bytes under another type.
    Reshape {
        /// The tensor it consumes.
        of: TensorId,
    },
}

impl Origin {
    /// The tensor whose bytes it has under another type or in part; `None` for one that has bytes of its own.
    pub const fn shares(&self) -> Option<TensorId> {
        match self {
            Self::View { of, .. } | Self::Resized { of, .. } | Self::Reshape { of } => Some(*of),
            Self::Parameter | Self::FromAddress | Self::New | Self::Operation(_) => None,
        }
    }
}

impl Tier {
    /// Bytes of the memory on a machine: of a chip for HBM, else of a slice; `None` for the host's.
    pub const fn capacity(self, machine: &Machine) -> Option<u64> {
        match self {
            Self::Host => None,
            Self::Hbm => Some(machine.hbm_bytes),
            Self::Dm => Some(machine.dm_bytes),
            Self::Trf => Some(machine.trf_bytes),
            Self::Vrf => Some(machine.vrf_bytes),
            Self::Spm => Some(machine.spm_bytes),
        }
    }
}

impl TrfAddress {
    /// The bytes of a slice's TRF that the region takes on a machine: the first one, and the one behind the last.
    pub const fn bytes(self, machine: &Machine) -> (u64, u64) {
        let half = machine.trf_bytes / 2;
        match self {
            Self::FirstHalf => (0, half),
            Self::SecondHalf => (half, machine.trf_bytes),
            Self::Full => (0, machine.trf_bytes),
        }
    }
}

/// A tensor at rest, or a view of one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tensor {
    /// Its number.
    pub id: TensorId,
    /// The variable or parameter it is first bound to.
    pub name: Option<String>,
    /// The memory it is in.
    pub tier: Tier,
    /// The element type.
    pub element_type: Written<ElementType>,
    /// Whether it is a view that may be written.
    pub exclusive: bool,
    /// The mapping parameters.
    pub levels: Levels,
    /// Its address. A view has its base's.
    pub address: Address,
    /// What made it.
    pub origin: Origin,
    /// Whether what made it fills it with zeros.
    pub is_zeroed: bool,
    /// Where it is made: the binding's name, else the method that made it.
    pub span: Span,
    /// Number of operations that precede its creation in program order: the tensor exists from then on.
    pub created_before: OperationId,
    /// Number of operations that precede the point where the variable goes out of use by an explicit move
    /// (`reshape`, consumed by value), if it does.
    pub moved_before: Option<OperationId>,
}
