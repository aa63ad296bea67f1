//! How tensors are placed: the grid that a kernel runs on, the counts that a compiler splits, processing elements, sizes
//! that a change of type keeps, and what is read before anything wrote it.
//!
//! Kernels are judged, and no fragments that nothing runs: the grid is the kernel's. A size that no machine has is judged with
//! the sizes of levels and not again here.

use std::sync::Arc;

use crate::items::Span;
use crate::kernel::{
    Body, Level, Levels, OperationKind, Origin, PassEnd, Tensor, TensorId, Tier, Written,
};
use crate::mapping::{Atom, Digit, Mapping};

use super::forms;
use super::memory::MemoryDerivation;

/// A level has another size than the grid of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridViolation {
    /// The level: cluster or slice.
    pub level: Level,
    /// Its mapping.
    pub mapping: Mapping,
    /// The size that it must have.
    pub expected: u64,
    /// The processing elements of the kernel.
    pub pes: u64,
    /// Whether the attribute says so; else it is the default.
    pub written: bool,
    /// Where the mapping is written.
    pub span: Span,
    /// The attribute.
    pub attribute: Span,
}

/// A digit of a level of slices has a live count that the compiler does not split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveCount {
    /// Its live positions.
    pub live: u64,
    /// All of its positions.
    pub extent: u64,
    /// The axis with its size; none for a group.
    pub axis: Option<(String, u64)>,
    /// The counts up to all positions that the compiler splits, the least first.
    pub counts: Vec<u64>,
    /// Where the level's mapping is written.
    pub span: Span,
}

/// A level of processing elements has another size than there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeViolation {
    /// Its size.
    pub size: u64,
    /// The sizes that it may have.
    pub expected: Vec<u64>,
    /// The slices of the tensor on the other side of a transfer, where they decide, and where they are written.
    pub slices: Option<(u64, Span)>,
    /// Where the level's mapping is written.
    pub span: Span,
}

/// A change of type changes the size of a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeChange {
    /// The level.
    pub level: Level,
    /// Its size before.
    pub before: u64,
    /// Its size after.
    pub after: u64,
    /// Where the mapping before is written.
    pub source: Span,
    /// Where the mapping after is written.
    pub span: Span,
}

/// The two clusters of a tensor are told apart by an axis, and by another one after a change of its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterSplit {
    /// The clusters before.
    pub before: Mapping,
    /// The clusters after.
    pub after: Mapping,
    /// Where the mapping before is written.
    pub source: Span,
    /// Where the mapping after is written.
    pub span: Span,
}

/// A tensor is read before anything wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnwrittenRead {
    /// The tensor.
    pub tensor: TensorId,
    /// The operation that reads it.
    pub span: Span,
}

fn written_size(level: &Written<Mapping>) -> Option<u64> {
    level.value.as_ref().map(Mapping::size)
}

/// The tensors of a kernel that have bytes of their own, or others' under another type.
fn tensors_with_bytes(body: &Body) -> impl Iterator<Item = &Tensor> {
    let tensors = body.device.iter().flat_map(|_| &body.tensors);
    tensors.filter(|tensor| !matches!(tensor.origin, Origin::View { .. } | Origin::Resized { .. }))
}

fn is_in_slices(tensor: &Tensor) -> bool {
    matches!(tensor.tier, Tier::Dm | Tier::Trf | Tier::Vrf)
}

/// Derives the levels that do not have the size of the kernel's grid, one a place.
pub fn grid_violations(body: &Body) -> Vec<GridViolation> {
    let machine = body.machine;
    let Some(device) = &body.device else {
        return Vec::new();
    };
    let pes = device.pes.unwrap_or_else(|| machine.pes());
    let Some((clusters, slices)) = machine.grid(pes) else {
        return Vec::new();
    };
    let mut found: Vec<GridViolation> = Vec::new();
    for tensor in tensors_with_bytes(body).filter(|tensor| is_in_slices(tensor)) {
        let levels = [
            (Level::Cluster, &tensor.levels.cluster, clusters),
            (Level::Slice, &tensor.levels.slice, slices),
        ];
        for (level, written, expected) in levels {
            let Some((written, mapping)) = written
                .as_ref()
                .and_then(|written| Some((written, written.value.as_ref()?)))
            else {
                continue;
            };
            let size = mapping.size();
            let is_one = match level {
                Level::Cluster => machine.takes_clusters(size),
                _ => machine.takes_slices(size),
            };
            let known = |known: &GridViolation| (known.level, known.span) == (level, written.span);
            // What the compiler says of a grid that is not written names slices alone.
            let is_grid = (1..=machine.pes())
                .filter_map(|pes| machine.grid(pes))
                .any(|(_, slices)| slices == size);
            let is_judged = device.pes.is_some() || (level == Level::Slice && is_grid);
            if is_judged && is_one && size != expected && !found.iter().any(known) {
                found.push(GridViolation {
                    level,
                    mapping: mapping.clone(),
                    expected,
                    pes,
                    written: device.pes.is_some(),
                    span: written.span,
                    attribute: device.span,
                });
            }
        }
    }
    found
}

