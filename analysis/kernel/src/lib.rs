//! Kernels as typed operations over mappings.
//!
//! Knows what a function body does with tensors: which transfers and passes it runs, in which order, over which
//! mappings and addresses, and where each of these is written. It does not know what the machine makes of them
//! (that is `derivation`), nor which of them is wrong (that is `rules`).
//! `lowering` makes these operations; derivations, the simulation, rules, runs and editors read them.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]

// The crates below, by the names of their rooms.
use visa_base::names;
use visa_hardware as hardware;
use visa_inputs as inputs;
use visa_inputs::db;
use visa_items as items;
use visa_libraries as libraries;
use visa_mapping as mapping;
use visa_syntax as syntax;

// The name by which `testing` is compiled in the crates above too.
#[cfg(test)]
extern crate self as visa_kernel;

pub mod catalogue;
mod dataflow;
pub mod dialect;
mod element_places;
mod operation;
mod stage;
mod tensor;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod testing_body;

pub use catalogue::{CanonicalStage, Engine};
pub use dataflow::{comes_from_outside, holds_each_element_once, tensors_varying_along};
pub use element_places::{ElementPlace, element_places};

pub use operation::{
    Body, BranchArm, Collective, CollectiveWork, Copy, DeviceAttribute, ForeignCall, ForeignCallee,
    Given, Launch, LoopFrame, Operation, OperationId, OperationKind, Parameter, Parts, Pass,
    PassEnd, PassSource, RedistributionStep, Rows, Unresolved, UnresolvedReason,
};
pub use stage::{
    AccumulationKind, AluOperation, BranchMode, Comparison, Guard, Operand, OperandSource,
    Position, Stage, StageKind, StreamShape, SwitchConfig, SwitchParameter, SwitchTopology,
    VectorStage, Way, ZeroPoint,
};
pub use tensor::{
    Address, AddressValue, Context, Level, Levels, Origin, Tensor, TensorId, Tier, TileWindow,
    TrfAddress,
};

use crate::items::Span;

/// A value together with the place where it is written.
///
/// `value` is `None` where it could not be resolved; the place is still good for related information.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Written<T> {
    /// What is written there, if it could be resolved.
    pub value: Option<T>,
    /// Where: the type argument in a turbofish, annotation, return type or alias, else the method's name.
    pub span: Span,
    /// Where an alias that holds the value is used; `span` is then the place in the alias.
    pub used_at: Option<Span>,
}

impl<T> Written<T> {
    /// A resolved value at a place.
    pub const fn new(value: T, span: Span) -> Self {
        Self {
            value: Some(value),
            span,
            used_at: None,
        }
    }

    /// A place whose value is unknown.
    pub const fn unknown(span: Span) -> Self {
        Self {
            value: None,
            span,
            used_at: None,
        }
    }

    /// The value, if known.
    pub const fn get(&self) -> Option<&T> {
        self.value.as_ref()
    }
}
