//! Executing a kernel: the numbers of the library, and which of them the device is sure to hold.
//!
//! It executes what `lowering` gives, with the arithmetic of `visa-arrays`. The front door in `visa-engine` asks it.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]

// The crates below, by the names of their rooms.
use visa_base::numbers;
use visa_derivation as derivation;
use visa_findings::report;
use visa_hardware as hardware;
use visa_inputs::db;
use visa_items as items;
use visa_kernel as kernel;
use visa_libraries as libraries;
use visa_lowering as lowering;
use visa_mapping as mapping;
use visa_places as places;

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
mod stream;
mod strides;
mod sums;
mod tags;
mod trace;
mod transfers;
mod vector;

pub use self::compare::{
    Difference, Incomparable, Tolerance, compare_runs, difference as difference_of, place_text,
    unequal,
};
pub use self::execute::{execute, outputs_with_junk};
pub use self::request::{
    AxisPlace, IndexRange, InputPlace, InputValue, Layout, OriginKind, PoisonFill, RunFinding,
    RunInput, RunOrigin, RunOutput, RunRefusal, RunReport, RunRequest, RunStation, StandingError,
    TracedValue,
};
pub use self::rules::{RUN_RULES, RunRule, find_run_rule};
