//! The Vector Engine over a pass: stages, ways, ALUs, stash, shapes, operands.
//!
//! Walks the stages of one pass as the engine's pipeline is laid out and notes what each does and what it cannot do. A
//! fault does not stop the walk: later stages go on from what is declared, and what would only repeat an earlier fault is
//! left out. Valid counts of padded reductions are derived in [`super::valid_count`].

mod lanes;
mod operands;
mod operations;
mod reduce;
mod register_read;
#[cfg(test)]
mod register_tests;
mod shapes;
pub mod slots;
pub mod stages;
mod state;
#[cfg(test)]
mod tests;
mod violation;

use super::conventions::Conventions;
use crate::hardware::{Alu, ElementType};
use crate::items::Span;
use crate::kernel::{
    Body, BranchMode, Pass, PassSource, Stage, StageKind, StreamShape, VectorStage, Way,
};

pub use lanes::{
    Shape, came_by_split, follow_block, halves, is_widened, lanes_made, lanes_taken, narrow_lanes,
    widen_lanes, widens,
};
pub use reduce::ACCUMULATOR_SLOTS;
#[cfg(test)]
pub use reduce::accumulator_slots;
pub use shapes::without_axis;
pub use state::{EngineState, Groups};
pub use violation::{
    InterFault, Mismatch, StashFault, TwoGroupFault, VectorFault, VectorViolation,
};

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VectorDerivation {
    /// What each stage of the engine does, in order.
    pub steps: Vec<VectorStep>,
    /// What the engine cannot do.
    pub violations: Vec<VectorViolation>,
    /// Whether more of the body was looked at than the pass and its tensors, so that the same pass of another body may be judged otherwise.
    pub reads_body: bool,
}

impl VectorDerivation {
    /// What the stage of that number does.
    pub fn step_at(&self, stage: usize) -> Option<&VectorStep> {
        self.steps.iter().find(|step| step.stage == stage)
    }
}

/// What one stage of the engine does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorStep {
    /// The stage's number in the pass.
    pub stage: usize,
    /// The stage of the engine that the stream has reached then.
    pub reached: VectorStage,
    /// The lanes that the stage takes.
    pub way: Way,
    /// The ALU it uses.
    pub alu: Option<Alu>,
    /// Accumulator slots of an intra-slice reduce.
    pub slots: Option<u64>,
    /// How many values a reduce makes one of: iterations of an intra-slice reduce, slices of a reduce across slices.
    pub reduced: Option<u64>,
}

/// Derives it.
pub fn derive_vector(body: &Body, pass: &Pass) -> VectorDerivation {
    let mut walk = Walk::new(body, pass);
    walk.stages();
    walk.derived
}

/// A taken stash.
#[derive(Debug, Clone, Copy)]
struct Stashed<'a> {
    /// Where it was taken.
    taken: Span,
    /// What was stashed.
    shape: &'a StreamShape,
    /// In how many lanes, where that is known.
    way: Option<Way>,
    /// The operand that read it.
    read: Option<Span>,
}

struct Walk<'a> {
    body: &'a Body,
    pass: &'a Pass,
    derived: VectorDerivation,
    state: EngineState,
    stash: Option<Stashed<'a>>,
    /// What was stashed before the first stage is not known, or a stash was refused already.
    stash_unknown: bool,
    /// The lanes of the packet are as the stages take them to be; not so behind a fault.
    lanes_known: bool,
}

impl<'a> Walk<'a> {
    fn new(body: &'a Body, pass: &'a Pass) -> Self {
        let state = EngineState::before_pass(pass);
        Self {
            body,
            pass,
            derived: VectorDerivation::default(),
            stash: None,
            stash_unknown: state.reached.is_some(),
            lanes_known: true,
            state,
        }
    }

    fn stages(&mut self) {
        self.given_packet();
        for (index, stage) in self.pass.stages.iter().enumerate() {
            self.stage(index, stage);
        }
    }

