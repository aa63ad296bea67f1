//! Values of the abstract interpretation.

use std::rc::Rc;
use std::sync::Arc;

use ra_ap_syntax::ast;

use crate::items::{ConstValue, ItemId, Span};

use super::{Elaborate, Placed};

/// A name with arguments that the library gives meaning to: an enum's variant, a constructor of an operand.
#[derive(Debug, Clone)]
pub(crate) struct Named<L: Elaborate> {
    /// The type of the project that it is a value of.
    pub(crate) item: Option<ItemId>,
    /// What the generic parameters of that type stand for, in order; none where that is not known.
    pub(crate) generics: Arc<[L::Binding]>,
    /// The path's segments.
    pub(crate) path: Vec<String>,
    /// The arguments of a call, with their places.
    pub(crate) arguments: Vec<Placed<L>>,
    /// The fields of a struct-like variant: name, value, place.
    pub(crate) fields: Vec<(String, Value<L>, Span)>,
}

impl<L: Elaborate> Named<L> {
    /// The values of its arguments and fields.
    pub(crate) fn part_values(&self) -> impl Iterator<Item = &Value<L>> {
        let fields = self.fields.iter().map(|(_, value, _)| value);
        self.arguments.iter().map(|(value, _)| value).chain(fields)
    }

    /// The last segment: the variant or the function.
    pub(crate) fn name(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    /// The segment before the last: the enum or the type.
    pub(crate) fn owner(&self) -> &str {
        self.path.iter().rev().nth(1).map_or("", String::as_str)
    }
}

/// A closure as written.
#[derive(Debug, Clone)]
pub(crate) struct Closure {
    /// The item whose text it is in.
    pub(crate) item: ItemId,
    /// Its expression.
    pub(crate) expression: ast::ClosureExpr,
}

/// What a `for` runs over.
#[derive(Debug, Clone)]
pub(crate) enum Sequence<L: Elaborate> {
    /// `start, start + step, …`, `count` values.
    Steps { start: i128, step: i128, count: u64 },
    /// Listed values.
    List(Vec<Value<L>>),
    /// Another sequence with the number of each value before it.
    Enumerate(Box<Sequence<L>>),
    /// Two sequences side by side.
    Zip(Box<Sequence<L>>, Box<Sequence<L>>),
}

impl<L: Elaborate> Sequence<L> {
    /// How many values it has.
    pub(crate) fn count(&self) -> u64 {
        match self {
            Self::Steps { count, .. } => *count,
            Self::List(values) => values.len() as u64,
            Self::Enumerate(inner) => inner.count(),
            Self::Zip(first, second) => first.count().min(second.count()),
        }
    }

    /// The value at a place.
    pub(crate) fn value_at(&self, index: u64) -> Value<L> {
        match self {
            Self::Steps { start, step, .. } => step
                .checked_mul(i128::from(index))
                .and_then(|offset| start.checked_add(offset))
                .map_or(Value::Unknown, Value::integer),
            Self::List(values) => usize::try_from(index)
                .ok()
                .and_then(|index| values.get(index))
                .cloned()
                .unwrap_or(Value::Unknown),
            Self::Enumerate(inner) => Value::Tuple(vec![
                Value::integer(i128::from(index)),
                inner.value_at(index),
            ]),
            Self::Zip(first, second) => {
                Value::Tuple(vec![first.value_at(index), second.value_at(index)])
            }
        }
    }

    /// The same backwards.
    pub(crate) fn reversed(self) -> Option<Self> {
        match self {
            Self::Steps { start, step, count } => {
                let last = count
                    .checked_sub(1)
                    .map_or(Some(0), |last| step.checked_mul(i128::from(last)))?;
                Some(Self::Steps {
                    start: start.checked_add(last)?,
                    step: step.checked_neg()?,
                    count,
                })
            }
            Self::List(mut values) => {
                values.reverse();
                Some(Self::List(values))
            }
            Self::Enumerate(_) | Self::Zip(..) => None,
        }
    }
}

/// A value.
#[derive(Debug, Clone)]
pub(crate) enum Value<L: Elaborate> {
    /// Not known.
    Unknown,
    /// `()`.
    Unit,
    /// A number or a boolean, or an array of these; its element type if a literal or a type says it.
    Constant(ConstValue, Option<L::Scalar>),
    /// What only the library knows. References are left out.
    Thing(L::Thing),
    /// A tuple.
    Tuple(Vec<Value<L>>),
    /// An array.
    Array(Vec<Value<L>>),
    /// An iterator.
    Sequence(Sequence<L>),
    /// Something that the library gives meaning to.
    Named(Box<Named<L>>),
    /// A function of the project.
    Function(ItemId),
    /// A closure.
    Closure(Box<Closure>),
    /// Nothing yet: a variable declared with a type and assigned later.
    Declared(Rc<L::Type>),
}

impl<L: Elaborate> Value<L> {
    /// An integer without a type.
    pub(crate) fn integer(value: i128) -> Self {
        Self::Constant(ConstValue::Int(value), None)
    }

    /// A boolean.
    pub(crate) fn boolean(value: bool) -> Self {
        Self::Constant(ConstValue::Bool(value), None)
    }

    /// What a path names that is no value of ours.
    pub(crate) fn named(path: Vec<String>) -> Self {
        Self::Named(Box::new(Named {
            item: None,
            generics: Arc::default(),
            path,
            arguments: Vec::new(),
            fields: Vec::new(),
        }))
    }

    /// The integer, if it is a known one.
    pub(crate) fn as_integer(&self) -> Option<i128> {
        match self {
            Self::Constant(ConstValue::Int(value), _) => Some(*value),
            _ => None,
        }
    }

    /// The integer as an unsigned number of 64 bits.
    pub(crate) fn as_u64(&self) -> Option<u64> {
        u64::try_from(self.as_integer()?).ok()
    }

    /// The boolean, if it is a known one.
    pub(crate) fn as_boolean(&self) -> Option<bool> {
        match self {
            Self::Constant(ConstValue::Bool(value), _) => Some(*value),
            _ => None,
        }
    }

    /// A constant's parts as values: arrays and tuples element by element.
    pub(crate) fn from_constant(value: ConstValue) -> Self {
        match value {
            ConstValue::Array(values) => {
                Self::Array(values.into_iter().map(Self::from_constant).collect())
            }
            ConstValue::Tuple(values) if values.is_empty() => Self::Unit,
            ConstValue::Tuple(values) => {
                Self::Tuple(values.into_iter().map(Self::from_constant).collect())
            }
            ConstValue::Range { start, end } => {
                let count = end
                    .checked_sub(start)
                    .and_then(|count| u64::try_from(count).ok())
                    .unwrap_or(0);
                Self::Sequence(Sequence::Steps {
                    start,
                    step: 1,
                    count,
                })
            }
            ConstValue::Unknown(_) => Self::Unknown,
            ConstValue::Int(_) | ConstValue::Bool(_) | ConstValue::Float(_) => {
                Self::Constant(value, None)
            }
        }
    }

    /// Whether it takes part in operations.
    pub(crate) fn is_device_side(&self) -> bool {
        match self {
            Self::Thing(_) => true,
            Self::Tuple(values) | Self::Array(values) => values.iter().any(Self::is_device_side),
            Self::Named(named) => named.part_values().any(Self::is_device_side),
            Self::Unknown
            | Self::Unit
            | Self::Constant(..)
            | Self::Sequence(_)
            | Self::Function(_)
            | Self::Closure(_)
            | Self::Declared(_) => false,
        }
    }
}
