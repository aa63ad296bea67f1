//! Methods of the book's library: receiver, turbofish order, what they do.

use crate::kernel::dialect::{Access, Action, Arity, Generic, Method, Receiver, StageAction};
use crate::kernel::{Level, Tier, VectorStage};

use Access::{Exclusive, Owned, Shared};
use Generic::{Axis, Constant, Index, Inferred};

const ELEMENT: Generic = Generic::Level(Level::Element);
const CHIP: Generic = Generic::Level(Level::Chip);
const CLUSTER: Generic = Generic::Level(Level::Cluster);
const SLICE: Generic = Generic::Level(Level::Slice);
const ROW: Generic = Generic::Level(Level::Row);
const TIME: Generic = Generic::Level(Level::Time);
const PACKET: Generic = Generic::Level(Level::Packet);
const SCALAR: Generic = Generic::Scalar;

const OWNED: &[Access] = &[Owned];
const SHARED: &[Access] = &[Shared];
const EXCLUSIVE: &[Access] = &[Exclusive];
const VIEWS: &[Access] = &[Shared, Exclusive];
const ANY: &[Access] = &[Owned, Shared, Exclusive];

const fn on_tensor(
    tier: Tier,
    access: &'static [Access],
    name: &'static str,
    generics: &'static [Generic],
    action: Action,
) -> Method {
    Method {
        name,
        receiver: Receiver::Tensor(tier, access),
        generics,
        action,
    }
}

const fn on(
    receiver: Receiver,
    name: &'static str,
    generics: &'static [Generic],
    action: Action,
) -> Method {
    Method {
        name,
        receiver,
        generics,
        action,
    }
}

const fn stage(name: &'static str, generics: &'static [Generic], action: StageAction) -> Method {
    Method {
        name,
        receiver: Receiver::Stream,
        generics,
        action: Action::Stage(action),
    }
}

const fn single(name: &'static str, generics: &'static [Generic], action: StageAction) -> Method {
    Method {
        name,
        receiver: Receiver::Single,
        generics,
        action: Action::Stage(action),
    }
}

const fn pair(name: &'static str, generics: &'static [Generic], action: StageAction) -> Method {
    Method {
        name,
        receiver: Receiver::Pair,
        generics,
        action: Action::Stage(action),
    }
}

const fn alu(stage: VectorStage, arity: Arity, mode: bool, zip: bool) -> StageAction {
    StageAction::VectorAlu {
        stage,
        arity,
        mode,
        zip,
    }
}

const SHUFFLE: &[Generic] = &[Inferred, Constant, Inferred, Inferred, Inferred, Inferred];
const PARALLEL_COPY: &[Generic] = &[
    Constant, Index, Index, ELEMENT, Inferred, Inferred, Inferred, Inferred, Inferred,
];

