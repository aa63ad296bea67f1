//! What the client wants: its settings over those of `visa-lint.toml`.

use visa_analysis::HintLevel;

/// The client's settings.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    /// How many inlay hints to show.
    pub(crate) inlay_hints: HintLevel,
}
