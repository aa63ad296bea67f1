//! What each engine does with an operation, and what it cannot do.
//!
//! One answer a question, derived once: rules, hovers and costs read the same numbers. Errors are data: each engine
//! returns what it derived together with the violations it met, as typed values with numbers in them and no words.
//! Where an input is unknown the answer is `None` and no violation is met: a derivation never guesses.
//! The simulation, rules, runs and editors read it.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]

// The crates below, by the names of their rooms.
use visa_base::threads;
use visa_hardware as hardware;
use visa_items as items;
use visa_kernel as kernel;
use visa_libraries as libraries;
use visa_mapping as mapping;
use visa_transfer as transfer;

/// The texts of the fixtures, as the crate that parses them reads them.
#[cfg(test)]
#[path = "../../syntax/src/fixture_tests.rs"]
mod fixture_tests;
#[cfg(test)]
mod kept_tests;
#[cfg(test)]
#[path = "../../kernel/src/testing.rs"]
mod testing;
#[cfg(test)]
#[path = "../../kernel/src/testing_body.rs"]
mod testing_body;

pub mod banks;
pub mod cast;
pub mod collect;
pub mod commit;
pub mod content;
pub mod contraction;
pub mod conventions;
pub mod dma;
mod faults;
pub mod fetch;
pub mod forms;
pub mod hazards;
pub mod holding;
pub mod library;
pub mod lifts;
pub mod masking;
pub mod memo;
pub mod memory;
mod moves;
pub mod partial;
pub mod pipeline;
pub mod placement;
pub mod plans;
pub mod provenance;
pub mod refusals;
pub mod resplit;
pub mod sequencer;
pub mod steps;
pub mod switch;
pub mod tensors;
mod thread_memo;
pub mod transpose;
mod undecided;
pub mod valid_count;
pub mod vector;
pub mod views;

pub use undecided::{open_places, undecided};

use std::sync::{Arc, LazyLock};

use content::{Content, content_in_place, operation_content};
use memo::Memo;
use refusals::Refusing;

use crate::hardware::Target;
use crate::items::Span;
use crate::kernel::{Body, Operation, OperationKind, Pass, PassEnd, Stage, StageKind, StreamShape};
use crate::threads::{PARALLEL_THRESHOLD, join};

/// Everything derived of one body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyDerivation {
    /// One entry an operation of the body, by operation number.
    pub operations: Vec<OperationDerivation>,
    /// What is wrong with tensors on their own: sizes, capacities, alignment, tiles.
    pub tensors: tensors::TensorsDerivation,
    /// What is wrong between tensors: overlaps, stale reads, lost data; and who lives when.
    pub memory: memory::MemoryDerivation,
    /// What empty positions hold, and who takes them for data.
    pub provenance: provenance::ProvenanceDerivation,
    /// What the library refuses although the machine takes it.
    pub library: Vec<library::LibraryLimit>,
    /// What each operation is made of, for who keeps something else by it; empty where the body is a changed copy.
    contents: Vec<Content>,
}

impl BodyDerivation {
    /// What the operation of a number is made of, where that was worked out with the derivation.
    pub fn content(&self, operation: usize) -> Option<Content> {
        self.contents.get(operation).copied()
    }
}

/// What was derived of one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperationDerivation {
    /// A DMA transfer.
    Copy(Arc<dma::DmaDerivation>),
    /// A pass of the tensor unit.
    Pass(Arc<PassDerivation>),
    /// A collective: what is wrong with it is with its tensors and with the moves.
    Collective,
}

/// What was derived of one pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassDerivation {
    /// Stages entered from positions that the pipeline does not allow.
    pub pipeline: pipeline::PipelineDerivation,
    /// One entry a stage.
    pub stages: Vec<StageDerivation>,
    /// The Vector Engine over the whole pass: stages, ways, ALUs, stash.
    pub vector: vector::VectorDerivation,
    /// Guarded operands that cannot be used.
    pub slots: Vec<vector::slots::SlotViolation>,
    /// Valid counts of the pass's reductions.
    pub valid_counts: valid_count::ValidCountsDerivation,
    /// The end.
    pub end: EndDerivation,
}

