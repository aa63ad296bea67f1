//! Which function is followed, when, and with which arguments.
//!
//! The file's own statements come first, then each function once: kernels with tensors of unknown shape, other functions with what
//! their callers in the file pass where all agree. A call of a function of the file is followed as well, for what it gives back.

use std::sync::Arc;

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, Stmt, StmtFunctionDef};
use rustc_hash::{FxHashMap, FxHashSet};

use super::assigned::assigned;
use super::environment::{Environment, either};
use super::{Argument, Followed, Value, WrittenFunction};
use crate::nki::symbols::{Kind, Size};
use crate::nki::syntax::remarks::Remarks;
use crate::nki::syntax::span_of;
use crate::nki::types::{Dtype, Generations, Reason, Space, Tensor};

/// Statements that are followed in one file, those of calls that are followed for their result included.
const MOST_STEPS: u64 = 400_000;
/// Calls in one another that are followed for their result.
const MOST_CALLS_DEEP: usize = 4;

/// A function with what is known before it is followed.
pub struct Function<'a> {
    pub definition: &'a StmtFunctionDef,
    pub is_kernel: bool,
    /// What is visible around it.
    pub around: Option<Environment>,
    /// What callers pass, by parameter; `None` for one that is not seen or that they disagree about.
    pub passed: Option<Vec<Option<Value>>>,
    pub generations: Generations,
}

/// The state of following a file.
pub struct Interpreter<'a> {
    pub text: &'a str,
    pub remarks: &'a Remarks,
    pub functions: Vec<Function<'a>>,
    pub out: Followed,
    pub globals: Option<Environment>,
    pub extents: FxHashMap<(u32, i64), Size>,
    pub fields: FxHashMap<(u32, Arc<str>), Arc<Argument>>,
    counter: u32,
    steps: u64,
    pub depth: usize,
    calls_deep: usize,
    /// What was around functions before a call that is followed for its result defined them again.
    replaced: Vec<(usize, Option<Environment>)>,
    /// Whether what is met is kept: not while a call is followed for its result.
    pub is_recording: bool,
    pub function: Option<usize>,
    pub loops: Vec<usize>,
    pub returned: Vec<Value>,
}

/// Follows a file from its statements. `generations` is what the settings say of the target.
pub fn follow(text: &str, body: &[Stmt], remarks: &Remarks, generations: Generations) -> Followed {
    let mut interpreter = Interpreter {
        text,
        remarks,
        functions: Vec::new(),
        out: Followed::default(),
        globals: None,
        extents: FxHashMap::default(),
        fields: FxHashMap::default(),
        counter: 0,
        steps: 0,
        depth: 0,
        calls_deep: 0,
        replaced: Vec::new(),
        is_recording: true,
        function: None,
        loops: Vec::new(),
        returned: Vec::new(),
    };
    let mut environment = Environment::new(generations);
    interpreter.block(body, &mut environment);
    interpreter.globals = Some(settled(environment, &assigned(body).names));
    interpreter.all_functions();
    interpreter.out
}

/// What functions see of the names around them: a name that is bound more than once may be any of its values by then.
fn settled(mut environment: Environment, bound: &FxHashMap<Arc<str>, u32>) -> Environment {
    for (name, times) in bound {
        if *times > 1 && !matches!(environment.get(name), Some(Value::Known(_))) {
            environment.set(name, Value::Unknown(Reason::Branches));
        }
    }
    environment.forget_lists();
    environment.ends = false;
    environment
}

impl<'a> Interpreter<'a> {
    /// A number that no symbol has yet.
    pub fn fresh(&mut self) -> u32 {
        self.counter += 1;
        self.counter
    }

