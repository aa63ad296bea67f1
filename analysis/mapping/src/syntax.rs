//! The trees of `axes!`, `m!` and `i!`, with byte spans of the macro's body, and what is wrong in its text.
//!
//! Names are not resolved here and sizes not known; a tree may ask for what has no meaning. Parsing never fails: what
//! is wrong is returned beside as much of the tree as could be read, so that the rest of a half-typed expression still
//! counts. The grammars are token streams; [`parsing`](super::parsing) reads them.

use std::ops::Range;

use super::PaddingKind;

/// The deepest nesting of brackets in a macro's body that is read.
pub(super) const NESTING_LIMIT: usize = 64;

/// A part of a mapping expression as written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SyntaxNode {
    /// What is written.
    pub kind: SyntaxKind,
    /// Bytes of the macro's body.
    pub span: Range<usize>,
}

/// The forms of a mapping expression (book: Mapping Expressions).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SyntaxKind {
    /// `1`, the identity.
    One,
    /// Another number: that many positions that name no axis.
    Number(u64),
    /// An axis, or in the position of a type an alias.
    Name(String),
    /// `{ … }`: a type pasted verbatim. The range is what is between the braces, without outer white space.
    Escape {
        /// Bytes of the escaped type.
        content: Range<usize>,
    },
    /// An operator and its right operand.
    Binary {
        /// Which.
        operator: Operator,
        /// The operator's own bytes, with a padding kind.
        operator_span: Range<usize>,
        /// What it works on.
        left: Box<SyntaxNode>,
        /// By how much.
        factor: FactorNode,
    },
    /// Parts separated by commas, outermost first; at least two.
    Pair(Vec<SyntaxNode>),
    /// Parentheses or square brackets.
    Group(Box<SyntaxNode>),
    /// Nothing where something must be.
    Missing,
}

/// The operators of a mapping expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `/`.
    Stride,
    /// `%`.
    Modulo,
    /// `=`.
    Resize,
    /// `#`, `#{0}`, `#{!}`.
    Pad(PaddingKind),
}

/// A right operand.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FactorNode {
    /// What is written.
    pub kind: FactorKind,
    /// Bytes of the macro's body.
    pub span: Range<usize>,
}

/// The forms of a right operand.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FactorKind {
    /// A number.
    Literal(u64),
    /// `{ constant }` (the successor's library).
    Constant {
        /// Bytes of the expression between the braces.
        content: Range<usize>,
    },
    /// An axis, meaning its size (the successor's library).
    Name(String),
    /// A parenthesised mapping, meaning its size (the successor's library).
    Mapping(Box<SyntaxNode>),
    /// Nothing, or a literal that is no number of 64 bits.
    Missing,
}

/// What the macro would refuse, at the offending token.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GrammarError {
    /// What is there and what could.
    pub message: String,
    /// Bytes of the macro's body; empty at its end.
    pub span: Range<usize>,
    /// What says the same in the macro's own words, where that is plain.
    pub instead: Option<Instead>,
}

/// Another text for a part of a macro's body.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Instead {
    /// The bytes of the macro's body that it replaces.
    pub span: Range<usize>,
    /// The text.
    pub text: String,
}

impl GrammarError {
    pub(super) fn new(message: impl Into<String>, span: Range<usize>) -> Self {
        Self {
            message: message.into(),
            span,
            instead: None,
        }
    }
}

/// One entry of `axes!`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AxisDeclaration {
    /// The axis's name.
    pub name: String,
    /// The name's bytes.
    pub name_span: Range<usize>,
    /// The size, if it is a literal or arithmetic of literals that fits 64 bits.
    pub size: Option<u64>,
    /// The size's bytes; empty where it is missing.
    pub size_span: Range<usize>,
}

/// One entry of `i!`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IndexEntry {
    /// The mapping before the colon.
    pub mapping: SyntaxNode,
    /// Bytes of the value after it; empty where it is missing.
    pub value_span: Range<usize>,
}
