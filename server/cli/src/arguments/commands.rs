//! Arguments of the commands `cost`, `view`, `migrate`, `init`, `mcp` and `completions`.

use std::path::PathBuf;

use clap::builder::ArgPredicate;
use clap::{Args, ValueEnum};
use clap_complete::Shell;

use super::limit::Limit;
use crate::project::settings::SettingsArguments;

/// How a cost is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CostFormat {
    /// A line a kernel; of a single one a table, with totals, idle time and what would save most
    Human,
    /// A comment on a change request: tables of GitHub's and GitLab's Markdown
    Markdown,
    /// One JSON object
    Json,
    /// Chrome trace events: opens in Perfetto
    Trace,
    /// One kernel in the file format of `furiosa-schedule-viewer`
    Schedule,
    /// A picture: the timeline and the maps of the memories
    Svg,
    /// One page for a browser, with the editor's views and all figures; it loads nothing
    Html,
}

/// `visa-lint cost`
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 the costs are written; 1 something is beyond --fail-on; 2 the run itself failed."
)]
pub(crate) struct CostArguments {
    /// Files, folders (searched for kernels, honouring `.gitignore`) or crates; `-` reads standard input
    #[arg(
        value_name = "PATHS",
        default_value = ".",
        default_value_if("stdin_filename", ArgPredicate::IsPresent, "-")
    )]
    pub(crate) paths: Vec<PathBuf>,
    /// Read standard input, under this name
    #[arg(long, value_name = "PATH")]
    pub(crate) stdin_filename: Option<PathBuf>,
    /// Only the kernels of this name, with details
    #[arg(long, value_name = "NAME")]
    pub(crate) kernel: Option<String>,
    /// Print the operations of every kernel too, where there are several
    #[arg(long)]
    pub(crate) details: bool,
    /// How the cost is written
    #[arg(long, value_enum, default_value_t = CostFormat::Human)]
    pub(crate) format: CostFormat,
    /// Print the stream behind each stage of each pass too: mappings, bytes, flits, lanes, cycles
    #[arg(long)]
    pub(crate) stages: bool,
    /// Print the difference to another file, to a git revision of the same files, or to what `--format json` wrote (a file named
    /// `….json`)
    #[arg(long, value_name = "OLD")]
    pub(crate) compare: Option<String>,
    /// Compare a kernel with the schedule that the compiler made of it: a file that `furiosa-schedule-viewer` opens. Prints totals,
    /// operations by error, and rows to report
    #[arg(
        long,
        value_name = "SCHEDULE",
        conflicts_with_all = ["compare", "diff", "apply"]
    )]
    pub(crate) validate: Option<PathBuf>,
    /// End with exit code 1 where a kernel, or all together, takes more than this longer than in OLD: `+5%` or `+500` cycles. A kernel
    /// whose cycles were known in OLD and are not now is beyond every limit
    #[arg(
        long,
        value_name = "LIMIT",
        requires = "compare",
        allow_hyphen_values = true
    )]
    pub(crate) fail_on: Option<Limit>,
    /// Print the best change that was found of the kernel as a patch, and nothing else
    #[arg(
        long,
        requires = "kernel",
        conflicts_with_all = ["apply", "compare", "format", "output_file"]
    )]
    pub(crate) diff: bool,
    /// Write a change that was found of the kernel into its files: the one of this number, by default the first
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        default_missing_value = "1",
        requires = "kernel",
        value_parser = proposal_number,
        conflicts_with_all = ["compare", "format", "output_file"]
    )]
    pub(crate) apply: Option<usize>,
    #[command(flatten)]
    pub(crate) settings: SettingsArguments,
    /// Write the cost to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output_file: Option<PathBuf>,
    /// Print costs and nothing else
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Changes of each kernel that are tried in a copy to find what would save most; 0 asks the rules alone. By default 100, and
    /// fewer where many files are given
    #[arg(long, value_name = "N", value_parser = parse_effort)]
    pub(crate) effort: Option<usize>,
    /// Threads to use; by default one a core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
}

