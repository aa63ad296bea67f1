//! Whether numbers exist that satisfy linear inequalities: the strides of counters, and the count that they stop at.
//!
//! Exact: a simplex over integers with one common denominator (Bareiss). It knows nothing of counters, and where numbers
//! outgrow 128 bits, or the turns of a small problem do not end, it says that it does not know.

/// Turns after which a problem is given up.
const MOST_TURNS: usize = 2_000;

/// `coefficients * unknowns <= bound`; unknowns are at least 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// One number an unknown.
    pub coefficients: Vec<i128>,
    /// What their sum may reach.
    pub bound: i128,
}

/// What is known of a system of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Solution {
    /// The unknowns, all over one denominator.
    Found {
        /// One number an unknown.
        numerators: Vec<i128>,
        /// At least 1.
        denominator: i128,
    },
    /// There is none.
    Impossible,
    /// Numbers too large, or too many turns.
    Unknown,
}

/// Looks for unknowns of at least 0 that satisfy all rows.
pub(super) fn solve_rows(rows: &[Row]) -> Solution {
    let Some(mut table) = Table::new(rows) else {
        return Solution::Impossible;
    };
    match table.run() {
        Some(true) => table.solution(),
        Some(false) => Solution::Impossible,
        None => Solution::Unknown,
    }
}

/// Unknowns, then the helper that is to become 0, then a slack a row, then the right side. The first line is the goal.
struct Table {
    lines: Vec<Vec<i128>>,
    /// The column that a row after the goal stands for.
    basis: Vec<usize>,
    unknowns: usize,
    denominator: i128,
}

impl Table {
    /// `None` where the rows have no unknowns.
    fn new(rows: &[Row]) -> Option<Self> {
        let unknowns = rows.iter().map(|row| row.coefficients.len()).max()?;
        let width = unknowns + 1 + rows.len() + 1;
        let mut goal = vec![0; width];
        goal[unknowns] = 1;
        let mut lines = vec![goal];
        for (number, row) in rows.iter().enumerate() {
            let mut line = row.coefficients.clone();
            line.resize(width, 0);
            line[unknowns] = -1;
            line[unknowns + 1 + number] = 1;
            line[width - 1] = row.bound;
            lines.push(line);
        }
        let basis = (0..rows.len()).map(|row| unknowns + 1 + row).collect();
        Some(Self {
            lines,
            basis,
            unknowns,
            denominator: 1,
        })
    }

    /// Whether the helper can be 0.
    fn run(&mut self) -> Option<bool> {
        let last = self.lines.first()?.len().checked_sub(1)?;
        let lowest = (1..self.lines.len()).min_by_key(|&line| self.lines[line][last])?;
        if self.lines[lowest][last] < 0 {
            // The helper enters where most is missing: after that no right side is below 0.
            for number in &mut self.lines[lowest] {
                *number = -*number;
            }
            self.turn(lowest, self.unknowns)?;
            self.descend(last)?;
        }
        Some(self.helper(last) == 0)
    }

    /// Bland's rule: the first column that helps, the first of the rows that stop it; the helper leaves when it can.
    fn descend(&mut self, last: usize) -> Option<()> {
        for _ in 0..MOST_TURNS {
            let Some(enters) = (0..last).find(|&column| self.lines[0][column] < 0) else {
                return Some(());
            };
            let mut leaves: Option<usize> = None;
            for line in (1..self.lines.len()).filter(|&line| self.lines[line][enters] > 0) {
                leaves = match leaves {
                    None => Some(line),
                    Some(best) if self.is_tighter(line, best, enters, last)? => Some(line),
                    kept => kept,
                };
            }
            self.turn(leaves?, enters)?;
            if self.helper(last) == 0 {
                return Some(());
            }
        }
        None
    }

