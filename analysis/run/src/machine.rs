//! A run: the operations of a body one after the other, on the stores of its tensors.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;
use visa_arrays::{Arithmetic, Array, Effects, ElementKind};

use crate::db::Db;
use crate::derivation::provenance::ProvenanceDerivation;
use crate::items::{ConstValue, Span};
use crate::kernel::{
    Body, Collective, CollectiveWork, Given, Level, Operation, OperationId, OperationKind, Origin,
    RedistributionStep, TensorId,
};

use super::cells::{Cells, Copies, OriginId, carry_out, is_identity, moved_elements};
use super::halt::{Halt, Step};
use super::memory::{Memory, Origins, View, idle_level};
use super::plan::{NoPlan, Plan, plan};
use super::request::OriginKind;
use super::rows::RowWork;
use super::space::Space;
use super::trace::Trace;

/// What fills undefined elements after each operation: to prove that no defined element depends on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Junk {
    /// Bits all set, which is NaN in floats.
    Ones,
    /// Bits from a seed.
    Random(u64),
}

/// What an operation read and wrote, in a run that keeps origins.
#[derive(Debug, Clone)]
pub(super) struct Link {
    /// The operation's place.
    pub(super) span: Span,
    /// What it is called.
    pub(super) what: String,
    /// The stores that it read.
    pub(super) sources: Vec<TensorId>,
    /// The store that it wrote.
    pub(super) target: TensorId,
    /// The origins of undefined elements that it wrote.
    pub(super) origins: Vec<OriginId>,
}

/// A run.
pub(super) struct Machine<'a> {
    pub(super) db: &'a dyn Db,
    pub(super) body: &'a Body,
    pub(super) rules: Arithmetic,
    pub(super) memory: Memory,
    pub(super) origins: Origins,
    pub(super) effects: Effects,
    pub(super) junk: Option<Junk>,
    pub(super) links: Vec<Link>,
    /// Results that are shown.
    pub(super) trace: Option<Trace<'a>>,
    /// What empty positions hold, once a reshape asks.
    pub(super) provenance: OnceCell<ProvenanceDerivation>,
    /// The stores that nothing needs behind an operation.
    over_behind: FxHashMap<OperationId, Vec<TensorId>>,
}

impl<'a> Machine<'a> {
    /// A run of a body that may take so many bytes.
    pub(super) fn new(db: &'a dyn Db, body: &'a Body, rules: Arithmetic, limit: u64) -> Self {
        Self {
            db,
            body,
            rules,
            memory: Memory::new(limit),
            origins: Origins::default(),
            effects: Effects::default(),
            junk: None,
            links: Vec::new(),
            trace: None,
            provenance: OnceCell::new(),
            over_behind: over_behind(body),
        }
    }

    /// Executes all operations.
    ///
    /// # Errors
    /// [`Halt`].
    pub(super) fn run(&mut self) -> Step<()> {
        for operation in &self.body.operations {
            self.db.pause();
            self.operation(operation)?;
            self.forget(operation.id);
        }
        Ok(())
    }

    fn forget(&mut self, done: OperationId) {
        for id in self.over_behind.remove(&done).unwrap_or_default() {
            self.memory.drop_store(id);
        }
    }

    fn operation(&mut self, operation: &Operation) -> Step<()> {
        match &operation.kind {
            OperationKind::Copy(copy) => self.transfer(operation.id, copy),
            OperationKind::Pass(pass) => self.pass(operation, pass),
            OperationKind::Collective(collective) => self.collective(operation.id, collective),
        }
    }

