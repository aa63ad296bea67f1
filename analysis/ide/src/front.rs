//! What [`Analysis`] answers to an editor: each question guarded against newer edits and defects, as the others are.

use crate::catalogue::front_end;
use crate::db::Db;
use crate::front_end::EditorAnswers;
use crate::inputs::SourceFile;
use crate::language::Language;
use crate::report::{FileEdit, Problem};
use crate::workspace::Analysis;

use super::rust_answers::RustAnswers;
use super::{
    Assist, ByteRange, CallItem, CallLink, Completion, Folding, Highlight, HintLevel, Hover,
    InlayHint, Lens, MemoryMapAnswer, Place, RenameProblem, SemanticToken, SignatureHelp,
    StageTableAnswer, Symbol, WorkspaceSymbol,
};
use super::{calls, completion, hover, selection, stages, symbols, tokens};

/// What an editor asks of an [`Analysis`]. Offsets are bytes of the file, its byte-order mark included. An offset after the end counts as
/// the end.
///
/// # Errors
///
/// Every answer is an error if the file does not exist, if a newer edit cancelled the question ([`Problem::Cancelled`]), or if the engine
/// failed.
pub trait EditorQuestions {
    /// The snapshot that answers.
    fn snapshot(&self) -> &Analysis;

    /// What to show beside the pointer.
    fn hover(&self, path: &str, offset: u32) -> Result<Option<Hover>, Problem> {
        in_file(self.snapshot(), path, |answers, db, file| {
            let rule = hover::rule_page(db, file, offset);
            rule.or_else(|| answers.hover(db, file, offset))
        })
    }

    /// As [`Self::hover`], with what a search found of kernels: where it proposes more for the operation there than the rules
    /// do, its proposal is in the first lines.
    fn hover_with(
        &self,
        path: &str,
        offset: u32,
        searched: &[&crate::cost::KernelCost],
    ) -> Result<Option<Hover>, Problem> {
        if searched.is_empty() {
            return self.hover(path, offset);
        }
        let found = in_rust(self.snapshot(), path, |db, file| {
            let rule = hover::rule_page(db, file, offset);
            rule.or_else(|| hover::hover_at(db, file, offset, searched))
        })?;
        found.map_or_else(|| self.hover(path, offset), |found| Ok(Some(found)))
    }

    /// Works out what hovers read of all files, so that the first one need not wait for it. For when nothing else is to do.
    ///
    /// # Errors
    ///
    /// A newer edit overtook it, or the engine failed.
    fn prepare_hovers(&self) -> Result<(), Problem> {
        self.snapshot().guarded(|db| hover::prepare_counts(db))
    }

    /// The hints whose places are in a range, in the order of their places.
    fn inlay_hints(
        &self,
        path: &str,
        range: ByteRange,
        level: HintLevel,
    ) -> Result<Vec<InlayHint>, Problem> {
        in_file(self.snapshot(), path, |answers, db, file| {
            answers.inlay_hints(db, file, range, level)
        })
    }

    /// The lines above the kernels of a file.
    fn lenses(&self, path: &str) -> Result<Vec<Lens>, Problem> {
        in_file(self.snapshot(), path, |answers, db, file| {
            answers.lenses(db, file)
        })
    }

    /// Proposals at a cursor, the best first.
    fn completions(&self, path: &str, offset: u32) -> Result<Vec<Completion>, Problem> {
        in_file(self.snapshot(), path, |answers, db, file| {
            let rules = completion::rules_in_text(db, file, offset);
            rules.unwrap_or_else(|| answers.completions(db, file, offset))
        })
    }

    /// The generics of the method that the cursor is in the turbofish or arguments of.
    fn signature_help(&self, path: &str, offset: u32) -> Result<Option<SignatureHelp>, Problem> {
        in_file(self.snapshot(), path, |answers, db, file| {
            answers.signature_help(db, file, offset)
        })
    }

    /// Where the axis or alias at a cursor is declared.
    fn definition(&self, path: &str, offset: u32) -> Result<Vec<Place>, Problem> {
        in_file(self.snapshot(), path, |answers, db, file| {
            answers.definition(db, file, offset)
        })
    }

    /// Where the axis or alias at a cursor is used, across files, in the order of files and places.
    fn references(
        &self,
        path: &str,
        offset: u32,
        with_declaration: bool,
    ) -> Result<Vec<Place>, Problem> {
        in_file(self.snapshot(), path, |answers, db, file| {
            answers.references(db, file, offset, with_declaration)
        })
    }

    /// Where the axis or alias at a cursor is named in its own file.
    fn highlights(&self, path: &str, offset: u32) -> Result<Vec<Highlight>, Problem> {
        in_file(self.snapshot(), path, |answers, db, file| {
            answers.highlights(db, file, offset)
        })
    }

    /// The name at a cursor, if it can be changed.
    fn prepare_rename(
        &self,
        path: &str,
        offset: u32,
    ) -> Result<Result<(ByteRange, String), RenameProblem>, Problem> {
        in_file(self.snapshot(), path, |answers, db, file| {
            Some(answers.prepare_rename(db, file, offset))
        })
        .map(|answer| answer.unwrap_or_else(no_name))
    }

    /// The edits that give the axis or alias at a cursor another name everywhere.
    fn rename(
        &self,
        path: &str,
        offset: u32,
        name: &str,
    ) -> Result<Result<Vec<FileEdit>, RenameProblem>, Problem> {
        in_file(self.snapshot(), path, |answers, db, file| {
            Some(answers.rename(db, file, offset, name))
        })
        .map(|answer| answer.unwrap_or_else(no_name))
    }

