//! What there is for the server to do in a workspace, for clients that show it: in one without kernels, nothing.

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::notification::Notification;

/// The notification `visa/status`.
pub(super) enum StatusNotification {}

impl Notification for StatusNotification {
    type Params = Status;
    const METHOD: &'static str = "visa/status";
}

/// What the client is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Status {
    /// Kernels of the workspace; null where only the files that are open are checked.
    kernels: Option<u64>,
}

/// What a check of the workspace tells of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    status: Status,
    /// How many writes the check has seen.
    writes: u64,
}

impl Known {
    /// What a check says that has seen so many writes: the kernels of the workspace, or null where it was not all checked.
    pub(super) const fn new(kernels: Option<u64>, writes: u64) -> Self {
        Self {
            status: Status { kernels },
            writes,
        }
    }
}

/// What the client was told last.
#[derive(Debug, Default)]
pub(super) struct Told(Option<Known>);

impl Told {
    /// What is news of what a check says: one that saw less than the check before tells nothing.
    pub(super) fn news(&mut self, known: Known) -> Option<Status> {
        if self.0.is_some_and(|before| before.writes > known.writes) {
            return None;
        }
        let before = self.0.replace(known);
        let is_new = before.is_none_or(|before| before.status != known.status);
        is_new.then_some(known.status)
    }
}

#[cfg(test)]
mod tests {
    use super::{Known, Told};

    #[test]
    fn news_is_told_once_and_never_late() {
        let mut told = Told::default();
        let mut is_new = |kernels, writes| told.news(Known::new(kernels, writes)).is_some();
        assert!(is_new(Some(0), 1));
        assert!(!is_new(Some(0), 2));
        assert!(!is_new(Some(3), 1), "an older check");
        assert!(is_new(Some(1), 2));
        assert!(is_new(None, 3));
    }
}
