//! A pass of the tensor unit: a stream from a tensor, its stages, and the tensor that takes it.

use visa_arrays::casts;

use crate::derivation::conventions::Conventions;
use crate::derivation::provenance::padding::masks_contracted_padding;
use crate::items::Span;
use crate::kernel::{
    AluOperation, Level, Operand, OperandSource, Operation, OperationId, Pass, PassSource, Stage,
    StageKind, StreamShape, TensorId,
};
use crate::mapping::Axis;

use super::alu::Tags;
use super::cells::{Cells, Copies, OriginId};
use super::contract::{Factor, NoContraction, Products, contract};
use super::halt::{Halt, Step};
use super::machine::Machine;
use super::memory::{View, element_kind};
use super::request::OriginKind;
use super::space::{Over, Space};
use super::stream::{Stream, stream_space};

/// What flows through a pass.
pub(super) struct Flow {
    /// The stream, or two groups of it.
    pub(super) streams: Vec<Stream>,
    /// The tags of its elements.
    pub(super) tags: Option<Tags>,
    /// What was set aside.
    pub(super) stash: Option<Stream>,
    /// A contraction that has no sums yet.
    aligned: Option<Aligned>,
    /// The place of idle lanes, from the fetch on.
    pub(super) idle: OriginId,
    /// The stores that the pass reads.
    pub(super) read: Vec<TensorId>,
}

/// A stream beside its register tensor.
struct Aligned {
    stream: Stream,
    operand: View,
    place: Span,
    shape: Space,
}

/// The tensors that a pass reads and writes.
pub(super) fn tensors_of(pass: &Pass) -> Vec<TensorId> {
    let mut tensors = match &pass.source {
        PassSource::Tensor(id) => vec![*id],
        PassSource::Interleaved { tensors, .. } => tensors.clone(),
        PassSource::Parameter { .. } => Vec::new(),
    };
    let of_operand = |operand: &Operand| match operand.source {
        OperandSource::Vrf(id) => Some(id),
        _ => None,
    };
    for stage in &pass.stages {
        match &stage.kind {
            StageKind::Align { operand, .. } => tensors.extend(*operand),
            StageKind::VectorAlu(AluOperation { operands, .. }) => {
                tensors.extend(operands.iter().flatten().filter_map(of_operand));
            }
            _ => {}
        }
    }
    tensors.extend(pass.end.written_target().map(|(id, _)| id));
    tensors
}

