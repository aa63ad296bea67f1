//! The finished body of a draft: slots to values, moments to numbers, and what stayed unresolved.
//!
//! Knows the draft as it is when the interpretation has ended; it follows no expression and changes no slot.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::hardware::{ElementType, Machine};
use crate::items::{self, Span};
use crate::kernel::dialect::{Access, Dialect};
use crate::kernel::{
    Body, Launch, Levels, Operation, OperationId, OperationKind, Origin, Pass, PassEnd, Stage,
    StageKind, StreamShape, Tensor, TensorId, TileWindow, Unresolved, Written,
};
use crate::mapping::Mapping;

use super::draft::{
    Draft, KindDraft, Moment, OperationDraft, OriginDraft, PassDraft, StageDraft, TileDraft,
};
use super::slots::{MappingSlot, ScalarSlot};
use super::types::{LevelSlots, ShapeSlots};
use super::unfollowed;

/// Slots to values, moments to numbers.
pub(super) struct Finish {
    draft: Draft,
    /// What names of operations mean.
    library: Dialect,
    /// Places of the operations that stay, in their final order.
    order: Vec<usize>,
    /// Final numbers by place.
    pub(super) numbers: FxHashMap<usize, OperationId>,
}

impl Finish {
    pub(super) fn new(draft: Draft, library: Dialect) -> Self {
        let mut order: Vec<usize> = (0..draft.operations.len())
            .filter(|place| {
                draft
                    .operations
                    .get(*place)
                    .is_some_and(|operation| !operation.superseded)
            })
            .collect();
        order.sort_by_key(|place| {
            draft
                .operations
                .get(*place)
                .map_or(0, |operation| operation.touched)
        });
        let numbers = order
            .iter()
            .enumerate()
            .map(|(number, place)| {
                (
                    *place,
                    OperationId(u32::try_from(number).unwrap_or(u32::MAX)),
                )
            })
            .collect();
        Self {
            draft,
            library,
            order,
            numbers,
        }
    }

    pub(super) fn body(mut self, mut body: Body) -> Body {
        let mut unresolved = std::mem::take(&mut self.draft.unresolved);
        for place in &self.order {
            if let Some(reason) = self.unresolved_reason(*place) {
                unresolved.push(reason);
                body.incomplete.extend(self.numbers.get(place));
            }
        }
        let mut seen = FxHashSet::default();
        unresolved.retain(|entry| seen.insert(entry.clone()));
        body.unresolved = unresolved;
        body.tensors.reserve_exact(self.draft.tensors.len());
        let tensors = 0..self.draft.tensors.len();
        body.tensors
            .extend(tensors.filter_map(|index| self.tensor(index)));
        body.escaping = self.escaping();
        body.parameters = std::mem::take(&mut self.draft.parameters);
        body.results = std::mem::take(&mut self.draft.results);
        body.launches = std::mem::take(&mut self.draft.launches)
            .into_iter()
            .map(|launch| Launch {
                before: self.number_at(launch.at),
                tensors: launch.tensors,
                span: launch.span,
            })
            .collect();
        body.shortened_loops = once_each(std::mem::take(&mut self.draft.shortened_loops));
        body.unbounded_loops = once_each(std::mem::take(&mut self.draft.unbounded_loops));
        body.undecided_exits = once_each(std::mem::take(&mut self.draft.undecided_exits));
        body.foreign = std::mem::take(&mut self.draft.foreign);
        body.register_clones = std::mem::take(&mut self.draft.register_clones);
        // Last: it takes the drafts apart.
        let drafts = std::mem::take(&mut self.draft.operations);
        let mut drafts: Vec<Option<OperationDraft>> = drafts.into_iter().map(Some).collect();
        let ordered = self
            .order
            .iter()
            .filter_map(|place| Some((*place, drafts.get_mut(*place)?.take()?)));
        let library = (body.dialect, body.machine);
        body.operations.reserve_exact(self.order.len());
        body.operations
            .extend(ordered.filter_map(|(place, draft)| self.operation(place, draft, library)));
        body
    }

    fn escaping(&self) -> Vec<TensorId> {
        let mut escaping: Vec<TensorId> = self
            .draft
            .escaping
            .iter()
            .map(|id| self.draft.base_tensor(*id))
            .collect();
        for place in &self.order {
            let targets: Vec<TensorId> = match self
                .draft
                .operations
                .get(*place)
                .map(|operation| &operation.kind)
            {
                Some(KindDraft::Copy(copy)) => vec![copy.target],
                Some(KindDraft::Collective(collective)) => collective.targets.clone(),
                Some(KindDraft::Pass(PassDraft {
                    end: PassEnd::CommitView { target, .. },
                    ..
                })) => vec![*target],
                _ => Vec::new(),
            };
            escaping.extend(
                targets
                    .into_iter()
                    .map(|target| self.draft.base_tensor(target))
                    .filter(|base| {
                        self.draft
                            .tensor(*base)
                            .is_some_and(|tensor| matches!(tensor.origin, OriginDraft::Parameter))
                    }),
            );
        }
        escaping.sort_unstable();
        escaping.dedup();
        escaping
    }