/// `visa-lint view`
#[derive(Debug, Args)]
#[command(
    after_help = "The address that it prints works on this machine alone, and only with the secret that is in it. Ctrl-C ends the view."
)]
pub(crate) struct ViewArguments {
    /// Files, folders (searched for kernels, honouring `.gitignore`) or crates
    #[arg(value_name = "PATHS", default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,
    /// Serve a page with a text editor in place of files: a playground that writes nothing to the disk
    #[arg(long, conflicts_with_all = [
        "paths", "config", "isolated", "force_exclude", "doc", "dialect", "target", "model", "language", "effort", "jobs",
    ])]
    pub(crate) scratch: bool,
    /// The port of 127.0.0.1; by default a free one
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    #[command(flatten)]
    pub(crate) settings: SettingsArguments,
    /// Print the address and nothing else
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Changes of each kernel that are tried in a copy to find what would save most; 0 asks the rules alone. By default 100, and
    /// fewer where many files are given
    #[arg(long, value_name = "N", value_parser = parse_effort)]
    pub(crate) effort: Option<usize>,
    /// Threads to use; by default one a core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
}

/// `visa-lint migrate`
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 nothing is left to do by hand; 1 something is, or with --diff something would change; 2 the run \
                  itself failed, and nothing is written."
)]
pub(crate) struct MigrateArguments {
    /// The release of furiosa_opt_std that the kernels should be written for, such as 0.8
    #[arg(long, value_name = "RELEASE")]
    pub(crate) to: String,
    /// Files, folders (searched for kernels, honouring `.gitignore`) or crates; `-` reads standard input
    #[arg(
        value_name = "PATHS",
        default_value = ".",
        default_value_if("stdin_filename", ArgPredicate::IsPresent, "-")
    )]
    pub(crate) paths: Vec<PathBuf>,
    /// Read standard input, under this name
    #[arg(long, value_name = "PATH")]
    pub(crate) stdin_filename: Option<PathBuf>,
    /// Print what would change as a unified diff and write nothing
    #[arg(long)]
    pub(crate) diff: bool,
    /// Use this file instead of the `visa-lint.toml` nearest to each kernel
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Use no `visa-lint.toml`
    #[arg(long, conflicts_with = "config")]
    pub(crate) isolated: bool,
    /// Print what is left to do by hand and nothing else
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// `visa-lint init`
#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The folder to write to
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Write a CI job, too
    #[arg(long, value_enum, value_name = "SERVICE")]
    pub(crate) ci: Option<Service>,
    /// Write a configuration for pre-commit, too
    #[arg(long)]
    pub(crate) pre_commit: bool,
    /// Write a section of `AGENTS.md` for coding agents, and a skill, too; brought up to date where they are there
    #[arg(long)]
    pub(crate) agents: bool,
    /// Overwrite what is there. With `--ci` or `--pre-commit` that is what they write, never the settings
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the JSON schema of the settings and write nothing
    #[arg(long, conflicts_with_all = ["folder", "ci", "pre_commit", "agents", "force"])]
    pub(crate) schema: bool,
}

/// Who runs CI jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Service {
    /// GitHub Actions: `.github/workflows/visa-lint.yml`
    Github,
    /// GitLab CI: `.gitlab/visa-lint.yml`, to be included by `.gitlab-ci.yml`
    Gitlab,
}

/// `visa-lint mcp`
#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    /// The workspace: the tools read its sources, and write nothing outside of it
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub(crate) folder: PathBuf,
}

/// `visa-lint clean`
#[derive(Debug, Args)]
pub(crate) struct CleanArguments {
    /// Files or folders that were checked
    #[arg(value_name = "PATHS", default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,
    /// Remove the reports in this folder [default: in the target folders around the paths, and in the user's cache folder]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cache_dir: Option<PathBuf>,
}

/// `visa-lint completions`
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// The number of a proposal.
fn proposal_number(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "the number of a proposal is wanted, from 1 on".to_owned())
}

/// A number of changes that are tried.
fn parse_effort(text: &str) -> Result<usize, String> {
    let most = visa_analysis::MOST_EFFORT;
    match text.parse() {
        Ok(effort) if effort <= most => Ok(effort),
        _ => Err(format!("a number from 0 to {most}")),
    }
}
