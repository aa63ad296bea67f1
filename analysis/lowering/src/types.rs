//! Types as lowering needs them: tensors, streams, contexts and what holds them.

use std::sync::Arc;

use crate::hardware::ElementType;
use crate::items::ItemId;
use crate::kernel::dialect::Access;
use crate::kernel::{Context, Level, Position, Tier, Way};

use super::bindings::{Binding, Owner};
use super::slots::{MappingSlot, ScalarSlot};

/// The mapping parameters of a tensor at rest. Levels that the tier does not have are `None`.
#[derive(Debug, Clone, Copy)]
pub(super) struct LevelSlots {
    pub(super) chip: Option<MappingSlot>,
    pub(super) cluster: Option<MappingSlot>,
    pub(super) slice: Option<MappingSlot>,
    pub(super) pe: Option<MappingSlot>,
    pub(super) row: Option<MappingSlot>,
    pub(super) element: MappingSlot,
}

impl LevelSlots {
    /// The slot of a level.
    pub(super) fn get(&self, level: Level) -> Option<MappingSlot> {
        match level {
            Level::Chip => self.chip,
            Level::Cluster => self.cluster,
            Level::Slice => self.slice,
            Level::Pe => self.pe,
            Level::Row => self.row,
            Level::Element => Some(self.element),
            Level::Time | Level::Packet => None,
        }
    }

    /// The same with another slot for a level; levels that the tier does not have stay away.
    pub(super) fn with_level(mut self, level: Level, slot: MappingSlot) -> Self {
        match level {
            Level::Chip => self.chip = self.chip.map(|_| slot),
            Level::Cluster => self.cluster = self.cluster.map(|_| slot),
            Level::Slice => self.slice = self.slice.map(|_| slot),
            Level::Pe => self.pe = self.pe.map(|_| slot),
            Level::Row => self.row = self.row.map(|_| slot),
            Level::Element => self.element = slot,
            Level::Time | Level::Packet => {}
        }
        self
    }

    /// All slots, outermost level first.
    pub(super) fn all_slots(&self) -> impl Iterator<Item = MappingSlot> {
        [
            self.chip,
            self.cluster,
            self.slice,
            self.pe,
            self.row,
            Some(self.element),
        ]
        .into_iter()
        .flatten()
    }
}

/// The shape of a stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShapeSlots {
    pub(super) position: Position,
    pub(super) scalar: ScalarSlot,
    pub(super) chip: MappingSlot,
    pub(super) cluster: MappingSlot,
    pub(super) slice: MappingSlot,
    pub(super) row: Option<MappingSlot>,
    pub(super) time: MappingSlot,
    pub(super) packet: MappingSlot,
    pub(super) way: Option<Way>,
}

impl ShapeSlots {
    /// The slot of a level that streams have.
    pub(super) fn get(&self, level: Level) -> Option<MappingSlot> {
        match level {
            Level::Chip => Some(self.chip),
            Level::Cluster => Some(self.cluster),
            Level::Slice => Some(self.slice),
            Level::Row => self.row,
            Level::Time => Some(self.time),
            Level::Packet => Some(self.packet),
            Level::Element | Level::Pe => None,
        }
    }

    /// The same with another slot for a level that streams have.
    pub(super) fn with_level(mut self, level: Level, slot: MappingSlot) -> Self {
        match level {
            Level::Chip => self.chip = slot,
            Level::Cluster => self.cluster = slot,
            Level::Slice => self.slice = slot,
            Level::Row => self.row = Some(slot),
            Level::Time => self.time = slot,
            Level::Packet => self.packet = slot,
            Level::Element | Level::Pe => {}
        }
        self
    }

    /// All mapping slots, outermost level first.
    pub(super) fn all_slots(&self) -> impl Iterator<Item = MappingSlot> {
        [
            Some(self.chip),
            Some(self.cluster),
            Some(self.slice),
            self.row,
            Some(self.time),
            Some(self.packet),
        ]
        .into_iter()
        .flatten()
    }
}

/// A tensor type.
#[derive(Debug, Clone, Copy)]
pub(super) struct TensorType {
    pub(super) tier: Tier,
    pub(super) access: Access,
    pub(super) scalar: ScalarSlot,
    pub(super) levels: LevelSlots,
}

