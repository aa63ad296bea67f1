//! What is proposed for a kernel, applied and costed again.

use std::collections::BTreeMap;

use visa_analysis::{KernelCost, Level, Model, Options, Proposal, Workspace, dialect_line};

use crate::hints::applied;

/// The path of the one file.
pub const PATH: &str = "kernel.rs";

/// A project of one file, in the library of its first line.
pub fn workspace(text: &str, model: Model) -> Workspace {
    let mut workspace = Workspace::new();
    let dialect = dialect_line(text);
    workspace.set_options(Options {
        model,
        library: dialect.map(|dialect| dialect.library),
        release: dialect.map(|dialect| dialect.release),
        ..Options::default()
    });
    workspace.set_files([(PATH, text)]);
    workspace
}

/// What the kernels of a text cost, searched with an effort.
///
/// # Panics
///
/// If the engine fails.
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
pub fn advised(text: &str, model: Model, effort: usize) -> Vec<KernelCost> {
    let workspace = workspace(text, model);
    workspace
        .analysis()
        .costs_with_advice(PATH, effort)
        .unwrap()
}

/// The cycles of a kernel.
///
/// # Panics
///
/// If the engine fails.
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
pub fn total(text: &str, model: Model, kernel: &str) -> Option<u64> {
    let workspace = workspace(text, model);
    let costs = workspace.analysis().costs(PATH).unwrap();
    costs.iter().find(|cost| cost.name == kernel)?.total
}

/// What is said of a text: errors and warnings by rule that are not about speed, what could not be followed, and the kernels'
/// tensors in HBM.
#[derive(Debug, Default, PartialEq)]
pub struct Said {
    /// How often each rule that denies found something.
    pub found: BTreeMap<&'static str, usize>,
    /// Operations that could not be followed, and errors of syntax.
    pub unresolved: u64,
    /// The tensors in HBM of each kernel, with their mappings.
    pub outside: Vec<(String, Vec<(String, String)>)>,
}

/// What is said of a text.
///
/// # Panics
///
/// If the engine fails.
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
pub fn said(text: &str) -> Said {
    let workspace = workspace(text, Model::Schedule);
    let report = workspace.analysis().check_file(PATH);
    let mut said = Said {
        unresolved: report.operations.unresolved + report.syntax_errors,
        ..Said::default()
    };
    for found in &report.diagnostics {
        if found.default_level == Level::Deny {
            *said.found.entry(found.rule).or_default() += 1;
        }
    }
    for cost in workspace.analysis().costs(PATH).unwrap() {
        let mut rows: Vec<(String, String)> = cost
            .memory
            .iter()
            .filter(|row| row.tier == "hbm")
            // What is there neither at the beginning nor at the end is the kernel's own.
            .filter(|row| row.from == 0 || cost.total.is_none_or(|total| row.to >= total))
            .map(|row| {
                // Results without a name are called by their operation's number, which a change may move.
                let result = row.tensor.starts_with("result of operation");
                let name = if result { "result" } else { &row.tensor };
                (name.to_owned(), row.shape.clone())
            })
            .collect();
        rows.sort();
        said.outside.push((cost.name, rows));
    }
    said
}

/// What is wrong about a proposal, a text each: it is applied, and gives what was promised with nothing new to be found.
///
/// # Panics
///
/// If it has no totals or the engine fails.
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
pub fn faults(
    text: &str,
    before: &Said,
    kernel: &str,
    proposal: &Proposal,
    model: Model,
) -> Vec<String> {
    let mut faults = Vec::new();
    let changed = applied(text, &proposal.edits);
    let (from, to) = proposal.total.unwrap();
    if total(text, model, kernel) != Some(from) {
        faults.push(format!("it does not start from {from}"));
    }
    let found = total(&changed, model, kernel);
    if found != Some(to) || proposal.saves != Some(from - to) {
        faults.push(format!(
            "{to} cycles were promised and {found:?} came of it"
        ));
    }
    let after = said(&changed);
    for (rule, count) in &after.found {
        if before.found.get(rule) < Some(count) {
            faults.push(format!("it brings {rule}"));
        }
    }
    if after.unresolved > before.unresolved {
        faults.push("less of it is understood".to_owned());
    }
    if after.outside != before.outside {
        faults.push(format!("{:?} became {:?}", before.outside, after.outside));
    }
    faults
        .into_iter()
        .map(|fault| format!("{kernel}, {}: {fault}\n{changed}", proposal.message))
        .collect()
}

/// The searched proposals of a kernel, the pair among them.
pub fn searched(cost: &KernelCost) -> Vec<&Proposal> {
    let pair = cost
        .searched
        .as_ref()
        .and_then(|searched| searched.pair.as_ref());
    let single = cost
        .proposals
        .iter()
        .filter(|proposal| !proposal.edits.is_empty());
    single.chain(pair).collect()
}
