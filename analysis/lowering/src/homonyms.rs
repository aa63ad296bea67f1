//! Axes of one name in one body: told apart by the modules that declare them.
//!
//! In a body that uses both, or that uses one where the name means the other, each is called by its path.

#![allow(
    clippy::mutable_key_type,
    reason = "a mapping is compared by what is written, which nothing changes"
)]

use rustc_hash::FxHashSet;

use crate::db::Db;
use crate::items::{AxisPaths, ItemId, scope_at};
use crate::kernel::{PassSource, StageKind};
use crate::mapping::{Axis, Mapping};

use super::draft::{Draft, KindDraft};

/// Gives the axes of a body that share a name with another one their paths.
pub(super) fn tell_apart(db: &dyn Db, function: ItemId, draft: &mut Draft) {
    let mut axes: FxHashSet<Axis> = FxHashSet::default();
    let mut seen: FxHashSet<&Mapping> = FxHashSet::default();
    for mapping in draft.mappings.values() {
        if seen.insert(mapping) {
            axes.extend(mapping.axes());
        }
    }
    let paths = AxisPaths::of(db, &scope_at(db, function, 0), &axes);
    if paths.is_empty() {
        return;
    }
    draft.mappings.change_known(|mapping| {
        if let Some(renamed) = paths.mapping(mapping) {
            *mapping = renamed;
        }
    });
    let called = |axis: &mut Option<Axis>| {
        if let Some(path) = axis.as_ref().and_then(|axis| paths.axis(axis)) {
            *axis = Some(path.clone());
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
