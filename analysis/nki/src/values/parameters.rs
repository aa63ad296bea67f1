//! What the parameters of a function are before it is followed: what callers pass, or what they may be.
//!
//! Knows defaults and annotations. What is said of shapes is read elsewhere, see `stated` and `described`.

use std::sync::Arc;

use ruff_python_ast::StmtFunctionDef;

use super::environment::Environment;
use super::functions::Interpreter;
use super::passing::{UNNUMBERED, chosen_at};
use super::{Argument, Value};
use crate::syntax::span_of;
use crate::types::{Reason, Space};

impl<'a> Interpreter<'a> {
    /// Binds the parameters of a function.
    pub fn bind_parameters(
        &mut self,
        definition: &'a StmtFunctionDef,
        is_kernel: bool,
        passed: Option<&[Option<Value>]>,
        environment: &mut Environment,
    ) {
        let parameters = &definition.parameters;
        // A kernel that others call may be given tiles, and not tensors in HBM.
        let takes_tiles = parameters
            .iter_non_variadic_params()
            .any(|parameter| is_name_of_tile(parameter.name().as_str()));
        let is_kernel = is_kernel && !takes_tiles;
        // Defaults are read where the function is defined.
        let mut outer: Option<Environment> = parameters
            .iter_non_variadic_params()
            .any(|parameter| parameter.default().is_some())
            .then(|| environment.clone());
        for (place, parameter) in parameters.iter_non_variadic_params().enumerate() {
            let name = parameter.name().as_str();
            let agreed = passed.and_then(|passed| passed.get(place).cloned().flatten());
            let agreed = agreed.map(|value| chosen_at(value, span_of(parameter.name())));
            let agreed = agreed.map(|value| self.numbered_argument(value, name));
            let value = agreed.unwrap_or_else(|| {
                let annotation = parameter.parameter.annotation().map(|annotation| {
                    let span = span_of(annotation);
                    span.text_in(self.text).to_owned()
                });
                let default = parameter
                    .default()
                    .zip(outer.as_mut())
                    .map(|(default, outer)| self.value(default, outer));
                self.parameter(name, is_kernel, annotation.as_deref(), default.as_ref())
            });
            if let Value::Argument(argument) = &value
                && passed.is_some()
            {
                // Callers that disagree pass something else than the default.
                self.defaults.remove(&argument.number);
            }
            environment.set(name, value);
        }
        for parameter in [&parameters.vararg, &parameters.kwarg]
            .into_iter()
            .flatten()
        {
            environment.set(parameter.name().as_str(), Value::Unknown(Reason::Argument));
        }
    }

    /// An argument that callers disagree about has a number of its own.
    fn numbered_argument(&mut self, value: Value, name: &str) -> Value {
        match value {
            Value::Argument(argument) if argument.number == UNNUMBERED => {
                Value::Argument(Arc::new(Argument {
                    name: Arc::from(name),
                    number: self.fresh_number(),
                    space: argument.space,
                }))
            }
            other => other,
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
        let number = self.fresh_number();
        if let Some(default @ (Value::Known(_) | Value::Int(_))) = default {
            self.defaults.insert(number, default.clone());
        }
        Value::Argument(Arc::new(Argument {
            name: Arc::from(name),
            number,
            space: (is_kernel && !is_number).then_some(Space::Hbm),
        }))
    }
}

/// Whether a name says that the tensor is in SBUF or PSUM.
fn is_name_of_tile(name: &str) -> bool {
    let ends = ["_sb", "_sbuf", "_psum"];
    ends.iter().any(|end| name.ends_with(end)) || name.contains("sbuf")
}
