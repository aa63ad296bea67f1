//! Methods of streams: stages of a pass, and its ends.

use crate::hardware::ElementType;
use crate::items::Span;
use crate::kernel::dialect::{Access, Action, Arity, Method, StageAction};
use crate::kernel::{
    AluOperation, BranchMode, Level, OperandSource, PassEnd, Position, StageKind, TensorId, Tier,
    UnresolvedReason, VectorStage, Way, Written, ZeroPoint,
};

use super::Interpreter;
use super::calls::Call;
use super::draft::{OriginDraft, StageDraft, levels_of};
use super::operands;
use super::slots::ScalarSlot;
use super::transfers::Generics;
use super::types::{ShapeSlots, TensorType};
use super::values::Value;

impl Interpreter<'_> {
    /// A method of a stream.
    pub(super) fn stream_method(
        &mut self,
        pass: usize,
        method: &'static Method,
        call: &Call,
    ) -> Value {
        let pass = self.fork(pass);
        let Some(before) = self.draft.pass(pass).map(super::draft::PassDraft::shape) else {
            return Value::Unknown;
        };
        match method.action {
            Action::Stage(action) => self.stage(pass, before, action, method, call),
            Action::Commit => self.commit(pass, before, method, call),
            Action::CommitView => self.commit_view(pass, before, call),
            Action::ToTrf => self.load(pass, before, Tier::Trf, method, call),
            Action::ToVrf => self.load(pass, before, Tier::Vrf, method, call),
            _ => Value::Unknown,
        }
    }

    /// A stream from before an undecided branching goes on in each arm by itself.
    fn fork(&mut self, pass: usize) -> usize {
        let Some(operation) = self.draft.operations.get(pass) else {
            return pass;
        };
        if operation.branches.len() >= self.branches.len() {
            return pass;
        }
        let mut copy = operation.clone();
        copy.branches.clone_from(&self.branches);
        copy.superseded = false;
        if let Some(operation) = self.draft.operations.get_mut(pass) {
            operation.superseded = true;
        }
        self.draft.operations.push(copy);
        self.draft.operations.len().saturating_sub(1)
    }

    fn stage(
        &mut self,
        pass: usize,
        before: ShapeSlots,
        action: StageAction,
        method: &'static Method,
        call: &Call,
    ) -> Value {
        let generics = self.generics(method, call);
        let mut output = before;
        for (level, slot) in &generics.levels {
            output = output.with(*level, *slot);
        }
        if let Some(scalar) = generics.scalar {
            output.scalar = scalar;
        }
        output.position = position_after(action, before.position);
        output.way = way_after(action, before.way);
        output.scalar = self.scalar_after(action, output.scalar, call.name_span);
        let kind = self.stage_kind(action, &mut output, &generics, call);
        let stage = StageDraft {
            kind,
            output,
            method: call.name.clone(),
            span: call.name_span,
            tile_time: generics.indices.first().copied(),
        };
        if let Some(draft) = self.draft.pass_mut(pass) {
            draft.stages.push(stage);
        }
        Value::Stream(pass)
    }

    /// The element type after a stage: contractions widen, conversions change it.
    fn scalar_after(&mut self, action: StageAction, scalar: ScalarSlot, span: Span) -> ScalarSlot {
        match action {
            StageAction::Contract { .. } => match self.draft.scalars.value(scalar).copied() {
                Some(input) => match contraction_output(input) {
                    Some(output) => self.draft.scalars.known(Written::new(output, span)),
                    None => scalar,
                },
                None => {
                    let output = self.draft.scalars.open(span);
                    self.contractions.push((scalar, output));
                    output
                }
            },
            StageAction::VectorConvert(VectorStage::FxpToFp) => self
                .draft
                .scalars
                .known(Written::new(ElementType::F32, span)),
            StageAction::VectorConvert(_) => self
                .draft
                .scalars
                .known(Written::new(ElementType::I32, span)),
            _ => scalar,
        }
    }

    /// Gives contractions their output types once everything is inferred.
    pub(super) fn settle_contractions(&mut self) {
        for (input, output) in std::mem::take(&mut self.contractions) {
            if let Some(scalar) = self
                .draft
                .scalars
                .value(input)
                .copied()
                .and_then(contraction_output)
            {
                let known = self.draft.scalars.known(Written::new(scalar, self.here));
                self.draft.scalars.unify(output, known);
            }
        }
    }

    fn stage_kind(
        &mut self,
        action: StageAction,
        output: &mut ShapeSlots,
        generics: &Generics,
        call: &Call,
    ) -> StageKind {
        let axis = || {
            generics
                .axis
                .clone()
                .unwrap_or_else(|| Written::unknown(call.name_span))
        };
        match action {
            StageAction::Fetch { table, zero_points } => {
                let zero_points = if zero_points {
                    zero_points_of(call)
                } else {
                    Vec::new()
                };
                StageKind::Fetch { table, zero_points }
            }
            StageAction::Switch => {
                let value = operands::switch_config(&call.argument(0), call.argument_span(0));
                StageKind::Switch(Written {
                    value,
                    ..Written::unknown(call.argument_span(0))
                })
            }
            StageAction::Collect => StageKind::Collect,
            StageAction::Align => self.align(output, call),
            StageAction::Contract { maximum: false } => StageKind::Contract,
            StageAction::Contract { maximum: true } => StageKind::ContractMax,
            StageAction::Accumulate => {
                output.row = None;
                let value = operands::accumulation(&call.argument(0));
                StageKind::Accumulate(Written {
                    value,
                    ..Written::unknown(call.argument_span(0))
                })
            }
            StageAction::VectorInit => StageKind::VectorInit,
            StageAction::VectorBranch => StageKind::VectorBranch(match call.argument(0) {
                Value::Named(named) => operands::branch_mode(&named),
                _ => BranchMode::Unknown,
            }),
            StageAction::VectorUnzip => StageKind::VectorUnzip {
                axis: axis(),
                tile_time: Written::unknown(call.name_span),
            },
            StageAction::VectorAlu {
                stage,
                arity,
                mode,
                zip,
            } => {
                let is_pair = matches!(output.position, Position::VectorPair(_)) || zip;
                StageKind::VectorAlu(self.alu(stage, arity, (mode, zip, is_pair), call))
            }
            StageAction::VectorConvert(_) => {
                let value = call.argument(0).as_u64();
                StageKind::VectorConvert {
                    integer_bits: Written {
                        value,
                        ..Written::unknown(call.argument_span(0))
                    },
                }
            }
            StageAction::VectorStash => StageKind::VectorStash,
            StageAction::VectorFilter => StageKind::VectorFilter,
            StageAction::VectorSplit => StageKind::VectorSplit,
            StageAction::VectorTrim => StageKind::VectorTrim,
            StageAction::VectorConcat => StageKind::VectorConcat,
            StageAction::VectorPad => StageKind::VectorPad,
            StageAction::VectorIntraReduce => StageKind::VectorIntraReduce {
                axis: axis(),
                operation: written_operation(call),
            },
            StageAction::VectorInterReduce => StageKind::VectorInterReduce {
                operation: written_operation(call),
            },
            StageAction::VectorFinal => StageKind::VectorFinal,
            StageAction::Cast => StageKind::Cast,
            StageAction::Transpose => StageKind::Transpose,
        }
    }

    /// The TRF tensor has the stream's type but for its rows and elements; `_` takes its rows.
    fn align(&mut self, output: &mut ShapeSlots, call: &Call) -> StageKind {
        let operand = match call.argument(0) {
            Value::Tensor(id) => self.draft.tensor(id).map(|tensor| (id, tensor.kind)),
            _ => None,
        };
        if let Some((_, kind)) = operand {
            self.draft.scalars.unify(output.scalar, kind.scalar);
            let pairs = [
                (Some(output.chip), kind.levels.chip),
                (Some(output.cluster), kind.levels.cluster),
                (Some(output.slice), kind.levels.slice),
                (output.row, kind.levels.row),
            ];
            for (own, other) in pairs {
                if let (Some(own), Some(other)) = (own, other) {
                    self.draft.mappings.unify(own, other);
                }
            }
        }
        StageKind::Align {
            operand: operand.map(|(id, _)| id),
            operand_span: call.argument_span(0),
        }
    }

    fn alu(
        &mut self,
        stage: VectorStage,
        arity: Arity,
        (mode, zip, is_pair): (bool, bool, bool),
        call: &Call,
    ) -> AluOperation {
        let operation = operands::operation(&call.argument(0));
        let first = 1 + usize::from(mode);
        let groups = if is_pair { 2 } else { 1 };
        let always = match (zip, arity) {
            (false, Arity::Binary | Arity::Ternary) => (0..groups)
                .map(|group| operands::for_all_branches(&call.argument(first + group)))
                .max(),
            _ => None,
        };
        let operands = match (zip, arity) {
            (true, _) => Vec::new(),
            (false, Arity::Unary) if is_pair => (0..2)
                .map(|group| self.unary_group(call, first + group))
                .collect(),
            (false, Arity::Unary) => vec![Vec::new()],
            (false, Arity::Binary | Arity::Ternary) => (0..groups)
                .map(|group| {
                    let (value, span) = (
                        call.argument(first + group),
                        call.argument_span(first + group),
                    );
                    self.operands(&value, span, arity == Arity::Ternary)
                })
                .collect(),
        };
        AluOperation {
            stage,
            enumeration: operation.enumeration,
            variant: operation.variant,
            argument: operation.argument,
            operation_span: call.argument_span(0),
            operands,
            always: always.unwrap_or(0),
            zip,
        }
    }

    /// A group of a unary operation on a pair: `false` skips it.
    fn unary_group(&mut self, call: &Call, index: usize) -> Vec<crate::kernel::Operand> {
        match call.argument(index).as_boolean() {
            Some(false) => vec![crate::kernel::Operand {
                source: OperandSource::Skip,
                span: call.argument_span(index),
            }],
            _ => Vec::new(),
        }
    }

    fn commit(&mut self, pass: usize, before: ShapeSlots, method: &Method, call: &Call) -> Value {
        let target = self.ended_tensor(pass, before, Tier::Dm, method, call);
        self.end(
            pass,
            PassEnd::Commit {
                target,
                span: call.name_span,
            },
        );
        Value::Tensor(target)
    }

    fn load(
        &mut self,
        pass: usize,
        before: ShapeSlots,
        tier: Tier,
        method: &Method,
        call: &Call,
    ) -> Value {
        let target = self.ended_tensor(pass, before, tier, method, call);
        let span = call.name_span;
        self.end(
            pass,
            if tier == Tier::Trf {
                PassEnd::ToTrf { target, span }
            } else {
                PassEnd::ToVrf { target, span }
            },
        );
        Value::Tensor(target)
    }

    fn ended_tensor(
        &mut self,
        pass: usize,
        before: ShapeSlots,
        tier: Tier,
        method: &Method,
        call: &Call,
    ) -> TensorId {
        let generics = self.generics(method, call);
        let levels = levels_of(tier, |level| match level {
            Level::Chip => before.chip,
            Level::Cluster => before.cluster,
            Level::Slice => before.slice,
            _ => generics
                .level(level)
                .unwrap_or_else(|| self.draft.mappings.open(call.name_span)),
        });
        let kind = TensorType {
            tier,
            access: Access::Owned,
            scalar: before.scalar,
            levels,
        };
        let address = self.address(call.arguments.first(), call.name_span);
        self.check_address(pass, !call.arguments.is_empty(), &address);
        self.draft
            .add_tensor(kind, address, OriginDraft::Operation(pass), call.name_span)
    }

    fn commit_view(&mut self, pass: usize, before: ShapeSlots, call: &Call) -> Value {
        let Value::Tensor(target) = call.argument(0) else {
            let reason =
                UnresolvedReason::UnsupportedExpression("the view that a commit writes".to_owned());
            self.draft.fail(pass, reason, call.argument_span(0));
            return Value::Unit;
        };
        if let Some(kind) = self.draft.tensor(target).map(|tensor| tensor.kind) {
            self.draft.scalars.unify(before.scalar, kind.scalar);
            let levels = [
                (before.chip, kind.levels.chip),
                (before.cluster, kind.levels.cluster),
                (before.slice, kind.levels.slice),
            ];
            for (own, other) in levels {
                if let Some(other) = other {
                    self.draft.mappings.unify(own, other);
                }
            }
        }
        self.end(
            pass,
            PassEnd::CommitView {
                target,
                span: call.name_span,
            },
        );
        Value::Unit
    }

    fn end(&mut self, pass: usize, end: PassEnd) {
        if let Some(draft) = self.draft.pass_mut(pass) {
            draft.end = end;
        }
    }
}

