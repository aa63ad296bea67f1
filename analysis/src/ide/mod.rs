//! What an editor asks: hovers, hints, completion, navigation, symbols, code actions.
//!
//! Questions are a file and a byte offset in it; answers are plain data in bytes of files and Markdown. It words what other
//! rooms derived and simulated and computes none of it again. It knows no protocol, no lines in UTF-16 and no editor: that is
//! the server's business.

mod assists;
mod calls;
mod completion;
mod cursor;
mod folding;
mod front;
mod highlights;
mod hints;
mod hover;
mod lenses;
mod manual;
mod names;
mod navigation;
#[cfg(test)]
mod nested_tests;
mod operations;
#[cfg(test)]
mod release_tests;
mod rust_answers;
mod selection;
mod signature;
mod stages;
mod symbols;
#[cfg(test)]
mod testing;
mod tokens;

pub use crate::answers::{
    Assist, AssistKind, ByteRange, CallItem, CallLink, Completion, CompletionKind, Folding,
    Highlight, HintKind, HintLevel, Hover, InlayHint, Lens, Place, RenameProblem, SemanticToken,
    SignatureHelp, SignatureParameter, Symbol, SymbolKind, TokenKind, WorkspaceSymbol,
};

pub use self::manual::{MethodEntry, methods_of};
pub use self::stages::{FreeRow, MemoryMapAnswer, StageTableAnswer};
