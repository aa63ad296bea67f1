//! Empty positions of the spatial levels, and what they hold, followed in program order.

use rustc_hash::FxHashMap;

use crate::forms;
use crate::kernel::{
    Body, Level, Levels, Operation, OperationId, OperationKind, Origin, Pass, PassEnd, PassSource,
    StageKind, StreamShape, SwitchConfig, TensorId, Written,
};
use crate::mapping::{Form, Mapping};

use super::Content;

/// The levels whose positions are units of the machine, each with a memory of its own.
pub(super) const SPATIAL: [Level; 3] = [Level::Chip, Level::Cluster, Level::Slice];

/// Positions of a level that hold no element: every index but 0 of `size` steps of `stride`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hole {
    /// The level.
    pub level: Level,
    /// Positions a step.
    pub stride: u64,
    /// Steps.
    pub size: u64,
    /// What they hold.
    pub content: Content,
}

impl Hole {
    fn is_at(&self, other: &Self) -> bool {
        (self.level, self.stride, self.size) == (other.level, other.stride, other.size)
    }

    /// Whether a position of the level is in the hole.
    pub(super) fn covers_position(&self, position: u64) -> bool {
        !(position / self.stride).is_multiple_of(self.size)
    }

    /// The first position behind a run of its steps.
    fn run_end(&self) -> u64 {
        self.stride.saturating_mul(self.size)
    }
}

/// What is known of the empty positions of each tensor.
pub(super) struct Known<'a> {
    body: &'a Body,
    made: FxHashMap<TensorId, Vec<Hole>>,
}

/// Follows a body's operations.
pub(super) fn follow_body(body: &Body) -> Known<'_> {
    let mut known = Known {
        body,
        made: FxHashMap::default(),
    };
    for operation in &body.operations {
        known.operation(operation);
    }
    known
}

impl Known<'_> {
    /// The empty positions of a tensor or view. A view has its tensor's where its mapping is the tensor's.
    pub(super) fn holes_of(&self, id: TensorId) -> Vec<Hole> {
        let Some(levels) = self.body.tensor(id).map(|tensor| &tensor.levels) else {
            return Vec::new();
        };
        let own = of_levels(levels);
        for tensor in self.body.sharing(id) {
            match tensor.origin {
                Origin::View { .. } | Origin::Resized { .. } => {}
                Origin::Operation(_) => {
                    let known = self.made.get(&tensor.id);
                    return with_known_contents(own, known.map(Vec::as_slice).unwrap_or_default());
                }
                Origin::Reshape { .. } | Origin::Parameter | Origin::FromAddress | Origin::New => {
                    break;
                }
            }
        }
        own
    }

    fn operation(&mut self, operation: &Operation) {
        match &operation.kind {
            OperationKind::Copy(copy) => {
                self.write(copy.target, |hole| {
                    hole.content = Content::Unwritten(operation.id);
                });
            }
            OperationKind::Pass(pass) => {
                let (PassEnd::Commit { target, .. }
                | PassEnd::CommitView { target, .. }
                | PassEnd::ToTrf { target, .. }
                | PassEnd::ToVrf { target, .. }) = &pass.end
                else {
                    return;
                };
                let stream = self.stream_holes(operation.id, pass);
                self.write(*target, |hole| {
                    let same = stream.iter().find(|known| known.is_at(hole));
                    hole.content = same.map_or(Content::Unknown, |known| known.content);
                });
            }
            OperationKind::Collective(collective) => {
                for target in &collective.targets {
                    self.write(*target, |_| {});
                }
            }
        }
    }

    /// Notes what an operation leaves in the empty positions of its target. A write into a part of a tensor makes all of
    /// it unknown.
    fn write(&mut self, target: TensorId, fill: impl Fn(&mut Hole)) {
        let Some(tensor) = self.body.tensor(target) else {
            return;
        };
        if matches!(tensor.origin, Origin::Operation(_)) {
            let mut holes = of_levels(&tensor.levels);
            holes.iter_mut().for_each(fill);
            self.made.insert(target, holes);
            return;
        }
        self.made.remove(&self.body.root(target));
    }

    /// The empty positions of a pass's stream as it ends.
    pub(super) fn stream_holes(&self, id: OperationId, pass: &Pass) -> Vec<Hole> {
        self.streamed_before(id, pass, pass.stages.len())
    }

    /// The empty positions of a pass's stream as it enters a stage.
    fn streamed_before(&self, id: OperationId, pass: &Pass, stages: usize) -> Vec<Hole> {
        let mut holes = match &pass.source {
            PassSource::Tensor(tensor) => self.holes_of(*tensor),
            PassSource::Interleaved { .. } | PassSource::Parameter { .. } => of_stream(&pass.begin),
        };
        for stage in pass.stages.iter().take(stages) {
            match &stage.kind {
                StageKind::Switch(config) => {
                    let before = std::mem::replace(&mut holes, of_stream(&stage.output));
                    for hole in &mut holes {
                        hole.content = switched_content(id, config, &before, hole);
                    }
                }
                StageKind::VectorInterReduce { .. } => {
                    let before = std::mem::replace(&mut holes, of_stream(&stage.output));
                    for hole in &mut holes {
                        let same = before.iter().find(|known| known.is_at(hole));
                        hole.content = match same {
                            Some(known) => known.content,
                            None if hole.level == Level::Slice => Content::Unwritten(id),
                            None => Content::Unknown,
                        };
                    }
                }
                _ => {}
            }
        }
        holes
    }
}

