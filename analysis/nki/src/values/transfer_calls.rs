//! From the arguments of a call to a transfer.
//!
//! Knows the parameters of the calls in both forms of the API: keywords decide before position.

use std::sync::Arc;

use ruff_python_ast::{Expr, ExprCall};

use super::Value;
use super::calls::{Given, Passed, engine_name, engine_numbered};
use super::environment::Environment;
use super::functions::Interpreter;
use crate::names::{Api, Mode};
use crate::symbols::Size;
use crate::syntax::span_of;
use crate::transfers::{Combined, End, Engine, Kind, Stated, Transfer, Written};
use crate::types::{Reason, Shape, Space, Tensor};

/// Which positional argument is which.
fn argument_position(kind: Kind, passed: &Passed<'_>, name: &str) -> Option<usize> {
    match (kind, name) {
        (Kind::Load, "src") | (Kind::Store, "dst") => return Some(0),
        (Kind::Store, "src") => return Some(1),
        (Kind::Load | Kind::Store, _) => return None,
        _ => {}
    }
    let first = usize::from(passed.named_argument("dst").is_none());
    let source = if kind == Kind::Compute { "srcs" } else { "src" };
    // One positional argument and no `src=` is the source.
    let is_lone = passed.positional.len() == 1
        && passed.named_argument(source).is_none()
        && kind != Kind::Compute;
    match name {
        "dst" => (passed.named_argument("dst").is_none() && !is_lone).then_some(0),
        "src" | "srcs" if is_lone => Some(0),
        "src" | "srcs" => passed.named_argument(source).is_none().then_some(first),
        "axes" | "scales" => Some(first + usize::from(passed.named_argument(source).is_none())),
        "reduce_op" => Some(first + usize::from(passed.named_argument(source).is_none()) + 1),
        _ => None,
    }
}

fn given_argument<'p>(kind: Kind, passed: &'p Passed<'_>, name: &str) -> Option<&'p Given> {
    let at = argument_position(kind, passed, name);
    let keyword = match (kind, name) {
        (Kind::Store, "src") => "value",
        _ => name,
    };
    passed
        .named_argument(keyword)
        .or_else(|| passed.positional.get(at?))
}

fn read_stated<T>(given: Option<&Given>, read: impl Fn(&Value) -> Option<T>) -> Stated<T> {
    match given {
        None => Stated::LeftOut,
        Some(given) if matches!(given.value, Value::None) => Stated::LeftOut,
        Some(given) => match read(&given.value) {
            Some(value) => Stated::Is(value, given.written),
            None => Stated::Unknown(given.written),
        },
    }
}

/// An argument of an enumeration's type: by its keyword, or a member of the enumeration behind the tensors.
fn of_enumeration<'p>(
    kind: Kind,
    passed: &'p Passed<'_>,
    enumeration: &str,
    keyword: &str,
) -> Option<&'p Given> {
    let behind = passed.positional.iter().skip(match kind {
        Kind::Copy | Kind::Transpose => 1,
        _ => passed.positional.len(),
    });
    let mut members = behind.filter(|given| {
        given.value.member().map(|(of, _)| of) == Some(enumeration)
            || (enumeration == "engine" && engine_name(&given.value).is_some())
    });
    passed.named_argument(keyword).or_else(|| members.next())
}

impl<'a> Interpreter<'a> {
    /// A value, or the default of a parameter that has no other: calls that are seen leave it out.
    fn with_default(&self, value: &Value) -> Value {
        match value {
            Value::Argument(argument) => {
                let default = self.defaults.get(&argument.number);
                default.unwrap_or(value).clone()
            }
            other => other.clone(),
        }
    }

    /// Whether an argument behind the tensors may be a mode or an engine: releases have them at other places.
    fn may_have_mode(&self, kind: Kind, passed: &Passed<'_>) -> bool {
        let tensors = match kind {
            Kind::Copy => 2,
            Kind::Transpose => 3,
            _ => return false,
        };
        let mut behind = passed.positional.iter().skip(tensors);
        behind.any(|given| match self.with_default(&given.value) {
            Value::Unknown(_) | Value::Argument(_) => true,
            Value::Int(size) => size.value().is_none_or(|number| number != 0),
            _ => false,
        })
    }

