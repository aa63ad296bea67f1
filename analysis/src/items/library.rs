//! The kernel libraries as names: their crates, and what their preludes bring into scope.

use std::sync::Arc;

use super::file::{file_items, item_text};
use super::ids::{ItemKind, ModuleId, ModulePath};
use super::modules::crate_root;
use crate::db::{Db, DialectChoice, SourceFile, options};

/// The library that a kernel is written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// The book's library, `furiosa_visa_std`.
    #[default]
    VisaStd,
    /// Its successor, `furiosa_opt_std`.
    OptStd,
}

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
    "InterSliceReduceOp",
    "IntraSliceReduceOp",
    "Kernel",
    "Lane",
    "LaneMode",
    "Loadable",
    "LogicBinaryOp",
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

/// Whether a name is a crate of the language: none of those declares an axis.
pub(super) fn is_language_crate(name: &str) -> bool {
    matches!(name, "alloc" | "core" | "std")
}

/// Whether a name is in every scope without an import.
pub(super) fn is_language_name(name: &str) -> bool {
    LANGUAGE.contains(&name)
}

/// The dialect of a file: the user's choice, else that of the library it imports, else that of its crate root's imports, else
/// the book's.
#[salsa::tracked(returns(copy))]
pub fn dialect(db: &dyn Db, file: SourceFile) -> Dialect {
    match options(db, file).dialect {
        DialectChoice::VisaStd => return Dialect::VisaStd,
        DialectChoice::OptStd => return Dialect::OptStd,
        DialectChoice::Auto => {}
    }
    let module = ModuleId::new(db, file, ModulePath::from([]));
    imported_dialect(db, file)
        .or_else(|| imported_dialect(db, crate_root(db, module).file(db)))
        .unwrap_or_default()
}

/// The dialect that a file's imports name.
#[salsa::tracked(returns(copy))]
fn imported_dialect(db: &dyn Db, file: SourceFile) -> Option<Dialect> {
    let items = file_items(db, file);
    let mut imports = items
        .items
        .iter()
        .filter(|item| item.kind(db) == ItemKind::Use);
    imports.find_map(|item| {
        let text: Arc<str> = Arc::clone(&item_text(db, *item).text);
        if text.contains("furiosa_visa_std") {
            Some(Dialect::VisaStd)
        } else if text.contains("furiosa_opt_std") {
            Some(Dialect::OptStd)
        } else {
            None
        }
    })
}
