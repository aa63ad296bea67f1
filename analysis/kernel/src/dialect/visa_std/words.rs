//! Names of the book's library that are no methods and no types.

use crate::BranchMode;
use crate::dialect::common::words::{
    self as common, BROADCAST01, BROADCAST1, CUSTOM_BROADCAST, INTER_TRANSPOSE, TRANSPOSE,
    TRANSPOSED_BROADCAST1,
};
use crate::dialect::{ConditionWord, OperandWord, Words};

use OperandWord::{First, FirstAlways, Stash, StashAlways, Wraps};

pub(super) static WORDS: Words = Words {
    switches: &[
        BROADCAST01,
        BROADCAST1,
        TRANSPOSE,
        INTER_TRANSPOSE,
        CUSTOM_BROADCAST,
        TRANSPOSED_BROADCAST1,
    ],
    branch_type: "BranchMode",
    branch_modes: &[
        ("Unconditional", BranchMode::Unconditional),
        ("AxisToggle", BranchMode::AxisToggle(None)),
        ("ValidCount", BranchMode::ValidCount),
        ("Vrf", BranchMode::Vrf),
    ],
    comparison_type: "InputCmp",
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
    groups: &[("Zero", 0), ("One", 1)],
    bits: &[],
    slots_type: "",
    operand_owners: &[
        "VeRhs",
        "VeBranchOperand",
        "TernaryOperand",
        "InputCmp",
        "ArrayVec",
    ],
    vector_stages: &[],
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
    ..common::WORDS
};
