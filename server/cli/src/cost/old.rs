//! The state that costs are compared with: another file, a revision that git knows, or what `--format json` once printed.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use visa_analysis::{KernelCost, Model, may_be_source};

use super::super::session::Session;
use super::compare::{State, StateOperation};
use crate::project::Failure;
use crate::project::git::text_of_revision;
use crate::project::notes::write_warning;
use crate::project::regular::{SOURCE_BYTES, read_text};

/// What the kernels cost in the state that `old` names, and whether a file of it could not be analysed. The session is left
/// with that state's texts. `kernels` are those of the new state.
pub(super) fn states(
    session: &mut Session<'_>,
    old: &str,
    kernels: &[KernelCost],
) -> Result<(Vec<State>, bool), Failure> {
    let document = Path::new(old)
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if document && Path::new(old).is_file() {
        return Ok((printed(old, kernels)?, false));
    }
    session.set_texts(old_texts(session, old)?);
    let (before, incomplete) = session.costs(0.into(), None);
    let analysis = session.workspace().analysis();
    let paths = session.reported_paths();
    let reports: Vec<_> = paths.map(|path| analysis.check_file(path)).collect();
    let errors: u64 = reports.iter().map(|report| report.syntax_errors).sum();
    // A report without a library is of a text that has nothing of a kernel: of ordinary Rust, or of no Rust at all.
    let is_foreign = reports.iter().all(|report| report.libraries.is_empty());
    if is_foreign && before.is_empty() && Path::new(old).is_file() && !may_be_source(old) {
        return Err(Failure::new(format!(
            "`{old}` has no kernel to compare with, and names no library of kernels"
        )));
    }
    if errors > 0 {
        let errors = format!(
            "{errors} {} of syntax",
            if errors == 1 { "error" } else { "errors" }
        );
        // A revision may lack the file, and a file may have no kernel yet; one that is no Rust was named by mistake.
        if before.is_empty() && Path::new(old).is_file() {
            return Err(Failure::new(format!(
                "`{old}` has no kernel to compare with, and {errors}"
            )));
        }
        write_warning(&format!(
            "`{old}` has {errors}: kernels that they hide are missing from the comparison"
        ));
    }
    Ok((before.iter().map(State::of).collect(), incomplete))
}

/// What `--format json` prints, as far as it is compared. Other members are left alone.
#[derive(Deserialize)]
struct Document {
    version: u32,
    kernels: Vec<Kernel>,
}

#[derive(Deserialize)]
struct Kernel {
    name: String,
    file: String,
    cycles: Cycles,
    operations: Vec<Operation>,
}

#[derive(Deserialize)]
struct Cycles {
    total: Option<u64>,
    calibrated: Calibrated,
}

#[derive(Deserialize)]
struct Calibrated {
    total: Option<u64>,
    basis: String,
    model: String,
}

#[derive(Deserialize)]
struct Operation {
    name: String,
    context: String,
    cycles: Option<u64>,
    calibrated: Option<CalibratedOperation>,
}

#[derive(Deserialize)]
struct CalibratedOperation {
    cycles: u64,
}

/// The kernels of a document, by the model that those of the same name are judged by now.
fn printed(path: &str, kernels: &[KernelCost]) -> Result<Vec<State>, Failure> {
    let text = text_of_state(path)?;
    let document: Document = serde_json::from_str(&text).map_err(|error| {
        Failure::new(format!(
            "`{path}` is not what `visa-lint cost --format json` prints: {error}"
        ))
    })?;
    if document.version != 1 {
        return Err(Failure::new(format!(
            "`{path}` is of version {} of the format; this program reads version 1",
            document.version
        )));
    }
    document
        .kernels
        .into_iter()
        .map(|kernel| {
            let mut now = kernels.iter();
            let now = now.find(|now| now.name == kernel.name && *now.file == *kernel.file);
            let calibrated = &kernel.cycles.calibrated;
            let model = now.map_or(Model::Schedule, |now| now.model);
            let basis = now.map(|now| format!("schedule {}", now.calibrated.release));
            if let Some(basis) = basis.filter(|basis| *basis != calibrated.basis) {
                return Err(Failure::new(format!(
                    "`{}` is by the model `{}` in `{path}` and by `{basis}` now: their cycles cannot be compared; print the old \
                     state again, or name its revision",
                    kernel.name, calibrated.basis
                )));
            }
            let by_book = match now {
                Some(_) => model == Model::Book,
                None => calibrated.model == Model::Book.name(),
            };
            Ok(State::from(kernel, by_book))
        })
        .collect()
}

impl State {
    fn from(kernel: Kernel, by_book: bool) -> Self {
        let of = |operation: Operation| StateOperation {
            cycles: if by_book {
                operation.cycles
            } else {
                operation.calibrated.map(|calibrated| calibrated.cycles)
            },
            name: operation.name,
            context: operation.context,
        };
        Self {
            name: kernel.name,
            file: kernel.file,
            total: if by_book {
                kernel.cycles.total
            } else {
                kernel.cycles.calibrated.total
            },
            unknown: None,
            operations: kernel.operations.into_iter().map(of).collect(),
        }
    }
}

/// The text of a file that `--compare` names.
fn text_of_state(path: &str) -> Result<String, Failure> {
    read_text(Path::new(path), SOURCE_BYTES)
        .map_err(|why| Failure::new(format!("cannot read `{path}`: {why}")))
}

/// The texts of the old state by the engine's path: a file's where `old` names one, else a git revision's.
fn old_texts(session: &Session<'_>, old: &str) -> Result<BTreeMap<String, String>, Failure> {
    let paths: Vec<String> = session.reported_paths().map(str::to_owned).collect();
    if Path::new(old).is_file() {
        let [path] = paths.as_slice() else {
            return Err(Failure::new(format!(
                "`--compare {old}` names one file, and there are {} to compare with it; name one",
                paths.len()
            )));
        };
        let text = text_of_state(old)?;
        return Ok(BTreeMap::from([(path.clone(), text)]));
    }
    if Path::new(old).is_dir() && !old.is_empty() {
        return Err(Failure::new(format!(
            "`--compare {old}` names a folder; name a file, a git revision, or what `--format json` printed"
        )));
    }
    paths
        .into_iter()
        .map(|path| {
            let text = text_of_revision(old, &session.shown_path(&path))?;
            Ok((path, text))
        })
        .collect()
}
