//! Templates of rules, and the text that they give for one call.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::Budget;
use super::matching::{Bindings, Bound};
use super::parts::{Part, Times};
use super::tokens::{Token, is_word};

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Token(Token),
    /// `$name`, with the `$`, whose place is that of both.
    Variable(Arc<str>, Token),
    Repeat {
        inner: Vec<Piece>,
        separator: Vec<Token>,
        times: Times,
    },
}

impl Part for Piece {
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
        let (dollar, name) = (tokens.get(at)?, tokens.get(at + 1)?);
        let part = if &*name.text == "crate" {
            Self::Token(Token {
                joint: dollar.joint,
                ..name.clone()
            })
        } else {
            let place = dollar.place.zip(name.place);
            let sign = Token {
                place: place.map(|(first, last)| first.span_to(last)),
                ..dollar.clone()
            };
            is_word(name).then(|| Self::Variable(Arc::clone(&name.text), sign))?
        };
        Some((part, at + 2))
    }
}

impl Piece {
    /// The names that a template binds with `let`.
    fn bound<'a>(parts: &'a [Self], found: &mut FxHashSet<&'a str>) {
        let token = |part: &'a Self| match part {
            Self::Token(token) => Some(&*token.text),
            _ => None,
        };
        for (at, part) in parts.iter().enumerate() {
            if let Self::Repeat { inner, .. } = part {
                Self::bound(inner, found);
            }
            if token(part) != Some("let") {
                continue;
            }
            let mut behind = parts.iter().skip(at + 1).map_while(token);
            let name = behind.find(|text| *text != "mut");
            found.extend(name.filter(|name| name.starts_with(|first: char| first.is_alphabetic())));
        }
    }

    fn variables<'a>(&'a self, found: &mut Vec<&'a Arc<str>>) {
        match self {
            Self::Token(_) => {}
            Self::Variable(name, _) => found.push(name),
            Self::Repeat { inner, .. } => inner.iter().for_each(|part| part.variables(found)),
        }
    }
}

/// The text of a template; none where repetitions do not agree, or it is too long.
pub(super) fn transcribe(
    template: &[Piece],
    bindings: &Bindings,
    budget: &mut Budget,
) -> Option<Vec<Token>> {
    let mut names = FxHashSet::default();
    Piece::bound(template, &mut names);
    let mut given = FxHashSet::default();
    if !names.is_empty() {
        bindings
            .values()
            .for_each(|bound| collect_words(bound, &mut given));
    }
    names.retain(|name| given.contains(name));
    let mut writer = Writer {
        renamed: names,
        result: Vec::new(),
        budget,
    };
    writer.write(template, bindings)?;
    Some(writer.result)
}

fn collect_words<'a>(bound: &'a Bound, found: &mut FxHashSet<&'a str>) {
    match bound {
        Bound::One(tokens) => found.extend(tokens.iter().map(|token| &*token.text)),
        Bound::Many(all) => all.iter().for_each(|bound| collect_words(bound, found)),
    }
}

struct Writer<'a> {
    /// Names of the template that arguments have as well.
    renamed: FxHashSet<&'a str>,
    result: Vec<Token>,
    budget: &'a mut Budget,
}

impl Writer<'_> {
    fn write(&mut self, template: &[Piece], bindings: &Bindings) -> Option<()> {
        let mut behind_fragment = false;
        for piece in template {
            self.budget.work(1)?;
            match piece {
                Piece::Token(token) => {
                    let mut token = token.clone();
                    token.joint &= !behind_fragment;
                    if self.renamed.contains(&*token.text) {
                        token.text = format!("{}_of_macro", token.text).into();
                    }
                    self.result.push(token);
                    behind_fragment = false;
                }
                Piece::Variable(name, sign) => {
                    match bindings.get(name) {
                        Some(Bound::One(tokens)) => {
                            self.budget.work(tokens.len())?;
                            for (at, token) in tokens.iter().enumerate() {
                                let joint = token.joint && at > 0;
                                self.result.push(Token {
                                    joint,
                                    place: token.place.or(sign.place),
                                    ..token.clone()
                                });
                            }
                        }
                        Some(Bound::Many(_)) => return None,
                        // A definition inside of a template has variables of its own.
                        None => {
                            let word = Token {
                                text: Arc::clone(name),
                                joint: true,
                                origin: None,
                                place: sign.place,
                                kind: ra_ap_syntax::SyntaxKind::IDENT,
                            };
                            self.result.extend([sign.clone(), word]);
                        }
                    }
                    behind_fragment = true;
                }
                Piece::Repeat {
                    inner, separator, ..
                } => {
                    self.write_repetition(piece, inner, separator, bindings)?;
                    behind_fragment = true;
                }
            }
        }
        Some(())
    }

    fn write_repetition(
        &mut self,
        piece: &Piece,
        inner: &[Piece],
        separator: &[Token],
        bindings: &Bindings,
    ) -> Option<()> {
        let mut names = Vec::new();
        piece.variables(&mut names);
        let many = |name: &&Arc<str>| match bindings.get(*name) {
            Some(Bound::Many(values)) => Some(values.len()),
            _ => None,
        };
        let mut counts = names.iter().filter_map(many);
        let count = counts.next()?;
        if counts.any(|other| other != count) {
            return None;
        }
        for run in 0..count {
            if run > 0 {
                self.result.extend(separator.iter().cloned());
            }
            let mut own = Bindings::default();
            for name in &names {
                let bound = match bindings.get(*name) {
                    Some(Bound::Many(values)) => values.get(run)?,
                    Some(one) => one,
                    None => continue,
                };
                self.budget.work(bound.len())?;
                own.insert(Arc::clone(name), bound.clone());
            }
            self.write(inner, &own)?;
        }
        Some(())
    }
}