    fn collective(&mut self, id: OperationId, collective: &Collective) -> Step<()> {
        match &collective.work {
            CollectiveWork::Fill { value } => self.fill(collective, value.as_ref()),
            CollectiveWork::GatherRows(rows) => {
                let rows = RowWork::of_plan(rows, collective.span)?;
                self.gather(id, collective, &rows)
            }
            CollectiveWork::ScatterRows(rows) => {
                let rows = RowWork::of_plan(rows, collective.span)?;
                self.scatter(collective, &rows)
            }
            CollectiveWork::Gather => {
                let rows = RowWork::of_method(collective.method, None);
                self.gather(id, collective, &rows)
            }
            CollectiveWork::Scatter { key } => {
                let rows = RowWork::of_method(collective.method, key.get());
                self.scatter(collective, &rows)
            }
            CollectiveWork::Redistribute { steps, .. } => self.redistribute(id, collective, steps),
            // The forms of releases before plans are plans of one step.
            CollectiveWork::Shuffle(parts) => {
                let steps = [RedistributionStep::Shuffle(parts.clone())];
                self.redistribute(id, collective, &steps)
            }
            CollectiveWork::ParallelCopy {
                parts,
                index,
                sliced,
            } => {
                let steps = [RedistributionStep::Slice {
                    parts: parts.clone(),
                    index: index.clone(),
                    element: sliced.clone(),
                }];
                self.redistribute(id, collective, &steps)
            }
        }
    }

    /// The tensor or view that an operation reads, its store made where it is new.
    pub(super) fn source(&mut self, id: TensorId) -> Step<View> {
        let view = self.memory.view(self.body, id)?;
        self.refuse_unfollowed_bytes(id, view.root)?;
        self.memory
            .ensure(self.body, view.root, &mut self.origins)?;
        Ok(view)
    }

    /// The store that an operation writes, taken out of the memory: a new one where the operation makes the tensor.
    pub(super) fn target(
        &mut self,
        operation: OperationId,
        id: TensorId,
        place: Span,
    ) -> Step<(View, Cells)> {
        let (view, is_new) = self.target_view(operation, id)?;
        let cells = self.target_cells(&view, is_new, place)?;
        Ok((view, cells))
    }

    /// The tensor or view that an operation writes, and whether the operation makes the tensor.
    pub(super) fn target_view(
        &mut self,
        operation: OperationId,
        id: TensorId,
    ) -> Step<(View, bool)> {
        let view = self.memory.view(self.body, id)?;
        let tensor = self.body.tensor(id);
        let is_new = view.root == id
            && tensor.is_some_and(|tensor| tensor.origin == Origin::Operation(operation));
        Ok((view, is_new))
    }

    /// The elements of a store that an operation writes: undefined ones of a new one, or those that are there, taken out of the memory.
    pub(super) fn target_cells(&mut self, view: &View, is_new: bool, place: Span) -> Step<Cells> {
        if is_new {
            self.memory
                .count(view.kind, view.space.positions(), place)?;
            return Ok(self.canvas(&view.space, view.kind, place));
        }
        self.memory
            .ensure(self.body, view.root, &mut self.origins)?;
        let cells = self.memory.take(view.root);
        cells.ok_or_else(|| Halt::refused(place, "a tensor is not known"))
    }

    /// Elements that nothing has written: padding, until something is.
    pub(super) fn canvas(&mut self, space: &Space, kind: ElementKind, place: Span) -> Cells {
        let length = space.positions();
        let origin = self
            .origins
            .number(OriginKind::FreshPadding, place, None, || {
                "nothing writes the padding of a new tensor".to_owned()
            });
        let mut cells = Cells::undefined(kind, length, self.origins.kept.then_some(origin));
        if self.origins.kept && idle_level(space, &[Level::Chip, Level::Cluster]) {
            let idle = self.origins.number(OriginKind::IdlePlace, place, None, || {
                "chips or clusters beyond the data take no part".to_owned()
            });
            for position in 0..length {
                if is_idle(space, position) {
                    cells.put_origin(position, idle);
                }
            }
        }
        cells
    }

    /// Puts a store back that an operation wrote.
    pub(super) fn put_back(
        &mut self,
        view: &View,
        mut cells: Cells,
        (place, what): (Span, &str),
        sources: &[TensorId],
    ) {
        cells.settle();
        self.fill_with_junk(&mut cells);
        if self.origins.kept {
            // Millions of elements have a few origins, and neighbours mostly the same.
            let mut origins: Vec<OriginId> = Vec::new();
            let mut last = None;
            for origin in cells.origins.iter().flatten() {
                if last != Some(*origin) && !origins.contains(origin) {
                    origins.push(*origin);
                }
                last = Some(*origin);
            }
            origins.sort_unstable();
            self.links.push(Link {
                span: place,
                what: what.to_owned(),
                sources: sources.to_vec(),
                target: view.root,
                origins,
            });
        }
        if let Some(trace) = &mut self.trace {
            trace.take(view, &cells, place, what);
        }
        self.memory.note_write(view.root, place);
        self.memory.put(view.root, cells);
        self.overwrite_others(view, place);
    }