    fn number_at(&self, moment: Moment) -> OperationId {
        let before = self.order.partition_point(|place| {
            self.draft
                .operations
                .get(*place)
                .is_some_and(|operation| operation.touched < moment)
        });
        OperationId(u32::try_from(before).unwrap_or(u32::MAX))
    }

    pub(super) fn mapping(&self, slot: MappingSlot, fallback: Span) -> Written<Mapping> {
        self.draft.mappings.resolve_slot(slot, fallback).0
    }

    fn scalar(&self, slot: ScalarSlot, fallback: Span) -> Written<ElementType> {
        self.draft.scalars.resolve_slot(slot, fallback).0
    }

    fn shape(&self, shape: &ShapeSlots, span: Span) -> StreamShape {
        StreamShape {
            position: shape.position,
            element_type: self.scalar(shape.scalar, span),
            chip: self.mapping(shape.chip, span),
            cluster: self.mapping(shape.cluster, span),
            slice: self.mapping(shape.slice, span),
            row: shape.row.map(|row| self.mapping(row, span)),
            time: self.mapping(shape.time, span),
            packet: self.mapping(shape.packet, span),
            way: shape.way,
        }
    }

    fn levels(&self, levels: &LevelSlots, span: Span) -> Levels {
        let level = |slot: Option<MappingSlot>| slot.map(|slot| self.mapping(slot, span));
        Levels {
            chip: level(levels.chip),
            cluster: level(levels.cluster),
            slice: level(levels.slice),
            pe: level(levels.pe),
            row: level(levels.row),
            element: self.mapping(levels.element, span),
        }
    }

    fn tensor(&self, index: usize) -> Option<Tensor> {
        let draft = self.draft.tensors.get(index)?;
        let origin = match &draft.origin {
            OriginDraft::Parameter => Origin::Parameter,
            OriginDraft::FromAddress => Origin::FromAddress,
            OriginDraft::New | OriginDraft::Zeros => Origin::New,
            // A pass that a branch copied away leaves its tensors without an operation: contents from elsewhere.
            OriginDraft::Operation(place) => self
                .numbers
                .get(place)
                .map_or(Origin::Parameter, |number| Origin::Operation(*number)),
            OriginDraft::View { of, tile } => Origin::View {
                of: *of,
                tile: tile.as_ref().map(|tile| Box::new(self.tile(tile))),
            },
            OriginDraft::Resized { of, widens } => Origin::Resized {
                of: *of,
                widens: *widens,
            },
            OriginDraft::Reshape { of } => Origin::Reshape { of: *of },
        };
        let created_before = match &origin {
            Origin::Operation(number) => *number,
            _ => self.number_at(draft.created),
        };
        Some(Tensor {
            id: TensorId(u32::try_from(index).unwrap_or(u32::MAX)),
            name: draft.name.clone(),
            tier: draft.kind.tier,
            element_type: self.scalar(draft.kind.scalar, draft.span),
            exclusive: draft.kind.access == Access::Exclusive,
            levels: self.levels(&draft.kind.levels, draft.span),
            address: draft.address.clone(),
            origin,
            is_zeroed: matches!(draft.origin, OriginDraft::Zeros),
            span: draft.span,
            created_before,
            moved_before: draft.moved.map(|moment| self.number_at(moment)),
        })
    }

    fn tile(&self, tile: &TileDraft) -> TileWindow {
        TileWindow {
            level: tile.level,
            index: self.mapping(tile.index, tile.span),
            length: tile.length.clone(),
            start: tile.start.clone(),
            start_range: tile
                .place
                .as_ref()
                .and_then(|place| self.draft.tile_starts.get(place).copied().flatten()),
            output: self.mapping(tile.output, tile.span),
            span: tile.span,
        }
    }

    fn operation(
        &self,
        place: usize,
        draft: OperationDraft,
        library: (items::Dialect, Machine),
    ) -> Option<Operation> {
        let kind = match draft.kind {
            KindDraft::Copy(copy) => OperationKind::Copy(Box::new(copy)),
            KindDraft::Collective(collective) => {
                OperationKind::Collective(Box::new(self.collective(collective)))
            }
            KindDraft::Pass(pass) => OperationKind::Pass(Arc::new(Pass {
                dialect: library.0,
                machine: library.1,
                context: pass.context,
                source: pass.source,
                begin: self.shape(&pass.begin, draft.span),
                stages: pass
                    .stages
                    .into_iter()
                    .map(|stage| self.stage(stage))
                    .collect(),
                end: pass.end,
            })),
        };
        Some(Operation {
            id: *self.numbers.get(&place)?,
            kind,
            context: draft.context,
            span: draft.span,
            loops: draft.loops,
            branches: draft.branches,
            calls: draft.calls,
        })
    }