/// Derives the digits of levels of slices whose live count the compiler does not split, one a place.
pub fn live_counts(body: &Body) -> Vec<LiveCount> {
    let mut found: Vec<LiveCount> = Vec::new();
    for tensor in tensors_with_bytes(body).filter(|tensor| is_in_slices(tensor)) {
        let slice = tensor.levels.slice.as_ref();
        let Some((written, mapping)) = slice.and_then(|slice| Some((slice, slice.value.as_ref()?)))
        else {
            continue;
        };
        if found.iter().any(|known| known.span == written.span) {
            continue;
        }
        let form = mapping.form();
        let fault = form
            .digits()
            .iter()
            .find_map(|digit| live_count(digit, written.span));
        found.extend(fault);
    }
    found
}

fn live_count(digit: &Digit, span: Span) -> Option<LiveCount> {
    let term = digit.term.as_ref()?;
    let (live, extent) = (digit.live, digit.extent);
    if live == extent || live.is_power_of_two() {
        return None;
    }
    let whole = match &term.atom {
        Atom::Axis(axis) | Atom::PaddedRun(axis) => axis.size(),
        Atom::Composite(_) | Atom::Broadcast => live,
    };
    let powers = (1..u64::BITS).map(|power| 1_u64 << power);
    let counts = powers.take_while(|count| *count <= extent && whole.is_multiple_of(*count));
    Some(LiveCount {
        live,
        extent,
        axis: term
            .atom
            .axis()
            .map(|axis| (axis.name().to_owned(), axis.size())),
        counts: counts.collect(),
        span,
    })
}

/// Derives the levels of processing elements that do not have as many as there are, one a place.
pub fn processing_elements(body: &Body) -> Vec<PeViolation> {
    let mut found: Vec<PeViolation> = Vec::new();
    let mut add = |violation: PeViolation| {
        if !found.iter().any(|known| known.span == violation.span) {
            found.push(violation);
        }
    };
    let counts = body.machine.pe_counts;
    for tensor in tensors_with_bytes(body) {
        if let Some((written, size)) = pe_of(tensor)
            && !counts.contains(&size)
        {
            add(PeViolation {
                size,
                expected: counts.to_vec(),
                slices: None,
                span: written,
            });
        }
    }
    for operation in &body.operations {
        let OperationKind::Copy(copy) = &operation.kind else {
            continue;
        };
        let ends = [copy.source, copy.target].map(|id| body.tensor(id));
        let [Some(source), Some(target)] = ends else {
            continue;
        };
        let (scratchpad, other) = if source.tier == Tier::Spm {
            (source, target)
        } else {
            (target, source)
        };
        let slices = other.levels.slice.as_ref();
        let slices = slices.and_then(|slices| Some((written_size(slices)?, slices.span)));
        if let (Some((written, size)), Some(slices)) = (pe_of(scratchpad), slices)
            && body.device.is_some()
            && counts.contains(&size)
            && body.machine.takes_slices(slices.0)
            && size != body.machine.pes_of_slices(slices.0)
        {
            add(PeViolation {
                size,
                expected: vec![body.machine.pes_of_slices(slices.0)],
                slices: Some(slices),
                span: written,
            });
        }
    }
    found
}

/// The processing elements of a tensor in the scratchpad, and where they are written.
fn pe_of(tensor: &Tensor) -> Option<(Span, u64)> {
    let level = tensor.levels.pe.as_ref()?;
    (tensor.tier == Tier::Spm).then_some((level.span, written_size(level)?))
}

