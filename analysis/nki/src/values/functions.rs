//! Which function is followed, when, and with which arguments.
//!
//! The file's own statements come first, then each function once: kernels with tensors of unknown shape, other functions with what
//! their callers in the file pass where all agree. A call of a function of the file is followed as well, for what it gives back.

use std::borrow::Cow;
use std::sync::Arc;

use ruff_python_ast::{Expr, StmtFunctionDef};
use rustc_hash::{FxHashMap, FxHashSet};

use super::assigned::assigned;
use super::environment::{Environment, either_value};
use super::following::Passes;
use super::passing::{abroad, agreed_value, chosen_at};
use super::waiting::Waiting;
use super::{Argument, Followed, Value, WrittenFunction};
use crate::names::Known;
use crate::symbols::Size;
use crate::syntax::remarks::Remarks;
use crate::syntax::span_of;
use crate::transfers::Kind;
use crate::types::{Generations, Reason, Span};

/// Statements that are followed in one part of a file, those of calls that are followed for their result included.
const MOST_STEPS: u64 = 400_000;
/// Calls in one another that are followed for their result.
const MOST_CALLS_DEEP: usize = 4;

/// A text with its remarks.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The text.
    pub text: &'a str,
    /// Its remarks.
    pub remarks: &'a Remarks,
}

/// What a file's own level says of a function of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declared {
    /// Whether it is decorated as a kernel.
    pub is_kernel: bool,
    /// The generations that its decorator or its surroundings are for.
    pub generations: Generations,
}

/// Finds a function that is a part of the file by its number.
pub type FindPart<'a> = Box<dyn Fn(usize) -> Option<(&'a StmtFunctionDef, Source<'a>)> + 'a>;

/// A function with what is known before it is followed.
pub struct Function<'a> {
    pub definition: &'a StmtFunctionDef,
    /// Where it is.
    pub source: Source<'a>,
    /// Its number among those that are followed here; none for one of another part, which is followed for its result alone.
    pub written: Option<usize>,
    pub is_kernel: bool,
    /// What is visible around it.
    pub around: Option<Environment>,
    /// What callers pass, by parameter; `None` for one that is not seen or that they disagree about.
    pub passed: Option<Vec<Option<Value>>>,
    pub generations: Generations,
}

/// The state of following a file.
pub struct Interpreter<'a> {
    /// The text of the function that is followed at the moment, and its remarks.
    pub text: &'a str,
    pub remarks: &'a Remarks,
    /// The text whose functions are followed.
    own: &'a str,
    parts: FindPart<'a>,
    /// What is known of the functions that are parts of the file, by their number.
    pub(super) declared: Arc<[Option<Declared>]>,
    /// Where the heads of parts begin in the text of the rest, with their numbers.
    pub(super) heads: FxHashMap<u32, usize>,
    /// Functions that were met, by their number: first come the parts of the file, then what a text has in classes, branches and
    /// other functions.
    pub(super) functions: FxHashMap<usize, Function<'a>>,
    next: usize,
    /// Those of the text, in the order in which they were met.
    to_follow: Vec<usize>,
    pub out: Followed,
    pub globals: Option<Environment>,
    pub extents: FxHashMap<(u32, i64), Size>,
    /// The argument and axis of an extent, by the number of its symbol.
    pub axes_of_extents: FxHashMap<u32, (u32, i64)>,
    pub fields: FxHashMap<(u32, Arc<str>), Arc<Argument>>,
    counter: u32,
    /// The last number that symbols may have.
    last_number: u32,
    steps: u64,
    pub depth: usize,
    calls_deep: usize,
    /// What was around functions before a call that is followed for its result defined them again.
    replaced: Vec<(usize, Option<Environment>)>,
    /// Whether what is met is kept: not while a call is followed for its result.
    pub is_recording: bool,
    /// Whether what names mean is kept: who shows a place of the text asks for it, a check does not.
    pub keeps_names: bool,
    /// Instructions without a destination that is named: one whose result is used has none.
    pub without_destination: FxHashSet<Span>,
    /// Defaults of parameters that are a member of an enumeration or a number, by the parameter's number.
    pub defaults: FxHashMap<u32, Value>,
    /// Whether comments and docstrings say something of arguments.
    pub reads_descriptions: bool,
    /// Whether the code states the shape that is read at the moment, by an assertion or by names for its axes.
    pub states_shapes: bool,
    /// Steps that were counted: instructions and allocations.
    pub step: u32,
    /// The branch that is followed.
    pub branch: usize,
    pub function: Option<usize>,
    pub loops: Vec<usize>,
    pub returned: Vec<Value>,
}

