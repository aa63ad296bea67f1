//! Faults that are met through an alias are placed where the alias is used: the line that the author has to look at. The alias
//! is the other end.
//!
//! Where a body uses an alias at several places and the finding does not say at which, the fault stays at the alias. What the
//! program says about the book's dialect stays as it is.

use rustc_hash::FxHashMap;

use crate::derivation::conventions::Conventions;
use crate::items::Span;
use crate::kernel::{Body, OperationKind, Written};
use crate::mapping::Mapping;

use super::Related;
use super::placement::{DEVICE_GRID, LIVE_SLICE_COUNT, SPM_PE_SIZE};
use super::tensors::{CHIP_SIZE, CLUSTER_SIZE, SLICE_SIZE};
use super::wording::USED_HERE;
use super::{Finding, Rule};

/// Rules about a mapping by itself: wherever it is used, it is mended where it is written.
const OF_THE_MAPPING: &[&Rule] = &[
    &CHIP_SIZE,
    &CLUSTER_SIZE,
    &SLICE_SIZE,
    &DEVICE_GRID,
    &LIVE_SLICE_COUNT,
    &SPM_PE_SIZE,
];

/// Places findings at the uses of the aliases that they are about.
pub fn put_at_uses(body: &Body, findings: &mut [Finding]) {
    if findings.is_empty() || !Conventions::of(body.dialect).is_successor() {
        return;
    }
    let uses = uses_of(body);
    for finding in findings {
        let Some(places) = uses.get(&finding.span) else {
            continue;
        };
        if OF_THE_MAPPING.contains(&finding.rule) {
            continue;
        }
        let linked = finding
            .related
            .iter()
            .find(|other| other.message == USED_HERE && places.contains(&other.span));
        let place = match (linked, places.as_slice()) {
            (Some(linked), _) => linked.span,
            (None, [only]) => *only,
            _ => continue,
        };
        finding.related.retain(|other| other.span != place);
        let alias = Related {
            message: "declared here".to_owned(),
            span: finding.span,
        };
        finding.related.insert(0, alias);
        finding.span = place;
    }
}

/// Where a body uses each alias of a mapping.
fn uses_of(body: &Body) -> FxHashMap<Span, Vec<Span>> {
    let mut uses: FxHashMap<Span, Vec<Span>> = FxHashMap::default();
    let mut note = |written: &Written<Mapping>| {
        if let Some(used) = written.used_at {
            let places = uses.entry(written.span).or_default();
            if !places.contains(&used) {
                places.push(used);
            }
        }
    };
    for tensor in &body.tensors {
        tensor.levels.iter().for_each(|(_, written)| note(written));
    }
    for operation in &body.operations {
        if let OperationKind::Pass(pass) = &operation.kind {
            for stage in &pass.stages {
                stage.output.mappings().for_each(&mut note);
            }
        }
    }
    uses
}