    /// Counts a statement; whether it may still be followed.
    pub fn may_go_on(&mut self) -> bool {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            self.out.is_cut = true;
        }
        self.steps <= MOST_STEPS
    }

    /// A function is defined: it is followed when all that calls it has been.
    pub fn define(&mut self, definition: &'a StmtFunctionDef, environment: &mut Environment) {
        let known = self
            .functions
            .iter()
            .position(|function| std::ptr::eq(function.definition, definition));
        let (is_kernel, generations) = self.decorators(definition, environment);
        let place = known.unwrap_or_else(|| {
            self.functions.push(Function {
                definition,
                is_kernel,
                around: None,
                passed: None,
                generations,
            });
            self.out.functions.push(WrittenFunction {
                name: definition.name.to_string(),
                name_span: span_of(&definition.name),
                span: span_of(definition),
                is_kernel,
            });
            self.functions.len() - 1
        });
        environment.set(definition.name.as_str(), Value::Function(place));
        if self.function.is_some() || self.calls_deep > 0 {
            // A function in a function sees the names of that one.
            if let Some(function) = self.functions.get_mut(place) {
                let before = function.around.replace(environment.clone());
                if self.calls_deep > 0 {
                    self.replaced.push((place, before));
                }
            }
        }
    }

    fn decorators(
        &mut self,
        definition: &'a StmtFunctionDef,
        environment: &mut Environment,
    ) -> (bool, Generations) {
        let mut is_kernel = false;
        let mut generations = environment.generations;
        for decorator in &definition.decorator_list {
            let (callee, call) = match &decorator.expression {
                Expr::Call(call) => (&*call.func, Some(call)),
                other => (other, None),
            };
            let Value::Known(known) = self.value(callee, environment) else {
                continue;
            };
            is_kernel |= known.is_kernel_decorator();
            for keyword in call.iter().flat_map(|call| &call.arguments.keywords) {
                let is_target = keyword
                    .arg
                    .as_ref()
                    .is_some_and(|name| name.as_str() == "platform_target");
                if is_target
                    && let Value::Text(target) = self.value(&keyword.value, environment)
                    && let Some(generation) = crate::nki::types::Generation::of_target(&target)
                {
                    generations = Generations::one(generation);
                }
            }
        }
        (is_kernel, generations)
    }

    fn all_functions(&mut self) {
        let mut done = FxHashSet::default();
        // Functions in functions are met while their own are followed, so that the list grows.
        while done.len() < self.functions.len() {
            let waiting: Vec<usize> = (0..self.functions.len())
                .filter(|place| !done.contains(place))
                .collect();
            let called = self.called_by(&waiting);
            let next = waiting
                .iter()
                .copied()
                .find(|place| !called.contains(place))
                // All that is left call one another: what they pass is not waited for.
                .or_else(|| {
                    let first = waiting.first().copied();
                    if let Some(function) = first.and_then(|place| self.functions.get_mut(place)) {
                        function.passed = None;
                    }
                    first
                });
            let Some(next) = next else { return };
            self.one_function(next);
            done.insert(next);
        }
    }

    /// The functions among some that others of them call by name.
    fn called_by(&self, waiting: &[usize]) -> FxHashSet<usize> {
        let mut names: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for place in waiting {
            if let Some(function) = self.functions.get(*place) {
                names
                    .entry(function.definition.name.as_str())
                    .or_default()
                    .push(*place);
            }
        }
        let mut called = FxHashSet::default();
        for place in waiting {
            let Some(function) = self.functions.get(*place) else {
                continue;
            };
            let mut mentioned = Mentioned::default();
            for statement in &function.definition.body {
                mentioned.visit_stmt(statement);
            }
            for name in mentioned.names {
                let others = names.get(name).into_iter().flatten();
                called.extend(others.filter(|other| *other != place));
            }
        }
        called
    }

    fn one_function(&mut self, place: usize) {
        let Some(function) = self.functions.get(place) else {
            return;
        };
        let definition = function.definition;
        let (is_kernel, passed, generations) = (
            function.is_kernel,
            function.passed.clone(),
            function.generations,
        );
        let around = function.around.clone();
        let mut environment = self.surroundings(around, place);
        environment.generations = environment.generations.and(generations);
        self.bind_parameters(definition, is_kernel, passed.as_deref(), &mut environment);
        self.stated_arguments(definition, &mut environment);
        self.function = Some(place);
        self.loops.clear();
        self.block(&definition.body, &mut environment);
        self.returned.clear();
        self.function = None;
    }

    /// What is visible in a function before its parameters.
    fn surroundings(&self, around: Option<Environment>, place: usize) -> Environment {
        let globals = self.globals.clone();
        let Some(around) = around else {
            return globals.unwrap_or_else(|| Environment::new(Generations::ANY));
        };
        let mut environment = around;
        environment.ends = false;
        // The function around may bind a name again before this one is called.
        if let Some(function) = self.functions.get(place) {
            let outer = self.functions.iter().find(|outer| {
                let (inner, outer) = (span_of(function.definition), span_of(outer.definition));
                outer.start < inner.start && inner.end <= outer.end
            });
            let bound = outer.map(|outer| assigned(&outer.definition.body).names);
            environment = settled(environment, &bound.unwrap_or_default());
        }
        environment
    }

    fn bind_parameters(
        &mut self,
        definition: &'a StmtFunctionDef,
        is_kernel: bool,
        passed: Option<&[Option<Value>]>,
        environment: &mut Environment,
    ) {
        let parameters = &definition.parameters;
        let mut outer = environment.clone();
        for (place, parameter) in parameters.iter_non_variadic_params().enumerate() {
            let name = parameter.name().as_str();
            let agreed = passed.and_then(|passed| passed.get(place).cloned().flatten());
            let value = agreed.unwrap_or_else(|| {
                let annotation = parameter.parameter.annotation().map(|annotation| {
                    let span = span_of(annotation);
                    span.of(self.text).to_owned()
                });
                let default = parameter
                    .default()
                    .map(|default| self.value(default, &mut outer));
                self.parameter(name, is_kernel, annotation.as_deref(), default.as_ref())
            });
            environment.set(name, value);
        }
        for parameter in [&parameters.vararg, &parameters.kwarg]
            .into_iter()
            .flatten()
        {
            environment.set(parameter.name().as_str(), Value::Unknown(Reason::Argument));
        }
    }

    /// A parameter of which no caller says anything. A kernel's is a tensor in HBM unless its default or its annotation is no tensor.
    fn parameter(
        &mut self,
        name: &str,
        is_kernel: bool,
        annotation: Option<&str>,
        default: Option<&Value>,
    ) -> Value {
        let is_number = annotation
            .is_some_and(|annotation| matches!(annotation, "int" | "bool" | "float" | "str"))
            || default.is_some_and(|default| !matches!(default, Value::None | Value::Unknown(_)));
        Value::Argument(Arc::new(Argument {
            name: Arc::from(name),
            number: self.fresh(),
            space: (is_kernel && !is_number).then_some(Space::Hbm),
        }))
    }

    /// `# visa-lint: args(x: bfloat16[128, 512])` above the function.
    fn stated_arguments(&mut self, definition: &StmtFunctionDef, environment: &mut Environment) {
        let first = definition.decorator_list.first().map_or_else(
            || span_of(definition).start,
            |decorator| span_of(decorator).start,
        );
        let mut line = self.remarks.line(first);
        while line > 0 && self.remarks.is_comment(line - 1) {
            line -= 1;
            let remarks = self.remarks;
            for remark in remarks
                .said
                .iter()
                .filter(|remark| remark.line == line && remark.word == "args")
            {
                self.state_arguments(&remark.argument, environment);
            }
        }
    }

    fn state_arguments(&mut self, stated: &str, environment: &mut Environment) {
        for part in split_outside_brackets(stated) {
            let Some((name, kind)) = part.split_once(':') else {
                continue;
            };
            let (dtype, extents) = match kind.trim().split_once('[') {
                Some((dtype, extents)) => (dtype, Some(extents.trim_end_matches(']'))),
                None => (kind.trim(), None),
            };
            let name = name.trim();
            let Some(Value::Argument(argument)) = environment.get(name).cloned() else {
                continue;
            };
            if let Some(dtype) = Dtype::named(dtype.trim()) {
                environment.dtypes.insert(argument.number, dtype);
            }
            let Some(extents) = extents else { continue };
            let extents: Vec<&str> = extents
                .split(',')
                .map(str::trim)
                .filter(|word| !word.is_empty())
                .collect();
            environment.ranks.insert(argument.number, extents.len());
            for (axis, extent) in (0_i64..).zip(extents) {
                if let Ok(number) = extent.parse::<i64>() {
                    environment
                        .extents
                        .insert((argument.number, axis), Size::number(number));
                } else {
                    // A symbol, the same for each argument of the remark that names it.
                    let size = Size::named(extent, 0, Kind::Extent);
                    environment.extents.insert((argument.number, axis), size);
                }
            }
        }
    }

    /// What a call of a function of the file gives back, and what it passes.
    pub fn call_of_file(
        &mut self,
        place: usize,
        passed: Option<Vec<Option<Value>>>,
        environment: &Environment,
    ) -> Value {
        let Some(definition) = self
            .functions
            .get(place)
            .map(|function| function.definition)
        else {
            return Value::Unknown(Reason::Call);
        };
        let parameters = definition.parameters.iter_non_variadic_params().count();
        let values = passed.unwrap_or_else(|| vec![None; parameters]);
        if self.is_recording {
            // What holds of an argument here is not known there, so that it goes along.
            let settled: Vec<Option<Value>> = values
                .iter()
                .map(|value| {
                    value
                        .as_ref()
                        .map(|value| self.with_facts(value, environment))
                })
                .collect();
            self.keep_passed(place, settled);
        }
        let Some(function) = self.functions.get(place) else {
            return Value::Unknown(Reason::Call);
        };
        let is_kernel = function.is_kernel;
        let around = function.around.clone();
        if self.calls_deep >= MOST_CALLS_DEEP
            || self.globals.is_none()
            || definition.is_async
            || !self.may_go_on()
        {
            return Value::Unknown(Reason::Call);
        }
        let mut inner = self.surroundings(around, place);
        inner.generations = environment.generations;
        inner.ranks.clone_from(&environment.ranks);
        inner.dtypes.clone_from(&environment.dtypes);
        inner.extents.clone_from(&environment.extents);
        self.bind_parameters(definition, is_kernel, Some(&values), &mut inner);
        self.followed_for_result(definition, inner)
    }

    /// Keeps what a call passes, as far as all calls before passed the same.
    fn keep_passed(&mut self, place: usize, values: Vec<Option<Value>>) {
        let Some(function) = self.functions.get_mut(place) else {
            return;
        };
        function.passed = Some(match function.passed.take() {
            None => values,
            Some(before) => before
                .into_iter()
                .zip(&values)
                .map(|(one, other)| agreed(one?, other.as_ref()?))
                .collect(),
        });
    }

    /// An argument whose shape is known here, as the tensor that it is.
    fn with_facts(&mut self, value: &Value, environment: &Environment) -> Value {
        match value {
            Value::Argument(argument) if environment.ranks.contains_key(&argument.number) => {
                Value::Tensor(self.tensor(value, environment))
            }
            other => other.clone(),
        }
    }

    fn followed_for_result(
        &mut self,
        definition: &'a StmtFunctionDef,
        mut inner: Environment,
    ) -> Value {
        let was_recording = std::mem::replace(&mut self.is_recording, false);
        let returned_before = std::mem::take(&mut self.returned);
        let replaced_before = self.replaced.len();
        self.calls_deep += 1;
        self.block(&definition.body, &mut inner);
        self.calls_deep -= 1;
        for (place, before) in self.replaced.drain(replaced_before..).rev() {
            if let Some(function) = self.functions.get_mut(place) {
                function.around = before;
            }
        }
        self.is_recording = was_recording;
        let mut returned = std::mem::replace(&mut self.returned, returned_before);
        if !inner.ends {
            returned.push(Value::None);
        }
        let first = returned.pop();
        returned
            .iter()
            .fold(first, |sum, value| sum.map(|sum| either(&sum, value)))
            .unwrap_or(Value::Unknown(Reason::Call))
    }
}

