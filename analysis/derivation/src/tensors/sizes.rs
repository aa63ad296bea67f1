//! The sizes of chip, cluster and slice levels (book: Size Constraint).
//!
//! A size is judged where it first appears: what a tensor or a stream inherits from what it is made of is the same fact
//! and not met again.

use crate::items::Span;
use crate::kernel::{
    Body, Level, Levels, OperationKind, Origin, Pass, PassSource, StageKind, StreamShape, Tensor,
    Tier, Written,
};
use crate::mapping::Mapping;

/// A level of the hierarchy has another size than the hardware.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeViolation {
    /// The level: chip, cluster or slice.
    pub level: Level,
    /// The mapping as written.
    pub mapping: Mapping,
    /// The size it must have.
    pub expected: u64,
    /// Positions of the mapping up to its outermost padding.
    pub used: u64,
    /// Where the mapping is written.
    pub span: Span,
    /// Tensors and streams that have it, other than at `span`.
    pub uses: Vec<Span>,
    /// For chips: the attribute that says how many; none where it is a setting of the project.
    pub attribute: Option<Span>,
    /// No kernel of the workspace reaches the function, so nothing runs it as it is.
    pub fragment: bool,
}

/// Collects the violations of a body, one a place.
struct Collector<'a> {
    body: &'a Body,
    violations: Vec<SizeViolation>,
}

/// Derives the sizes of all tensors at rest and all streams of a body.
pub(super) fn derive_sizes(body: &Body) -> Vec<SizeViolation> {
    if is_stage_function(body) {
        return Vec::new();
    }
    let mut collector = Collector {
        body,
        violations: Vec::new(),
    };
    for tensor in &body.tensors {
        collector.tensor(tensor);
    }
    for operation in &body.operations {
        if let OperationKind::Pass(pass) = &operation.kind {
            collector.pass(pass);
        }
    }
    collector.violations
}

/// Whether the body is a stage function that no kernel reaches: it takes a stream, or runs in any context. Its types are
/// those of its callers.
fn is_stage_function(body: &Body) -> bool {
    let is_kernel = body.device.is_some() || body.reached_from_kernel;
    !is_kernel
        && body
            .operations
            .iter()
            .any(|operation| match &operation.kind {
                OperationKind::Pass(pass) => {
                    pass.context.is_none() || matches!(pass.source, PassSource::Parameter { .. })
                }
                _ => false,
            })
}

impl Collector<'_> {
    fn tensor(&mut self, tensor: &Tensor) {
        if matches!(tensor.origin, Origin::View { .. } | Origin::Resized { .. })
            || tensor.tier == Tier::Host
        {
            return;
        }
        let inherited = inherited_levels(self.body, tensor);
        let levels = [
            (Level::Chip, &tensor.levels.chip, inherited.chip),
            (Level::Cluster, &tensor.levels.cluster, inherited.cluster),
            (Level::Slice, &tensor.levels.slice, inherited.slice),
        ];
        for (level, written, inherited) in levels {
            if let Some(written) = written {
                self.level(level, written, inherited, tensor.span);
            }
        }
    }

    fn pass(&mut self, pass: &Pass) {
        // A stream begins with the levels of its tensor, and that of a stage function with those it is called with.
        let mut before = &pass.begin;
        for stage in &pass.stages {
            // The Switch Engine judges the slices that leave it.
            if !matches!(stage.kind, StageKind::Switch(_)) {
                self.level(
                    Level::Slice,
                    &stage.output.slice,
                    size_of(&before.slice),
                    stage.span,
                );
            }
            before = &stage.output;
        }
    }

    /// Judges one level: `inherited` is the size of the same level in what this one is made of.
    fn level(
        &mut self,
        level: Level,
        written: &Written<Mapping>,
        inherited: Option<u64>,
        user: Span,
    ) {
        let Some(mapping) = &written.value else {
            return;
        };
        let (size, machine) = (mapping.size(), self.body.machine);
        let (expected, attribute) = match level {
            Level::Chip => match self.body.chips {
                Some(chips) => {
                    let device = self.body.device.as_ref();
                    let says_so = device.filter(|device| device.chips.is_some());
                    (chips, says_so.map(|device| device.span))
                }
                None => return,
            },
            Level::Cluster if machine.takes_clusters(size) => return,
            Level::Slice if machine.takes_slices(size) => return,
            Level::Cluster => (machine.clusters, None),
            Level::Slice => (machine.slices, None),
            Level::Pe | Level::Row | Level::Element | Level::Time | Level::Packet => return,
        };
        if size == expected || inherited == Some(size) {
            return;
        }
        let known = self
            .violations
            .iter_mut()
            .find(|known| known.level == level && known.span == written.span);
        if let Some(known) = known {
            if user != known.span && !known.uses.contains(&user) {
                known.uses.push(user);
            }
            return;
        }
        self.violations.push(SizeViolation {
            level,
            mapping: mapping.clone(),
            expected,
            used: mapping.form().remove_padding().size(),
            span: written.span,
            uses: if user == written.span {
                Vec::new()
            } else {
                vec![user]
            },
            attribute,
            fragment: self.body.device.is_none() && !self.body.reached_from_kernel,
        });
    }
}

/// Sizes of the three levels in what a tensor is made of.
#[derive(Default)]
struct Inherited {
    chip: Option<u64>,
    cluster: Option<u64>,
    slice: Option<u64>,
}

impl Inherited {
    fn of_levels(levels: &Levels) -> Self {
        let size = |level: &Option<Written<Mapping>>| level.as_ref().and_then(size_of);
        Self {
            chip: size(&levels.chip),
            cluster: size(&levels.cluster),
            slice: size(&levels.slice),
        }
    }

    fn of_stream(stream: &StreamShape) -> Self {
        Self {
            chip: size_of(&stream.chip),
            cluster: size_of(&stream.cluster),
            slice: size_of(&stream.slice),
        }
    }
}

fn size_of(written: &Written<Mapping>) -> Option<u64> {
    written.value.as_ref().map(Mapping::size)
}

fn inherited_levels(body: &Body, tensor: &Tensor) -> Inherited {
    let of_tensor = |id| {
        body.tensor(id)
            .map(|tensor| Inherited::of_levels(&tensor.levels))
            .unwrap_or_default()
    };
    match &tensor.origin {
        Origin::Parameter | Origin::FromAddress | Origin::New => Inherited::default(),
        Origin::View { of, .. } | Origin::Resized { of, .. } | Origin::Reshape { of } => {
            of_tensor(*of)
        }
        Origin::Operation(id) => match body.operation(*id).map(|operation| &operation.kind) {
            Some(OperationKind::Copy(copy)) => of_tensor(copy.source),
            Some(OperationKind::Collective(collective)) => collective
                .sources
                .first()
                .map(|&source| of_tensor(source))
                .unwrap_or_default(),
            Some(OperationKind::Pass(pass)) => Inherited::of_stream(pass.output()),
            None => Inherited::default(),
        },
    }
}