impl OperationDerivation {
    /// True if it contains no place and no number of a tensor. The same operation elsewhere, over similar tensors, then has the same
    /// derivation. Violations may name places.
    fn is_position_independent(&self) -> bool {
        match self {
            Self::Copy(derived) => derived.padded.is_empty() && derived.violations.is_empty(),
            Self::Pass(derived) => {
                let counts = &derived.valid_counts;
                derived.is_legal() && counts.reduces.is_empty() && counts.undecided.is_empty()
            }
            Self::Collective => true,
        }
    }

    /// True if more of the body was looked at than the operation's content has: no other body may take this answer.
    fn reads_body(&self) -> bool {
        matches!(self, Self::Pass(derived) if derived.vector.reads_body)
    }
}

impl PassDerivation {
    /// Whether no engine refuses anything of the pass.
    pub fn is_legal(&self) -> bool {
        let end = match &self.end {
            EndDerivation::Commit(derived) => derived.violations.is_empty(),
            EndDerivation::Trf(derived) => derived.violations.is_empty(),
            EndDerivation::Vrf(derived) => derived.violations.is_empty(),
            EndDerivation::Open => true,
        };
        let counted = (0..self.stages.len()).all(|stage| !self.valid_counts.refuses(stage));
        end && counted
            && self.pipeline.violations.is_empty()
            && self.vector.violations.is_empty()
            && self.slots.is_empty()
            && self.stages.iter().all(StageDerivation::is_legal)
    }
}

/// What was derived of one stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StageDerivation {
    /// Fetch Engine.
    Fetch(fetch::FetchDerivation),
    /// Switch Engine.
    Switch(switch::SwitchDerivation),
    /// Collect Engine.
    Collect(collect::CollectDerivation),
    /// Alignment of stream and TRF operand.
    Align(contraction::AlignDerivation),
    /// Spatial reduction.
    Contract(contraction::ContractDerivation),
    /// Temporal reduction.
    Accumulate(contraction::AccumulateDerivation),
    /// A step of the Fetch or the Commit Engine, or a reduction over time, that is a stage of its own.
    Step(steps::StepDerivation),
    /// Cast Engine.
    Cast(cast::CastDerivation),
    /// Transpose Engine.
    Transpose(transpose::TransposeDerivation),
    /// A stage of the Vector Engine: see [`PassDerivation::vector`].
    Vector,
}

impl StageDerivation {
    /// What the engine refuses of the stage, for who compares or counts it. A stage of the Vector Engine is judged with its
    /// pass.
    fn violations(&self) -> Vec<&dyn Refusing> {
        fn as_refusing<T: Refusing>(violations: &[T]) -> Vec<&dyn Refusing> {
            let violations = violations.iter();
            violations
                .map(|violation| violation as &dyn Refusing)
                .collect()
        }
        match self {
            Self::Fetch(derived) => as_refusing(&derived.violations),
            Self::Switch(derived) => as_refusing(&derived.violations),
            Self::Collect(derived) => as_refusing(&derived.violations),
            Self::Align(derived) => as_refusing(&derived.violations),
            Self::Contract(derived) => as_refusing(&derived.violations),
            Self::Accumulate(derived) => as_refusing(&derived.violations),
            Self::Step(derived) => as_refusing(&derived.violations),
            Self::Cast(derived) => as_refusing(&derived.violations),
            Self::Transpose(derived) => as_refusing(&derived.violations),
            Self::Vector => Vec::new(),
        }
    }

    /// Whether the engine refuses nothing of the stage.
    pub fn is_legal(&self) -> bool {
        self.violations().is_empty()
    }

    /// What the library refuses of a stage that the engine takes, where the shapes of its streams are all that it looks at.
    fn library_limit(
        &self,
        input: &StreamShape,
        stage: &Stage,
    ) -> Option<(library::LibraryLimitKind, Span)> {
        match self {
            Self::Transpose(_) => library::transpose::judge_transpose(input, stage),
            _ => None,
        }
    }
}

