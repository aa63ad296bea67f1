//! Constant expressions: what `rustc` would compute, as far as sizes and addresses need it.

use ra_ap_syntax::ast;

use super::ids::ItemId;
use crate::db::Db;

/// The value of a constant expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ConstValue {
    /// An integer of any type.
    Int(i128),
    /// A boolean.
    Bool(bool),
    /// An array or a slice.
    Array(Vec<ConstValue>),
    /// A tuple; `()` is the empty one.
    Tuple(Vec<ConstValue>),
    /// A range of integers, the end exclusive.
    Range {
        /// The first value.
        start: i128,
        /// The value after the last.
        end: i128,
    },
    /// Not known, and why.
    Unknown(&'static str),
}

impl ConstValue {
    /// The value as an unsigned integer of 64 bits.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Int(value) => u64::try_from(*value).ok(),
            _ => None,
        }
    }
}

/// What an expression may refer to besides literals.
pub trait ConstEnvironment {
    /// The value of a local variable; none if there is no variable of that name, and the path is looked up.
    fn local(&self, name: &str) -> Option<ConstValue>;
    /// The value of a path: a constant, `Alias::SIZE`, `usize::MAX`.
    fn path(&self, path: &ast::Path) -> ConstValue;
}

/// Evaluates an expression.
pub fn evaluate(_expression: &ast::Expr, _environment: &dyn ConstEnvironment) -> ConstValue {
    ConstValue::Unknown("not evaluated yet")
}

/// The value of a `const` or `static` item.
#[salsa::tracked]
pub fn const_value(_db: &dyn Db, _item: ItemId) -> ConstValue {
    ConstValue::Unknown("not evaluated yet")
}
