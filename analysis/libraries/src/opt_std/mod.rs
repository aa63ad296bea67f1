//! The current library, `furiosa_opt_std`, as names: early releases still have what the book's library names, later ones add
//! to it. Names that went stay in scope: a file for an older release names them.

mod errors;
mod operations;
mod renamed;
mod shapes;

use super::{DeviceKey, Names, Release, visa_std};

pub(super) use renamed::RENAMES;
pub(super) use shapes::SHAPES;

/// `furiosa_opt_std` as names.
pub(super) const NAMES: Names = Names {
    crate_name: "furiosa_opt_std",
    setting: "opt-std",
    crates: &[
        "furiosa_mapping",
        "furiosa_mapping_macro",
        "furiosa_mapping_types",
        "furiosa_opt_macro",
        "furiosa_opt_std",
    ],
    prelude: &[visa_std::PRELUDE, OWN],
    enums: ENUMS,
    operations: &operations::OPERATIONS,
    releases: &RELEASES,
    device_keys: &[
        DeviceKey {
            name: "chip",
            default: Some(1),
            since: Release::new(0, 2),
        },
        DeviceKey {
            name: "pe",
            default: Some(8),
            since: Release::new(0, 3),
        },
    ],
    errors: errors::ERRORS,
};

/// All releases: `0.2` to `0.10`.
const RELEASES: [Release; 9] = {
    let mut releases = [Release::new(0, 2); 9];
    let mut at = 1;
    while at < releases.len() {
        releases[at].minor = releases[at - 1].minor + 1;
        at += 1;
    }
    releases
};

/// Enums with their variants, of all releases.
const ENUMS: &[(&str, &[&str])] = &[
    ("Activation", &["None", "Relu"]),
    ("BinaryArgMode", &["Mode00", "Mode01", "Mode10", "Mode11"]),
    ("BitReq", &["Ignore", "One", "Zero"]),
    (
        "Cmp",
        &[
            "Equal",
            "False",
            "Greater",
            "GreaterUnsigned",
            "Less",
            "LessUnsigned",
            "True",
        ],
    ),
    ("Dma", &["Pcie", "Tensor"]),
    ("FpMulAlu", &["Fma", "Mul0", "Mul1"]),
    ("GroupId", &["One", "Zero"]),
    ("InputCmp", &["F32", "I32"]),
    ("LaneMode", &["Interleaved", "Sequential"]),
    ("PaddingKind", &["Bottom", "Top", "Zero"]),
    (
        "SwitchConfig",
        &[
            "Broadcast01",
            "Broadcast1",
            "CustomBroadcast",
            "Forwarding",
            "InterTranspose",
            "Transpose",
            "TransposedBroadcast1",
        ],
    ),
    (
        "TagMode",
        &["AxisToggle", "Comparison", "ValidCount", "Vrf", "Zero"],
    ),
    (
        "TernaryArgMode",
        &[
            "Mode002", "Mode012", "Mode020", "Mode021", "Mode102", "Mode112", "Mode120",
        ],
    ),
    ("TrfAddress", &["FirstHalf", "Full", "SecondHalf"]),
    ("Tu", &["Main", "Sub"]),
];

/// What its prelude has and the book's library has not.
const OWN: &[&str] = &[
    "Access",
    "Activation",
    "Backend",
    "BinaryOperandTag",
    "Bind",
    "BitReq",
    "BranchOperands",
    "Branched",
    "Broadcast",
    "CastEngineCast",
    "Cell",
    "Chips",
    "Cmp",
    "CommitCast",
    "CommitCastTensor",
    "CommitTrimTensor",
    "CommitValidCountPackTensor",
    "ContractOuterTensor",
    "ContractPacketTensor",
    "ContractTensor",
    "ContractTimeTensor",
    "ContractionAccumulator",
    "ContractionWeight",
    "Count",
    "Cpu",
    "CurrentBackend",
    "Device",
    "DeviceError",
    "DeviceFn",
    "DeviceSend",
    "Error",
    "FetchCastTensor",
    "FetchChipLiftTensor",
    "FetchClusterLiftTensor",
    "FetchMaskTensor",
    "FetchSliceLiftTensor",
    "FetchTableLookupTensor",
    "FetchZeroPointSub",
    "FetchZeroPointSubTensor",
    "HbmBuffer",
    "HbmBufferSlice",
    "HbmBufferSliceMut",
    "HbmScalar",
    "HostBuffer",
    "HostBufferSlice",
    "HostBufferSliceMut",
    "HostTensor",
    "IndexUnit",
    "IndexValueError",
    "Kernel",
    "Lane",
    "LaneMode",
    "Loadable",
    "MaterializableScalar",
    "Npu",
    "OperandTagValue",
    "PaddingKind",
    "Placement",
    "RuntimeScalar",
    "SLICES_PER_PE",
    "SpmTensor",
    "TableLookup",
    "TableLookupCast",
    "TagFilter",
    "TagGuard",
    "TagMode",
    "TernaryOperandTag",
    "ToPlacements",
    "Topology",
    "TrfTensorView",
    "TrfTensorViewMut",
    "VrfTensorView",
    "VrfTensorViewMut",
    "f4e2m1",
    "f8e5m2",
    "i5",
    "i9",
    "unroll",
];
