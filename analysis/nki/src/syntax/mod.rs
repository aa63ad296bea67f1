//! Python text to a tree with its errors, and the remarks that are addressed to us.
//!
//! Knows the parser and comments; nothing of what names mean. A text that nests too deeply is not parsed, see [`nesting`].

pub mod nesting;
pub mod remarks;

use ruff_python_ast::{Mod, ModModule, Stmt};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::{Ranged, TextRange};

use super::types::Span;
use nesting::TooDeep;

impl From<TextRange> for Span {
    fn from(range: TextRange) -> Self {
        Self {
            start: range.start().to_u32(),
            end: range.end().to_u32(),
        }
    }
}

/// Where a node is.
pub fn span_of(node: &impl Ranged) -> Span {
    node.range().into()
}

/// What is wrong with a text as Python.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// The parser's words.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Whether any Python refuses it. Operators nested beyond our limit are not looked at, which is another matter.
    pub is_proven: bool,
    /// Whether the file is not looked at for it.
    pub ends_reading: bool,
}

/// A parsed file.
#[derive(Debug)]
pub struct Parsed {
    module: Option<ModModule>,
    /// What does not parse.
    pub errors: Vec<SyntaxError>,
}

/// Parses a text. A byte-order mark is a part of it.
pub fn parse(text: &str) -> Parsed {
    if let Some(deep) = nesting::too_deep(text) {
        return Parsed {
            module: None,
            errors: vec![too_deep(deep)],
        };
    }
    parse_shallow(text)
}

/// Parses a text of which it is known that nothing nests deeply in it.
pub fn parse_shallow(text: &str) -> Parsed {
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module));
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let errors = parsed
        .errors()
        .iter()
        .map(|error| {
            let span = Span::from(error.location);
            SyntaxError {
                message: error.error.to_string(),
                span: Span {
                    start: span.start.min(length),
                    end: span.end.min(length),
                },
                is_proven: true,
                ends_reading: false,
            }
        })
        .collect();
    let module = match parsed.into_syntax() {
        Mod::Module(module) => Some(module),
        Mod::Expression(_) => None,
    };
    Parsed { module, errors }
}

fn too_deep(deep: TooDeep) -> SyntaxError {
    let (limit, name) = (deep.what.limit(), deep.what.name());
    SyntaxError {
        message: format!("more than {limit} {name} in one another"),
        span: deep.span,
        is_proven: deep.what != nesting::What::Operators,
        ends_reading: true,
    }
}

impl Parsed {
    /// The statements of the file.
    pub fn body(&self) -> &[Stmt] {
        self.module.as_ref().map_or(&[], |module| &module.body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_leave_the_rest_of_the_tree() {
        let parsed = parse("import nki\ndef f(:\n    x = 1\ny = 2\n");
        assert!(!parsed.errors.is_empty());
        assert!(parsed.body().len() >= 2);
    }

    #[test]
    fn deep_texts_neither_parse_nor_overflow() {
        for text in [
            "(".repeat(20_000),
            format!("x = {}1", "1 + ".repeat(100_000)),
            "-".repeat(100_000),
        ] {
            let parsed = parse(&text);
            assert!(parsed.body().is_empty());
            assert_eq!(parsed.errors.len(), 1);
        }
        // The deepest that is taken, parsed and dropped in a thread's usual stack.
        let taken =
            std::thread::spawn(|| parse(&format!("x = {}1", "1 + ".repeat(390))).errors.len());
        assert_eq!(taken.join().unwrap(), 0);
    }
}