/// The position of a stream after a stage.
fn position_after(action: StageAction, before: Position) -> Position {
    let is_pair = matches!(before, Position::VectorPair(_));
    let vector = |stage: VectorStage| {
        if is_pair {
            Position::VectorPair(stage)
        } else {
            Position::Vector(stage)
        }
    };
    match action {
        StageAction::Fetch { .. } => Position::Fetch,
        StageAction::Switch => Position::Switch,
        StageAction::Collect => Position::Collect,
        StageAction::Align => Position::Align,
        StageAction::Contract { .. } => Position::Contract,
        StageAction::Accumulate => Position::Accumulate,
        StageAction::VectorInit => Position::VectorInit,
        StageAction::VectorBranch => Position::Vector(VectorStage::Branch),
        StageAction::VectorUnzip => Position::VectorPair(VectorStage::Branch),
        StageAction::VectorAlu {
            stage, zip: true, ..
        } => Position::Vector(stage),
        StageAction::VectorAlu {
            stage, zip: false, ..
        }
        | StageAction::VectorConvert(stage) => vector(stage),
        StageAction::VectorStash => before,
        StageAction::VectorFilter => vector(VectorStage::Filter),
        StageAction::VectorSplit | StageAction::VectorTrim => vector(VectorStage::Narrow),
        StageAction::VectorConcat | StageAction::VectorPad => vector(VectorStage::Widen),
        StageAction::VectorIntraReduce => vector(VectorStage::IntraSliceReduce),
        StageAction::VectorInterReduce => vector(VectorStage::InterSliceReduce),
        StageAction::VectorFinal => Position::VectorFinal,
        StageAction::Cast => Position::Cast,
        StageAction::Transpose => Position::Transpose,
    }
}

