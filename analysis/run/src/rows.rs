//! Rows by index: gathers and scatters.
//!
//! An index is checked before anything is moved, so that a wrong one stops the run with its place in the list. Scattered rows
//! are written in the order of the list: of a place that is named twice the last row stays, as in the library.

use crate::items::Span;
use crate::kernel::{Collective, OperationId, Rows, Tier};
use crate::mapping::{Axis, Cell, Mapping};

use super::cells::Cells;
use super::halt::{Halt, Step};
use super::machine::Machine;
use super::memory::View;
use super::plan::{Lookup, each_live};
use super::request::OriginKind;
use super::space::{Over, Space};

/// The rows that a gather reads or a scatter writes, as either way of writing says them.
pub(super) struct RowWork {
    /// The axis that the indices count; `None` where it is what the table has and the rows have not.
    axis: Option<Mapping>,
    /// What the indices run over; `None` where it is the list itself.
    domain: Option<Mapping>,
    /// Whether indices are positions of the axis, else byte offsets.
    positions: bool,
    /// How many indices count.
    prefix: u64,
}

impl RowWork {
    /// Of a plan.
    pub(super) fn of_plan(rows: &Rows, place: Span) -> Step<Self> {
        let axis = rows
            .axis
            .get()
            .ok_or_else(|| Halt::refused(place, "the axis that the indices count is not known"))?;
        let prefix = match &rows.prefix {
            None => u64::MAX,
            Some(prefix) => *prefix
                .get()
                .ok_or_else(|| Halt::refused(place, "how many indices count is not known"))?,
        };
        Ok(Self {
            axis: Some(axis.clone()),
            domain: rows
                .domain
                .as_ref()
                .and_then(|domain| domain.get().cloned()),
            positions: rows.positions,
            prefix,
        })
    }

    /// Of a method of a release before plans; `key` is what counts the rows of a scatter.
    pub(super) fn of_method(method: &str, key: Option<&Mapping>) -> Self {
        Self {
            axis: None,
            domain: key.cloned(),
            positions: method.contains("unscaled"),
            prefix: u64::MAX,
        }
    }
}

/// The axis that indices count, in the tensor that has it.
struct Indexed {
    /// What messages call the axis.
    name: String,
    /// The tensor without the axis: its first value.
    rest: Space,
    /// Elements from the first position of the axis to each; `None` for a position that holds none.
    offsets: Vec<Option<usize>>,
    /// Bytes from one position of the axis to the next.
    bytes: u64,
}

/// A digit of the axis: its places in the tensor.
type IndexedDigit = (Axis, u64, u64, u64, usize);

impl Indexed {
    /// Finds an axis in a tensor; `None` where its digits do not say where it is.
    fn of_mapping(view: &View, mapping: &Mapping) -> Option<Self> {
        let axes = mapping.form().axes();
        let (rest, digits) = without(view, |axis| axes.contains(axis))?;
        let offsets = (0..mapping.form().size()).map(|position| {
            let Cell::Index(index) = mapping.form().cell_at(position) else {
                return None;
            };
            offset_of(&digits, |axis| index.value(axis.name()))
        });
        Self::new(view, mapping.to_string(), rest, offsets.collect())
    }

    /// Finds the axis that a tensor has and its rows have not; `None` where there is none.
    fn of_rows(view: &View, rows: &[Axis]) -> Option<Self> {
        let (rest, digits) = without(view, |axis| !rows.contains(axis))?;
        let mut offsets = vec![Some(0_usize)];
        for (.., live, stride) in &digits {
            let live = usize::try_from(*live).ok()?;
            offsets = offsets
                .iter()
                .flat_map(|start| (0..live).map(move |step| Some((*start)? + step * stride)))
                .collect();
        }
        let name = digits.first().map_or("", |(axis, ..)| axis.name());
        Self::new(view, name.to_owned(), rest, offsets)
    }

    fn new(view: &View, name: String, rest: Space, offsets: Vec<Option<usize>>) -> Option<Self> {
        let stride = match offsets.get(1) {
            Some(offset) => (*offset)?,
            None => 1,
        };
        Some(Self {
            name,
            rest,
            offsets,
            bytes: (stride as u64).checked_mul(view.kind.bits())? / 8,
        })
    }
}

