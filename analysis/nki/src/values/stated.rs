//! Shapes and types of arguments that a remark above a function states.
//!
//! Knows the form of the remark; follows nothing.

use ruff_python_ast::StmtFunctionDef;

use super::Value;
use super::environment::Environment;
use super::functions::Interpreter;
use crate::symbols::{Kind, Size};
use crate::syntax::span_of;
use crate::types::Dtype;

impl Interpreter<'_> {
    /// `# visa-lint: args(x: bfloat16[128, 512])` above the function.
    pub fn stated_arguments(
        &mut self,
        definition: &StmtFunctionDef,
        environment: &mut Environment,
    ) {
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
                environment.learn().dtypes.insert(argument.number, dtype);
            }
            let Some(extents) = extents else { continue };
            let extents: Vec<&str> = extents
                .split(',')
                .map(str::trim)
                .filter(|word| !word.is_empty())
                .collect();
            environment.learn_rank(argument.number, extents.len());
            for (axis, extent) in (0_i64..).zip(extents) {
                if let Ok(number) = extent.parse::<i64>() {
                    environment
                        .learn()
                        .extents
                        .insert((argument.number, axis), Size::number(number));
                } else {
                    // A symbol, the same for each argument of the remark that names it.
                    let size = Size::named(extent, 0, Kind::Extent);
                    environment
                        .learn()
                        .extents
                        .insert((argument.number, axis), size);
                }
            }
        }
    }
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
