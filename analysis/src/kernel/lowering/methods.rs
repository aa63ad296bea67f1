//! Methods: by the receiver in the dialect's table, or Rust's own on numbers, arrays, iterators and closures.

use crate::items::{ConstValue, Span};
use crate::kernel::dialect::{Accessor, Action, Method, Receiver};
use crate::kernel::{Context, Position, TensorId, UnresolvedReason};

use super::calls::Call;
use super::values::{Closure, Named, Sequence, Value};
use super::{CALL_WEIGHT, Flow, Interpreter};

/// Values of a sequence that are listed one by one.
const SEQUENCE_LIMIT: u64 = 1_024;

impl Interpreter<'_> {
    /// A call of a closure where it was made: it sees the variables of the call instead of its own, which differ only
    /// where one of them was shadowed in between.
    pub(super) fn call_closure(&mut self, closure: &Closure, arguments: &[(Value, Span)]) -> Value {
        if closure.item != self.frame.site.item {
            return Value::Unknown;
        }
        let Some(body) = closure.expression.body() else {
            return Value::Unknown;
        };
        self.closure_is_followed(closure);
        self.expressions = self.expressions.saturating_add(CALL_WEIGHT);
        let outer = self.frame.variables.len();
        let parameters = closure
            .expression
            .param_list()
            .into_iter()
            .flat_map(|list| list.params().collect::<Vec<_>>());
        for (index, parameter) in parameters.enumerate() {
            let value = arguments
                .get(index)
                .map_or(Value::Unknown, |(value, _)| value.clone());
            if let Some(pattern) = parameter.pat() {
                self.bind(&pattern, value);
            }
        }
        let value = self.expression(&body);
        self.frame.variables.truncate(outer);
        if self.flow == Flow::Return {
            self.flow = Flow::Next;
            return self.frame.returned.take().unwrap_or(Value::Unknown);
        }
        value
    }

    /// `map` and `for_each`: the closure runs on each value of a short sequence.
    fn closure_method(&mut self, receiver: Value, call: &Call) -> Value {
        let Value::Closure(closure) = call.argument(0) else {
            return Value::Unknown;
        };
        let is_array = matches!(receiver, Value::Array(_));
        let sequence = match receiver {
            Value::Sequence(sequence) => sequence,
            Value::Array(values) => Sequence::List(values),
            _ => return Value::Unknown,
        };
        if !matches!(call.name.as_str(), "map" | "for_each") || sequence.count() > SEQUENCE_LIMIT {
            return Value::Unknown;
        }
        let mut values = Vec::new();
        for index in 0..sequence.count() {
            let value = sequence.at(index);
            values.push(self.call_closure(&closure, &[(value, call.argument_span(0))]));
        }
        match call.name.as_str() {
            "for_each" => Value::Unit,
            _ if is_array => Value::Array(values),
            _ => Value::Sequence(Sequence::List(values)),
        }
    }

    /// What a tensor says about itself: its address, where it is known.
    fn accessor(&self, id: TensorId, accessor: Accessor) -> Value {
        let address = self
            .draft
            .tensor(id)
            .and_then(|tensor| tensor.address.bytes());
        match (accessor, address) {
            (Accessor::Address, Some(address)) => Value::integer(i128::from(address)),
            (Accessor::Address | Accessor::Other, _) => Value::Unknown,
        }
    }

    /// A call of a method.
    pub(super) fn method(&mut self, receiver: Value, call: &Call) -> Value {
        let Some(method) = self.lookup(&receiver, &call.name) else {
            return self.other_method(receiver, call);
        };
        match (receiver, method.action) {
            (receiver, Action::Same) => receiver,
            (Value::Tensor(id), Action::Accessor(accessor)) => self.accessor(id, accessor),
            (Value::Tensor(id), _) => self.tensor_method(id, method, call),
            (Value::Stream(pass), _) => self.stream_method(pass, method, call),
            (Value::Context(context), _) => self.context_method(context, method, call),
            _ => Value::Unknown,
        }
    }

    /// The method of a name that the receiver has.
    fn lookup(&self, receiver: &Value, name: &str) -> Option<&'static Method> {
        match receiver {
            Value::Tensor(id) => {
                let kind = self.draft.tensor(*id)?.kind;
                let on_tier = |method: &&'static Method| matches!(method.receiver, Receiver::Tensor(tier, _) if tier == kind.tier);
                let exact = |method: &&'static Method| matches!(method.receiver, Receiver::Tensor(tier, accesses) if tier == kind.tier && accesses.contains(&kind.access));
                // A method of the tensor called on its view is the compiler's complaint; it says what it says.
                self.dialect
                    .methods(name)
                    .find(exact)
                    .or_else(|| self.dialect.methods(name).find(on_tier))
            }
            Value::Stream(pass) => {
                let is_pair = matches!(
                    self.draft.pass(*pass)?.shape().position,
                    Position::VectorPair(_)
                );
                let preferred = if is_pair {
                    Receiver::Pair
                } else {
                    Receiver::Single
                };
                let on_stream = |method: &&'static Method| {
                    matches!(
                        method.receiver,
                        Receiver::Stream | Receiver::Single | Receiver::Pair
                    )
                };
                let exact = |method: &&'static Method| method.receiver == preferred;
                self.dialect
                    .methods(name)
                    .find(exact)
                    .or_else(|| self.dialect.methods(name).find(on_stream))
            }
            Value::Context(context) => {
                let is_dma = matches!(context, Some(Context::TensorDma | Context::PcieDma));
                let preferred = if is_dma {
                    Receiver::DmaEngine
                } else {
                    Receiver::TensorUnit
                };
                self.dialect
                    .methods(name)
                    .find(|method| method.receiver == preferred)
            }
            _ => None,
        }
    }

    /// Why a method of a name is none of the dialect's.
    pub(super) fn no_method(&self, name: &str) -> UnresolvedReason {
        let method = name.to_owned();
        match self.dialect.elsewhere(name) {
            Some(releases) => UnresolvedReason::OtherRelease {
                method,
                releases,
                dialect: self.dialect.id(),
            },
            None => UnresolvedReason::UnknownMethod(method),
        }
    }

    /// A method that the dialect does not have on the receiver: one of Rust's own, or one that nobody has.
    fn other_method(&mut self, receiver: Value, call: &Call) -> Value {
        match receiver {
            Value::Tensor(_) | Value::Stream(_) | Value::Context(_) | Value::Device => {
                if is_plain(&call.name) {
                    return receiver;
                }
                let reason = self.no_method(&call.name);
                match receiver {
                    Value::Stream(pass) => self.draft.fail(pass, reason, call.name_span),
                    _ => self.unresolved(reason, call.name_span),
                }
                Value::Unknown
            }
            Value::Unknown => {
                // What the receiver is could not be followed; an operation of the library on it is lost here.
                let mut arguments = call.arguments.iter();
                if self
                    .dialect
                    .methods_of_any_release(&call.name)
                    .next()
                    .is_some()
                    && arguments.any(|(value, _)| value.is_device_side())
                {
                    let reason = match self.no_method(&call.name) {
                        reason @ UnresolvedReason::OtherRelease { .. } => reason,
                        _ => UnresolvedReason::NotInferred,
                    };
                    self.unresolved(reason, call.name_span);
                } else if takes_context(call) {
                    let reason = self.no_method(&call.name);
                    self.unresolved(reason, call.name_span);
                }
                Value::Unknown
            }
            Value::Named(_) if takes_context(call) => {
                // A method of a struct of the project: not followed.
                let reason = self.no_method(&call.name);
                self.unresolved(reason, call.name_span);
                Value::Unknown
            }
            Value::Named(named) => named_method(named, call),
            receiver @ (Value::Sequence(_) | Value::Array(_))
                if matches!(call.argument(0), Value::Closure(_)) =>
            {
                self.closure_method(receiver, call)
            }
            value if is_plain(&call.name) => value,
            value => sequence_method(value, call),
        }
    }
}

