//! Statements in their order: bindings, branches, loops, imports.
//!
//! Knows Python's control flow. Where two ways meet, see [`Environment::join`].

use std::sync::Arc;

use ruff_python_ast::{
    ElifElseClause, ExceptHandler, Expr, Stmt, StmtFor, StmtImport, StmtImportFrom, StmtTry,
    StmtWhile,
};

use super::assigned::{Assigned, assigned};
use super::environment::Environment;
use super::expressions::dotted;
use super::functions::Interpreter;
use super::{Elements, Loop, NamedTensor, Value};
use crate::names::{Known, STARRED};
use crate::symbols::{Kind, Size};
use crate::syntax::span_of;
use crate::types::{Reason, Span};

impl<'a> Interpreter<'a> {
    /// Follows statements until one ends the way.
    pub fn block(&mut self, body: &'a [Stmt], environment: &mut Environment) {
        for statement in body {
            if environment.ends() || !self.may_go_on() {
                return;
            }
            self.statement(statement, environment);
        }
    }

    /// Follows statements that change nothing of what holds behind them.
    fn aside(&mut self, body: &'a [Stmt], environment: &mut Environment) {
        environment.begin_way();
        let outer = self.enter_branch();
        self.block(body, environment);
        self.leave_branch(outer);
        environment.take_back();
    }