    /// Writes junk into undefined elements, where a proof asks for it.
    pub(super) fn fill_with_junk(&self, cells: &mut Cells) {
        let (Some(junk), Some(bits)) = (self.junk, &cells.defined) else {
            return;
        };
        let places: Vec<usize> = bits.clear_places().collect();
        let mut state = match junk {
            Junk::Ones => u64::MAX,
            Junk::Random(seed) => seed,
        };
        for place in places {
            if let Junk::Random(_) = junk {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
            }
            let bits = (state >> 32) as u32;
            put_bits(&mut cells.array, place, bits);
        }
    }

    /// Moves elements by their coordinates.
    ///
    /// # Errors
    /// The mappings do not say which elements.
    pub(super) fn move_cells(
        &self,
        (target, cells): (&Space, &mut Cells),
        (source, from): (&Space, &Cells),
        copies: Copies,
        place: Span,
    ) -> Step<()> {
        let plan = plan(target, source).map_err(|reason| no_plan(&reason, place))?;
        carry_out(&plan, cells, from, copies)
            .map_err(|_| Halt::fault(place, "a view reaches beyond the tensor that it is of"))
    }

    /// Elements of a stream moved to another mapping of the stream.
    ///
    /// # Errors
    /// The mappings do not say which elements.
    pub(super) fn moved(
        &mut self,
        target: &Space,
        (source, from): (&Space, Cells),
        (origin, place): (OriginId, Span),
    ) -> Step<Cells> {
        let plan = plan(target, source).map_err(|reason| no_plan(&reason, place))?;
        let length = target.positions();
        if is_identity(&plan, from.len(), length) {
            return Ok(from);
        }
        self.moved_by_plan(&plan, &from, (length, origin), place)
    }

    /// The elements that a move makes, of which those that it leaves out have an origin.
    ///
    /// # Errors
    /// The move reaches beyond its source.
    pub(super) fn moved_by_plan(
        &self,
        plan: &Plan,
        from: &Cells,
        (length, origin): (usize, OriginId),
        place: Span,
    ) -> Step<Cells> {
        let kind = from.array.kind();
        self.memory
            .check_stream((kind, from.len()), (kind, length), place)?;
        let kept = self.origins.kept.then_some(origin);
        let mut cells = moved_elements(plan, from, length, kept)
            .map_err(|_| Halt::fault(place, "a stream reaches beyond its elements"))?;
        self.fill_with_junk(&mut cells);
        Ok(cells)
    }

    fn fill(&mut self, collective: &Collective, value: Option<&ConstValue>) -> Step<()> {
        let Some(target) = collective.targets.first() else {
            return Err(Halt::refused(
                collective.span,
                "the target of a fill is not known",
            ));
        };
        let Some(value) = value else {
            return Err(Halt::refused(
                collective.span,
                "the value that a fill writes is not known",
            ));
        };
        let (view, mut cells) = self.target(OperationId(u32::MAX), *target, collective.span)?;
        let filling = filling(value, view.kind, self.rules).ok_or_else(|| {
            Halt::refused(
                collective.span,
                format!("the value of the fill is no {}", view.kind),
            )
        })?;
        let single = Space::of_places(Vec::new(), Vec::new());
        let from = Cells::defined(filling);
        let to = (&view.space, &mut cells);
        self.move_cells(to, (&single, &from), Copies::Made, collective.span)?;
        self.put_back(&view, cells, (collective.span, collective.method), &[]);
        Ok(())
    }
}

