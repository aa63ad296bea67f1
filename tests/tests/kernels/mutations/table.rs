//! Mappings as tables: what each position holds, packed into one number, for comparisons position by position.
//!
//! A group that a size cuts across counts its positions as one more axis. The digits of a position are added up first, and
//! only then is the position taken apart into values of the group's axes: with carry. Where a sequence steps through a group
//! and through an axis of it beside that, or through two groups that share one, nothing is said.

use crate::mutations::mapping::Expr;

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
    groups: Vec<Group>,
}

/// A group whose positions are numbered as an axis.
struct Group {
    /// Its number among the axes.
    at: usize,
    /// What each position of it holds.
    cells: Vec<Cell>,
    /// The bits of its axes.
    members: u128,
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
    /// inside of one of its axes: what such a part holds is known together with the other parts alone ([`Self::carried`]).
    pub(crate) fn table(&mut self, expr: &Expr) -> Option<Vec<Cell>> {
        self.filled(expr, false)
    }

    /// As [`Self::table`]; a part of a group holds steps through its positions. Cells of all parts together, joined, are
    /// read by [`Self::apart`].
    fn carried(&mut self, expr: &Expr) -> Option<Vec<Cell>> {
        self.filled(expr, true)
    }

    fn filled(&mut self, expr: &Expr, carry: bool) -> Option<Vec<Cell>> {
        let cut = cuts_a_group(expr);
        if expr.fault().is_some() || expr.size()? > TABLE_LIMIT || (cut && !carry) {
            return None;
        }
        self.parts(expr, carry, false)
    }

    /// The table of an expression; in a part of a group that is cut, `inside`, groups count positions.
    fn parts(&mut self, expr: &Expr, carry: bool, inside: bool) -> Option<Vec<Cell>> {
        Some(match expr {
            Expr::Copies(n) => (0..*n).map(|_| Some(0)).collect(),
            Expr::Axis(name, size) => {
                let at = self.number(name, *size)?;
                counted(at, *size)
            }
            Expr::Stride(inner, n) => {
                let step = usize::try_from(*n).ok()?;
                let inside = carry && (inside || !groups(inner).is_empty());
                let table = self.checked(inner, carry, inside)?;
                table.into_iter().step_by(step).collect()
            }
            Expr::Modulo(inner, n) | Expr::Resize(inner, n) => {
                let divides = matches!(expr, Expr::Modulo(..)) && !groups(inner).is_empty();
                let mut table = self.checked(inner, carry, inside || carry && divides)?;
                table.truncate(usize::try_from(*n).ok()?);
                table
            }
            Expr::Pad(inner, n) => {
                let mut table = self.checked(inner, carry, inside)?;
                table.resize(usize::try_from(*n).ok()?, None);
                table
            }
            Expr::Pair(_) if inside => {
                let at = self.group(expr)?;
                counted(at, self.sizes[at])
            }
            Expr::Pair(parts) => {
                let mut joined = vec![Some(0)];
                for part in parts {
                    let part = self.checked(part, carry, false)?;
                    let both = joined
                        .iter()
                        .flat_map(|outer| part.iter().map(move |inner| (*outer, *inner)));
                    joined = both.map(|(outer, inner)| self.join(outer, inner)).collect();
                }
                joined
            }
        })
    }

    fn checked(&mut self, expr: &Expr, carry: bool, inside: bool) -> Option<Vec<Cell>> {
        let fits = expr.size()? <= TABLE_LIMIT && (carry || !cuts_a_group(expr));
        fits.then(|| self.parts(expr, carry, inside))?
    }

    /// The number of a group's positions.
    fn group(&mut self, pair: &Expr) -> Option<usize> {
        let cells = self.table(pair)?;
        let size = pair.size()?;
        let at = self.number(&format!("{pair:?}"), size)?;
        if !self.groups.iter().any(|group| group.at == at) {
            let members = self.mask(pair);
            self.groups.push(Group { at, cells, members });
        }
        Some(at)
    }

    /// What a whole cell holds: the positions of groups taken apart.
    pub(crate) fn apart(&self, cell: Cell) -> Cell {
        let mut sum = cell?;
        for group in &self.groups {
            let position = (sum >> (16 * group.at)) & 0xffff;
            if position > 0 {
                let held = group.cells.get(usize::try_from(position).ok()?)?;
                let rest = sum & !(0xffff << (16 * group.at));
                sum = self.join(Some(rest), *held)?;
            } else if group.cells.first() == Some(&None) {
                return None;
            }
        }
        Some(sum)
    }

    /// Whether sequences of these parts step through no axis both on its own and in a group, nor through two groups that share
    /// one.
    fn is_settled(&self, parts: &[&[Cell]]) -> bool {
        let cells = parts.iter().flat_map(|part| part.iter().flatten());
        let used = cells.fold(0, |used, cell| used | cell);
        let mut seen = 0;
        for group in &self.groups {
            if used & (0xffff << (16 * group.at)) != 0 {
                if (used | seen) & group.members != 0 {
                    return false;
                }
                seen |= group.members;
            }
        }
        true
    }

    /// The tables of some expressions whose cells are compared where they are joined: plain ones if there are, else with
    /// carry. `None` where a table is not known, or where that of `whole` parts together leaves a doubt.
    pub(crate) fn tables<const N: usize>(
        &mut self,
        exprs: [&Expr; N],
        whole: &[std::ops::Range<usize>],
    ) -> Option<[Vec<Cell>; N]> {
        let plain: Option<Vec<_>> = exprs.iter().map(|expr| self.table(expr)).collect();
        let tables = match plain {
            Some(tables) => tables,
            None => exprs
                .iter()
                .map(|expr| self.carried(expr))
                .collect::<Option<Vec<_>>>()?,
        };
        let settled = whole.iter().all(|range| {
            let parts: Vec<&[Cell]> = tables[range.clone()].iter().map(Vec::as_slice).collect();
            self.is_settled(&parts)
        });
        settled.then(|| tables.try_into().ok())?
    }

    /// Whether two sequences, each an outer and an inner table, are proven to differ.
    pub(crate) fn differ(&self, left: (&[Cell], &[Cell]), right: (&[Cell], &[Cell])) -> bool {
        let size = left.0.len() * left.1.len();
        if size != right.0.len() * right.1.len() {
            return true;
        }
        let at = |(outer, inner): (&[Cell], &[Cell]), position: usize| {
            self.apart(self.join(outer[position / inner.len()], inner[position % inner.len()]))
        };
        sample(size).any(|position| at(left, position) != at(right, position))
    }
}

/// Every value of an axis.
fn counted(at: usize, size: u64) -> Vec<Cell> {
    (0..size)
        .map(|value| Some(u128::from(value) << (16 * at)))
        .collect()
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