/// What was derived of a pass's end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndDerivation {
    /// A commit to DM.
    Commit(Box<commit::CommitDerivation>),
    /// A load of the TRF.
    Trf(contraction::TrfLoadDerivation),
    /// A load of the VRF.
    Vrf(collect::VrfLoadDerivation),
    /// Nothing ends the stream here.
    Open,
}

/// Derives everything of one body.
pub fn derive_body(body: &Body, target: Target) -> BodyDerivation {
    derive_cancellable(body, target, &|| ())
}

/// As [`derive_body`], for callers that may lose interest: `pause` is called before each operation and may unwind.
pub fn derive_cancellable(body: &Body, target: Target, pause: &dyn Fn()) -> BodyDerivation {
    let operations = || -> (Vec<OperationDerivation>, Vec<Content>) {
        let operations = body.operations.iter();
        operations
            .map(|operation| {
                pause();
                let key = operation_content(body, operation, target);
                (derive_known(body, operation, target, key), key)
            })
            .unzip()
    };
    // The moves of operations come with what the library refuses of them: neither is worked out again of what is known.
    let between = || {
        Between::of(
            body,
            Vec::new(),
            &body.operations.iter().collect::<Vec<_>>(),
        )
    };
    let ((operations, contents), mut between) = if body.operations.len() < PARALLEL_THRESHOLD {
        (operations(), between())
    } else {
        join(operations, between)
    };
    let (moves, library) = faults::of_body(body, &operations, &contents);
    between.memory.moves = moves;
    BodyDerivation {
        contents,
        ..between.with_operations(operations, library)
    }
}

/// What is derived of a body beside its single operations.
struct Between {
    memory: memory::MemoryDerivation,
    provenance: provenance::ProvenanceDerivation,
    tensors: tensors::TensorsDerivation,
}

impl Between {
    /// What is between all operations, and what is wrong with these operations alone.
    fn of(body: &Body, moves: Vec<moves::MoveViolation>, operations: &[&Operation]) -> Self {
        Self {
            memory: memory::with_moves(body, moves, operations),
            provenance: provenance::with_padding_of(body, operations),
            tensors: tensors::with_streams_of(body, operations),
        }
    }

    fn with_operations(
        self,
        operations: Vec<OperationDerivation>,
        library: Vec<library::LibraryLimit>,
    ) -> BodyDerivation {
        BodyDerivation {
            operations,
            tensors: self.tensors,
            memory: self.memory,
            provenance: self.provenance,
            library,
            contents: Vec::new(),
        }
    }
}

/// Derives a body that differs from another one in tensors and in some operations, all that read or write one of these
/// tensors among them. What is wrong with one of the other operations alone is left out.
pub fn derive_changed(
    body: &Body,
    target: Target,
    before: &BodyDerivation,
    changed: &[usize],
) -> BodyDerivation {
    let mut operations = before.operations.clone();
    let mut moves = Vec::new();
    let mut library = Vec::new();
    let limited = conventions::Conventions::of(body.dialect).has_library_limits();
    for number in changed {
        let (Some(operation), Some(derived)) =
            (body.operations.get(*number), operations.get_mut(*number))
        else {
            continue;
        };
        *derived = derive_operation(body, operation, target);
        let own = moves::of_operation(body, operation);
        if limited {
            library.extend(library::of_operation(body, operation, derived, &own));
        }
        moves.extend(own);
    }
    moves.extend(moves::of_tensors(body));
    if limited {
        library.extend(library::of_tensors(body, &moves));
    }
    let numbers = changed.iter();
    let judged: Vec<&Operation> = numbers
        .filter_map(|number| body.operations.get(*number))
        .collect();
    Between::of(body, moves, &judged).with_operations(operations, library)
}

/// What was derived of an operation, or that it depends on where the operation is.
#[derive(Clone)]
enum Kept {
    Derived(OperationDerivation),
    ByPlace,
}

/// By [`content`] what names no place and no tensor, and by [`content_in_place`] the rest.
static DERIVED: LazyLock<Memo<Kept>> = LazyLock::new(Memo::default);

/// Derives one operation of a body, or a changed copy of one: what it would be instead.
pub fn derive_operation(body: &Body, operation: &Operation, target: Target) -> OperationDerivation {
    derive_known(
        body,
        operation,
        target,
        operation_content(body, operation, target),
    )
}