/// Symbols of one part have numbers of their own: values go from one to another.
pub(super) const NUMBERS: u32 = 1 << 16;

/// What functions see of the names around them: a name that is bound more than once may be any of its values by then.
pub(super) fn settled(
    mut environment: Environment,
    bound: &FxHashMap<Cow<'_, str>, u32>,
) -> Environment {
    for (name, times) in bound {
        if *times > 1 && !matches!(environment.get(name), Some(Value::Known(_))) {
            environment.set(name, Value::Unknown(Reason::Branches));
        }
    }
    environment.forget_lists();
    environment.set_ends(false);
    environment
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(
        source: Source<'a>,
        parts: FindPart<'a>,
        declared: Arc<[Option<Declared>]>,
        first_number: u32,
    ) -> Self {
        Self {
            text: source.text,
            remarks: source.remarks,
            own: source.text,
            parts,
            next: declared.len(),
            declared,
            heads: FxHashMap::default(),
            functions: FxHashMap::default(),
            to_follow: Vec::new(),
            out: Followed {
                branches: vec![0],
                ..Followed::default()
            },
            globals: None,
            extents: FxHashMap::default(),
            axes_of_extents: FxHashMap::default(),
            fields: FxHashMap::default(),
            counter: first_number,
            last_number: first_number.saturating_add(NUMBERS - 1),
            steps: 0,
            depth: 0,
            calls_deep: 0,
            replaced: Vec::new(),
            is_recording: true,
            keeps_names: true,
            without_destination: FxHashSet::default(),
            defaults: FxHashMap::default(),
            reads_descriptions: false,
            states_shapes: false,
            step: 0,
            branch: 0,
            function: None,
            loops: Vec::new(),
            returned: Vec::new(),
        }
    }

    /// A number that no symbol has yet.
    pub fn fresh_number(&mut self) -> u32 {
        if self.counter >= self.last_number {
            // Numbers of the next part begin: nothing more is followed.
            self.steps = MOST_STEPS;
            return self.counter;
        }
        self.counter += 1;
        self.counter
    }

    /// The function of a number, if it is known.
    pub fn function_at(&mut self, place: usize) -> Option<&mut Function<'a>> {
        if !self.functions.contains_key(&place) {
            let declared = (*self.declared.get(place)?)?;
            let (definition, source) = (self.parts)(place)?;
            let function = Function {
                definition,
                source,
                written: None,
                is_kernel: declared.is_kernel,
                around: None,
                passed: None,
                generations: declared.generations,
            };
            self.functions.insert(place, function);
        }
        self.functions.get_mut(&place)
    }

    /// Notes that a transfer is named: it may be passed on, and not called here.
    pub fn mention(&mut self, known: &Known, span: Span) {
        if !self.is_recording {
            return;
        }
        let is_transfer = known
            .isa()
            .is_some_and(|name| Kind::of_instruction(name).is_some())
            || matches!(known.language(), Some("load" | "store"));
        if is_transfer {
            self.out.mentions.push(span);
        }
    }

    /// What was named last is called, or has another name by now, by which calls are followed.
    pub fn forget_mention(&mut self, expression: &Expr) {
        if self.is_recording && self.out.mentions.last() == Some(&span_of(expression)) {
            self.out.mentions.pop();
        }
    }

    /// What is passed to parts other than one.
    pub(super) fn passes_to_others(&self, own: Option<usize>) -> Passes {
        let parts = self
            .functions
            .iter()
            .filter(|(place, _)| **place < self.declared.len() && Some(**place) != own);
        let passed = parts.filter_map(|(place, function)| {
            let values = function.passed.as_ref()?.iter();
            let count = self.declared.len();
            let values = values.map(|value| value.as_ref().map(|value| abroad(value, count)));
            Some((*place, values.collect()))
        });
        passed.collect()
    }

    /// Notes a function of the text that is followed.
    pub(super) fn write(
        &mut self,
        place: usize,
        definition: &'a StmtFunctionDef,
        declared: Declared,
    ) {
        let function = Function {
            definition,
            source: Source {
                text: self.text,
                remarks: self.remarks,
            },
            written: Some(self.out.functions.len()),
            is_kernel: declared.is_kernel,
            around: None,
            passed: None,
            generations: declared.generations,
        };
        self.functions.insert(place, function);
        self.to_follow.push(place);
        self.out.functions.push(WrittenFunction {
            name: definition.name.to_string(),
            name_span: span_of(&definition.name),
            span: span_of(definition),
            is_kernel: declared.is_kernel,
        });
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
    pub fn define_function(
        &mut self,
        definition: &'a StmtFunctionDef,
        environment: &mut Environment,
    ) {
        let (is_kernel, generations) = self.decorators(definition, environment);
        let declared = Declared {
            is_kernel,
            generations,
        };
        let is_own = std::ptr::eq(self.text, self.own);
        let head = self.heads.get(&span_of(definition).start).copied();
        if let Some(place) = head.filter(|_| is_own) {
            // Nothing else has the list while the rest is followed.
            if let Some(known) = Arc::get_mut(&mut self.declared).and_then(|all| all.get_mut(place))
            {
                *known = Some(declared);
            }
            environment.set(definition.name.as_str(), Value::Function(place));
            return;
        }
        let known = self
            .functions
            .iter()
            .find(|(_, function)| std::ptr::eq(function.definition, definition));
        let place = known.map_or(self.next, |(place, _)| *place);
        if place == self.next {
            self.next += 1;
            if is_own {
                self.write(place, definition, declared);
            } else {
                let function = Function {
                    definition,
                    source: Source {
                        text: self.text,
                        remarks: self.remarks,
                    },
                    written: None,
                    is_kernel,
                    around: None,
                    passed: None,
                    generations,
                };
                self.functions.insert(place, function);
            }
        }
        environment.set(definition.name.as_str(), Value::Function(place));
        if self.function.is_some() || self.calls_deep > 0 {
            // A function in a function sees the names of that one.
            if let Some(function) = self.functions.get_mut(&place) {
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
        let mut generations = environment.generations();
        for decorator in &definition.decorator_list {
            let (callee, call) = match &decorator.expression {
                Expr::Call(call) => (&*call.func, Some(call)),
                other => (other, None),
            };
            let Value::Known(known) = self.value(callee, environment) else {
                continue;
            };
            is_kernel |= known.is_kernel_decorator();
            if let Some(call) = call.filter(|_| known.is_kernel_decorator()) {
                self.note_older_decorator(&known, call);
            }
            for keyword in call.iter().flat_map(|call| &call.arguments.keywords) {
                let is_target = keyword
                    .arg
                    .as_ref()
                    .is_some_and(|name| name.as_str() == "platform_target");
                if is_target
                    && let Value::Text(target) = self.value(&keyword.value, environment)
                    && let Some(generation) = crate::types::target_generation(&target)
                {
                    generations = Generations::one(generation);
                }
            }
        }
        (is_kernel, generations)
    }

    pub(super) fn all_functions(&mut self, is_called_elsewhere: &dyn Fn(&str) -> bool) {
        // One that is alone waits for no other: the names that it mentions are not asked for.
        let mut first = 0;
        if let &[alone] = self.to_follow.as_slice() {
            self.next_function(alone, false, is_called_elsewhere);
            first = 1;
        }
        let mut waiting = Waiting::default();
        loop {
            // Functions in functions are met while their own are followed, so that the list grows.
            for place in self.to_follow.iter().skip(first + waiting.len()) {
                if let Some(function) = self.functions.get(place) {
                    waiting.add(function.definition);
                }
            }
            let Some((next, is_called)) = waiting.next() else {
                return;
            };
            let Some(place) = self.to_follow.get(first + next).copied() else {
                return;
            };
            self.next_function(place, is_called, is_called_elsewhere);
        }
    }

    fn next_function(
        &mut self,
        place: usize,
        is_called: bool,
        is_called_elsewhere: &dyn Fn(&str) -> bool,
    ) {
        if let Some(function) = self.functions.get_mut(&place)
            && (is_called || is_called_elsewhere(function.definition.name.as_str()))
        {
            // All that is left call one another: what they pass is not waited for.
            function.passed = None;
        }
        self.one_function(place);
    }

    fn one_function(&mut self, place: usize) {
        let Some(function) = self.functions.get(&place) else {
            return;
        };
        let definition = function.definition;
        let (is_kernel, passed, generations) = (
            function.is_kernel,
            function.passed.clone(),
            function.generations,
        );
        let around = function.around.clone();
        let written = function.written;
        let mut environment = self.surroundings(around, place);
        environment.restrict_generations(generations);
        self.bind_parameters(definition, is_kernel, passed.as_deref(), &mut environment);
        self.stated_arguments(definition, &mut environment);
        self.described_arguments(definition, &mut environment);
        self.function = written;
        self.loops.clear();
        self.branch = 0;
        self.block(&definition.body, &mut environment);
        self.without_destination.clear();
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
        environment.set_ends(false);
        // The function around may bind a name again before this one is called.
        if let Some(function) = self.functions.get(&place) {
            let outer = self
                .functions
                .values()
                .filter(|outer| std::ptr::eq(outer.source.text, function.source.text));
            // The innermost of those around it.
            let outer = outer.filter(|outer| {
                let (inner, outer) = (span_of(function.definition), span_of(outer.definition));
                outer.start < inner.start && inner.end <= outer.end
            });
            let outer = outer.min_by_key(|outer| span_of(outer.definition).start);
            let bound = outer.map(|outer| assigned(&outer.definition.body).names);
            environment = settled(environment, &bound.unwrap_or_default());
        }
        environment
    }

    /// What a call of a function of the file gives back, and what it passes.
    pub fn call_of_file(
        &mut self,
        place: usize,
        passed: Option<Vec<Option<Value>>>,
        at: Span,
        environment: &Environment,
    ) -> Value {
        let text = self.text;
        let Some(function) = self.function_at(place) else {
            return Value::Unknown(Reason::Call);
        };
        let (definition, source) = (function.definition, function.source);
        let is_foreign = !std::ptr::eq(text, source.text);
        let parameters = definition.parameters.iter_non_variadic_params().count();
        let mut values = passed.unwrap_or_else(|| vec![None; parameters]);
        if is_foreign {
            // Places in one text mean nothing in another.
            for value in values.iter_mut().flatten() {
                *value = abroad(value, usize::MAX);
            }
        }
        if self.is_recording && !self.is_launch(place) {
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
        let Some(function) = self.functions.get(&place) else {
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
        inner.hold_as(environment);
        let before = (self.text, self.remarks);
        (self.text, self.remarks) = (source.text, source.remarks);
        self.bind_parameters(definition, is_kernel, Some(&values), &mut inner);
        let given = self.followed_for_result(definition, inner);
        (self.text, self.remarks) = before;
        if is_foreign {
            chosen_at(abroad(&given, usize::MAX), at)
        } else {
            given
        }
    }

    /// Whether a call here starts a kernel from the host: what it passes are tensors of the host, which say nothing of the kernel's.
    fn is_launch(&self, place: usize) -> bool {
        let caller = self
            .function
            .and_then(|caller| self.out.functions.get(caller));
        let is_kernel = |place| {
            self.functions
                .get(place)
                .is_some_and(|known| known.is_kernel)
        };
        is_kernel(&place) && !caller.is_some_and(|caller| caller.is_kernel)
    }

    /// Keeps what a call passes, as far as all calls before passed the same.
    fn keep_passed(&mut self, place: usize, values: Vec<Option<Value>>) {
        let Some(function) = self.functions.get_mut(&place) else {
            return;
        };
        function.passed = Some(match function.passed.take() {
            None => values,
            Some(before) => before
                .into_iter()
                .zip(&values)
                .map(|(one, other)| agreed_value(one?, other.as_ref()?))
                .collect(),
        });
    }

    /// An argument whose shape is known here, as the tensor that it is.
    fn with_facts(&mut self, value: &Value, environment: &Environment) -> Value {
        match value {
            Value::Argument(argument)
                if environment.arguments().ranks.contains_key(&argument.number) =>
            {
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
            if let Some(function) = self.functions.get_mut(&place) {
                function.around = before;
            }
        }
        self.is_recording = was_recording;
        let mut returned = std::mem::replace(&mut self.returned, returned_before);
        if !inner.ends() {
            returned.push(Value::None);
        }
        let first = returned.pop();
        returned
            .iter()
            .fold(first, |sum, value| sum.map(|sum| either_value(&sum, value)))
            .unwrap_or(Value::Unknown(Reason::Call))
    }
}
