//! Shapes in the sources of a crate: which sequences of tokens are there that only some releases of a library have.
//!
//! Found in the normalised text of items, so that an edit of a comment finds nothing again. What a sequence says is the
//! library's; what follows for a crate is decided in [`super::dialects`].

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use super::file::{file_items, item_text};
use super::ids::{ItemId, ItemKind, Span};
use super::tokens::{Token, closing_bracket, lex_tokens};
use crate::db::Db;
use crate::inputs::SourceFile;
use crate::libraries::{Arguments, Library, Pattern, SHAPE_CAPACITY, Shape, is_crate};

/// A set of shapes, by their rows in the library's table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shapes(u128);

const _: () = assert!(SHAPE_CAPACITY <= u128::BITS as usize);

impl Shapes {
    fn insert(&mut self, row: usize) {
        self.0 |= 1 << row;
    }

    fn has_row(self, row: usize) -> bool {
        self.0 >> row & 1 == 1
    }

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The shapes, in the table's order.
    pub(super) fn rows(self) -> impl Iterator<Item = &'static Shape> {
        let rows = TABLE.iter().enumerate();
        rows.filter(move |(row, _)| self.has_row(*row))
            .map(|(_, shape)| shape)
    }
}

/// What the sources of a file say of releases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Evidence {
    /// What is written in it.
    seen: Shapes,
    /// What it declares itself under the names of shapes, or imports from elsewhere.
    declared: Shapes,
}

impl Evidence {
    /// Adds that of another file.
    pub(super) const fn and_evidence(self, other: Self) -> Self {
        Self {
            seen: self.seen.or(other.seen),
            declared: self.declared.or(other.declared),
        }
    }

    /// The shapes that are the library's.
    pub(super) const fn shapes(self) -> Shapes {
        self.seen.without(self.declared)
    }
}

/// A shape in an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    row: usize,
    start: u32,
    end: u32,
}

/// What an item says of releases: each shape where it is first, in the order of the text; and what the item declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ItemShapes {
    found: Box<[Found]>,
    declared: Shapes,
}

/// The table of all shapes.
const TABLE: &[Shape] = Library::OptStd.shapes();

/// The rows that a name begins.
static BY_NAME: LazyLock<HashMap<&'static str, Vec<usize>>> = LazyLock::new(|| {
    let mut rows: HashMap<&'static str, Vec<usize>> = HashMap::new();
    for (row, shape) in TABLE.iter().enumerate() {
        let name = match shape.pattern {
            Pattern::Call { name, .. }
            | Pattern::Borrowed(name)
            | Pattern::Attribute(name)
            | Pattern::AwaitedResult(name) => Some(name),
            Pattern::Path(names) => names.first().copied(),
            Pattern::MappingFactor | Pattern::LowerCaseAxis => None,
        };
        if let Some(name) = name {
            rows.entry(name).or_default().push(row);
        }
    }
    rows
});

/// What a file says of releases.
#[salsa::tracked(returns(copy))]
pub(super) fn release_evidence(db: &dyn Db, file: SourceFile) -> Evidence {
    let mut evidence = Evidence::default();
    for item in &file_items(db, file).items {
        let shapes = item_shapes(db, *item);
        for found in &shapes.found {
            evidence.seen.insert(found.row);
        }
        evidence.declared = evidence.declared.or(shapes.declared);
    }
    evidence
}

/// Where a file has some shapes: each where it is first.
pub(super) fn shape_places(
    db: &dyn Db,
    file: SourceFile,
    wanted: Shapes,
) -> Vec<(Span, &'static Shape)> {
    let mut left = wanted;
    let mut places = Vec::new();
    for item in &file_items(db, file).items {
        let text = item_text(db, *item);
        for found in &item_shapes(db, *item).found {
            let mut one = Shapes::default();
            one.insert(found.row);
            if left.has_row(found.row)
                && let Some(shape) = TABLE.get(found.row)
            {
                left = left.without(one);
                places.push((text.span(found.start, found.end), shape));
            }
        }
    }
    places
}

#[salsa::tracked(returns(clone))]
fn item_shapes(db: &dyn Db, item: ItemId) -> Arc<ItemShapes> {
    let kind = item.kind(db);
    if kind == ItemKind::MacroDefinition {
        return Arc::default();
    }
    let text = Arc::clone(&item_text(db, item).text);
    let is_code = matches!(kind, ItemKind::Function | ItemKind::Implementation);
    if is_code && !OF_KERNELS.iter().any(|part| text.contains(part)) {
        return Arc::default();
    }
    Arc::new(shapes_of(&text, kind))
}

/// What functions of kernels have one of, whatever the library: others call methods of other things.
const OF_KERNELS: [&str; 4] = ["Tensor", "Context", "Device", "m!["];

