//! Shapes of arguments as their annotation, a comment behind them or the function's docstring states them.
//!
//! `nt.tensor[128, 512]` is checked when the kernel is called. Comments and docstrings are read by people alone: what follows from them
//! is kept apart, see [`super::Followed::has_descriptions`].

use ruff_python_ast::{Expr, ParameterWithDefault, Stmt, StmtFunctionDef};

use super::environment::Environment;
use super::functions::Interpreter;
use super::{Argument, Value};
use crate::symbols::{Kind, Size};
use crate::syntax::span_of;

/// So many lines of a docstring are read.
const MOST_LINES: usize = 400;

impl<'a> Interpreter<'a> {
    /// Learns what is said of the arguments of a function.
    pub fn described_arguments(
        &mut self,
        definition: &'a StmtFunctionDef,
        environment: &mut Environment,
    ) {
        let docstring = docstring(definition);
        for parameter in definition.parameters.iter_non_variadic_params() {
            let name = parameter.name().as_str();
            let Some(Value::Argument(argument)) = environment.get(name).cloned() else {
                continue;
            };
            self.read_annotation(parameter, &argument, environment);
            let facts = environment.arguments();
            if !self.reads_descriptions || facts.ranks.contains_key(&argument.number) {
                continue;
            }
            let remark = remark_behind(self.text, parameter);
            let shape = remark
                .and_then(shape_of_text)
                .or_else(|| docstring.and_then(|text| shape_in(text, name)));
            if let Some(shape) = shape {
                self.out.has_descriptions = true;
                learn_axes(&argument, &shape, environment);
            }
        }
    }

    /// `x: nt.tensor[128, 512]`.
    fn read_annotation(
        &mut self,
        parameter: &'a ParameterWithDefault,
        argument: &Argument,
        environment: &mut Environment,
    ) {
        let Some(Expr::Subscript(annotation)) = parameter.parameter.annotation() else {
            return;
        };
        let base = self.value(&annotation.value, environment);
        if !matches!(&base, Value::Known(known) if &*known.path == "nki.typing.tensor") {
            return;
        }
        let extents: Vec<Option<i64>> = match &*annotation.slice {
            Expr::Tuple(tuple) => tuple
                .elts
                .iter()
                .map(|one| self.value(one, environment).as_size()?.value())
                .collect(),
            one => vec![
                self.value(one, environment)
                    .as_size()
                    .and_then(|size| size.value()),
            ],
        };
        environment.learn_rank(argument.number, extents.len());
        for (axis, extent) in (0_i64..).zip(extents) {
            if let Some(extent) = extent.filter(|extent| *extent > 0) {
                let key = (argument.number, axis);
                environment
                    .learn()
                    .extents
                    .insert(key, Size::number(extent));
            }
        }
    }
}

/// The axes that a text states: a name of the file that is a number is that.
fn learn_axes(argument: &Argument, shape: &[&str], environment: &mut Environment) {
    environment.learn_rank(argument.number, shape.len());
    environment.learn().described.insert(argument.number);
    for (axis, word) in (0_i64..).zip(shape) {
        let constant = || match environment.get(word) {
            Some(Value::Int(size)) => size.value().map(Size::number),
            _ => None,
        };
        let number = word.parse::<i64>().ok().map(Size::number);
        let extent = number
            .or_else(constant)
            .unwrap_or_else(|| Size::named(*word, 0, Kind::Extent));
        let key = (argument.number, axis);
        environment.learn().extents.insert(key, extent);
    }
}

/// The docstring of a function.
fn docstring(definition: &StmtFunctionDef) -> Option<&str> {
    match definition.body.first()? {
        Stmt::Expr(first) => Some(first.value.as_string_literal_expr()?.value.to_str()),
        _ => None,
    }
}

