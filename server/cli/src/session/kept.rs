//! Reports that an earlier run kept, in the place of asking an engine.

use std::hash::Hash;

use visa_analysis::{Analysis, FileReport, kept_reports, reports_of_kept};

use super::engine::{CommonFacts, FileFacts};
use super::{Part, Session};
use crate::cache::{Cache, Key, Kind, program_hasher};
use crate::project::parts::file_groups;

/// Files that know nothing of others, by their positions, and what their reports are kept by.
struct Group {
    files: Vec<usize>,
    key: Key,
}

impl Session<'_> {
    /// The reports of the files that the run reports on. Those of files whose crate, or which alone, an earlier run checked with the
    /// same content and settings are taken from the cache; the others are asked for and kept.
    pub(super) fn kept_or_asked(
        &self,
        cache: &Cache,
        with_fixes: bool,
        question: impl Fn(&Analysis, &[String], Part) -> Vec<FileReport>,
    ) -> Vec<FileReport> {
        let Some(groups) = self.groups(cache, with_fixes) else {
            return self.ask_all_files(question);
        };
        let mut reports = Vec::new();
        let mut missing = Vec::new();
        for group in groups {
            let kept = cache.kept(Kind::Report, &group.key);
            match kept.and_then(|kept| reports_of_kept(&kept).ok()) {
                Some(kept) => reports.extend(kept),
                None => missing.push(group),
            }
        }
        if missing.is_empty() {
            return reports;
        }
        let in_time = std::cell::Cell::new(true);
        let question = |analysis: &Analysis, paths: &[String], part: Part| {
            let answers = question(analysis, paths, part);
            in_time.set(in_time.get() && !analysis.ran_out_of_time());
            answers
        };
        let mut positions: Vec<usize> = missing
            .iter()
            .flat_map(|group| &group.files)
            .copied()
            .collect();
        positions.sort_unstable();
        let asked = if positions.len() == self.sources.files.len() {
            self.ask_all_files(question)
        } else {
            self.session_part(&positions).ask_all_files(question)
        };
        if in_time.get() {
            self.keep_reports(cache, &missing, &asked);
        }
        reports.extend(asked);
        reports
    }

    /// Keeps the reports of each group by itself.
    fn keep_reports(&self, cache: &Cache, groups: &[Group], reports: &[FileReport]) {
        for group in groups {
            let files = group.files.iter();
            let files = files.filter_map(|at| self.sources.files.get(*at));
            let own =
                files.filter_map(|file| reports.iter().find(|report| *report.path == *file.path));
            if let Ok(bytes) = kept_reports(own.cloned().collect()) {
                cache.keep(Kind::Report, &group.key, &bytes);
            }
        }
        cache.make_room();
    }

    /// The files of the run, parted by what may know of each other; only parts with a file that is reported on. None where the
    /// program cannot be told from others.
    fn groups(&self, cache: &Cache, with_fixes: bool) -> Option<Vec<Group>> {
        let sources = &self.sources;
        let mut common = program_hasher(cache)?;
        let facts = CommonFacts::new(self.given.settings.doc, &self.settings, sources);
        (facts, with_fixes).hash(&mut common);
        let groups = file_groups(&sources.files, &sources.packages).into_iter();
        let groups = groups.filter_map(|files| {
            let mut hasher = common.clone();
            let mut any = false;
            for file in files.iter().filter_map(|at| sources.files.get(*at)) {
                let is_reported = sources.reported.binary_search(&file.path).is_ok();
                any |= is_reported;
                let facts = FileFacts::new(&self.settings, sources, file);
                (facts, is_reported).hash(&mut hasher);
            }
            any.then(|| Group {
                files,
                key: hasher.key(),
            })
        });
        Some(groups.collect())
    }
}
