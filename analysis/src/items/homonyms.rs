//! Axes of one name: which modules declare them, so that what would look the same can be told apart.

use rustc_hash::FxHashSet;

use super::declarations::{Declared, module_scope};
use super::ids::ModuleId;
use super::modules::crate_root;
use crate::db::Db;

/// Modules of a crate that are searched.
const MODULES: usize = 4_096;

/// The axes of a name that the modules of a crate declare: the path from the crate's root, and the size. The shortest path
/// first.
#[must_use]
pub fn axes_named(db: &dyn Db, module: ModuleId, name: &str) -> Vec<(String, u64)> {
    let root = crate_root(db, module);
    let mut found: Vec<(usize, String, u64)> = Vec::new();
    let mut seen = FxHashSet::default();
    let mut left = vec![(root, Vec::<String>::new())];
    while let Some((module, path)) = left.pop() {
        if seen.len() >= MODULES || !seen.insert(module) {
            continue;
        }
        let scope = module_scope(db, module);
        for declared in scope.of(name) {
            if let Declared::Axis(axis) = declared
                && let Some(size) = axis.size
            {
                let module = if path.is_empty() {
                    "crate".to_owned()
                } else {
                    path.join("::")
                };
                found.push((path.len(), format!("{module}::{name}"), size));
            }
        }
        for (inner, declared) in scope.names() {
            for declared in declared {
                if let Declared::Module(inside) = declared {
                    let path = path.iter().cloned().chain([inner.to_string()]).collect();
                    left.push((*inside, path));
                }
            }
        }
    }
    found.sort();
    found
        .into_iter()
        .map(|(_, path, size)| (path, size))
        .collect()
}
