//! Runs every kernel of some folders with random inputs, and prints how many run, why others do not, and what junk in undefined elements
//! changes: `visa-runs [--junk] FOLDER...`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use visa_analysis::{Layout, Workspace};
use visa_tests::runs::{Unchanged, add_unchanged, junk_effect, run_with_random_inputs};

/// Kernels that are listed because they take longest.
const SLOWEST: usize = 5;

/// What the kernels of a folder came to.
#[derive(Default)]
struct Table {
    fine: usize,
    found: Vec<String>,
    refused: BTreeMap<String, Vec<String>>,
    changed: Vec<String>,
    unchanged: Unchanged,
    milliseconds: Vec<(u128, String)>,
}

fn table_of(workspace: &Workspace, with_junk: bool) -> Table {
    let mut table = Table::default();
    let analysis = workspace.analysis();
    let paths = workspace.files().map(|(path, _)| path);
    for path in paths.filter(|path| path.ends_with(".rs")) {
        for function in analysis.device_functions(path) {
            let name = format!("{path}::{function}");
            let began = Instant::now();
            let (request, result) =
                run_with_random_inputs(&analysis, path, &function, Layout::Physical);
            table
                .milliseconds
                .push((began.elapsed().as_millis(), name.clone()));
            let report = match result {
                Ok(report) => report,
                Err(refusal) => {
                    table.refused.entry(refusal.reason).or_default().push(name);
                    continue;
                }
            };
            match report.findings.first() {
                None => table.fine += 1,
                Some(finding) => table.found.push(format!("{name}: {}", finding.message)),
            }
            if with_junk && !report.outputs.is_empty() {
                let effect = junk_effect(&analysis, path, &request, &report);
                let changed = effect.changed.into_iter();
                table
                    .changed
                    .extend(changed.map(|line| format!("{name}: {line}")));
                add_unchanged(&mut table.unchanged, effect.unchanged);
            }
        }
    }
    table
}

fn print(folder: &str, mut table: Table, with_junk: bool) {
    let refused: usize = table.refused.values().map(Vec::len).sum();
    println!(
        "{folder}: {} functions run and nothing is found, {} have findings, {refused} do not run",
        table.fine,
        table.found.len()
    );
    for line in &table.found {
        println!("  found in {line}");
    }
    for (reason, functions) in &table.refused {
        println!(
            "  {} do not run: {reason} ({})",
            functions.len(),
            functions.join(", ")
        );
    }
    if with_junk {
        println!("  junk changes {} defined outputs", table.changed.len());
        for line in &table.changed {
            println!("    {line}");
        }
        for (kind, (count, kept)) in &table.unchanged {
            println!("    {kind}: {kept} of {count} undefined elements keep their number");
        }
    }
    table.milliseconds.sort_unstable();
    for (milliseconds, name) in table.milliseconds.iter().rev().take(SLOWEST) {
        println!("  {milliseconds} ms: {name}");
    }
}

fn main() -> ExitCode {
    let mut folders: Vec<String> = std::env::args().skip(1).collect();
    let given = folders.len();
    folders.retain(|argument| argument != "--junk");
    let with_junk = folders.len() < given;
    if folders.is_empty() {
        eprintln!("usage: visa-runs [--junk] FOLDER...");
        return ExitCode::from(2);
    }
    let (mut is_read, mut is_proven) = (true, true);
    for folder in &folders {
        match visa_server::workspace_of_folder(Path::new(folder)) {
            Ok(workspace) => {
                let table = table_of(&workspace, with_junk);
                is_proven &= table.changed.is_empty();
                print(folder, table, with_junk);
            }
            Err(lines) => {
                eprintln!("{}", lines.join("\n"));
                is_read = false;
            }
        }
    }
    match (is_read, is_proven) {
        (true, true) => ExitCode::SUCCESS,
        (true, false) => ExitCode::from(1),
        (false, _) => ExitCode::from(2),
    }
}
