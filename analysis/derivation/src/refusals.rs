//! What the engines refuse of an operation, by kind and counted, so that an operation and a changed copy of it can be compared.
//!
//! Knows the kinds of violations, not what they mean: numbers in them may differ although the fault is the same.

use std::mem::{Discriminant, discriminant};
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use crate::hardware::Target;
use crate::kernel::{Body, Operation, OperationKind};

use super::cast::CastViolation;
use super::collect::{CollectViolation, VrfLoadViolation};
use super::commit::CommitViolation;
use super::content::Content;
use super::contraction::{
    AccumulateViolation, AccumulatedTime, AlignViolation, ContractViolation, TrfLoadViolation,
    TrfSequencerError,
};
use super::dma::DmaViolation;
use super::fetch::FetchViolation;
use super::memo::Memo;
use super::moves::{self, MoveFault, MoveKind};
use super::pipeline::PipelineViolation;
use super::sequencer::{Misfit, SequenceReport, SequencerViolation};
use super::steps::StepViolation;
use super::switch::SwitchViolation;
use super::transpose::TransposeViolation;
use super::vector::{StashFault, TwoGroupFault, VectorFault};
use super::{EndDerivation, OperationDerivation, PassDerivation, StageDerivation, derive_known};

/// Violations by the stage that meets them and their kinds, counted.
pub type Refusals = FxHashMap<(usize, Refusal), usize>;

/// The kind of a violation: which engine refuses what, without the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// By the DMA engine.
    Dma(Discriminant<DmaViolation>, Option<SequencerRefusal>),
    /// By the order of the pipeline.
    Pipeline(Discriminant<PipelineViolation>),
    /// By the Fetch Engine.
    Fetch(Discriminant<FetchViolation>, Option<SequencerRefusal>),
    /// By a sequencer, of any engine.
    Sequencer(SequencerRefusal),
    /// By the Switch Engine.
    Switch(Discriminant<SwitchViolation>),
    /// By the Collect Engine.
    Collect(Discriminant<CollectViolation>),
    /// By the alignment of stream and operand.
    Align(
        Discriminant<AlignViolation>,
        Option<Discriminant<TrfSequencerError>>,
    ),
    /// By the spatial reduction.
    Contract(Discriminant<ContractViolation>),
    /// By the temporal reduction.
    Accumulate(
        Discriminant<AccumulateViolation>,
        Option<Discriminant<AccumulatedTime>>,
    ),
    /// By the Vector Engine.
    Vector(Discriminant<VectorFault>),
    /// By the stash of the Vector Engine.
    Stash(Discriminant<StashFault>),
    /// By the two groups of the Vector Engine.
    TwoGroup(Discriminant<TwoGroupFault>),
    /// By the valid counts of a reduction.
    ValidCount,
    /// By a step that is a stage of its own.
    Step(Discriminant<StepViolation>),
    /// By the Cast Engine.
    Cast(Discriminant<CastViolation>),
    /// By the Transpose Engine.
    Transpose(Discriminant<TransposeViolation>),
    /// By the Commit Engine.
    Commit(Discriminant<CommitViolation>, Option<SequencerRefusal>),
    /// By a load of the tensor register file.
    TrfLoad(Discriminant<TrfLoadViolation>),
    /// By a load of the vector register file.
    VrfLoad(Discriminant<VrfLoadViolation>),
    /// Data are lost or invented on the way.
    Move(Discriminant<MoveFault>),
}

/// The kind of what a sequencer cannot do.
pub type SequencerRefusal = (
    Discriminant<SequencerViolation>,
    Option<Discriminant<Misfit>>,
);

/// A violation, which has a kind.
pub(super) trait Refusing {
    /// Its kind.
    fn refusal(&self) -> Refusal;
}

/// Kinds that are told by the variant alone.
macro_rules! refusing {
    ($($violation:ty => $refusal:ident),* $(,)?) => {
        $(impl Refusing for $violation {
            fn refusal(&self) -> Refusal {
                Refusal::$refusal(discriminant(self))
            }
        })*
    };
}

refusing!(
    PipelineViolation => Pipeline,
    SwitchViolation => Switch,
    CollectViolation => Collect,
    ContractViolation => Contract,
    StepViolation => Step,
    CastViolation => Cast,
    TransposeViolation => Transpose,
    TrfLoadViolation => TrfLoad,
    VrfLoadViolation => VrfLoad,
    MoveFault => Move,
);

fn of_sequencer(violation: &SequencerViolation) -> SequencerRefusal {
    let misfit = match violation {
        SequencerViolation::Misfit(misfit) => Some(discriminant(misfit)),
        _ => None,
    };
    (discriminant(violation), misfit)
}

impl Refusing for SequencerViolation {
    fn refusal(&self) -> Refusal {
        Refusal::Sequencer(of_sequencer(self))
    }
}

impl Refusing for DmaViolation {
    fn refusal(&self) -> Refusal {
        let sequencer = match self {
            Self::Sequencer(violation) => Some(of_sequencer(violation)),
            _ => None,
        };
        Refusal::Dma(discriminant(self), sequencer)
    }
}

impl Refusing for FetchViolation {
    fn refusal(&self) -> Refusal {
        let sequencer = match self {
            Self::Sequencer(violation) => Some(of_sequencer(violation)),
            _ => None,
        };
        Refusal::Fetch(discriminant(self), sequencer)
    }
}

