//! Arguments that name something of the library: switch configurations, ALU operations, operands, branch modes.

use crate::hardware::ElementType;
use crate::items::{ConstValue, Span};
use crate::kernel::{
    AccumulationKind, BranchMode, Operand, OperandSource, SwitchConfig, Tier, TrfAddress, Written,
};

use super::Interpreter;
use super::values::{Named, Value};

/// Nesting of operands that is followed.
const DEPTH: u32 = 8;

/// An operation of an ALU as written.
pub(super) struct OperationName {
    pub(super) enumeration: String,
    pub(super) variant: String,
    pub(super) argument: Option<String>,
}

/// The operation that an argument names; empty words where it could not be followed. `FpDivBinaryOp::DivF.with_mode(..)`
/// names `DivF`: methods on a name give the name itself.
pub(super) fn operation(value: &Value) -> OperationName {
    let Value::Named(named) = value else {
        return OperationName {
            enumeration: String::new(),
            variant: String::new(),
            argument: None,
        };
    };
    let argument = named.arguments.first().and_then(|(value, _)| match value {
        Value::Named(inner) => Some(inner.name().to_owned()),
        _ => None,
    });
    OperationName {
        enumeration: named.owner().to_owned(),
        variant: named.name().to_owned(),
        argument,
    }
}

/// The region of the TRF that a name means.
pub(super) fn trf_address(named: &Named) -> Option<TrfAddress> {
    match named.name() {
        "FirstHalf" => Some(TrfAddress::FirstHalf),
        "SecondHalf" => Some(TrfAddress::SecondHalf),
        "Full" => Some(TrfAddress::Full),
        _ => None,
    }
}

/// The accumulator's layout that a name means.
pub(super) fn accumulation(value: &Value) -> Option<AccumulationKind> {
    let Value::Named(named) = value else {
        return None;
    };
    match named.name() {
        "Interleaved" => Some(AccumulationKind::Interleaved),
        "Sequential" => Some(AccumulationKind::Sequential),
        _ => None,
    }
}

/// The switch configuration that a struct-like variant means. `span` is the whole expression.
pub(super) fn switch_config(value: &Value, span: Span) -> Option<SwitchConfig> {
    let Value::Named(named) = value else {
        return None;
    };
    let field = |name: &str| {
        named
            .fields
            .iter()
            .find(|(field, ..)| field == name)
            .map_or_else(
                || Written::unknown(span),
                |(_, value, span)| Written {
                    value: value.as_u64(),
                    ..Written::unknown(*span)
                },
            )
    };
    Some(match named.name() {
        "Broadcast01" => SwitchConfig::Broadcast01 {
            slice1: field("slice1"),
            slice0: field("slice0"),
            time0: field("time0"),
        },
        "Broadcast1" => SwitchConfig::Broadcast1 {
            slice1: field("slice1"),
            slice0: field("slice0"),
        },
        "Transpose" => SwitchConfig::Transpose {
            slice1: field("slice1"),
            slice0: field("slice0"),
        },
        "InterTranspose" => SwitchConfig::InterTranspose {
            slice1: field("slice1"),
            slice0: field("slice0"),
            time0: field("time0"),
        },
        "CustomBroadcast" => SwitchConfig::CustomBroadcast {
            ring_size: field("ring_size"),
        },
        "TransposedBroadcast1" => SwitchConfig::TransposedBroadcast1 {
            slice1: field("slice1"),
            slice0: field("slice0"),
        },
        _ => return None,
    })
}

/// The branch mode that a name means.
pub(super) fn branch_mode(named: &Named) -> BranchMode {
    match named.name() {
        "Unconditional" => BranchMode::Unconditional,
        "AxisToggle" => BranchMode::AxisToggle,
        "ValidCount" => BranchMode::ValidCount,
        "Vrf" => BranchMode::Vrf,
        "Comparison" => match named.arguments.first() {
            Some((Value::Array(comparisons), _)) => comparisons
                .iter()
                .map(comparison_type)
                .collect::<Option<_>>()
                .map_or(BranchMode::Unknown, BranchMode::Comparison),
            _ => BranchMode::Unknown,
        },
        _ => BranchMode::Unknown,
    }
}