pub(super) const METHODS: &[Method] = &[
    // The host.
    on_tensor(
        Tier::Host,
        OWNED,
        "to_hbm",
        &[CHIP, ELEMENT],
        Action::Transfer(Tier::Hbm),
    ),
    on_tensor(Tier::Host, OWNED, "to_buf", &[], Action::Accessor),
    on_tensor(Tier::Host, OWNED, "into_inner", &[], Action::Accessor),
    on_tensor(Tier::Host, OWNED, "clone", &[], Action::Same),
    // HBM.
    on_tensor(
        Tier::Hbm,
        OWNED,
        "to_host",
        &[ELEMENT],
        Action::Transfer(Tier::Host),
    ),
    on_tensor(Tier::Hbm, ANY, "address", &[], Action::Accessor),
    on_tensor(Tier::Hbm, OWNED, "view", &[], Action::View(Shared)),
    on_tensor(Tier::Hbm, OWNED, "view_mut", &[], Action::View(Exclusive)),
    on_tensor(
        Tier::Hbm,
        ANY,
        "to_dm",
        &[CLUSTER, SLICE, ELEMENT],
        Action::Transfer(Tier::Dm),
    ),
    on_tensor(
        Tier::Hbm,
        OWNED,
        "to_hbm",
        &[Constant, ELEMENT],
        Action::Transfer(Tier::Hbm),
    ),
    on_tensor(
        Tier::Hbm,
        OWNED,
        "dma_gather",
        &[CLUSTER, SLICE, ELEMENT, Inferred],
        Action::Gather,
    ),
    on_tensor(
        Tier::Hbm,
        VIEWS,
        "tile",
        &[Index, Constant, ELEMENT],
        Action::Tile(Level::Element),
    ),
    on_tensor(
        Tier::Hbm,
        ANY,
        "to_dm_view",
        &[Inferred, Inferred, Inferred],
        Action::TransferInto,
    ),
    on_tensor(
        Tier::Hbm,
        ANY,
        "to_hbm_view",
        &[Constant, Inferred],
        Action::TransferInto,
    ),
    on_tensor(Tier::Hbm, SHARED, "clone", &[], Action::Same),
    on_tensor(Tier::Hbm, EXCLUSIVE, "into", &[], Action::Same),
    // DM.
    on_tensor(Tier::Dm, ANY, "address", &[], Action::Accessor),
    on_tensor(Tier::Dm, OWNED, "view", &[], Action::View(Shared)),
    on_tensor(Tier::Dm, OWNED, "view_mut", &[], Action::View(Exclusive)),
    on_tensor(
        Tier::Dm,
        OWNED,
        "to_hbm",
        &[ELEMENT],
        Action::Transfer(Tier::Hbm),
    ),
    on_tensor(
        Tier::Dm,
        OWNED,
        "to_dm",
        &[SLICE, ELEMENT],
        Action::Transfer(Tier::Dm),
    ),
    on_tensor(
        Tier::Dm,
        ANY,
        "to_dm_pcopy",
        &[Inferred, Inferred],
        Action::TransferInto,
    ),
    on_tensor(
        Tier::Dm,
        OWNED,
        "dma_scatter",
        &[Index, Inferred, Inferred],
        Action::Scatter,
    ),
    on_tensor(
        Tier::Dm,
        OWNED,
        "reshape",
        &[CHIP, CLUSTER, SLICE, ELEMENT],
        Action::Reshape,
    ),
    on_tensor(
        Tier::Dm,
        VIEWS,
        "tile",
        &[Index, Constant, ELEMENT],
        Action::Tile(Level::Element),
    ),
    on_tensor(
        Tier::Dm,
        VIEWS,
        "slice_tile",
        &[Index, Constant, SLICE],
        Action::Tile(Level::Slice),
    ),
    on_tensor(
        Tier::Dm,
        VIEWS,
        "cluster_tile",
        &[Index, Constant, CLUSTER],
        Action::Tile(Level::Cluster),
    ),
    on_tensor(
        Tier::Dm,
        VIEWS,
        "chip_tile",
        &[Index, Constant, CHIP],
        Action::Tile(Level::Chip),
    ),
    on_tensor(
        Tier::Dm,
        VIEWS,
        "to_hbm_view",
        &[Inferred],
        Action::TransferInto,
    ),
    on_tensor(
        Tier::Dm,
        VIEWS,
        "to_dm_view",
        &[Inferred, Inferred],
        Action::TransferInto,
    ),
    on_tensor(
        Tier::Dm,
        VIEWS,
        "to_dm_view_pcopy",
        &[Inferred, Inferred],
        Action::TransferInto,
    ),
    on_tensor(Tier::Dm, SHARED, "clone", &[], Action::Same),
    on_tensor(Tier::Dm, EXCLUSIVE, "into", &[], Action::Same),
    // Register files.
    on_tensor(Tier::Trf, OWNED, "view", &[], Action::View(Shared)),
    on_tensor(Tier::Trf, OWNED, "view_mut", &[], Action::View(Exclusive)),
    on_tensor(Tier::Vrf, OWNED, "view", &[], Action::View(Shared)),
    on_tensor(Tier::Vrf, OWNED, "view_mut", &[], Action::View(Exclusive)),
    on_tensor(Tier::Vrf, OWNED, "clone", &[], Action::Same),
    // Collectives.
    on(
        Receiver::DmaEngine,
        "dm_cluster_shuffle",
        SHUFFLE,
        Action::Shuffle(Level::Cluster),
    ),
    on(
        Receiver::DmaEngine,
        "dm_chip_shuffle",
        SHUFFLE,
        Action::Shuffle(Level::Chip),
    ),
    on(
        Receiver::DmaEngine,
        "hbm_cluster_shuffle",
        &[Inferred, Inferred, Inferred],
        Action::Shuffle(Level::Cluster),
    ),
    on(
        Receiver::DmaEngine,
        "hbm_chip_shuffle",
        &[Inferred, Inferred, Inferred],
        Action::Shuffle(Level::Chip),
    ),
    on(
        Receiver::TensorUnit,
        "parallel_copy_cluster_slice",
        PARALLEL_COPY,
        Action::ParallelCopy(Level::Cluster),
    ),
    on(
        Receiver::TensorUnit,
        "parallel_copy_chip_slice",
        PARALLEL_COPY,
        Action::ParallelCopy(Level::Chip),
    ),
    // Streams: begin to registers.
    on(
        Receiver::TensorUnit,
        "begin",
        &[Inferred, Inferred, Inferred, Inferred, Inferred],
        Action::Begin,
    ),
    on(
        Receiver::TensorUnit,
        "begin_interleaved",
        &[Axis, Inferred, Inferred, Inferred, Inferred, Inferred],
        Action::BeginInterleaved,
    ),
    stage(
        "fetch",
        &[SCALAR, TIME, PACKET],
        StageAction::Fetch {
            table: false,
            zero_points: false,
        },
    ),
    stage(
        "fetch_with_table",
        &[SCALAR, TIME, PACKET],
        StageAction::Fetch {
            table: true,
            zero_points: false,
        },
    ),
    stage(
        "fetch_with_zero_point",
        &[SCALAR, TIME, PACKET],
        StageAction::Fetch {
            table: false,
            zero_points: true,
        },
    ),
    stage(
        "fetch_with_zero_points",
        &[SCALAR, TIME, PACKET],
        StageAction::Fetch {
            table: false,
            zero_points: true,
        },
    ),
    stage("switch", &[SLICE, TIME], StageAction::Switch),
    stage("collect", &[TIME, PACKET], StageAction::Collect),
    stage("align", &[TIME, PACKET, ROW, Inferred], StageAction::Align),
    stage(
        "contract",
        &[PACKET],
        StageAction::Contract { maximum: false },
    ),
    // In no release yet: the name that the book's maximum would have.
    stage(
        "contract_max",
        &[PACKET],
        StageAction::Contract { maximum: true },
    ),
    stage("accumulate", &[TIME, PACKET], StageAction::Accumulate),
    stage("cast", &[SCALAR, PACKET], StageAction::Cast),
    stage("transpose", &[TIME, PACKET], StageAction::Transpose),
    on(Receiver::Stream, "to_trf", &[ROW, ELEMENT], Action::ToTrf),
    on(Receiver::Stream, "to_vrf", &[ELEMENT], Action::ToVrf),
    on(Receiver::Stream, "commit", &[ELEMENT], Action::Commit),
    on(
        Receiver::Stream,
        "commit_view",
        &[Inferred],
        Action::CommitView,
    ),
    // The Vector Engine: entry, exit, structure.
    stage("vector_init", &[], StageAction::VectorInit),
    single("vector_intra_slice_branch", &[], StageAction::VectorBranch),
    single(
        "vector_intra_slice_unzip",
        &[Axis, Index, TIME],
        StageAction::VectorUnzip,
    ),
    single(
        "vector_inter_slice_reduce",
        &[SLICE, TIME],
        StageAction::VectorInterReduce,
    ),
    single("vector_stash", &[], StageAction::VectorStash),
    single("vector_filter", &[TIME], StageAction::VectorFilter),
    single("vector_split", &[TIME, PACKET], StageAction::VectorSplit),
    single("vector_trim_way4", &[PACKET], StageAction::VectorTrim),
    single("vector_concat", &[TIME, PACKET], StageAction::VectorConcat),
    single("vector_pad_way8", &[PACKET], StageAction::VectorPad),
    single(
        "vector_intra_slice_reduce",
        &[Axis, TIME, PACKET],
        StageAction::VectorIntraReduce,
    ),
    single("vector_final", &[], StageAction::VectorFinal),
    // The Vector Engine: operations of a single stream.
    single(
        "vector_logic",
        &[],
        alu(VectorStage::Logic, Arity::Binary, false, false),
    ),
    single(
        "vector_logic_with_mode",
        &[],
        alu(VectorStage::Logic, Arity::Binary, true, false),
    ),
    single(
        "vector_fxp",
        &[],
        alu(VectorStage::Fxp, Arity::Binary, false, false),
    ),
    single(
        "vector_fxp_with_mode",
        &[],
        alu(VectorStage::Fxp, Arity::Binary, true, false),
    ),
    single(
        "vector_fxp_to_fp",
        &[],
        StageAction::VectorConvert(VectorStage::FxpToFp),
    ),
    single(
        "vector_fp_unary",
        &[],
        alu(VectorStage::Fp, Arity::Unary, false, false),
    ),
    single(
        "vector_fp_unary_with_mode",
        &[],
        alu(VectorStage::Fp, Arity::Unary, true, false),
    ),
    single(
        "vector_fp_binary",
        &[],
        alu(VectorStage::Fp, Arity::Binary, false, false),
    ),
    single(
        "vector_fp_binary_with_mode",
        &[],
        alu(VectorStage::Fp, Arity::Binary, true, false),
    ),
    single(
        "vector_fp_ternary",
        &[],
        alu(VectorStage::Fp, Arity::Ternary, false, false),
    ),
    single(
        "vector_fp_ternary_with_mode",
        &[],
        alu(VectorStage::Fp, Arity::Ternary, true, false),
    ),
    single(
        "vector_fp_div",
        &[],
        alu(VectorStage::FpDiv, Arity::Binary, false, false),
    ),
    single(
        "vector_fp_div_with_mode",
        &[],
        alu(VectorStage::FpDiv, Arity::Binary, true, false),
    ),
    single(
        "vector_fp_to_fxp",
        &[],
        StageAction::VectorConvert(VectorStage::FpToFxp),
    ),
    single(
        "vector_clip",
        &[],
        alu(VectorStage::Clip, Arity::Binary, false, false),
    ),
    single(
        "vector_clip_with_mode",
        &[],
        alu(VectorStage::Clip, Arity::Binary, true, false),
    ),
    // The Vector Engine: operations of a pair.
    pair(
        "vector_logic",
        &[],
        alu(VectorStage::Logic, Arity::Binary, false, false),
    ),
    pair(
        "vector_logic_with_mode",
        &[],
        alu(VectorStage::Logic, Arity::Binary, true, false),
    ),
    pair(
        "vector_fxp",
        &[],
        alu(VectorStage::Fxp, Arity::Binary, false, false),
    ),
    pair(
        "vector_fxp_with_mode",
        &[],
        alu(VectorStage::Fxp, Arity::Binary, true, false),
    ),
    pair(
        "vector_fxp_to_fp",
        &[],
        StageAction::VectorConvert(VectorStage::FxpToFp),
    ),
    pair("vector_split", &[TIME, PACKET], StageAction::VectorSplit),
    pair("vector_trim_way4", &[PACKET], StageAction::VectorTrim),
    pair(
        "vector_fp_unary",
        &[],
        alu(VectorStage::Fp, Arity::Unary, false, false),
    ),
    pair(
        "vector_fp_unary_with_mode",
        &[],
        alu(VectorStage::Fp, Arity::Unary, true, false),
    ),
    pair(
        "vector_fp_binary",
        &[],
        alu(VectorStage::Fp, Arity::Binary, false, false),
    ),
    pair(
        "vector_fp_binary_with_mode",
        &[],
        alu(VectorStage::Fp, Arity::Binary, true, false),
    ),
    pair(
        "vector_fp_ternary",
        &[],
        alu(VectorStage::Fp, Arity::Ternary, false, false),
    ),
    pair(
        "vector_fp_ternary_with_mode",
        &[],
        alu(VectorStage::Fp, Arity::Ternary, true, false),
    ),
    pair(
        "vector_fp_div",
        &[],
        alu(VectorStage::FpDiv, Arity::Binary, false, false),
    ),
    pair(
        "vector_fp_div_with_mode",
        &[],
        alu(VectorStage::FpDiv, Arity::Binary, true, false),
    ),
    pair("vector_concat", &[TIME, PACKET], StageAction::VectorConcat),
    pair("vector_pad_way8", &[PACKET], StageAction::VectorPad),
    pair(
        "vector_fp_to_fxp",
        &[],
        StageAction::VectorConvert(VectorStage::FpToFxp),
    ),
    pair(
        "vector_clip",
        &[],
        alu(VectorStage::Clip, Arity::Binary, false, false),
    ),
    pair(
        "vector_clip_with_mode",
        &[],
        alu(VectorStage::Clip, Arity::Binary, true, false),
    ),
    pair(
        "vector_logic_zip",
        &[],
        alu(VectorStage::Logic, Arity::Unary, false, true),
    ),
    pair(
        "vector_logic_zip_with_mode",
        &[],
        alu(VectorStage::Logic, Arity::Unary, true, true),
    ),
    pair(
        "vector_fxp_zip",
        &[],
        alu(VectorStage::Fxp, Arity::Unary, false, true),
    ),
    pair(
        "vector_fxp_zip_with_mode",
        &[],
        alu(VectorStage::Fxp, Arity::Unary, true, true),
    ),
    pair(
        "vector_fp_zip",
        &[],
        alu(VectorStage::Fp, Arity::Unary, false, true),
    ),
    pair(
        "vector_fp_zip_with_mode",
        &[],
        alu(VectorStage::Fp, Arity::Unary, true, true),
    ),
    pair(
        "vector_clip_zip",
        &[],
        alu(VectorStage::Clip, Arity::Unary, false, true),
    ),
    pair(
        "vector_clip_zip_with_mode",
        &[],
        alu(VectorStage::Clip, Arity::Unary, true, true),
    ),
];
