//! Patterns of rules, and what their fragments stand for in one call.

use ra_ap_parser::{LexedStr, PrefixEntryPoint, Step, TopEntryPoint};
use ra_ap_syntax::SyntaxKind;
use rustc_hash::FxHashMap;
use std::sync::Arc;

use super::Budget;
use super::parts::{Part, Times};
use super::tokens::{Token, is_literal, is_word, tree_end, write};
use crate::{EDITION, nesting};

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Matcher {
    /// A token as it is.
    Token(Token),
    /// `$name:kind`.
    Fragment { name: Arc<str>, kind: Fragment },
    /// `$( … ) separator *`.
    Repeat {
        inner: Vec<Matcher>,
        separator: Vec<Token>,
        times: Times,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fragment {
    Ident,
    Lifetime,
    Literal,
    Tree,
    Expression,
    Type,
    Path,
    Pattern,
    Statement,
    Block,
    Item,
    Meta,
    Visibility,
}

/// What names of fragments stand for.
pub(super) type Bindings = FxHashMap<Arc<str>, Bound>;

#[derive(Clone, Debug)]
pub(super) enum Bound {
    One(Vec<Token>),
    Many(Vec<Bound>),
}

impl Bound {
    /// The tokens in it, and the repetitions.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::One(tokens) => tokens.len(),
            Self::Many(all) => all.iter().map(|bound| bound.len().max(1)).sum(),
        }
    }
}

impl Fragment {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "ident" => Self::Ident,
            "lifetime" => Self::Lifetime,
            "literal" => Self::Literal,
            "tt" => Self::Tree,
            "expr" | "expr_2021" => Self::Expression,
            "ty" => Self::Type,
            "path" => Self::Path,
            "pat" | "pat_param" => Self::Pattern,
            "stmt" => Self::Statement,
            "block" => Self::Block,
            "item" => Self::Item,
            "meta" => Self::Meta,
            "vis" => Self::Visibility,
            _ => return None,
        })
    }

    const fn entry(self) -> Option<PrefixEntryPoint> {
        Some(match self {
            Self::Expression => PrefixEntryPoint::Expr,
            Self::Type => PrefixEntryPoint::Ty,
            Self::Path => PrefixEntryPoint::Path,
            Self::Pattern => PrefixEntryPoint::PatTop,
            Self::Statement => PrefixEntryPoint::Stmt,
            Self::Block => PrefixEntryPoint::Block,
            Self::Item => PrefixEntryPoint::Item,
            Self::Meta => PrefixEntryPoint::MetaItem,
            Self::Visibility => PrefixEntryPoint::Vis,
            _ => return None,
        })
    }

    /// The token behind the fragment that begins at a place.
    fn token_after(self, input: &[Token], at: usize, budget: &mut Budget) -> Option<usize> {
        let first = input.get(at);
        match self {
            Self::Ident => first.filter(|token| is_word(token)).map(|_| at + 1),
            Self::Lifetime => first
                .filter(|token| token.kind == SyntaxKind::LIFETIME_IDENT)
                .map(|_| at + 1),
            Self::Literal => {
                let minus = usize::from(first.is_some_and(|token| &*token.text == "-"));
                let literal = input.get(at + minus)?;
                is_literal(literal).then_some(at + minus + 1)
            }
            Self::Tree => tree_end(input, at),
            _ => {
                let text = write(input.get(at..)?);
                budget.work(text.len())?;
                let taken = prefix_length(&self.entry()?, &text)?;
                (taken > 0 || self == Self::Visibility).then_some(at + taken)
            }
        }
    }
}

/// The tokens of a text that a construct takes which it begins with; none where there is none.
fn prefix_length(entry: &PrefixEntryPoint, text: &str) -> Option<usize> {
    // Macros nest what a file does not.
    if nesting::is_deep(text) {
        return None;
    }
    let output = entry.parse(&LexedStr::new(EDITION, text).to_input(EDITION));
    let mut taken = 0;
    for step in output.iter() {
        match step {
            Step::Token { n_input_tokens, .. } => taken += usize::from(n_input_tokens),
            Step::FloatSplit { .. } => taken += 1,
            Step::Error { .. } => return None,
            Step::Enter { .. } | Step::Exit => {}
        }
    }
    Some(taken)
}

