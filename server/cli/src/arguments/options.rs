//! Groups of options of `visa-lint check`.

use std::path::PathBuf;

use clap::Args;

use crate::project::levels::TO_BE_LOOKED_AT;

/// The options about fixes.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct FixArguments {
    /// Apply the fixes that are sure to be meant, until nothing changes; standard input's text is printed
    #[arg(long, help_heading = "Fixes")]
    pub(crate) fix: bool,
    /// Print what `--fix` would change as a unified diff and exit with 1 if there is anything
    #[arg(
        long,
        help_heading = "Fixes",
        conflicts_with_all = [
            "fix", "format", "statistics", "baseline", "write_baseline", "max_diagnostics", "max_warnings", "error_on_warning",
        ]
    )]
    pub(crate) diff: bool,
    /// With `--fix` or `--diff`: also the fixes that are only likely to be meant, the first of each finding
    #[arg(long, help_heading = "Fixes")]
    pub(crate) unsafe_fixes: bool,
}

/// The options about known findings.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct BaselineArguments {
    /// Neither show nor fail for the findings that a baseline knows
    #[arg(long, value_name = "FILE", help_heading = "Known findings")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write all present findings to a baseline
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Known findings",
        conflicts_with_all = [
            "baseline", "format", "statistics", "output_file", "exit_zero", "max_diagnostics", "max_warnings", "error_on_warning",
        ]
    )]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Drop what no longer occurs from the baseline
    #[arg(long, help_heading = "Known findings", requires = "baseline")]
    pub(crate) prune_baseline: bool,
}

/// The options about suppressions.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct IgnoreArguments {
    /// Write a comment that allows it at each finding, so that the next run is clean
    #[arg(
        long,
        help_heading = "Known findings",
        conflicts_with_all = ["diff", "baseline", "write_baseline"]
    )]
    pub(crate) add_ignore: bool,
    /// What the comments of `--add-ignore` give as the reason
    #[arg(
        long,
        value_name = "TEXT",
        help_heading = "Known findings",
        requires = "add_ignore",
        default_value = TO_BE_LOOKED_AT
    )]
    pub(crate) reason: String,
    /// Report also what comments and attributes in the files allow: a change request cannot silence its own check
    #[arg(
        long,
        help_heading = "Known findings",
        conflicts_with_all = ["add_ignore", "show_settings"]
    )]
    pub(crate) no_inline_allow: bool,
}

/// Limits for findings.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct LimitArguments {
    /// Write at most this many findings, errors before warnings, and say how many are left out; they still count for the exit code
    #[arg(long, value_name = "N", value_parser = whole_number, allow_hyphen_values = true)]
    pub(crate) max_diagnostics: Option<u64>,
    /// Exit with 1 where there are more warnings than this
    #[arg(long, value_name = "N", value_parser = whole_number, allow_hyphen_values = true)]
    pub(crate) max_warnings: Option<u64>,
    /// Exit with 1 also where there are only warnings
    #[arg(long, conflicts_with = "max_warnings")]
    pub(crate) error_on_warning: bool,
}

/// The options about what is kept for the next run.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct CacheArguments {
    /// Neither use nor keep reports of files that have not changed
    #[arg(long, help_heading = "Cache")]
    pub(crate) no_cache: bool,
    /// Keep reports in this folder [default: `visa-lint` in the workspace's target folder, else in the user's cache folder]
    #[arg(long, value_name = "FOLDER", help_heading = "Cache")]
    pub(crate) cache_dir: Option<PathBuf>,
}

/// The options about running on.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct WatchArguments {
    /// Check again whenever a file changes, until the program is interrupted
    #[arg(
        long,
        conflicts_with_all = [
            "diff", "add_ignore", "write_baseline", "show_settings", "stdin_filename", "stdin_texts", "exit_zero",
        ]
    )]
    pub(crate) watch: bool,
}

/// A number of things.
fn whole_number(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "a whole number from 0 on is wanted".to_owned())
}
