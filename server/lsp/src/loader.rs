//! What is to be read of the workspace, and what the last reading said.

use std::collections::BTreeSet;
use std::sync::Mutex;

use serde_json::Value;
use tokio::sync::{Notify, watch};

use super::lock::lock_ignoring_poison;
use crate::project::client_settings::ClientSettings;

/// What is to be read.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// The client's settings.
    pub(super) configuration: bool,
    /// All that is below the folders.
    pub(super) everything: bool,
    /// Files whose texts changed on disk.
    pub(super) files: BTreeSet<String>,
}

/// The work of the task that reads.
pub(crate) struct Loader {
    pub(super) pending: Mutex<Pending>,
    pub(super) wake: Notify,
    /// Whether nothing is known to be read again.
    pub(super) ready: watch::Sender<bool>,
    /// What the last reading is given by; none where the engine has got other texts since.
    pub(super) stamp: Mutex<Option<u64>>,
    /// What the log says about the last reading.
    pub(super) logged: Mutex<BTreeSet<String>>,
    /// What the client sent with `initialize`: its settings where it tells none.
    pub(super) options: Mutex<Value>,
    /// What the client's last settings were, and what was told about them.
    pub(super) client: Mutex<(ClientSettings, BTreeSet<String>)>,
}

impl Default for Loader {
    fn default() -> Self {
        Self {
            pending: Mutex::default(),
            wake: Notify::new(),
            ready: watch::Sender::new(false),
            stamp: Mutex::default(),
            logged: Mutex::default(),
            options: Mutex::default(),
            client: Mutex::default(),
        }
    }
}

impl Loader {
    pub(super) fn want(&self, change: impl FnOnce(&mut Pending)) {
        change(&mut lock_ignoring_poison(&self.pending));
        self.wake.notify_one();
    }

    /// All is to be read again before anything is said: a document is open that the last reading did not know.
    pub(super) fn want_now(&self) {
        self.want(|pending| {
            pending.everything = true;
            self.ready.send_replace(false);
        });
    }

    /// Something was read: all is, unless more is wanted.
    pub(super) fn settle_reading(&self) {
        let pending = lock_ignoring_poison(&self.pending);
        if !pending.everything && !pending.configuration {
            self.ready.send_replace(true);
        }
    }

    /// Whether the workspace's folders have been read.
    pub(crate) fn is_ready(&self) -> bool {
        *self.ready.borrow()
    }
}