/// The shapes of a text.
fn shapes_of(text: &str, kind: ItemKind) -> ItemShapes {
    let tokens = lex_tokens(text);
    let mut reader = Reader {
        tokens: &tokens,
        seen: Shapes::default(),
        found: Vec::new(),
        declared: Shapes::default(),
    };
    match kind {
        ItemKind::Use => reader.imports(),
        _ => reader.code(),
    }
    ItemShapes {
        found: reader.found.into(),
        declared: reader.declared,
    }
}

struct Reader<'a> {
    tokens: &'a [Token<'a>],
    seen: Shapes,
    found: Vec<Found>,
    declared: Shapes,
}

impl Reader<'_> {
    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    /// The texts of the tokens from a place on.
    fn is_at(&self, at: usize, wanted: &[&str]) -> bool {
        let mut wanted = wanted.iter().zip(at..);
        wanted.all(|(text, at)| self.text(at) == *text)
    }

    fn text_before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |before| self.text(before))
    }

    /// The names that an import from elsewhere brings along.
    fn imports(&mut self) {
        if self.tokens.iter().any(|token| is_crate(token.text)) {
            return;
        }
        for token in self.tokens {
            self.declare_shape(token.text);
        }
    }

    fn declare_shape(&mut self, name: &str) {
        let rows = BY_NAME.get(name).into_iter().flatten();
        for row in rows.copied() {
            let shape = TABLE.get(row);
            if shape.is_some_and(|shape| shape.pattern.declared_name() == Some(name)) {
                self.declared.insert(row);
            }
        }
    }

    fn code(&mut self) {
        for (at, token) in self.tokens.iter().enumerate() {
            match token.text {
                "m" if self.text(at + 1) == "!" => self.mapping(at + 2),
                "axes" if self.text(at + 1) == "!" => self.axes(at + 2),
                name => self.name(at, name),
            }
        }
    }

    /// The rows that begin with a name at a place.
    fn name(&mut self, at: usize, name: &str) {
        let Some(rows) = BY_NAME.get(name) else {
            return;
        };
        let declares = ["fn", "struct", "enum", "trait", "type", "union"];
        if declares.contains(&self.text_before(at)) {
            return self.declare_shape(name);
        }
        for row in rows.iter().copied() {
            let pattern = TABLE.get(row).map(|shape| shape.pattern);
            let Some(end) = pattern.and_then(|pattern| self.end_of(at, pattern)) else {
                continue;
            };
            self.add(row, at, end);
        }
    }

    /// The last token of a pattern whose name is at a place, if all of it is there.
    fn end_of(&self, at: usize, pattern: Pattern) -> Option<usize> {
        match pattern {
            Pattern::Call {
                generics,
                arguments,
                ..
            } => {
                let (written, open) = self.call(at)?;
                let fits = generics.is_none_or(|wanted| written == Some(wanted))
                    && self.are_given(open, arguments);
                fits.then_some(at)
            }
            Pattern::Path(names) => {
                let is_part = [".", "'"].contains(&self.text_before(at));
                let rest = names.iter().skip(1).zip((at + 1..).step_by(3));
                let mut end = at;
                for (name, colons) in rest {
                    // `Type::<…>::name` has generics between.
                    let name_at = match self.is_at(colons, &[":", ":", "<"]) {
                        true => closing_bracket(self.tokens, colons + 2)? + 3,
                        false => colons + 2,
                    };
                    if self.text(name_at) != *name || self.text_before(name_at) != ":" {
                        return None;
                    }
                    end = name_at;
                }
                (!is_part).then_some(end)
            }
            Pattern::Borrowed(_) => {
                // A path in front of the type, `&` and a lifetime in front of `mut`.
                let mut from = at;
                while self.text_before(from) == ":"
                    && from >= 3
                    && self.text_before(from - 1) == ":"
                {
                    from -= 3;
                }
                let mutable = self.text_before(from) == "mut";
                let behind = from.checked_sub(2).map_or("", |at| self.text(at));
                let borrowed = behind == "&" || behind.starts_with('\'');
                // Others have contexts, too, and theirs have parameters.
                let plain = [",", ")", ""].contains(&self.text(at + 1));
                (mutable && borrowed && plain).then_some(at)
            }
            Pattern::Attribute(_) => {
                let mut from = at;
                while self.text_before(from) == ":" && from >= 3 {
                    from -= 3;
                }
                let opened = self.text_before(from) == "["
                    && from.checked_sub(2).map_or("", |at| self.text(at)) == "#";
                (opened && ["]", "("].contains(&self.text(at + 1))).then_some(at)
            }
            Pattern::AwaitedResult(_) => {
                let (_, open) = self.call(at)?;
                let end = closing_bracket(self.tokens, open)?;
                let awaited = self.is_at(end + 1, &[".", "await"]);
                let asked = self.text(end + 3) == "?"
                    || self.text(end + 3) == "."
                        && ["unwrap", "expect", "map_err", "is_ok", "is_err"]
                            .contains(&self.text(end + 4));
                (awaited && asked).then_some(at)
            }
            Pattern::MappingFactor | Pattern::LowerCaseAxis => None,
        }
    }

    /// The number of generics of a call whose method is at a place, if they are written, and its parenthesis.
    fn call(&self, at: usize) -> Option<(Option<usize>, usize)> {
        if self.text_before(at) != "." {
            return None;
        }
        let (generics, open) = if self.is_at(at + 1, &[":", ":", "<"]) {
            let end = closing_bracket(self.tokens, at + 3)?;
            (Some(self.part_count(at + 3, end)), end + 1)
        } else {
            (None, at + 1)
        };
        (self.text(open) == "(").then_some((generics, open))
    }

    /// How many parts commas make of what is between two brackets; one behind the last part makes none.
    fn part_count(&self, open: usize, close: usize) -> usize {
        let mut parts = 0;
        let mut begun = false;
        let mut at = open + 1;
        let angled = self.text(open) == "<";
        while at < close {
            match self.text(at) {
                "," => begun = false,
                _ if !begun => {
                    begun = true;
                    parts += 1;
                }
                _ => {}
            }
            let opens = match self.text(at) {
                "(" | "[" | "{" => true,
                // Between parentheses it may compare.
                "<" => angled || self.text_before(at) == ":",
                _ => false,
            };
            let end = opens.then(|| closing_bracket(self.tokens, at).unwrap_or(close));
            at = end.unwrap_or(at) + 1;
        }
        parts
    }

    /// Whether a call whose parenthesis is at a place is given what a pattern wants.
    fn are_given(&self, open: usize, wanted: Arguments) -> bool {
        let first = self.text(open + 1);
        let count = || closing_bracket(self.tokens, open).map(|close| self.part_count(open, close));
        match wanted {
            Arguments::Any => true,
            Arguments::Some => first != ")",
            Arguments::Count(wanted) => count() == Some(wanted),
            Arguments::Address => {
                let number = first.starts_with(|first: char| first.is_ascii_digit());
                let constant = first.len() > 1 && first.chars().all(is_of_constant);
                number || constant
            }
            Arguments::Borrowed => self.is_at(open + 1, &["&", "mut"]),
            Arguments::Of(name) => first == name,
        }
    }

    /// The factors of a mapping whose bracket is at a place.
    fn mapping(&mut self, open: usize) {
        let Some(close) = closing_bracket(self.tokens, open) else {
            return;
        };
        let mut at = open + 1;
        while at < close {
            match self.text(at) {
                "{" => at = closing_bracket(self.tokens, at).unwrap_or(close),
                "/" | "%" | "=" | "#" => {
                    let kind = self.is_at(at + 1, &["{"]) && self.text(at + 3) == "}";
                    let kind = kind && ["*", "!", "0"].contains(&self.text(at + 2));
                    let operand = if kind { at + 4 } else { at + 1 };
                    let factor = self.text(operand);
                    let axis = factor.starts_with(|first: char| first.is_ascii_uppercase())
                        && self.text(operand + 1) != ":";
                    if axis || factor == "(" {
                        self.add_all(operand, |pattern| pattern == Pattern::MappingFactor);
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// The names of axes whose declaration's bracket is at a place.
    fn axes(&mut self, open: usize) {
        let close = closing_bracket(self.tokens, open).unwrap_or(open);
        for at in open + 1..close {
            let name = self.text(at);
            let lower = name.starts_with(|first: char| first.is_ascii_lowercase());
            if lower && self.text(at + 1) == "=" {
                self.add_all(at, |pattern| pattern == Pattern::LowerCaseAxis);
            }
        }
    }

    /// Adds the rows of a pattern that no name begins.
    fn add_all(&mut self, at: usize, is: impl Fn(Pattern) -> bool) {
        for (row, shape) in TABLE.iter().enumerate() {
            if is(shape.pattern) {
                self.add(row, at, at);
            }
        }
    }

    fn add(&mut self, row: usize, first: usize, last: usize) {
        if self.seen.has_row(row) {
            return;
        }
        self.seen.insert(row);
        let (Some(first), Some(last)) = (self.tokens.get(first), self.tokens.get(last)) else {
            return;
        };
        self.found.push(Found {
            row,
            start: first.start,
            end: last.token_end(),
        });
    }
}

fn is_of_constant(letter: char) -> bool {
    letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_'
}

#[cfg(test)]
mod tests;
