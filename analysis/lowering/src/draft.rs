//! The body while it is being built: tensors and operations over slots, ordered by when they were last touched.

use rustc_hash::FxHashMap;

use crate::hardware::ElementType;
use crate::items::Span;
use crate::kernel::dialect::Access;
use crate::kernel::dialect::Dialect;
use crate::kernel::{
    Address, Body, BranchArm, Context, Copy, ForeignCall, Level, LoopFrame, Parameter, PassEnd,
    PassSource, StageKind, TensorId, Tier, Unresolved, UnresolvedReason, Written,
};
use crate::mapping::Mapping;

use super::collectives::CollectiveDraft;
use super::finish::Finish;
use super::probe::{Probed, Seen};
use super::slots::{MappingSlot, SlotTable};
use super::types::{LevelSlots, ShapeSlots, TensorType};

/// A moment of the interpretation. Operations and tensors are ordered by it.
pub(super) type Moment = u64;

/// A tile's place with the calls through which it is reached: the same text may tile other tensors in another call.
pub(super) type TilePlace = (Span, Vec<Span>);

/// A tile's window over slots.
#[derive(Debug, Clone)]
pub(super) struct TileDraft {
    pub(super) level: Level,
    pub(super) index: MappingSlot,
    pub(super) length: Written<u64>,
    pub(super) start: Written<u64>,
    pub(super) output: MappingSlot,
    pub(super) span: Span,
    /// Where its start is collected over all runs, if loops are around it.
    pub(super) place: Option<TilePlace>,
}

/// What makes a tensor.
#[derive(Debug, Clone)]
pub(super) enum OriginDraft {
    Parameter,
    FromAddress,
    New,
    /// New, and filled with zeros.
    Zeros,
    Operation(usize),
    View {
        of: TensorId,
        tile: Option<Box<TileDraft>>,
    },
    /// A view with other padding.
    Resized {
        of: TensorId,
        widens: bool,
    },
    Reshape {
        of: TensorId,
    },
}

/// A tensor over slots.
#[derive(Debug, Clone)]
pub(super) struct TensorDraft {
    pub(super) name: Option<String>,
    pub(super) kind: TensorType,
    pub(super) address: Address,
    pub(super) origin: OriginDraft,
    pub(super) span: Span,
    pub(super) created: Moment,
    pub(super) moved: Option<Moment>,
}

/// A stage over slots.
#[derive(Debug, Clone)]
pub(super) struct StageDraft {
    pub(super) kind: StageKind,
    pub(super) output: ShapeSlots,
    pub(super) method: String,
    pub(super) span: Span,
    /// The mapping of an unzip that is no level of its result.
    pub(super) tile_time: Option<MappingSlot>,
}

/// A pass over slots.
#[derive(Debug, Clone)]
pub(super) struct PassDraft {
    pub(super) context: Option<Context>,
    pub(super) source: PassSource,
    pub(super) begin: ShapeSlots,
    pub(super) stages: Vec<StageDraft>,
    pub(super) end: PassEnd,
}

impl PassDraft {
    /// The shape that leaves the last stage.
    pub(super) fn shape(&self) -> ShapeSlots {
        self.stages.last().map_or(self.begin, |stage| stage.output)
    }
}

/// What an operation does, over slots.
#[derive(Debug, Clone)]
pub(super) enum KindDraft {
    Copy(Copy),
    Collective(CollectiveDraft),
    Pass(PassDraft),
}

/// An operation over slots.
#[derive(Debug, Clone)]
pub(super) struct OperationDraft {
    pub(super) kind: KindDraft,
    pub(super) context: Context,
    pub(super) span: Span,
    pub(super) loops: Vec<LoopFrame>,
    pub(super) branches: Vec<BranchArm>,
    pub(super) calls: Vec<Span>,
    pub(super) touched: Moment,
    /// Another copy of the operation, in a branch, stands for it.
    pub(super) superseded: bool,
    /// Why it could not be followed to its end.
    pub(super) failure: Option<Unresolved>,
}

/// A launch of a kernel.
#[derive(Debug, Clone)]
pub(super) struct LaunchDraft {
    pub(super) at: Moment,
    pub(super) tensors: Vec<TensorId>,
    pub(super) span: Span,
}

/// A method that ends a pass, or that is given a mapping, on a value that is not known.
#[derive(Debug, Clone, Copy)]
pub(super) struct LostMethod {
    pub(super) place: Span,
    pub(super) mapped: bool,
    pub(super) ends: bool,
}

/// The body while it is being built.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) mappings: SlotTable<Mapping>,
    pub(super) scalars: SlotTable<ElementType>,
    pub(super) tensors: Vec<TensorDraft>,
    pub(super) operations: Vec<OperationDraft>,
    pub(super) unresolved: Vec<Unresolved>,
    /// Methods of the library on values that are not known.
    pub(super) lost: Vec<LostMethod>,
    pub(super) escaping: Vec<TensorId>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) results: Vec<(String, TensorId)>,
    pub(super) launches: Vec<LaunchDraft>,
    pub(super) shortened_loops: Vec<Span>,
    pub(super) unbounded_loops: Vec<Span>,
    pub(super) undecided_exits: Vec<Span>,
    pub(super) foreign: Vec<ForeignCall>,
    pub(super) register_clones: Vec<(TensorId, Span)>,
    /// Least and largest start of each tile by its place; none where one of them is unknown.
    pub(super) tile_starts: FxHashMap<TilePlace, Option<(u64, u64)>>,
    moment: Moment,
}