/// The comment behind a parameter, in its line.
fn remark_behind<'t>(text: &'t str, parameter: &ParameterWithDefault) -> Option<&'t str> {
    let end = usize::try_from(span_of(parameter).end).ok()?;
    let line = text.get(end..)?.lines().next()?;
    let (between, remark) = line.split_once('#')?;
    // Another parameter in the line would be the one that is meant.
    let is_behind = between.trim().is_empty() || between.trim() == ",";
    is_behind.then(|| remark.trim())
}

/// What a docstring says of a parameter's shape.
fn shape_in<'t>(docstring: &'t str, name: &str) -> Option<Vec<&'t str>> {
    for line in docstring.lines().take(MOST_LINES) {
        let line = line.trim().trim_start_matches(['-', '*', ' ']);
        if line.starts_with("Return") {
            return None;
        }
        let Some(rest) = line.trim_start_matches('`').strip_prefix(name) else {
            continue;
        };
        let rest = rest.trim_start_matches('`').trim_start();
        // `name (nl.ndarray): [B, S]`, or without the type.
        let rest = match rest.strip_prefix('(') {
            Some(typed) => typed.split_once(')')?.1.trim_start(),
            None => rest,
        };
        let Some(said) = rest.strip_prefix(':') else {
            continue;
        };
        return shape_of_text(said);
    }
    None
}

/// The shape that a text begins with, or that it names as one: `(128, D) float32`, `Tensor of shape [B, S]`.
fn shape_of_text(text: &str) -> Option<Vec<&str>> {
    let text = text.trim_start();
    let text = if text.starts_with(['(', '[']) {
        text
    } else {
        let (before, behind) = text.split_once("shape")?;
        let is_near = before.len() < 40 && !before.contains(['(', '[', '.']);
        let behind = behind.trim_start_matches([' ', ':', '=']);
        if !is_near || !behind.starts_with(['(', '[']) {
            return None;
        }
        behind
    };
    let close = if text.starts_with('(') { ')' } else { ']' };
    let (inside, behind) = text.get(1..)?.split_once(close)?;
    // Two shapes, a sum of them, or a part of one.
    let behind = behind.trim_start();
    let is_whole =
        !behind.starts_with("or ") && !behind.starts_with(['/', '|', '[', '(', '*', '+']);
    let words: Vec<&str> = inside
        .trim_end_matches([',', ' '])
        .split(',')
        .map(str::trim)
        .collect();
    let is_extent = |word: &&str| {
        let is_number = word.parse::<i64>().is_ok_and(|number| number > 0);
        let is_name = word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        is_number || is_name
    };
    let is_shape = words.len() > 1
        || words
            .first()
            .is_some_and(|word| word.parse::<i64>().is_ok());
    (is_whole && is_shape && words.len() <= 8 && words.iter().all(is_extent)).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_where_they_are_stated_alone() {
        for (text, wanted) in [
            ("(128, 512) float32 -- a chunk", Some(vec!["128", "512"])),
            (" [B, S_q, 128]", Some(vec!["B", "S_q", "128"])),
            ("Tensor of shape (N, 64).", Some(vec!["N", "64"])),
            ("shape: [16,]", Some(vec!["16"])),
            ("[T, E] or [128, T, E]", None),
            ("[16 * 8, H]", None),
            ("(optional) the mask", None),
            ("(nl.ndarray) the mask", None),
            ("the mask (128, 512)", None),
            ("(128, -1)", None),
            ("[0, H]", None),
            ("(128, 512", None),
        ] {
            assert_eq!(shape_of_text(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_docstring_names_the_parameter() {
        let text = "Adds.\n\n    Args:\n        x_t: (1, 2)\n        x (nl.ndarray): [B, 64], rows\n        `y`: shape (3, 4)\n    Returns:\n        z: (5, 6)\n";
        assert_eq!(shape_in(text, "x"), Some(vec!["B", "64"]));
        assert_eq!(shape_in(text, "y"), Some(vec!["3", "4"]));
        assert_eq!(shape_in(text, "z"), None);
        assert_eq!(shape_in(text, "w"), None);
    }
}
