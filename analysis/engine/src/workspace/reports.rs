//! What [`Analysis`] answers about findings: those of one file, of some files on all threads, and what fixes need behind them.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::Analysis;
use crate::check::{
    Extent, check_one, completed_file_report, file_report, file_report_without_costs, items_of,
    own_file_report, parse_file, reachable_from, read_ahead, read_calls, read_items,
};
use crate::db::Db as _;
use crate::fixing::{Completed, Completing, Proposed, complete_fixes};
use crate::fragments::file_of;
use crate::inputs::SourceFile;
use crate::items::{ItemId, concerns_kernels};
use crate::report::{DiagnosticFix, FileReport, Problem, Report};

impl Analysis {
    /// The findings in one file, from its own functions and from those of other files that call into it. Fixes are as the
    /// rules propose them, without what they need behind them: see [`Analysis::completed_fixes`].
    pub fn check_file(&self, path: &str) -> FileReport {
        self.report_of_file(path, Extent::Proposed)
    }

    /// As [`Analysis::check_file`], without what rules find that look at costs: for editors, where these take long.
    pub fn check_file_without_costs(&self, path: &str) -> FileReport {
        self.report_of_file(path, Extent::WithoutCosts)
    }

    /// As [`Analysis::check_file_without_costs`], from the file's own functions alone: it waits for none of another file. For editors that
    /// open a file of a project of which nothing else is known yet.
    pub fn check_own(&self, path: &str) -> FileReport {
        self.report_of_file(path, Extent::Own)
    }

    /// As [`Analysis::check_file`], with all fixes and helps completed: each leads to a kernel without a new fault.
    pub fn check_file_completed(&self, path: &str) -> FileReport {
        self.report_of_file(path, Extent::Completed)
    }

    /// Whether the answers so far depend on how long something took: work for a function was ended because its time was up.
    pub fn ran_out_of_time(&self) -> bool {
        self.db.file_times().ended_some()
    }

    fn report_of_file(&self, path: &str, extent: Extent) -> FileReport {
        let answer = |file| {
            let answer = self.guarded(|db| {
                let report = match extent {
                    Extent::Own => own_file_report(db, file),
                    Extent::WithoutCosts => file_report_without_costs(db, file),
                    Extent::Proposed => file_report(db, file),
                    Extent::Completed => completed_file_report(db, file),
                };
                FileReport::clone(&report)
            });
            answer.unwrap_or_else(|problem| FileReport::new(path.into()).problem(problem))
        };
        let mut answers = self.parts(path).into_iter().map(answer);
        let Some(mut report) = answers.next() else {
            let report = FileReport::new(path.into());
            if self.is_aside(path) {
                return FileReport {
                    language: None,
                    ..report
                };
            }
            return report.problem(Problem::NoSuchFile);
        };
        answers.for_each(|other| report.add(other));
        report
    }

