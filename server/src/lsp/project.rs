//! The files and packages of the workspace's folders, and what their settings say.

use std::sync::Arc;

use super::state::Server;

/// The client is ready: find the folders' files.
pub(crate) fn initialized(_server: &Arc<Server>) {}

/// A document was opened; its text is in place.
pub(crate) fn opened(_server: &Arc<Server>, _path: &str) {}

/// A document was saved.
pub(crate) fn saved(_server: &Arc<Server>, _path: &str) {}

/// A document was closed; the text on disk is in place again.
pub(crate) fn closed(_server: &Arc<Server>, _path: &str) {}

/// Files changed on disk, of the engine's paths.
pub(crate) fn files_changed(_server: &Arc<Server>, _paths: &[String]) {}

/// The client's settings changed; what it sent of them.
pub(crate) fn configuration_changed(_server: &Arc<Server>, _settings: serde_json::Value) {}

/// The workspace's folders changed; the state's roots hold the new ones.
pub(crate) fn folders_changed(_server: &Arc<Server>) {}
