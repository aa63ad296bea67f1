//! The rows of the catalogue, in the order of the pipeline and of [`CanonicalStage`].

use crate::hardware::ElementType;
use crate::{Level, Position, VectorStage, Way};

use super::columns::{
    ADDRESS, CHIP, CLUSTER, EIGHT, FETCHED, FOUR, INTEGER_BITS, OPERATION, PACKET, SCALAR, SLICE,
    TIME, WRITABLE, adapter_row, alu_row, commit_step_row, level_parameter, lift_row, stage_row,
    vector_stage_row,
};
use super::{
    CanonicalStage as S, Engine, Exit, Generic, Lanes, Makes, Packets, Parameter, Role, Row, Types,
};

use Position::{
    Accumulate, Align, Begin, Cast, Collect, CommitCast, CommitPack, CommitTrim, Contract,
    ContractTime, Fetch, FetchCast, FetchChipLift, FetchClusterLift, FetchMask, FetchSliceLift,
    FetchTableLookup, FetchZeroPoint, Switch, Transpose, VectorFinal, VectorInit,
};

/// The first row, which every pass has.
pub(super) const FETCH: Row = stage_row(
    (S::Fetch, "fetch"),
    Engine::Fetch,
    (&[Begin], Exit::At(Fetch)),
    &[
        SCALAR,
        TIME,
        PACKET,
        Parameter::Argument(Role::Table, "The lookup table."),
        Parameter::Argument(Role::ZeroPoints, "What is subtracted of each element."),
    ],
    "Reads packets from the DM in the order of the iterations that leave it; a packet is a multiple of 8 bytes.",
);

