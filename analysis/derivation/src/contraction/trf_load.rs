//! Loads of the TRF: the outermost part of the collected time becomes rows, the rest each row's element
//! (book: TRF Sequencer, Interface).

use std::sync::Arc;

use crate::conventions::Conventions;
use crate::forms;
use crate::kernel::{Body, Pass, PassEnd};
use crate::mapping::{Form, Mapping};

use super::is_row_count;

/// What a load of the TRF stores.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrfLoadDerivation {
    /// The rows that as many outermost steps of the time make.
    pub expected_row: Option<Mapping>,
    /// What one row stores: the rest of the time, then the packet.
    pub expected_element: Option<Mapping>,
    /// Row counts that the MAC array has and that divide the time.
    pub possible_rows: Vec<u64>,
    /// Where the row count does not fit: the next one that the MAC array has, and the time with its outermost axis padded
    /// so that it divides.
    pub padded_time: Option<(u64, Mapping)>,
    /// What the load cannot do: at most one, the first by the order of [`TrfLoadViolation`].
    pub violations: Vec<TrfLoadViolation>,
}

/// What a load of the TRF cannot do, in the order in which it is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrfLoadViolation {
    /// The row count is none that the MAC array has, or it does not divide the time.
    RowCount {
        /// Rows asked for.
        rows: u64,
        /// Iterations of the collected time, where they are known.
        time: Option<u64>,
    },
    /// The rows are not the outermost factors of the collected time.
    RowMismatch,
    /// The element is not the rest of the time followed by the packet.
    ElementMismatch,
    /// Rows are cut out of an axis with padding, in steps of several values. The compiler takes few counts of values there.
    PartialRows {
        /// The axis.
        axis: Arc<str>,
        /// Its values.
        live: u64,
    },
}

/// Values of a padded axis out of which the compiler cuts rows.
pub const PARTIAL_ROWS: [u64; 3] = [4, 8, 16];

/// Derives the load of the TRF that ends a pass.
pub fn derive_trf_load(body: &Body, pass: &Pass) -> TrfLoadDerivation {
    let mut derived = TrfLoadDerivation::default();
    let PassEnd::ToTrf { target, .. } = &pass.end else {
        return derived;
    };
    let Some(levels) = body.tensor(*target).map(|tensor| &tensor.levels) else {
        return derived;
    };
    let Some(row) = &levels.row else {
        return derived;
    };
    let stream = pass.output();
    let Some(rows) = row.get().map(Mapping::size) else {
        return derived;
    };
    let time = stream.time.get().map(Mapping::size);
    let divides = |rows| time.is_none_or(|time| time.is_multiple_of(rows));
    derived.possible_rows = [1, 2, 4, 8]
        .into_iter()
        .filter(|&rows| divides(rows))
        .collect();
    if !is_row_count(rows) || !divides(rows) {
        derived
            .violations
            .push(TrfLoadViolation::RowCount { rows, time });
        derived.padded_time =
            forms::known_form(&stream.time).and_then(|time| padded_to_rows(time, rows));
        return derived;
    }
    if let (Some(time), Some(packet)) = (
        forms::known_form(&stream.time),
        forms::known_form(&stream.packet),
    ) && let Some((outer, inner)) = time.split_at(time.size() / rows)
        && let Some(element) = Form::multiply(&inner, packet)
    {
        derived.expected_row = Some(outer.to_mapping());
        derived.expected_element = Some(element.to_mapping());
        if forms::known_form(row).is_some_and(|declared| forms::differ(declared, &outer)) {
            derived.violations.push(TrfLoadViolation::RowMismatch);
        } else if forms::known_form(&levels.element)
            .is_some_and(|declared| forms::differ(declared, &element))
        {
            derived.violations.push(TrfLoadViolation::ElementMismatch);
        } else if Conventions::of(body.dialect).is_successor()
            && let Some(violation) = forms::known_form(row).and_then(partial_rows)
        {
            derived.violations.push(violation);
        }
    }
    derived
}

/// Rows that are steps of several values of a padded axis.
fn partial_rows(row: &Form) -> Option<TrfLoadViolation> {
    row.digits().iter().find_map(|digit| {
        let term = digit.term.as_ref()?;
        let axis = term.atom.axis()?;
        let is_partial = term.stride > 1 && digit.live < digit.extent;
        (is_partial && !PARTIAL_ROWS.contains(&axis.size())).then(|| {
            TrfLoadViolation::PartialRows {
                axis: axis.name().into(),
                live: axis.size(),
            }
        })
    })
}

/// The next row count from `rows` on, and the time padded outermost to a multiple of it.
fn padded_to_rows(time: &Form, rows: u64) -> Option<(u64, Mapping)> {
    let rows = [1, 2, 4, 8].into_iter().find(|&count| count >= rows)?;
    let outermost = time.digits().last()?.extent;
    let inside = time.size().checked_div(outermost)?;
    let steps = (outermost.checked_add(1)?..outermost.checked_add(rows)?).find(|steps| {
        inside
            .checked_mul(*steps)
            .is_some_and(|size| size.is_multiple_of(rows))
    })?;
    let padded = time.pad(inside.checked_mul(steps)?)?;
    Some((rows, padded.to_mapping()))
}
