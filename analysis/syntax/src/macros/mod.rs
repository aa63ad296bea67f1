//! Expansion of `macro_rules!`: the text that a call stands for.
//!
//! Works on tokens alone: it knows no files, no scopes and no names but those of fragments. Which definition a name means is said
//! from outside. What cannot be expanded is an error, and the caller leaves the call as it is.
//!
//! Two things differ from `rustc`, which has them by hygiene and invisible groups. A name that a template binds with `let` gets
//! another one if an argument says it as well. An expression is put into parentheses where what is around it could tear it apart.

mod matching;
mod parts;
mod tokens;
mod transcribing;

use std::sync::Arc;

use ra_ap_syntax::SyntaxKind;

use crate::nesting;

use matching::Matcher;
use tokens::{Token, group_end, is_word, lex_arguments, lex_definition, write, write_with_places};
use transcribing::{Piece, transcribe};

/// Calls in each other that are expanded.
const MAXIMUM_DEPTH: usize = 64;
/// Bytes that one call may stand for, those of the calls in it included.
const MAXIMUM_LENGTH: usize = 1 << 18;
/// Rules that are tried, and bytes that are read again for them, for one call.
const MAXIMUM_WORK: usize = 1 << 21;

/// The rules of one macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MacroRules {
    rules: Arc<[Rule]>,
    /// The tokens, without what is between them.
    text: Arc<str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    pattern: Vec<Matcher>,
    template: Vec<Piece>,
}

/// Which definition rules are read from. Their reader says it, and what they stand for says it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DefinitionKey(pub u64);

/// Where a call is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPlace {
    /// Among items or statements: what it stands for takes its place as it is.
    Statement,
    /// In an expression, a type or a pattern.
    Inside,
}

/// What a call stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expanded {
    /// The text.
    pub text: String,
    /// Which parts of it the call's arguments say, in the order of the text.
    pub copied: Vec<Copied>,
    /// Where definitions have its parts, in the order of the text.
    pub written: Vec<Written>,
}

/// Bytes of what a call stands for, and where a definition has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The first byte in what the call stands for.
    pub at: u32,
    /// How many.
    pub length: u32,
    /// The definition.
    pub definition: DefinitionKey,
    /// The first byte between the braces of the definition.
    pub start: u32,
    /// The byte behind the last one there. A variable is not as long as what it stands for.
    pub end: u32,
}

impl Written {
    /// Whether the definition writes it as it is.
    const fn is_literal(self) -> bool {
        self.end - self.start == self.length
    }

    /// Whether another part begins where this one ends, in both texts.
    fn touches_next(self, next: Self) -> bool {
        self.definition == next.definition
            && self.at + self.length == next.at
            && self.end == next.start
            && self.is_literal()
            && next.is_literal()
    }

    /// The part that is in a range of what the call stands for; none where nothing is.
    pub(super) fn clipped(self, start: u32, end: u32) -> Option<Self> {
        let from = self.at.max(start);
        let to = (self.at + self.length).min(end);
        let length = to.checked_sub(from).filter(|length| *length > 0)?;
        let mut part = Self {
            at: from,
            length,
            ..self
        };
        if self.is_literal() {
            part.start = self.start + (from - self.at);
            part.end = part.start + length;
        }
        Some(part)
    }
}

/// Bytes of what a call stands for that are copied from its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The first byte in what the call stands for.
    pub at: u32,
    /// The first byte where they are copied from.
    pub from: u32,
    /// How many.
    pub length: u32,
    /// Only spaces is between these and the part before, neither here nor where they are copied from.
    pub follows: bool,
}

impl Copied {
    /// Whether another part begins where this one ends, in both texts.
    const fn touches_next(self, next: Self) -> bool {
        self.at + self.length == next.at && self.from + self.length == next.from
    }

    /// Where a byte is copied from; none for one outside.
    pub(super) fn origin(self, byte: u32) -> Option<u32> {
        let inside = byte.checked_sub(self.at)?;
        (inside < self.length).then(|| self.from.saturating_add(inside))
    }
}

/// Says which macro a name means.
pub type MacroLookup<'a> = &'a dyn Fn(&str) -> Option<MacroRules>;

/// What is left of the limits for one call.
#[derive(Debug)]
struct Budget {
    length: usize,
    work: usize,
}

impl Budget {
    fn work(&mut self, bytes: usize) -> Option<()> {
        self.work = self.work.checked_sub(bytes.max(1))?;
        Some(())
    }
}

