//! How many warnings a run may have before it fails.

use visa_analysis::Level;

use super::arguments::LimitArguments;
use super::outline::Outline;
use visa_analysis::counted;

impl LimitArguments {
    /// Why the warnings of a run are too many; nothing where they are not.
    pub(crate) fn exceeded(&self, outline: &Outline<'_>) -> Option<String> {
        let warnings = outline
            .unsuppressed_findings()
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
