//! What generic parameters stand for in one call: mappings, element types, axes, contexts, constants.

use std::sync::Arc;

use crate::items::{ConstValue, ItemId};
use crate::kernel::Context;
use crate::mapping::Axis;
use crate::surface::Bound;

use super::slots::{MappingSlot, ScalarSlot};

/// A type of the project that a generic parameter stands for.
#[derive(Debug, Clone)]
pub(super) struct Owner {
    /// The type.
    pub(super) item: ItemId,
    /// What its own parameters stand for, in order.
    pub(super) arguments: Arc<[Binding]>,
}

/// What a generic parameter stands for in one call. Which of the readings is meant, its uses say.
#[derive(Debug, Clone)]
pub(super) struct Binding {
    /// As a mapping.
    pub(super) mapping: MappingSlot,
    /// As an element type.
    pub(super) scalar: ScalarSlot,
    /// As an axis.
    pub(super) axis: Option<Axis>,
    /// As a context, `main` or `sub`.
    pub(super) context: Option<Context>,
    /// As a type of the project.
    pub(super) owner: Option<Owner>,
    /// As a constant.
    pub(super) constant: Option<ConstValue>,
    /// Whether it is declared as a constant: no mapping, and no axis of the same name is hidden by it.
    pub(super) is_constant: bool,
}

impl Bound for Binding {
    fn constant(&self) -> Option<&ConstValue> {
        self.constant.as_ref()
    }

    fn is_constant(&self) -> bool {
        self.is_constant
    }

    fn owner(&self) -> Option<ItemId> {
        self.owner.as_ref().map(|owner| owner.item)
    }
}