    fn statement(&mut self, statement: &'a Stmt, environment: &mut Environment) {
        match statement {
            Stmt::FunctionDef(definition) => self.define_function(definition, environment),
            Stmt::ClassDef(class) => {
                self.aside(&class.body, environment);
                environment.set(class.name.as_str(), Value::Unknown(Reason::Expression));
            }
            Stmt::Return(inner) => {
                let value = inner
                    .value
                    .as_ref()
                    .map_or(Value::None, |value| self.value(value, environment));
                self.returned.push(value);
                environment.set_ends(true);
            }
            Stmt::Delete(delete) => {
                for name in delete.targets.iter().filter_map(dotted) {
                    environment.remove(&name);
                }
            }
            Stmt::Assign(assign) => {
                let names_axes = |target: &Expr| target.is_tuple_expr() || target.is_list_expr();
                self.states_shapes = assign.targets.iter().any(names_axes)
                    && matches!(&*assign.value, Expr::Attribute(read) if read.attr.as_str() == "shape");
                let mut value = self.value(&assign.value, environment);
                self.states_shapes = false;
                self.note_assigned(assign);
                if assign.targets.iter().all(Expr::is_name_expr) {
                    self.forget_mention(&assign.value);
                }
                let is_one = assign.targets.len() == 1;
                if is_one && matches!(&*assign.value, Expr::List(list) if list.elts.is_empty()) {
                    value = Value::Tensors(Elements::None);
                }
                let is_new = matches!(
                    &*assign.value,
                    Expr::ListComp(_) | Expr::List(_) | Expr::Call(_)
                );
                if matches!(value, Value::Tensors(_)) && !(is_new && is_one) {
                    // Two names for one list: what is done to one is done to both.
                    environment.forget_tensors();
                    value = Value::Unknown(Reason::Expression);
                }
                for target in &assign.targets {
                    self.bind_target(target, value.clone(), environment);
                }
            }
            Stmt::AugAssign(assign) => {
                let left = self.value(&assign.target, environment);
                let right = self.value(&assign.value, environment);
                let value = match left {
                    // `a += b` changes a list in place.
                    Value::List(_) | Value::Tensors(_) => {
                        environment.forget_lists();
                        environment.forget_tensors();
                        Value::Unknown(Reason::Expression)
                    }
                    left => {
                        self.step = self.step.saturating_add(1);
                        self.note_use(&left, true, span_of(&*assign.target));
                        self.note_use(&right, true, span_of(&*assign.value));
                        self.binary(&left, assign.op, &right)
                    }
                };
                self.bind_target(&assign.target, value, environment);
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    let value = self.value(value, environment);
                    self.bind_target(&assign.target, value, environment);
                }
            }
            Stmt::For(inner) => self.for_loop(inner, environment),
            Stmt::While(inner) => self.while_loop(inner, environment),
            Stmt::If(inner) => {
                self.branches(
                    &inner.test,
                    &inner.body,
                    &inner.elif_else_clauses,
                    environment,
                );
            }
            Stmt::With(inner) => {
                for item in &inner.items {
                    self.value(&item.context_expr, environment);
                    if let Some(target) = &item.optional_vars {
                        self.bind_target(target, Value::Unknown(Reason::Expression), environment);
                    }
                }
                self.block(&inner.body, environment);
            }
            Stmt::Match(inner) => self.cases(inner, environment),
            Stmt::Raise(_) | Stmt::Break(_) | Stmt::Continue(_) => environment.set_ends(true),
            Stmt::Try(inner) => self.follow_try(inner, environment),
            Stmt::Assert(inner) => {
                self.value(&inner.test, environment);
                self.assume(&inner.test, true, environment);
            }
            Stmt::Import(import) => self.import(import, environment),
            Stmt::ImportFrom(import) => self.import_from(import, environment),
            Stmt::Global(inner) => {
                forget_names(
                    inner.names.iter().map(ruff_python_ast::Identifier::as_str),
                    environment,
                );
            }
            Stmt::Nonlocal(inner) => {
                forget_names(
                    inner.names.iter().map(ruff_python_ast::Identifier::as_str),
                    environment,
                );
            }
            Stmt::Expr(inner) => {
                self.value(&inner.value, environment);
            }
            Stmt::TypeAlias(_) | Stmt::Pass(_) | Stmt::IpyEscapeCommand(_) => {}
        }
    }

    /// Binds a target to a value.
    pub fn bind_target(&mut self, target: &'a Expr, value: Value, environment: &mut Environment) {
        match target {
            Expr::Name(name) => {
                if self.is_recording
                    && self.keeps_names
                    && let Value::Tensor(tensor) = &value
                {
                    self.out.named.push(NamedTensor {
                        span: span_of(name),
                        tensor: Arc::clone(tensor),
                        is_assigned: true,
                    });
                }
                let value = named_after(value, name.id.as_str());
                environment.set(name.id.as_str(), value);
            }
            Expr::Tuple(targets) => self.unpack(&targets.elts, &value, environment),
            Expr::List(targets) => self.unpack(&targets.elts, &value, environment),
            Expr::Starred(starred) => self.bind_target(
                &starred.value,
                Value::Unknown(Reason::Expression),
                environment,
            ),
            Expr::Attribute(_) => {
                if let Some(path) = dotted(target) {
                    environment.set(&path, value);
                }
            }
            Expr::Subscript(subscript) => {
                match self.value(&subscript.value, environment) {
                    Value::List(_) => environment.forget_lists(),
                    Value::Tensors(_) => environment.forget_tensors(),
                    written @ Value::Tensor(_) => {
                        self.note_use(&written, false, span_of(&*subscript.value));
                    }
                    _ => {}
                }
                self.value(&subscript.slice, environment);
            }
            _ => {}
        }
    }

    fn unpack(&mut self, targets: &'a [Expr], value: &Value, environment: &mut Environment) {
        let starred = targets.iter().any(Expr::is_starred_expr);
        if let Value::ShapeOf(argument) = value
            && !starred
        {
            environment.learn_rank(argument.number, targets.len());
            for (axis, target) in (0_i64..).zip(targets) {
                let label = target.as_name_expr().map(|name| name.id.as_str());
                let extent = self.extent(argument, axis, label, environment);
                let value = extent.map_or(Value::Unknown(Reason::Argument), Value::Int);
                self.bind_target(target, value, environment);
            }
            return;
        }
        let elements = value
            .elements()
            .filter(|elements| elements.len() == targets.len() && !starred);
        for (place, target) in targets.iter().enumerate() {
            let element = elements.and_then(|elements| elements.get(place).cloned());
            let unknown = Value::Unknown(value.reason());
            self.bind_target(target, element.unwrap_or(unknown), environment);
        }
    }

    fn branches(
        &mut self,
        test: &'a Expr,
        body: &'a [Stmt],
        clauses: &'a [ElifElseClause],
        environment: &mut Environment,
    ) {
        self.value(test, environment);
        environment.begin_way();
        self.assume(test, true, environment);
        let outer = self.enter_branch();
        self.block(body, environment);
        self.leave_branch(outer);
        let taken = environment.take_back();
        environment.begin_way();
        self.assume(test, false, environment);
        self.enter_branch();
        if let Some((first, rest)) = clauses.split_first() {
            match &first.test {
                Some(test) => self.branches(test, &first.body, rest, environment),
                None => self.block(&first.body, environment),
            }
        }
        self.leave_branch(outer);
        let other = environment.take_back();
        environment.join(taken, other);
    }

    fn cases(&mut self, inner: &'a ruff_python_ast::StmtMatch, environment: &mut Environment) {
        self.value(&inner.subject, environment);
        // No case may be the one.
        environment.begin_way();
        let mut left = environment.take_back();
        for case in &inner.cases {
            environment.begin_way();
            let mut bound = Assigned::default();
            ruff_python_ast::visitor::Visitor::visit_pattern(&mut bound, &case.pattern);
            forget_names(bound.names.keys().map(|name| &**name), environment);
            let outer = self.enter_branch();
            if let Some(guard) = &case.guard {
                self.value(guard, environment);
            }
            self.block(&case.body, environment);
            self.leave_branch(outer);
            let taken = environment.take_back();
            left = environment.joined_ways(left, taken);
        }
        environment.follow_way(left);
    }

    fn follow_try(&mut self, inner: &'a StmtTry, environment: &mut Environment) {
        environment.begin_way();
        let outer = self.enter_branch();
        self.block(&inner.body, environment);
        self.block(&inner.orelse, environment);
        self.leave_branch(outer);
        let mut left = environment.take_back();
        let bound = assigned(&inner.body);
        for handler in &inner.handlers {
            let ExceptHandler::ExceptHandler(handler) = handler;
            environment.begin_way();
            // A handler begins anywhere in the body.
            forget_names(bound.names.keys().map(|name| &**name), environment);
            if let Some(name) = &handler.name {
                environment.set(name.as_str(), Value::Unknown(Reason::Expression));
            }
            let outer = self.enter_branch();
            self.block(&handler.body, environment);
            self.leave_branch(outer);
            let taken = environment.take_back();
            left = environment.joined_ways(left, taken);
        }
        environment.follow_way(left);
        self.block(&inner.finalbody, environment);
    }

    fn for_loop(&mut self, inner: &'a StmtFor, environment: &mut Environment) {
        let range = self.range(&inner.iter, environment);
        let iterated = match &range {
            Some(_) => None,
            None => Some(self.value(&inner.iter, environment)),
        };
        let bound = assigned(&inner.body);
        environment.begin_way();
        forget_names(bound.names.keys().map(|name| &**name), environment);
        environment.forget_lists_if_changed(&bound);
        let is_dynamic = range.as_ref().is_some_and(|(_, is_dynamic)| *is_dynamic);
        let header = Span {
            start: span_of(inner).start,
            end: span_of(&*inner.iter).end,
        };
        let variable = match &range {
            Some(_) => {
                let kind = if is_dynamic {
                    Kind::Runtime
                } else {
                    Kind::Loop
                };
                let name = inner
                    .target
                    .as_name_expr()
                    .map_or("index", |name| name.id.as_str());
                let number = self.fresh_number();
                Value::Int(Size::named(name, number, kind))
            }
            None => match iterated {
                Some(Value::Tensors(Elements::Each(element))) => Value::Tensor(element),
                _ => Value::Unknown(Reason::Expression),
            },
        };
        self.bind_target(&inner.target, variable, environment);
        self.in_loop(
            header,
            range.and_then(|(count, _)| count),
            is_dynamic,
            &inner.body,
            environment,
        );
        let body = environment.take_back();
        for name in bound.names.keys() {
            if environment.get(name).is_some() {
                environment.set(name, Value::Unknown(Reason::Branches));
            }
        }
        if let Expr::Name(name) = &*inner.target {
            environment.set(name.id.as_str(), Value::Unknown(Reason::Branches));
        }
        environment.leave_loop(&bound, body);
        for name in bound.names.keys() {
            if environment.get(name).is_none() {
                environment.set(name, Value::Unknown(Reason::Branches));
            }
        }
        self.aside(&inner.orelse, environment);
    }

    fn in_loop(
        &mut self,
        span: Span,
        count: Option<Size>,
        is_dynamic: bool,
        body: &'a [Stmt],
        environment: &mut Environment,
    ) {
        if !self.is_recording {
            self.block(body, environment);
            return;
        }
        let within = self.loops.last().copied();
        self.out.loops.push(Loop {
            span,
            count,
            is_dynamic,
            within,
            begin: self.step,
            end: self.step,
        });
        let place = self.out.loops.len() - 1;
        self.loops.push(place);
        self.block(body, environment);
        self.loops.pop();
        self.step = self.step.saturating_add(1);
        if let Some(ended) = self.out.loops.get_mut(place) {
            ended.end = self.step;
        }
    }

    fn while_loop(&mut self, inner: &'a StmtWhile, environment: &mut Environment) {
        let tested = self.value(&inner.test, environment);
        let is_dynamic = self.reads_register(&inner.test, environment)
            || tested
                .as_size()
                .is_some_and(|size| size.has_kind(Kind::Runtime));
        let bound = assigned(&inner.body);
        for name in bound.names.keys() {
            let was_number = environment
                .get(name)
                .is_some_and(|value| matches!(value, Value::Int(_)));
            let value = if is_dynamic && was_number {
                let number = self.fresh_number();
                Value::Int(Size::named(&**name, number, Kind::Runtime))
            } else {
                Value::Unknown(Reason::Branches)
            };
            environment.set(name, value);
        }
        environment.forget_lists_if_changed(&bound);
        if bound.changes_lists {
            environment.forget_tensors();
        }
        environment.begin_way();
        let span = Span {
            start: span_of(inner).start,
            end: span_of(&*inner.test).end,
        };
        self.in_loop(span, None, is_dynamic, &inner.body, environment);
        environment.take_back();
        forget_names(bound.names.keys().map(|name| &**name), environment);
        self.aside(&inner.orelse, environment);
    }

    fn import(&mut self, import: &StmtImport, environment: &mut Environment) {
        for alias in &import.names {
            let path = alias.name.as_str();
            let (name, meaning) = match &alias.asname {
                Some(name) => (name.as_str(), path),
                None => {
                    let first = path.split('.').next().unwrap_or_default();
                    (first, first)
                }
            };
            self.out.takes_part |=
                Known::imported(path).is_some_and(|known| known.path.starts_with("nki"));
            self.note_older_package(path, span_of(&alias.name));
            // `import neuronxcc.nki` binds `neuronxcc`, whose member `nki` is ours.
            let known = Known::imported(meaning);
            environment.set(
                name,
                known.map_or(Value::Unknown(Reason::Name), Value::Known),
            );
        }
    }

    fn import_from(&mut self, import: &StmtImportFrom, environment: &mut Environment) {
        let module = import.module.as_ref().filter(|_| import.level == 0);
        let known = module.and_then(|module| Known::imported(module.as_str()));
        if let Some(module) = module {
            self.note_older_package(module.as_str(), span_of(module));
        }
        for alias in &import.names {
            let name = alias.name.as_str();
            if name == "*" {
                if let Some(known) = known.as_ref().filter(|known| &*known.path == "nki.isa") {
                    self.out.takes_part = true;
                    for name in STARRED {
                        environment.set(name, Value::Known(known.member(name)));
                    }
                }
                continue;
            }
            let member = known.as_ref().map(|known| known.member(name));
            self.out.takes_part |= member
                .as_ref()
                .is_some_and(|member| member.path.starts_with("nki"));
            let bound = alias.asname.as_ref().map_or(name, |name| name.as_str());
            let value = member.map_or(Value::Unknown(Reason::Name), Value::Known);
            environment.set(bound, self.settled_member(value));
        }
    }
}

/// A tensor without a name gets that of its first binding.
fn named_after(value: Value, name: &str) -> Value {
    match value {
        Value::Tensor(tensor) if tensor.name.is_none() => {
            let mut named = Arc::unwrap_or_clone(tensor);
            named.name = Some(Arc::from(name));
            Value::Tensor(Arc::new(named))
        }
        other => other,
    }
}

fn forget_names<'n>(names: impl Iterator<Item = &'n str>, environment: &mut Environment) {
    for name in names {
        environment.set(name, Value::Unknown(Reason::Branches));
    }
}