    fn stage(&self, stage: StageDraft) -> Stage {
        let mut kind = stage.kind;
        if let (StageKind::VectorUnzip { tile_time, .. }, Some(slot)) = (&mut kind, stage.tile_time)
        {
            *tile_time = self.mapping(slot, stage.span);
        }
        Stage {
            kind,
            output: self.shape(&stage.output, stage.span),
            method: stage.method,
            span: stage.span,
        }
    }

    /// Why an operation counts as unresolved: it could not be followed, or a mapping or type of it is unknown.
    fn unresolved_reason(&self, place: usize) -> Option<Unresolved> {
        let draft = self.draft.operations.get(place)?;
        if let Some(failure) = &draft.failure {
            return Some(failure.clone());
        }
        match &draft.kind {
            KindDraft::Copy(copy) => self.tensors_reason([copy.source, copy.target], draft.span),
            KindDraft::Collective(collective) => {
                let tensors = collective.sources.iter().chain(&collective.targets);
                let mut slots = collective.slots();
                self.tensors_reason(tensors.copied(), draft.span)
                    .or_else(|| slots.find_map(|slot| self.mapping_reason(slot, draft.span)))
                    .or_else(|| unfollowed::of_collective(collective))
                    .map(|reason| reason.at_operation(draft.span))
            }
            KindDraft::Pass(pass) => self.pass_reason(pass, draft.span),
        }
    }

    fn pass_reason(&self, pass: &PassDraft, span: Span) -> Option<Unresolved> {
        let shapes = std::iter::once((&pass.begin, span))
            .chain(pass.stages.iter().map(|stage| (&stage.output, stage.span)));
        for (shape, span) in shapes {
            let reason = self.scalar_reason(shape.scalar, span).or_else(|| {
                shape
                    .all_slots()
                    .find_map(|slot| self.mapping_reason(slot, span))
            });
            if let Some(reason) = reason {
                return Some(reason.at_operation(span));
            }
        }
        let operands = pass.stages.iter().filter_map(|stage| match &stage.kind {
            StageKind::Align { operand, .. } => *operand,
            _ => None,
        });
        let target = match &pass.end {
            PassEnd::Commit { target, .. }
            | PassEnd::CommitView { target, .. }
            | PassEnd::ToTrf { target, .. }
            | PassEnd::ToVrf { target, .. } => Some(*target),
            PassEnd::Open => None,
        };
        self.tensors_reason(operands.chain(target), span)
            .or_else(|| {
                let mut stages = pass.stages.iter();
                stages.find_map(|stage| {
                    let reason = unfollowed::of_stage(&stage.kind, stage.span, self.library)?;
                    Some(reason.at_operation(stage.span))
                })
            })
    }

    /// Why an operation at a place counts as unresolved because of its tensors.
    fn tensors_reason(
        &self,
        tensors: impl IntoIterator<Item = TensorId>,
        operation: Span,
    ) -> Option<Unresolved> {
        tensors.into_iter().find_map(|id| {
            let tensor = self.draft.tensor(id)?;
            let tile = match &tensor.origin {
                OriginDraft::View {
                    tile: Some(tile), ..
                } => Some(tile),
                _ => None,
            };
            let index = tile.map(|tile| tile.index);
            let reason = self
                .scalar_reason(tensor.kind.scalar, tensor.span)
                .or_else(|| {
                    tensor
                        .kind
                        .levels
                        .all_slots()
                        .chain(index)
                        .find_map(|slot| self.mapping_reason(slot, tensor.span))
                })
                .or_else(|| unfollowed::of_length(&tile?.length))?;
            Some(reason.at_operation(operation))
        })
    }

    fn mapping_reason(&self, slot: MappingSlot, fallback: Span) -> Option<Unresolved> {
        let reason = self.draft.mappings.empty_reason(slot, fallback);
        reason.map(|(reason, span)| Unresolved::at(reason, span))
    }

    fn scalar_reason(&self, slot: ScalarSlot, fallback: Span) -> Option<Unresolved> {
        let reason = self.draft.scalars.empty_reason(slot, fallback);
        reason.map(|(reason, span)| Unresolved::at(reason, span))
    }
}

/// Without what was there before.
fn once_each(mut spans: Vec<Span>) -> Vec<Span> {
    let mut seen = FxHashSet::default();
    spans.retain(|span| seen.insert(*span));
    spans
}
