//! A function as what its operations ask of the machine, in order: registers, copies, events, accesses.
//!
//! Knows the names of PTO's operations and the control flow of `scf`. Branches over a constant are taken here; a branch that is
//! never taken is not looked at. Derives nothing and judges nothing.

mod events;
mod lowering;

use super::syntax::{File, OperationId, Place, RegionId};
use super::tiles::TileOperation;
use super::transfers::{Copy, Direction, Given};

pub use events::{EVENT_NAMES, EVENTS, Flag, Name, Named, PIPES};
pub use lowering::{Program, lower_file};

/// One step of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// An operation.
    Do(Action),
    /// One of two sequences.
    Choice {
        /// The operation that chooses.
        operation: OperationId,
        /// What runs where its condition holds.
        one: Vec<Self>,
        /// What runs where it does not.
        other: Vec<Self>,
        /// Whether exactly one of the two runs. Of regions of other dialects that is not known.
        is_followed: bool,
    },
    /// A sequence some times.
    Repeat {
        /// The operation that repeats.
        operation: OperationId,
        /// What is repeated.
        body: Vec<Self>,
        /// How often, if that is known; at least 1.
        trips: Option<u64>,
        /// Whether nothing rules out that it runs no times.
        may_skip: bool,
    },
}

/// An operation with what it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// The operation.
    pub operation: OperationId,
    /// What it asks for.
    pub what: What,
    /// Whether it runs whenever the loops around it do: no branch decides.
    pub certain: bool,
}

/// An access of the vector core to UB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Whether it writes.
    pub writes: bool,
    /// The pointer.
    pub pointer: Given,
    /// What is added to it in elements, or in bytes; the sources do not settle which.
    pub offset: Option<Given>,
    /// Bytes of an element.
    pub element: Option<u32>,
}

/// What an operation asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The counts of loop 1 and loop 2.
    Size(Direction, [Given; 2]),
    /// The steps of source and target of loop 1 (level 0) or loop 2 (level 1).
    Stride(Direction, usize, [Given; 2]),
    /// What rows are filled up with.
    PadValue(Given),
    /// A copy, by its number in the program.
    Copy(usize),
    /// A flag is set.
    Set(Flag),
    /// A flag is waited for.
    Wait(Flag),
    /// A pipe waits for itself; all pipes for each other.
    Barrier(Named),
    /// Something that may order anything: buffers, dynamic flags, flags of other cores.
    Orders,
    /// An access of the vector core.
    Access(Access),
    /// A call of another function.
    Call,
    /// What came before is not known any more: the begin of a block that is jumped to.
    Forget,
}

/// One function, or the operations of a module that are in none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its operation; `None` for operations in no function.
    pub operation: Option<OperationId>,
    /// Its name with the `@`.
    pub name: Option<Place>,
    /// Its region.
    pub region: RegionId,
    /// What it does.
    pub steps: Vec<Step>,
    /// Its copies.
    pub copies: Vec<Copy>,
    /// Its tiles, the views of GM that they come from and go to, and the moves between them.
    pub tiles: Vec<TileOperation>,
    /// Its transfers of other kinds, with why they are not followed.
    pub unfollowed: Vec<(OperationId, &'static str)>,
    /// Whether its machine is one of the generations before, whose rows are single copies and whose registers mean nothing.
    pub is_before: bool,
    /// Why what it does was not followed, if it was not.
    pub not_followed: Option<&'static str>,
}

impl Function {
    /// Calls something with each action of the function, in the order of the text.
    pub fn visit_actions<'a>(&'a self, visit: &mut dyn FnMut(&'a Action)) {
        visit_actions(&self.steps, visit);
    }

    /// What it is called in messages.
    pub fn title<'a>(&self, file: &'a File) -> &'a str {
        self.name
            .map_or("", |name| file.text_at(name).trim_start_matches('@'))
    }
}

fn visit_actions<'a>(steps: &'a [Step], visit: &mut dyn FnMut(&'a Action)) {
    for step in steps {
        match step {
            Step::Do(action) => visit(action),
            Step::Choice { one, other, .. } => {
                visit_actions(one, visit);
                visit_actions(other, visit);
            }
            Step::Repeat { body, .. } => visit_actions(body, visit),
        }
    }
}
