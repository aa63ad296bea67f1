//! The registers of loops and padding as a flow through a function: what each copy finds there.
//!
//! A copy sees the last values on every path to it. Knows sequences, branches and loops; nothing of bytes, and judges nothing.

#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use super::program::{Step, What};
use super::syntax::{OperationId, Place};
use super::transfers::{Direction, Given};

/// On how many of the paths to a place something was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Presence {
    /// On none.
    #[default]
    Never,
    /// On some, or it is unknown on which.
    Sometimes,
    /// On all.
    Always,
    /// Something may have been set that is not seen.
    Unknown,
}

impl Presence {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            _ if self == other => self,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            _ => Self::Sometimes,
        }
    }
}

/// Copies that are remembered to have read a register.
const MOST_READERS: usize = 4;
/// Operations that are remembered to have set a register.
const MOST_SETTERS: usize = 16;

/// One register at a place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Register {
    /// On how many paths it was set.
    pub presence: Presence,
    /// What it was set to, if that is the same on all paths that set it.
    given: Option<[Given; 2]>,
    /// Whether a copy in groups has put it back to 1, 1 on all paths.
    is_put_back: bool,
    /// The operations that may have set it last.
    pub setters: Vec<OperationId>,
    /// The copies that have read it since, on every path.
    pub readers: Vec<OperationId>,
}

impl Register {
    fn set(by: OperationId, given: [Given; 2]) -> Self {
        Self {
            presence: Presence::Always,
            given: Some(given),
            is_put_back: false,
            setters: vec![by],
            readers: Vec::new(),
        }
    }

    fn unknown() -> Self {
        Self {
            presence: Presence::Unknown,
            ..Self::default()
        }
    }

    /// One of its two numbers, if it is known.
    pub fn value(&self, index: usize) -> Option<i64> {
        if self.is_put_back {
            return Some(1);
        }
        self.given.as_ref()?.get(index)?.number()
    }

    /// Where one of its two numbers is written.
    pub fn place(&self, index: usize) -> Option<Place> {
        self.given.as_ref()?.get(index).map(Given::place)
    }

    fn join(&self, other: &Self) -> Self {
        let presence = self.presence.join(other.presence);
        let same = |one: &[Given; 2], other: &[Given; 2]| {
            let value = |given: &Given| given.known.map(|known| known.always);
            one.iter()
                .zip(other)
                .all(|(one, other)| value(one).is_some() && value(one) == value(other))
        };
        let given = match (&self.given, &other.given) {
            (Some(one), Some(other)) => same(one, other).then_some(*one),
            // A path that sets nothing says nothing of the value.
            (None, found) if self.presence == Presence::Never => *found,
            (found, None) if other.presence == Presence::Never => *found,
            _ => None,
        };
        let mut setters = self.setters.clone();
        setters.extend(
            other
                .setters
                .iter()
                .filter(|setter| !self.setters.contains(setter)),
        );
        let readers = self
            .readers
            .iter()
            .filter(|reader| other.readers.contains(reader));
        setters.truncate(MOST_SETTERS);
        Self {
            presence,
            given,
            is_put_back: self.is_put_back && other.is_put_back,
            setters,
            readers: readers.copied().collect(),
        }
    }
}

/// The registers of one direction that a copy reads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InForce {
    /// The counts of loop 1 and loop 2.
    pub size: Register,
    /// The steps of loop 1 and loop 2.
    pub strides: [Register; 2],
    /// What rows are filled up with.
    pub padding: Register,
}

impl InForce {
    fn all_mut(&mut self) -> [&mut Register; 4] {
        let [first, second] = &mut self.strides;
        [&mut self.size, first, second, &mut self.padding]
    }

    fn join(&self, other: &Self) -> Self {
        let [first, second] = &self.strides;
        let [other_first, other_second] = &other.strides;
        Self {
            size: self.size.join(&other.size),
            strides: [first.join(other_first), second.join(other_second)],
            padding: self.padding.join(&other.padding),
        }
    }
}

/// The registers of both directions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct State([InForce; 2]);

