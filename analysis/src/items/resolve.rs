//! Names to what they mean, across blocks, modules, files and packages.

use std::sync::Arc;

use super::ids::{ItemId, ModuleId, Span};
use super::scopes::ScopeRef;
use crate::db::Db;

/// Rust's namespaces, as far as names of kernels go. Axes are unit structs and live in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Namespace {
    /// Types, modules, axes, aliases.
    Type,
    /// Functions, constants, statics, axes.
    Value,
}

/// The declaration of an axis. Its identity is name and size, wherever it is declared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AxisDefinition {
    /// The declared name, also where it was imported under another one.
    pub name: Arc<str>,
    /// The declared size; none where it is missing, zero or does not fit.
    pub size: Option<u64>,
    /// The name in its `axes!`.
    pub span: Span,
}

/// What a path means.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Resolution {
    /// An axis.
    Axis(AxisDefinition),
    /// A type alias.
    Alias(ItemId),
    /// A `const` or `static`.
    Const(ItemId),
    /// A function.
    Function(ItemId),
    /// A module.
    Module(ModuleId),
    /// A struct, enum, union or trait that the project itself declares.
    Type(ItemId),
    /// A generic parameter of the item around.
    Parameter(Arc<str>),
    /// An item of the kernel library, by its path after the crate (and `prelude`), `::` between segments.
    Prelude(Arc<str>),
    /// Imported from somewhere that the project does not hold.
    External,
    /// Not declared anywhere in sight.
    Unknown {
        /// Whether a glob import that could not be followed may declare it.
        has_unresolved_glob: bool,
    },
}

/// Resolves a path as written (segments without generics) from a scope.
pub fn resolve(
    _db: &dyn Db,
    _scope: &ScopeRef,
    _path: &[&str],
    _namespace: Namespace,
) -> Resolution {
    Resolution::Unknown {
        has_unresolved_glob: true,
    }
}
