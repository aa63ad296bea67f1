//! The entries of `axes!`: a name, and a size that is one integer literal.
//!
//! Knows what the macro takes as a size and where it stops; what a name or a number means to the rest is not known here.

use std::ops::Range;

use proc_macro2::{Spacing, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;

use super::grammar::{Construct, Grammar};
use super::literals::{bounded, shown_letters};
use super::reader::{Reader, opening_text};
use super::syntax::{AxisDeclaration, Instead};

/// The most tokens of a size in `axes!` that are read.
const SIZE_TOKEN_LIMIT: usize = 64;

impl Reader<'_> {
    /// `IDENT "=" size`.
    pub(super) fn axis(&mut self, input: ParseStream<'_>) -> Option<AxisDeclaration> {
        let at = self.position(input);
        let Ok(identifier) = input.call(syn::Ident::parse_any) else {
            let (found, span) = self.describe(input);
            self.error(format!("expected an axis's name, found {found}"), span);
            self.skip_to_comma(input);
            return None;
        };
        let name = identifier.to_string();
        if let Some(message) = self.grammar.faulty_name(&name) {
            self.error(message, at.clone());
        }
        let mut declaration = AxisDeclaration {
            name,
            name_span: at.clone(),
            size: None,
            size_span: at.end..at.end,
        };
        if !input.peek(syn::Token![=]) {
            let (found, span) = self.describe(input);
            self.error(
                format!("expected `=` and the axis's size, found {found}"),
                span,
            );
            self.skip_to_comma(input);
            return Some(declaration);
        }
        self.bump(input);
        self.axis_size(input, &mut declaration);
        Some(declaration)
    }

    fn axis_size(&mut self, input: ParseStream<'_>, declaration: &mut AxisDeclaration) {
        let start = self.position(input);
        declaration.size_span = start.start..start.start;
        let mut tokens: Vec<(TokenTree, Range<usize>)> = Vec::new();
        while !input.is_empty() && !input.peek(syn::Token![,]) {
            if let Some((token, span)) = self.bump(input) {
                declaration.size_span.end = span.end;
                tokens.push((token, span));
            }
        }
        let name = &declaration.name;
        let Some(((first, _), rest)) = tokens.split_first() else {
            self.error(format!("the size of `{name}` is missing"), start);
            return;
        };
        let value = (tokens.len() <= SIZE_TOKEN_LIMIT).then(|| {
            let tokens = tokens.iter().map(|(token, _)| bounded(token.clone()));
            syn::parse2::<syn::Expr>(tokens.collect::<TokenStream>())
                .map_or(Evaluated::NotConstant, |size| evaluate_literals(&size))
        });
        let is_integer = is_integer(first);
        if is_integer && rest.is_empty() {
            match value {
                Some(Evaluated::Value(value)) => declaration.size = Some(value),
                _ => self.error(
                    format!("the size of `{name}` does not fit 64 bits"),
                    declaration.size_span.clone(),
                ),
            }
            return;
        }
        // The macro stops at the first token that is no literal, or behind the literal; what has an evident value keeps it,
        // so that the rest of the file is still checked.
        let offending = if is_integer { rest } else { &tokens };
        let (found, span) = first_token_text(offending).unwrap_or((String::new(), start));
        let message = format!("the size of `{name}` is one integer literal, found {found}");
        let mut instead = None;
        if let Some(Evaluated::Value(value)) = value {
            declaration.size = Some(value);
            instead = Some(Instead {
                span: declaration.size_span.clone(),
                text: value.to_string(),
            });
        }
        self.error_instead(message, span, instead);
    }
}