/// The element type that a comparison is for: `InputCmp::I32(..)`.
fn comparison_type(value: &Value) -> Option<ElementType> {
    let Value::Named(named) = value else {
        return None;
    };
    match (named.name(), named.owner()) {
        ("I32", _) | (_, "InputCmpI32") => Some(ElementType::I32),
        ("F32", _) | (_, "InputCmpF32") => Some(ElementType::F32),
        _ => None,
    }
}

impl Interpreter<'_> {
    /// The operands that an argument means: one, or one a branch.
    pub(super) fn operands(&self, value: &Value, span: Span, ternary: bool) -> Vec<Operand> {
        let mut operands = Vec::new();
        self.collect_operands(value, span, ternary, 0, &mut operands);
        operands
    }

    fn collect_operands(
        &self,
        value: &Value,
        span: Span,
        ternary: bool,
        depth: u32,
        operands: &mut Vec<Operand>,
    ) {
        let mut push = |source: OperandSource| operands.push(Operand { source, span });
        if depth > DEPTH {
            return push(OperandSource::Unknown);
        }
        match value {
            Value::Unit => push(OperandSource::Skip),
            Value::Constant(ConstValue::Int(_), scalar) => push(OperandSource::Constant(*scalar)),
            Value::Constant(_, scalar) => push(OperandSource::Constant(*scalar)),
            Value::Tensor(id) => {
                let in_vrf = self
                    .draft
                    .tensor(*id)
                    .is_some_and(|tensor| tensor.kind.tier == Tier::Vrf);
                push(if in_vrf {
                    OperandSource::Vrf(*id)
                } else {
                    OperandSource::Unknown
                });
            }
            Value::Array(values) => {
                for value in values {
                    self.collect_operands(value, span, ternary, depth + 1, operands);
                }
            }
            // `(operand, group)`, and for three arguments `(operand, constant)` or that with a group.
            Value::Tuple(values) => match values.as_slice() {
                [first, second] if ternary && is_operand(second) => {
                    self.collect_operands(first, span, false, depth + 1, operands);
                    self.collect_operands(second, span, false, depth + 1, operands);
                }
                [first, ..] => self.collect_operands(first, span, ternary, depth + 1, operands),
                [] => push(OperandSource::Skip),
            },
            Value::Named(named) => self.named_operand(named, span, ternary, depth, operands),
            _ => push(OperandSource::Unknown),
        }
    }

    fn named_operand(
        &self,
        named: &Named,
        span: Span,
        ternary: bool,
        depth: u32,
        operands: &mut Vec<Operand>,
    ) {
        let mut push = |source: OperandSource| operands.push(Operand { source, span });
        match (named.name(), named.arguments.as_slice()) {
            ("Stash" | "stash_always" | "stash_group", _) => push(OperandSource::Stash),
            ("None", []) => push(OperandSource::Skip),
            (
                "constant" | "vrf" | "always" | "group" | "Some" | "new" | "from",
                [(first, span), ..],
            ) => {
                self.collect_operands(first, *span, ternary, depth + 1, operands);
            }
            _ => push(OperandSource::Unknown),
        }
    }
}

/// How many operands of a list are said to be for all branches.
pub(super) fn for_all_branches(value: &Value) -> u64 {
    match value {
        Value::Array(values) => values.iter().map(for_all_branches).sum(),
        Value::Tuple(values) => u64::from(
            values
                .iter()
                .any(|part| matches!(part, Value::Named(named) if named.name() == "ValidAlways")),
        ),
        Value::Named(named) => match (named.name(), named.arguments.as_slice()) {
            ("always" | "stash_always", _) => 1,
            ("new" | "from", [(first, _)]) => for_all_branches(first),
            _ => 0,
        },
        _ => 0,
    }
}

/// Whether the second part of a pair is an operand and not a group.
fn is_operand(value: &Value) -> bool {
    match value {
        Value::Constant(..) | Value::Unknown => true,
        Value::Named(named) => matches!(named.owner(), "VeRhs"),
        _ => false,
    }
}
