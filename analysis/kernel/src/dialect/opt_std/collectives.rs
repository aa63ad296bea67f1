//! Shuffles, copies of parts, gathers and scatters of the current library: methods of tensors, and plans that several methods
//! describe.

use crate::Level;
use crate::catalogue::{Generic, Role};
use crate::dialect::common::arguments::{
    ADDRESS, CLUSTER, DM_TARGET, ELEMENT, EXCLUSIVE, HBM_OWNED, INDICES, OWNED, PARALLEL_COPY,
    PATTERN, READ, SCALED, SHARED, SLICE, VIEW,
};
use crate::dialect::common::rows::{arg, method_on, tensor_method};
use crate::dialect::{Action, Argument, Method, PlanKind, PlanStep, Receiver};

use super::methods::{ANY_DMA, CHOSEN, DM, DM_INDICES, HBM, SPM_INDICES, SUB, TDMA};
use super::{R3, R4, R5, R6, R7, R8, R9};

use Generic::{Constant, Index, Inferred};

/// A step of a plan.
const fn plan_step_method(
    receiver: Receiver,
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
    step: PlanStep,
) -> Method {
    method_on(receiver, name, generics, arguments, Action::Plan(step))
}

const DM_READ: Receiver = Receiver::Tensor(DM, READ);
const MOVED: Receiver = Receiver::Plan(PlanKind::Redistribution);
const GATHERED: Receiver = Receiver::Plan(PlanKind::Gather);
const SCATTERED: Receiver = Receiver::Plan(PlanKind::Scatter);
const SHUFFLE: &[Generic] = &[Constant];
const PAYLOAD: &[Generic] = &[Index, Index];

