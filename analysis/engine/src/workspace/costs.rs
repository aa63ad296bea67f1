//! What [`Analysis`] answers about costs: cycles of kernels in Rust, and what files in other languages move.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::Analysis;
use crate::advice::{Effort, advise};
use crate::cost::{KernelCost, kernel_costs, transfer_costs};
use crate::db::Db;
use crate::fixing::{KernelName, Signatures, Totals, signatures_of, totals_of};
use crate::front_end::TransferCost;
use crate::inputs::SourceFile;
use crate::report::Problem;

impl Analysis {
    /// What the kernels of one file cost, in the order of the file.
    ///
    /// # Errors
    ///
    /// There is no such file, or the engine failed.
    pub fn costs(&self, path: &str) -> Result<Vec<KernelCost>, Problem> {
        let parts = self.parts(path);
        if parts.is_empty() {
            return Err(Problem::NoSuchFile);
        }
        self.guarded(|db| {
            let costs = parts.iter().map(|file| kernel_costs(db, *file));
            costs.collect::<Vec<_>>().concat()
        })
    }

    /// As [`Analysis::costs`], with what a search for remedies proposes: at most `effort` changes of a kernel are tried in a copy,
    /// none for 0. A newer edit stops it.
    ///
    /// # Errors
    ///
    /// There is no such file, a newer edit overtook the question, or the engine failed.
    pub fn costs_with_advice(
        &self,
        path: &str,
        effort: impl Into<Effort>,
    ) -> Result<Vec<KernelCost>, Problem> {
        self.advised_costs(path, effort.into(), None)
    }

    fn advised_costs(
        &self,
        path: &str,
        effort: Effort,
        named: Option<&str>,
    ) -> Result<Vec<KernelCost>, Problem> {
        let parts = self.parts(path);
        if parts.is_empty() {
            return Err(Problem::NoSuchFile);
        }
        self.guarded(|db| {
            let advised = |file: SourceFile| {
                let mut costs = kernel_costs(db, file);
                advise(db, file, &mut costs, (effort, named));
                costs
            };
            parts.iter().copied().flat_map(advised).collect()
        })
    }

    /// The cycles of the kernels of some files whose total is known, without a search of what would save some.
    pub fn kernel_totals(&self, paths: &[String]) -> Totals {
        self.of_kernels(paths, totals_of)
    }

    /// What the kernels of some files take and give.
    pub fn kernel_signatures(&self, paths: &[String]) -> Signatures {
        self.of_kernels(paths, signatures_of)
    }

    /// What is asked of the kernels of some files, in parallel on the current pool of threads. A file whose question fails adds
    /// nothing: its report says why.
    fn of_kernels<T: Send>(
        &self,
        paths: &[String],
        ask: impl Fn(&dyn Db, &[SourceFile]) -> BTreeMap<KernelName, T> + Sync,
    ) -> BTreeMap<KernelName, T> {
        let asked = paths.par_iter().map_with(self.clone(), |analysis, path| {
            let parts = analysis.parts(path);
            analysis.guarded(|db| ask(db, &parts)).unwrap_or_default()
        });
        asked.flatten_iter().collect()
    }

    /// What the functions of a file in another language than Rust move, in the order of the file; nothing of one in Rust.
    ///
    /// # Errors
    ///
    /// There is no such file, or the engine failed.
    pub fn transfer_costs(&self, path: &str) -> Result<Vec<TransferCost>, Problem> {
        let parts = self.parts(path);
        if parts.is_empty() && !self.is_aside(path) {
            return Err(Problem::NoSuchFile);
        }
        self.guarded(|db| {
            let costs = parts.iter().map(|file| transfer_costs(db, *file));
            costs.collect::<Vec<_>>().concat()
        })
    }

    /// What the kernels of several files cost, worked out in parallel on the current pool of threads.
    pub fn costs_of(&self, paths: &[String]) -> Vec<(String, Result<Vec<KernelCost>, Problem>)> {
        paths
            .par_iter()
            .map_with(self.clone(), |analysis, path| {
                (path.clone(), analysis.costs(path))
            })
            .collect()
    }

    /// As [`Analysis::costs_with_advice`] of several files, in parallel on the current pool of threads. Remedies are searched
    /// of the kernels of one name only, where that is given.
    pub fn costs_with_advice_of(
        &self,
        paths: &[String],
        effort: impl Into<Effort>,
        named: Option<&str>,
    ) -> Vec<(String, Result<Vec<KernelCost>, Problem>)> {
        let effort = effort.into();
        paths
            .par_iter()
            .map_with(self.clone(), |analysis, path| {
                (path.clone(), analysis.advised_costs(path, effort, named))
            })
            .collect()
    }
}