/// What a topology leaves at an empty position of its output.
fn switched_content(
    id: OperationId,
    config: &Written<SwitchConfig>,
    before: &[Hole],
    hole: &Hole,
) -> Content {
    let kept = || {
        let same = before.iter().find(|known| known.is_at(hole));
        same.map_or(Content::Unknown, |known| known.content)
    };
    if hole.level != Level::Slice {
        return kept();
    }
    let value = |written: &Written<u64>| written.get().copied();
    // The positions of a ring that hold copies: from one stride up to another.
    let copies = match config.get() {
        Some(SwitchConfig::Broadcast01 { slice1, slice0, .. }) => value(slice1)
            .zip(value(slice0))
            .and_then(|(outer, inner)| Some((1, outer.checked_mul(inner)?))),
        Some(SwitchConfig::Broadcast1 { slice1, slice0 }) => value(slice1)
            .zip(value(slice0))
            .and_then(|(outer, inner)| Some((inner, outer.checked_mul(inner)?))),
        _ => None,
    };
    match copies {
        Some((from, to)) if hole.stride >= from && hole.run_end() <= to => Content::Copies(id),
        Some((from, to)) if hole.stride >= to || hole.run_end() <= from => kept(),
        _ => Content::Unknown,
    }
}

/// The empty positions of a tensor's levels, their contents unknown.
fn of_levels(levels: &Levels) -> Vec<Hole> {
    levels
        .iter()
        .filter(|(level, _)| SPATIAL.contains(level))
        .flat_map(|(level, mapping)| of_level(level, mapping))
        .collect()
}

/// The empty positions of a stream's levels.
fn of_stream(shape: &StreamShape) -> Vec<Hole> {
    [
        (Level::Chip, &shape.chip),
        (Level::Cluster, &shape.cluster),
        (Level::Slice, &shape.slice),
    ]
    .into_iter()
    .flat_map(|(level, mapping)| of_level(level, mapping))
    .collect()
}

fn of_level(level: Level, mapping: &Written<Mapping>) -> Vec<Hole> {
    forms::known_form(mapping).map_or_else(Vec::new, |form| of_form(level, form))
}

/// Runs of empty positions that are whole repetitions of what is inside: padding without a term, and padding behind a
/// term up to a multiple of it, which is padding without a term outside of it.
fn of_form(level: Level, form: &Form) -> Vec<Hole> {
    let mut holes = Vec::new();
    let mut stride = 1_u64;
    for digit in form.digits() {
        if digit.extent > digit.live && digit.extent.is_multiple_of(digit.live.max(1)) {
            holes.push(Hole {
                level,
                stride: stride.saturating_mul(digit.live),
                size: digit.extent / digit.live.max(1),
                content: Content::Unknown,
            });
        }
        stride = stride.saturating_mul(digit.extent);
    }
    holes
}

/// The same positions with the contents that are known of them.
fn with_known_contents(mut holes: Vec<Hole>, known: &[Hole]) -> Vec<Hole> {
    for hole in &mut holes {
        if let Some(same) = known.iter().find(|known| known.is_at(hole)) {
            hole.content = same.content;
        }
    }
    holes
}