    fn is_tighter(&self, line: usize, best: usize, enters: usize, last: usize) -> Option<bool> {
        let own = self.lines[line][last].checked_mul(self.lines[best][enters])?;
        let other = self.lines[best][last].checked_mul(self.lines[line][enters])?;
        let column = |line: usize| self.basis[line - 1];
        let first = column(line) == self.unknowns
            || (column(best) != self.unknowns && column(line) < column(best));
        Some(own < other || (own == other && first))
    }

    fn helper(&self, last: usize) -> i128 {
        let line = self
            .basis
            .iter()
            .position(|&column| column == self.unknowns);
        line.map_or(0, |line| self.lines[line + 1][last])
    }

    /// Makes a column stand for a row. All numbers stay integers over the new denominator.
    fn turn(&mut self, row: usize, column: usize) -> Option<()> {
        let pivot_line = self.lines[row].clone();
        let pivot = pivot_line[column];
        for (number, line) in self.lines.iter_mut().enumerate() {
            if number == row {
                continue;
            }
            let factor = line[column];
            for (cell, own) in line.iter_mut().zip(&pivot_line) {
                let kept = cell.checked_mul(pivot)?;
                let taken = factor.checked_mul(*own)?;
                *cell = kept.checked_sub(taken)? / self.denominator;
            }
        }
        self.denominator = pivot;
        self.basis[row - 1] = column;
        Some(())
    }

    fn solution(&self) -> Solution {
        let mut numerators = vec![0; self.unknowns];
        for (line, &column) in self.basis.iter().enumerate() {
            if let Some(unknown) = numerators.get_mut(column) {
                *unknown = self.lines[line + 1].last().copied().unwrap_or(0);
            }
        }
        Solution::Found {
            numerators,
            denominator: self.denominator,
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    fn row(coefficients: &[i128], bound: i128) -> Row {
        Row {
            coefficients: coefficients.to_vec(),
            bound,
        }
    }

    /// Against a walk over halves and thirds of small numbers, for what can be solved; against a certificate for what cannot.
    #[test]
    fn random_systems_agree_with_a_walk() {
        let mut rng = StdRng::seed_from_u64(5);
        let (mut found, mut impossible) = (0, 0);
        for _ in 0..3_000 {
            let rows: Vec<Row> = (0..rng.random_range(1..6))
                .map(|_| {
                    let coefficients = (0..2).map(|_| rng.random_range(-3..=3)).collect();
                    Row {
                        coefficients,
                        bound: rng.random_range(-6..=6),
                    }
                })
                .collect();
            let holds = |unknowns: [i128; 2], denominator: i128| {
                rows.iter().all(|row| {
                    let sum: i128 = row
                        .coefficients
                        .iter()
                        .zip(unknowns)
                        .map(|(a, b)| a * b)
                        .sum();
                    sum <= row.bound * denominator
                })
            };
            match solve_rows(&rows) {
                Solution::Found {
                    numerators,
                    denominator,
                } => {
                    assert!(denominator > 0 && numerators.iter().all(|&number| number >= 0));
                    assert!(
                        holds([numerators[0], numerators[1]], denominator),
                        "{rows:?}"
                    );
                    found += 1;
                }
                Solution::Impossible => {
                    for denominator in 1..=6 {
                        for first in 0..=60 {
                            for second in 0..=60 {
                                assert!(!holds([first, second], denominator), "{rows:?}");
                            }
                        }
                    }
                    impossible += 1;
                }
                Solution::Unknown => panic!("{rows:?}"),
            }
        }
        assert!(found > 300 && impossible > 300, "{found} {impossible}");
    }

    /// Numbers that do not fit are no answer.
    #[test]
    fn large_numbers_are_unknown() {
        let large = i128::MAX / 2;
        let rows = [
            row(&[-large, 3, 1], -large),
            row(&[3, -large, 2], -5),
            row(&[large, large - 1, -3], large),
        ];
        assert_eq!(solve_rows(&rows), Solution::Unknown);
    }
}
