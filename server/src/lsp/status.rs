//! What there is for the server to do in a workspace, for clients that show it: in one without kernels, nothing.

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::notification::Notification;

use super::configuration::Scope;
use super::features::diagnostics::Checked;
use super::lock::locked;
use super::state::{Server, Snapshot};

/// The notification `visa/status`.
enum StatusNotification {}

impl Notification for StatusNotification {
    type Params = Status;
    const METHOD: &'static str = "visa/status";
}

/// What the client is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Status {
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
    pub(super) fn of(snapshot: &Snapshot, checked: &Checked) -> Self {
        let client = &snapshot.view.settings.client;
        let whole = client.diagnostics && client.scope == Scope::Workspace;
        let kernels = whole.then_some(checked.kernels);
        Self {
            status: Status { kernels },
            writes: snapshot.writes,
        }
    }
}

/// What the client was told last.
#[derive(Debug, Default)]
pub(super) struct Told(Option<Known>);

impl Told {
    /// Whether something is news: a check that saw less than the one before tells nothing.
    fn is_new(&mut self, known: Known) -> bool {
        if self.0.is_some_and(|before| before.writes > known.writes) {
            return false;
        }
        let before = self.0.replace(known);
        before.is_none_or(|before| before.status != known.status)
    }
}

/// Tells the client, where it wants to be told and there is news.
pub(super) async fn tell(server: &Server, known: Known) {
    if server.lock().view.client.shows_status && locked(&server.publisher.status).is_new(known) {
        let status = known.status;
        server
            .client
            .send_notification::<StatusNotification>(status)
            .await;
    }
}

#[cfg(test)]
mod tests {
    use super::{Known, Status, Told};

    #[test]
    fn news_is_told_once_and_never_late() {
        let mut told = Told::default();
        let mut is_new = |kernels, writes| {
            let status = Status { kernels };
            told.is_new(Known { status, writes })
        };
        assert!(is_new(Some(0), 1));
        assert!(!is_new(Some(0), 2));
        assert!(!is_new(Some(3), 1), "an older check");
        assert!(is_new(Some(1), 2));
        assert!(is_new(None, 3));
    }
}
