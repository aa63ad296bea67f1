//! What an editor asks of kernels in Rust, under the contract that the other languages have.

use crate::db::Db;
use crate::front_end::EditorAnswers;
use crate::inputs::SourceFile;
use crate::report::FileEdit;

use super::{
    Assist, ByteRange, Completion, Folding, Highlight, HintLevel, Hover, InlayHint, Lens, Place,
    RenameProblem, SignatureHelp, Symbol,
};
use super::{
    assists, completion, folding, highlights, hints, hover, lenses, navigation, signature, symbols,
};

/// The answers of Rust.
pub(super) struct RustAnswers;

impl EditorAnswers for RustAnswers {
    fn hover(&self, db: &dyn Db, file: SourceFile, offset: u32) -> Option<Hover> {
        hover::hover_at(db, file, offset, &[])
    }

    fn inlay_hints(
        &self,
        db: &dyn Db,
        file: SourceFile,
        range: ByteRange,
        level: HintLevel,
    ) -> Vec<InlayHint> {
        hints::inlay_hints(db, file, range, level)
    }

    fn lenses(&self, db: &dyn Db, file: SourceFile) -> Vec<Lens> {
        lenses::kernel_lenses(db, file)
    }

    fn completions(&self, db: &dyn Db, file: SourceFile, offset: u32) -> Vec<Completion> {
        completion::completions_at(db, file, offset)
    }

    fn signature_help(&self, db: &dyn Db, file: SourceFile, offset: u32) -> Option<SignatureHelp> {
        signature::signature_help(db, file, offset)
    }

    fn definition(&self, db: &dyn Db, file: SourceFile, offset: u32) -> Vec<Place> {
        navigation::definition_at(db, file, offset)
    }

    fn references(
        &self,
        db: &dyn Db,
        file: SourceFile,
        offset: u32,
        with_declaration: bool,
    ) -> Vec<Place> {
        navigation::references_at(db, file, offset, with_declaration)
    }

    fn highlights(&self, db: &dyn Db, file: SourceFile, offset: u32) -> Vec<Highlight> {
        highlights::highlights_at(db, file, offset)
    }

    fn prepare_rename(
        &self,
        db: &dyn Db,
        file: SourceFile,
        offset: u32,
    ) -> Result<(ByteRange, String), RenameProblem> {
        navigation::prepare_rename(db, file, offset)
    }

    fn rename(
        &self,
        db: &dyn Db,
        file: SourceFile,
        offset: u32,
        name: &str,
    ) -> Result<Vec<FileEdit>, RenameProblem> {
        navigation::rename_at(db, file, offset, name)
    }

    fn symbols(&self, db: &dyn Db, file: SourceFile) -> Vec<Symbol> {
        symbols::document_symbols(db, file)
    }

    fn folding_ranges(&self, db: &dyn Db, file: SourceFile) -> Vec<Folding> {
        folding::folding_ranges(db, file)
    }

    fn assists(&self, db: &dyn Db, file: SourceFile, selection: ByteRange) -> Vec<Assist> {
        assists::assists_at(db, file, selection)
    }
}