/// Whether an expression may be torn apart by what is written around it: an operator, a closure. Types, patterns, calls and names
/// are not.
pub(super) fn is_torn(tokens: &[Token], budget: &mut Budget) -> bool {
    use SyntaxKind::{
        BIN_EXPR, BREAK_EXPR, CAST_EXPR, CLOSURE_EXPR, FOR_EXPR, IF_EXPR, LOOP_EXPR, MATCH_EXPR,
        PREFIX_EXPR, RANGE_EXPR, REF_EXPR, RETURN_EXPR, WHILE_EXPR,
    };
    if let [_] = tokens {
        return false;
    }
    let text = write(tokens);
    if budget.work(text.len()).is_none() || nesting::is_deep(&text) {
        return false;
    }
    let output = TopEntryPoint::Expr.parse(&LexedStr::new(EDITION, &text).to_input(EDITION));
    let mut root = None;
    for step in output.iter() {
        match step {
            Step::Error { .. } => return false,
            Step::Enter { kind } if root.is_none() => root = Some(kind),
            _ => {}
        }
    }
    matches!(
        root,
        Some(
            BIN_EXPR
                | BREAK_EXPR
                | CAST_EXPR
                | CLOSURE_EXPR
                | FOR_EXPR
                | IF_EXPR
                | LOOP_EXPR
                | MATCH_EXPR
                | PREFIX_EXPR
                | RANGE_EXPR
                | REF_EXPR
                | RETURN_EXPR
                | WHILE_EXPR
        )
    )
}

impl Part for Matcher {
    fn token(token: Token) -> Self {
        Self::Token(token)
    }

    fn repeat(inner: Vec<Self>, separator: Vec<Token>, times: Times) -> Self {
        Self::Repeat {
            inner,
            separator,
            times,
        }
    }

    fn named(tokens: &[Token], at: usize) -> Option<(Self, usize)> {
        let name = tokens.get(at + 1)?;
        let colon = tokens.get(at + 2).is_some_and(|colon| &*colon.text == ":");
        let kind = tokens.get(at + 3).filter(|_| colon && is_word(name))?;
        let part = Self::Fragment {
            name: Arc::clone(&name.text),
            kind: Fragment::named(&kind.text)?,
        };
        Some((part, at + 4))
    }
}

impl Matcher {
    /// The names of the fragments in it.
    fn push_names<'a>(&'a self, found: &mut Vec<&'a Arc<str>>) {
        match self {
            Self::Token(_) => {}
            Self::Fragment { name, .. } => found.push(name),
            Self::Repeat { inner, .. } => inner.iter().for_each(|part| part.push_names(found)),
        }
    }
}

/// What the fragments of a pattern stand for where it fits all of the input.
pub(super) fn bind_pattern(
    pattern: &[Matcher],
    input: &[Token],
    budget: &mut Budget,
) -> Option<Bindings> {
    let mut bindings = Bindings::default();
    let end = fit_pattern(pattern, input, 0, &mut bindings, budget)?;
    (end == input.len()).then_some(bindings)
}

/// The token behind what a pattern takes.
fn fit_pattern(
    pattern: &[Matcher],
    input: &[Token],
    mut at: usize,
    bindings: &mut Bindings,
    budget: &mut Budget,
) -> Option<usize> {
    budget.work(pattern.len())?;
    for part in pattern {
        at = match part {
            Matcher::Token(token) => {
                let next = input.get(at)?;
                (next.text == token.text).then_some(at + 1)?
            }
            Matcher::Fragment { name, kind } => {
                let end = kind.token_after(input, at, budget)?;
                let mut taken = input.get(at..end)?.to_vec();
                budget.work(taken.len())?;
                if *kind == Fragment::Expression && is_torn(&taken, budget) {
                    taken = super::tokens::parenthesised(taken);
                }
                bindings.insert(Arc::clone(name), Bound::One(taken));
                end
            }
            Matcher::Repeat {
                inner,
                separator,
                times,
            } => fit_repetition((inner, separator, *times), input, at, bindings, budget)?,
        };
    }
    Some(at)
}

fn fit_repetition(
    (inner, separator, times): (&[Matcher], &[Token], Times),
    input: &[Token],
    mut at: usize,
    bindings: &mut Bindings,
    budget: &mut Budget,
) -> Option<usize> {
    let mut names = Vec::new();
    inner.iter().for_each(|part| part.push_names(&mut names));
    let mut runs: Vec<Bindings> = Vec::new();
    loop {
        if times == Times::Optional && !runs.is_empty() {
            break;
        }
        let mut from = at;
        if !runs.is_empty() {
            let between = input.get(at..at + separator.len());
            let fits = between.is_some_and(|between| {
                let mut pairs = between.iter().zip(separator);
                pairs.all(|(one, other)| one.text == other.text)
            });
            if !fits {
                break;
            }
            from += separator.len();
        }
        let mut run = Bindings::default();
        match fit_pattern(inner, input, from, &mut run, budget) {
            Some(end) if end > at => {
                runs.push(run);
                at = end;
            }
            _ => break,
        }
    }
    if times == Times::Some && runs.is_empty() {
        return None;
    }
    for name in names {
        let values = runs.iter_mut().filter_map(|run| run.remove(name));
        let values = values.collect();
        bindings.insert(Arc::clone(name), Bound::Many(values));
    }
    Some(at)
}