    /// Completes fixes that findings of this snapshot's reports propose: what follows from each is found and mended along.
    /// A fix that is not among the answers leads to no kernel that is right.
    ///
    /// # Errors
    ///
    /// A newer edit overtook the question, or the engine failed.
    pub fn completed_fixes(
        &self,
        wanted: &[Proposed<'_>],
        how: Completing,
    ) -> Result<Vec<Completed>, Problem> {
        let mut of_files: BTreeMap<(&str, usize), Vec<usize>> = BTreeMap::new();
        for (number, (diagnostic, _)) in wanted.iter().enumerate() {
            let byte = diagnostic.range.start.byte;
            let parts = self.parts(&diagnostic.file);
            let holds = |file: &SourceFile| {
                let origin = file.origin(&self.db);
                origin.is_some_and(|origin| origin.holds_byte(byte))
            };
            let part = parts.iter().position(holds).unwrap_or(0);
            of_files
                .entry((&diagnostic.file, part))
                .or_default()
                .push(number);
        }
        let of_files: Vec<_> = of_files.into_iter().collect();
        let answers =
            of_files
                .into_par_iter()
                .map_with(self.clone(), |analysis, ((path, part), numbers)| {
                    let fixes = numbers.iter().filter_map(|number| wanted.get(*number));
                    let fixes: Vec<&DiagnosticFix> = fixes.map(|(_, fix)| *fix).collect();
                    let file = analysis.parts(path).get(part).copied();
                    let answers = match file {
                        Some(file) => {
                            analysis.guarded(|db| complete_fixes(db, file, &fixes, how))?
                        }
                        None => Vec::new(),
                    };
                    let numbered = answers.into_iter().map(|answer| Completed {
                        of: answer
                            .of
                            .iter()
                            .filter_map(|own| numbers.get(*own).copied())
                            .collect(),
                        fix: answer.fix,
                    });
                    Ok(numbered.collect::<Vec<_>>())
                });
        let answers: Result<Vec<_>, Problem> = answers.collect();
        Ok(answers?.concat())
    }

    /// The findings in all files.
    pub fn check_all(&self) -> Report {
        let mut paths: Vec<String> = self
            .files()
            .iter()
            .map(|(path, _)| file_of(path).to_owned())
            .collect();
        paths.dedup();
        paths.extend(
            self.front_end_files()
                .iter()
                .map(std::string::ToString::to_string),
        );
        self.check_files(&paths)
    }

    /// The findings in some of the files, checked in parallel on the current pool of threads.
    pub fn check_files(&self, paths: &[String]) -> Report {
        Report::of_files(self.file_reports(paths))
    }

    /// As [`Analysis::check_files`], a report a file, in the order of the paths.
    pub fn file_reports(&self, paths: &[String]) -> Vec<FileReport> {
        self.file_reports_with(paths, &|_| {})
    }

    /// As [`Analysis::file_reports`], for callers that show how far it is: they are shown, on any thread, how many items are
    /// to be checked each time one more of them is.
    pub fn file_reports_with(
        &self,
        paths: &[String],
        checked: &(dyn Fn(usize) + Sync),
    ) -> Vec<FileReport> {
        self.reports_of_files(paths, checked, Extent::Proposed)
    }

    /// As [`Analysis::file_reports_with`], with all fixes and helps completed: each leads to a kernel without a new fault.
    pub fn completed_file_reports_with(
        &self,
        paths: &[String],
        checked: &(dyn Fn(usize) + Sync),
    ) -> Vec<FileReport> {
        self.reports_of_files(paths, checked, Extent::Completed)
    }

    /// Whether a file in Rust can hold something of a kernel; a file in another language always.
    fn concerns_kernels(&self, file: SourceFile) -> bool {
        file.language(&self.db).has_front_end()
            || self
                .guarded(|db| concerns_kernels(db, file))
                .unwrap_or(true)
    }

    fn reports_of_files(
        &self,
        paths: &[String],
        checked: &(dyn Fn(usize) + Sync),
        extent: Extent,
    ) -> Vec<FileReport> {
        // Files into items, then items on all threads, also those of one large file: what a file's report asks of its own
        // items and of other files is then at hand. A failure shows again, with its file, where the report is asked for.
        // Which files belong together is a question about all of them at once, which would read them one after the other.
        // Ordinary Rust is read only where a kernel leads into it.
        let mut files = self.files();
        files.retain(|(_, file)| self.concerns_kernels(*file));
        // Which modules there are is one question about all files, which would parse them one after the other.
        for prepare in [parse_file, read_items] {
            files
                .par_iter()
                .with_max_len(1)
                .for_each_with(self.clone(), |analysis, (_, file)| {
                    let _ = analysis.guarded(|db| prepare(db, *file));
                });
        }
        let wanted: FxHashSet<_> = paths
            .iter()
            .flat_map(|path| self.parts(path))
            .filter(|file| !file.language(&self.db).has_front_end() && self.concerns_kernels(*file))
            .filter_map(|file| self.guarded(|db| reachable_from(db, file)).ok())
            .collect();
        let mut items: Vec<(usize, ItemId)> = files
            .into_par_iter()
            .map_with(self.clone(), |analysis, (_, file)| {
                let items = analysis.guarded(|db| {
                    let judged = wanted.contains(&reachable_from(db, file));
                    if judged {
                        let items = items_of(db, file);
                        // What kernels reach is another question about all of them.
                        read_calls(db, &items);
                        items
                    } else {
                        Vec::new()
                    }
                });
                items.unwrap_or_default()
            })
            .flatten_iter()
            .collect();
        // The longest first: one that begins last would keep one thread busy and the others waiting.
        items.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
        let total = items.len();
        let (validating, judging) = (self.clone(), self.clone());
        rayon::join(
            || {
                // What the reports take longest for themselves needs no item.
                paths
                    .par_iter()
                    .for_each_with(validating, |analysis, path| {
                        let mut files = analysis.parts(path);
                        files.retain(|file| analysis.concerns_kernels(*file));
                        for file in files {
                            let _ = analysis.guarded(|db| read_ahead(db, file));
                        }
                    });
            },
            || {
                items.into_par_iter().with_max_len(1).for_each_with(
                    judging,
                    |analysis, (_, item)| {
                        let _ = analysis.guarded(|db| check_one(db, item, extent));
                        checked(total);
                    },
                );
            },
        );
        paths
            .par_iter()
            .map_with(self.clone(), |analysis, path| {
                analysis.report_of_file(path, extent)
            })
            .collect()
    }
}
