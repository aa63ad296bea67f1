//! A run's files, parted into sessions that know nothing of each other.
//!
//! Fixes are tried many times, and each time everything that they might concern is checked again. Over many crates and lone
//! files that would be all of them each time.

use std::cell::OnceCell;
use std::mem::ManuallyDrop;

use rayon::prelude::*;
use visa_analysis::{Fixable, Fixed, Trust, fix_all};

use super::Session;
use crate::project::parts::file_groups;

/// Parts that are held at once: each knows all packages of the run.
const PARTS: usize = 64;

impl Session<'_> {
    /// Applies fixes until none is left, to the files of each crate and to each lone file by themselves.
    pub(crate) fn apply_all_fixes(&mut self, trust: Trust) -> Fixed {
        let parts = file_groups(&self.sources.files, &self.sources.packages);
        if parts.len() < 2 {
            return fix_all(self, trust);
        }
        let mut all = Fixed::default();
        for some in parts.chunks(PARTS) {
            let some: Vec<Self> = some.iter().map(|part| self.session_part(part)).collect();
            let fixed = some.into_par_iter().with_max_len(1).map(|mut part| {
                let fixed = fix_all(&mut part, trust);
                // Unlike that of the whole run, its engine is not the last thing that the process holds.
                part.whole.take().map(ManuallyDrop::into_inner);
                fixed
            });
            for part in fixed.collect::<Vec<_>>() {
                all.add(part);
            }
        }
        self.replace(&all.texts);
        all
    }

    /// A session with some of the files, by their positions.
    pub(super) fn session_part(&self, positions: &[usize]) -> Self {
        let sources = self.sources.part_of_files(positions);
        Self {
            given: self.given,
            levels: self.levels.clone(),
            settings: self
                .settings
                .part_of_table(sources.files.iter().map(|file| &file.path)),
            sources,
            outside: self.outside.clone(),
            whole: OnceCell::new(),
        }
    }
}