impl Machine<'_> {
    /// Executes a pass.
    pub(super) fn pass(&mut self, operation: &Operation, pass: &Pass) -> Step<()> {
        let mut stages = pass.stages.iter().enumerate();
        let first = pass.stages.first();
        let fetch = first.filter(|stage| matches!(stage.kind, StageKind::Fetch { .. }));
        let (shape, place) = match fetch {
            Some(stage) => {
                stages.next();
                (&stage.output, stage.span)
            }
            None => (&pass.begin, operation.span),
        };
        let mut flow = self.begin(pass, shape, place)?;
        if let Some(stage) = fetch
            && let StageKind::Fetch { table, zero_points } = &stage.kind
        {
            self.convert_fetched(&mut flow, stage, *table, zero_points)?;
        }
        for (number, stage) in stages {
            self.db.pause();
            self.stage(pass, number, stage, &mut flow)?;
        }
        self.end(operation.id, pass, flow)
    }

    /// The stream as it is fetched.
    fn begin(&mut self, pass: &Pass, shape: &StreamShape, place: Span) -> Step<Flow> {
        let space = stream_space(shape, place)?;
        let idle = self.origins.number(OriginKind::IdleLanes, place, None, || {
            "the fetch fills no lanes, packets or slices beyond the data".to_owned()
        });
        let (sources, axis) = match &pass.source {
            PassSource::Tensor(id) => (vec![*id], None),
            PassSource::Interleaved { axis, tensors, .. } => (tensors.clone(), axis.get().cloned()),
            PassSource::Parameter { .. } => {
                return Err(Halt::refused(
                    place,
                    "the stream is a parameter: call the function with a tensor",
                ));
            }
        };
        let stream = match sources.as_slice() {
            [only] if axis.is_none() => {
                let source = self.source(*only)?;
                self.stream_of(&space, &source, (idle, place))?
            }
            _ => {
                let cells = self.interleaved(&space, &sources, axis.as_ref(), (idle, place))?;
                Stream::new(space, cells)
            }
        };
        let mut read = Vec::new();
        for id in &sources {
            read.push(self.source(*id)?.root);
        }
        Ok(Flow {
            streams: vec![stream],
            tags: None,
            stash: None,
            aligned: None,
            idle,
            read,
        })
    }

    /// The elements of several tensors as a stream has them, each at its number of an axis.
    fn interleaved(
        &mut self,
        space: &Space,
        sources: &[TensorId],
        axis: Option<&Axis>,
        (idle, place): (OriginId, Span),
    ) -> Step<Cells> {
        let mut cells = None;
        for (number, id) in sources.iter().enumerate() {
            let source = self.source(*id)?;
            let part = axis.and_then(|axis| at_index(space, axis, number as u64));
            let part = part.ok_or_else(|| {
                Halt::refused(place, "the stream lacks the axis of its two tensors")
            })?;
            let from = self.memory.store(source.root);
            let from = from.ok_or_else(|| Halt::refused(place, "a tensor is not known"))?;
            let kept = self.origins.kept.then_some(idle);
            let own =
                cells.get_or_insert_with(|| Cells::undefined(source.kind, space.positions(), kept));
            self.move_cells((&part, own), (&source.space, from), Copies::Made, place)?;
        }
        let mut cells =
            cells.ok_or_else(|| Halt::refused(place, "the stream begins with nothing"))?;
        cells.settle();
        self.fill_with_junk(&mut cells);
        Ok(cells)
    }

    /// The conversions that the fetch of an early release makes by itself.
    fn convert_fetched(
        &mut self,
        flow: &mut Flow,
        stage: &Stage,
        table: bool,
        zero_points: &[crate::kernel::ZeroPoint],
    ) -> Step<()> {
        if let Some(point) = zero_points.first() {
            if zero_points.len() > 1 {
                return Err(Halt::refused(
                    stage.span,
                    "several zero points are not executed",
                ));
            }
            self.zero_point(flow, point.value, stage)?;
        }
        if table {
            return Err(Halt::refused(
                stage.span,
                "a lookup by a table of the kernel is not executed",
            ));
        }
        self.convert(flow, stage)
    }

    fn stage(&mut self, pass: &Pass, number: usize, stage: &Stage, flow: &mut Flow) -> Step<()> {
        let refused = |what: &str| Err(Halt::refused(stage.span, what));
        match &stage.kind {
            StageKind::Fetch { .. } => refused("a second fetch of one stream is not executed"),
            StageKind::FetchLift(level) => self.lift(flow, stage, *level),
            StageKind::FetchMask => refused("a mask of the fetch has no meaning on the CPU"),
            StageKind::VectorFilter => refused("a filter has no meaning on the CPU"),
            StageKind::CommitPack => {
                refused("packing by the valid count has no meaning on the CPU")
            }
            StageKind::ContractMax => refused("maxima of products have no meaning on the CPU"),
            StageKind::FetchTable | StageKind::FetchCast => {
                self.relayout(flow, stage)?;
                self.convert(flow, stage)
            }
            StageKind::FetchZeroPoint(point) => self.zero_point(flow, point.value, stage),
            StageKind::Switch(_)
            | StageKind::Collect
            | StageKind::Transpose
            | StageKind::CommitTrim => self.relayout(flow, stage),
            StageKind::Cast => {
                self.relayout(flow, stage)?;
                self.convert(flow, stage)
            }
            StageKind::CommitCast { relu } => {
                self.relayout(flow, stage)?;
                if *relu {
                    self.carry_streams(flow, stage.span)?;
                    self.rectify(flow, stage)
                } else {
                    self.convert(flow, stage)
                }
            }
            StageKind::Align { operand, .. } => self.align(flow, stage, *operand),
            StageKind::Contract | StageKind::ContractTime => {
                if flow.aligned.is_none() {
                    return refused("a contraction without an operand is not executed");
                }
                Ok(())
            }
            StageKind::Accumulate(_) => self.accumulate(pass, flow, stage),
            _ => {
                self.carry_streams(flow, stage.span)?;
                self.vector_stage(pass, number, stage, flow)
            }
        }
    }

    /// Carries out the moves of all streams that wait.
    fn carry_streams(&mut self, flow: &mut Flow, place: Span) -> Step<()> {
        for stream in &mut flow.streams {
            self.carry_stream(stream, (flow.idle, place))?;
        }
        Ok(())
    }

    /// Moves the stream to the mapping that a stage declares, now or when its elements are asked for.
    pub(super) fn relayout(&mut self, flow: &mut Flow, stage: &Stage) -> Step<()> {
        let space = stream_space(&stage.output, stage.span)?;
        for stream in &mut flow.streams {
            self.move_stream(stream, &space, (flow.idle, stage.span))?;
        }
        Ok(())
    }

    /// Converts the elements to the type that a stage declares.
    fn convert(&mut self, flow: &mut Flow, stage: &Stage) -> Step<()> {
        let kind = stage
            .output
            .element_type
            .get()
            .copied()
            .and_then(element_kind);
        let kind = kind.ok_or_else(|| {
            Halt::refused(
                stage.span,
                "the type that elements are converted to is not known",
            )
        })?;
        for stream in &mut flow.streams {
            if stream.cells.array.kind() == kind {
                continue;
            }
            // Conversions of padding are not counted, and those of copies are.
            self.make_single(stream, (flow.idle, stage.span))?;
            let cells = self.held_cells(stream, stage.span)?;
            let converted = casts::converted(&cells.array, kind, self.rules).ok_or_else(|| {
                Halt::refused(
                    stage.span,
                    format!("no engine converts {} to {kind}", cells.array.kind()),
                )
            })?;
            let effects = visa_arrays::effects_of_cast(
                &cells.array,
                kind,
                self.rules,
                cells.defined.as_ref(),
            );
            let cells = cells.with_array(converted);
            stream.hold(cells);
            self.effects += effects;
        }
        Ok(())
    }

    fn rectify(&mut self, flow: &mut Flow, stage: &Stage) -> Step<()> {
        for stream in &mut flow.streams {
            let made = casts::rectified(&stream.cells.array, self.rules);
            stream.cells.array = made
                .ok_or_else(|| Halt::refused(stage.span, "only `f32` is rectified by a commit"))?;
        }
        Ok(())
    }

    fn zero_point(&mut self, flow: &mut Flow, value: Option<i64>, stage: &Stage) -> Step<()> {
        self.relayout(flow, stage)?;
        self.carry_streams(flow, stage.span)?;
        let value = value.and_then(|value| i32::try_from(value).ok());
        let value =
            value.ok_or_else(|| Halt::refused(stage.span, "the zero point is not known"))?;
        for stream in &mut flow.streams {
            let kind = stream.cells.array.kind();
            if let Some((smallest, largest)) = kind.integer_range()
                && !(smallest..=largest).contains(&value)
            {
                return Err(Halt::fault(
                    stage.span,
                    format!(
                        "the zero point {value} is not among {smallest} to {largest} of {kind}"
                    ),
                ));
            }
            let made = casts::less_zero_point(&stream.cells.array, value);
            stream.cells.array = made.ok_or_else(|| {
                Halt::refused(
                    stage.span,
                    format!("no zero point is subtracted from {kind}"),
                )
            })?;
        }
        Ok(())
    }

    /// A digit of a placement becomes one of the placement on the other side: each unit reads its own memory.
    fn lift(&mut self, flow: &mut Flow, stage: &Stage, level: Level) -> Step<()> {
        self.carry_streams(flow, stage.span)?;
        let Some(stream) = flow.streams.first() else {
            return Ok(());
        };
        let before = stream.clone();
        self.relayout(flow, stage)?;
        self.carry_streams(flow, stage.span)?;
        let Some(stream) = flow.streams.first_mut() else {
            return Ok(());
        };
        if before.cells.defined.is_none() {
            return Ok(());
        }
        let from = before.space.levels.iter().find(|part| part.level == level);
        let to = stream.space.levels.iter().find(|part| part.level == level);
        let (Some(from), Some(to)) = (from, to) else {
            return Ok(());
        };
        let (from_stride, from_size) = (from.stride, from.size());
        let (to_stride, to_size) = (to.stride, to.size().max(1));
        let plan = super::plan::plan(&stream.space, &before.space)
            .map_err(|reason| super::machine::no_plan(&reason, stage.span))?;
        let mut lost = Vec::new();
        super::plan::each_pair(&plan, |pair| {
            let unit = pair.target / to_stride % to_size;
            let there = pair.source / from_stride % from_size.max(1);
            // The same element in the memory of the unit itself.
            let own = pair.source - there * from_stride + unit * from_stride;
            if unit < from_size && !before.cells.is_defined(own) {
                lost.push((pair.target, before.cells.origin(own)));
            }
        });
        for (place, origin) in lost {
            stream.cells.undefine(place, origin);
        }
        Ok(())
    }

    fn align(&mut self, flow: &mut Flow, stage: &Stage, operand: Option<TensorId>) -> Step<()> {
        let operand = operand.ok_or_else(|| {
            Halt::refused(
                stage.span,
                "the register tensor of a contraction is not known",
            )
        })?;
        let operand = self.source(operand)?;
        let shape = stream_space(&stage.output, stage.span)?;
        let stream = flow.streams.pop();
        let stream = stream.ok_or_else(|| Halt::refused(stage.span, "the stream is not known"))?;
        flow.read.push(operand.root);
        flow.aligned = Some(Aligned {
            stream,
            operand,
            place: stage.span,
            shape,
        });
        Ok(())
    }

    fn accumulate(&mut self, pass: &Pass, flow: &mut Flow, stage: &Stage) -> Step<()> {
        let Some(mut aligned) = flow.aligned.take() else {
            return self.relayout(flow, stage);
        };
        let output = stream_space(&stage.output, stage.span)?;
        let place = aligned.place;
        self.check_aligned(&mut aligned, flow.idle)?;
        let held = self.held_cells(&aligned.stream, place)?;
        let weights = self.memory.store(aligned.operand.root);
        let weights =
            weights.ok_or_else(|| Halt::refused(place, "a register tensor is not known"))?;
        let unfit = |kind| Halt::refused(place, format!("no contraction takes elements of {kind}"));
        let products = Products {
            space: &aligned.shape,
            factors: [
                Factor {
                    space: aligned.stream.held_space(),
                    cells: held,
                },
                Factor {
                    space: &aligned.operand.space,
                    cells: weights,
                },
            ],
            rules: self.rules,
            by_stage: self.rules.folds_by_stage,
            masks_padding: Conventions::of(self.body.dialect).leaves_padding_out()
                && masks_contracted_padding(self.body, pass),
        };
        // Sums have the four bytes of what is widened, and are moved into the stream: better refused before they are made than behind.
        let widest = visa_arrays::ElementKind::I32;
        let made = products.widened_elements() + output.positions();
        self.memory
            .check_stream((widest, made), (widest, output.positions()), place)?;
        let summed = contract(&products, &output, flow.idle).map_err(|reason| match reason {
            NoContraction::Opaque => Halt::refused(
                place,
                "a contraction over a mapping that a size cuts across has too many elements to be followed one by one",
            ),
            NoContraction::Kind(kind) => unfit(kind),
            NoContraction::Fault(fault) => Halt::fault(place, fault.to_string()),
        })?;
        let cells = self.moved(
            &output,
            (&summed.space, summed.cells),
            (flow.idle, stage.span),
        )?;
        flow.streams.push(Stream::new(output, cells));
        Ok(())
    }

    /// Checks that both operands of a contraction have every element that the alignment names. A stream that waits is moved first where
    /// products are not found as fast without it.
    fn check_aligned(&mut self, aligned: &mut Aligned, idle: OriginId) -> Step<()> {
        let place = aligned.place;
        let (shape, operand) = (&aligned.shape, &aligned.operand);
        let weights = self.memory.store(operand.root).map_or(0, Cells::len);
        let stream = &mut aligned.stream;
        let length = stream.space.positions();
        for (source, length) in [(&stream.space, length), (&operand.space, weights)] {
            let plan = super::plan::plan(shape, source)
                .map_err(|reason| super::machine::no_plan(&reason, place))?;
            if super::cells::ends(&plan).1 >= length {
                return Err(Halt::fault(
                    place,
                    "an operand of the contraction reaches beyond its tensor",
                ));
            }
        }
        let is_small = self.held_cells(stream, place)?.len() <= length;
        let is_even = super::plan::parts(shape, &[stream.held_space(), &operand.space]).is_some();
        if !(is_small && is_even) {
            self.carry_stream(stream, (idle, place))?;
        }
        Ok(())
    }

    fn end(&mut self, operation: OperationId, pass: &Pass, mut flow: Flow) -> Step<()> {
        let Some((target, place)) = pass.end.written_target() else {
            return Ok(());
        };
        let (Some(mut stream), true) = (flow.streams.pop(), flow.streams.is_empty()) else {
            return Err(Halt::refused(
                place,
                "the stream that ends here is not known",
            ));
        };
        self.prepare_end(&mut stream, target, (flow.idle, place))?;
        let (view, is_new) = self.target_view(operation, target)?;
        if view.kind != stream.cells.array.kind() {
            return Err(Halt::refused(
                place,
                format!(
                    "a stream of {} does not fit a tensor of {}",
                    stream.cells.array.kind(),
                    view.kind
                ),
            ));
        }
        let from = (stream.held_space(), stream.held());
        let cells = self.move_into((&view, is_new), from, Copies::Made, place)?;
        let end = pass.end.canonical();
        let what = end.map_or("", |end| pass.library().name_of(end));
        self.put_back(&view, cells, (place, what), &flow.read);
        Ok(())
    }
}

/// The part of a space at a value of an axis that one digit runs over; `None` if there is no such digit.
pub(super) fn at_index(space: &Space, axis: &Axis, value: u64) -> Option<Space> {
    let number = space.axis_number(axis)?;
    let mut part = space.clone();
    let at = part
        .places
        .iter()
        .position(|place| place.over == Over::Axis(number))?;
    let place = part.places.remove(at);
    if part
        .places
        .iter()
        .any(|place| place.over == Over::Axis(number))
        || place.step == 0
    {
        return None;
    }
    let steps = value / place.step;
    if steps >= place.live {
        return None;
    }
    part.offset += usize::try_from(steps).ok()?.checked_mul(place.stride)?;
    // The levels say nothing of a part.
    part.levels.clear();
    Some(part)
}
