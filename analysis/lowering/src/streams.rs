//! Methods of streams: stages of a pass, and its ends.
//!
//! One method may ask for several stages, and the catalogue says which stage takes which generic. A stream that began before an
//! undecided branching is copied for each arm: with one pass for both, an ALU that each arm uses once would count as used
//! twice.

use crate::hardware::{ElementType, OperationGroup, contraction_type};
use crate::items::Span;
use crate::kernel::catalogue::{CanonicalStage, Makes, Role};
use crate::kernel::dialect::{Access, Arity, Method, StageUse};
use crate::kernel::{
    AluOperation, BranchMode, Level, Operand, OperandSource, PassEnd, Position, StageKind,
    TensorId, Tier, UnresolvedReason, VectorStage, Written, ZeroPoint,
};

use super::draft::{OriginDraft, StageDraft, levels_of};
use super::operands;
use super::slots::ScalarSlot;
use super::transfers::Generics;
use super::types::{ShapeSlots, TensorType};
use super::{Call, Interpreter, Thing, Value};

impl Interpreter<'_> {
    /// A method of a stream.
    pub(super) fn stream_method(
        &mut self,
        pass: usize,
        method: &'static Method,
        call: &Call,
    ) -> Value {
        let pass = self.fork(pass);
        let Some(before) = self
            .own
            .draft
            .pass(pass)
            .map(super::draft::PassDraft::shape)
        else {
            return Value::Unknown;
        };
        let generics = self.generics(method, call);
        self.stages(pass, before, generics, (method, call))
    }

    /// The stages of a method, one behind the other. A generic says something of the first stage that has a parameter for it;
    /// what no stage has is the last one's.
    fn stages(
        &mut self,
        pass: usize,
        before: ShapeSlots,
        mut generics: Generics,
        (method, call): (&'static Method, &Call),
    ) -> Value {
        let mut shape = before;
        let mut uses = method.stages().iter().peekable();
        while let Some(used) = uses.next() {
            let own = if uses.peek().is_some() {
                generics.take_for(used.stage)
            } else {
                std::mem::take(&mut generics)
            };
            if used.stage.ends_stream() {
                return self.end_stream(pass, shape, used.stage, &own, (method, call));
            }
            shape = self.stage(pass, shape, *used, &own, (method, call));
        }
        Value::Thing(Thing::Stream(pass))
    }

    /// A stream from before an undecided branching goes on in each arm by itself.
    fn fork(&mut self, pass: usize) -> usize {
        let Some(operation) = self.own.draft.operations.get(pass) else {
            return pass;
        };
        if operation.branches.len() >= self.branches.len() {
            return pass;
        }
        let mut copy = operation.clone();
        copy.branches.clone_from(&self.branches);
        copy.superseded = false;
        if let Some(operation) = self.own.draft.operations.get_mut(pass) {
            operation.superseded = true;
        }
        self.own.draft.operations.push(copy);
        self.own.draft.operations.len().saturating_sub(1)
    }

    fn stage(
        &mut self,
        pass: usize,
        before: ShapeSlots,
        used: StageUse,
        generics: &Generics,
        (method, call): (&'static Method, &Call),
    ) -> ShapeSlots {
        let mut output = before;
        for (level, slot) in &generics.levels {
            output = output.with_level(*level, *slot);
        }
        if let Some(scalar) = generics.scalar {
            output.scalar = scalar;
        }
        output.position = used.stage.position_after(before.position, used.merges);
        output.way = used.stage.way_after(before.way);
        output.scalar = self.scalar_after(used.stage, output.scalar, call.name_span);
        if let Some(kind) = self.stage_kind(used, &mut output, generics, (method, call)) {
            let stage = StageDraft {
                kind,
                output,
                method: call.name.clone(),
                span: call.name_span,
                tile_time: generics.indices.first().copied(),
            };
            if let Some(draft) = self.own.draft.pass_mut(pass) {
                draft.stages.push(stage);
            }
        }
        output
    }

    /// The element type after a stage: contractions widen, conversions change it.
    fn scalar_after(
        &mut self,
        stage: CanonicalStage,
        scalar: ScalarSlot,
        span: Span,
    ) -> ScalarSlot {
        match stage.row().makes {
            Makes::Accumulator => match self.own.draft.scalars.value(scalar).copied() {
                Some(input) => match contraction_output(input) {
                    Some(output) => self
                        .own
                        .draft
                        .scalars
                        .known_slot(Written::new(output, span)),
                    None => scalar,
                },
                None => {
                    let output = self.own.draft.scalars.open_slot(span);
                    self.own.contractions.push((scalar, output));
                    output
                }
            },
            Makes::One(made) => self.own.draft.scalars.known_slot(Written::new(made, span)),
            Makes::Same => scalar,
        }
    }

    /// Gives contractions their output types once everything is inferred.
    pub(super) fn settle_contractions(&mut self) {
        for (input, output) in std::mem::take(&mut self.own.contractions) {
            if let Some(scalar) = self
                .own
                .draft
                .scalars
                .value(input)
                .copied()
                .and_then(contraction_output)
            {
                let known = self
                    .own
                    .draft
                    .scalars
                    .known_slot(Written::new(scalar, self.here));
                self.own.draft.scalars.unify(output, known);
            }
        }
    }

    /// What a stage asks of its engine; none for the end of a stream.
    fn stage_kind(
        &mut self,
        used: StageUse,
        output: &mut ShapeSlots,
        generics: &Generics,
        (method, call): (&'static Method, &Call),
    ) -> Option<StageKind> {
        use CanonicalStage as S;
        let words = self.own.dialect.words;
        let set = || {
            let value = call.value_of(method, Role::Configuration);
            (value, call.place_of(method, Role::Configuration))
        };
        let axis = || {
            generics
                .axis
                .clone()
                .unwrap_or_else(|| Written::unknown(call.name_span))
        };
        Some(match used.stage {
            S::Fetch => StageKind::Fetch {
                table: method.has_role(Role::Table),
                zero_points: zero_points_of(method, call),
            },
            S::Switch => {
                let (value, span) = set();
                StageKind::Switch(Written {
                    value: operands::switch_config(&value, span, words),
                    ..Written::unknown(span)
                })
            }
            S::FetchZeroPoint => {
                let point = zero_points_of(method, call).into_iter().next();
                StageKind::FetchZeroPoint(point.unwrap_or(ZeroPoint {
                    value: None,
                    span: call.name_span,
                }))
            }
            S::Align => self.lower_align(output, method, call),
            S::Accumulate => {
                output.row = None;
                let (value, span) = set();
                StageKind::Accumulate(Written {
                    value: operands::accumulation_kind(&value, words),
                    ..Written::unknown(span)
                })
            }
            S::VectorBranch => StageKind::VectorBranch(match set() {
                (Value::Named(named), _) => operands::branch_mode(&named, words),
                _ => BranchMode::Unknown,
            }),
            S::VectorUnzip => StageKind::VectorUnzip {
                axis: axis(),
                tile_time: Written::unknown(call.name_span),
            },
            S::VectorLogic | S::VectorFxp | S::VectorFp | S::VectorFpDiv | S::VectorClip => {
                let is_pair = matches!(output.position, Position::VectorPair(_));
                StageKind::VectorAlu(self.alu(used, is_pair, method, call))
            }
            S::VectorFxpToFp | S::VectorFpToFxp => StageKind::VectorConvert {
                to: used.stage.vector_stage()?,
                integer_bits: Written {
                    value: call.value_of(method, Role::IntegerBits).as_u64(),
                    ..Written::unknown(call.place_of(method, Role::IntegerBits))
                },
            },
            S::VectorIntraReduce => StageKind::VectorIntraReduce {
                axis: axis(),
                operation: written_operation(method, call),
            },
            S::VectorInterReduce => StageKind::VectorInterReduce {
                operation: written_operation(method, call),
            },
            plain => return StageKind::plain_stage(plain),
        })
    }

    /// The TRF tensor has the stream's type but for its rows and elements; `_` takes its rows.
    fn lower_align(&mut self, output: &mut ShapeSlots, method: &Method, call: &Call) -> StageKind {
        let operand = match call.value_of(method, Role::Weights) {
            Value::Thing(Thing::Tensor(id)) => {
                self.own.draft.tensor(id).map(|tensor| (id, tensor.kind))
            }
            _ => None,
        };
        if let Some((_, kind)) = operand {
            self.own.draft.scalars.unify(output.scalar, kind.scalar);
            let pairs = [
                (Some(output.chip), kind.levels.chip),
                (Some(output.cluster), kind.levels.cluster),
                (Some(output.slice), kind.levels.slice),
                (output.row, kind.levels.row),
            ];
            for (own, other) in pairs {
                if let (Some(own), Some(other)) = (own, other) {
                    self.own.draft.mappings.unify(own, other);
                }
            }
        }
        StageKind::Align {
            operand: operand.map(|(id, _)| id),
            operand_span: call.place_of(method, Role::Weights),
        }
    }

    /// The operation that a call names, or the only one that its stage has.
    fn operation_of(
        &self,
        used: StageUse,
        method: &Method,
        call: &Call,
    ) -> operands::OperationName {
        if method.has_role(Role::Operation) {
            return operands::operation_name(&call.value_of(method, Role::Operation));
        }
        let names = self.own.dialect.operations();
        let only = (used.stage == CanonicalStage::VectorFpDiv)
            .then(|| {
                names
                    .of_group(OperationGroup::FloatDivide, ElementType::F32)
                    .next()
            })
            .flatten();
        operands::OperationName {
            enumeration: only.map_or_else(String::new, |only| only.enumeration.to_owned()),
            variant: only.map_or_else(String::new, |only| only.variant.to_owned()),
            argument: None,
        }
    }

    /// An operation of an ALU: on one stream, on each group of a pair, or of two groups that become one stream.
    fn alu(&mut self, used: StageUse, is_pair: bool, method: &Method, call: &Call) -> AluOperation {
        let operation = self.operation_of(used, method, call);
        let words = self.own.dialect.words;
        let arity = method.arity();
        let role = match arity {
            Arity::Unary => Role::GroupRuns,
            Arity::Binary => Role::Operand,
            Arity::Ternary => Role::OperandAndConstant,
        };
        let given = call.all_of(method, role);
        let always = match arity {
            Arity::Unary => None,
            Arity::Binary | Arity::Ternary => given
                .iter()
                .map(|(value, _)| operands::for_all_branches(value, words))
                .max(),
        };
        let operands = match arity {
            Arity::Unary if used.merges => Vec::new(),
            Arity::Unary if is_pair => given.iter().map(unary_group).collect(),
            Arity::Unary => vec![Vec::new()],
            Arity::Binary | Arity::Ternary => given
                .iter()
                .map(|(value, span)| self.operands(value, *span, arity == Arity::Ternary))
                .collect(),
        };
        AluOperation {
            stage: used.stage.vector_stage().unwrap_or(VectorStage::Fp),
            enumeration: operation.enumeration,
            variant: operation.variant,
            argument: operation.argument,
            operation_span: call.place_of(method, Role::Operation),
            operands,
            mode: operands::mode_name(
                &call.value_of(method, Role::Mode),
                &call.value_of(method, Role::Operation),
            ),
            guard: operands::unary_guard(&call.value_of(method, Role::Operation), words),
            always: always.unwrap_or(0),
            zip: used.merges,
        }
    }

    /// The end of a stream: a tensor that it makes, or a view that it writes.
    fn end_stream(
        &mut self,
        pass: usize,
        before: ShapeSlots,
        stage: CanonicalStage,
        generics: &Generics,
        (method, call): (&'static Method, &Call),
    ) -> Value {
        let span = call.name_span;
        let tier = match stage {
            CanonicalStage::CommitView => return self.commit_view(pass, before, method, call),
            CanonicalStage::ToTrf => Tier::Trf,
            CanonicalStage::ToVrf => Tier::Vrf,
            _ => Tier::Dm,
        };
        let target = self.ended_tensor(pass, before, tier, generics, (method, call));
        let end = match tier {
            Tier::Trf => PassEnd::ToTrf { target, span },
            Tier::Vrf => PassEnd::ToVrf { target, span },
            _ => PassEnd::Commit { target, span },
        };
        self.end_pass(pass, end);
        Value::Thing(Thing::Tensor(target))
    }

    fn ended_tensor(
        &mut self,
        pass: usize,
        before: ShapeSlots,
        tier: Tier,
        generics: &Generics,
        (method, call): (&Method, &Call),
    ) -> TensorId {
        let levels = levels_of(tier, |level| match level {
            Level::Chip => before.chip,
            Level::Cluster => before.cluster,
            Level::Slice => before.slice,
            _ => generics
                .level(level)
                .unwrap_or_else(|| self.own.draft.mappings.open_slot(call.name_span)),
        });
        let kind = TensorType {
            tier,
            access: Access::Owned,
            scalar: before.scalar,
            levels,
        };
        let given = call.given_argument(method, Role::Address);
        let address = self.address(given, call.name_span);
        self.check_address(pass, given.is_some(), &address);
        self.own
            .draft
            .add_tensor(kind, address, OriginDraft::Operation(pass), call.name_span)
    }

    fn commit_view(
        &mut self,
        pass: usize,
        before: ShapeSlots,
        method: &Method,
        call: &Call,
    ) -> Value {
        let Value::Thing(Thing::Tensor(target)) = call.value_of(method, Role::Target) else {
            let reason =
                UnresolvedReason::UnsupportedExpression("the view that a commit writes".to_owned());
            let place = call.place_of(method, Role::Target);
            self.own.draft.fail(pass, reason, place);
            return Value::Unit;
        };
        if let Some(kind) = self.own.draft.tensor(target).map(|tensor| tensor.kind) {
            self.own.draft.scalars.unify(before.scalar, kind.scalar);
            let levels = [
                (before.chip, kind.levels.chip),
                (before.cluster, kind.levels.cluster),
                (before.slice, kind.levels.slice),
            ];
            for (own, other) in levels {
                if let Some(other) = other {
                    self.own.draft.mappings.unify(own, other);
                }
            }
        }
        self.end_pass(
            pass,
            PassEnd::CommitView {
                target,
                span: call.name_span,
            },
        );
        Value::Unit
    }

    fn end_pass(&mut self, pass: usize, end: PassEnd) {
        if let Some(draft) = self.own.draft.pass_mut(pass) {
            draft.end = end;
        }
    }
}

/// What a contraction makes of its input's type; none for types of which no table says it.
fn contraction_output(input: ElementType) -> Option<ElementType> {
    contraction_type(input)?.accumulator
}

/// A group of a unary operation on a pair: `false` skips it.
fn unary_group((value, span): &(Value, Span)) -> Vec<Operand> {
    match value.as_boolean() {
        Some(false) => vec![Operand {
            source: OperandSource::Skip,
            guard: None,
            group: None,
            number: None,
            span: *span,
        }],
        _ => Vec::new(),
    }
}

fn zero_points_of(method: &Method, call: &Call) -> Vec<ZeroPoint> {
    if !method.has_role(Role::ZeroPoints) {
        return Vec::new();
    }
    let span = call.place_of(method, Role::ZeroPoints);
    let point = |value: &Value| ZeroPoint {
        value: value
            .as_integer()
            .and_then(|value| i64::try_from(value).ok()),
        span,
    };
    match call.value_of(method, Role::ZeroPoints) {
        Value::Array(values) => values.iter().map(point).collect(),
        value => vec![point(&value)],
    }
}

fn written_operation(method: &Method, call: &Call) -> Written<(String, String)> {
    let operation = operands::operation_name(&call.value_of(method, Role::Operation));
    let value =
        (!operation.variant.is_empty()).then_some((operation.enumeration, operation.variant));
    Written {
        value,
        ..Written::unknown(call.place_of(method, Role::Operation))
    }
}