impl Refusing for CommitViolation {
    fn refusal(&self) -> Refusal {
        let sequencer = match self {
            Self::Sequencer(violation) => Some(of_sequencer(violation)),
            _ => None,
        };
        Refusal::Commit(discriminant(self), sequencer)
    }
}

impl Refusing for AlignViolation {
    fn refusal(&self) -> Refusal {
        let sequencer = match self {
            Self::Sequencer(error) => Some(discriminant(error)),
            _ => None,
        };
        Refusal::Align(discriminant(self), sequencer)
    }
}

impl Refusing for AccumulateViolation {
    fn refusal(&self) -> Refusal {
        let time = match self {
            Self::Time(time) => Some(discriminant(time)),
            _ => None,
        };
        Refusal::Accumulate(discriminant(self), time)
    }
}

impl Refusing for VectorFault {
    fn refusal(&self) -> Refusal {
        match self {
            Self::Stash(fault) => Refusal::Stash(discriminant(fault)),
            Self::TwoGroup(fault) => Refusal::TwoGroup(discriminant(fault)),
            _ => Refusal::Vector(discriminant(self)),
        }
    }
}

/// The number in the place of a stage's that stands for the whole pass, or the operation.
const WHOLE: usize = usize::MAX;

/// What is refused of operations, by what they are made of: it names no place.
static REFUSED: LazyLock<Memo<Arc<Refusals>>> = LazyLock::new(Memo::default);

/// What is refused of an operation of a body, or of a changed copy of one. `content` is what it is made of.
pub fn operation_refusals(
    body: &Body,
    operation: &Operation,
    target: Target,
    content: Content,
) -> Arc<Refusals> {
    let key = reads_its_tensors_alone(operation).then_some(content);
    if let Some(known) = key.and_then(|key| REFUSED.get(key)) {
        return known;
    }
    let derived = derive_known(body, operation, target, content);
    let found = Arc::new(find_refusals(body, operation, &derived));
    if let Some(key) = key {
        REFUSED.keep_answer(key, Arc::clone(&found));
    }
    found
}

/// Whether what is refused of an operation follows from what it is made of. Of collectives, and of operands of the Vector Engine, more
/// of the body is looked at.
fn reads_its_tensors_alone(operation: &Operation) -> bool {
    match &operation.kind {
        OperationKind::Copy(_) => true,
        OperationKind::Collective(_) => false,
        OperationKind::Pass(pass) => !pass.reads_registers(),
    }
}

/// The same, whatever is kept.
pub(super) fn find_refusals(
    body: &Body,
    operation: &Operation,
    derived: &OperationDerivation,
) -> Refusals {
    let mut found = Refusals::default();
    match derived {
        OperationDerivation::Copy(derived) => add(&mut found, WHOLE, &derived.violations),
        OperationDerivation::Pass(derived) => of_pass(&mut found, derived),
        OperationDerivation::Collective => {}
    }
    for moved in moves::of_operation(body, operation) {
        let stage = match moved.kind {
            MoveKind::Fetch(_, stage) | MoveKind::Switch(_, stage) => stage,
            _ => WHOLE,
        };
        // What its engine refuses anyway is refused once.
        if !found.keys().any(|(refusing, _)| *refusing == stage) {
            add(&mut found, stage, &[moved.fault]);
        }
    }
    found
}

fn of_pass(found: &mut Refusals, derived: &PassDerivation) {
    add(found, WHOLE, &derived.pipeline.violations);
    for violation in &derived.vector.violations {
        add(
            found,
            violation.stage,
            std::slice::from_ref(&violation.fault),
        );
    }
    for (number, stage) in derived.stages.iter().enumerate() {
        for violation in stage.violations() {
            count_refusal(found, number, violation.refusal());
        }
        if let StageDerivation::Fetch(derived) = stage {
            add(found, number, broken_limits(derived.sequence.as_ref()));
        }
        if derived.valid_counts.refuses(number) {
            count_refusal(found, number, Refusal::ValidCount);
        }
    }
    match &derived.end {
        EndDerivation::Commit(derived) => {
            add(found, WHOLE, &derived.violations);
            add(found, WHOLE, broken_limits(derived.sequence.as_ref()));
        }
        EndDerivation::Trf(derived) => add(found, WHOLE, &derived.violations),
        EndDerivation::Vrf(derived) => add(found, WHOLE, &derived.violations),
        EndDerivation::Open => {}
    }
}

/// The limits that a sequencer breaks.
fn broken_limits(sequence: Option<&SequenceReport>) -> &[SequencerViolation] {
    sequence.map_or(&[], |sequence| &sequence.violations)
}

fn add(found: &mut Refusals, stage: usize, violations: &[impl Refusing]) {
    for violation in violations {
        count_refusal(found, stage, violation.refusal());
    }
}

fn count_refusal(found: &mut Refusals, stage: usize, refusal: Refusal) {
    *found.entry((stage, refusal)).or_default() += 1;
}

/// Whether something is refused that was not before.
pub fn more_is_refused(before: &Refusals, after: &Refusals) -> bool {
    after
        .iter()
        .any(|(refusal, count)| before.get(refusal).is_none_or(|before| count > before))
}
