//! How far a pass has come in the Vector Engine, and which stages it may enter from there.
//!
//! The checker's walk and completion ask the same predicates here. What a library allows beyond the engine (types of the stash,
//! methods behind a zip) and the shapes of packets are not known here.

use crate::hardware::{Alu, ElementType};
use crate::items::Span;
use crate::kernel::{Body, Pass, PassSource, Position, VectorStage, Way};

use super::{Walk, stages};

/// How many streams the pass runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Groups {
    /// One stream.
    Single,
    /// Two streams behind an unzip.
    Pair,
    /// One stream, which a zip made of two.
    Zipped,
}

/// How far a pass has come in the engine.
#[derive(Debug, Clone)]
pub struct EngineState {
    /// The stage reached; `None` outside of the engine and before its first stage.
    pub reached: Option<VectorStage>,
    /// The method that reached it.
    pub reached_at: Option<Span>,
    /// The lanes of the stream; `None` behind a stage that could not be entered.
    pub way: Option<Way>,
    /// How many streams there are.
    pub groups: Groups,
    /// The unzip of the pass.
    pub unzip: Option<Span>,
    /// The reduction across slices of the pass.
    pub across: Option<Span>,
    /// An intra-slice block came before it, so that none may follow.
    pub intra_first: bool,
    /// The element type with which the block of stages was entered, if it is known.
    pub entered: Option<ElementType>,
    /// The last operation was a zip.
    pub fresh_zip: bool,
    /// The ALUs that are taken, with the operations that took them.
    pub used: Vec<(Alu, Span)>,
    /// A stash was taken, whether or not an operand has read it: the libraries have one a block of stages.
    pub stashed: bool,
}

impl EngineState {
    /// The state before the first stage of a pass.
    pub(super) fn before_pass(pass: &Pass) -> Self {
        let (reached, groups) = match &pass.source {
            PassSource::Parameter {
                position: Position::Vector(stage),
            } => (Some(*stage), Groups::Single),
            PassSource::Parameter {
                position: Position::VectorPair(stage),
            } => (Some(*stage), Groups::Pair),
            PassSource::Parameter { .. }
            | PassSource::Tensor(_)
            | PassSource::Interleaved { .. } => (None, Groups::Single),
        };
        let way = pass
            .begin
            .way
            .unwrap_or_else(|| reached.map_or(Way::Way8, stages::way_out_of));
        Self {
            reached,
            reached_at: None,
            way: Some(way),
            groups,
            unzip: None,
            across: None,
            intra_first: false,
            entered: None,
            fresh_zip: false,
            used: Vec::new(),
            stashed: false,
        }
    }

    /// The state behind the last stage of a pass, faults and all.
    pub fn after_pass(body: &Body, pass: &Pass) -> Self {
        let mut walk = Walk::new(body, pass);
        walk.stages();
        walk.state
    }

    /// Whether a block of stages may begin: as the first, or behind a reduction across slices that came first.
    pub fn may_begin(&self) -> bool {
        match self.reached {
            Some(VectorStage::InterSliceReduce) => !self.intra_first,
            Some(_) => false,
            None => true,
        }
    }

    /// Whether a stage may follow the one reached.
    pub fn may_follow(&self, entered: VectorStage) -> bool {
        self.reached
            .is_none_or(|from| stages::may_follow(from, entered))
    }

    /// Whether the stream has the lanes that a stage takes, as far as they are known.
    pub fn has_lanes(&self, needs: Way) -> bool {
        self.reached.is_none() || self.way.is_none_or(|way| way == needs)
    }

    /// Whether a reduction across slices has its place here: once a pass, and on eight lanes.
    pub fn has_place_across(&self) -> bool {
        self.reached.is_none_or(|from| {
            self.across.is_none()
                && from != VectorStage::InterSliceReduce
                && self.way != Some(Way::Way4)
        })
    }

    /// Whether the stream may be stashed behind the stage reached. Whether there is a stash already is not asked.
    pub fn may_stash(&self) -> bool {
        self.groups == Groups::Single && self.reached.is_none_or(stages::is_stashable)
    }

    /// The operation that took an ALU.
    pub fn taken_by(&self, alu: Alu) -> Option<Span> {
        let mut used = self.used.iter();
        used.find(|(used, _)| *used == alu).map(|(_, span)| *span)
    }

    /// An operation took an ALU, if none had it.
    pub(super) fn take_alu(&mut self, alu: Alu, operation: Span) {
        if self.taken_by(alu).is_none() {
            self.used.push((alu, operation));
        }
    }
}