/// A tensor without some of its axes, and the digits that they have in it.
fn without(view: &View, is_own: impl Fn(&Axis) -> bool) -> Option<(Space, Vec<IndexedDigit>)> {
    let mut rest = view.space.clone();
    let mut digits = Vec::new();
    let axes = &view.space.axes;
    rest.places.retain(|place| {
        let axis = match place.over {
            Over::Axis(axis) => axes.get(axis).filter(|axis| is_own(axis)),
            Over::Number | Over::Padding => None,
        };
        let Some(axis) = axis else {
            return true;
        };
        digits.push((
            axis.clone(),
            place.step,
            place.modulo,
            place.live,
            place.stride,
        ));
        false
    });
    rest.levels.clear();
    (!digits.is_empty() && !view.space.is_opaque).then_some((rest, digits))
}

/// Elements from the first position of an axis to one with some values; `None` where it holds no element.
fn offset_of(digits: &[IndexedDigit], value: impl Fn(&Axis) -> u64) -> Option<usize> {
    let mut offset = 0_usize;
    for (axis, step, modulo, live, stride) in digits {
        let digit = value(axis) / step % modulo;
        if digit >= *live {
            return None;
        }
        offset = offset.checked_add(usize::try_from(digit).ok()?.checked_mul(*stride)?)?;
    }
    Some(offset)
}

/// A list of indices, checked: elements from the first position of the axis for each place of the list that counts.
struct List {
    space: Space,
    domain: Space,
    prefix: u64,
    offsets: rustc_hash::FxHashMap<usize, usize>,
}

