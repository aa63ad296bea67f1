//! What a fix of a kernel in Rust writes: mappings and regions, as the library spells them.

use super::{IntoReplacement, Replacement, Value, wording};
use crate::kernel::TrfAddress;
use crate::kernel::dialect::Dialect;
use crate::mapping::Mapping;

/// A region of the TRF, as the library calls it.
pub fn region_replacement(library: Dialect, region: TrfAddress) -> Replacement {
    Replacement {
        text: library.write_region(region),
        value: Some(Value::Region(region)),
    }
}

impl IntoReplacement<Value> for &Mapping {
    fn into_replacement(self) -> Replacement {
        Replacement {
            text: wording::mapping_macro_text(self),
            value: Some(Value::Mapping(self.clone())),
        }
    }
}
