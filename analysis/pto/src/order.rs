//! The order of pipes: which reads of UB and GM come after which writes of another pipe.
//!
//! Each pipe runs its operations in order, and pipes run beside each other. An access is after a write if a chain of flags leads
//! from the writer's pipe to the reader's, or a barrier of all pipes is between them, or anything that may order
//! them. What orders on some paths only is told from what orders on all. Knows no registers and no words.

#[cfg(test)]
mod tests;
mod touches;

use super::program::{Action, Flag, Function, Name, PIPES, Step, What};
use super::syntax::OperationId;
use super::transfers::Derived;
use super::values::Memory;
use touches::{Touch, touched_by_access, touched_by_copy, touches_meet};

/// A read that nothing orders after a write of another pipe.
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
    /// The memory with the bytes.
    pub memory: Memory,
    /// The branch or loop that orders the two; where it is left out, nothing does. None where nothing orders them on any path.
    pub ordered_by: Option<OperationId>,
}

/// Two pipes and the event of a flag between them.
type FlagName = (u16, u16, Name);

/// A write with what is known to come after it.
#[derive(Debug, Clone)]
struct Pending<'a> {
    write: Touch<'a>,
    /// The pipes whose later operations come after it on some path, a bit each.
    after: u16,
    /// Those whose later operations come after it on all paths.
    always: u16,
    /// The flags that say so to the code that waits for them; each with whether it does on all paths on which it is set. On the others
    /// the wait never ends, so that nothing behind it runs too early.
    carried: Vec<(FlagName, bool)>,
    /// The branches and loops around it that may be left out.
    around: Vec<OperationId>,
    /// All loops around it.
    loops: Vec<OperationId>,
    /// The first branch or loop that orders on some paths only.
    partly: Option<OperationId>,
    /// Whether a barrier of all pipes is behind it.
    is_settled: bool,
}

impl Pending<'_> {
    fn set(&mut self, flag: &FlagName) {
        if self.after & flag.0 == 0 {
            return;
        }
        let always = self.always & flag.0 != 0;
        match self.carried.iter_mut().find(|(known, _)| known == flag) {
            Some((_, sound)) => *sound &= always,
            None => self.carried.push((flag.clone(), always)),
        }
    }

    fn wait_for_flag(&mut self, flag: &FlagName) {
        let Some((_, always)) = self.carried.iter().find(|(known, _)| known == flag) else {
            return;
        };
        // While the scalar pipe waits, no other one is given anything.
        let scalar = pipe_bit("PIPE_S") == Some(flag.1);
        let ordered = if scalar { ALL } else { flag.1 };
        self.after |= ordered;
        if *always {
            self.always |= ordered;
        }
    }

    /// This one and the same on another path.
    fn join(&mut self, other: Self) {
        self.after |= other.after;
        self.always &= other.always;
        for (flag, always) in other.carried {
            match self.carried.iter_mut().find(|(known, _)| *known == flag) {
                Some((_, sound)) => *sound &= always,
                None => self.carried.push((flag, always)),
            }
        }
        self.partly = self.partly.or(other.partly);
        self.is_settled &= other.is_settled;
    }
}

const ALL: u16 = u16::MAX;
/// Writes that are remembered at once. Those before are taken as ordered: time does not grow with the square of a function.
const MOST_PENDING: usize = 128;