/// Shuffles, copies of parts, gathers and scatters.
pub(super) const METHODS: &[Method] = &[
    tensor_method(
        (DM, SHARED),
        "dm_cluster_shuffle",
        SHUFFLE,
        &[TDMA, PATTERN],
        Action::Shuffle(Level::Cluster),
    )
    .until(R6),
    tensor_method(
        (DM, SHARED),
        "dm_cluster_swap",
        &[],
        &[TDMA],
        Action::Shuffle(Level::Cluster),
    )
    .since(R7)
    .until(R7),
    tensor_method(
        (DM, SHARED),
        "dm_chip_shuffle",
        SHUFFLE,
        &[TDMA, PATTERN],
        Action::Shuffle(Level::Chip),
    )
    .until(R7),
    tensor_method(
        (HBM, SHARED),
        "hbm_chip_shuffle",
        &[Constant, Constant],
        &[ANY_DMA, PATTERN],
        Action::Shuffle(Level::Chip),
    ),
    tensor_method(
        (HBM, OWNED),
        "hbm_chip_shuffle",
        &[Constant, Constant],
        &[ANY_DMA, PATTERN],
        Action::Shuffle(Level::Chip),
    )
    .since(R8),
    tensor_method(
        (HBM, OWNED),
        "hbm_cluster_shuffle",
        &[Constant, Constant],
        &[ANY_DMA, PATTERN],
        Action::Shuffle(Level::Cluster),
    )
    .without_body(),
    method_on(
        Receiver::TensorUnit,
        "parallel_copy_cluster_slice",
        PARALLEL_COPY,
        &[VIEW, CHOSEN],
        Action::ParallelCopy(Level::Cluster),
    )
    .until(R7),
    method_on(
        Receiver::TensorUnit,
        "parallel_copy_chip_slice",
        PARALLEL_COPY,
        &[VIEW, CHOSEN],
        Action::ParallelCopy(Level::Chip),
    )
    .until(R7),
    plan_step_method(
        DM_READ,
        "chip_shuffle",
        &[],
        &[PATTERN],
        PlanStep::Shuffle(Level::Chip),
    )
    .since(R8),
    plan_step_method(
        MOVED,
        "chip_shuffle",
        &[],
        &[PATTERN],
        PlanStep::Shuffle(Level::Chip),
    )
    .since(R8),
    plan_step_method(
        DM_READ,
        "cluster_swap",
        &[],
        &[],
        PlanStep::Shuffle(Level::Cluster),
    )
    .since(R8),
    plan_step_method(
        MOVED,
        "cluster_swap",
        &[],
        &[],
        PlanStep::Shuffle(Level::Cluster),
    )
    .since(R8),
    plan_step_method(
        DM_READ,
        "chip_slice",
        &[Index, ELEMENT],
        &[CHOSEN],
        PlanStep::Slice(Level::Chip),
    )
    .since(R8),
    plan_step_method(
        MOVED,
        "chip_slice",
        &[Index, ELEMENT],
        &[CHOSEN],
        PlanStep::Slice(Level::Chip),
    )
    .since(R8),
    plan_step_method(
        DM_READ,
        "cluster_slice",
        &[Index, ELEMENT],
        &[CHOSEN],
        PlanStep::Slice(Level::Cluster),
    )
    .since(R8),
    plan_step_method(
        MOVED,
        "cluster_slice",
        &[Index, ELEMENT],
        &[CHOSEN],
        PlanStep::Slice(Level::Cluster),
    )
    .since(R8),
    plan_step_method(MOVED, "to_dm", &[ELEMENT], &[TDMA], PlanStep::Make).since(R8),
    plan_step_method(
        MOVED,
        "to_dm_view",
        &[Inferred, Inferred],
        &[TDMA, DM_TARGET],
        PlanStep::Write,
    )
    .since(R8),
    tensor_method(
        (DM, OWNED),
        "asymmetric_chip_slice",
        &[Index, ELEMENT],
        &[SUB, CHOSEN],
        Action::ParallelCopy(Level::Chip),
    )
    .since(R8),
    tensor_method(
        (DM, OWNED),
        "asymmetric_cluster_slice",
        &[Index, ELEMENT],
        &[SUB, CHOSEN],
        Action::ParallelCopy(Level::Cluster),
    )
    .since(R8),
    tensor_method(
        (HBM, OWNED),
        "dma_gather",
        &[CLUSTER, SLICE, ELEMENT, Inferred],
        &[INDICES, ADDRESS, SCALED],
        Action::Gather,
    )
    .until(R3),
    tensor_method(
        (HBM, OWNED),
        "dma_gather_scaled",
        &[CLUSTER, SLICE, ELEMENT, Inferred],
        &[INDICES],
        Action::Gather,
    )
    .since(R4)
    .until(R8),
    tensor_method(
        (HBM, OWNED),
        "dma_gather_scaled_at",
        &[CLUSTER, SLICE, ELEMENT, Inferred],
        &[INDICES, ADDRESS],
        Action::Gather,
    )
    .since(R4)
    .until(R5),
    tensor_method(
        (HBM, OWNED),
        "dma_gather_unscaled",
        &[Inferred, Inferred, Inferred, CLUSTER, SLICE, ELEMENT],
        &[DM_INDICES],
        Action::Gather,
    )
    .since(R4)
    .until(R8),
    tensor_method(
        (DM, OWNED),
        "dma_scatter",
        &[Index, Inferred, Inferred],
        &[INDICES, HBM_OWNED, SCALED],
        Action::Scatter,
    )
    .until(R3),
    tensor_method(
        (DM, OWNED),
        "dma_scatter",
        &[Index, Inferred, Inferred],
        &[INDICES, HBM_OWNED],
        Action::Scatter,
    )
    .since(R4)
    .until(R8),
    tensor_method(
        (DM, OWNED),
        "dma_scatter_unscaled",
        &[Index, Inferred, Inferred, Inferred, Inferred],
        &[DM_INDICES, HBM_OWNED],
        Action::Scatter,
    )
    .since(R4)
    .until(R8),
    plan_step_method(
        Receiver::Tensor(HBM, OWNED),
        "gather",
        PAYLOAD,
        &[],
        PlanStep::Gather,
    )
    .since(R9),
    plan_step_method(
        GATHERED,
        "by_byte_offsets",
        &[Index],
        &[INDICES],
        PlanStep::Offsets,
    )
    .since(R9),
    plan_step_method(
        GATHERED,
        "by_positions",
        &[Index],
        &[SPM_INDICES],
        PlanStep::Positions,
    )
    .since(R9),
    plan_step_method(
        GATHERED,
        "sparse_prefix",
        &[],
        &[arg(Role::Start, "n", "usize").meaning("How many of the indices count.")],
        PlanStep::Prefix,
    )
    .since(R9),
    plan_step_method(
        GATHERED,
        "to_dm",
        &[CLUSTER, SLICE, ELEMENT],
        &[TDMA],
        PlanStep::Make,
    )
    .since(R9),
    plan_step_method(
        Receiver::Tensor(HBM, EXCLUSIVE),
        "scatter",
        PAYLOAD,
        &[],
        PlanStep::Scatter,
    )
    .since(R9),
    plan_step_method(
        SCATTERED,
        "by_byte_offsets",
        &[Index],
        &[INDICES],
        PlanStep::Offsets,
    )
    .since(R9),
    plan_step_method(
        SCATTERED,
        "by_positions",
        &[Index],
        &[SPM_INDICES],
        PlanStep::Positions,
    )
    .since(R9),
    plan_step_method(
        SCATTERED,
        "from_dm",
        &[],
        &[
            TDMA,
            arg(Role::Source, "updates", "DmTensor").meaning("What is written."),
        ],
        PlanStep::Write,
    )
    .since(R9),
    plan_step_method(
        SCATTERED,
        "from_dm_view",
        &[],
        &[TDMA, VIEW],
        PlanStep::Write,
    )
    .since(R9),
];
