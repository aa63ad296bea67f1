//! Mappings as tables: what each position holds, packed into one number, for comparisons position by position.

use crate::mapping::Expr;

/// What a position holds: 16 bits an axis; nothing where it is padding.
pub(crate) type Cell = Option<u128>;

/// Most positions of a table.
const TABLE_LIMIT: u64 = 1 << 15;

/// Most positions that are compared one by one; of longer sequences a sample is.
const SEQUENCE_LIMIT: usize = 1 << 13;

/// Most axes that one pass may name.
const AXES: usize = 8;

/// The axes of one pass, numbered.
#[derive(Default)]
pub(crate) struct Axes {
    names: Vec<String>,
    sizes: Vec<u64>,
}

impl Axes {
    fn number(&mut self, name: &str, size: u64) -> Option<usize> {
        if let Some(at) = self.names.iter().position(|other| other == name) {
            return (self.sizes[at] == size).then_some(at);
        }
        if self.names.len() == AXES || size >= 1 << 15 {
            return None;
        }
        self.names.push(name.to_owned());
        self.sizes.push(size);
        Some(self.names.len() - 1)
    }

    /// The bits of the axes that an expression names.
    pub(crate) fn mask(&self, expr: &Expr) -> u128 {
        self.mask_of(|name| expr.axes().iter().any(|axis| axis == name))
    }

    /// The bits of one axis.
    pub(crate) fn mask_of(&self, chosen: impl Fn(&str) -> bool) -> u128 {
        let bits = |at: usize| 0xffff_u128 << (16 * at);
        let numbered = self.names.iter().enumerate();
        numbered
            .filter(|(_, name)| chosen(name))
            .map(|(at, _)| bits(at))
            .sum()
    }

    /// Two parts of one index together; nothing where a value leaves its axis.
    pub(crate) fn join(&self, left: Cell, right: Cell) -> Cell {
        let sum = left? + right?;
        let inside = self
            .sizes
            .iter()
            .enumerate()
            .all(|(at, size)| (sum >> (16 * at) & 0xffff) < u128::from(*size));
        inside.then_some(sum)
    }

    /// The table of an expression; `None` where it is too long or ill-formed, or where it holds a part of a group that is cut
    /// inside of one of its axes: a position of such a part carries over from axis to axis, and this table adds them up one
    /// by one.
    pub(crate) fn table(&mut self, expr: &Expr) -> Option<Vec<Cell>> {
        if expr.fault().is_some() || expr.size()? > TABLE_LIMIT || cuts_a_group(expr) {
            return None;
        }
        Some(match expr {
            Expr::Copies(n) => (0..*n).map(|_| Some(0)).collect(),
            Expr::Axis(name, size) => {
                let at = self.number(name, *size)?;
                (0..*size)
                    .map(|value| Some(u128::from(value) << (16 * at)))
                    .collect()
            }
            Expr::Stride(inner, n) => {
                let step = usize::try_from(*n).ok()?;
                self.table(inner)?.into_iter().step_by(step).collect()
            }
            Expr::Modulo(inner, n) | Expr::Resize(inner, n) => {
                let mut table = self.table(inner)?;
                table.truncate(usize::try_from(*n).ok()?);
                table
            }
            Expr::Pad(inner, n) => {
                let mut table = self.table(inner)?;
                table.resize(usize::try_from(*n).ok()?, None);
                table
            }
            Expr::Pair(parts) => {
                let mut joined = vec![Some(0)];
                for part in parts {
                    let part = self.table(part)?;
                    let both = joined
                        .iter()
                        .flat_map(|outer| part.iter().map(move |inner| (*outer, *inner)));
                    joined = both.map(|(outer, inner)| self.join(outer, inner)).collect();
                }
                joined
            }
        })
    }

    /// Whether two sequences, each an outer and an inner table, are proven to differ.
    pub(crate) fn differ(&self, left: (&[Cell], &[Cell]), right: (&[Cell], &[Cell])) -> bool {
        let size = left.0.len() * left.1.len();
        if size != right.0.len() * right.1.len() {
            return true;
        }
        let at = |(outer, inner): (&[Cell], &[Cell]), position: usize| {
            self.join(outer[position / inner.len()], inner[position % inner.len()])
        };
        sample(size).any(|position| at(left, position) != at(right, position))
    }
}

/// Whether an expression divides a group anywhere but between two of its parts.
fn cuts_a_group(expr: &Expr) -> bool {
    match expr {
        Expr::Stride(inner, n) | Expr::Modulo(inner, n) => match &**inner {
            Expr::Pair(parts) => {
                let mut size = 1;
                let between = parts.iter().rev().any(|part| {
                    size *= part.size().unwrap_or(0);
                    size == *n
                });
                !(between || *n == 1)
            }
            Expr::Axis(..) | Expr::Copies(_) => false,
            other => !groups(other).is_empty(),
        },
        _ => false,
    }
}

/// The groups in an expression.
fn groups(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Copies(_) | Expr::Axis(..) => Vec::new(),
        Expr::Pair(_) => vec![expr],
        Expr::Stride(inner, _)
        | Expr::Modulo(inner, _)
        | Expr::Resize(inner, _)
        | Expr::Pad(inner, _) => groups(inner),
    }
}

/// Every position of a short sequence, some of a long one.
pub(crate) fn sample(size: usize) -> impl Iterator<Item = usize> {
    let step = (size / SEQUENCE_LIMIT).max(1);
    let step = if step > 1 { step | 1 } else { 1 };
    (0..size)
        .step_by(step)
        .chain(size.saturating_sub(if step > 1 { 64 } else { 0 })..size)
}

/// A table without the padding at its end.
pub(crate) fn live(table: &[Cell]) -> &[Cell] {
    let end = table
        .iter()
        .rposition(Option::is_some)
        .map_or(0, |at| at + 1);
    &table[..end.max(1)]
}
