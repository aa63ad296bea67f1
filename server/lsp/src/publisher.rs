//! What is to be published, and what was.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;
use tower_lsp::ls_types::Uri;

use super::status::Told;

/// What waits to be published, and what was.
#[derive(Default)]
pub(crate) struct Publisher {
    pub(super) waiting: Mutex<Waiting>,
    pub(super) wake: Notify,
    /// Whether the folders were checked once: what functions of other files find is at hand then.
    pub(super) is_checked: AtomicBool,
    /// What the client was told last, by the engine's path.
    pub(super) published: Mutex<BTreeMap<String, Published>>,
    /// The versions of documents of which a pull was answered without costs: the next one waits for all.
    pub(super) early: Mutex<BTreeMap<Arc<str>, i32>>,
    pub(super) status: Mutex<Told>,
    /// What the log says of the last check of the workspace.
    pub(super) logged: Mutex<String>,
}

/// What the client was told last of a file.
#[derive(Clone)]
pub(super) struct Published {
    /// The address that it was told of.
    pub(super) uri: Uri,
    /// The name of the answer.
    pub(super) result_id: String,
    /// The version of the text it was about, if that is open and was not opened again since.
    pub(super) version: Option<i32>,
    /// Whether it was the whole answer. A part of it is not told afterwards: findings would go and come again.
    pub(super) is_whole: bool,
}

#[derive(Default)]
pub(super) struct Waiting {
    /// Files that are checked at once, and whether the client waits for an answer even if it is the same: their texts changed.
    pub(super) files: BTreeMap<Arc<str>, bool>,
    /// Files that depend on them, when there is time.
    pub(super) rest: bool,
}

impl Publisher {
    /// Looks again for what can be published.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }
}