/// As [`derive_operation`], for who knows what the operation is made of.
fn derive_known(
    body: &Body,
    operation: &Operation,
    target: Target,
    key: Content,
) -> OperationDerivation {
    if matches!(operation.kind, OperationKind::Collective(_)) {
        return OperationDerivation::Collective;
    }
    let kept = DERIVED.get(key);
    if let Some(Kept::Derived(derived)) = kept {
        return derived;
    }
    let by_place = || content_in_place(body, operation, target);
    if kept.is_some()
        && let Some(Kept::Derived(derived)) = DERIVED.get(by_place())
    {
        return derived;
    }
    let derived = derive_afresh(body, operation, target);
    if derived.reads_body() {
        return derived;
    }
    if derived.is_position_independent() {
        DERIVED.keep_answer(key, Kept::Derived(derived.clone()));
    } else {
        DERIVED.keep_answer(key, Kept::ByPlace);
        DERIVED.keep_answer(by_place(), Kept::Derived(derived.clone()));
    }
    derived
}

/// As [`derive_operation`], whatever is kept.
pub fn derive_afresh(body: &Body, operation: &Operation, target: Target) -> OperationDerivation {
    match &operation.kind {
        OperationKind::Copy(copy) => {
            OperationDerivation::Copy(Arc::new(dma::derive_dma(body, copy)))
        }
        OperationKind::Pass(pass) => {
            OperationDerivation::Pass(Arc::new(derive_pass(body, pass, target)))
        }
        OperationKind::Collective(_) => OperationDerivation::Collective,
    }
}

fn derive_pass(body: &Body, pass: &Pass, target: Target) -> PassDerivation {
    PassDerivation {
        pipeline: pipeline::derive_pipeline(pass),
        stages: (0..pass.stages.len())
            .map(|index| derive_stage(body, pass, index, target))
            .collect(),
        vector: vector::derive_vector(body, pass),
        slots: vector::slots::derive_slots(pass),
        valid_counts: if conventions::Conventions::of(pass.dialect).counts_valid_elements() {
            valid_count::derive_valid_counts(pass)
        } else {
            valid_count::ValidCountsDerivation::default()
        },
        end: match &pass.end {
            PassEnd::Commit { .. } | PassEnd::CommitView { .. } => {
                EndDerivation::Commit(Box::new(commit::derive_commit(body, pass)))
            }
            PassEnd::ToTrf { .. } => EndDerivation::Trf(contraction::derive_trf_load(body, pass)),
            PassEnd::ToVrf { .. } => EndDerivation::Vrf(collect::derive_vrf_load(body, pass)),
            PassEnd::Open => EndDerivation::Open,
        },
    }
}

