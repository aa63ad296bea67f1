//! What joins the languages and the rules: the catalogue, the findings of files, their costs, fixes and proposals, runs of kernels, and
//! the front door of them all.
//!
//! [`Workspace`] takes texts, [`Analysis`] answers with plain data. `visa-ide` asks the rooms here what editors show, and
//! `visa-analysis` is what programs see of both.

#![allow(
    unreachable_pub,
    reason = "rooms are private, so that rustc finds what is dead in them; `pub` is what other rooms may use"
)]

// Crates of their own, by the names of their rooms.
use visa_base::{budget, conditions, lanes, language, markdown, names, numbers, threads, visible};
use visa_derivation as derivation;
use visa_findings::{self as findings, front_end, report};
use visa_hardware as hardware;
use visa_inputs::{self as inputs, db};
use visa_items as items;
use visa_kernel as kernel;
use visa_libraries as libraries;
use visa_lowering as lowering;
use visa_mapping as mapping;
use visa_nki as nki;
use visa_places as places;
use visa_pto as pto;
use visa_rules as rules;
use visa_run as run;
use visa_simulation as simulation;
use visa_syntax::{self as syntax, fragments};

/// The texts of the fixtures, as the crate that parses them reads them.
#[cfg(test)]
#[path = "../../syntax/src/fixture_tests.rs"]
mod fixture_tests;

#[cfg(test)]
#[path = "../../kernel/src/testing.rs"]
mod testing;
#[cfg(test)]
#[path = "../../kernel/src/testing_body.rs"]
mod testing_body;

pub mod advice;
pub mod catalogue;
pub mod causes;
pub mod changes;
pub mod check;
pub mod cost;
pub mod fixing;
mod panics;
pub mod suppression;
pub mod workspace;

pub use advice::{EFFORT, Effort, MOST_EFFORT, Searchable};
pub use budget::Budget;
pub use catalogue::{
    all_rules, documentation_url, find as find_rule, is_rule_or_group, nearest_rules,
    rules_that_are_on, url as rule_url,
};
pub use changes::{Application, Outlook, Texts, apply_fixes, with_line_breaks_of};
pub use conditions::{CfgSetting, PackageFeatures, Truth};
pub use cost::{
    CalibratedRow, CalibratedTotal, EngineRow, IdleRow, KernelCost, LoopRow, MemoryRow,
    OperationRow, OverfullRow, Proposal, RunsRow, Searched, StageRow, WaitRow,
};
pub use findings::{
    Applicability, Confirmer, CostChange, Engine, Group, Holds, Level, Offers, Refusal, Rule,
};
pub use fixing::{
    Completed, Completing, Fixable, Fixed, KernelName, LeftOut, Proposed, Rejection, Signature,
    Signatures, Totals, Trust, fix_all, migrate_all, migration_rule,
};
pub use fragments::{has_rust_code, is_markdown};
pub use front_end::{
    Amount, LaneWait, TimeUnit, TransferCost, TransferRow, TransferSchedule, TransferSlot,
};
pub use hardware::calibration::evidence;
pub use hardware::{Class, Model, Target};
pub use inputs::{
    Generation, ManifestPlace, NkiOptions, Options, Package, PackageLibrary, PackageManifest,
    PtoOptions,
};
pub use items::{Crate, Dialect, FileLibrary};
pub use lanes::{Lane, LaneRow, Machine};
pub use language::{ENDINGS, Ending, Language, ending_of, language_of, may_be_source};
pub use libraries::{Library, Release, Said, Speaker, dialect_line, without_dialect_line};
#[doc(hidden)]
pub use mapping::positions_looked_at;
pub use markdown::{code_block, code_span, prose};
pub use names::{is_word_letter, nearest_names};
pub use numbers::{counted, thousands};
pub use panics::panic_words;
#[doc(hidden)]
pub use pto::pto_operations;
pub use report::{
    CrateLibrary, Diagnostic, DiagnosticFix, FileEdit, FilePlace, FileReport, InactiveCode,
    LanguageCounts, NotFollowed, OperationCounts, Position, Problem, Range, RelatedPlace, Report,
    StatedAlternative, UnresolvedPlace,
};
pub use rules::{
    EnabledRules, EnginePicture, Example, Foreseen, GuardedLimit, RuleTexts,
    foreseeing as rules_foreseeing, has_picture, machine_pictures,
    nearest_to_text as rules_nearest_to_text,
};
pub use run::{
    AxisPlace, Difference, Incomparable, IndexRange, InputPlace, InputValue, Layout, OriginKind,
    PoisonFill, RUN_RULES, RunFinding, RunInput, RunOrigin, RunOutput, RunRefusal, RunReport,
    RunRequest, RunRule, RunStation, StandingError, Tolerance, TracedValue, compare_runs,
    difference_of, find_run_rule, place_text, unequal,
};
pub use simulation::Peak;
pub use simulation::roofline::{Bound, Roofline};
pub use suppression::Allowed;
pub use syntax::{LineColumn, LineIndex};
#[doc(inline)]
pub use visa_arrays as arrays;
pub use visible::{visible, visible_escape, visible_lines, visible_source};
pub use workspace::{Analysis, Canceller, NotKept, Workspace, kept_reports, reports_of_kept};
