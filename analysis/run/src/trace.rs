//! Results of operations as a run shows them: those on lines that are asked for, or a summary of all.

use std::sync::Arc;

use crate::db::Db;
use crate::items::Span;
use crate::places::Places;

use super::cells::Cells;
use super::layout::{ElementPlaces, physical};
use super::memory::View;
use super::plan::each_live;
use super::request::{RunRequest, TracedValue};
use super::space::Space;

/// What is kept of the results of operations.
pub(super) struct Trace<'a> {
    places: Places<'a>,
    /// The file whose lines are asked for.
    file: Option<Arc<str>>,
    lines: Vec<u32>,
    summarises: bool,
    found: Vec<TracedValue>,
}

impl<'a> Trace<'a> {
    /// What a request for the function at a place asks for; `None` where that is nothing.
    pub(super) fn of_request(db: &'a dyn Db, request: &RunRequest, function: Span) -> Option<Self> {
        let is_asked = request.summarises || !request.traced_lines.is_empty();
        let mut places = Places::new(db);
        is_asked.then(|| Self {
            file: places.range(function).map(|(file, _)| file),
            places,
            lines: request.traced_lines.clone(),
            summarises: request.summarises,
            found: Vec::new(),
        })
    }

    /// Takes in what an operation wrote.
    pub(super) fn take(&mut self, view: &View, cells: &Cells, place: Span, name: &str) {
        let Some((file, range)) = self.places.range(place) else {
            return;
        };
        let is_kept = self.file.as_ref() == Some(&file)
            && (self.lines.iter()).any(|line| (range.start.line..=range.end.line).contains(line));
        if !is_kept && !self.summarises {
            return;
        }
        let space = &view.space;
        let summary = Summary::of_cells(space, cells);
        let elements = is_kept.then(|| {
            let places = ElementPlaces::of_positions(space);
            let defined = places.picked_bits(cells.defined.as_ref());
            (places.picked(&cells.array), defined)
        });
        self.found.push(TracedValue {
            name: Arc::from(name),
            span: (file, range).into(),
            kind: view.kind,
            shape: physical(space).sizes,
            mapping: space.words(),
            live: summary.live,
            undefined: summary.undefined,
            range_of_values: summary.range,
            elements,
        });
    }

    /// A sentence for each line that is asked for and has no result of an operation.
    pub(super) fn missed_lines(&self) -> Vec<String> {
        let is_met = |line: &&u32| {
            (self.found.iter()).any(|value| {
                value.elements.is_some()
                    && (value.span.range.start.line..=value.span.range.end.line).contains(line)
            })
        };
        let missed = self.lines.iter().filter(|line| !is_met(line));
        missed
            .map(|line| {
                format!(
                    "No operation ends on line {line}: name the line of the call that writes the tensor."
                )
            })
            .collect()
    }

    /// What was kept, in the order of the run.
    pub(super) fn into_values(self) -> Vec<TracedValue> {
        self.found
    }
}

/// The elements of a tensor in a few numbers.
#[derive(Debug, Default)]
struct Summary {
    live: u64,
    undefined: u64,
    range: Option<(f64, f64)>,
}

impl Summary {
    fn of_cells(space: &Space, cells: &Cells) -> Self {
        let mut summary = Self::default();
        let mut take = |place: usize| {
            summary.live += 1;
            if !cells.is_defined(place) {
                summary.undefined += 1;
                return;
            }
            let number = cells.array.number_at(place);
            if let Some(number) = number.filter(|number| !number.is_nan()) {
                let (least, most) = summary.range.unwrap_or((number, number));
                summary.range = Some((least.min(number), most.max(number)));
            }
        };
        if space.is_opaque {
            if let Some(function) = space.function() {
                (0..space.positions())
                    .filter(|position| function.values(*position).is_some())
                    .for_each(|position| take(space.memory_place(position)));
            }
        } else {
            each_live(space, |at, _, _| take(at));
        }
        summary
    }
}