    /// The outline of a file.
    fn document_symbols(&self, path: &str) -> Result<Vec<Symbol>, Problem> {
        in_file(self.snapshot(), path, |answers, db, file| {
            answers.symbols(db, file)
        })
    }

    /// The declarations of all files whose names hold the letters of a query in their order.
    ///
    /// # Errors
    ///
    /// A newer edit overtook the question, or the engine failed.
    fn workspace_symbols(&self, query: &str) -> Result<Vec<WorkspaceSymbol>, Problem> {
        self.snapshot()
            .guarded(|db| symbols::workspace_symbols(db, query))
    }

    /// What can be hidden in a file.
    fn folding_ranges(&self, path: &str) -> Result<Vec<Folding>, Problem> {
        in_file(self.snapshot(), path, |answers, db, file| {
            answers.folding_ranges(db, file)
        })
    }

    /// The tokens in the macros of a file, in the order of their places; those in a range if one is given.
    fn semantic_tokens(
        &self,
        path: &str,
        range: Option<ByteRange>,
    ) -> Result<Vec<SemanticToken>, Problem> {
        in_rust(self.snapshot(), path, |db, file| {
            tokens::semantic_tokens(db, file, range)
        })
    }

    /// The ranges around a cursor, from the inside out.
    fn selection_ranges(&self, path: &str, offset: u32) -> Result<Vec<ByteRange>, Problem> {
        in_rust(self.snapshot(), path, |db, file| {
            selection::selection_ranges(db, file, offset)
        })
    }

    /// The function at a cursor as an entry of the call hierarchy.
    fn call_items(&self, path: &str, offset: u32) -> Result<Vec<CallItem>, Problem> {
        in_rust(self.snapshot(), path, |db, file| {
            calls::call_items(db, file, offset)
        })
    }

    /// Who calls the function whose name is at an offset.
    fn incoming_calls(&self, path: &str, offset: u32) -> Result<Vec<CallLink>, Problem> {
        in_rust(self.snapshot(), path, |db, file| {
            calls::incoming_calls(db, file, offset)
        })
    }

    /// Whom the function calls whose name is at an offset.
    fn outgoing_calls(&self, path: &str, offset: u32) -> Result<Vec<CallLink>, Problem> {
        in_rust(self.snapshot(), path, |db, file| {
            calls::outgoing_calls(db, file, offset)
        })
    }

    /// The refactorings that are possible at a selection.
    fn assists(&self, path: &str, selection: ByteRange) -> Result<Vec<Assist>, Problem> {
        in_file(self.snapshot(), path, |answers, db, file| {
            answers.assists(db, file, selection)
        })
    }

    /// The stage table of the operation at a cursor, or of all operations of the kernel around it.
    fn stage_table(&self, path: &str, offset: u32) -> Result<Option<StageTableAnswer>, Problem> {
        in_rust(self.snapshot(), path, |db, file| {
            stages::stage_table(db, file, offset)
        })
    }

    /// What the kernel around a cursor costs; outside of all, the file's first kernel that reaches the function there.
    fn kernel_cost_at(
        &self,
        path: &str,
        offset: u32,
    ) -> Result<Option<crate::cost::KernelCost>, Problem> {
        in_rust(self.snapshot(), path, |db, file| {
            stages::kernel_cost_at(db, file, offset)
        })
    }

    /// The kernel of [`Self::kernel_cost_at`] with all that a search of it reads; `None` where there is none, or it is in a
    /// block of another text.
    fn searchable_at(
        &self,
        path: &str,
        offset: u32,
    ) -> Result<Option<crate::advice::Searchable>, Problem> {
        in_rust(self.snapshot(), path, |db, file| {
            crate::advice::Searchable::of(db, stages::kernel_at(db, file, offset)?)
        })
    }

    /// What is where and when in the memories of the kernel around a cursor.
    fn memory_map(&self, path: &str, offset: u32) -> Result<Option<MemoryMapAnswer>, Problem> {
        in_rust(self.snapshot(), path, |db, file| {
            stages::memory_map(db, file, offset)
        })
    }
}

impl EditorQuestions for Analysis {
    fn snapshot(&self) -> &Analysis {
        self
    }
}

/// Asks what answers for a file's language. A file that takes no part has no answers.
fn in_file<T: Default>(
    analysis: &Analysis,
    path: &str,
    ask: impl FnOnce(&dyn EditorAnswers, &dyn Db, SourceFile) -> T,
) -> Result<T, Problem> {
    let Some(file) = analysis.file(path) else {
        let aside = analysis.is_aside(path);
        return aside.then(T::default).ok_or(Problem::NoSuchFile);
    };
    analysis.guarded(|db| ask(editor_answers(file.language(db)), db, file))
}

/// As [`in_file`], of what only files in Rust have.
fn in_rust<T: Default>(
    analysis: &Analysis,
    path: &str,
    ask: impl FnOnce(&dyn Db, SourceFile) -> T,
) -> Result<T, Problem> {
    in_file(analysis, path, |_, db, file| {
        if file.language(db).has_front_end() {
            return T::default();
        }
        ask(db, file)
    })
}

/// What answers for a language.
fn editor_answers(language: Language) -> &'static dyn EditorAnswers {
    match front_end(language) {
        Some(front_end) => front_end,
        None => &RustAnswers,
    }
}

/// What is said of a name in a file that takes no part.
fn no_name<T>() -> Result<T, RenameProblem> {
    Err(RenameProblem("there is no name to change here".to_owned()))
}