impl Machine<'_> {
    /// The list of a gather or scatter.
    fn list(
        &mut self,
        view: &View,
        rows: &RowWork,
        indexed: &Indexed,
        collective: &Collective,
    ) -> Step<List> {
        let place = collective.span;
        let domain = match &rows.domain {
            Some(domain) => Space::dense(vec![(crate::kernel::Level::Element, domain.clone())])
                .ok_or_else(|| Halt::refused(place, "the list has too many places"))?,
            None => view.space.clone(),
        };
        let prefix = rows.prefix;
        let cells = self.memory.store(view.root);
        let cells =
            cells.ok_or_else(|| Halt::refused(place, "the list of indices is not known"))?;
        let numbers = cells.array.elements::<i32>().ok_or_else(|| {
            Halt::refused(place, format!("the list of indices holds {}", view.kind))
        })?;
        let whole_list = self.body.dialect.release.minor >= 9;
        let in_domain = Lookup::new(&view.space, &domain);
        let mut offsets = rustc_hash::FxHashMap::default();
        let mut halt = None;
        each_live(&view.space, |at, values, _| {
            let counts = in_domain
                .find(values)
                .is_some_and(|(number, _)| (number as u64) < prefix);
            if !counts || halt.is_some() {
                return;
            }
            if !cells.is_defined(at) {
                halt = Some(Halt::fault(
                    place,
                    format!("index {} of the list is undefined", number_words(values)),
                ));
                return;
            }
            let number = numbers.get(at).copied().unwrap_or(-1);
            match checked(number, rows.positions, indexed, whole_list) {
                Ok(offset) => {
                    offsets.insert(at, offset);
                }
                Err(reason) => halt = Some(Halt::fault(place, reason)),
            }
        });
        match halt {
            Some(halt) => Err(halt),
            None => Ok(List {
                space: view.space.clone(),
                domain,
                prefix,
                offsets,
            }),
        }
    }

    /// Reads the rows of a table that a list names.
    pub(super) fn gather(
        &mut self,
        id: OperationId,
        collective: &Collective,
        rows: &RowWork,
    ) -> Step<()> {
        let place = collective.span;
        let refused = |what: &str| Halt::refused(place, what);
        let ([table, index], Some(target)) =
            (collective.sources.as_slice(), collective.targets.first())
        else {
            return Err(refused(
                "the table, the list or the target of a gather is not known",
            ));
        };
        let table = self.source(*table)?;
        let index = self.source(*index)?;
        let (view, mut cells) = self.target(id, *target, place)?;
        let indexed = match &rows.axis {
            Some(axis) => Indexed::of_mapping(&table, axis),
            None => Indexed::of_rows(&table, &axes_without(&view.space, &index.space.axes)),
        };
        let indexed = indexed
            .ok_or_else(|| refused("the table does not have the axis that indices count"))?;
        let list = self.list(&index, rows, &indexed, collective)?;
        let unfilled = self.unfilled_axes(&view, &list, &indexed);
        let minor = self.body.dialect.release.minor;
        if let Some(axis) = unfilled.first().filter(|_| minor >= 10) {
            let target_words = format!(
                "neither the table nor the list has `{}`, which the gathered rows name",
                axis.name()
            );
            return Err(Halt::fault(place, target_words));
        }
        let is_unwritten_copy = minor <= 6;
        let ungathered = self
            .origins
            .number(OriginKind::UngatheredRows, place, None, || {
                "the gather ends before these rows".to_owned()
            });
        let from = self.memory.store(table.root);
        let from = from.ok_or_else(|| refused("the table is not known"))?;
        let lookups = (
            Lookup::new(&view.space, &list.space),
            Lookup::new(&view.space, &list.domain),
            Lookup::new(&view.space, &indexed.rest),
        );
        let numbers: Vec<usize> = (unfilled.iter())
            .filter_map(|axis| view.space.axis_number(axis))
            .collect();
        let mut moves: Vec<(usize, usize)> = Vec::new();
        let mut left: Vec<usize> = Vec::new();
        let mut is_missing = false;
        each_live(&view.space, |at, values, _| {
            let is_copy = numbers
                .iter()
                .any(|axis| values.get(*axis).is_some_and(|value| *value > 0));
            let counts = lookups.1.find(values);
            let counts = counts.is_some_and(|(number, _)| (number as u64) < list.prefix);
            if !counts || (is_copy && is_unwritten_copy) {
                left.push(at);
                return;
            }
            let offset = lookups
                .0
                .find(values)
                .and_then(|(at, _)| list.offsets.get(&at));
            match (offset, lookups.2.find(values)) {
                (Some(offset), Some((row, _))) => moves.push((at, row + offset)),
                _ => is_missing = true,
            }
        });
        if is_missing {
            return Err(refused(
                "the gathered rows name elements that the table does not have",
            ));
        }
        copy_each(&mut cells, from, &moves, place)?;
        if view.tier == Tier::Dm && self.origins.kept {
            for at in left {
                if !cells.is_defined(at) {
                    cells.put_origin(at, ungathered);
                }
            }
        }
        let read = [table.root, index.root];
        self.put_back(&view, cells, (place, collective.method), &read);
        Ok(())
    }

    /// Axes of gathered rows that neither the table nor the list has.
    fn unfilled_axes(&self, view: &View, list: &List, indexed: &Indexed) -> Vec<Axis> {
        let is_filled = |axis: &Axis| {
            let of_table = indexed
                .rest
                .places
                .iter()
                .any(|place| matches!(place.over, Over::Axis(own) if indexed.rest.axes.get(own) == Some(axis)));
            of_table
                || list.space.axis_number(axis).is_some()
                || list.domain.axis_number(axis).is_some()
        };
        let axes = view.space.axes.iter();
        axes.filter(|axis| !is_filled(axis)).cloned().collect()
    }

    /// Writes rows to where a list says.
    pub(super) fn scatter(&mut self, collective: &Collective, rows: &RowWork) -> Step<()> {
        let place = collective.span;
        let refused = |what: &str| Halt::refused(place, what);
        let ([updates, index], Some(target)) =
            (collective.sources.as_slice(), collective.targets.first())
        else {
            return Err(refused(
                "the rows, the list or the target of a scatter is not known",
            ));
        };
        let updates = self.source(*updates)?;
        let index = self.source(*index)?;
        let (view, mut cells) = self.target(OperationId(u32::MAX), *target, place)?;
        let indexed = match (&rows.axis, &rows.domain) {
            (Some(axis), _) => Indexed::of_mapping(&view, axis),
            (None, key) => {
                let key: Vec<Axis> = (key.iter())
                    .flat_map(|key| key.form().axes().into_iter())
                    .collect();
                Indexed::of_rows(&view, &axes_without(&updates.space, &key))
            }
        };
        let indexed = indexed
            .ok_or_else(|| refused("the target does not have the axis that indices count"))?;
        let list = self.list(&index, rows, &indexed, collective)?;
        let from = self.memory.store(updates.root);
        let from = from.ok_or_else(|| refused("the rows of a scatter are not known"))?;
        let lookups = (
            Lookup::new(&updates.space, &list.space),
            Lookup::new(&updates.space, &list.domain),
            Lookup::new(&updates.space, &indexed.rest),
        );
        let mut moves: Vec<(usize, (usize, usize))> = Vec::new();
        let mut is_missing = false;
        let copies: Vec<bool> = (updates.space.places.iter())
            .map(|place| place.over == Over::Number)
            .collect();
        each_live(&updates.space, |at, values, steps| {
            if copies
                .iter()
                .zip(steps)
                .any(|(copies, step)| *copies && *step > 0)
            {
                return;
            }
            let Some((number, _)) = lookups.1.find(values) else {
                is_missing = true;
                return;
            };
            if number as u64 >= list.prefix {
                return;
            }
            let offset = lookups
                .0
                .find(values)
                .and_then(|(at, _)| list.offsets.get(&at));
            match (offset, lookups.2.find(values)) {
                (Some(offset), Some((row, _))) => moves.push((number, (row + offset, at))),
                _ => is_missing = true,
            }
        });
        if is_missing {
            return Err(refused("the rows of the scatter do not fit its target"));
        }
        // In the order of the list: a place that is named twice keeps the last row.
        moves.sort_by_key(|(number, _)| *number);
        let moves: Vec<(usize, usize)> = moves.into_iter().map(|(_, pair)| pair).collect();
        copy_each(&mut cells, from, &moves, place)?;
        let read = [updates.root, index.root];
        self.put_back(&view, cells, (place, collective.method), &read);
        Ok(())
    }
}

