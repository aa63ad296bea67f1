//! `--against` and `--expect`: results beside those of another function, and beside files.

use visa_analysis::arrays::{Arithmetic, FileArray};
use visa_analysis::{
    Difference, RunFinding, RunOutput, RunReport, Tolerance, compare_runs, difference_of, unequal,
};

use super::inputs::{parted, read_file};
use super::outputs::output_named;
use crate::arguments::RunArguments;
use crate::project::Failure;

/// The files of `--expect`.
#[derive(Debug, Default)]
pub(crate) struct Expected(Vec<(Option<String>, String, FileArray)>);

impl Expected {
    /// Reads them.
    pub(crate) fn read(options: &RunArguments) -> Result<Self, Failure> {
        let read = options.expect.iter().map(|text| {
            let (name, file) = parted(text);
            let array = read_file(file, options.max_memory)?;
            Ok((name.map(str::to_owned), file.to_owned(), array))
        });
        Ok(Self(read.collect::<Result<_, Failure>>()?))
    }
}

/// What comparisons found.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    pub(crate) findings: Vec<RunFinding>,
    pub(crate) notes: Vec<String>,
}

/// The tolerance that the options name; `otherwise` where they name none.
fn tolerance(options: &RunArguments, otherwise: Tolerance) -> Tolerance {
    if options.bits {
        return Tolerance::Bits;
    }
    if options.rtol.is_none() && options.atol.is_none() {
        return otherwise;
    }
    Tolerance::Near {
        relative: options.rtol.unwrap_or(0.0),
        absolute: options.atol.unwrap_or(0.0),
    }
}

impl Compared {
    /// Compares outputs with files.
    pub(crate) fn with_files(
        &mut self,
        report: &RunReport,
        expected: &Expected,
        options: &RunArguments,
    ) -> Result<(), Failure> {
        // An error ended the run: there is nothing to compare.
        if report.outputs.is_empty() && !report.findings.is_empty() {
            return Ok(());
        }
        let exact = Tolerance::Near {
            relative: 0.0,
            absolute: 0.0,
        };
        for (name, file, array) in &expected.0 {
            let output = output_named(report, name.as_deref(), "--expect")?;
            let found = from_file(output, file, array, tolerance(options, exact), report)?;
            if let Some(found) = found {
                let what = format!("`{file}`");
                self.findings.push(unequal(output, &found, &what));
            }
        }
        Ok(())
    }

    /// Compares all outputs with those of another function.
    pub(crate) fn with_run(
        &mut self,
        report: &RunReport,
        old: &RunReport,
        options: &RunArguments,
    ) -> Result<(), Failure> {
        let ended = |report: &RunReport| report.outputs.is_empty() && !report.findings.is_empty();
        if ended(report) {
            return Ok(());
        }
        if ended(old) {
            self.notes.push(format!(
                "`{}` ended with an error, so that nothing is compared with it",
                old.function
            ));
            return Ok(());
        }
        let tolerance = tolerance(options, Tolerance::Reordered);
        let found = compare_runs(report, old, tolerance);
        self.findings
            .extend(found.map_err(|why| Failure::new(format!("--against: {}", why.0)))?);
        let undefined: u64 = old
            .outputs
            .iter()
            .map(|output| output.undefined + output.stale)
            .sum();
        if undefined > 0 {
            self.notes.push(format!(
                "{undefined} elements that `{}` leaves undefined are not compared",
                old.function
            ));
        }
        Ok(())
    }
}

/// The difference of an output to a file, which has its shape.
fn from_file(
    output: &RunOutput,
    file: &str,
    array: &FileArray,
    tolerance: Tolerance,
    report: &RunReport,
) -> Result<Option<Difference>, Failure> {
    let rules = Arithmetic::of_release(report.release.major, report.release.minor);
    let shapes = [output.shape.clone()];
    let fitted = array.fitted(output.values.kind(), &shapes, rules);
    let fitted = fitted.map_err(|misfit| {
        Failure::new(format!(
            "`{file}` is not what `{}` is compared with: {misfit}; the output is {} {}",
            output.name,
            output.values.kind(),
            visa_analysis::arrays::shape_text(&output.shape)
        ))
    })?;
    let mut which = output.defined.clone();
    if let Some(live) = &output.live {
        which.keep_set_in(live);
    }
    Ok(difference_of(
        &output.values,
        &fitted.array,
        &which,
        tolerance,
    ))
}
