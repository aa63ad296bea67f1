//! Executing a kernel: the numbers of the library, and which of them the device is sure to hold.

mod compare;
mod request;

pub use self::compare::{
    Difference, Incomparable, Tolerance, compare_runs, difference as difference_of, place_text,
    unequal,
};
pub use self::request::{
    AxisPlace, IndexRange, InputPlace, InputValue, Layout, NumbersReport, OriginKind, PoisonFill,
    RunFinding, RunInput, RunOrigin, RunOutput, RunRefusal, RunReport, RunRequest, RunStation,
    StandingError, TracedValue,
};
