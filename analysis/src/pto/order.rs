//! The order of pipes: which reads of UB come after which writes of another pipe.
//!
//! Each pipe runs its operations in order, and pipes run beside each other. An access is after a write if a chain of flags leads
//! from the writer's pipe to the reader's, or a barrier of all pipes is between them, or anything that may order
//! them. What only some path orders counts as ordered. Knows no registers and no words.

#[cfg(test)]
mod tests;

use super::program::{Access, Action, Flag, Function, Name, PIPES, Step, What};
use super::syntax::OperationId;
use super::transfers::{CopyKind, Derived, Given};
use super::values::Expression;
use crate::transfer::{Meeting, Side, Transfer, sides_meet};

/// A read of UB that nothing orders after a write of another pipe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Race {
    /// The operation that writes.
    pub write: OperationId,
    /// Its pipe.
    pub write_pipe: &'static str,
    /// The operation that reads.
    pub read: OperationId,
    /// Its pipe.
    pub read_pipe: &'static str,
}

/// An offset in both readings: in elements, and in bytes. `None` where it is not known.
type Readings = Option<[i64; 2]>;

/// Bytes of UB that an operation touches.
#[derive(Debug, Clone, Copy)]
struct Touch<'a> {
    operation: OperationId,
    pipe: u16,
    base: Given,
    /// What is added to the base.
    offsets: Readings,
    /// What each loop around it adds the first time; only for an offset that loops change.
    first_offsets: Readings,
    rows: &'a Transfer,
    side: Side,
    certain: bool,
}

/// A write with what is known to come after it.
#[derive(Debug, Clone)]
struct Pending<'a> {
    write: Touch<'a>,
    /// The pipes whose later operations come after it, a bit each.
    after: u16,
    /// The flags that say so to whoever waits for them.
    carried: Vec<(u16, u16, Name)>,
}

const ALL: u16 = u16::MAX;
/// Writes that are remembered at once. Those before are taken as ordered: time does not grow with the square of a function.
const MOST_PENDING: usize = 128;

fn pipe(name: &str) -> Option<u16> {
    let index = PIPES.iter().position(|pipe| *pipe == name)?;
    1_u16.checked_shl(u32::try_from(index).ok()?)
}

fn pipe_name(bit: u16) -> &'static str {
    PIPES
        .get(bit.trailing_zeros() as usize)
        .copied()
        .unwrap_or("PIPE_ALL")
}

/// Whether a function orders its pipes itself. One that does not is one for which the assembler inserts the order.
#[must_use]
pub fn is_explicit(function: &Function) -> bool {
    let mut explicit = false;
    function.each(&mut |action| {
        let orders = matches!(
            action.what,
            What::Set(_) | What::Wait(_) | What::Barrier(_) | What::Orders
        );
        explicit |= orders;
    });
    explicit
}

struct Walk<'a> {
    derived: &'a dyn Fn(usize) -> Option<&'a Derived>,
    races: Vec<Race>,
    /// Whether races are noted: the second walk over a loop only finds what orders.
    notes: bool,
}

/// The reads of a function that nothing orders after a write, each pair of operations once. `derived` gives a copy's derivation.
pub fn races<'a>(
    function: &Function,
    derived: &'a dyn Fn(usize) -> Option<&'a Derived>,
) -> Vec<Race> {
    if !is_explicit(function) {
        return Vec::new();
    }
    let mut walk = Walk {
        derived,
        races: Vec::new(),
        notes: true,
    };
    walk.steps(&function.steps, Vec::new());
    let mut races = walk.races;
    races.sort_by_key(|race| (race.read, race.write));
    races.dedup();
    races
}

