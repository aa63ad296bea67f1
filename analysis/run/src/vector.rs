//! Stages of the Vector Engine.

use visa_arrays::{Array, Fold, Guard, casts};

use crate::derivation::conventions::Conventions;
use crate::derivation::valid_count::{self, Placement};
use crate::hardware::{ElementType, Function};
use crate::items::ConstValue;
use crate::kernel::{
    self, AluOperation, BranchMode, Operand, OperandSource, Pass, Stage, StageKind, TensorId,
    VectorStage, Written,
};

use super::alu::{Computed, Number, Read, Rules, Slot, compute, computed};
use super::cells::{Cells, Copies, carry_out};
use super::halt::{Halt, Step};
use super::machine::{Machine, no_plan};
use super::pass::{Flow, at_index};
use super::plan::{Plan, Wheel, plan};
use super::reduce::{NoReduction, Reduced, fold};
use super::space::Space;
use super::stream::{Stream, stream_space};
use super::tags::{compared_tags, tag_cells, tags_of, toggled_tags};

impl Machine<'_> {
    /// Executes a stage of the Vector Engine.
    pub(super) fn vector_stage(
        &mut self,
        pass: &Pass,
        number: usize,
        stage: &Stage,
        flow: &mut Flow,
    ) -> Step<()> {
        match &stage.kind {
            StageKind::VectorInit | StageKind::VectorFinal => Ok(()),
            StageKind::VectorBranch(mode) => self.branch(mode, stage, flow),
            StageKind::VectorUnzip { axis, .. } => {
                let axis = axis.get().ok_or_else(|| {
                    Halt::refused(stage.span, "the axis of two groups is not known")
                })?;
                self.unzip(&axis.clone(), stage, flow)
            }
            StageKind::VectorAlu(operation) => self.alu(pass, operation, stage, flow),
            StageKind::VectorConvert { to, integer_bits } => {
                self.fixed_point(*to, integer_bits, stage, flow)
            }
            StageKind::VectorReinterpret => {
                for stream in &mut flow.streams {
                    let made = casts::reinterpreted(&stream.cells.array);
                    stream.cells.array = made.ok_or_else(|| {
                        Halt::refused(stage.span, "only `i32` and `f32` are read as each other")
                    })?;
                }
                Ok(())
            }
            StageKind::VectorStash => {
                flow.stash = flow.streams.first().cloned();
                Ok(())
            }
            StageKind::VectorSplit | StageKind::VectorConcat => self.regroup(stage, flow),
            StageKind::VectorTrim | StageKind::VectorPad => self.resize_packet(stage, flow),
            StageKind::VectorIntraReduce { axis, operation } => {
                let axis = axis.get().ok_or_else(|| {
                    Halt::refused(stage.span, "the axis of a reduction is not known")
                })?;
                let reduced = Reduced::InSlice(axis.clone());
                let takes = (self.takes_padding(pass, number), &reduced);
                self.reduce(pass, takes, operation, stage, flow)
            }
            StageKind::VectorInterReduce { operation } => {
                let takes = (true, &Reduced::AcrossSlices);
                self.reduce(pass, takes, operation, stage, flow)
            }
            _ => Err(Halt::refused(
                stage.span,
                format!("stage {number} of the pass is not executed"),
            )),
        }
    }

    fn branch(&mut self, mode: &BranchMode, stage: &Stage, flow: &mut Flow) -> Step<()> {
        let Some(stream) = flow.streams.first() else {
            return Ok(());
        };
        flow.tags = match mode {
            BranchMode::Unconditional => None,
            BranchMode::AxisToggle(path) => {
                let path = path.as_ref().ok_or_else(|| {
                    Halt::refused(stage.span, "the axis that toggles is not known")
                })?;
                Some(toggled_tags(&stream.space, stream.cells.len(), path))
            }
            BranchMode::Comparison(comparisons) => {
                let tags = compared_tags(&stream.cells, comparisons);
                Some(tags.ok_or_else(|| {
                    Halt::refused(
                        stage.span,
                        "a number that elements are compared with is not known",
                    )
                })?)
            }
            BranchMode::ValidCount | BranchMode::Vrf | BranchMode::Unknown => {
                return Err(Halt::refused(
                    stage.span,
                    "this branch mode has no meaning on the CPU",
                ));
            }
        };
        Ok(())
    }

    fn unzip(&mut self, axis: &crate::mapping::Axis, stage: &Stage, flow: &mut Flow) -> Step<()> {
        let Some(stream) = flow.streams.pop() else {
            return Ok(());
        };
        let space = stream_space(&stage.output, stage.span)?;
        for group in 0..2 {
            let part = at_index(&stream.space, axis, group).ok_or_else(|| {
                Halt::refused(stage.span, "the stream lacks the axis of its two groups")
            })?;
            let kept = self.origins.kept.then_some(flow.idle);
            let kind = stream.cells.array.kind();
            let mut cells = Cells::undefined(kind, space.positions(), kept);
            let to = (&space, &mut cells);
            self.move_cells(to, (&part, &stream.cells), Copies::Made, stage.span)?;
            cells.settle();
            flow.streams.push(Stream::new(space.clone(), cells));
        }
        flow.tags = None;
        Ok(())
    }

    fn alu(
        &mut self,
        pass: &Pass,
        operation: &AluOperation,
        stage: &Stage,
        flow: &mut Flow,
    ) -> Step<()> {
        let refused = |what: &str| Halt::refused(stage.span, what);
        let known = operation
            .known_operation(pass.library())
            .ok_or_else(|| refused("the operation is not known"))?;
        let function = computed(known, operation.mode.as_deref()).ok_or_else(|| {
            refused("the operation, or its order of arguments, has no meaning on the CPU")
        })?;
        if operation.zip {
            return self.zip(function, stage, flow);
        }
        for group in 0..flow.streams.len() {
            let empty = Vec::new();
            let operands = operation.operands.get(group).unwrap_or(&empty);
            if operands
                .iter()
                .any(|operand| operand.source == OperandSource::Skip)
            {
                continue;
            }
            let slots = match function {
                Computed::Unary(_) => vec![Slot {
                    guard: guard_of(operation.guard, stage)?,
                    read: Read::Same(Number::Float(0.0)),
                    second: None,
                }],
                Computed::Fused(_) => self.ternary_slots(operands, (group, stage), flow)?,
                _ => self.binary_slots(operands, (group, stage), flow)?,
            };
            if slots.is_empty() {
                return Err(refused("the operand is not known"));
            }
            self.apply(function, &slots, (group, stage), flow)?;
        }
        Ok(())
    }

    fn apply(
        &mut self,
        function: Computed,
        slots: &[Slot],
        (group, stage): (usize, &Stage),
        flow: &mut Flow,
    ) -> Step<()> {
        let Some(stream) = flow.streams.get_mut(group) else {
            return Ok(());
        };
        let is_integer = matches!(stream.cells.array, Array::I32(_));
        if is_integer != matches!(function, Computed::Integer(..)) {
            return Err(Halt::refused(
                stage.span,
                format!(
                    "the operation does not take a stream of {}",
                    stream.cells.array.kind()
                ),
            ));
        }
        let mut rules = Rules {
            arithmetic: self.rules,
            effects: &mut self.effects,
        };
        let cells = stream.take_cells();
        let made = compute(&cells, flow.tags.as_ref(), slots, function, &mut rules);
        let mut made = made.map_err(|stop| {
            Halt::fault(
                stage.span,
                format!("element {} asks for {}", stop.place, stop.fault),
            )
        })?;
        self.fill_with_junk(&mut made);
        if let Some(stream) = flow.streams.get_mut(group) {
            stream.cells = made;
        }
        Ok(())
    }

    /// Two groups become one stream.
    fn zip(&mut self, function: Computed, stage: &Stage, flow: &mut Flow) -> Step<()> {
        let (Some(second), Some(_)) = (flow.streams.pop(), flow.streams.first()) else {
            return Err(Halt::refused(
                stage.span,
                "there are no two groups to be joined",
            ));
        };
        let slots = [Slot {
            guard: Guard::All,
            read: Read::Each(second.cells),
            second: None,
        }];
        self.apply(function, &slots, (0, stage), flow)
    }

    fn binary_slots(
        &mut self,
        operands: &[Operand],
        (group, stage): (usize, &Stage),
        flow: &mut Flow,
    ) -> Step<Vec<Slot>> {
        let says_nothing = |operand: &Operand| operand.guard.or(operand.group).is_none();
        if operands.len() > 1 && operands.iter().any(says_nothing) {
            return Err(Halt::refused(
                stage.span,
                "which elements an operand of a list is for is not known",
            ));
        }
        let mut slots = Vec::new();
        for operand in operands {
            slots.push(Slot {
                guard: guard_of(operand.guard.or(operand.group), stage)?,
                read: self.read(operand, (group, stage), flow)?,
                second: None,
            });
        }
        Ok(slots)
    }

    /// Operands in pairs: what is read, and the constant beside it.
    fn ternary_slots(
        &mut self,
        operands: &[Operand],
        (group, stage): (usize, &Stage),
        flow: &mut Flow,
    ) -> Step<Vec<Slot>> {
        let mut slots = Vec::new();
        for pair in operands.chunks(2) {
            let [operand, constant] = pair else {
                return Err(Halt::refused(
                    stage.span,
                    "an operand has no constant beside it",
                ));
            };
            let second = match &constant.number {
                Some(ConstValue::Float(value)) => value.single(),
                _ => {
                    return Err(Halt::refused(
                        constant.span,
                        "the constant of an operation with three operands is not known",
                    ));
                }
            };
            slots.push(Slot {
                guard: guard_of(operand.guard.or(operand.group), stage)?,
                read: self.read(operand, (group, stage), flow)?,
                second: Some(second),
            });
        }
        Ok(slots)
    }

    /// What an operand reads, in the order of the stream.
    fn read(
        &mut self,
        operand: &Operand,
        (group, stage): (usize, &Stage),
        flow: &mut Flow,
    ) -> Step<Read> {
        let Some(stream) = flow.streams.get(group) else {
            return Err(Halt::refused(stage.span, "the stream is not known"));
        };
        let space = stream.space.clone();
        let is_integer = matches!(stream.cells.array, Array::I32(_));
        match &operand.source {
            OperandSource::Constant(_) => {
                let number = operand
                    .number
                    .as_ref()
                    .and_then(|number| number_of(number, is_integer));
                let number = number.ok_or_else(|| {
                    Halt::refused(operand.span, "the value of this operand is not known")
                })?;
                Ok(Read::Same(number))
            }
            OperandSource::Vrf(id) => {
                let cells = self.register(*id, &space, (flow, stage))?;
                Ok(Read::Each(cells))
            }
            OperandSource::Stash => {
                let stash = flow.stash.take().ok_or_else(|| {
                    Halt::refused(
                        operand.span,
                        "nothing is in the stash, or it was read before",
                    )
                })?;
                let from = (&stash.space, stash.cells);
                let cells = self.moved(&space, from, (flow.idle, stage.span))?;
                Ok(Read::Each(cells))
            }
            OperandSource::Skip | OperandSource::Unknown => {
                Err(Halt::refused(operand.span, "this operand is not followed"))
            }
        }
    }

    /// A register tensor in the order of a stream.
    fn register(
        &mut self,
        id: TensorId,
        space: &Space,
        (flow, stage): (&mut Flow, &Stage),
    ) -> Step<Cells> {
        let view = self.source(id)?;
        let from = self.memory.store(view.root);
        let from = from.ok_or_else(|| Halt::refused(stage.span, "a register is not known"))?;
        let own = view.space.in_units_of(space);
        let plan = plan(space, &own).map_err(|reason| no_plan(&reason, stage.span))?;
        let made = (space.positions(), flow.idle);
        let cells = self.moved_by_plan(&plan, from, made, stage.span)?;
        flow.read.push(view.root);
        Ok(cells)
    }

    fn fixed_point(
        &mut self,
        to: VectorStage,
        bits: &Written<u64>,
        stage: &Stage,
        flow: &mut Flow,
    ) -> Step<()> {
        let bits = bits.get().and_then(|bits| u32::try_from(*bits).ok());
        let bits = bits.filter(|bits| *bits <= 31).ok_or_else(|| {
            Halt::refused(
                stage.span,
                "how many bits are before the point is not known",
            )
        })?;
        for stream in &mut flow.streams {
            let made = match (to, &stream.cells.array) {
                (VectorStage::FxpToFp, Array::I32(values)) => {
                    Array::F32(casts::floats_from_fixed(values, bits))
                }
                (VectorStage::FpToFxp, Array::F32(values)) => {
                    Array::I32(casts::fixed_from_floats(values, bits))
                }
                (_, array) => {
                    return Err(Halt::refused(
                        stage.span,
                        format!("the conversion does not take a stream of {}", array.kind()),
                    ));
                }
            };
            stream.cells.array = made;
        }
        Ok(())
    }

    /// Packets in halves, or halves joined: the elements stay in their order, padding too.
    fn regroup(&mut self, stage: &Stage, flow: &mut Flow) -> Step<()> {
        let space = stream_space(&stage.output, stage.span)?;
        let Some(stream) = flow.streams.first() else {
            return Ok(());
        };
        let moves = plan(&space, &stream.space).map_err(|reason| no_plan(&reason, stage.span))?;
        if stays_in_place(&moves) && space.positions() == stream.cells.len() {
            for stream in &mut flow.streams {
                stream.space = space.clone();
            }
            return Ok(());
        }
        self.move_tags(&space, stage, flow)?;
        self.relayout(flow, stage)
    }

    /// The first lanes of packets, or more lanes behind them.
    fn resize_packet(&mut self, stage: &Stage, flow: &mut Flow) -> Step<()> {
        let space = stream_space(&stage.output, stage.span)?;
        let packet = |space: &Space| space.levels.last().map_or(1, super::space::LevelPart::size);
        let to = packet(&space);
        let Some(from) = flow.streams.first().map(|stream| packet(&stream.space)) else {
            return Ok(());
        };
        let rows = space.positions() / to.max(1);
        let is_alike = flow
            .streams
            .iter()
            .all(|stream| stream.cells.len() == rows * from);
        if !is_alike {
            self.move_tags(&space, stage, flow)?;
            return self.relayout(flow, stage);
        }
        let lanes = Plan::Wheels {
            target: 0,
            source: 0,
            wheels: vec![
                Wheel {
                    count: rows,
                    target: to,
                    source: from,
                    copies: false,
                },
                Wheel {
                    count: to.min(from),
                    target: 1,
                    source: 1,
                    copies: false,
                },
            ],
        };
        let kept = self.origins.kept.then_some(flow.idle);
        let resized = |cells: &Cells| {
            let mut own = Cells::undefined(cells.array.kind(), rows * to, kept);
            let moved = carry_out(&lanes, &mut own, cells, Copies::Made);
            own.settle();
            moved.map(|()| own)
        };
        let outside = |_| Halt::refused(stage.span, "the lanes of a packet are not as declared");
        if let Some(tags) = flow.tags.take() {
            let cells = resized(&tag_cells(tags)).map_err(outside)?;
            flow.tags = Some(tags_of(cells));
        }
        for stream in &mut flow.streams {
            stream.cells = resized(&stream.cells).map_err(outside)?;
            stream.space = space.clone();
        }
        for stream in &mut flow.streams {
            self.fill_with_junk(&mut stream.cells);
        }
        Ok(())
    }

    fn move_tags(&mut self, space: &Space, stage: &Stage, flow: &mut Flow) -> Step<()> {
        let (Some(tags), Some(stream)) = (flow.tags.take(), flow.streams.first()) else {
            return Ok(());
        };
        let from = (&stream.space, tag_cells(tags));
        let cells = self.moved(space, from, (flow.idle, stage.span))?;
        flow.tags = Some(tags_of(cells));
        Ok(())
    }

    /// Whether a reduction in the slice takes in padding: the book's library has a valid count leave it out where there is one.
    fn takes_padding(&self, pass: &Pass, number: usize) -> bool {
        if !Conventions::of(self.body.dialect).leaves_padding_out() {
            return true;
        }
        let counts = valid_count::derive_valid_counts(pass).reduces;
        !counts.iter().any(|count| {
            count.stage == number && matches!(count.placement, Placement::Supported(_))
        })
    }

    fn reduce(
        &mut self,
        pass: &Pass,
        (takes_padding, reduced): (bool, &Reduced),
        operation: &Written<(String, String)>,
        stage: &Stage,
        flow: &mut Flow,
    ) -> Step<()> {
        let refused = |what: String| Halt::refused(stage.span, what);
        let Some(stream) = flow.streams.pop() else {
            return Ok(());
        };
        let (enumeration, variant) = operation
            .get()
            .ok_or_else(|| refused("the operation of a reduction is not known".to_owned()))?;
        let names = pass.library().operations();
        let found = names.find(enumeration, variant, None);
        let known = found.and_then(|found| {
            let in_slice = matches!(reduced, Reduced::InSlice(_));
            fold_of(
                found.operation.function,
                found.operation.element_type,
                in_slice,
            )
        });
        let known = known.ok_or_else(|| refused(format!("`{variant}` is no reduction")))?;
        let output = stream_space(&stage.output, stage.span)?;
        let folded = fold(
            &stream.space,
            &stream.cells,
            &output,
            (reduced, known, takes_padding),
            flow.idle,
        )
        .map_err(|reason| match reason {
            NoReduction::Drops(axis) => refused(format!(
                "the result lacks `{}`, which is not reduced",
                axis.name()
            )),
            NoReduction::Opaque => refused(
                "a reduction over a mapping that a size cuts across has too many elements to be followed one by one".to_owned(),
            ),
        })?;
        let kept = self.origins.kept.then_some(flow.idle);
        let kind = folded.cells.array.kind();
        let mut cells = Cells::undefined(kind, output.positions(), kept);
        cells.array = match cells.array {
            Array::F32(elements) => Array::F32(vec![known.identity_of_floats(); elements.len()]),
            Array::I32(elements) => Array::I32(vec![known.identity_of_integers(); elements.len()]),
            other => other,
        };
        let to = (&output, &mut cells);
        self.move_cells(to, (&folded.space, &folded.cells), Copies::Made, stage.span)?;
        cells.settle();
        self.fill_with_junk(&mut cells);
        // A result has the tag of the last element that it takes in; a reduction over slices resets tags.
        flow.tags = match (flow.tags.take(), reduced) {
            (Some(tags), Reduced::InSlice(_)) => {
                let own = tags.of_places(&folded.last);
                let mut tags = Cells::defined(Array::F8E4M3(vec![0; output.positions()]));
                let to = (&output, &mut tags);
                self.move_cells(
                    to,
                    (&folded.space, &tag_cells(own)),
                    Copies::Made,
                    stage.span,
                )?;
                Some(tags_of(tags))
            }
            _ => None,
        };
        flow.streams.push(Stream::new(output, cells));
        Ok(())
    }
}