/// A type, references and lifetimes left out.
#[derive(Debug, Clone)]
pub(super) enum Type {
    /// Not a type that operations are about, or none that could be read.
    Unknown,
    /// `()`.
    Unit,
    /// A number of the host side; its element type if it has one.
    Number(Option<ElementType>),
    /// A tensor or view.
    Tensor(TensorType),
    /// A stream.
    Stream {
        /// Its shape.
        shape: ShapeSlots,
        /// Its context, if the type says it.
        context: Option<Context>,
    },
    /// The whole context.
    Device,
    /// One value in HBM.
    RunTimeValue,
    /// One context; `None` where the function is generic over it.
    Context(Option<Context>),
    /// A tuple.
    Tuple(Vec<Type>),
    /// A struct of the project, its fields, and what its parameters stand for, in order.
    Record(ItemId, Vec<(String, Type)>, Arc<[Binding]>),
    /// An array, a slice or a container, with its length if the type says it.
    Array(Box<Type>, Option<u64>),
}

/// Gives other slots for the slots of a type.
pub(super) trait TakeSlots {
    /// The slot for a mapping.
    fn mapping(&mut self, slot: MappingSlot) -> MappingSlot;
    /// The slot for an element type.
    fn scalar(&mut self, slot: ScalarSlot) -> ScalarSlot;
}

impl LevelSlots {
    fn with_slots(self, slots: &mut impl TakeSlots) -> Self {
        Self {
            chip: self.chip.map(|slot| slots.mapping(slot)),
            cluster: self.cluster.map(|slot| slots.mapping(slot)),
            slice: self.slice.map(|slot| slots.mapping(slot)),
            pe: self.pe.map(|slot| slots.mapping(slot)),
            row: self.row.map(|slot| slots.mapping(slot)),
            element: slots.mapping(self.element),
        }
    }
}

impl ShapeSlots {
    fn with_slots(self, slots: &mut impl TakeSlots) -> Self {
        Self {
            scalar: slots.scalar(self.scalar),
            chip: slots.mapping(self.chip),
            cluster: slots.mapping(self.cluster),
            slice: slots.mapping(self.slice),
            row: self.row.map(|slot| slots.mapping(slot)),
            time: slots.mapping(self.time),
            packet: slots.mapping(self.packet),
            ..self
        }
    }
}

impl Binding {
    fn with_slots(&self, slots: &mut impl TakeSlots) -> Self {
        let owner = self.owner.as_ref().map(|owner| Owner {
            item: owner.item,
            arguments: owner
                .arguments
                .iter()
                .map(|argument| argument.with_slots(slots))
                .collect(),
        });
        Self {
            mapping: slots.mapping(self.mapping),
            scalar: slots.scalar(self.scalar),
            owner,
            ..self.clone()
        }
    }
}

impl Type {
    /// The same type over other slots.
    pub(super) fn with_slots(&self, slots: &mut impl TakeSlots) -> Self {
        match self {
            Self::Tensor(tensor) => Self::Tensor(TensorType {
                scalar: slots.scalar(tensor.scalar),
                levels: tensor.levels.with_slots(slots),
                ..*tensor
            }),
            Self::Stream { shape, context } => Self::Stream {
                shape: shape.with_slots(slots),
                context: *context,
            },
            Self::Tuple(parts) => {
                Self::Tuple(parts.iter().map(|part| part.with_slots(slots)).collect())
            }
            Self::Record(item, fields, generics) => {
                let fields = fields.iter();
                let own = fields.map(|(name, ty)| (name.clone(), ty.with_slots(slots)));
                let own = own.collect();
                let generics = generics.iter();
                let generics = generics.map(|binding| binding.with_slots(slots));
                Self::Record(*item, own, generics.collect())
            }
            Self::Array(inner, length) => Self::Array(Box::new(inner.with_slots(slots)), *length),
            Self::Unknown
            | Self::Unit
            | Self::Number(_)
            | Self::Device
            | Self::RunTimeValue
            | Self::Context(_) => self.clone(),
        }
    }

    /// Whether the type says all of its values that lowering knows: they are tensors, and nothing else.
    pub(super) fn is_tensors_alone(&self) -> bool {
        match self {
            Self::Tensor(_) | Self::Unit => true,
            Self::Tuple(parts) => parts.iter().all(Self::is_tensors_alone),
            Self::Record(_, fields, _) => fields.iter().all(|(_, ty)| ty.is_tensors_alone()),
            _ => false,
        }
    }

    /// Whether values of the type take part in operations.
    pub(super) fn is_device_side(&self) -> bool {
        match self {
            Self::Tensor(_)
            | Self::Stream { .. }
            | Self::Device
            | Self::RunTimeValue
            | Self::Context(_) => true,
            Self::Tuple(parts) => parts.iter().any(Self::is_device_side),
            Self::Record(_, fields, _) => fields.iter().any(|(_, ty)| ty.is_device_side()),
            Self::Array(inner, _) => inner.is_device_side(),
            Self::Unknown | Self::Unit | Self::Number(_) => false,
        }
    }
}
