//! PTO files: MLIR text of the PTO dialect, as far as data moves between global memory and the Unified Buffer.
//!
//! Data flows one way: text to operations, operations to functions of actions, and from these transfers, registers and order;
//! rules, hovers and cost read what was derived. The front end answers what the rest of the program asks about a file.

mod analysis;
mod order;
mod program;
mod registers;
mod rules;
mod syntax;
mod transfers;
mod values;

use std::sync::Arc;

use crate::db::Db;
use crate::findings::{Rule, TextSpan};
use crate::inputs::SourceFile;
use crate::neighbours::{FrontEnd, NeighbourReport, TransferSite};

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
}

/// What is derived of a file.
#[salsa::tracked(returns(clone))]
fn analysed(db: &dyn Db, file: SourceFile) -> Arc<Analysis> {
    Arc::new(Analysis::of(&file.text(db)))
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