/// Derives the levels that another size is written for where sizes are kept.
pub fn size_changes(body: &Body) -> Vec<SizeChange> {
    let mut found: Vec<SizeChange> = Vec::new();
    let mut compare = |source: &Tensor, target: &Tensor, levels: &[Level]| {
        for (level, before, after) in pairs(&source.levels, &target.levels) {
            let (Some(old), Some(new)) = (written_size(before), written_size(after)) else {
                continue;
            };
            let known = |known: &SizeChange| known.span == after.span;
            if levels.contains(&level) && old != new && !found.iter().any(known) {
                found.push(SizeChange {
                    level,
                    before: old,
                    after: new,
                    source: before.span,
                    span: after.span,
                });
            }
        }
    };
    let reshaped = [Level::Chip, Level::Cluster, Level::Slice, Level::Element];
    for tensor in tensors_with_bytes(body) {
        if let Origin::Reshape { of } = tensor.origin
            && let Some(source) = body.tensor(of)
        {
            compare(source, tensor, &reshaped);
        }
    }
    for operation in body.device.iter().flat_map(|_| &body.operations) {
        let OperationKind::Copy(copy) = &operation.kind else {
            continue;
        };
        let ends = [copy.source, copy.target].map(|id| body.tensor(id));
        if let [Some(source), Some(target)] = ends
            && (source.tier, target.tier) == (Tier::Dm, Tier::Dm)
            && matches!(target.origin, Origin::View { .. })
        {
            compare(source, target, &reshaped[..3]);
        }
    }
    found.extend(commit_size_changes(body));
    found
}

/// Derives the changes of a type that tell the clusters apart by another axis, where each side has the other's axis inside of the
/// clusters: no bytes move, so neither is the other's by another name.
pub fn cluster_splits(body: &Body) -> Vec<ClusterSplit> {
    let inside = |tensor: &Tensor, name: &Arc<str>| {
        let levels = [&tensor.levels.element].into_iter();
        let levels = levels.chain(tensor.levels.slice.as_ref());
        let mut known = levels.filter_map(forms::known_form);
        known.any(|form| form.axis_names().contains(name))
    };
    let changed = tensors_with_bytes(body).filter_map(|tensor| {
        let Origin::Reshape { of } = tensor.origin else {
            return None;
        };
        let source = body.tensor(of)?;
        let written = [source, tensor].map(|tensor| tensor.levels.cluster.as_ref());
        let [Some(before), Some(after)] = written else {
            return None;
        };
        let forms = [forms::known_form(before)?, forms::known_form(after)?];
        let [old, new] = forms.map(|form| form.axis_names().into_iter().next());
        let (old, new) = (old?, new?);
        let split = old != new && inside(source, &new) && inside(tensor, &old);
        split.then(|| ClusterSplit {
            before: forms[0].to_mapping(),
            after: forms[1].to_mapping(),
            source: before.span,
            span: after.span,
        })
    });
    changed.collect()
}

/// The levels that two tensors both have.
fn pairs<'a>(
    source: &'a Levels,
    target: &'a Levels,
) -> impl Iterator<Item = (Level, &'a Written<Mapping>, &'a Written<Mapping>)> {
    source.iter().filter_map(|(level, before)| {
        let (_, after) = target.iter().find(|(other, _)| *other == level)?;
        Some((level, before, after))
    })
}

/// Streams that are committed into a view with another number of slices.
fn commit_size_changes(body: &Body) -> Vec<SizeChange> {
    let passes = body.device.iter().flat_map(|_| &body.operations);
    let changes = passes.filter_map(|operation| {
        let OperationKind::Pass(pass) = &operation.kind else {
            return None;
        };
        let PassEnd::CommitView { target, span } = pass.end else {
            return None;
        };
        let view = body.tensor(target)?.levels.slice.as_ref()?;
        let stream = &pass.output().slice;
        let (before, after) = (written_size(stream)?, written_size(view)?);
        (before != after).then_some(SizeChange {
            level: Level::Slice,
            before,
            after,
            source: stream.span,
            span,
        })
    });
    changes.collect()
}

/// Derives the reads of tensors that nothing has written, the first of each. Where something of the body is not known, it may
/// have written them.
pub fn unwritten_reads(body: &Body, memory: &MemoryDerivation) -> Vec<UnwrittenRead> {
    if !body.unresolved.is_empty() || body.device.is_none() {
        return Vec::new();
    }
    let fresh = memory.lifetimes.iter().enumerate().filter(|(_, lifetime)| {
        let tensor = body.tensor(lifetime.tensor);
        tensor.is_some_and(|tensor| {
            tensor.origin == Origin::New && matches!(tensor.tier, Tier::Dm | Tier::Hbm)
        })
    });
    let reads = fresh.filter_map(|(number, lifetime)| {
        let touched = body.operations.iter().zip(&memory.touches);
        let mut touched = touched.filter_map(|(operation, touches)| {
            let own = touches.iter().find(|touch| touch.allocation == number)?;
            Some((operation, own.writes))
        });
        let (operation, writes) = touched.next()?;
        (!writes).then_some(UnwrittenRead {
            tensor: lifetime.tensor,
            span: operation.span,
        })
    });
    reads.collect()
}

#[cfg(test)]
mod tests;
