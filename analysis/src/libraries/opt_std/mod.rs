//! The book library's successor, `furiosa_opt_std`, as names: early releases still have what the book's library names, later
//! ones add to it.

mod errors;

use super::{Names, OperationNames, visa_std};

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
    enums: &[],
    operations: &OperationNames::NONE,
    newest: super::Release::new(0, 10),
    errors: errors::ERRORS,
};

/// What its prelude has and the book's library has not.
const OWN: &[&str] = &[
    "Access",
    "Backend",
    "Bind",
    "CastEngineCast",
    "Cell",
    "Chips",
    "CommitCast",
    "ContractionAccumulator",
    "ContractionWeight",
    "Count",
    "Cpu",
    "CurrentBackend",
    "Device",
    "DeviceError",
    "DeviceFn",
    "DeviceSend",
    "FetchZeroPointSub",
    "HbmBuffer",
    "HbmBufferSlice",
    "HbmBufferSliceMut",
    "HostBuffer",
    "HostBufferSlice",
    "HostBufferSliceMut",
    "IndexUnit",
    "IndexValueError",
    "Kernel",
    "Lane",
    "LaneMode",
    "Loadable",
    "Npu",
    "PaddingKind",
    "Placement",
    "SLICES_PER_PE",
    "TableLookupCast",
    "TagFilter",
    "TagMode",
    "ToPlacements",
    "Topology",
    "unroll",
];