/// The lanes of a stream after a stage.
fn way_after(action: StageAction, before: Option<Way>) -> Option<Way> {
    match action {
        StageAction::Fetch { .. }
        | StageAction::Switch
        | StageAction::Collect
        | StageAction::Align
        | StageAction::Contract { .. }
        | StageAction::Accumulate
        | StageAction::VectorFinal
        | StageAction::Cast
        | StageAction::Transpose => None,
        StageAction::VectorSplit | StageAction::VectorTrim => Some(Way::Way4),
        StageAction::VectorInit
        | StageAction::VectorBranch
        | StageAction::VectorUnzip
        | StageAction::VectorConcat
        | StageAction::VectorPad => Some(Way::Way8),
        StageAction::VectorAlu { .. }
        | StageAction::VectorConvert(_)
        | StageAction::VectorStash
        | StageAction::VectorFilter
        | StageAction::VectorIntraReduce
        | StageAction::VectorInterReduce => before.or(Some(Way::Way8)),
    }
}

/// What a contraction makes of its input's type (library: `ContractionCast`); none for types it does not take.
fn contraction_output(input: ElementType) -> Option<ElementType> {
    match input {
        ElementType::I4 | ElementType::I5 | ElementType::I8 | ElementType::I9 => {
            Some(ElementType::I32)
        }
        ElementType::Bf16 | ElementType::F8E4M3 | ElementType::F8E5M2 => Some(ElementType::F32),
        ElementType::U8
        | ElementType::I16
        | ElementType::I32
        | ElementType::F8
        | ElementType::F16
        | ElementType::F32 => None,
    }
}

fn zero_points_of(call: &Call) -> Vec<ZeroPoint> {
    let span = call.argument_span(0);
    let point = |value: &Value| ZeroPoint {
        value: value
            .as_integer()
            .and_then(|value| i64::try_from(value).ok()),
        span,
    };
    match call.argument(0) {
        Value::Array(values) => values.iter().map(point).collect(),
        value => vec![point(&value)],
    }
}

fn written_operation(call: &Call) -> Written<(String, String)> {
    let operation = operands::operation(&call.argument(0));
    let value =
        (!operation.variant.is_empty()).then_some((operation.enumeration, operation.variant));
    Written {
        value,
        ..Written::unknown(call.argument_span(0))
    }
}
