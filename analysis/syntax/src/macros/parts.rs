//! What patterns and templates of rules are made of alike: tokens, names behind a `$`, and repetitions.

use super::tokens::{Token, group_end, tree_end};

/// How often a repetition repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Times {
    Any,
    Some,
    Optional,
}

/// A part of a pattern or of a template.
pub(super) trait Part: Sized {
    /// A token as it is.
    fn token(token: Token) -> Self;
    /// `$( … ) separator *`.
    fn repeat(inner: Vec<Self>, separator: Vec<Token>, times: Times) -> Self;
    /// What a `$` that opens no repetition begins, and the token behind it.
    fn named(tokens: &[Token], at: usize) -> Option<(Self, usize)>;
}

/// The parts of a pattern or a template.
pub(super) fn read<P: Part>(tokens: &[Token]) -> Option<Vec<P>> {
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if &*token.text != "$" {
            parts.push(P::token(token.clone()));
            at += 1;
            continue;
        }
        let (part, behind) = if &*tokens.get(at + 1)?.text == "(" {
            let end = group_end(tokens, at + 1)?;
            let inner = read(tokens.get(at + 2..end - 1)?)?;
            let (separator, times, behind) = repetition(tokens, end)?;
            (P::repeat(inner, separator, times), behind)
        } else {
            P::named(tokens, at)?
        };
        parts.push(part);
        at = behind;
    }
    Some(parts)
}

/// What is behind the `)` of `$( … )`: the separator, how often, and the token behind that.
fn repetition(tokens: &[Token], at: usize) -> Option<(Vec<Token>, Times, usize)> {
    let times = |token: &Token| match &*token.text {
        "*" => Some(Times::Any),
        "+" => Some(Times::Some),
        "?" => Some(Times::Optional),
        _ => None,
    };
    let first = tokens.get(at)?;
    if let Some(times) = times(first) {
        return Some((Vec::new(), times, at + 1));
    }
    let end = tree_end(tokens, at)?;
    let separator = tokens.get(at..end)?.to_vec();
    Some((separator, times(tokens.get(end)?)?, end + 1))
}
