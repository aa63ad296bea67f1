//! The engine of visa-lint: reads no files, writes nothing.
//!
//! Data flows one way: text, syntax, items, kernels, derivations, simulation, rules. Each is a crate; this one is what programs see of
//! them: [`Workspace`], [`Analysis`] and the plain data that they return. What an editor asks of an [`Analysis`] is [`EditorQuestions`].

#[doc(inline)]
pub use visa_engine::arrays;
pub use visa_engine::{
    Allowed, Amount, Analysis, Applicability, Application, AxisPlace, Bound, Budget, CalibratedRow,
    CalibratedTotal, Canceller, CfgSetting, Class, Completed, Completing, Confirmer, CostChange,
    Crate, CrateLibrary, Diagnostic, DiagnosticFix, Dialect, Difference, EFFORT, ENDINGS, Effort,
    EnabledRules, Ending, Engine, EnginePicture, EngineRow, Example, FileEdit, FileLibrary,
    FilePlace, FileReport, Fixable, Fixed, Foreseen, Generation, Group, GuardedLimit, Holds,
    IdleRow, InactiveCode, Incomparable, IndexRange, InputPlace, InputValue, KernelCost,
    KernelName, Lane, LaneRow, LaneWait, Language, LanguageCounts, Layout, LeftOut, Level, Library,
    LineColumn, LineIndex, LoopRow, MOST_EFFORT, Machine, ManifestPlace, MemoryRow, Model,
    NkiOptions, NotFollowed, NotKept, Offers, OperationCounts, OperationRow, Options, OriginKind,
    Outlook, OverfullRow, Package, PackageFeatures, PackageLibrary, PackageManifest, Peak,
    PoisonFill, Position, Problem, Proposal, Proposed, PtoOptions, RUN_RULES, Range, Refusal,
    Rejection, RelatedPlace, Release, Report, Roofline, Rule, RuleTexts, RunFinding, RunInput,
    RunOrigin, RunOutput, RunRefusal, RunReport, RunRequest, RunRule, RunStation, RunsRow, Said,
    Searchable, Searched, Signature, Signatures, Speaker, StageRow, StandingError,
    StatedAlternative, Target, Texts, TimeUnit, Tolerance, Totals, TracedValue, TransferCost,
    TransferRow, TransferSchedule, TransferSlot, Trust, Truth, UnresolvedPlace, WaitRow, Workspace,
    all_rules, apply_fixes, code_block, code_span, compare_runs, counted, dialect_line,
    difference_of, documentation_url, ending_of, evidence, find_rule, find_run_rule, fix_all,
    has_picture, has_rust_code, is_markdown, is_rule_or_group, is_word_letter, kept_reports,
    language_of, machine_pictures, may_be_source, migrate_all, migration_rule, nearest_names,
    nearest_rules, panic_words, place_text, prose, reports_of_kept, rule_url, rules_foreseeing,
    rules_nearest_to_text, rules_that_are_on, thousands, unequal, visible, visible_escape,
    visible_lines, visible_source, with_line_breaks_of, without_dialect_line,
};
#[doc(hidden)]
pub use visa_engine::{positions_looked_at, pto_operations};
pub use visa_ide::*;