/// Bytes of a kernel's text to one mapping slot, one tensor and one operation, about as many as kernels have.
const BYTES_OF_EACH: [usize; 3] = [32, 64, 128];
/// Bytes of a text that room is made for; what is longer has room for as much at first.
const ROOM_BYTES: usize = 1 << 20;

impl Draft {
    /// Makes room for what a text of so many bytes may say, so that tables are not copied as they grow.
    pub(super) fn make_room(&mut self, bytes: usize) {
        let [mappings, tensors, operations] =
            BYTES_OF_EACH.map(|each| bytes.min(ROOM_BYTES) / each);
        self.mappings.reserve(mappings);
        self.tensors.reserve(tensors);
        self.operations.reserve(operations);
    }

    /// The next moment.
    pub(super) fn tick(&mut self) -> Moment {
        self.moment = self.moment.saturating_add(1);
        self.moment
    }

    /// The last moment.
    pub(super) const fn now(&self) -> Moment {
        self.moment
    }

    /// The tensor of that number.
    pub(super) fn tensor(&self, id: TensorId) -> Option<&TensorDraft> {
        self.tensors.get(id.0 as usize)
    }

    /// The tensor of that number, to be changed.
    pub(super) fn tensor_mut(&mut self, id: TensorId) -> Option<&mut TensorDraft> {
        self.tensors.get_mut(id.0 as usize)
    }

    /// Adds a tensor.
    pub(super) fn add_tensor(
        &mut self,
        kind: TensorType,
        address: Address,
        origin: OriginDraft,
        span: Span,
    ) -> TensorId {
        let id = TensorId(u32::try_from(self.tensors.len()).unwrap_or(u32::MAX));
        let created = self.tick();
        self.tensors.push(TensorDraft {
            name: None,
            kind,
            address,
            origin,
            span,
            created,
            moved: None,
        });
        id
    }

    /// The tensor that a view (of a view …) is taken of.
    pub(super) fn base_tensor(&self, id: TensorId) -> TensorId {
        let mut base = id;
        for _ in 0..self.tensors.len() {
            match self.tensor(base).map(|tensor| &tensor.origin) {
                Some(OriginDraft::View { of, .. } | OriginDraft::Resized { of, .. }) => base = *of,
                _ => break,
            }
        }
        base
    }

    /// The open or ended pass of that place.
    pub(super) fn pass(&self, operation: usize) -> Option<&PassDraft> {
        match self
            .operations
            .get(operation)
            .map(|operation| &operation.kind)
        {
            Some(KindDraft::Pass(pass)) => Some(pass),
            _ => None,
        }
    }

    /// The same to change, and the operation counts as touched now.
    pub(super) fn pass_mut(&mut self, operation: usize) -> Option<&mut PassDraft> {
        let moment = self.tick();
        let operation = self.operations.get_mut(operation)?;
        operation.touched = moment;
        match &mut operation.kind {
            KindDraft::Pass(pass) => Some(pass),
            _ => None,
        }
    }

    /// Notes why an operation could not be followed to its end; the first reason is.
    pub(super) fn fail(&mut self, operation: usize, reason: UnresolvedReason, span: Span) {
        if let Some(operation) = self.operations.get_mut(operation)
            && operation.failure.is_none()
        {
            operation.failure = Some(Unresolved::at(reason, span));
        }
    }

    /// Makes a tensor's address known to be written where the tensor is moved out of use.
    pub(super) fn mark_moved(&mut self, id: TensorId) {
        let moment = self.tick();
        if let Some(tensor) = self.tensors.get_mut(id.0 as usize)
            && tensor.kind.access == Access::Owned
        {
            tensor.moved.get_or_insert(moment);
        }
    }

    /// The finished body, and what a value that was seen on the way is in it. `body` gives what the function itself says.
    pub(super) fn finish_knowing(
        self,
        body: Body,
        library: Dialect,
        seen: Option<Seen>,
    ) -> (Body, Option<Probed>) {
        let finish = Finish::new(self, library);
        let probed = seen.and_then(|seen| seen.with_final_numbers(&finish.numbers));
        (finish.body(body), probed)
    }
}

/// The levels that tensors of a tier have, each from `slot`.
pub(super) fn levels_of(tier: Tier, mut slot: impl FnMut(Level) -> MappingSlot) -> LevelSlots {
    let of_slice = matches!(tier, Tier::Dm | Tier::Trf | Tier::Vrf);
    let chip = (tier != Tier::Host).then(|| slot(Level::Chip));
    let cluster = (of_slice || tier == Tier::Spm).then(|| slot(Level::Cluster));
    let slice = of_slice.then(|| slot(Level::Slice));
    let pe = (tier == Tier::Spm).then(|| slot(Level::Pe));
    let row = (tier == Tier::Trf).then(|| slot(Level::Row));
    LevelSlots {
        chip,
        cluster,
        slice,
        pe,
        row,
        element: slot(Level::Element),
    }
}
