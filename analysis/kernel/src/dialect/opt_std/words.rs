//! Names of the current library that are no methods and no types.

use crate::dialect::common::words::{
    self as common, BROADCAST01, BROADCAST1, CUSTOM_BROADCAST, INTER_TRANSPOSE, TRANSPOSE,
    TRANSPOSED_BROADCAST1, switch_word,
};
use crate::dialect::{ConditionWord, GuardWord, OperandWord, Words};
use crate::{BranchMode, SwitchTopology, VectorStage};

use OperandWord::{Slot, Stash};

pub(super) static WORDS: Words = Words {
    switches: &[
        BROADCAST01,
        BROADCAST1,
        TRANSPOSE,
        INTER_TRANSPOSE,
        CUSTOM_BROADCAST,
        TRANSPOSED_BROADCAST1,
        switch_word("Forwarding", SwitchTopology::Forwarding, &[]),
    ],
    branch_type: "TagMode",
    branch_modes: &[
        ("Zero", BranchMode::Unconditional),
        ("AxisToggle", BranchMode::AxisToggle(None)),
        ("ValidCount", BranchMode::ValidCount),
        ("Vrf", BranchMode::Vrf),
    ],
    comparison_type: "Cmp",
    operands: &[
        ("Stash", Stash),
        ("imm", Slot),
        ("rf", Slot),
        // The operands of releases before the slots.
        ("stash_always", OperandWord::StashAlways),
        ("stash_group", Stash),
        ("branch", OperandWord::First),
        ("stash_branch", Stash),
        ("None", OperandWord::None),
        ("constant", OperandWord::First),
        ("vrf", OperandWord::First),
        ("always", OperandWord::FirstAlways),
        ("group", OperandWord::First),
        ("Some", OperandWord::First),
        ("new", OperandWord::Wraps),
        ("from", OperandWord::Wraps),
    ],
    conditions: &[
        ("ValidAlways", ConditionWord::Always),
        ("All", ConditionWord::Always),
    ],
    guards: &[
        ("all", GuardWord::All),
        ("group", GuardWord::Group),
        ("matches", GuardWord::Matches),
        ("not_matches", GuardWord::NotMatches),
    ],
    groups: &[("Zero", 0), ("One", 1)],
    bits: &[("One", Some(true)), ("Zero", Some(false)), ("Ignore", None)],
    slots_type: "Branched",
    lists: ("BranchOperands", &["branch", "stash_branch"]),
    operand_owners: &[
        "Branched",
        "TagGuard",
        "VeRhs",
        "VeBranchOperand",
        "TernaryOperand",
        "BinaryOperandTag",
        "TernaryOperandTag",
        "OperandTagValue",
        "BranchOperands",
        "InputCmp",
        "Cmp",
        "ArrayVec",
    ],
    vector_stages: &[("Tag", VectorStage::Branch)],
    modes_without_body: &[
        BranchMode::AxisToggle(None),
        BranchMode::ValidCount,
        BranchMode::Vrf,
    ],
    ordinary: &[
        "address",
        "alloc",
        "begin",
        "cast",
        "clone",
        "collect",
        "commit",
        "fetch",
        "gather",
        "into",
        "into_inner",
        "pad",
        "ready",
        "reshape",
        "scatter",
        "size",
        "switch",
        "tile",
        "transpose",
        "unpad",
        "view",
        "view_mut",
    ],
    row_name: "Lane",
    ..common::WORDS
};
