//! Where rows are: the first, second and last of each loop as numbers, and one row drawn to scale.

use super::{Side, Transfer};

/// One row in the table of a transfer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRow {
    /// The index of each loop, the outermost first.
    pub indices: Vec<u64>,
    /// Behind the base of the source.
    pub source: i128,
    /// Behind the base of the target.
    pub target: i128,
}

/// Characters of a drawn row.
const DRAWN: u64 = 32;

impl<S: Copy + Into<i128>> Transfer<S> {
    /// Where the row with these indices begins on both sides; `None` beyond 2^127.
    fn row_at(&self, indices: Vec<u64>) -> Option<TableRow> {
        let offset = |side: Side| {
            let steps = indices.iter().zip(&self.loops);
            steps
                .map(|(&index, one)| i128::from(index).checked_mul(one.step(side).into()))
                .try_fold(0_i128, |sum, way| sum.checked_add(way?))
        };
        let (source, target) = (offset(Side::Source)?, offset(Side::Target)?);
        Some(TableRow {
            indices,
            source,
            target,
        })
    }

    /// The first row of all, then the second and the last of each loop, from the innermost loop to the outermost; each row once.
    pub fn row_table(&self) -> Vec<TableRow> {
        let mut rows = Vec::new();
        if self.is_empty() {
            return rows;
        }
        let first = vec![0; self.loops.len()];
        rows.extend(self.row_at(first.clone()));
        for (place, one) in self.loops.iter().enumerate().rev() {
            let mut numbers = vec![1, one.count - 1];
            numbers.dedup();
            for number in numbers
                .into_iter()
                .filter(|&number| number > 0 && number < one.count)
            {
                let mut indices = first.clone();
                if let Some(index) = indices.get_mut(place) {
                    *index = number;
                }
                rows.extend(self.row_at(indices));
            }
        }
        rows
    }

    /// One row on a side up to where the next begins, drawn to scale: `#` data, `+` what is filled in, `.` what is left alone.
    /// `None` where there is no next row, or it begins at or before this one.
    pub fn picture(&self, side: Side) -> Option<String> {
        let inner = self.loops.iter().rev().find(|one| one.count > 1)?;
        let step = u64::try_from(inner.step(side).into())
            .ok()
            .filter(|&step| step > 0)?;
        let row = self.row(side);
        let drawn = |length: u64| {
            let exact = u128::from(length) * u128::from(DRAWN) / u128::from(step);
            // What is there is seen, however little it is.
            usize::try_from(exact)
                .unwrap_or(0)
                .max(usize::from(length > 0))
        };
        let data = self.run.min(step);
        let filled = row.min(step).saturating_sub(data);
        let gap = step.saturating_sub(row.max(data));
        let (filled, gap) = (drawn(filled), drawn(gap));
        let data = usize::try_from(DRAWN)
            .unwrap_or(0)
            .saturating_sub(filled + gap);
        Some(format!(
            "{}{}{}",
            "#".repeat(data.max(1)),
            "+".repeat(filled),
            ".".repeat(gap)
        ))
    }
}