impl State {
    fn in_force(&self, direction: Direction) -> &InForce {
        match direction {
            Direction::ToUb => &self.0[0],
            Direction::ToGm => &self.0[1],
        }
    }

    fn of_mut(&mut self, direction: Direction) -> &mut InForce {
        match direction {
            Direction::ToUb => &mut self.0[0],
            Direction::ToGm => &mut self.0[1],
        }
    }

    fn join(&self, other: &Self) -> Self {
        let ([one, two], [other_one, other_two]) = (&self.0, &other.0);
        Self([one.join(other_one), two.join(other_two)])
    }

    fn forget_all(&mut self) {
        for register in self.0.iter_mut().flat_map(InForce::all_mut) {
            *register = Register::unknown();
        }
    }
}

/// Walks a function with the registers; notes what each copy finds.
struct Walk<'a> {
    copies: &'a dyn Fn(usize) -> Option<(OperationId, Direction, bool)>,
    found: FxHashMap<OperationId, InForce>,
}

impl Walk<'_> {
    fn steps(&mut self, steps: &[Step], mut state: State) -> State {
        for step in steps {
            match step {
                Step::Do(action) => self.walk_action(action.operation, &action.what, &mut state),
                Step::Choice { one, other, .. } => {
                    let first = self.steps(one, state.clone());
                    state = first.join(&self.steps(other, state));
                }
                Step::Repeat { body, trips, .. } => state = self.walk_repeat(body, *trips, state),
            }
        }
        state
    }

    /// What a body finds is what stood before it, or what its own end leaves; that end is known after one walk, since each
    /// register is left alone or set to something of its own on each path.
    fn walk_repeat(&mut self, body: &[Step], trips: Option<u64>, state: State) -> State {
        if trips == Some(1) {
            return self.steps(body, state);
        }
        let end = self.steps(body, state.clone());
        let again = self.steps(body, state.join(&end));
        if trips.is_some() {
            again
        } else {
            state.join(&again)
        }
    }

    fn walk_action(&mut self, operation: OperationId, what: &What, state: &mut State) {
        match what {
            What::Size(direction, given) => {
                state.of_mut(*direction).size = Register::set(operation, *given);
            }
            What::Stride(direction, level, given) => {
                if let Some(stride) = state.of_mut(*direction).strides.get_mut(*level) {
                    *stride = Register::set(operation, *given);
                }
            }
            What::PadValue(given) => {
                state.of_mut(Direction::ToUb).padding = Register::set(operation, [*given; 2]);
            }
            What::Copy(index) => {
                if let Some((operation, direction, grouped)) = (self.copies)(*index) {
                    self.found
                        .insert(operation, state.in_force(direction).clone());
                    self.read(state, operation, direction, grouped);
                }
            }
            What::Call | What::Forget => state.forget_all(),
            _ => {}
        }
    }

    fn read(&self, state: &mut State, copy: OperationId, direction: Direction, grouped: bool) {
        let registers = state.of_mut(direction);
        if grouped {
            // The size is 1, 1 again behind it; what it leaves in the others is its own affair.
            registers.size = Register {
                presence: Presence::Always,
                given: None,
                is_put_back: true,
                setters: vec![copy],
                readers: Vec::new(),
            };
            for stride in &mut registers.strides {
                *stride = Register::unknown();
            }
            return;
        }
        // One earlier copy is enough to be named; the list does not grow with the function.
        let readers = &registers.size.readers;
        if readers.len() < MOST_READERS && !readers.contains(&copy) {
            registers.size.readers.push(copy);
        }
    }
}

/// What each copy of a function finds in the registers. `copies` gives the operation of a copy, its direction and whether it is
/// written in groups; `at_entry` is whether the function may be entered with registers that its caller set.
pub fn in_force(
    steps: &[Step],
    at_entry: bool,
    copies: &dyn Fn(usize) -> Option<(OperationId, Direction, bool)>,
) -> FxHashMap<OperationId, InForce> {
    let mut walk = Walk {
        copies,
        found: FxHashMap::default(),
    };
    let mut state = State::default();
    if at_entry {
        state.forget_all();
    }
    walk.steps(steps, state);
    walk.found
}
