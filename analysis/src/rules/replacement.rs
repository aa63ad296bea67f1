//! What a fix of a kernel in Rust writes: mappings and regions, as the library spells them.

use super::{Replacement, Value, wording};
use crate::kernel::TrfAddress;
use crate::kernel::dialect::Dialect;
use crate::mapping::Mapping;

impl Replacement {
    /// A region of the TRF, as the library calls it.
    pub fn region(library: Dialect, region: TrfAddress) -> Self {
        Self {
            text: library.write_region(region),
            value: Some(Value::Region(region)),
        }
    }
}

impl From<&Mapping> for Replacement {
    fn from(mapping: &Mapping) -> Self {
        Self {
            text: wording::mapping_macro_text(mapping),
            value: Some(Value::Mapping(mapping.clone())),
        }
    }
}