/// The fold that a function of the machine is; inside of a slice sums of integers are cut at each step.
const fn fold_of(function: Function, element: ElementType, in_slice: bool) -> Option<Fold> {
    Some(match function {
        Function::Add if in_slice && matches!(element, ElementType::I32) => Fold::AddSaturating,
        Function::Add => Fold::Add,
        Function::AddSaturated => Fold::AddSaturating,
        Function::Maximum => Fold::Max,
        Function::Minimum => Fold::Min,
        Function::Multiply | Function::MultiplyIntegers => Fold::Multiply,
        _ => return None,
    })
}

/// Whether a plan leaves each element where it is.
fn stays_in_place(plan: &Plan) -> bool {
    match plan {
        Plan::Wheels {
            target,
            source,
            wheels,
        } => target == source && wheels.iter().all(|wheel| wheel.target == wheel.source),
        Plan::Listed(pairs) => pairs.iter().all(|pair| pair.target == pair.source),
    }
}

/// A guard as the arithmetic has it.
fn guard_of(guard: Option<kernel::Guard>, stage: &Stage) -> Step<Guard> {
    Ok(match guard {
        None | Some(kernel::Guard::All) => Guard::All,
        Some(kernel::Guard::Group(group)) => Guard::Group(group == 1),
        Some(kernel::Guard::Matches(bits)) => Guard::Matches(bits),
        Some(kernel::Guard::NotMatches(bits)) => Guard::NotMatches(bits),
        Some(kernel::Guard::Unknown) => {
            return Err(Halt::refused(
                stage.span,
                "the guard of an operand is not followed",
            ));
        }
    })
}

/// A constant as a number of a stream.
fn number_of(value: &ConstValue, is_integer: bool) -> Option<Number> {
    match (value, is_integer) {
        (ConstValue::Int(value), true) => i32::try_from(*value).ok().map(Number::Integer),
        (ConstValue::Float(value), false) => Some(Number::Float(value.single())),
        _ => None,
    }
}