/// What two calls pass alike. Of two tensors with other names what both have.
fn agreed(one: Value, other: &Value) -> Option<Value> {
    if one == *other {
        return Some(one);
    }
    let (Value::Tensor(one), Value::Tensor(other)) = (&one, other) else {
        return None;
    };
    if one.gather.is_some() || other.gather.is_some() || one.shape != other.shape {
        return None;
    }
    Some(Value::Tensor(Arc::new(Tensor {
        space: one.space.filter(|space| other.space == Some(*space)),
        shape: one.shape.clone(),
        dtype: one
            .dtype
            .clone()
            .filter(|dtype| other.dtype.as_ref() == Some(dtype)),
        steps: one
            .steps
            .clone()
            .filter(|steps| other.steps.as_ref() == Some(steps)),
        partition_axis: one
            .partition_axis
            .filter(|axis| other.partition_axis == Some(*axis)),
        is_dynamic: one.is_dynamic && other.is_dynamic,
        may_gather: one.may_gather || other.may_gather,
        is_view: one.is_view || other.is_view,
        ..Tensor::unknown(Reason::Argument)
    })))
}

/// Parts of a text between commas that are in no bracket.
fn split_outside_brackets(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    text.split(|letter: char| {
        match letter {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    })
    .collect()
}

/// Names that a function reads.
#[derive(Default)]
struct Mentioned<'a> {
    names: FxHashSet<&'a str>,
}

impl<'a> Visitor<'a> for Mentioned<'a> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Name(name) = expression {
            self.names.insert(name.id.as_str());
        }
        walk_expr(self, expression);
    }
}
