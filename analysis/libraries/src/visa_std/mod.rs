//! The book's library, `furiosa_visa_std`, as names.

mod errors;
mod names;
mod operations;

use super::{DeviceKey, Names, Release};

use names::ENUMS as NAMED_ENUMS;
pub(super) use names::{PRELUDE, TRAIT_OF_AXES, TRAIT_OF_MAPPINGS};
pub(super) use operations::ENUMS;

/// `furiosa_visa_std` as names.
pub(super) const NAMES: Names = Names {
    crate_name: "furiosa_visa_std",
    setting: "visa-std",
    crates: &[
        "furiosa_mapping",
        "furiosa_mapping_macro",
        "furiosa_mapping_types",
        "furiosa_visa_std",
    ],
    prelude: &[PRELUDE],
    enums: NAMED_ENUMS,
    operations: &operations::OPERATIONS,
    releases: &[Release::new(0, 1)],
    device_keys: &[DeviceKey {
        name: "chip",
        default: None,
        since: Release::new(0, 1),
    }],
    errors: errors::ERRORS,
};
