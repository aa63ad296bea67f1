//! Methods of Rust on numbers, arrays, iterators and options.

use crate::items::{self, ConstValue};

use super::values::{Named, Sequence, Value};
use super::{Call, Elaborate, SEQUENCE_LIMIT};

/// Methods of Rust that give what they are called on.
pub(crate) fn is_plain(name: &str) -> bool {
    matches!(
        name,
        "clone"
            | "into"
            | "as_ref"
            | "as_mut"
            | "borrow"
            | "borrow_mut"
            | "unwrap"
            | "expect"
            | "iter"
            | "iter_mut"
            | "into_iter"
            | "copied"
            | "cloned"
            | "as_slice"
            | "to_owned"
            | "deref"
            | "deref_mut"
            | "by_ref"
    )
}

/// Methods of a name of the library: `FpDivBinaryOp::DivF.with_mode(..)` is still that operation; an option's value.
pub(crate) fn named_method<L: Elaborate>(mut named: Box<Named<L>>, call: &Call<L>) -> Value<L> {
    if let ("with_mode", [(mode, place)]) = (call.name.as_str(), call.arguments.as_slice()) {
        named.fields.push(("mode".to_owned(), mode.clone(), *place));
        return Value::Named(named);
    }
    let is_some = matches!(named.name(), "Some" | "Ok");
    match (call.name.as_str(), named.arguments.first()) {
        (
            "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "unwrap_unchecked",
            Some((value, _)),
        ) if is_some => value.clone(),
        ("is_some", _) => Value::boolean(is_some),
        ("is_none", _) => Value::boolean(named.name() == "None"),
        _ => Value::Named(named),
    }
}

/// Methods of iterators and arrays.
pub(crate) fn sequence_method<L: Elaborate>(receiver: Value<L>, call: &Call<L>) -> Value<L> {
    let sequence = match receiver {
        Value::Sequence(sequence) => sequence,
        Value::Array(values) if call.name == "len" => {
            return Value::integer(i128::try_from(values.len()).unwrap_or(i128::MAX));
        }
        // A list as an array: as many values as there are.
        value @ Value::Array(_) if call.name == "try_into" => {
            let mut made = Value::named(vec!["Ok".to_owned()]);
            if let Value::Named(named) = &mut made {
                named.arguments.push((value, call.name_span));
            }
            return made;
        }
        Value::Array(values) => Sequence::List(values),
        value => return number_method(&value, call),
    };
    match call.name.as_str() {
        "len" | "count" => Value::integer(i128::from(sequence.count())),
        "rev" if !matches!(sequence, Sequence::Enumerate(_) | Sequence::Zip(..)) => {
            sequence.reversed().map_or(Value::Unknown, Value::Sequence)
        }
        "enumerate" => Value::Sequence(Sequence::Enumerate(Box::new(sequence))),
        "zip" => match call.argument(0) {
            Value::Sequence(other) => {
                Value::Sequence(Sequence::Zip(Box::new(sequence), Box::new(other)))
            }
            Value::Array(values) => Value::Sequence(Sequence::Zip(
                Box::new(sequence),
                Box::new(Sequence::List(values)),
            )),
            _ => Value::Unknown,
        },
        "collect" | "to_vec" if sequence.count() <= SEQUENCE_LIMIT => Value::Array(
            (0..sequence.count())
                .map(|index| sequence.value_at(index))
                .collect(),
        ),
        "step_by" => step_by(sequence, call.argument(0).as_u64()),
        _ => listed_values(&sequence).map_or(Value::Unknown, |values| list_method(values, call)),
    }
}

/// The values of a sequence that is short.
pub(super) fn listed_values<L: Elaborate>(sequence: &Sequence<L>) -> Option<Vec<Value<L>>> {
    let count = sequence.count();
    (count <= SEQUENCE_LIMIT).then(|| (0..count).map(|index| sequence.value_at(index)).collect())
}

/// Methods that take values of a list apart or together.
fn list_method<L: Elaborate>(mut values: Vec<Value<L>>, call: &Call<L>) -> Value<L> {
    let number = call.argument(0).as_u64();
    let number = number.and_then(|number| usize::try_from(number).ok());
    let list = |values| Value::Sequence(Sequence::List(values));
    match (call.name.as_str(), number) {
        ("skip", Some(count)) => list(values.into_iter().skip(count).collect()),
        ("take", Some(count)) => list(values.into_iter().take(count).collect()),
        ("chunks" | "chunks_exact", Some(length)) if length > 0 => {
            let parts = values
                .chunks(length)
                .map(|part| Value::Array(part.to_vec()));
            list(parts.collect())
        }
        ("windows", Some(length)) if length > 0 => {
            let parts = values
                .windows(length)
                .map(|part| Value::Array(part.to_vec()));
            list(parts.collect())
        }
        ("chain", _) => match call.argument(0) {
            Value::Sequence(other) => match listed_values(&other) {
                Some(other) => {
                    values.extend(other);
                    list(values)
                }
                None => Value::Unknown,
            },
            Value::Array(other) => {
                values.extend(other);
                list(values)
            }
            _ => Value::Unknown,
        },
        ("rev", _) => {
            values.reverse();
            list(values)
        }
        ("split_at" | "split_at_mut", Some(at)) if at <= values.len() => {
            let rest = values.split_off(at);
            Value::Tuple(vec![Value::Array(values), Value::Array(rest)])
        }
        _ => Value::Unknown,
    }
}

fn step_by<L: Elaborate>(sequence: Sequence<L>, by: Option<u64>) -> Value<L> {
    let Some(by) = by.filter(|by| *by > 0) else {
        return Value::Unknown;
    };
    match sequence {
        Sequence::Steps { start, step, count } => match step.checked_mul(i128::from(by)) {
            Some(step) => Value::Sequence(Sequence::Steps {
                start,
                step,
                count: count.div_ceil(by),
            }),
            None => Value::Unknown,
        },
        Sequence::List(values) => match usize::try_from(by) {
            Ok(by) => Value::Sequence(Sequence::List(values.into_iter().step_by(by).collect())),
            Err(_) => Value::Unknown,
        },
        Sequence::Enumerate(_) | Sequence::Zip(..) => Value::Unknown,
    }
}

/// Methods of numbers that addresses and starts are computed with.
fn number_method<L: Elaborate>(receiver: &Value<L>, call: &Call<L>) -> Value<L> {
    let Value::Constant(_, scalar) = receiver else {
        return Value::Unknown;
    };
    // A method of a number gives a number that need not be computed here.
    let unknown = Value::Constant(ConstValue::Unknown("a method of a number"), *scalar);
    if let Value::Constant(ConstValue::Float(float), _) = receiver {
        let argument = call.argument(0);
        let other = match &argument {
            Value::Constant(ConstValue::Float(other), _) => Some(*other),
            _ => None,
        };
        return match float.method(&call.name, other, argument.as_integer()) {
            Some(float) => Value::Constant(ConstValue::Float(float), *scalar),
            None => unknown,
        };
    }
    let (Some(left), right) = (receiver.as_integer(), call.argument(0).as_integer()) else {
        return unknown;
    };
    match items::integer_method(&call.name, left, right, None) {
        ConstValue::Bool(holds) => Value::boolean(holds),
        ConstValue::Int(number) => Value::integer(number),
        _ => unknown,
    }
}