impl Grammar {
    /// What is wrong with an axis's name.
    fn faulty_name(self, name: &str) -> Option<String> {
        let first = name.chars().next()?;
        let shown = shown_letters(name);
        let foreign = name
            .chars()
            .filter(|_| !self.is_book())
            .find(|letter| !letter.is_ascii_alphanumeric() && *letter != '_');
        if let Some(foreign) = foreign {
            return Some(format!(
                "an axis's name has ASCII letters, digits and `_`, and `{shown}` has `{foreign}`"
            ));
        }
        let letters = self.reads_construct(Construct::LowerCaseAxis);
        if !(first.is_ascii_uppercase() || (letters && first.is_ascii_lowercase())) {
            let alphabet = if letters {
                "an ASCII letter"
            } else {
                "one of the letters A to Z"
            };
            let message = format!("an axis's name starts with {alphabet}, unlike `{shown}`");
            return Some(if first.is_ascii_lowercase() {
                self.refusal_message(message, Construct::LowerCaseAxis)
            } else {
                message
            });
        }
        if self.is_book() {
            return None;
        }
        let keyword = syn::parse_str::<syn::Ident>(name).is_err();
        keyword.then(|| format!("`{shown}` is a keyword of Rust, and names no axis"))
    }
}

/// Whether a token is an integer literal, in any spelling and of any size.
fn is_integer(token: &TokenTree) -> bool {
    let TokenTree::Literal(literal) = token else {
        return false;
    };
    let text = literal.to_string();
    if ["0x", "0o", "0b"].iter().any(|base| text.starts_with(base)) {
        return true;
    }
    // What follows the digits is a type; a point, an exponent or the type of a float makes another literal of it.
    text.starts_with(|first: char| first.is_ascii_digit())
        && text
            .trim_start_matches(|digit: char| digit.is_ascii_digit() || digit == '_')
            .chars()
            .next()
            .is_none_or(|suffix| matches!(suffix, 'u' | 'i'))
}

/// The first of some tokens as an author sees it, with its bytes: `<<` is one of them.
fn first_token_text(tokens: &[(TokenTree, Range<usize>)]) -> Option<(String, Range<usize>)> {
    let ((first, span), rest) = tokens.split_first()?;
    let mut span = span.clone();
    let text = match first {
        TokenTree::Group(group) => opening_text(group).to_owned(),
        TokenTree::Ident(name) => format!("the name `{name}`"),
        TokenTree::Literal(literal) => format!("`{literal}`"),
        TokenTree::Punct(punctuation) => {
            let mut text = punctuation.as_char().to_string();
            if punctuation.spacing() == Spacing::Joint
                && let Some((TokenTree::Punct(second), end)) = rest.first()
            {
                text.push(second.as_char());
                span.end = end.end;
            }
            format!("`{text}`")
        }
    };
    Some((text, span))
}

enum Evaluated {
    Value(u64),
    Overflow,
    NotConstant,
}

/// Arithmetic of integer literals.
fn evaluate_literals(expression: &syn::Expr) -> Evaluated {
    match expression {
        syn::Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Int(integer) => integer
                .base10_parse()
                .map_or(Evaluated::Overflow, Evaluated::Value),
            _ => Evaluated::NotConstant,
        },
        syn::Expr::Paren(inner) => evaluate_literals(&inner.expr),
        syn::Expr::Group(inner) => evaluate_literals(&inner.expr),
        syn::Expr::Binary(binary) => {
            let (left, right) = match (
                evaluate_literals(&binary.left),
                evaluate_literals(&binary.right),
            ) {
                (Evaluated::Value(left), Evaluated::Value(right)) => (left, right),
                (Evaluated::NotConstant, _) | (_, Evaluated::NotConstant) => {
                    return Evaluated::NotConstant;
                }
                _ => return Evaluated::Overflow,
            };
            let value = match binary.op {
                syn::BinOp::Add(_) => left.checked_add(right),
                syn::BinOp::Sub(_) => left.checked_sub(right),
                syn::BinOp::Mul(_) => left.checked_mul(right),
                syn::BinOp::Div(_) => left.checked_div(right),
                syn::BinOp::Rem(_) => left.checked_rem(right),
                syn::BinOp::Shl(_) => u32::try_from(right)
                    .ok()
                    .filter(|by| *by < 64 && left.leading_zeros() >= *by)
                    .map(|by| left << by),
                syn::BinOp::Shr(_) => u32::try_from(right)
                    .ok()
                    .and_then(|by| left.checked_shr(by)),
                _ => return Evaluated::NotConstant,
            };
            value.map_or(Evaluated::Overflow, Evaluated::Value)
        }
        _ => Evaluated::NotConstant,
    }
}