/// The reason that a move has no plan, as a run says it.
pub(super) fn no_plan(reason: &NoPlan, place: Span) -> Halt {
    match reason {
        NoPlan::LostAxis(axis) => Halt::refused(
            place,
            format!(
                "the target lacks `{}` of its source, so that one of its elements would be chosen",
                axis.name()
            ),
        ),
        NoPlan::Missing => Halt::refused(
            place,
            "the target names elements that the source does not have",
        ),
        NoPlan::TooLarge => Halt::refused(
            place,
            "a mapping that parts unevenly has too many elements to be moved one by one",
        ),
    }
}

/// Whether a position is of a chip or cluster that holds no data.
fn is_idle(space: &Space, position: usize) -> bool {
    let mut rest = position;
    let mut is_idle = false;
    for part in space.levels.iter().rev() {
        let size = part.size().max(1);
        let here = rest % size;
        rest /= size;
        if matches!(part.level, Level::Chip | Level::Cluster) {
            let form = part.mapping.form();
            let cell = form.cell_at(here as u64);
            is_idle |= !matches!(cell, crate::mapping::Cell::Index(_));
        }
    }
    is_idle
}

/// One element of a kind with the value of a constant.
fn filling(value: &ConstValue, kind: ElementKind, rules: Arithmetic) -> Option<Array> {
    let single = match value {
        ConstValue::Int(value) => {
            let value = i32::try_from(*value).ok()?;
            if let Some((smallest, largest)) = kind.integer_range() {
                if !(smallest..=largest).contains(&value) {
                    return None;
                }
                return visa_arrays::casts::converted(&Array::I32(vec![value]), kind, rules);
            }
            return None;
        }
        ConstValue::Float(value) => value.single(),
        _ => return None,
    };
    if kind.integer_range().is_some() {
        return None;
    }
    visa_arrays::casts::converted(&Array::F32(vec![single]), kind, rules)
}

/// Writes bits over an element.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "the low bits are what is wanted"
)]
pub(super) fn put_bits(array: &mut Array, place: usize, bits: u32) {
    match array {
        Array::I4(elements) => elements[place] = (bits as i8) << 4 >> 4,
        Array::I5(elements) => elements[place] = (bits as i8) << 3 >> 3,
        Array::I8(elements) => elements[place] = bits as i8,
        Array::I9(elements) => elements[place] = (bits as i16) << 7 >> 7,
        Array::I16(elements) => elements[place] = bits as i16,
        Array::I32(elements) => elements[place] = bits as i32,
        Array::F4E2M1(elements) => elements[place] = bits as u8 & 15,
        Array::F8E4M3(elements) | Array::F8E5M2(elements) => elements[place] = bits as u8,
        Array::Bf16(elements) => elements[place] = bits as u16,
        Array::F32(elements) => elements[place] = f32::from_bits(bits),
    }
}

/// The stores that nothing reads or writes behind an operation, by the operation; stores that outlive the body are left out.
fn over_behind(body: &Body) -> FxHashMap<OperationId, Vec<TensorId>> {
    let mut last: FxHashMap<TensorId, OperationId> = FxHashMap::default();
    for operation in &body.operations {
        for id in tensors_of(operation) {
            last.insert(body.root(id), operation.id);
        }
    }
    let results = body.results.iter().map(|(_, id)| *id);
    let escaping = body.escaping.iter().copied();
    for id in results.chain(escaping) {
        last.remove(&body.root(id));
    }
    for parameter in &body.parameters {
        if let Given::Tensor {
            tensor,
            is_mutable: true,
        } = parameter.given
        {
            last.remove(&tensor);
        }
    }
    let mut over: FxHashMap<OperationId, Vec<TensorId>> = FxHashMap::default();
    for (id, operation) in last {
        over.entry(operation).or_default().push(id);
    }
    over
}

/// The tensors that an operation reads and writes.
fn tensors_of(operation: &Operation) -> Vec<TensorId> {
    match &operation.kind {
        OperationKind::Copy(copy) => vec![copy.source, copy.target],
        OperationKind::Collective(collective) => {
            let sources = collective.sources.iter();
            sources.chain(&collective.targets).copied().collect()
        }
        OperationKind::Pass(pass) => super::pass::tensors_of(pass),
    }
}
