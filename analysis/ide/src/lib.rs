//! What an editor asks: hovers, hints, completion, navigation, symbols, code actions.
//!
//! Questions are a file and a byte offset in it; answers are plain data in bytes of files and Markdown. It words what other
//! rooms derived and simulated and computes none of it again. It knows no protocol, no lines in UTF-16 and no editor: that is
//! the server's business.
//!
//! It asks the front door in `visa-engine` and the rooms below; `visa-analysis` hands its answers to programs.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]

// The crates below, by the names of their rooms.
#[cfg(test)]
use visa_base::conditions;
use visa_base::lanes;
use visa_base::language;
use visa_base::markdown;
use visa_base::numbers;
use visa_derivation as derivation;
use visa_engine::advice;
use visa_engine::catalogue;
use visa_engine::changes;
use visa_engine::check;
use visa_engine::cost;
use visa_engine::suppression;
use visa_engine::workspace;
use visa_findings as findings;
use visa_findings::answers;
use visa_findings::front_end;
use visa_findings::report;
use visa_hardware as hardware;
use visa_inputs as inputs;
use visa_inputs::db;
use visa_items as items;
use visa_kernel as kernel;
use visa_libraries as libraries;
use visa_lowering as lowering;
use visa_mapping as mapping;
use visa_places as places;
use visa_rules as rules;
use visa_simulation as simulation;
use visa_syntax as syntax;

#[cfg(test)]
use visa_engine::{
    Analysis, Applicability, DiagnosticFix, FileEdit, KernelCost, Level, MemoryRow, Model, Options,
    Package, StageRow, Workspace,
};

#[cfg(test)]
#[path = "../../kernel/src/testing.rs"]
mod testing_kernel;

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
mod questions;
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

pub use self::front::EditorQuestions;
pub use self::manual::{MethodEntry, methods_of};
pub use self::questions::{
    MappingAnswer, MappingQuestion, QuestionError, SequenceAnswer, SequenceEntry, SequenceQuestion,
    SequenceRefusal, SequencerMode, derive_sequence, evaluate_mapping,
};
pub use self::stages::{FreeRow, MemoryMapAnswer, StageTableAnswer};
