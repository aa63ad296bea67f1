//! Calls: functions of NKI, of Python, and of the file.
//!
//! Knows what a call gives back. Nothing is run, and nothing is read from outside of the file.

use std::sync::Arc;

use ruff_python_ast::{Expr, ExprCall};

use super::allocations::{buffer, placed_allocation};
use super::assigned::{CHANGING, assigned};
use super::environment::{Environment, common_tensor};
use super::expressions::{dotted, int};
use super::functions::Interpreter;
use super::grids::arange;
use super::{Elements, Instruction, Value};
use crate::names::{Api, Known, space_named};
use crate::symbols::{Kind, Size, extents_product};
use crate::syntax::span_of;
use crate::transfers::{self, Written};
use crate::types::{Reason, Space, Span, Tensor};

/// Instructions that the GpSimd Engine alone runs.
const OF_GPSIMD: &[&str] = &["iota", "affine_select", "local_gather"];

/// An argument with its value.
#[derive(Debug, Clone)]
pub struct Given {
    /// What it is.
    pub value: Value,
    /// Where it is.
    pub written: Written,
}

/// The arguments of a call.
#[derive(Debug, Clone, Default)]
pub struct Passed<'a> {
    /// Without a keyword.
    pub positional: Vec<Given>,
    /// With one.
    pub keywords: Vec<(&'a str, Given)>,
    /// Whether `*` or `**` give others.
    pub has_unseen: bool,
}

impl Passed<'_> {
    /// A keyword's argument.
    pub fn named_argument(&self, name: &str) -> Option<&Given> {
        self.keywords
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, given)| given)
    }

    /// Whether a list of tensors is among them.
    fn has_tensors(&self) -> bool {
        let keywords = self.keywords.iter().map(|(_, given)| given);
        let mut all = self.positional.iter().chain(keywords);
        all.any(|given| matches!(given.value, Value::Tensors(_)))
    }

    /// The argument of a keyword, or at a position.
    pub fn get(&self, name: &str, place: usize) -> Option<&Given> {
        self.named_argument(name)
            .or_else(|| self.positional.get(place))
    }
}

