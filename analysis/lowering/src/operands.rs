//! Arguments that name something of the library: switch configurations, ALU operations, operands, branch modes.

use std::sync::Arc;

use crate::hardware::ElementType;
use crate::items::{ConstValue, Span};
use crate::kernel::dialect::{ConditionWord, GuardWord, OperandWord, Words};
use crate::kernel::{
    AccumulationKind, BranchMode, Comparison, Guard, Operand, OperandSource, SwitchConfig,
    SwitchParameter, Tier, Written,
};

use super::{Call, Interpreter, Named, Thing, Value};

/// The field in which an operation keeps the order of arguments that `with_mode` gives it.
const MODE_FIELD: &str = "mode";

/// Nesting of operands that is followed.
const DEPTH: u32 = 8;

/// An operation of an ALU as written.
pub(super) struct OperationName {
    pub(super) enumeration: String,
    pub(super) variant: String,
    pub(super) argument: Option<String>,
}

/// The operation that an argument names; empty words where it could not be followed. A method on a name
/// gives the name itself.
pub(super) fn operation_name(value: &Value) -> OperationName {
    // A guarded operation is a pair of guard and operation.
    if let Value::Tuple(parts) = value
        && let [_, guarded] = parts.as_slice()
    {
        return operation_name(guarded);
    }
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

/// The accumulator's layout that a name means.
pub(super) fn accumulation_kind(value: &Value, words: &Words) -> Option<AccumulationKind> {
    match value {
        Value::Named(named) => words.accumulation(named.name()),
        _ => None,
    }
}

/// The switch configuration that a struct-like variant means. `span` is the whole expression.
pub(super) fn switch_config(value: &Value, span: Span, words: &Words) -> Option<SwitchConfig> {
    let Value::Named(named) = value else {
        return None;
    };
    let word = words.switch(named.name())?;
    let size = |wanted: SwitchParameter| {
        let mut fields = word.fields.iter();
        let written = fields
            .find(|(_, parameter)| *parameter == wanted)
            .and_then(|(name, _)| named.fields.iter().find(|(field, ..)| field == name));
        written.map_or_else(
            || Written::unknown(span),
            |(_, value, span)| Written {
                value: value.as_u64(),
                ..Written::unknown(*span)
            },
        )
    };
    Some(SwitchConfig::new(word.topology, size))
}

/// The branch mode that a name means.
pub(super) fn branch_mode(named: &Named, words: &Words) -> BranchMode {
    // Rust's `Default`: both libraries derive it as the mode without conditions.
    if named.name() == "default" {
        return BranchMode::Unconditional;
    }
    if named.name() != words.comparison {
        let mode = words.branch_mode(named.name());
        return match mode {
            Some(BranchMode::AxisToggle(_)) => BranchMode::AxisToggle(toggled(named)),
            mode => mode.unwrap_or(BranchMode::Unknown),
        };
    }
    match named.arguments.first() {
        Some((Value::Array(comparisons), _)) => comparisons
            .iter()
            .map(|comparison| comparison_of(comparison, words))
            .collect::<Option<Vec<_>>>()
            .map_or(BranchMode::Unknown, BranchMode::Comparison),
        _ => BranchMode::Unknown,
    }
}

/// The path of the axis that a mode names.
fn toggled(mode: &Named) -> Option<String> {
    match mode.part_values().next() {
        Some(Value::Named(axis)) => Some(axis.path.join("::")),
        _ => None,
    }
}

/// The element type that a comparison is for, as far as it says one; `None` for what is no comparison.
fn comparison_type(value: &Value, words: &Words) -> Option<Option<ElementType>> {
    let Value::Named(named) = value else {
        return None;
    };
    let mut comparisons = words.comparisons.iter();
    if let Some((.., element_type)) =
        comparisons.find(|(variant, owner, _)| named.name() == *variant || named.owner() == *owner)
    {
        return Some(Some(*element_type));
    }
    // The same variants for each type: the boundary may say which.
    (named.owner() == words.comparison_type).then(|| match named.arguments.first() {
        Some((Value::Constant(_, scalar), _)) => *scalar,
        _ => None,
    })
}

/// A comparison of the elements of a stream; `None` for what is no comparison.
fn comparison_of(value: &Value, words: &Words) -> Option<Comparison> {
    let element_type = comparison_type(value, words)?;
    // The variant of a type holds the comparison itself: `InputCmp::F32(InputCmpF32::Less { boundary })`.
    let mut relation = value;
    let mut boundary = None;
    for _ in 0..2 {
        let Value::Named(named) = relation else {
            break;
        };
        match named.part_values().next() {
            Some(inner @ Value::Named(_)) => relation = inner,
            Some(number) => boundary = number_of(number),
            None => {}
        }
    }
    let Value::Named(named) = relation else {
        return None;
    };
    Some(Comparison {
        relation: named.name().to_owned(),
        element_type,
        boundary,
    })
}

/// The number that a value is, where it is known.
pub(super) fn number_of(value: &Value) -> Option<ConstValue> {
    match value {
        Value::Constant(
            value @ (ConstValue::Int(_) | ConstValue::Float(_) | ConstValue::Bool(_)),
            _,
        ) => Some(value.clone()),
        _ => None,
    }
}

/// The order of arguments that a name means; it may be written on the operation.
pub(super) fn mode_name(given: &Value, operation: &Value) -> Option<String> {
    if let Value::Named(named) = given {
        return Some(named.name().to_owned());
    }
    let Value::Named(operation) = operation else {
        return None;
    };
    let mut fields = operation.fields.iter();
    let (_, mode, _) = fields.find(|(name, ..)| name == MODE_FIELD)?;
    mode_name(mode, &Value::Unknown)
}

/// The elements that a guarded unary operation is for; none where it is not guarded.
pub(super) fn unary_guard(value: &Value, words: &Words) -> Option<Guard> {
    match value {
        Value::Tuple(parts) => match parts.as_slice() {
            [guard, _] => Some(guard_of(guard, words)),
            _ => None,
        },
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
        let number = number_of(value);
        let mut push = |source: OperandSource| {
            operands.push(Operand {
                source,
                guard: None,
                group: None,
                number: number.clone(),
                span,
            });
        };
        if depth > DEPTH {
            return push(OperandSource::Unknown);
        }
        match value {
            Value::Unit => push(OperandSource::Skip),
            Value::Constant(ConstValue::Int(_), scalar) => push(OperandSource::Constant(*scalar)),
            Value::Constant(_, scalar) => push(OperandSource::Constant(*scalar)),
            Value::Thing(Thing::Tensor(id)) => {
                let in_vrf = self
                    .own
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
                [first, second] if ternary && self.is_paired(second) => {
                    self.collect_operands(first, span, false, depth + 1, operands);
                    self.collect_operands(second, span, false, depth + 1, operands);
                }
                [first, second] if ternary && is_operand(second, self.own.dialect.words) => {
                    self.collect_operands(first, span, false, depth + 1, operands);
                    self.collect_operands(second, span, false, depth + 1, operands);
                }
                [first, rest @ ..] => {
                    let from = operands.len();
                    self.collect_operands(first, span, ternary, depth + 1, operands);
                    self.give_group(rest.last(), operands.get_mut(from..));
                }
                [] => push(OperandSource::Skip),
            },
            Value::Named(named) => self.named_operand(named, span, ternary, depth, operands),
            _ => push(OperandSource::Unknown),
        }
    }

    /// Whether the second part of a ternary operand is its constant, as where operands have guards.
    fn is_paired(&self, second: &Value) -> bool {
        let words = self.own.dialect.words;
        !words.slots_type.is_empty() && is_operand(second, words)
    }

    /// Whether a method on the first guarded operand adds another one.
    pub(super) fn adds_slot(&self, first: &Named, call: &Call) -> bool {
        let words = self.own.dialect.words;
        let is_slot = |name: &str| words.operand(name) == Some(OperandWord::Slot);
        first.owner() == words.slots_type && is_slot(first.name()) && is_slot(&call.name)
    }

    /// Whether a method on guarded operands adds another one.
    pub(super) fn adds_slot_to(&self, slots: &[Value], call: &Call) -> bool {
        match slots.first() {
            Some(Value::Named(first)) => self.adds_slot(first, call),
            _ => false,
        }
    }

    /// Whether a method adds the first operand to an empty list.
    pub(super) fn begins_list(&self, list: &Named, call: &Call) -> bool {
        let (ty, methods) = self.own.dialect.words.lists;
        let is_empty = matches!(list.name(), "new" | "default") && list.arguments.is_empty();
        is_empty && list.owner() == ty && methods.contains(&call.name.as_str())
    }

    /// Whether a method adds another operand to a list.
    pub(super) fn adds_to_list(&self, list: &[Value], call: &Call) -> bool {
        let (ty, methods) = self.own.dialect.words.lists;
        let is_of_list =
            |first: &Value| matches!(first, Value::Named(first) if first.owner() == ty);
        list.first().is_some_and(is_of_list) && methods.contains(&call.name.as_str())
    }

    /// The operand that a method adds to a list.
    pub(super) fn listed_operand(&self, call: &Call) -> Value {
        let (ty, _) = self.own.dialect.words.lists;
        Value::Named(Box::new(Named {
            item: None,
            generics: Arc::default(),
            path: vec![ty.to_owned(), call.name.clone()],
            arguments: call.arguments.clone(),
            fields: Vec::new(),
        }))
    }

    /// The guarded operand that a method adds.
    pub(super) fn guarded_operand(&self, call: &Call) -> Value {
        let owner = self.own.dialect.words.slots_type.to_owned();
        Value::Named(Box::new(Named {
            item: None,
            generics: Arc::default(),
            path: vec![owner, call.name.clone()],
            arguments: call.arguments.clone(),
            fields: Vec::new(),
        }))
    }

    /// Says of operands which group they are for, where a value beside them does: `(operand, group)` of releases before slots.
    fn give_group(&self, value: Option<&Value>, operands: Option<&mut [Operand]>) {
        let group = value.and_then(|value| group_of(value, self.own.dialect.words));
        for operand in operands.into_iter().flatten() {
            operand.group = group.or(operand.group);
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
        let mut push = |source: OperandSource| {
            operands.push(Operand {
                source,
                guard: None,
                group: None,
                number: None,
                span,
            });
        };
        let word = self.own.dialect.words.operand(named.name());
        match (word, named.arguments.as_slice()) {
            (Some(OperandWord::Slot), [(guard, _), (value, place)]) => {
                let guard = guard_of(guard, self.own.dialect.words);
                let from = operands.len();
                self.collect_operands(value, *place, ternary, depth + 1, operands);
                // Of a pair the operand is guarded, and its constant with it.
                for operand in operands.iter_mut().skip(from) {
                    operand.guard = Some(guard);
                }
            }
            (Some(OperandWord::Stash | OperandWord::StashAlways), arguments) => {
                push(OperandSource::Stash);
                let group = arguments.last().map(|(group, _)| group);
                let own = operands.len().saturating_sub(1);
                self.give_group(group, operands.get_mut(own..));
            }
            (Some(OperandWord::None), []) => push(OperandSource::Skip),
            (
                Some(OperandWord::First | OperandWord::FirstAlways | OperandWord::Wraps),
                [(first, span), rest @ ..],
            ) => {
                let from = operands.len();
                self.collect_operands(first, *span, ternary, depth + 1, operands);
                let group = rest.last().map(|(group, _)| group);
                self.give_group(group, operands.get_mut(from..));
            }
            _ => push(OperandSource::Unknown),
        }
    }
}

/// The elements that a guard admits.
pub(super) fn guard_of(value: &Value, words: &Words) -> Guard {
    let Value::Named(named) = value else {
        return Guard::Unknown;
    };
    let first = named.arguments.first().map(|(value, _)| value);
    let bits = || match first {
        Some(Value::Array(bits)) => {
            let mut required = [None; 4];
            if bits.len() != required.len() {
                return None;
            }
            for (place, bit) in required.iter_mut().zip(bits) {
                let Value::Named(bit) = bit else {
                    return None;
                };
                *place = words.bit(bit.name())?;
            }
            Some(required)
        }
        _ => None,
    };
    let group = || match first {
        Some(Value::Named(group)) => words.group(group.name()),
        _ => None,
    };
    let known = match words.guard(named.name()) {
        Some(GuardWord::All) => Some(Guard::All),
        Some(GuardWord::Group) => group().map(Guard::Group),
        Some(GuardWord::Matches) => bits().map(Guard::Matches),
        Some(GuardWord::NotMatches) => bits().map(Guard::NotMatches),
        None => None,
    };
    known.unwrap_or(Guard::Unknown)
}

/// The elements that a group of a release before slots is for: `GroupId::One`, or a filter that holds one; `None` for what is no group.
fn group_of(value: &Value, words: &Words) -> Option<Guard> {
    let Value::Named(named) = value else {
        return None;
    };
    if words.condition(named.name()) == Some(ConditionWord::Always) {
        return Some(Guard::All);
    }
    let group = words.group(named.name()).map(Guard::Group);
    group.or_else(|| {
        named
            .part_values()
            .next()
            .and_then(|inner| group_of(inner, words))
    })
}

/// How many operands of a list are said to be for all branches.
pub(super) fn for_all_branches(value: &Value, words: &Words) -> u64 {
    match value {
        Value::Array(values) => values
            .iter()
            .map(|value| for_all_branches(value, words))
            .sum(),
        Value::Tuple(values) => u64::from(values.iter().any(|part| {
            let Value::Named(named) = part else {
                return false;
            };
            words.condition(named.name()) == Some(ConditionWord::Always)
        })),
        Value::Named(named) => match (words.operand(named.name()), named.arguments.as_slice()) {
            (Some(OperandWord::FirstAlways | OperandWord::StashAlways), _) => 1,
            (Some(OperandWord::Wraps), [(first, _)]) => for_all_branches(first, words),
            _ => 0,
        },
        _ => 0,
    }
}

/// Whether the second part of a pair is an operand and not a group.
fn is_operand(value: &Value, words: &Words) -> bool {
    match value {
        Value::Constant(..) | Value::Unknown => true,
        Value::Named(named) => named.owner() == words.operand_type,
        _ => false,
    }
}