/// Every stage.
pub static CATALOGUE: &[Row] = &[
    FETCH,
    lift_row(
        (S::FetchChipLift, "chip lift"),
        &[Fetch],
        FetchChipLift,
        &[CHIP, TIME],
        "Reads for each chip the copy of an axis that is its own.",
    ),
    lift_row(
        (S::FetchClusterLift, "cluster lift"),
        &[Fetch, FetchChipLift],
        FetchClusterLift,
        &[CLUSTER, TIME],
        "Reads for each cluster the copy of an axis that is its own.",
    ),
    lift_row(
        (S::FetchSliceLift, "slice lift"),
        &[Fetch, FetchChipLift, FetchClusterLift],
        FetchSliceLift,
        &[SLICE, TIME],
        "Reads for each slice the copy of an axis that is its own.",
    ),
    adapter_row(
        (S::FetchMask, "fetch mask"),
        &[Fetch, FetchChipLift, FetchClusterLift, FetchSliceLift],
        FetchMask,
        &[TIME, PACKET],
        "Masks the positions that hold no data.",
    ),
    adapter_row(
        (S::FetchTable, "table lookup"),
        &[
            Fetch,
            FetchChipLift,
            FetchClusterLift,
            FetchSliceLift,
            FetchMask,
        ],
        FetchTableLookup,
        &[SCALAR],
        "Looks each element up in the table of its type.",
    ),
    adapter_row(
        (S::FetchCast, "fetch cast"),
        &[
            Fetch,
            FetchChipLift,
            FetchClusterLift,
            FetchSliceLift,
            FetchMask,
            FetchTableLookup,
        ],
        FetchCast,
        &[SCALAR],
        "Converts the elements that were read.",
    ),
    adapter_row(
        (S::FetchZeroPoint, "zero point"),
        &[
            Fetch,
            FetchChipLift,
            FetchClusterLift,
            FetchSliceLift,
            FetchMask,
            FetchTableLookup,
            FetchCast,
        ],
        FetchZeroPoint,
        &[
            SCALAR,
            Parameter::Argument(Role::ZeroPoints, "What is subtracted of each element."),
        ],
        "Subtracts a zero point of each element.",
    ),
    stage_row(
        (S::Switch, "switch"),
        Engine::Switch,
        (FETCHED, Exit::At(Switch)),
        &[
            SLICE,
            TIME,
            Parameter::Argument(Role::Configuration, "The topology with its sizes."),
        ],
        "Exchanges packets between slices.",
    )
    .packets(Packets::Held),
    stage_row(
        (S::Collect, "collect"),
        Engine::Collect,
        (
            &[
                Fetch,
                FetchChipLift,
                FetchClusterLift,
                FetchSliceLift,
                FetchMask,
                FetchTableLookup,
                FetchCast,
                FetchZeroPoint,
                Switch,
            ],
            Exit::At(Collect),
        ),
        &[TIME, PACKET],
        "Cuts packets into flits of 32 bytes; the rest of a packet becomes the innermost time.",
    )
    .packets(Packets::Kept),
    stage_row(
        (S::Align, "align"),
        Engine::Align,
        (&[Collect], Exit::At(Align)),
        &[
            level_parameter(Level::Time, "OutTime", "The iterations of the computation."),
            level_parameter(
                Level::Packet,
                "OutPacket",
                "The elements that are multiplied in one iteration.",
            ),
            level_parameter(
                Level::Row,
                "Row",
                "The rows of the weights: follows from them.",
            ),
            Parameter::Generic(
                Generic::Inferred,
                "TrfElement",
                "The elements of the weights: follows from them.",
            ),
            Parameter::Argument(Role::Weights, "The weights."),
        ],
        "Brings the stream and the weights in the TRF to one computation mapping.",
    )
    .types(Types::Contraction, Makes::Same),
    stage_row(
        (S::Contract, "contract"),
        Engine::Contract,
        (&[Align], Exit::At(Contract)),
        &[level_parameter(
            Level::Packet,
            "OutPacket",
            "What of the packet is left.",
        )],
        "Multiplies and adds inside of a packet.",
    )
    .types(Types::Contraction, Makes::Accumulator),
    stage_row(
        (S::ContractMax, "largest"),
        Engine::Contract,
        (&[Align], Exit::At(Contract)),
        &[level_parameter(
            Level::Packet,
            "OutPacket",
            "What of the packet is left.",
        )],
        "Multiplies and takes the largest inside of a packet.",
    )
    .types(Types::Contraction, Makes::Accumulator),
    stage_row(
        (S::ContractTime, "time reduction"),
        Engine::Accumulate,
        (&[Contract], Exit::At(ContractTime)),
        &[level_parameter(
            Level::Time,
            "OutTime",
            "The iterations that are left.",
        )],
        "Adds over time; the rows stay apart.",
    ),
    stage_row(
        (S::Accumulate, "accumulate"),
        Engine::Accumulate,
        (&[Contract, ContractTime], Exit::At(Accumulate)),
        &[
            level_parameter(Level::Time, "OutTime", "The iterations that are left."),
            level_parameter(Level::Packet, "OutPacket", "The elements of one iteration."),
            Parameter::Argument(
                Role::Configuration,
                "Rows side by side in the packet, or one after the other in time.",
            ),
        ],
        "Adds over time, and lays the rows out.",
    ),
    Row {
        lanes: Lanes::Exactly(Way::Way8),
        ..stage_row(
            (S::VectorInit, "vector"),
            Engine::Vector,
            (&[Collect, Accumulate], Exit::At(VectorInit)),
            &[],
            "Enters the Vector Engine.",
        )
    }
    .packets(Packets::Kept)
    .types(Types::Vector, Makes::Same),
    vector_stage_row(
        (S::VectorBranch, "branch"),
        Exit::At(Position::Vector(VectorStage::Branch)),
        (EIGHT, Lanes::Exactly(Way::Way8)),
        &[Parameter::Argument(
            Role::Configuration,
            "What decides which group an element belongs to.",
        )],
        "Opens the stages inside of a slice.",
    )
    .stashable(),
    vector_stage_row(
        (S::VectorUnzip, "unzip"),
        Exit::At(Position::VectorPair(VectorStage::Branch)),
        (EIGHT, Lanes::Exactly(Way::Way8)),
        &[
            Parameter::Generic(
                Generic::Axis,
                "I",
                "The axis of size 2 that tells the groups apart.",
            ),
            Parameter::Generic(
                Generic::Index,
                "TileTime",
                "`Time` with a hole `1 # 2` in the axis's place.",
            ),
            level_parameter(Level::Time, "SplitTime", "`Time` without the axis."),
        ],
        "Makes two groups of an interleaved stream.",
    )
    .packets(Packets::Remade)
    .stashable(),
    alu_row(
        (S::VectorLogic, "logic"),
        VectorStage::Logic,
        Way::Way8,
        true,
        "A bitwise operation.",
    ),
    alu_row(
        (S::VectorFxp, "fxp"),
        VectorStage::Fxp,
        Way::Way8,
        true,
        "A fixed-point operation.",
    ),
    vector_stage_row(
        (S::VectorFxpToFp, "fxp_to_fp"),
        Exit::Reaches(VectorStage::FxpToFp),
        (EIGHT, Lanes::Same),
        &[INTEGER_BITS],
        "Reads fixed-point numbers as floats.",
    )
    .types(Types::One(ElementType::I32), Makes::One(ElementType::F32)),
    vector_stage_row(
        (S::VectorSplit, "split"),
        Exit::Reaches(VectorStage::Narrow),
        (EIGHT, Lanes::Exactly(Way::Way4)),
        &[TIME, PACKET],
        "8 lanes to 4, the halves one after the other in time.",
    )
    .stashable(),
    vector_stage_row(
        (S::VectorTrim, "trim"),
        Exit::Reaches(VectorStage::Narrow),
        (EIGHT, Lanes::Exactly(Way::Way4)),
        &[PACKET],
        "8 lanes to 4; the back 4 have to be padding.",
    )
    .stashable(),
    alu_row(
        (S::VectorFp, "fp"),
        VectorStage::Fp,
        Way::Way4,
        true,
        "A float operation.",
    ),
    vector_stage_row(
        (S::VectorIntraReduce, "intra_reduce"),
        Exit::Reaches(VectorStage::IntraSliceReduce),
        (FOUR, Lanes::Same),
        &[
            Parameter::Generic(Generic::Axis, "Reduce", "The axis that is reduced."),
            TIME,
            PACKET,
            OPERATION,
        ],
        "Reduces an axis over time inside of the slice.",
    )
    .packets(Packets::Held),
    alu_row(
        (S::VectorFpDiv, "fp_div"),
        VectorStage::FpDiv,
        Way::Way4,
        false,
        "A division after the reduction.",
    ),
    vector_stage_row(
        (S::VectorConcat, "concat"),
        Exit::Reaches(VectorStage::Widen),
        (FOUR, Lanes::Exactly(Way::Way8)),
        &[TIME, PACKET],
        "4 lanes to 8, two iterations in one.",
    ),
    vector_stage_row(
        (S::VectorPad, "pad"),
        Exit::Reaches(VectorStage::Widen),
        (FOUR, Lanes::Exactly(Way::Way8)),
        &[PACKET],
        "4 lanes to 8; the back 4 are padding.",
    ),
    vector_stage_row(
        (S::VectorFpToFxp, "fp_to_fxp"),
        Exit::Reaches(VectorStage::FpToFxp),
        (EIGHT, Lanes::Same),
        &[INTEGER_BITS],
        "Rounds floats to fixed-point numbers.",
    )
    .types(Types::One(ElementType::F32), Makes::One(ElementType::I32)),
    alu_row(
        (S::VectorClip, "clip"),
        VectorStage::Clip,
        Way::Way8,
        true,
        "A clip, a maximum or an addition.",
    ),
    vector_stage_row(
        (S::VectorInterReduce, "inter_reduce"),
        Exit::Reaches(VectorStage::InterSliceReduce),
        (EIGHT, Lanes::Same),
        &[SLICE, TIME, OPERATION],
        "Reduces across slices.",
    )
    .packets(Packets::Held),
    vector_stage_row(
        (S::VectorFinal, "vector_end"),
        Exit::At(VectorFinal),
        (EIGHT, Lanes::None),
        &[],
        "Leaves the Vector Engine.",
    ),
    vector_stage_row(
        (S::VectorReinterpret, "reinterpret"),
        Exit::Same,
        (None, Lanes::Same),
        &[SCALAR],
        "Reads the 32 bits of each lane as the other scalar type.",
    ),
    vector_stage_row(
        (S::VectorStash, "stash"),
        Exit::Same,
        (None, Lanes::Same),
        &[],
        "Keeps the stream as it is here for a later operand `Stash`; once in a pass.",
    ),
    vector_stage_row(
        (S::VectorFilter, "filter"),
        Exit::Reaches(VectorStage::Filter),
        (EIGHT, Lanes::Same),
        &[TIME, Parameter::Argument(Role::Condition, "What stays.")],
        "Drops the iterations of a group.",
    )
    .packets(Packets::Remade),
    stage_row(
        (S::Cast, "cast"),
        Engine::Cast,
        (&[Collect, Accumulate, VectorFinal], Exit::At(Cast)),
        &[SCALAR, PACKET],
        "Lowers the precision; the packet is padded to 32 bytes again.",
    )
    .packets(Packets::Kept)
    .types(Types::Vector, Makes::Same),
    stage_row(
        (S::Transpose, "transpose"),
        Engine::Transpose,
        (
            &[Collect, Accumulate, VectorFinal, Cast],
            Exit::At(Transpose),
        ),
        &[TIME, PACKET],
        "Transposes blocks of time and packet.",
    )
    .packets(Packets::Held),
    commit_step_row(
        (S::CommitTrim, "commit trim"),
        &[Collect, Accumulate, VectorFinal, Cast, Transpose],
        CommitTrim,
        &[PACKET],
        "Cuts the packet to the front part that is written.",
    ),
    commit_step_row(
        (S::CommitCast, "commit cast"),
        &[CommitTrim],
        CommitCast,
        &[SCALAR],
        "Converts the packet while it is written.",
    ),
    commit_step_row(
        (S::CommitCastRelu, "commit cast with relu"),
        &[CommitTrim],
        CommitCast,
        &[SCALAR],
        "Converts the packet while it is written; negative values become zero.",
    ),
    commit_step_row(
        (S::CommitPack, "valid count pack"),
        &[CommitTrim],
        CommitPack,
        &[Parameter::Argument(
            Role::Configuration,
            "How many elements of a packet are valid.",
        )],
        "Packs the valid elements of packets.",
    ),
    stage_row(
        (S::Commit, "commit"),
        Engine::Commit,
        (WRITABLE, Exit::End),
        &[
            level_parameter(
                Level::Element,
                "Element",
                "The positions that each slice of the tensor holds.",
            ),
            ADDRESS,
        ],
        "Writes the stream to a new tensor in the DM; its innermost part is the packet.",
    ),
    stage_row(
        (S::CommitView, "write"),
        Engine::Commit,
        (WRITABLE, Exit::End),
        &[
            Parameter::Generic(Generic::Inferred, "_", "Follows from the argument."),
            Parameter::Argument(Role::Target, "What is written."),
        ],
        "Writes the stream to a view of a tensor in the DM.",
    ),
    // The Collect Engine feeds the register files, and what the Vector Engine made can become its operand.
    stage_row(
        (S::ToTrf, "trf_load"),
        Engine::TrfLoad,
        (&[Collect], Exit::End),
        &[
            level_parameter(Level::Row, "Row", "The rows of the MAC array."),
            level_parameter(Level::Element, "Element", "What each row holds."),
            Parameter::Argument(Role::Address, "Which part of each row."),
        ],
        "Loads the stream into the tensor register file.",
    ),
    stage_row(
        (S::ToVrf, "vrf_load"),
        Engine::VrfLoad,
        (&[Collect, VectorFinal], Exit::End),
        &[
            level_parameter(Level::Element, "Element", "What each slice holds."),
            ADDRESS,
        ],
        "Loads the stream into the vector register file.",
    )
    .types(Types::Vector, Makes::Same),
];

/// The Vector Engine's stages in the order of its pipeline.
pub(super) const VECTOR_ORDER: &[VectorStage] = &[
    VectorStage::Branch,
    VectorStage::Logic,
    VectorStage::Fxp,
    VectorStage::FxpToFp,
    VectorStage::Narrow,
    VectorStage::Fp,
    VectorStage::IntraSliceReduce,
    VectorStage::FpDiv,
    VectorStage::Widen,
    VectorStage::FpToFxp,
    VectorStage::Clip,
    VectorStage::InterSliceReduce,
    VectorStage::Filter,
];