impl<'a> Interpreter<'a> {
    /// Looks at the arguments of a call.
    fn passed_arguments(
        &mut self,
        call: &'a ExprCall,
        environment: &mut Environment,
    ) -> Passed<'a> {
        let mut passed = Passed::default();
        for argument in &call.arguments.args {
            let value = self.value(argument, environment);
            self.note_argument(argument);
            passed.has_unseen |= argument.is_starred_expr();
            let span = span_of(argument);
            passed.positional.push(Given {
                value,
                written: Written {
                    value: span,
                    whole: span,
                },
            });
        }
        for keyword in &call.arguments.keywords {
            let value = self.value(&keyword.value, environment);
            self.note_argument(&keyword.value);
            let written = Written {
                value: span_of(&keyword.value),
                whole: span_of(keyword),
            };
            match &keyword.arg {
                Some(name) => passed
                    .keywords
                    .push((name.as_str(), Given { value, written })),
                None => passed.has_unseen = true,
            }
        }
        passed
    }

    /// What a call gives back.
    pub fn call(&mut self, call: &'a ExprCall, environment: &mut Environment) -> Value {
        let mut callee = None;
        if let Expr::Attribute(attribute) = &*call.func {
            let base = self.value(&attribute.value, environment);
            if matches!(base, Value::Known(_)) {
                callee = Some(self.callee_of(&call.func, base, attribute, environment));
            } else {
                let passed = self.passed_arguments(call, environment);
                let method = attribute.attr.as_str();
                if matches!(base, Value::Tensors(_))
                    && let Some(name) = dotted(&attribute.value)
                    && CHANGING.contains(&method)
                {
                    if method != "append" || !append_tensor(&base, &name, &passed, environment) {
                        environment.set(&name, Value::Unknown(Reason::Expression));
                    }
                    return Value::Unknown(Reason::Call);
                }
                if passed.has_tensors() {
                    environment.forget_tensors();
                }
                self.note_unseen(&passed, call);
                return self.method(&base, method, &passed, environment);
            }
        }
        let callee = match callee {
            Some(callee) => callee,
            None => self.value(&call.func, environment),
        };
        self.forget_mention(&call.func);
        let passed = self.passed_arguments(call, environment);
        if passed.has_tensors() && self.may_change_lists(&callee, call) {
            environment.forget_tensors();
        }
        self.note_call(&callee, call, &passed);
        match callee {
            Value::Known(known) => {
                self.note_older_call(&known, call, &passed);
                self.known_call(&known, call, &passed, environment)
            }
            Value::Function(place) => {
                let values = self.by_parameter(place, &passed);
                let given = self.call_of_file(place, values, span_of(call), environment);
                if matches!(given, Value::Tensors(_)) && passed.has_tensors() {
                    // It may be one of those that were passed.
                    environment.forget_tensors();
                    return Value::Unknown(Reason::Call);
                }
                given
            }
            Value::Unknown(Reason::Name) => match &*call.func {
                Expr::Name(name) => {
                    let name = name.id.as_str();
                    if let Some(member) = member_by_name(name, &passed) {
                        return self.settled_member(member);
                    }
                    if let Some(tensor) = self.wrapped(name, &passed, environment) {
                        return tensor;
                    }
                    let given = python_call(name, &passed);
                    let is_choice = matches!(name, "min" | "max")
                        && matches!(given, Value::Unknown(_))
                        && passed.positional.len() > 1
                        && passed
                            .positional
                            .iter()
                            .any(|given| given.value.as_size().is_some());
                    if !is_choice {
                        return given;
                    }
                    // One of several sizes, the same wherever its name is used.
                    let number = self.fresh_number();
                    let written = span_of(call).text_in(self.text);
                    Value::Int(Size::named(written, number, Kind::Parameter))
                }
                _ => Value::Unknown(Reason::Call),
            },
            _ => Value::Unknown(Reason::Call),
        }
    }

    /// `TensorView(x)` of the public kernel library: a tensor whose methods give views, as those of a tensor do.
    fn wrapped(
        &mut self,
        name: &str,
        passed: &Passed<'a>,
        environment: &Environment,
    ) -> Option<Value> {
        let [one] = passed.positional.as_slice() else {
            return None;
        };
        match &one.value {
            Value::Tensor(_) | Value::Argument(_) if name == "TensorView" => {
                Some(Value::Tensor(self.tensor(&one.value, environment)))
            }
            _ => None,
        }
    }

    /// Whether a call may change a list that is passed to it.
    fn may_change_lists(&mut self, callee: &Value, call: &ExprCall) -> bool {
        match callee {
            Value::Known(_) => false,
            Value::Function(place) => {
                let function = self.function_at(*place);
                function.is_none_or(|function| assigned(&function.definition.body).changes_lists)
            }
            _ => {
                !matches!(&*call.func, Expr::Name(name) if matches!(name.id.as_str(), "len" | "enumerate" | "zip" | "range"))
            }
        }
    }

    fn method(
        &mut self,
        base: &Value,
        method: &str,
        passed: &Passed<'a>,
        environment: &mut Environment,
    ) -> Value {
        match base {
            Value::Tensor(_) | Value::Argument(_) => {
                if matches!(base, Value::Argument(_)) && CHANGING.contains(&method) {
                    return Value::Unknown(Reason::Call);
                }
                self.view(base, method, passed, environment)
            }
            Value::List(_) if CHANGING.contains(&method) => {
                environment.forget_lists();
                Value::None
            }
            // Allocators of the public kernel library, whose tensors are in SBUF. With a block they give lists.
            _ if matches!(method, "alloc_heap" | "alloc_sbuf_tensor" | "alloc_stack")
                && passed.named_argument("block_dim").is_none() =>
            {
                self.tile_of_allocator(passed)
            }
            Value::Unknown(_) if method == "TensorView" => self
                .wrapped(method, passed, environment)
                .unwrap_or(Value::Unknown(Reason::View)),
            Value::Space(space) => match method {
                "mod_alloc" => placed_allocation(*space, passed),
                "alloc" | "auto_alloc" => Value::Space(*space),
                _ => Value::Unknown(Reason::Call),
            },
            _ => Value::Unknown(Reason::Call),
        }
    }

    /// The arguments by the parameters of a function of the file; `None` where `*` or `**` hide them.
    fn by_parameter(&mut self, place: usize, passed: &Passed<'a>) -> Option<Vec<Option<Value>>> {
        let definition = self.function_at(place)?.definition;
        if passed.has_unseen {
            return None;
        }
        let parameters = definition.parameters.iter_non_variadic_params();
        let values = parameters.enumerate().map(|(at, parameter)| {
            let given = passed.get(parameter.name().as_str(), at);
            given.map(|given| given.value.clone()).or_else(|| {
                // Left out: the default, as far as it can be read without its surroundings.
                let default = parameter.default()?;
                literal_value(default).or_else(|| self.api_member(place, default))
            })
        });
        Some(values.collect())
    }

    /// The member of NKI that a default of a function of the file's own level is: `mode=dge_mode.swdge`.
    fn api_member(&self, place: usize, default: &Expr) -> Option<Value> {
        let function = self.functions.get(&place)?;
        let globals = self
            .globals
            .as_ref()
            .filter(|_| function.around.is_none())?;
        let mut members = Vec::new();
        let mut inner = default;
        while let Expr::Attribute(attribute) = inner {
            members.push(attribute.attr.as_str());
            inner = &attribute.value;
        }
        let Value::Known(known) = globals.get(inner.as_name_expr()?.id.as_str())? else {
            return None;
        };
        let member = members
            .iter()
            .rev()
            .fold(known.clone(), |known, name| known.member(name));
        Some(Value::Known(member))
    }

    fn known_call(
        &mut self,
        known: &Known,
        call: &'a ExprCall,
        passed: &Passed<'a>,
        environment: &mut Environment,
    ) -> Value {
        if let Some(name) = known.isa() {
            return self.instruction(known, name, call, passed, environment);
        }
        if let Some(name) = known.language() {
            return self.language_call(known.api, name, call, passed, environment);
        }
        let mut path = known
            .path
            .strip_prefix("nki.compiler.")
            .unwrap_or_default()
            .split('.');
        let (memory, allocator) = (path.next().and_then(space_named), path.next());
        match memory {
            Some(space) if allocator == Some("mod_alloc") => placed_allocation(space, passed),
            Some(space) => Value::Space(space),
            None => Value::Unknown(Reason::Call),
        }
    }

    fn instruction(
        &mut self,
        known: &Known,
        name: &str,
        call: &'a ExprCall,
        passed: &Passed<'a>,
        environment: &mut Environment,
    ) -> Value {
        if let Some(kind) = transfers::Kind::of_instruction(name) {
            return self.transfer(kind, known.api, call, passed, environment);
        }
        let on_gpsimd = passed
            .named_argument("engine")
            .is_some_and(|given| engine_name(&given.value) == Some("gpsimd"));
        if self.is_recording && (on_gpsimd || OF_GPSIMD.contains(&name)) {
            self.out.gpsimd.push(Instruction {
                name: name.to_owned(),
                span: span_of(call),
                within: self.loops.last().copied(),
            });
        }
        match name {
            "get_nc_version" => Value::CoreVersion,
            "register_alloc" | "register_load" | "register_move" => {
                let number = self.fresh_number();
                Value::Int(Size::named("register", number, Kind::Runtime))
            }
            // In the current form an instruction gives nothing back.
            _ if known.api != Api::Current => self.tile_of_instruction(name, passed),
            _ => Value::Unknown(Reason::Call),
        }
    }

    fn language_call(
        &mut self,
        api: Api,
        name: &str,
        call: &'a ExprCall,
        passed: &Passed<'a>,
        environment: &mut Environment,
    ) -> Value {
        match name {
            "ndarray" | "empty" => self.allocation(api, call, passed, (1, false), environment),
            "zeros" | "ones" => self.allocation(api, call, passed, (1, true), environment),
            "full" => self.allocation(api, call, passed, (2, true), environment),
            "zeros_like" | "ones_like" | "empty_like" => {
                let Some(like) = passed.positional.first() else {
                    return Value::Unknown(Reason::Call);
                };
                let tensor = self.tensor(&like.value, environment);
                Value::Tensor(Arc::new(Tensor {
                    space: passed
                        .named_argument("buffer")
                        .map_or(Some(Space::Sbuf), |given| buffer(&given.value)),
                    gather: None,
                    is_dynamic: false,
                    name: None,
                    argument: None,
                    ..(*tensor).clone()
                }))
            }
            "load" | "store" => {
                let kind = if name == "load" {
                    transfers::Kind::Load
                } else {
                    transfers::Kind::Store
                };
                self.transfer(kind, api, call, passed, environment)
            }
            "par_dim" => {
                let extent = passed
                    .positional
                    .first()
                    .and_then(|given| given.value.as_size());
                extent.map_or(Value::Unknown(Reason::Expression), Value::Partition)
            }
            "ds" => {
                let (start, length) = (passed.get("start", 0), passed.get("size", 1));
                match (start, length.and_then(|given| self.integer(&given.value))) {
                    (Some(start), Some(length)) => Value::Section {
                        start: Box::new(start.value.clone()),
                        length,
                    },
                    _ => Value::Unknown(Reason::Index),
                }
            }
            "arange" => arange(passed),
            "program_id" | "num_programs" | "program_ndim" => {
                let number = self.fresh_number();
                let span = span_of(call);
                Value::Int(Size::named(
                    span.text_in(self.text),
                    number,
                    Kind::Parameter,
                ))
            }
            "fori_loop" => self.counted_loop(passed, environment),
            _ => self.computed_tile(name, passed),
        }
    }

    /// `nl.fori_loop(start, stop, body, …)`: the body's first parameter counts at run time.
    fn counted_loop(&mut self, passed: &Passed<'a>, environment: &Environment) -> Value {
        let body = passed
            .positional
            .iter()
            .chain(passed.keywords.iter().map(|(_, given)| given));
        let place = body.into_iter().find_map(|given| match given.value {
            Value::Function(place) => Some(place),
            _ => None,
        });
        if let Some(place) = place {
            let parameters = self.function_at(place).map_or(0, |function| {
                function
                    .definition
                    .parameters
                    .iter_non_variadic_params()
                    .count()
            });
            let number = self.fresh_number();
            let mut values = vec![None; parameters];
            if let Some(first) = values.first_mut() {
                *first = Some(Value::Int(Size::named("index", number, Kind::Runtime)));
            }
            self.call_of_file(place, Some(values), Span::default(), environment);
        }
        Value::Unknown(Reason::Call)
    }

    /// What a loop runs over: how often, and whether that is known at run time only. `None` if it is no range of numbers.
    pub fn range(
        &mut self,
        iterable: &'a Expr,
        environment: &mut Environment,
    ) -> Option<(Option<Size>, bool)> {
        let Expr::Call(call) = iterable else {
            return None;
        };
        let callee = self.value(&call.func, environment);
        let is_dynamic = match &callee {
            Value::Known(known) => match known.language()? {
                "affine_range" | "sequential_range" | "static_range" => false,
                "dynamic_range" => true,
                _ => return None,
            },
            Value::Unknown(Reason::Name) => {
                let name = call.func.as_name_expr()?;
                (name.id.as_str() == "range").then_some(false)?
            }
            _ => return None,
        };
        let passed = self.passed_arguments(call, environment);
        let size = |place: usize| {
            passed
                .positional
                .get(place)
                .and_then(|given| given.value.as_size())
        };
        let count = match passed.positional.len() {
            1 => size(0),
            2 => size(1)
                .zip(size(0))
                .and_then(|(stop, start)| stop.minus(&start)),
            3 => size(1)
                .zip(size(0))
                .zip(size(2))
                .and_then(|((stop, start), step)| {
                    let step = step.value().filter(|step| *step > 0)?;
                    let length = stop.minus(&start)?;
                    length
                        .plus(&Size::number(step - 1))?
                        .quotient(&Size::number(step))
                }),
            _ => None,
        };
        let count =
            count.filter(|count| !count.has_kind(Kind::Runtime) && !count.has_kind(Kind::Loop));
        Some((count, is_dynamic))
    }
}

