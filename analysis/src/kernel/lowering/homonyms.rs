//! Axes of one name in one body: told apart by the modules that declare them.
//!
//! An axis is its name and its size, so that `T` of 64 and `T` of 32 are two, and everything that is said of them would
//! say `T` of both. In a body that uses both, each that a module declares is called by its path. What a block declares keeps
//! its name.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::db::Db;
use crate::items::{ItemId, axes_named};
use crate::kernel::{PassSource, StageKind};
use crate::mapping::{Axis, Mapping, MappingKind};

use super::draft::{Draft, KindDraft};

/// The deepest expression in which axes are renamed; deeper ones have no form either.
const DEPTH: u32 = 1_024;

/// What axes are called in one body, where they are not called by their names.
type Names = FxHashMap<Axis, Axis>;

/// Gives the axes of a body that share a name with another one their paths.
pub(super) fn tell_apart(db: &dyn Db, function: ItemId, draft: &mut Draft) {
    let names = names(db, function, draft);
    if names.is_empty() {
        return;
    }
    draft.mappings.change(|mapping| {
        if let Some(renamed) = renamed(mapping, &names, 0) {
            *mapping = renamed;
        }
    });
    let called = |axis: &mut Option<Axis>| {
        if let Some(name) = axis.as_ref().and_then(|axis| names.get(axis)) {
            *axis = Some(name.clone());
        }
    };
    for operation in &mut draft.operations {
        let KindDraft::Pass(pass) = &mut operation.kind else {
            continue;
        };
        if let PassSource::Interleaved { axis, .. } = &mut pass.source {
            called(&mut axis.value);
        }
        for stage in &mut pass.stages {
            if let StageKind::VectorUnzip { axis, .. } | StageKind::VectorIntraReduce { axis, .. } =
                &mut stage.kind
            {
                called(&mut axis.value);
            }
        }
    }
}

fn names(db: &dyn Db, function: ItemId, draft: &Draft) -> Names {
    let mut axes: FxHashSet<Axis> = FxHashSet::default();
    for mapping in draft.mappings.values() {
        axes.extend(mapping.axes());
    }
    let shared: Vec<&Axis> = axes
        .iter()
        .filter(|axis| axes.iter().any(|other| is_homonym(axis, other)))
        .collect();
    let module = function.module(db);
    let mut names = Names::default();
    for axis in shared {
        let declared = axes_named(db, module, axis.name());
        if let Some((path, size)) = declared.into_iter().find(|(_, size)| *size == axis.size()) {
            names.insert(axis.clone(), Axis::new(&path, size));
        }
    }
    names
}

fn is_homonym(one: &Axis, other: &Axis) -> bool {
    one.name() == other.name() && one.size() != other.size()
}

/// The expression with its axes called otherwise; `None` where nothing changes.
fn renamed(mapping: &Mapping, names: &Names, depth: u32) -> Option<Mapping> {
    if depth > DEPTH {
        return None;
    }
    let inside = |inner: &Mapping| renamed(inner, names, depth + 1);
    match mapping.kind() {
        MappingKind::Identity | MappingKind::Broadcast(_) => None,
        MappingKind::Axis(axis) => Some(Mapping::axis(names.get(axis)?.clone())),
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
