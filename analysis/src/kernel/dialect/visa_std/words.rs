//! Names of the book's library that are no methods and no types.

use crate::hardware::ElementType;
use crate::kernel::dialect::{ConditionWord, OperandWord, SwitchWord, Words};
use crate::kernel::{
    AccumulationKind, BranchMode, Context, Position, SwitchParameter, SwitchTopology, TrfAddress,
    Way,
};

use OperandWord::{First, FirstAlways, Stash, StashAlways, Wraps};

const SLICE1: (&str, SwitchParameter) = ("slice1", SwitchParameter::Slice1);
const SLICE0: (&str, SwitchParameter) = ("slice0", SwitchParameter::Slice0);
const TIME0: (&str, SwitchParameter) = ("time0", SwitchParameter::Time0);
const RING_SIZE: (&str, SwitchParameter) = ("ring_size", SwitchParameter::RingSize);

const fn switch(
    name: &'static str,
    topology: SwitchTopology,
    fields: &'static [(&'static str, SwitchParameter)],
) -> SwitchWord {
    SwitchWord {
        name,
        topology,
        fields,
    }
}

pub(super) static WORDS: Words = Words {
    trf_type: "TrfAddress",
    trf_regions: &[
        ("FirstHalf", TrfAddress::FirstHalf),
        ("SecondHalf", TrfAddress::SecondHalf),
        ("Full", TrfAddress::Full),
    ],
    accumulations: &[
        ("Interleaved", AccumulationKind::Interleaved),
        ("Sequential", AccumulationKind::Sequential),
    ],
    switch_type: "SwitchConfig",
    switches: &[
        switch(
            "Broadcast01",
            SwitchTopology::Broadcast01,
            &[SLICE1, SLICE0, TIME0],
        ),
        switch("Broadcast1", SwitchTopology::Broadcast1, &[SLICE1, SLICE0]),
        switch("Transpose", SwitchTopology::Transpose, &[SLICE1, SLICE0]),
        switch(
            "InterTranspose",
            SwitchTopology::InterTranspose,
            &[SLICE1, SLICE0, TIME0],
        ),
        switch(
            "CustomBroadcast",
            SwitchTopology::CustomBroadcast,
            &[RING_SIZE],
        ),
        switch(
            "TransposedBroadcast1",
            SwitchTopology::TransposedBroadcast1,
            &[SLICE1, SLICE0],
        ),
    ],
    branch_type: "BranchMode",
    branch_modes: &[
        ("Unconditional", BranchMode::Unconditional),
        ("AxisToggle", BranchMode::AxisToggle),
        ("ValidCount", BranchMode::ValidCount),
        ("Vrf", BranchMode::Vrf),
    ],
    comparison: "Comparison",
    comparison_type: "InputCmp",
    comparisons: &[
        ("I32", "InputCmpI32", ElementType::I32),
        ("F32", "InputCmpF32", ElementType::F32),
    ],
    operands: &[
        ("Stash", Stash),
        ("stash_always", StashAlways),
        ("stash_group", Stash),
        ("None", OperandWord::None),
        ("constant", First),
        ("vrf", First),
        ("always", FirstAlways),
        ("group", First),
        ("Some", First),
        ("new", Wraps),
        ("from", Wraps),
    ],
    conditions: &[("ValidAlways", ConditionWord::Always)],
    guards: &[],
    groups: &[],
    bits: &[],
    slots_type: "",
    operand_type: "VeRhs",
    operand_owners: &[
        "VeRhs",
        "VeBranchOperand",
        "TernaryOperand",
        "InputCmp",
        "ArrayVec",
    ],
    containers: &[("ArrayVec", &["new", "from"])],
    contexts: &[
        ("Tu", "Main", Context::Main),
        ("Tu", "Sub", Context::Sub),
        ("Dma", "Tensor", Context::TensorDma),
        ("Dma", "Pcie", Context::PcieDma),
    ],
    positions: &[
        ("Contraction", Position::Accumulate),
        ("Vector", Position::VectorFinal),
    ],
    position_prefix: "Position",
    stream_suffix: "Tensor",
    vector_stages: &[],
    ways: &[("Way8", Way::Way8), ("Way4", Way::Way4)],
    context_words: "The context: `{ Tu::Main }` or `{ Tu::Sub }`.",
    way_words: "The lanes: `Way8` or `Way4`.",
    address_type: "Address",
    modes_without_body: &[BranchMode::ValidCount, BranchMode::Vrf],
    ordinary: &[
        "address",
        "align",
        "begin",
        "cast",
        "clone",
        "collect",
        "commit",
        "fetch",
        "into",
        "into_inner",
        "reshape",
        "switch",
        "tile",
        "to_buf",
        "transpose",
        "view",
        "view_mut",
    ],
    launch: "launch",
    host_functions: &["launch", "acquire"],
};