/// The engine that a value names.
pub fn engine_name(value: &Value) -> Option<&'static str> {
    let known = super::expressions::known_function(value)?;
    let name = known.isa()?;
    let member = name
        .strip_prefix("engine.")
        .or_else(|| name.strip_suffix("_engine"))?;
    crate::names::ENUMERATIONS
        .iter()
        .find(|enumeration| enumeration.name == "engine")?
        .members
        .iter()
        .find(|known| **known == member)
        .copied()
}

/// The engine of a member's number, which releases before 0.3 take.
pub const fn engine_numbered(number: i64) -> Option<&'static str> {
    Some(match number {
        0 => "unknown",
        1 => "tensor",
        2 => "scalar",
        3 => "gpsimd",
        4 => "dma",
        5 => "vector",
        6 => "sync",
        _ => return None,
    })
}

/// A default that needs no names.
fn literal_value(expression: &Expr) -> Option<Value> {
    match expression {
        Expr::NoneLiteral(_) => Some(Value::None),
        Expr::BooleanLiteral(literal) => Some(Value::Bool(literal.value)),
        Expr::NumberLiteral(literal) => match &literal.value {
            ruff_python_ast::Number::Int(number) => {
                Some(Value::Int(Size::number(number.as_i64()?)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// `getattr(nisa, "dma_copy")`.
fn member_by_name(name: &str, passed: &Passed<'_>) -> Option<Value> {
    match (name, passed.positional.as_slice()) {
        ("getattr", [of, member, ..]) => match (&of.value, &member.value) {
            (Value::Known(known), Value::Text(member)) => Some(Value::Known(known.member(member))),
            _ => None,
        },
        _ => None,
    }
}

/// Functions of Python itself, by names that nothing binds.
fn python_call(name: &str, passed: &Passed<'_>) -> Value {
    let unknown = Value::Unknown(Reason::Call);
    let Some(first) = passed.positional.first() else {
        return unknown;
    };
    let sizes = || -> Option<Vec<Size>> {
        let values: Vec<Value> = match passed.positional.as_slice() {
            [one] => one.value.elements()?.to_vec(),
            several => several.iter().map(|given| given.value.clone()).collect(),
        };
        values.iter().map(Value::as_size).collect()
    };
    let result = match name {
        "len" => match &first.value {
            Value::ShapeOf(argument) => Some(Value::RankOf(Arc::clone(argument))),
            value => value.elements().map(|elements| int(elements.len())),
        },
        "int" if passed.positional.len() == 1 => first.value.as_size().map(Value::Int),
        "tuple" => first
            .value
            .elements()
            .map(|elements| Value::Tuple(elements.into())),
        "list" => first
            .value
            .elements()
            .map(|elements| Value::List(elements.into())),
        "min" => sizes().and_then(|sizes| least_size(&sizes)).map(Value::Int),
        "max" => sizes()
            .and_then(|sizes| sizes.iter().map(Size::negated).collect::<Option<Vec<_>>>())
            .and_then(|sizes| least_size(&sizes)?.negated())
            .map(Value::Int),
        "sum" => sizes()
            .and_then(|sizes| {
                sizes
                    .iter()
                    .try_fold(Size::number(0), |sum, size| sum.plus(size))
            })
            .map(Value::Int),
        "prod" => sizes()
            .and_then(|sizes| extents_product(&sizes))
            .map(Value::Int),
        _ => None,
    };
    result.unwrap_or(unknown)
}

/// The least of some sizes, if the comparison holds for all values of the symbols.
fn least_size(sizes: &[Size]) -> Option<Size> {
    let (first, rest) = sizes.split_first()?;
    rest.iter().try_fold(first.clone(), |least, size| {
        match least.minus(size)?.sign()? {
            sign if sign <= 0 => Some(least),
            _ => Some(size.clone()),
        }
    })
}

/// `name.append(tensor)`: whether the list holds only tensors that are known.
fn append_tensor(
    list: &Value,
    name: &str,
    passed: &Passed<'_>,
    environment: &mut Environment,
) -> bool {
    let Some(Value::Tensor(tensor)) = passed.get("object", 0).map(|given| &given.value) else {
        return false;
    };
    let Value::Tensors(elements) = list else {
        return false;
    };
    let element = match elements {
        Elements::Each(known) if known != tensor => common_tensor(known, tensor).map(Arc::new),
        _ => Some(Arc::clone(tensor)),
    };
    let value = element.map_or(Value::Unknown(Reason::Expression), |element| {
        Value::Tensors(Elements::Each(element))
    });
    environment.set(name, value);
    true
}
