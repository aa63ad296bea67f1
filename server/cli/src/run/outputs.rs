//! Results as numpy files: all of them are written, or none.

use std::path::{Path, PathBuf};

use visa_analysis::arrays::{written_bits, written_npy};
use visa_analysis::{RunOutput, RunReport};

use super::inputs::parted;
use crate::arguments::RunArguments;
use crate::project::Failure;
use crate::project::writing::write_files;

/// What is to be written.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    folder: Option<&'a Path>,
    outputs: Vec<(Option<&'a str>, &'a str)>,
    masks: Vec<(Option<&'a str>, &'a str)>,
}

/// The output of that name; the only one where no name is given.
pub(super) fn output_named<'a>(
    report: &'a RunReport,
    name: Option<&str>,
    option: &str,
) -> Result<&'a RunOutput, Failure> {
    let names = || {
        let names: Vec<String> = report
            .outputs
            .iter()
            .map(|output| format!("`{}`", output.name))
            .collect();
        names.join(", ")
    };
    match (name, report.outputs.as_slice()) {
        (None, [only]) => Ok(only),
        (None, outputs) => outputs
            .iter()
            .find(|output| &*output.name == "result")
            .ok_or_else(|| {
                Failure::new(format!(
                    "{option}: `{}` has several outputs; name one of {}",
                    report.function,
                    names()
                ))
            }),
        (Some(name), outputs) => outputs
            .iter()
            .find(|output| &*output.name == name)
            .ok_or_else(|| {
                Failure::new(format!(
                    "{option}: `{}` has no output `{name}`; there are {}",
                    report.function,
                    names()
                ))
            }),
    }
}

/// The name of an output's file in a folder. Names of outputs are made of letters, digits, dots and brackets.
pub(super) fn file_name(output: &RunOutput) -> String {
    format!("{}.npy", output.name)
}

/// The name of the file that says which elements are defined.
pub(super) fn defined_name(output: &RunOutput) -> String {
    format!("{}.defined.npy", output.name)
}

fn bytes_of(output: &RunOutput) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    written_npy(&mut bytes, &output.shape, &output.values)?;
    Ok(bytes)
}

fn mask_of(output: &RunOutput) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    written_bits(&mut bytes, &output.shape, &output.defined)?;
    Ok(bytes)
}

impl<'a> Wanted<'a> {
    /// What the options name. A folder that cannot be written is refused before the run.
    pub(crate) fn of(options: &'a RunArguments) -> Result<Self, Failure> {
        let wanted = Self {
            folder: options.outputs.as_deref(),
            outputs: options.output.iter().map(|text| parted(text)).collect(),
            masks: options.mask.iter().map(|text| parted(text)).collect(),
        };
        if let Some(folder) = wanted.folder {
            let failed =
                |why: String| Failure::new(format!("--outputs: `{}` {why}", folder.display()));
            if folder.exists() && !folder.is_dir() {
                return Err(failed("is not a folder".to_owned()));
            }
            std::fs::create_dir_all(folder)
                .map_err(|error| failed(format!("cannot be made: {error}")))?;
            tempfile::tempfile_in(folder)
                .map_err(|error| failed(format!("cannot be written: {error}")))?;
        }
        Ok(wanted)
    }

    /// Writes the outputs of a run.
    pub(crate) fn write(&self, report: &RunReport) -> Result<(), Failure> {
        // An error ended the run: it has no results.
        if report.outputs.is_empty() {
            return Ok(());
        }
        let mut files: Vec<(PathBuf, std::io::Result<Vec<u8>>)> = Vec::new();
        if let Some(folder) = self.folder {
            for output in &report.outputs {
                files.push((folder.join(file_name(output)), bytes_of(output)));
                files.push((folder.join(defined_name(output)), mask_of(output)));
            }
            files.extend(traced(folder, report));
        }
        for (name, file) in &self.outputs {
            let output = output_named(report, *name, "--output")?;
            files.push((PathBuf::from(file), bytes_of(output)));
        }
        for (name, file) in &self.masks {
            let output = output_named(report, *name, "--mask")?;
            files.push((PathBuf::from(file), mask_of(output)));
        }
        let files = files.into_iter().map(|(path, bytes)| {
            bytes
                .map_err(|error| {
                    Failure::new(format!("cannot write `{}`: {error}", path.display()))
                })
                .map(|bytes| (path, bytes))
        });
        let files: Vec<(PathBuf, Vec<u8>)> = files.collect::<Result<_, Failure>>()?;
        let files = files
            .iter()
            .map(|(path, bytes)| (path.as_path(), bytes.as_slice()));
        write_files(&files.collect::<Vec<_>>())
    }
}

/// Files of the traced lines: `line12.npy`, and `line12.1.npy` for a second result of the line.
fn traced<'a>(
    folder: &'a Path,
    report: &'a RunReport,
) -> impl Iterator<Item = (PathBuf, std::io::Result<Vec<u8>>)> + 'a {
    let mut seen: std::collections::BTreeMap<u32, u32> = std::collections::BTreeMap::new();
    report.traced.iter().flat_map(move |value| {
        let Some((values, defined)) = &value.elements else {
            return Vec::new();
        };
        let line = value.span.range.start.line;
        let number = seen.entry(line).or_insert(0);
        let name = if *number == 0 {
            format!("line{line}")
        } else {
            format!("line{line}.{number}")
        };
        *number += 1;
        let mut bytes = Vec::new();
        let written = written_npy(&mut bytes, &value.shape, values).map(|()| bytes);
        let mut mask = Vec::new();
        let masked = written_bits(&mut mask, &value.shape, defined).map(|()| mask);
        vec![
            (folder.join(format!("{name}.npy")), written),
            (folder.join(format!("{name}.defined.npy")), masked),
        ]
    })
}
