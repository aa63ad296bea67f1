//! Arguments of the command `run`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use visa_analysis::{IndexRange, Layout, PoisonFill, RunRequest};

use crate::project::settings::SettingsArguments;

/// How a run is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunFormat {
    /// With the source text, outputs, notes and help
    Human,
    /// One JSON object
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Workflow commands of GitHub Actions
    Github,
    /// JUnit XML: a test suite a file
    Junit,
}

/// The layout of files that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunLayout {
    /// The axes in the order of the mapping, without padding
    Value,
    /// A dimension a term of the mapping, padding included
    Physical,
}

impl From<RunLayout> for Layout {
    fn from(layout: RunLayout) -> Self {
        match layout {
            RunLayout::Value => Self::Value,
            RunLayout::Physical => Self::Physical,
        }
    }
}

/// The value of undefined elements in files that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunPoison {
    /// What the library's CPU back end has there
    Mask,
    /// NaN in floats
    Nan,
    /// Random bits
    Random,
}

impl From<RunPoison> for PoisonFill {
    fn from(poison: RunPoison) -> Self {
        match poison {
            RunPoison::Mask => Self::Mask,
            RunPoison::Nan => Self::NotANumber,
            RunPoison::Random => Self::Random,
        }
    }
}

/// What padding of arguments holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunPadding {
    /// Nothing that a kernel may rely on
    Undefined,
    /// Zeros that the caller wrote
    Zero,
}

/// `visa-lint run`
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 it ran, and all elements of all outputs are defined (and equal, with --against or --expect); 1 something is found; \
                  2 it did not run."
)]
pub(crate) struct RunArguments {
    /// A kernel's file, and the function where the file has several: `kernel.rs::softmax`. With `--all` files, folders or crates
    #[arg(value_name = "KERNEL.rs[::FUNCTION]", required_unless_present = "all")]
    pub(crate) targets: Vec<String>,
    /// Run every `#[device]` function with random inputs
    #[arg(
        long,
        conflicts_with_all = ["input", "outputs", "output", "mask", "against", "expect", "trace"]
    )]
    pub(crate) all: bool,
    /// A parameter's numpy file, or the number of a scalar; without a name the next parameter. What is not given is random
    #[arg(long, value_name = "[NAME=]FILE.npy | NAME=3", help_heading = "Inputs")]
    pub(crate) input: Vec<String>,
    /// Where random inputs start from; a range runs once for each, until something is found
    #[arg(long, value_name = "N | N..M", default_value = "0", value_parser = seeds, help_heading = "Inputs")]
    pub(crate) seed: Seeds,
    /// The numbers that random lists of indices are made of, both ends included
    #[arg(long, value_name = "N..M", value_parser = index_range, allow_hyphen_values = true, help_heading = "Inputs")]
    pub(crate) index_range: Option<IndexRange>,
    /// What the padding of arguments holds
    #[arg(long, value_enum, default_value_t = RunPadding::Undefined, help_heading = "Inputs")]
    pub(crate) padding: RunPadding,
    /// The release of the library whose rules hold; by default that of the file
    #[arg(long, value_name = "RELEASE", value_parser = release)]
    pub(crate) release: Option<visa_analysis::Release>,
    /// Write all outputs to a folder, as `NAME.npy` and `NAME.defined.npy`
    #[arg(long, value_name = "DIR", help_heading = "Outputs")]
    pub(crate) outputs: Option<PathBuf>,
    /// Write an output to a file; without a name the only one
    #[arg(long, value_name = "[NAME=]FILE.npy", help_heading = "Outputs")]
    pub(crate) output: Vec<String>,
    /// Write which elements of an output are defined, as booleans
    #[arg(long, value_name = "[NAME=]FILE.npy", help_heading = "Outputs")]
    pub(crate) mask: Vec<String>,
    /// The layout of outputs. Inputs are taken in both
    #[arg(long, value_enum, default_value_t = RunLayout::Value, help_heading = "Outputs")]
    pub(crate) layout: RunLayout,
    /// What undefined elements hold in the files
    #[arg(long, value_enum, default_value_t = RunPoison::Mask, help_heading = "Outputs")]
    pub(crate) poison: RunPoison,
    /// Show the results of the operations on a line; with `--outputs` they are written as `lineN.npy`, too
    #[arg(long, value_name = "LINE", help_heading = "Outputs")]
    pub(crate) trace: Vec<u32>,
    /// Run another function with the same inputs, and compare the results
    #[arg(long, value_name = "OLD.rs[::FUNCTION]", help_heading = "Comparison")]
    pub(crate) against: Option<String>,
    /// Compare an output with a numpy file; without a name the only one
    #[arg(long, value_name = "[NAME=]FILE.npy", help_heading = "Comparison")]
    pub(crate) expect: Vec<String>,
    /// A difference that is taken for equal, as a part of the expected number
    #[arg(long, value_name = "PART", value_parser = part, help_heading = "Comparison")]
    pub(crate) rtol: Option<f64>,
    /// A difference that is taken for equal, whatever the number
    #[arg(long, value_name = "NUMBER", value_parser = part, help_heading = "Comparison")]
    pub(crate) atol: Option<f64>,
    /// Compare bit for bit
    #[arg(long, conflicts_with_all = ["rtol", "atol"], help_heading = "Comparison")]
    pub(crate) bits: bool,
    /// Say how many elements wrapped, saturated, were flushed to zero, or became NaN
    #[arg(long)]
    pub(crate) numbers: bool,
    /// Memory that the elements of all tensors may take together
    #[arg(long, value_name = "SIZE", default_value = "4GB", value_parser = memory)]
    pub(crate) max_memory: u64,
    /// How the answer is written
    #[arg(long, value_enum, default_value_t = RunFormat::Human)]
    pub(crate) format: RunFormat,
    /// One JSON object: as `--format json`
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Print findings and nothing else
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) settings: SettingsArguments,
}

