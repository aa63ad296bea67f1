//! What an editor is answered, as plain data: bytes of files, Markdown, proposals, symbols, code actions.
//!
//! It knows no language, no protocol and no editor. Front ends of all languages fill it in; the server turns it into its protocol.

use std::sync::Arc;

use crate::report::FileEdit;

/// Bytes of a file, its byte-order mark included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteRange {
    /// The first byte.
    pub start: u32,
    /// After the last byte.
    pub end: u32,
}

impl ByteRange {
    /// Whether an offset is inside or at either end, as a caret counts.
    pub fn touches(self, offset: u32) -> bool {
        self.start <= offset && offset <= self.end
    }
}

/// Bytes of some file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The file.
    pub file: Arc<str>,
    /// Where in it.
    pub range: ByteRange,
}

/// A place of a name in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Highlight {
    /// Where the name is.
    pub range: ByteRange,
    /// Whether it is declared there.
    pub declares: bool,
}

/// What is shown beside the pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// What it is about.
    pub range: ByteRange,
    /// The words, as Markdown.
    pub markdown: String,
}

/// How many inlay hints an editor shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HintLevel {
    /// None.
    Off,
    /// Sizes of aliases and the cycles of operations.
    #[default]
    Kernel,
    /// The stream behind every stage as well.
    Line,
}

/// What an inlay hint says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HintKind {
    /// The size of an alias.
    Size,
    /// The stream behind a stage.
    Stream,
    /// The cycles of an operation.
    Cycles,
}

/// Words between the text's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlayHint {
    /// The byte of the file before which it is.
    pub offset: u32,
    /// The words.
    pub label: String,
    /// More words, as Markdown.
    pub tooltip: Option<String>,
    /// What it says.
    pub kind: HintKind,
}

/// One line above a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    /// The kernel's name.
    pub range: ByteRange,
    /// The line.
    pub title: String,
    /// The kernel.
    pub kernel: String,
    /// Cycles from its start to its end; `None` where something of it is unresolved.
    pub cycles: Option<u64>,
    /// What has to be mended before there are cycles.
    pub mend: Option<Place>,
}

/// What a proposal stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompletionKind {
    /// An axis.
    Axis,
    /// A type alias.
    Alias,
    /// A number: a divisor, a padding.
    Value,
    /// An operator of a mapping, a macro.
    Keyword,
    /// A method of a chain.
    Method,
    /// A variant of an enum.
    Variant,
    /// A field of a configuration.
    Field,
    /// A whole declaration or statement with places to fill in: only for editors that know snippets.
    Snippet,
}

/// A proposal for the text at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What is listed.
    pub label: String,
    /// What it stands for.
    pub kind: CompletionKind,
    /// A few words beside the label: a size, a shape.
    pub detail: Option<String>,
    /// More words, as Markdown.
    pub documentation: Option<String>,
    /// What is replaced.
    pub replace: ByteRange,
    /// By what.
    pub insert: String,
    /// Whether `insert` has `$1`-like places of a snippet.
    pub snippet: bool,
    /// Orders proposals: the lower the earlier.
    pub rank: u32,
}

/// The generics of the method at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureHelp {
    /// The signature in one line.
    pub label: String,
    /// What the method does, as Markdown.
    pub documentation: Option<String>,
    /// Its parameters.
    pub parameters: Vec<SignatureParameter>,
    /// The one that the cursor is in, from 0.
    pub active: Option<u32>,
}

/// A parameter of a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureParameter {
    /// Its bytes in the signature's label.
    pub label: (u32, u32),
    /// What it means, as Markdown.
    pub documentation: Option<String>,
}

/// What a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A function with `#[device]`.
    Kernel,
    /// Another function that handles tensors.
    Function,
    /// An axis.
    Axis,
    /// A type alias of a mapping or tensor.
    Alias,
    /// A constant.
    Constant,
    /// An inline module.
    Module,
    /// An operation of a kernel.
    Operation,
}

/// A declaration in a file's outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// A few words: a size, cycles.
    pub detail: Option<String>,
    /// All of it.
    pub range: ByteRange,
    /// Its name's place.
    pub selection: ByteRange,
    /// What is inside.
    pub children: Vec<Symbol>,
}

/// A declaration found by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceSymbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The module or function around it.
    pub container: Option<String>,
    /// Where.
    pub place: Place,
}

/// What a token of a macro's body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// An axis.
    Axis,
    /// A type alias.
    Alias,
    /// A number.
    Number,
    /// `/`, `%`, `=`, `#`.
    Operator,
    /// A padding kind: `{0}`, `{!}`.
    Padding,
}

/// A token of a macro's body with its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemanticToken {
    /// Where.
    pub range: ByteRange,
    /// What it is.
    pub kind: TokenKind,
    /// Whether the name is declared here.
    pub declaration: bool,
}

/// A stretch that an editor may hide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folding {
    /// What is hidden behind its first line.
    pub range: ByteRange,
    /// What is in its place.
    pub collapsed: Option<String>,
}

/// A function in the call hierarchy of kernels.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CallItem {
    /// Its name.
    pub name: String,
    /// Whether it is a kernel, and its cycles.
    pub detail: Option<String>,
    /// All of it.
    pub place: Place,
    /// Its name's place.
    pub selection: ByteRange,
}

/// A call between functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallLink {
    /// The caller of incoming calls, the callee of outgoing ones.
    pub item: CallItem,
    /// The calls, in the caller's file.
    pub sites: Vec<ByteRange>,
}

/// Why a name cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenameProblem(pub String);

/// What kind of change a code action is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AssistKind {
    /// Names a part.
    Extract,
    /// Puts a named part in its place.
    Inline,
    /// Writes it otherwise.
    Rewrite,
}

/// A change on request: nothing is wrong without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assist {
    /// What it does, as a menu entry.
    pub title: String,
    /// What kind of change.
    pub kind: AssistKind,
    /// The replacements.
    pub edits: Vec<FileEdit>,
}
