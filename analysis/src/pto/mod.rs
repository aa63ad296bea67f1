//! PTO files: MLIR text of the PTO dialect, as far as data moves between global memory and the Unified Buffer.
//!
//! Data flows one way: text to operations, operations to functions of actions, and from these transfers, registers and order;
//! rules, hovers and cost read what was derived. The front end answers what the rest of the program asks about a file.

mod analysis;
mod cost;
mod ide;
mod order;
mod program;
mod registers;
mod rules;
mod syntax;
#[cfg(test)]
mod tests;
mod transfers;
mod values;

use std::sync::Arc;

use crate::answers::{
    Assist, ByteRange, Completion, Folding, Highlight, HintLevel, Hover, InlayHint, Lens, Place,
    RenameProblem, Symbol,
};
use crate::db::Db;
use crate::findings::{Rule, TextSpan};
use crate::inputs::{SourceFile, options, shown_path};
use crate::neighbours::{FrontEnd, NeighbourReport, TransferCost, TransferSite};
use crate::report::FileEdit;

use analysis::Analysis;

/// The front end.
pub(crate) struct Pto;

impl FrontEnd for Pto {
    fn rules(&self) -> &'static [&'static Rule] {
        rules::RULES
    }

    fn report(&self, db: &dyn Db, file: SourceFile) -> Arc<NeighbourReport> {
        report(db, file)
    }

    fn costs(&self, db: &dyn Db, file: SourceFile) -> Vec<TransferCost> {
        cost::costs(&analysed(db, file), options(db, file).pto)
    }

    fn hover(&self, db: &dyn Db, file: SourceFile, offset: u32) -> Option<Hover> {
        ide::hover(&analysed(db, file), offset)
    }

    fn inlay_hints(
        &self,
        db: &dyn Db,
        file: SourceFile,
        range: ByteRange,
        level: HintLevel,
    ) -> Vec<InlayHint> {
        ide::inlay_hints(&analysed(db, file), range, level)
    }

    fn lenses(&self, db: &dyn Db, file: SourceFile) -> Vec<Lens> {
        ide::lenses(&analysed(db, file))
    }

    fn completions(&self, db: &dyn Db, file: SourceFile, offset: u32) -> Vec<Completion> {
        ide::completions(&analysed(db, file), offset)
    }

    fn definition(&self, db: &dyn Db, file: SourceFile, offset: u32) -> Vec<Place> {
        let found = ide::places(&analysed(db, file), offset);
        let found = found.map(|(definition, _)| in_file(db, file, definition));
        found.into_iter().collect()
    }

    fn references(
        &self,
        db: &dyn Db,
        file: SourceFile,
        offset: u32,
        with_declaration: bool,
    ) -> Vec<Place> {
        let Some((definition, uses)) = ide::places(&analysed(db, file), offset) else {
            return Vec::new();
        };
        let mut all = uses;
        all.extend(with_declaration.then_some(definition));
        all.sort();
        all.into_iter()
            .map(|place| in_file(db, file, place))
            .collect()
    }

    fn highlights(&self, db: &dyn Db, file: SourceFile, offset: u32) -> Vec<Highlight> {
        ide::highlights(&analysed(db, file), offset)
    }

    fn prepare_rename(
        &self,
        db: &dyn Db,
        file: SourceFile,
        offset: u32,
    ) -> Result<(ByteRange, String), RenameProblem> {
        ide::rename_place(&analysed(db, file), offset)
    }

    fn rename(
        &self,
        db: &dyn Db,
        file: SourceFile,
        offset: u32,
        name: &str,
    ) -> Result<Vec<FileEdit>, RenameProblem> {
        let (places, name) = ide::renamed(&analysed(db, file), offset, name)?;
        let path = shown_path(db, file);
        let edits = places.into_iter().map(|place| FileEdit {
            file: path.clone(),
            start_byte: place.start,
            end_byte: place.end,
            text: name.clone(),
        });
        Ok(edits.collect())
    }

    fn symbols(&self, db: &dyn Db, file: SourceFile) -> Vec<Symbol> {
        ide::symbols(&analysed(db, file))
    }

    fn folding_ranges(&self, db: &dyn Db, file: SourceFile) -> Vec<Folding> {
        ide::folding_ranges(&analysed(db, file))
    }

    fn assists(&self, db: &dyn Db, file: SourceFile, selection: ByteRange) -> Vec<Assist> {
        ide::assists(&analysed(db, file), &shown_path(db, file), selection)
    }
}

fn in_file(db: &dyn Db, file: SourceFile, place: syntax::Place) -> Place {
    Place {
        file: shown_path(db, file),
        range: ByteRange {
            start: place.start,
            end: place.end,
        },
    }
}

/// What is derived of a file.
#[salsa::tracked(returns(clone))]
fn analysed(db: &dyn Db, file: SourceFile) -> Arc<Analysis> {
    Arc::new(Analysis::of(&file.text(db)))
}

/// The operations of a text, parsed and nothing else: for benchmarks.
#[must_use]
pub fn pto_operations(text: &str) -> usize {
    syntax::parse(text).operations.len()
}

/// What is known of a file.
#[salsa::tracked(returns(clone))]
fn report(db: &dyn Db, file: SourceFile) -> Arc<NeighbourReport> {
    Arc::new(report_of(&analysed(db, file)))
}

fn report_of(analysis: &Analysis) -> NeighbourReport {
    let file = &analysis.file;
    let mut transfers = Vec::new();
    let mut kernels = 0;
    for (function, facts) in analysis.functions() {
        kernels += u64::from(!facts.derived.is_empty());
        for derived in &facts.derived {
            let name = file.operation(derived.operation()).name;
            let unresolved = match function.not_followed {
                Some(reason) if derived.transfer.is_none() => Some(reason.to_owned()),
                _ => derived.unknown.clone(),
            };
            transfers.push(TransferSite {
                span: TextSpan::new(name.start, name.end),
                what: file.name(derived.operation()).to_owned(),
                unresolved,
            });
        }
    }
    NeighbourReport {
        findings: rules::check(analysis),
        transfers,
        kernels,
        syntax_errors: u64::try_from(file.problems.len()).unwrap_or(u64::MAX),
        not_analysed: None,
    }
}
