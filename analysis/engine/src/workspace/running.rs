//! What [`Analysis`] answers about runs of kernels.

use super::Analysis;
use crate::report::Problem;
use crate::run::{RunOutput, RunRefusal, RunReport, RunRequest, execute, outputs_with_junk};

impl Analysis {
    /// Executes a function of a file: its numbers, which of them the device is sure to hold, and what is wrong with the others.
    ///
    /// # Errors
    /// The function is not executed, with the place and the reason: something is not followed, an input does not fit, or a newer edit
    /// overtook the question.
    pub fn run(&self, path: &str, request: &RunRequest) -> Result<RunReport, RunRefusal> {
        let parts = self.parts(path);
        if parts.is_empty() {
            return Err(refusal(&Problem::NoSuchFile));
        }
        self.guarded(|db| execute(db, &parts, request))
            .unwrap_or_else(|problem| Err(refusal(&problem)))
    }

    /// As [`Analysis::run`], with junk in every undefined element behind each operation: for tests that no defined element depends on one.
    ///
    /// # Errors
    /// The function is not executed to its end.
    #[doc(hidden)]
    pub fn run_with_junk(
        &self,
        path: &str,
        request: &RunRequest,
        seed: Option<u64>,
    ) -> Result<Vec<RunOutput>, RunRefusal> {
        let parts = self.parts(path);
        self.guarded(|db| outputs_with_junk(db, &parts, request, seed))
            .unwrap_or_else(|problem| Err(refusal(&problem)))
    }
}

fn refusal(problem: &Problem) -> RunRefusal {
    RunRefusal {
        place: None,
        reason: problem.to_string(),
        help: None,
    }
}