impl MacroRules {
    /// Reads the rules between the braces of a definition; none where they are no rules.
    pub fn read(text: &str, definition: DefinitionKey) -> Option<Self> {
        let tokens = lex_definition(text, definition);
        let mut rules = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let pattern_end = group_end(&tokens, at)?;
            let arrow = tokens.get(pattern_end..pattern_end.checked_add(2)?)?;
            if write(arrow) != "=>" {
                return None;
            }
            let template = pattern_end + 2;
            let template_end = group_end(&tokens, template)?;
            rules.push(Rule {
                pattern: parts::read(tokens.get(at + 1..pattern_end - 1)?)?,
                template: parts::read(tokens.get(template + 1..template_end - 1)?)?,
            });
            at = template_end;
            if tokens.get(at).is_some_and(|token| &*token.text == ";") {
                at += 1;
            }
        }
        (!rules.is_empty()).then(|| Self {
            rules: rules.into(),
            text: write(&tokens).into(),
        })
    }

    /// What a call of this macro stands for; `arguments` is the text between its brackets. None where no rule fits, or limits are
    /// exceeded. Calls in the result that `lookup` knows are expanded as well.
    pub fn expand(
        &self,
        arguments: &str,
        place: CallPlace,
        lookup: MacroLookup<'_>,
    ) -> Option<Expanded> {
        let mut budget = Budget {
            length: MAXIMUM_LENGTH,
            work: MAXIMUM_WORK,
        };
        let expanded = self.expanded(&lex_arguments(arguments), place, lookup, &mut budget, 0)?;
        let (text, copied, written) = write_with_places(&expanded);
        // What nests deeply may not be parsed together with what is around it, and then nothing of it were looked at.
        (!nesting::is_deep(&text)).then_some(Expanded {
            text,
            copied,
            written,
        })
    }

    /// Whether two definitions say the same, wherever they are.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.text == other.text
    }

    fn expanded(
        &self,
        arguments: &[Token],
        place: CallPlace,
        lookup: MacroLookup<'_>,
        budget: &mut Budget,
        depth: usize,
    ) -> Option<Vec<Token>> {
        if depth >= MAXIMUM_DEPTH {
            return None;
        }
        let written = self.rules.iter().find_map(|rule| {
            let bound = matching::bind_pattern(&rule.pattern, arguments, budget)?;
            Some(transcribe(&rule.template, &bound, budget))
        })??;
        let expanded = with_calls_expanded(&written, place, lookup, budget, depth + 1)?;
        Some(match place {
            CallPlace::Inside if matching::is_torn(&expanded, budget) => {
                tokens::parenthesised(expanded)
            }
            _ => expanded,
        })
    }
}

/// A text with the calls in it expanded that are known.
fn with_calls_expanded(
    text: &[Token],
    around: CallPlace,
    lookup: MacroLookup<'_>,
    budget: &mut Budget,
    depth: usize,
) -> Option<Vec<Token>> {
    let mut result: Vec<Token> = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(token) = text.get(at) {
        let call = call_at(text, at, lookup);
        let Some((rules, open, end)) = call else {
            result.push(token.clone());
            at += 1;
            continue;
        };
        // A path in front of the name is part of the call.
        while result.len() >= 3 && is_path_end(&result) {
            result.truncate(result.len() - 3);
        }
        let opens = match result.last() {
            None => around == CallPlace::Statement,
            Some(before) => matches!(&*before.text, ";" | "{" | "}" | "]"),
        };
        let goes_on = text
            .get(end)
            .is_some_and(|next| matches!(&*next.text, "." | "?"));
        let place = if opens && !goes_on {
            CallPlace::Statement
        } else {
            CallPlace::Inside
        };
        let arguments = text.get(open + 1..end - 1)?;
        result.extend(rules.expanded(arguments, place, lookup, budget, depth)?);
        at = end;
    }
    budget.length = budget.length.checked_sub(write(&result).len())?;
    Some(result)
}

/// The macro that is called at a token, the token that opens its arguments and the one behind them.
fn call_at(
    text: &[Token],
    at: usize,
    lookup: MacroLookup<'_>,
) -> Option<(MacroRules, usize, usize)> {
    let name = text.get(at).filter(|token| is_word(token))?;
    let bang = text.get(at + 1)?;
    let open = text.get(at + 2)?;
    if bang.kind != SyntaxKind::BANG || !matches!(&*open.text, "(" | "[" | "{") {
        return None;
    }
    let rules = lookup(&name.text)?;
    Some((rules, at + 2, group_end(text, at + 2)?))
}

/// Whether tokens end in `name::`.
fn is_path_end(tokens: &[Token]) -> bool {
    let [.., name, first, second] = tokens else {
        return false;
    };
    is_word(name) && &*first.text == ":" && &*second.text == ":"
}

#[cfg(test)]
mod tests;