fn pipe_bit(name: &str) -> Option<u16> {
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
pub fn is_explicit(function: &Function) -> bool {
    let mut explicit = false;
    function.visit_actions(&mut |action| {
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
    /// The branches and loops around the walk that may be left out.
    around: Vec<OperationId>,
    /// All loops around it.
    loops: Vec<OperationId>,
}

/// The reads of a function that nothing orders after a write, each pair of operations once. `derived` gives a copy's derivation.
pub fn find_races<'a>(
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
        around: Vec::new(),
        loops: Vec::new(),
    };
    walk.steps(&function.steps, Vec::new());
    let mut races = walk.races;
    // What is certain comes before what only some path has.
    races.sort_by_key(|race| (race.read, race.write, race.memory, race.ordered_by));
    races.dedup_by_key(|race| (race.read, race.write, race.memory));
    races
}

impl<'a> Walk<'a> {
    fn steps(&mut self, steps: &[Step], mut state: Vec<Pending<'a>>) -> Vec<Pending<'a>> {
        for step in steps {
            state = match step {
                Step::Do(action) => self.walk_action(action, state),
                Step::Choice {
                    operation,
                    one,
                    other,
                    is_followed,
                } => self.walk_choice(*operation, [one, other], *is_followed, state),
                Step::Repeat {
                    operation,
                    body,
                    may_skip,
                    ..
                } => self.walk_repeat(*operation, body, *may_skip, state),
            };
        }
        state
    }

    fn walk_choice(
        &mut self,
        operation: OperationId,
        [one, other]: [&[Step]; 2],
        is_followed: bool,
        state: Vec<Pending<'a>>,
    ) -> Vec<Pending<'a>> {
        self.around.push(operation);
        let first = self.steps(one, state.clone());
        let second = self.steps(other, state);
        self.around.pop();
        // A write in one branch only may belong with a read in a branch of the same condition.
        let both = |pending: &Pending<'a>| is_in(pending, &first) && is_in(pending, &second);
        let joined = join(first.clone(), second.clone());
        let mut joined: Vec<Pending<'a>> = joined.into_iter().filter(both).collect();
        let sides = [&first[..], &second[..]];
        self.note_partly(&mut joined, sides, operation, is_followed);
        joined
    }

    fn walk_repeat(
        &mut self,
        operation: OperationId,
        body: &[Step],
        may_skip: bool,
        state: Vec<Pending<'a>>,
    ) -> Vec<Pending<'a>> {
        let before = state.clone();
        if may_skip {
            self.around.push(operation);
        }
        self.loops.push(operation);
        let end = self.steps(body, state);
        let noted = std::mem::replace(&mut self.notes, false);
        let again = self.steps(body, end.clone());
        self.notes = noted;
        self.loops.pop();
        let end = join(end, again);
        if !may_skip {
            return end;
        }
        self.around.pop();
        let mut joined = join(before.clone(), end.clone());
        self.note_partly(&mut joined, [&before, &end], operation, true);
        joined
    }

    /// Notes what orders writes on one of two paths only. Of a branch in a loop that a write is not in it is not known whether it
    /// is taken in the first iteration: the write counts as ordered.
    fn note_partly(
        &self,
        joined: &mut [Pending<'a>],
        [one, other]: [&[Pending<'a>]; 2],
        operation: OperationId,
        is_followed: bool,
    ) {
        let always = |state: &[Pending<'a>], id: OperationId| {
            let found = state.iter().find(|known| known.write.operation == id);
            found.map(|known| known.always)
        };
        for pending in joined {
            let id = pending.write.operation;
            let (Some(one), Some(other)) = (always(one, id), always(other, id)) else {
                continue;
            };
            if !is_followed || !pending.loops.starts_with(&self.loops) {
                pending.always |= one | other;
            } else if one != other {
                pending.partly.get_or_insert(operation);
            }
        }
    }

    fn walk_action(&mut self, action: &Action, mut state: Vec<Pending<'a>>) -> Vec<Pending<'a>> {
        match &action.what {
            What::Set(flag) => match flag_ends(flag) {
                Some(flag) => state.iter_mut().for_each(|pending| pending.set(&flag)),
                None => state.clear(),
            },
            What::Wait(flag) => match flag_ends(flag) {
                Some(flag) => state
                    .iter_mut()
                    .for_each(|pending| pending.wait_for_flag(&flag)),
                None => state.clear(),
            },
            What::Barrier(named) => {
                if named.name == "PIPE_ALL" {
                    for pending in &mut state {
                        pending.after = ALL;
                        pending.always = ALL;
                        pending.is_settled = true;
                    }
                } else if pipe_bit(&named.name).is_none() {
                    state.clear();
                }
            }
            What::Orders | What::Call | What::Forget => state.clear(),
            What::Copy(index) => {
                let derived = (self.derived)(*index);
                // A copy reads before it writes.
                for touch in derived
                    .into_iter()
                    .flat_map(|derived| touched_by_copy(derived, action))
                {
                    self.walk_touch(touch, &mut state);
                }
            }
            What::Access(access) => {
                if let Some(touch) = touched_by_access(action, access) {
                    self.walk_touch(touch, &mut state);
                }
            }
            What::Size(..) | What::Stride(..) | What::PadValue(_) => {}
        }
        state
    }

    fn walk_touch(&mut self, touch: Touch<'a>, state: &mut Vec<Pending<'a>>) {
        if !touch.writes() {
            if self.notes {
                self.read(&touch, state);
            }
            return;
        }
        let pending = Pending {
            write: touch,
            after: touch.pipe,
            always: touch.pipe,
            carried: Vec::new(),
            around: self.around.clone(),
            loops: self.loops.clone(),
            partly: None,
            is_settled: false,
        };
        let known = state
            .iter_mut()
            .find(|one| one.write.operation == touch.operation);
        match known {
            // Of a write that a loop repeats, what orders one orders all: a miss rather than a false alarm.
            Some(known) if !known.is_settled => {}
            Some(known) => *known = pending,
            None => {
                if state.len() >= MOST_PENDING {
                    let settled = state.iter().position(|pending| pending.is_settled);
                    state.remove(settled.unwrap_or(0));
                }
                state.push(pending);
            }
        }
    }

    /// Notes the writes that a read is not ordered after.
    fn read(&mut self, read: &Touch<'a>, state: &[Pending<'a>]) {
        for pending in state {
            let is_after = |pipes: u16| pipes & read.pipe != 0;
            // A read in a branch that the write is not in may be there for the same condition as what orders.
            let runs_with_it = pending.around.starts_with(&self.around);
            let ordered_by = match (is_after(pending.after), is_after(pending.always)) {
                (false, _) => None,
                (true, false) if runs_with_it && pending.partly.is_some() => pending.partly,
                _ => continue,
            };
            if touches_meet(&pending.write, read) {
                self.races.push(Race {
                    write: pending.write.operation,
                    write_pipe: pipe_name(pending.write.pipe),
                    read: read.operation,
                    read_pipe: pipe_name(read.pipe),
                    memory: read.memory,
                    ordered_by,
                });
            }
        }
    }
}

fn flag_ends(flag: &Flag) -> Option<(u16, u16, Name)> {
    let (from, to) = (pipe_bit(&flag.from.name)?, pipe_bit(&flag.to.name)?);
    Some((from, to, flag.event.name.clone()))
}

fn is_in(pending: &Pending<'_>, state: &[Pending<'_>]) -> bool {
    state
        .iter()
        .any(|one| one.write.operation == pending.write.operation)
}

/// What either of two states has.
fn join<'a>(mut one: Vec<Pending<'a>>, other: Vec<Pending<'a>>) -> Vec<Pending<'a>> {
    for pending in other {
        let operation = pending.write.operation;
        let known = one
            .iter_mut()
            .find(|known| known.write.operation == operation);
        match known {
            Some(known) => known.join(pending),
            None => one.push(pending),
        }
    }
    one
}