fn derive_stage(body: &Body, pass: &Pass, index: usize, target: Target) -> StageDerivation {
    let Some(stage) = pass.stages.get(index) else {
        return StageDerivation::Vector;
    };
    match &stage.kind {
        StageKind::Fetch { .. } => {
            StageDerivation::Fetch(fetch::derive_fetch(body, pass, index, target))
        }
        StageKind::FetchLift(_)
        | StageKind::FetchMask
        | StageKind::FetchTable
        | StageKind::FetchCast
        | StageKind::FetchZeroPoint(_)
        | StageKind::ContractTime
        | StageKind::CommitTrim
        | StageKind::CommitCast { .. }
        | StageKind::CommitPack => StageDerivation::Step(steps::derive_step(pass, index, target)),
        StageKind::Switch(_) => StageDerivation::Switch(switch::derive_switch(pass, index)),
        StageKind::Collect => StageDerivation::Collect(collect::derive_collect(pass, index)),
        StageKind::Align { .. } => {
            StageDerivation::Align(contraction::derive_align(body, pass, index))
        }
        StageKind::Contract | StageKind::ContractMax => {
            StageDerivation::Contract(contraction::derive_contract(pass, index))
        }
        StageKind::Accumulate(_) => {
            StageDerivation::Accumulate(contraction::derive_accumulate(pass, index))
        }
        StageKind::Cast => StageDerivation::Cast(cast::derive_cast(pass, index, target)),
        StageKind::Transpose => {
            StageDerivation::Transpose(transpose::derive_transpose(pass, index))
        }
        // All others are stages of the Vector Engine, which is derived for the whole pass.
        _ => StageDerivation::Vector,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    use super::*;
    use crate::kernel::catalogue::CATALOGUE;
    use crate::kernel::{AddressValue, Engine, Stage, Tier};
    use crate::testing_body::BodyBuilder;

    /// A tensor that is loaded and read, so many times.
    fn repeated(rounds: u64) -> Body {
        repeated_with(rounds, "A")
    }

    fn repeated_with(rounds: u64, element: &str) -> Body {
        let mut builder = BodyBuilder::new(&[("A", 64)]);
        for round in 0..rounds {
            let input = builder.input(element);
            let loaded = builder.load(input, "1 # 256", element, round % 16 * 256);
            builder.read(loaded);
        }
        builder.body
    }

    #[test]
    fn every_stage_outside_of_the_vector_engine_has_a_derivation() {
        let mut builder = BodyBuilder::new(&[("A", 64)]);
        let input = builder.input("A");
        let loaded = builder.load(input, "1 # 256", "A", 0);
        let levels = ["1", "1 # 2", "1 # 256", "A"];
        builder.pass(
            loaded,
            &[loaded],
            Tier::Dm,
            &levels,
            AddressValue::Bytes(256),
        );
        let body = builder.body;
        let passes = body.operations.iter();
        let mut passes = passes.filter_map(|operation| match &operation.kind {
            OperationKind::Pass(pass) => Some(&**pass),
            _ => None,
        });
        let pass = passes.next().expect("a pass");
        let template = pass.stages.first().expect("a stage");
        let mut seen = 0;
        for row in CATALOGUE {
            let Some(kind) = StageKind::plain_stage(row.stage) else {
                continue;
            };
            let mut pass = pass.clone();
            pass.stages = vec![Stage {
                kind,
                ..template.clone()
            }];
            let derived = derive_stage(&body, &pass, 0, Target::Rngd);
            let inside = row.engine == Engine::Vector;
            assert_eq!(derived == StageDerivation::Vector, inside, "{}", row.name);
            seen += 1;
        }
        assert!(seen > 10);
    }

    #[test]
    fn two_threads_derive_what_one_does() {
        let (small, large) = (repeated(1), repeated(150));
        assert!(large.operations.len() >= PARALLEL_THRESHOLD);
        let (once, often) = (
            derive_body(&small, Target::Rngd),
            derive_body(&large, Target::Rngd),
        );
        for round in often.operations.chunks(once.operations.len()) {
            assert_eq!(round, once.operations);
        }
        let memory = memory::derive_memory(&large);
        assert_eq!(often.memory, memory);
        assert_eq!(
            often.library,
            library::derive_library_limits(&large, &often.operations, &memory.moves)
        );
    }

    #[test]
    fn mappings_that_nest_deeply_are_derived_on_both_threads() {
        let mut element = "A".to_owned();
        for size in 65..125 {
            element += &format!(" # {size}");
        }
        let body = repeated_with(150, &element);
        let derived = derive_body(&body, Target::Rngd);
        assert_eq!(derived.memory, memory::derive_memory(&body));
        assert_eq!(derived.operations.len(), body.operations.len());
    }

    #[test]
    fn a_pause_before_each_operation_may_unwind() {
        for rounds in [2, 150] {
            let body = repeated(rounds);
            let calls = Cell::new(0);
            let _ = derive_cancellable(&body, Target::Rngd, &|| calls.set(calls.get() + 1));
            assert_eq!(calls.get(), body.operations.len());
            let unwound = catch_unwind(AssertUnwindSafe(|| {
                derive_cancellable(&body, Target::Rngd, &|| {
                    resume_unwind(Box::new("withdrawn"))
                })
            }));
            let payload = unwound.map_err(|payload| payload.downcast_ref() == Some(&"withdrawn"));
            assert_eq!(payload.err(), Some(true));
        }
    }
}
