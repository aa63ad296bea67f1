//! Executing a kernel: the numbers of the library, and which of them the device is sure to hold.

mod alu;
mod cells;
mod compare;
mod contract;
mod execute;
mod findings;
mod halt;
mod inputs;
mod keyed;
mod layout;
mod machine;
mod memory;
mod outputs;
mod pass;
mod plan;
mod reduce;
mod request;
mod rows;
mod rules;
mod shared;
mod space;
mod spread;
mod tags;
mod trace;
mod vector;

pub use self::compare::{
    Difference, Incomparable, Tolerance, compare_runs, difference as difference_of, place_text,
    unequal,
};
pub(crate) use self::execute::{execute, outputs_with_junk};
pub use self::request::{
    AxisPlace, IndexRange, InputPlace, InputValue, Layout, NumbersReport, OriginKind, PoisonFill,
    RunFinding, RunInput, RunOrigin, RunOutput, RunRefusal, RunReport, RunRequest, RunStation,
    StandingError, TracedValue,
};
pub use self::rules::{RUN_RULES, RunRule, find_run_rule};