    /// Reads a transfer, keeps it, and says what its call gives back.
    pub fn transfer(
        &mut self,
        kind: Kind,
        api: Api,
        call: &'a ExprCall,
        passed: &Passed<'a>,
        environment: &mut Environment,
    ) -> Value {
        let mut source = self.transfer_end(given_argument(kind, passed, "src"), environment);
        let destination = given_argument(kind, passed, "dst");
        if kind == Kind::Transpose || kind == Kind::Compute {
            source.tensor = without_assumed_axes(source.tensor);
        }
        let gives_back = destination.is_none() && !passed.has_unseen && kind != Kind::Store;
        let mut destination = self.transfer_end(destination, environment);
        let combined = if kind == Kind::Compute {
            let combined = self.read_combined(passed, environment);
            if let Some(first) = combined
                .sources
                .as_ref()
                .and_then(|sources| sources.first())
            {
                source.tensor = Arc::clone(first);
            }
            source.written = combined.written;
            combined
        } else {
            Combined::default()
        };
        let callee = span_of(&*call.func);
        let module = match &*call.func {
            Expr::Attribute(attribute) => Some(format!(
                "{}.",
                span_of(&*attribute.value).text_in(self.text)
            )),
            _ => None,
        };
        let axes = (kind == Kind::Transpose)
            .then(|| given_argument(kind, passed, "axes"))
            .flatten();
        let axes = axes.filter(|given| !matches!(given.value, Value::None));
        if let Some(rank) = axes.and_then(|given| axes_of(&given.value))
            && let Some(of) = source.tensor.shape_of.clone()
        {
            // A permutation says how many axes there are.
            environment.learn_rank(of.argument.number, of.without.saturating_add(rank.len()));
            let value = Value::Tensor(Arc::clone(&source.tensor));
            source.tensor = self.tensor(&value, environment);
        }
        let mut transfer = Transfer {
            kind,
            api,
            span: span_of(call),
            callee,
            module,
            function: self.function,
            destination: destination.clone(),
            source,
            mode: read_stated(
                of_enumeration(kind, passed, "dge_mode", "dge_mode"),
                |value| {
                    let value = self.with_default(value);
                    match value.member() {
                        Some(("dge_mode", member)) => Mode::named(member),
                        _ => Mode::numbered(value.as_size()?.value()?, api),
                    }
                },
            ),
            engine: read_stated(of_enumeration(kind, passed, "engine", "engine"), |value| {
                let value = self.with_default(value);
                let numbered = || engine_numbered(value.as_size()?.value()?);
                engine_name(&value).or_else(numbered).map(Engine)
            }),
            skips_out_of_bounds: read_stated(
                of_enumeration(kind, passed, "oob_mode", "oob_mode"),
                |value| {
                    let value = self.with_default(value);
                    match (
                        value.member(),
                        value.as_size().and_then(|size| size.value()),
                    ) {
                        (Some(("oob_mode", member)), _) => Some(member == "skip"),
                        (None, Some(number @ 0..=1)) => Some(number == 1),
                        _ => None,
                    }
                },
            ),
            axes: axes.and_then(|given| Some((axes_of(&given.value)?, given.written))),
            has_axes: axes.is_some(),
            priority: read_stated(passed.named_argument("priority"), |value| {
                value.as_size()?.value()
            }),
            has_name: passed.named_argument("name").is_some(),
            keywords: passed
                .keywords
                .iter()
                .map(|(name, given)| (Arc::from(*name), given.written))
                .collect(),
            has_unseen: passed.has_unseen || self.may_have_mode(kind, passed),
            combined,
            loops: self.loops.clone(),
            generations: environment.generations(),
        };
        let mut result = Value::None;
        if gives_back {
            destination.tensor = match kind {
                Kind::Load => self.loaded_tile(api, call, passed, environment),
                _ => Arc::new(returned(&transfer)),
            };
            result = Value::Tensor(Arc::clone(&destination.tensor));
            transfer.destination = destination;
        }
        if self.is_recording {
            self.out.transfers.push(transfer);
        }
        result
    }

    fn transfer_end(&mut self, given: Option<&Given>, environment: &Environment) -> End {
        match given {
            Some(given) => End {
                tensor: self.tensor(&given.value, environment),
                written: Some(given.written),
            },
            None => End {
                tensor: Arc::new(Tensor::unknown(Reason::Expression)),
                written: None,
            },
        }
    }

    fn read_combined(&mut self, passed: &Passed<'a>, environment: &Environment) -> Combined {
        let sources = given_argument(Kind::Compute, passed, "srcs");
        let mut scales = given_argument(Kind::Compute, passed, "scales");
        let mut operation = given_argument(Kind::Compute, passed, "reduce_op");
        // Since release 0.3 the operation comes before the scales.
        if scales.is_some_and(|given| matches!(given.value, Value::Known(_))) {
            std::mem::swap(&mut scales, &mut operation);
        }
        let is_other = |value: &Value| match value {
            Value::Float(number) => (*number - 1.0).abs() > f64::EPSILON,
            Value::Int(size) => size.value().is_some_and(|number| number != 1),
            _ => false,
        };
        Combined {
            sources: sources
                .and_then(|given| given.value.elements())
                .map(|elements| {
                    elements
                        .iter()
                        .map(|element| self.tensor(element, environment))
                        .collect()
                }),
            written: sources.map(|given| given.written),
            operation: operation.and_then(|given| match &given.value {
                Value::Known(known) => Some((Arc::clone(&known.path), given.written)),
                _ => None,
            }),
            scale: scales.and_then(|given| -> Option<Written> {
                let is_wrong = given
                    .value
                    .elements()
                    .is_some_and(|scales| scales.iter().any(is_other));
                is_wrong.then_some(given.written)
            }),
        }
    }
}

/// The tensor, of unknown shape where only the axes that are cut are known: a transpose depends on how many there are.
fn without_assumed_axes(tensor: Arc<Tensor>) -> Arc<Tensor> {
    if !tensor.has_assumed_axes {
        return tensor;
    }
    Arc::new(Tensor {
        shape: Shape::Unknown(Reason::Argument),
        steps: None,
        ..(*tensor).clone()
    })
}

fn axes_of(value: &Value) -> Option<Vec<i64>> {
    value
        .elements()?
        .iter()
        .map(|axis| axis.as_size()?.value())
        .collect()
}

/// What a transpose without a destination gives back: the permuted tensor in SBUF.
fn returned(transfer: &Transfer) -> Tensor {
    let extents: Option<Vec<Size>> = (transfer.kind == Kind::Transpose)
        .then(|| transfer.permuted())
        .flatten();
    let reason = match &transfer.source.tensor.shape {
        Shape::Unknown(reason) => *reason,
        Shape::Known(_) => Reason::Call,
    };
    Tensor {
        space: Some(Space::Sbuf),
        steps: extents.as_deref().and_then(Tensor::row_major),
        shape: extents.map_or(Shape::Unknown(reason), Shape::Known),
        dtype: transfer.source.tensor.dtype.clone(),
        partition_axis: Some(0),
        declared: Some(transfer.span),
        ..Tensor::unknown(reason)
    }
}
