//! The text of a PTO file as operations with spans in bytes.
//!
//! Knows the generic shape of MLIR: operations, regions, labels, results, brackets, aliases. Knows no meaning, and of dialects
//! only which ones we read: an operation is its name and the tokens behind it. What does not parse is a problem with a place, and
//! ends where the next operation begins. Nesting costs no stack.

mod lexer;
mod parser;
mod reading;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

pub use lexer::{Kind, Token, lex};
pub use parser::{parse, parse_shared};
pub use reading::{Cursor, Operand, OperandList};

/// A place in a file's text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Place {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
}

impl Place {
    /// Whether an offset is in the place or right behind it.
    pub const fn touches_offset(self, offset: u32) -> bool {
        self.start <= offset && offset <= self.end
    }

    /// From the start of this place to the end of another.
    pub const fn span_to(self, other: Self) -> Self {
        Self {
            start: self.start,
            end: other.end,
        }
    }
}

/// An operation of a [`File`], by its number in the order of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperationId(pub u32);

/// A region of a [`File`], by its number in the order in which regions begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionId(pub u32);

/// The results that an operation defines by one name: `%a` or `%a:2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultName {
    /// The name with its `%`.
    pub place: Place,
    /// How many values it stands for.
    pub count: u32,
}

/// One operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its name, with quotation marks where it has them.
    pub name: Place,
    /// The names of its results.
    pub results: Vec<ResultName>,
    /// The tokens behind its name, those of its regions included.
    pub tokens: Range<u32>,
    /// Its regions, and the tokens of each with its braces.
    pub regions: Vec<RegionId>,
    /// The region that it is in.
    pub region: RegionId,
    /// From its first result to its last token.
    pub place: Place,
    /// Whether something in it did not parse.
    pub broken: bool,
}

/// `^name(%a: type):` at the begin of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The name with its `^`.
    pub place: Place,
    /// The tokens of its arguments with their parentheses; empty without.
    pub arguments: Range<u32>,
}

/// The operations between two braces, or of a whole module of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Region {
    /// Its operations.
    pub operations: Vec<OperationId>,
    /// Its labels.
    pub labels: Vec<Label>,
    /// The operation that it belongs to.
    pub owner: Option<OperationId>,
    /// Its tokens, braces included.
    pub tokens: Range<u32>,
    /// How many regions it is in.
    pub depth: u32,
    /// The number behind those of the regions in it.
    pub end: u32,
}

/// `!name = type` or `#name = attribute`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// The name with its mark.
    pub name: Place,
    /// What it stands for.
    pub value: Place,
}

/// A place that does not parse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The token at fault.
    pub place: Place,
    /// What is wrong there.
    pub message: String,
    /// Where what it belongs to begins, and what that is.
    pub related: Option<(Place, &'static str)>,
}

/// A parsed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The text that all places are in.
    pub text: Arc<str>,
    /// All tokens.
    pub tokens: Vec<Token>,
    /// All operations, in the order of the text.
    pub operations: Vec<Operation>,
    /// All regions, in the order in which they begin.
    pub regions: Vec<Region>,
    /// The outermost regions: parts between `// -----` know nothing of each other.
    pub parts: Vec<RegionId>,
    /// All aliases.
    pub aliases: Vec<Alias>,
    /// Aliases of the file around it, where it is one part: name and what it stands for.
    pub outer_aliases: Arc<[(String, String)]>,
    /// What did not parse.
    pub problems: Vec<Problem>,
}

/// Dialects that we read: their regions hold operations by full names only, and their operations define names only in ways that
/// we know.
const READ_DIALECTS: [&str; 6] = ["pto", "arith", "scf", "func", "memref", "cf"];

/// An operation that no file has, for numbers of another file.
static NO_OPERATION: Operation = Operation {
    name: Place { start: 0, end: 0 },
    results: Vec::new(),
    tokens: 0..0,
    regions: Vec::new(),
    region: RegionId(0),
    place: Place { start: 0, end: 0 },
    broken: true,
};

/// A region that no file has.
static NO_REGION: Region = Region {
    operations: Vec::new(),
    labels: Vec::new(),
    owner: None,
    tokens: 0..0,
    depth: 0,
    end: 0,
};

impl File {
    /// The text of a place.
    pub fn text_at(&self, place: Place) -> &str {
        self.text
            .get(place.start as usize..place.end as usize)
            .unwrap_or_default()
    }

    /// An operation.
    pub fn operation(&self, id: OperationId) -> &Operation {
        self.operations.get(id.0 as usize).unwrap_or(&NO_OPERATION)
    }

    /// A region.
    pub fn region(&self, id: RegionId) -> &Region {
        self.regions.get(id.0 as usize).unwrap_or(&NO_REGION)
    }

    /// A token; behind the last one, the end of the file.
    pub fn token(&self, index: u32) -> Token {
        let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.tokens
            .get(index as usize)
            .copied()
            .unwrap_or(Token::end_at(end))
    }

    /// The name of an operation without quotation marks.
    pub fn name(&self, id: OperationId) -> &str {
        let written = self.text_at(self.operation(id).name);
        if written.starts_with('"') {
            written.trim_matches('"')
        } else {
            written
        }
    }

    /// The dialect of an operation: its name up to the first dot.
    pub fn dialect(&self, id: OperationId) -> &str {
        self.name(id).split('.').next().unwrap_or_default()
    }

    /// Whether an operation is of a dialect that we read.
    pub fn is_of_read_dialect(&self, id: OperationId) -> bool {
        READ_DIALECTS.contains(&self.dialect(id))
    }

    /// Whether an operation is a module.
    pub fn is_module(&self, id: OperationId) -> bool {
        matches!(self.dialect(id), "module" | "builtin")
    }

    /// Whether the operation is written in the generic form, its name in quotation marks.
    pub fn is_generic(&self, id: OperationId) -> bool {
        self.text_at(self.operation(id).name).starts_with('"')
    }

    /// All operations by number.
    pub fn ids(&self) -> impl Iterator<Item = OperationId> + use<> {
        (0..u32::try_from(self.operations.len()).unwrap_or(u32::MAX)).map(OperationId)
    }

    /// Whether a region is another one, or in it.
    pub fn is_within(&self, inner: RegionId, outer: RegionId) -> bool {
        outer.0 <= inner.0 && inner.0 < self.region(outer).end
    }
}