    fn push_fault(&mut self, stage: usize, span: Span, fault: VectorFault) {
        self.derived
            .violations
            .push(VectorViolation { stage, span, fault });
    }

    fn input(&self, index: usize) -> &'a StreamShape {
        self.pass.input_of(index)
    }

    /// The stream's type, if it is one that the engine computes on.
    fn stream_type(&self, index: usize) -> Option<ElementType> {
        self.input(index)
            .element_type
            .get()
            .copied()
            .filter(|found| matches!(found, ElementType::I32 | ElementType::F32))
    }

    fn stage(&mut self, index: usize, stage: &'a Stage) {
        match &stage.kind {
            StageKind::VectorInit => self.init(index, stage),
            StageKind::VectorBranch(mode) => self.branch(index, stage, mode),
            StageKind::VectorUnzip { .. } => self.unzip(index, stage),
            StageKind::VectorAlu(operation) => self.alu(index, stage, operation),
            StageKind::VectorConvert { .. } => self.convert(index, stage),
            StageKind::VectorStash => self.take_stash(index, stage),
            StageKind::VectorFilter => self.filter(index, stage),
            StageKind::VectorSplit | StageKind::VectorTrim => {
                self.lanes(index, stage, VectorStage::Narrow);
            }
            StageKind::VectorConcat | StageKind::VectorPad => {
                self.lanes(index, stage, VectorStage::Widen);
            }
            StageKind::VectorIntraReduce { operation, .. } => {
                self.intra_reduce(index, stage, operation.get());
            }
            StageKind::VectorInterReduce { operation } => {
                self.inter_reduce(index, stage, operation.get());
            }
            StageKind::VectorFinal => self.leave_engine(index, stage),
            // The other engines' stages.
            _ => {}
        }
    }

    // ---- Entry and exit. ----

    fn init(&mut self, index: usize, stage: &Stage) {
        let input = self.input(index);
        if let Some(&found) = input.element_type.get()
            && self.stream_type(index).is_none()
        {
            let written = input.element_type.span;
            self.push_fault(index, stage.span, VectorFault::Type { found, written });
            self.lanes_known = false;
        }
        self.entering_packet(index);
    }

    /// A packet of another size than 8 elements. What an engine of the same pass hands on is that engine's fault.
    fn entering_packet(&mut self, index: usize) {
        let input = self.input(index);
        let Some(packet) = crate::forms::known_form(&input.packet) else {
            return;
        };
        if packet.size() == Way::Way8.lanes() {
            return;
        }
        if index == 0 && self.lanes_known {
            let expected = crate::forms::known_form(&input.time)
                .and_then(|time| lanes::packet_of_eight(time, packet));
            let fault = VectorFault::Packet {
                elements: packet.size(),
                expected,
                time: input.time.span,
            };
            self.push_fault(index, input.packet.span, fault);
        }
        self.lanes_known = false;
    }

    /// A stream that a stage function takes at an 8-lane stage, with another packet.
    fn given_packet(&mut self) {
        if self.state.reached.is_some() && self.state.way == Some(Way::Way8) {
            self.entering_packet(0);
        }
    }

    fn branch(&mut self, index: usize, stage: &'a Stage, mode: &BranchMode) {
        self.entering_packet(index);
        if let (Some(stream), BranchMode::Comparison(types)) = (self.stream_type(index), mode)
            && let Some(other) = types
                .iter()
                .filter_map(|comparison| comparison.element_type)
                .find(|compared| *compared != stream)
        {
            let words = self.pass.library().words;
            let fault = VectorFault::OperationType {
                entered: VectorStage::Branch,
                operation: words.comparison_of(other),
                stream,
                alternatives: vec![words.comparison_of(stream)],
            };
            self.push_fault(index, stage.span, fault);
        }
        if let Some(from) = self.state.reached.filter(|_| !self.state.may_begin()) {
            self.out_of_order(index, stage, VectorStage::Branch, from);
        }
        self.begin_block(index, Groups::Single);
        self.arrive(index, stage, VectorStage::Branch, None);
    }

    fn unzip(&mut self, index: usize, stage: &'a Stage) {
        self.entering_packet(index);
        if let Some(from) = self.state.reached {
            self.out_of_order(index, stage, VectorStage::Branch, from);
        }
        let conventions = Conventions::of(self.pass.dialect);
        if let Some((span, fault)) = shapes::unzip_fault(self.input(index), stage, conventions) {
            // An axis that `begin_interleaved` names is judged there.
            let judged = matches!(
                (&fault, &self.pass.source),
                (
                    VectorFault::TwoGroup(TwoGroupFault::AxisSize { axis, .. }),
                    PassSource::Interleaved { axis: source, .. },
                ) if source.get().is_some_and(|source| source.name() == axis)
            );
            if !judged {
                self.push_fault(index, span, fault);
            }
        }
        self.begin_block(index, Groups::Pair);
        self.state.unzip = Some(stage.span);
        self.arrive(index, stage, VectorStage::Branch, None);
    }

    /// A block of stages begins.
    fn begin_block(&mut self, index: usize, groups: Groups) {
        self.state.groups = groups;
        self.state.fresh_zip = false;
        self.state.entered = self.input(index).element_type.get().copied();
    }

    fn leave_engine(&mut self, index: usize, stage: &Stage) {
        if !self.state.has_lanes(Way::Way8) {
            self.push_fault(
                index,
                stage.span,
                VectorFault::Way {
                    entered: None,
                    needs: Way::Way8,
                },
            );
        }
        self.state.reached = None;
    }

    // ---- Order and lanes. ----

    fn out_of_order(
        &mut self,
        index: usize,
        stage: &Stage,
        entered: VectorStage,
        from: VectorStage,
    ) {
        let fault = VectorFault::StageOrder {
            entered,
            from,
            earlier: self.state.reached_at,
            allowed: stages::followers(from),
        };
        self.push_fault(index, stage.span, fault);
    }

    /// Whether a stage can be entered; notes why not.
    fn enter_stage(&mut self, index: usize, stage: &Stage, entered: VectorStage) -> bool {
        if let Some(from) = self.state.reached
            && !self.state.may_follow(entered)
        {
            self.out_of_order(index, stage, entered, from);
            self.lanes_known = false;
            return false;
        }
        let needs = stages::way_into(entered);
        if !self.state.has_lanes(needs) {
            self.push_fault(
                index,
                stage.span,
                VectorFault::Way {
                    entered: Some(entered),
                    needs,
                },
            );
            self.lanes_known = false;
            return false;
        }
        true
    }

    fn arrive(&mut self, index: usize, stage: &Stage, reached: VectorStage, alu: Option<Alu>) {
        self.state.reached = Some(reached);
        self.state.reached_at = Some(stage.span);
        self.state.way = self.lanes_known.then(|| stages::way_out_of(reached));
        self.derived.steps.push(VectorStep {
            stage: index,
            reached,
            way: stages::way_into(reached),
            alu,
            slots: None,
            reduced: None,
        });
    }

    fn lanes(&mut self, index: usize, stage: &'a Stage, entered: VectorStage) {
        let mut as_made = self.enter_stage(index, stage, entered);
        let time = &self.input(index).time;
        if as_made
            && matches!(stage.kind, StageKind::VectorConcat)
            && Conventions::of(self.pass.dialect).joins_pairs_of_steps()
            && let Some(steps) = time.get().map(crate::mapping::Mapping::size)
            && !steps.is_multiple_of(2)
        {
            self.push_fault(index, stage.span, VectorFault::OddTime { steps });
            as_made = false;
        } else if as_made
            && self.lanes_known
            && let Some((span, fault)) = shapes::lanes_fault(self.input(index), stage)
        {
            self.push_fault(index, span, fault);
            as_made = false;
        }
        // From here on the packet is as declared, unless that is what is wrong.
        self.lanes_known = as_made;
        self.arrive(index, stage, entered, None);
    }

    fn filter(&mut self, index: usize, stage: &'a Stage) {
        if self.state.groups == Groups::Single {
            self.enter_stage(index, stage, VectorStage::Filter);
        } else {
            self.no_groups(index, stage);
        }
        self.arrive(index, stage, VectorStage::Filter, None);
    }

    fn no_groups(&mut self, index: usize, stage: &Stage) {
        let fault = TwoGroupFault::Method {
            zipped: self.state.groups == Groups::Zipped,
            unzip: self.state.unzip,
        };
        self.push_fault(index, stage.span, VectorFault::TwoGroup(fault));
    }

    // ---- Reductions. ----

    fn intra_reduce(
        &mut self,
        index: usize,
        stage: &'a Stage,
        operation: Option<&(String, String)>,
    ) {
        let mut slots = None;
        if self.enter_stage(index, stage, VectorStage::IntraSliceReduce) {
            self.reduce_type(index, stage, VectorStage::IntraSliceReduce, operation);
            if Conventions::of(self.pass.dialect).reduces_without_padding()
                && let Some((span, fault)) = reduce::padded_axis_fault(self.input(index), stage)
            {
                self.push_fault(index, span, fault);
            }
            let (needed, fault) = reduce::intra_slots(self.input(index), stage);
            slots = needed;
            if let Some((span, fault)) = fault {
                self.push_fault(index, span, fault);
            }
            if self.lanes_known
                && let Some((span, fault)) = reduce::intra_output(self.input(index), stage)
            {
                self.push_fault(index, span, fault);
            }
        }
        self.arrive(
            index,
            stage,
            VectorStage::IntraSliceReduce,
            Some(Alu::ReduceAccTree),
        );
        if let Some(step) = self.derived.steps.last_mut() {
            step.slots = slots;
            step.reduced = reduce::reduced_iterations(self.pass.input_of(index), stage);
        }
    }

    fn reduce_type(
        &mut self,
        index: usize,
        stage: &Stage,
        entered: VectorStage,
        operation: Option<&(String, String)>,
    ) {
        let span = match &stage.kind {
            StageKind::VectorIntraReduce { operation, .. }
            | StageKind::VectorInterReduce { operation } => operation.span,
            _ => stage.span,
        };
        if let Some((enumeration, variant)) = operation {
            self.operation_type(index, entered, (enumeration, variant), span);
        }
    }

    fn inter_reduce(
        &mut self,
        index: usize,
        stage: &'a Stage,
        operation: Option<&(String, String)>,
    ) {
        let entered = VectorStage::InterSliceReduce;
        match self.state.reached {
            Some(from) if !self.state.has_place_across() => {
                let fault = VectorFault::InterStage {
                    from,
                    earlier: self.state.across,
                };
                self.push_fault(index, stage.span, fault);
            }
            Some(from) if !self.state.may_follow(entered) => {
                self.out_of_order(index, stage, entered, from);
            }
            _ => {
                self.reduce_type(index, stage, entered, operation);
                let conventions = Conventions::of(self.pass.dialect);
                let fault = reduce::inter_output(self.input(index), stage, conventions);
                if let Some((span, fault)) = fault {
                    self.push_fault(index, span, fault);
                }
            }
        }
        self.state.intra_first |=
            self.state.reached.is_some_and(|from| from != entered) && self.state.across.is_none();
        self.state.across = Some(stage.span);
        self.state.used.clear();
        self.stash = None;
        self.state.stashed = false;
        self.state.fresh_zip = false;
        self.state.groups = Groups::Single;
        self.arrive(index, stage, entered, None);
        if let Some(step) = self.derived.steps.last_mut() {
            step.reduced = reduce::reduced_slices(self.pass.input_of(index), stage);
        }
    }
}