impl<'a> Walk<'a> {
    fn steps(&mut self, steps: &[Step], mut state: Vec<Pending<'a>>) -> Vec<Pending<'a>> {
        for step in steps {
            state = match step {
                Step::Do(action) => self.action(action, state),
                Step::Choice(one, other) => {
                    let first = self.steps(one, state.clone());
                    let second = self.steps(other, state);
                    // A write in one branch only may belong with a read in a branch of the same condition.
                    let both =
                        |pending: &Pending<'a>| is_in(pending, &first) && is_in(pending, &second);
                    let joined = join(first.clone(), second.clone());
                    joined.into_iter().filter(both).collect()
                }
                Step::Repeat { body, .. } => {
                    let end = self.steps(body, state);
                    let noted = std::mem::replace(&mut self.notes, false);
                    let again = self.steps(body, end.clone());
                    self.notes = noted;
                    join(end, again)
                }
            };
        }
        state
    }

    fn action(&mut self, action: &Action, mut state: Vec<Pending<'a>>) -> Vec<Pending<'a>> {
        match &action.what {
            What::Set(flag) => match ends(flag) {
                Some((from, to)) => {
                    let carried = (from, to, flag.event.name.clone());
                    for pending in state.iter_mut().filter(|one| one.after & from != 0) {
                        if !pending.carried.contains(&carried) {
                            pending.carried.push(carried.clone());
                        }
                    }
                }
                None => state.clear(),
            },
            What::Wait(flag) => match ends(flag) {
                Some((from, to)) => {
                    let carried = (from, to, flag.event.name.clone());
                    let scalar = pipe("PIPE_S") == Some(to);
                    for pending in state
                        .iter_mut()
                        .filter(|one| one.carried.contains(&carried))
                    {
                        // While the scalar pipe waits, no other one is given anything.
                        pending.after |= if scalar { ALL } else { to };
                    }
                }
                None => state.clear(),
            },
            What::Barrier(named) => {
                if named.name == "PIPE_ALL" || pipe(&named.name).is_none() {
                    state.clear();
                }
            }
            What::Orders | What::Call | What::Forget => state.clear(),
            What::Copy(index) => {
                if let Some(touch) = self.touched_by_copy(*index, action) {
                    self.touch(touch, &mut state);
                }
            }
            What::Access(access) => {
                if let Some(touch) = touched_by_access(action, access) {
                    self.touch(touch, &mut state);
                }
            }
            What::Size(..) | What::Stride(..) | What::PadValue(_) => {}
        }
        state
    }

    fn touched_by_copy(&self, index: usize, action: &Action) -> Option<Touch<'a>> {
        let derived = (self.derived)(index)?;
        let (side, name) = match derived.copy.kind {
            CopyKind::GmToUb => (Side::Target, "PIPE_MTE2"),
            CopyKind::UbToGm => (Side::Source, "PIPE_MTE3"),
            CopyKind::UbToUb => return None,
        };
        let rows = derived.transfer.as_ref().filter(|rows| !rows.is_empty())?;
        Some(Touch {
            operation: action.operation,
            pipe: pipe(name)?,
            base: *derived.copy.base(side)?,
            offsets: Some([0; 2]),
            first_offsets: Some([0; 2]),
            rows,
            side,
            certain: action.certain,
        })
    }

    fn touch(&mut self, touch: Touch<'a>, state: &mut Vec<Pending<'a>>) {
        if touch.side == Side::Source {
            for pending in state.iter() {
                let ordered = pending.after & touch.pipe != 0;
                if !ordered && self.notes && meet(&pending.write, &touch) {
                    self.races.push(Race {
                        write: pending.write.operation,
                        write_pipe: pipe_name(pending.write.pipe),
                        read: touch.operation,
                        read_pipe: pipe_name(touch.pipe),
                    });
                }
            }
            return;
        }
        let after = touch.pipe;
        let pending = Pending {
            write: touch,
            after,
            carried: Vec::new(),
        };
        match state
            .iter_mut()
            .find(|one| one.write.operation == pending.write.operation)
        {
            // Of a write that a loop repeats, what orders one orders all: a miss rather than a false alarm.
            Some(_) => {}
            None => {
                if state.len() >= MOST_PENDING {
                    state.remove(0);
                }
                state.push(pending);
            }
        }
    }
}

fn ends(flag: &Flag) -> Option<(u16, u16)> {
    Some((pipe(&flag.from.name)?, pipe(&flag.to.name)?))
}

fn is_in(pending: &Pending<'_>, state: &[Pending<'_>]) -> bool {
    state
        .iter()
        .any(|one| one.write.operation == pending.write.operation)
}

/// What either of two states has: what orders on some path counts.
fn join<'a>(mut one: Vec<Pending<'a>>, other: Vec<Pending<'a>>) -> Vec<Pending<'a>> {
    for pending in other {
        let operation = pending.write.operation;
        match one
            .iter_mut()
            .find(|known| known.write.operation == operation)
        {
            Some(known) => {
                known.after |= pending.after;
                for carried in pending.carried {
                    if !known.carried.contains(&carried) {
                        known.carried.push(carried);
                    }
                }
            }
            None => one.push(pending),
        }
    }
    one
}

/// What an access of the vector core touches: the byte at the address, whatever the width of the access is.
static BYTE: Transfer = Transfer {
    run: 1,
    width: 1,
    loops: Vec::new(),
};

fn touched_by_access(action: &Action, access: &Access) -> Option<Touch<'static>> {
    let in_readings = |offset: Expression| -> Readings {
        let number = offset.number()?;
        let bytes = number.checked_mul(i64::from(access.element?))?;
        Some([number, bytes])
    };
    let offset = access.offset?.known?;
    Some(Touch {
        operation: action.operation,
        pipe: pipe("PIPE_V")?,
        base: access.pointer,
        offsets: in_readings(offset.always),
        first_offsets: in_readings(offset.first),
        rows: &BYTE,
        side: if access.writes {
            Side::Target
        } else {
            Side::Source
        },
        certain: action.certain,
    })
}

/// Whether a write and a read share bytes in every reading: always, or the first time that the loops around both run.
fn meet(write: &Touch<'_>, read: &Touch<'_>) -> bool {
    let (Some(one), Some(other)) = (write.base.known, read.base.known) else {
        return false;
    };
    let always = other.always.minus(one.always);
    let first = other
        .first
        .minus(one.first)
        .filter(|_| write.certain && read.certain);
    shares(write, write.offsets, read, read.offsets, always)
        || shares(write, write.first_offsets, read, read.first_offsets, first)
}

fn shares(
    write: &Touch<'_>,
    write_offsets: Readings,
    read: &Touch<'_>,
    read_offsets: Readings,
    distance: Option<i64>,
) -> bool {
    let (Some(distance), Some(from), Some(to)) = (distance, write_offsets, read_offsets) else {
        return false;
    };
    let meets = |from: i64, to: i64| {
        let distance = i128::from(distance) + i128::from(to) - i128::from(from);
        let meeting = sides_meet((write.rows, write.side), (read.rows, read.side), distance);
        matches!(meeting, Meeting::Shared { .. })
    };
    // Most offsets are the same in both readings.
    let distinct = |readings: [i64; 2]| if readings[0] == readings[1] { 1 } else { 2 };
    let mut from = from.into_iter().take(distinct(from));
    from.all(|from| {
        let mut to = to.into_iter().take(distinct(to));
        to.all(|to| meets(from, to))
    })
}
