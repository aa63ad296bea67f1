//! What runs say, in each format, and the exit code for it.

use std::collections::BTreeMap;

use visa_analysis::{FilePlace, Level, OperationCounts, RunRefusal, Texts, UnresolvedPlace};

use super::human;
use super::ran::Ran;
use crate::arguments::{CheckFormat, RunArguments, RunFormat};
use crate::documents::json::run as json;
use crate::documents::run_findings::diagnostic_of;
use crate::format::human::Look;
use crate::format::{Extent, render_outline};
use crate::outcome::Outcome;
use crate::outline::{Finding, NotLookedAt, Outline};
use crate::output::Console;
use crate::project::Failure;
use crate::project::notes::write_error;

/// All that ran.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) ran: Vec<Ran>,
    pub(crate) texts: Texts,
    /// What could not be read, in words that are on standard error.
    pub(crate) errors: Vec<String>,
}

impl Answer {
    /// Writes the answer and judges it.
    pub(crate) fn write(
        &self,
        options: &RunArguments,
        console: Console,
    ) -> Result<Outcome, Failure> {
        let text = match options.format() {
            RunFormat::Json => self.as_json(options)?,
            RunFormat::Human => {
                let look = Look {
                    colored: console.colored(),
                    width: console.width(),
                };
                let mut text = self.rendered(CheckFormat::Human, look)?;
                if !options.quiet {
                    for ran in &self.ran {
                        text.push_str(&human::about(ran, options, look.colored));
                    }
                    if options.all {
                        text.push_str(&human::summary(&self.ran));
                    }
                }
                text
            }
            RunFormat::Sarif => self.rendered(CheckFormat::Sarif, plain())?,
            RunFormat::Github => self.rendered(CheckFormat::Github, plain())?,
            RunFormat::Junit => self.rendered(CheckFormat::Junit, plain())?,
        };
        console.print(&text)?;
        for ran in &self.ran {
            if let Some(words) = ran.refusal() {
                write_error(&words);
                if let Err(RunRefusal {
                    help: Some(help), ..
                }) = &ran.result
                {
                    write_error(&format!("help: {help}"));
                }
            }
        }
        Ok(self.outcome())
    }

    fn as_json(&self, options: &RunArguments) -> Result<String, Failure> {
        match self.ran.as_slice() {
            [only] if !options.all => json::write_one(given(only), options.outputs.as_deref()),
            several => json::write_all(several.iter().map(given), &self.errors),
        }
    }

    /// A finding weighs more than a function that did not run; nothing that ran is no success either.
    fn outcome(&self) -> Outcome {
        let found = self.ran.iter().any(|ran| {
            ran.result
                .as_ref()
                .is_ok_and(|report| !report.findings.is_empty())
        });
        let failed = !self.errors.is_empty()
            || self.ran.is_empty()
            || self.ran.iter().any(|ran| ran.result.is_err());
        match (found, failed) {
            (true, _) => Outcome::Found,
            (false, true) => Outcome::Failed,
            (false, false) => Outcome::Fine,
        }
    }

    /// The findings in a format of `check`.
    fn rendered(&self, format: CheckFormat, look: Look) -> Result<String, Failure> {
        let reports = || self.ran.iter().filter_map(|ran| ran.result.as_ref().ok());
        let findings: Vec<Finding> = reports()
            .flat_map(|report| {
                let findings = report.findings.iter();
                findings.map(|finding| Finding {
                    level: Level::Deny,
                    diagnostic: diagnostic_of(finding, report),
                    left_out: false,
                })
            })
            .collect();
        let operations = OperationCounts {
            resolved: reports().map(|report| report.operations).sum(),
            ..OperationCounts::default()
        };
        let unresolved: Vec<NotLookedAt> = self.ran.iter().filter_map(not_run).collect();
        let errors = self.ran.iter().filter_map(Ran::refusal);
        let errors: Vec<String> = errors.chain(self.errors.iter().cloned()).collect();
        let mut reported: Vec<String> = self.ran.iter().map(|ran| ran.file.clone()).collect();
        reported.sort();
        reported.dedup();
        let texts = self.texts.iter();
        let texts = texts.map(|(path, text)| (path.to_string(), &**text));
        render_outline(
            format,
            &Outline {
                files: reported.len() as u64,
                kernels: self.ran.len() as u64,
                languages: &BTreeMap::new(),
                configured_out: 0,
                operations: &operations,
                findings: &findings,
                unresolved: &unresolved,
                not_followed: &[],
                dialects: &[],
                texts: &texts.collect(),
                known: 0,
                reported: &reported,
                complete: errors.is_empty(),
                errors: &errors.iter().map(String::as_str).collect::<Vec<_>>(),
            },
            look,
            Extent {
                quiet: true,
                statistics: false,
            },
        )
    }
}

/// Look of what programs read.
const fn plain() -> Look {
    Look {
        colored: false,
        width: crate::wrap::WIDTH,
    }
}

/// A function as JSON has it.
fn given(ran: &Ran) -> json::Given<'_> {
    (&ran.function, &ran.file, ran.seed, &ran.result)
}

/// A function that did not run, as an operation that was not looked at, where a place is known.
fn not_run(ran: &Ran) -> Option<NotLookedAt> {
    let refusal = ran.result.as_ref().err()?;
    let FilePlace { file, range } = refusal.place.as_ref()?;
    Some(NotLookedAt {
        file: file.to_string(),
        place: UnresolvedPlace {
            what: ran.function.clone(),
            reason: refusal.reason.clone(),
            said_once: false,
            counts: true,
            range: *range,
        },
    })
}
