//! The kernel libraries as names: their crates, what their preludes bring into scope, and the variants of their enums.

use crate::hardware::operations_of;

/// The crates of the two libraries.
const CRATES: &[&str] = &[
    "furiosa_mapping",
    "furiosa_mapping_macro",
    "furiosa_mapping_types",
    "furiosa_opt_macro",
    "furiosa_opt_std",
    "furiosa_visa_std",
];

/// What the preludes bring into scope and kernels name: types, traits, enums, modules, functions, macros.
const PRELUDE: &[&str] = &[
    "Access",
    "AccumulationKind",
    "AccumulationTensor",
    "Address",
    "AlignedPair",
    "ArrayVec",
    "AxisName",
    "AxisToggle",
    "Backend",
    "BeginTensor",
    "BinaryArgMode",
    "Bind",
    "BranchMode",
    "Broadcast",
    "Cast",
    "CastEngineCast",
    "CastTensor",
    "Cell",
    "Chips",
    "ClipBinaryOpF32",
    "ClipBinaryOpI32",
    "CollectTensor",
    "CommitCast",
    "Context",
    "ContractionAccumulator",
    "ContractionCast",
    "ContractionTensor",
    "ContractionWeight",
    "Count",
    "Cpu",
    "CurrentBackend",
    "Device",
    "DeviceError",
    "DeviceFn",
    "DeviceSend",
    "DmTensor",
    "DmTensorView",
    "DmTensorViewMut",
    "Dma",
    "DmaContext",
    "FMapping",
    "FetchCast",
    "FetchTensor",
    "FetchZeroPointSub",
    "FpBinaryOp",
    "FpDivBinaryOp",
    "FpDivOp",
    "FpMulAlu",
    "FpTernaryOp",
    "FpToFxp",
    "FpUnaryOp",
    "FxpBinaryOp",
    "FxpToFp",
    "Group",
    "GroupId",
    "HbmBuffer",
    "HbmBufferSlice",
    "HbmBufferSliceMut",
    "HbmTensor",
    "HbmTensorView",
    "HbmTensorViewMut",
    "HostBuffer",
    "HostBufferSlice",
    "HostBufferSliceMut",
    "HostTensor",
    "Ident",
    "Identity",
    "Index",
    "IndexUnit",
    "IndexValueError",
    "InputCmp",
    "InputCmpF32",
    "InputCmpI32",
    "InterSliceReduceOp",
    "InterSliceReduceOpF32",
    "InterSliceReduceOpI32",
    "IntraSliceReduceOp",
    "IntraSliceReduceOpF32",
    "IntraSliceReduceOpI32",
    "Kernel",
    "Lane",
    "LaneMode",
    "Loadable",
    "LogicBinaryOp",
    "LogicBinaryOpF32",
    "LogicBinaryOpI32",
    "M",
    "Mapping",
    "Modulo",
    "NoTensor",
    "Npu",
    "Opt",
    "Padding",
    "PaddingKind",
    "Pair",
    "Placement",
    "RawTensor",
    "Resize",
    "RngdAlu",
    "SLICES_PER_PE",
    "Scalar",
    "Stage",
    "Stash",
    "StreamCast",
    "StreamTensor",
    "Stride",
    "SwitchConfig",
    "SwitchTensor",
    "Symbol",
    "TableLookupCast",
    "TagFilter",
    "TagMode",
    "Tensor",
    "Term",
    "TernaryArgMode",
    "TernaryOperand",
    "ToPlacements",
    "Topology",
    "TransposeTensor",
    "TrfAddress",
    "TrfTensor",
    "Tu",
    "TuContext",
    "TuTensor",
    "UnaryArgMode",
    "ValidBranchIds",
    "VeBranchOperand",
    "VeRhs",
    "VeScalar",
    "VectorBranchTensor",
    "VectorClipTensor",
    "VectorFilterTensor",
    "VectorFinalTensor",
    "VectorFpDivTensor",
    "VectorFpTensor",
    "VectorFpToFxpTensor",
    "VectorFxpTensor",
    "VectorFxpToFpTensor",
    "VectorInitTensor",
    "VectorInterSliceReduceTensor",
    "VectorIntraSliceReduceTensor",
    "VectorLogicTensor",
    "VectorNarrowTensor",
    "VectorTensor",
    "VectorTensorPair",
    "VectorWidenTensor",
    "VrfTensor",
    "bf16",
    "device",
    "f8",
    "f8e4m3",
    "i4",
    "launch",
    "stage",
    "unroll",
];

/// Enums of the libraries with their variants, beside those whose variants are operations of the Vector Engine.
const ENUMS: &[(&str, &[&str])] = &[
    ("AccumulationKind", &["Interleaved", "Sequential"]),
    ("BinaryArgMode", &["Mode00", "Mode01", "Mode10", "Mode11"]),
    (
        "BranchMode",
        &[
            "AxisToggle",
            "Comparison",
            "Unconditional",
            "ValidCount",
            "Vrf",
        ],
    ),
    ("Dma", &["Pcie", "Tensor"]),
    ("FpMulAlu", &["Fma", "Mul0", "Mul1"]),
    ("GroupId", &["One", "Zero"]),
    ("InputCmp", &["F32", "I32"]),
    (
        "SwitchConfig",
        &[
            "Broadcast01",
            "Broadcast1",
            "CustomBroadcast",
            "InterTranspose",
            "Transpose",
            "TransposedBroadcast1",
        ],
    ),
    (
        "TernaryArgMode",
        &[
            "Mode002", "Mode012", "Mode020", "Mode021", "Mode102", "Mode112", "Mode120",
        ],
    ),
    ("TrfAddress", &["FirstHalf", "Full", "SecondHalf"]),
    ("Tu", &["Main", "Sub"]),
    ("UnaryArgMode", &["Mode0", "Mode1"]),
    ("ValidBranchIds", &["ValidAlways", "ValidGroup"]),
];

/// Names that every Rust scope has.
const LANGUAGE: &[&str] = &[
    "Box", "Copy", "Clone", "Default", "Fn", "FnMut", "FnOnce", "Into", "From", "Iterator", "None",
    "Ok", "Err", "Option", "Result", "Send", "Sized", "Some", "String", "Sync", "Vec", "alloc",
    "bool", "char", "core", "f16", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "std",
    "str", "test", "u128", "u16", "u32", "u64", "u8", "usize",
];

/// Whether a name is a crate of one of the libraries.
pub(super) fn is_crate(name: &str) -> bool {
    CRATES.contains(&name)
}

/// Whether one of the preludes declares a name.
pub(super) fn is_prelude_name(name: &str) -> bool {
    PRELUDE.contains(&name)
}

/// Whether an enum of the libraries, by its path, has a variant of that name.
pub(super) fn is_variant(path: &str, name: &str) -> bool {
    let enumeration = path.rsplit("::").next().unwrap_or(path);
    let listed = ENUMS.iter().find(|(own, _)| *own == enumeration);
    listed.is_some_and(|(_, variants)| variants.contains(&name))
        || operations_of(enumeration).any(|operation| operation.variant == name)
}

/// Whether a name is a crate of the language: none of those declares an axis.
pub(super) fn is_language_crate(name: &str) -> bool {
    matches!(name, "alloc" | "core" | "std")
}

/// Whether a name is in every scope without an import.
pub(super) fn is_language_name(name: &str) -> bool {
    LANGUAGE.contains(&name)
}
