//! How many warnings a run may have before it fails.

use clap::Args;
use visa_analysis::Level;

use super::check::Outline;
use super::format::counted;

/// Limits for warnings.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct LimitArguments {
    /// Exit with 1 where there are more warnings than this
    #[arg(long, value_name = "N")]
    pub(crate) max_warnings: Option<u64>,
    /// Exit with 1 also where there are only warnings
    #[arg(long, conflicts_with = "max_warnings")]
    pub(crate) error_on_warning: bool,
}

impl LimitArguments {
    /// Why the warnings of a run are too many; nothing where they are not.
    pub(crate) fn exceeded(&self, outline: &Outline<'_>) -> Option<String> {
        let warnings = outline
            .open()
            .filter(|finding| finding.level == Level::Warn);
        let count = warnings.count() as u64;
        let counted = counted(count, "warning");
        match self.max_warnings {
            Some(most) => {
                (count > most).then(|| format!("{counted}; --max-warnings allows {most}"))
            }
            None => (self.error_on_warning && count > 0)
                .then(|| format!("{counted}; --error-on-warning allows none")),
        }
    }
}