impl RunArguments {
    /// What the options ask of every run.
    pub(crate) fn request(&self) -> RunRequest {
        RunRequest {
            index_range: self.index_range,
            release: self.release,
            layout: self.layout.into(),
            padding_is_zero: self.padding == RunPadding::Zero,
            max_memory: self.max_memory,
            fill: self.poison.into(),
            traced_lines: self.trace.clone(),
            ..RunRequest::default()
        }
    }

    /// How the answer is written.
    pub(crate) const fn format(&self) -> RunFormat {
        if self.json {
            RunFormat::Json
        } else {
            self.format
        }
    }
}

/// The seeds of a run, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seeds {
    pub(crate) first: u64,
    pub(crate) last: u64,
}

/// The two ends of `3..7`.
fn ends(text: &str) -> Option<(&str, &str)> {
    let (first, last) = text.split_once("..")?;
    Some((first, last.strip_prefix('=').unwrap_or(last)))
}

fn seeds(text: &str) -> Result<Seeds, String> {
    let number = |text: &str| {
        text.parse::<u64>()
            .map_err(|_| format!("`{text}` is no seed: a whole number is one"))
    };
    let (first, last) = match ends(text) {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(text)?, number(text)?),
    };
    if first > last {
        return Err("the first seed is above the last".to_owned());
    }
    Ok(Seeds { first, last })
}

fn index_range(text: &str) -> Result<IndexRange, String> {
    let wrong = || format!("`{text}` is no range: `0..15` is one");
    let (first, last) = ends(text).ok_or_else(wrong)?;
    let first = first.parse().map_err(|_| wrong())?;
    let last = last.parse().map_err(|_| wrong())?;
    if first > last {
        return Err("the first index is above the last".to_owned());
    }
    Ok(IndexRange { first, last })
}

fn release(text: &str) -> Result<visa_analysis::Release, String> {
    let wrong = || format!("`{text}` is no release: `0.10` is one");
    let mut numbers = text.split('.');
    let mut number = || numbers.next().and_then(|number| number.parse().ok());
    let (major, minor) = (number().ok_or_else(wrong)?, number().ok_or_else(wrong)?);
    Ok(visa_analysis::Release::new(major, minor))
}

fn part(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    if number.is_finite() && number >= 0.0 {
        Ok(number)
    } else {
        Err("it must be 0 or more".to_owned())
    }
}

fn memory(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no size: `500MB` and `4GB` are some");
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match text.get(digits.len()..).unwrap_or_default() {
        "" | "B" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        _ => return Err(wrong()),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(unit).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_one_or_a_range() {
        assert_eq!(seeds("7"), Ok(Seeds { first: 7, last: 7 }));
        assert_eq!(seeds("1..20"), Ok(Seeds { first: 1, last: 20 }));
        assert!(seeds("20..1").is_err() && seeds("x").is_err() && seeds("1..").is_err());
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(memory("500MB"), Ok(500_000_000));
        assert_eq!(memory("12"), Ok(12));
        assert!(memory("4 GB").is_err() && memory("GB").is_err());
        assert!(memory("99999999999GB").is_err());
    }

    #[test]
    fn ranges_and_releases_are_read() {
        let range = IndexRange {
            first: -1,
            last: 15,
        };
        assert_eq!(index_range("-1..15"), Ok(range));
        assert_eq!(index_range("-1..=15"), Ok(range));
        assert!(index_range("5").is_err() && index_range("5..1").is_err());
        assert_eq!(release("0.10"), Ok(visa_analysis::Release::new(0, 10)));
        assert_eq!(release("0.8.1"), Ok(visa_analysis::Release::new(0, 8)));
        assert!(release("new").is_err());
    }
}
