//! Python kernels for the NeuronCore, written in NKI, as far as their transfers by DMA go.
//!
//! `syntax` parses; `names` knows the API; `symbols` is arithmetic with symbols; `values` follows statements without running any;
//! `transfers` are the calls that it meets. `rules`, `ide` and `cost` read those and derive nothing again. Imports nothing of the rooms
//! of Rust kernels.

mod cost;
mod ide;
mod names;
mod rules;
mod symbols;
mod syntax;
mod transfers;
mod types;
mod values;

use std::sync::Arc;

use crate::answers::{ByteRange, Completion, HintLevel, Hover, InlayHint, Lens};
use crate::db::Db;
use crate::findings::{Rule, TextSpan};
use crate::inputs::{self, NkiOptions, SourceFile};
use crate::neighbours::{FrontEnd, NeighbourReport, TransferCost, TransferSite};
use syntax::remarks::{self, Remarks};
use types::{Generation, Generations};
use values::Followed;

/// The front end.
pub(crate) struct Nki;

impl FrontEnd for Nki {
    fn rules(&self) -> &'static [&'static Rule] {
        rules::RULES
    }

    fn report(&self, db: &dyn Db, file: SourceFile) -> Arc<NeighbourReport> {
        Arc::clone(&analysed(db, file).report)
    }

    fn costs(&self, db: &dyn Db, file: SourceFile) -> Vec<TransferCost> {
        cost::costs(&analysed(db, file))
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
}

/// All that is known of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Analysed {
    text: Arc<str>,
    followed: Followed,
    remarks: Remarks,
    report: Arc<NeighbourReport>,
}

/// What is known of a file, worked out once.
#[salsa::tracked(returns(clone))]
fn analysed(db: &dyn Db, file: SourceFile) -> Arc<Analysed> {
    let options = inputs::options(db, file).nki;
    Arc::new(analyse(file.text(db), options))
}

/// Looks at a text with what the settings say.
fn analyse(text: Arc<str>, options: NkiOptions) -> Analysed {
    let remarks = remarks::read(&text);
    let parsed = syntax::parse(&text);
    let followed = values::follow(
        &text,
        parsed.body(),
        &remarks,
        generations(&remarks, options),
    );
    let takes_part = followed.takes_part || !parsed.errors.is_empty();
    let findings = if takes_part {
        rules::check(&rules::Context {
            text: &text,
            remarks: &remarks,
            followed: &followed,
            errors: &parsed.errors,
            release: release(&remarks, options),
        })
    } else {
        Vec::new()
    };
    let too_deep = parsed.errors.iter().find(|error| error.ends_reading);
    let cut = followed
        .is_cut
        .then(|| "the file has more statements than are followed".to_owned());
    let report = NeighbourReport {
        findings,
        transfers: sites(&text, &followed),
        kernels: kernels(&followed),
        syntax_errors: u64::try_from(parsed.errors.len()).unwrap_or(u64::MAX),
        not_analysed: too_deep.map(|error| error.message.clone()).or(cut),
    };
    drop(parsed);
    Analysed {
        text,
        followed,
        remarks,
        report: Arc::new(report),
    }
}

/// The generations that a file may run on: what it says itself decides, then the settings.
fn generations(remarks: &Remarks, options: NkiOptions) -> Generations {
    let said = remarks
        .first("target")
        .and_then(|remark| Generation::of_target(remark.argument.trim()));
    let set = options.target.map(|target| match target {
        inputs::Generation::Trn1 => Generation::Two,
        inputs::Generation::Trn2 => Generation::Three,
        inputs::Generation::Trn3 => Generation::Four,
    });
    said.or(set).map_or(Generations::ANY, Generations::one)
}

/// The release that a file is for.
fn release(remarks: &Remarks, options: NkiOptions) -> Option<(u16, u16)> {
    let said = remarks.first("nki").and_then(|remark| {
        let (major, minor) = remark.argument.trim().split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    });
    said.or(options.version)
}

fn sites(text: &str, followed: &Followed) -> Vec<TransferSite> {
    followed
        .transfers
        .iter()
        .map(|transfer| TransferSite {
            span: TextSpan::from(transfer.span),
            what: transfer.callee.of(text).to_owned(),
            unresolved: transfer.unresolved().map(|reason| reason.text().to_owned()),
        })
        .collect()
}

fn kernels(followed: &Followed) -> u64 {
    let mut functions: Vec<Option<usize>> = followed
        .transfers
        .iter()
        .map(|transfer| transfer.function)
        .collect();
    functions.sort_unstable();
    functions.dedup();
    u64::try_from(functions.len()).unwrap_or(u64::MAX)
}
