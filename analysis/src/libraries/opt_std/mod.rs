//! The book library's successor, `furiosa_opt_std`, as names: early releases still have what the book's library names, later
//! ones add to it.

mod errors;
mod shapes;

use super::{DeviceKey, Names, OperationNames, Release, visa_std};

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
    enums: &[],
    operations: &OperationNames::NONE,
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
