//! What generic parameters stand for, where a call or an alias with arguments says it.
//!
//! Knows names and values; which parameters an item has, and how they are inferred, is not known here.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::constants::ConstValue;
use crate::mapping::Mapping;

/// What generic parameters stand for.
pub trait Bindings {
    /// The mapping or axis of a type parameter; none where it is not known, or no mapping.
    fn mapping(&self, name: &str) -> Option<Mapping>;

    /// The value of a constant parameter; none where there is no parameter of that name.
    fn constant(&self, name: &str) -> Option<ConstValue>;
}

/// Nothing is known of any parameter.
impl Bindings for () {
    fn mapping(&self, _name: &str) -> Option<Mapping> {
        None
    }

    fn constant(&self, _name: &str) -> Option<ConstValue> {
        None
    }
}

/// Parameters by name.
#[derive(Clone, Debug, Default)]
pub struct Bound {
    mappings: BTreeMap<Arc<str>, Mapping>,
    constants: BTreeMap<Arc<str>, ConstValue>,
}

impl Bound {
    /// Adds what a type parameter stands for.
    pub fn add_mapping(&mut self, name: Arc<str>, mapping: Mapping) {
        self.mappings.insert(name, mapping);
    }

    /// Adds the value of a constant parameter, if it is known.
    pub fn add_constant(&mut self, name: Arc<str>, value: Option<ConstValue>) {
        let value = value.unwrap_or(ConstValue::Unknown("a constant parameter without a value"));
        self.constants.insert(name, value);
    }
}

impl Bindings for Bound {
    fn mapping(&self, name: &str) -> Option<Mapping> {
        self.mappings.get(name).cloned()
    }

    fn constant(&self, name: &str) -> Option<ConstValue> {
        self.constants.get(name).cloned()
    }
}
