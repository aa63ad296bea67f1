//! Axes of one name: which modules declare them, so that what would look the same can be told apart.
//!
//! An axis is its name and its size, so that `T` of 64 and `T` of 32 are two, and everything that is said of them would
//! say `T` of both. Where both are used, or where the name alone means the other one, each that a module declares is called
//! by its path. What a block declares keeps its name.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::declarations::{Declared, module_scope};
use super::ids::ModuleId;
use super::modules::crate_root;
use super::resolve::{Namespace, Resolution, resolve_path};
use super::scopes::ScopeRef;
use crate::db::Db;
use crate::mapping::{Axis, Mapping, MappingKind};

/// The deepest expression in which axes are renamed; deeper ones have no form either.
const DEPTH: u32 = 1_024;

/// What axes are called where their names would not tell them apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AxisPaths {
    paths: FxHashMap<Axis, Axis>,
}

impl AxisPaths {
    /// The paths of those of some axes that share a name with another one, or with what the name means in a scope.
    pub fn of(db: &dyn Db, scope: &ScopeRef, axes: &FxHashSet<Axis>) -> Self {
        let means_another =
            |axis: &Axis| match resolve_path(db, scope, &[axis.name()], Namespace::Type) {
                Resolution::Axis(found) => {
                    *found.name == *axis.name()
                        && found.size.is_some_and(|size| size != axis.size())
                }
                _ => false,
            };
        let shared = axes
            .iter()
            .filter(|axis| axes.iter().any(|other| is_homonym(axis, other)) || means_another(axis));
        let mut paths = FxHashMap::default();
        for axis in shared {
            let declared = axes_named(db, scope.module, axis.name());
            if let Some((path, size)) = declared.into_iter().find(|(_, size)| *size == axis.size())
            {
                paths.insert(axis.clone(), Axis::new(&path, size));
            }
        }
        Self { paths }
    }

    /// Whether all axes are called by their names.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// The axis under its path; none where its name will do.
    pub fn axis(&self, axis: &Axis) -> Option<&Axis> {
        self.paths.get(axis)
    }

    /// The expression with its axes called by their paths; none where nothing changes.
    pub fn mapping(&self, mapping: &Mapping) -> Option<Mapping> {
        if self.is_empty() {
            return None;
        }
        self.renamed_mapping(mapping, 0)
    }

    fn renamed_mapping(&self, mapping: &Mapping, depth: u32) -> Option<Mapping> {
        if depth > DEPTH {
            return None;
        }
        let inside = |inner: &Mapping| self.renamed_mapping(inner, depth + 1);
        match mapping.kind() {
            MappingKind::Identity | MappingKind::Broadcast(_) => None,
            MappingKind::Axis(axis) => Some(Mapping::axis(self.axis(axis)?.clone())),
            MappingKind::Stride(inner, n) => inside(inner)?.stride(n).ok(),
            MappingKind::Modulo(inner, n) => inside(inner)?.modulo(n).ok(),
            MappingKind::Resize(inner, n) => inside(inner)?.resize(n).ok(),
            MappingKind::Pad(inner, n, kind) => inside(inner)?.pad_to(n, kind).ok(),
            MappingKind::Product(parts) => {
                let changed: Vec<Option<Mapping>> = parts.iter().map(inside).collect();
                if changed.iter().all(Option::is_none) {
                    return None;
                }
                let parts: Vec<Mapping> = parts
                    .iter()
                    .zip(changed)
                    .map(|(part, changed)| changed.unwrap_or_else(|| part.clone()))
                    .collect();
                Mapping::product(&parts).ok()
            }
        }
    }
}

fn is_homonym(one: &Axis, other: &Axis) -> bool {
    one.name() == other.name() && one.size() != other.size()
}

/// Modules of a crate that are searched.
const MODULES: usize = 4_096;

/// The axes of a name that the modules of a crate declare: the path from the crate's root, and the size. The shortest path
/// first.
pub fn axes_named(db: &dyn Db, module: ModuleId, name: &str) -> Vec<(String, u64)> {
    let axes = crate_axes(db, crate_root(db, module));
    axes.get(name).cloned().unwrap_or_default()
}

/// Paths and sizes of axes, by their names.
type AxesByName = FxHashMap<Arc<str>, Vec<(String, u64)>>;

/// The axes that the modules of a crate declare, by their names, each as [`axes_named`] has it.
#[salsa::tracked(returns(clone))]
fn crate_axes(db: &dyn Db, root: ModuleId) -> Arc<AxesByName> {
    let mut found: Vec<(usize, String, Arc<str>, u64)> = Vec::new();
    let mut seen = FxHashSet::default();
    let mut left = vec![(root, Vec::<String>::new())];
    while let Some((module, path)) = left.pop() {
        if seen.len() >= MODULES || !seen.insert(module) {
            continue;
        }
        let scope = module_scope(db, module);
        for (name, declared) in scope.names() {
            for declared in declared {
                match declared {
                    Declared::Axis(axis) => {
                        if let Some(size) = axis.size {
                            let module = if path.is_empty() {
                                "crate".to_owned()
                            } else {
                                path.join("::")
                            };
                            let full = format!("{module}::{name}");
                            found.push((path.len(), full, Arc::clone(name), size));
                        }
                    }
                    Declared::Module(inside) => {
                        let path = path.iter().cloned().chain([name.to_string()]).collect();
                        left.push((*inside, path));
                    }
                    _ => {}
                }
            }
        }
    }
    found.sort();
    let mut axes = AxesByName::default();
    for (_, path, name, size) in found {
        axes.entry(name).or_default().push((path, size));
    }
    Arc::new(axes)
}