/// Whether operations may run in a call: it is given a context or a stream.
fn takes_context(call: &Call) -> bool {
    call.arguments
        .iter()
        .any(|(value, _)| matches!(value, Value::Device | Value::Context(_) | Value::Stream(_)))
}

/// Methods of Rust that give what they are called on.
fn is_plain(name: &str) -> bool {
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
fn named_method(named: Box<Named>, call: &Call) -> Value {
    let is_some = matches!(named.name(), "Some" | "Ok");
    match (call.name.as_str(), named.arguments.first()) {
        ("unwrap" | "expect" | "unwrap_or" | "unwrap_or_else", Some((value, _))) if is_some => {
            value.clone()
        }
        ("is_some", _) => Value::boolean(is_some),
        ("is_none", _) => Value::boolean(named.name() == "None"),
        _ => Value::Named(named),
    }
}

/// Methods of iterators and arrays.
fn sequence_method(receiver: Value, call: &Call) -> Value {
    let sequence = match receiver {
        Value::Sequence(sequence) => sequence,
        Value::Array(values) if call.name == "len" => {
            return Value::integer(i128::try_from(values.len()).unwrap_or(i128::MAX));
        }
        Value::Array(values) => Sequence::List(values),
        value => return number_method(&value, call),
    };
    match call.name.as_str() {
        "len" | "count" => Value::integer(i128::from(sequence.count())),
        "rev" => sequence.reversed().map_or(Value::Unknown, Value::Sequence),
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
                .map(|index| sequence.at(index))
                .collect(),
        ),
        "step_by" => step_by(sequence, call.argument(0).as_u64()),
        _ => Value::Unknown,
    }
}

fn step_by(sequence: Sequence, by: Option<u64>) -> Value {
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
fn number_method(receiver: &Value, call: &Call) -> Value {
    let (Some(left), right) = (receiver.as_integer(), call.argument(0).as_integer()) else {
        return match receiver {
            // A method of a float gives a float that is not computed here.
            Value::Constant(value @ ConstValue::Unknown(_), scalar @ Some(_)) => {
                Value::Constant(value.clone(), *scalar)
            }
            _ => Value::Unknown,
        };
    };
    let result = match (call.name.as_str(), right) {
        ("min", Some(right)) => Some(left.min(right)),
        ("max", Some(right)) => Some(left.max(right)),
        ("div_ceil", Some(right)) if left >= 0 && right > 0 => {
            left.checked_add(right - 1).map(|sum| sum / right)
        }
        ("pow", Some(right)) => u32::try_from(right)
            .ok()
            .and_then(|exponent| left.checked_pow(exponent)),
        ("next_multiple_of", Some(right)) if left >= 0 && right > 0 => {
            left.checked_add(right - 1).map(|sum| sum / right * right)
        }
        ("is_multiple_of", Some(right)) if right > 0 => return Value::boolean(left % right == 0),
        _ => None,
    };
    result.map_or(Value::Unknown, Value::integer)
}