/// The axes of a space but for some.
fn axes_without(space: &Space, others: &[Axis]) -> Vec<Axis> {
    let own = space.axes.iter();
    own.filter(|axis| !others.contains(axis)).cloned().collect()
}

/// Copies elements one by one, in order.
fn copy_each(cells: &mut Cells, from: &Cells, moves: &[(usize, usize)], place: Span) -> Step<()> {
    let pairs = moves.iter().map(|(target, source)| super::plan::Pair {
        target: *target,
        source: *source,
        is_copy: false,
    });
    let plan = super::plan::Plan::Listed(pairs.collect());
    if moves.is_empty() {
        return Ok(());
    }
    super::cells::carry_out(&plan, cells, from, super::cells::Copies::Made)
        .map_err(|_| Halt::fault(place, "an index reaches beyond the tensor"))
}

/// The elements from the first position of the axis to the one that an index names, or what is wrong with it.
fn checked(
    number: i32,
    positions: bool,
    indexed: &Indexed,
    whole_list: bool,
) -> Result<usize, String> {
    let (size, axis) = (indexed.offsets.len(), &indexed.name);
    let Ok(value) = u64::try_from(number) else {
        return Err(format!("the index {number} is negative"));
    };
    let position = if positions {
        value
    } else {
        let bytes = indexed.bytes.max(1);
        if whole_list && !value.is_multiple_of(bytes) {
            return Err(format!(
                "the byte offset {number} is no multiple of {bytes}, the bytes of a position of `{axis}`"
            ));
        }
        value / bytes
    };
    let place = usize::try_from(position).unwrap_or(usize::MAX);
    match indexed.offsets.get(place) {
        None => Err(format!(
            "the index {number} is position {position} of `{axis}`, which has {size}"
        )),
        Some(None) => Err(format!(
            "the index {number} names a position of `{axis}` that holds no element"
        )),
        Some(Some(offset)) => Ok(*offset),
    }
}

/// Coordinates for a message.
fn number_words(values: &[u64]) -> String {
    let words: Vec<String> = values.iter().map(u64::to_string).collect();
    words.join(", ")
}
