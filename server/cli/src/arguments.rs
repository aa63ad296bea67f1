//! The command line's arguments: what can be said, not what it does.

mod commands;
mod limit;
mod options;
mod running;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::ArgPredicate;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use visa_analysis::nearest_names;

pub(crate) use self::commands::{
    CleanArguments, CompletionsArguments, CostArguments, CostFormat, InitArguments, McpArguments,
    MigrateArguments, Service, ViewArguments,
};
pub(crate) use self::limit::Limit;
pub(crate) use self::options::{
    BaselineArguments, CacheArguments, FixArguments, IgnoreArguments, LimitArguments,
    WatchArguments,
};
pub(crate) use self::running::{RunArguments, RunFormat};
use crate::project::settings::{Dialect, DialectParser, SettingsArguments};

/// A linter for kernels written in FuriosaAI's TCP Virtual ISA.
#[derive(Debug, Parser)]
#[command(
    name = "visa-lint",
    bin_name = "visa-lint",
    version,
    about = "Checks kernels for accelerators (Rust of the TCP Virtual ISA, PTO, NKI): what the hardware cannot do, hangs on, or silently computes wrong.",
    long_about = "Checks kernels for accelerators (Rust of the TCP Virtual ISA, PTO, NKI): what the hardware cannot do, hangs on, or silently \
                  computes wrong. It needs no vendor toolchain, no device and no network.\n\n\
                  `visa-lint [PATHS]...` is `visa-lint check [PATHS]...`.",
    after_help = "Exit codes: 0 nothing at level deny; 1 something at level deny; 2 the run itself failed."
)]
pub(crate) struct Arguments {
    /// When to use colours
    #[arg(long, value_enum, global = true, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check kernels (the default command)
    Check(Box<CheckArguments>),
    /// Predict the cycles and the schedule of each kernel
    Cost(Box<CostArguments>),
    /// Execute a kernel, and say which results the device is not sure to hold
    Run(Box<RunArguments>),
    /// Serve a page on this machine with kernels, findings, costs and pictures, up to date with each file that is saved
    View(Box<ViewArguments>),
    /// Rewrite a crate for another release of its library, and list what is left to do by hand
    Migrate(MigrateArguments),
    /// Print a rule's documentation: what, why, where the book states it, a wrong and a right kernel
    Explain(ExplainArguments),
    /// Print the catalogue of rules
    Rules(RulesArguments),
    /// Evaluate one mapping expression: size, bytes, normal form, layout, equivalence
    Map(MapArguments),
    /// Derive the configuration of one sequencer: entries, access size, cycles, bank runs
    Sequence(SequenceArguments),
    /// Write a settings file, and on request a CI job, a pre-commit hook, and what coding agents read
    Init(InitArguments),
    /// Remove the reports that checks keep to be faster the next time
    Clean(CleanArguments),
    /// Print a shell's completions
    Completions(CompletionsArguments),
    /// Run the language server on standard input and output, as `visa-lsp` does
    Lsp(LspArguments),
    /// Run the tools for coding agents on standard input and output, by the Model Context Protocol
    Mcp(McpArguments),
}

/// `lsp`.
#[derive(Debug, Args)]
pub(crate) struct LspArguments {
    /// Speak on standard input and output: the default, which editors ask for anyway
    #[arg(long)]
    pub(crate) stdio: bool,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// With the source text, notes and help
    Human,
    /// One line a finding: `path:line:column: error[rule] message`, or `warning[rule]`
    Short,
    /// One JSON object
    Json,
    /// A JSON object a line: each finding, each operation that was not looked at, then what was checked
    Jsonl,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Workflow commands of GitHub Actions; the default in a workflow's step
    Github,
    /// GitLab's Code Quality report
    Gitlab,
    /// JUnit XML: a test suite a file
    Junit,
    /// The Diagnostic Format of reviewdog: one JSON object, with fixes as suggestions
    Rdjson,
    /// XML of Checkstyle
    Checkstyle,
    /// For coding agents: a line a finding with its fixes, then statistics and the next step; the default where the environment
    /// says that an agent calls
    Agent,
}

/// How small answers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswerFormat {
    /// For people
    Human,
    /// One JSON object
    Json,
}

/// How the catalogue is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RulesFormat {
    /// A list with a line a rule
    Human,
    /// One JSON object with the whole documentation
    Json,
    /// A page
    Markdown,
}

/// `visa-lint check`
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Files, folders (searched for kernels, honouring `.gitignore`) or crates; `-` reads standard input
    #[arg(
        value_name = "PATHS",
        default_value = ".",
        default_value_ifs = [
            ("stdin_filename", ArgPredicate::IsPresent, "-"),
            ("stdin_texts", ArgPredicate::IsPresent, "-"),
        ]
    )]
    pub(crate) paths: Vec<PathBuf>,
    /// Read standard input, under this name
    #[arg(long, value_name = "PATH")]
    pub(crate) stdin_filename: Option<PathBuf>,
    /// Read standard input as several texts: a JSON object a line, `{"path": "kernel.rs", "text": "…"}`; each is taken for the file of its
    /// path, and nothing is written
    #[arg(long, conflicts_with_all = ["stdin_filename", "fix", "add_ignore"])]
    pub(crate) stdin_texts: bool,
    /// How findings are written [default: human; agent where an agent calls, github in a step of
    /// GitHub Actions]
    #[arg(long, value_enum)]
    pub(crate) format: Option<CheckFormat>,
    /// Take a rule or group as an error; `warnings` means all that would be warnings
    #[arg(
        long,
        value_name = "RULE-or-GROUP",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    pub(crate) deny: Vec<String>,
    /// Take a rule or group as a warning
    #[arg(
        long,
        value_name = "RULE-or-GROUP",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    pub(crate) warn: Vec<String>,
    /// Do not report a rule or group. Of `--deny`, `--warn` and `--allow` the last one wins
    #[arg(
        long,
        value_name = "RULE-or-GROUP",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    pub(crate) allow: Vec<String>,
    /// Run just these rules or groups, or `all`
    #[arg(
        long,
        value_name = "RULE-or-GROUP",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    pub(crate) select: Vec<String>,
    /// Run all but these rules or groups
    #[arg(
        long,
        value_name = "RULE-or-GROUP",
        value_delimiter = ',',
        help_heading = "Rules"
    )]
    pub(crate) ignore: Vec<String>,
    #[command(flatten)]
    pub(crate) settings: SettingsArguments,
    /// Of the files, check only those that differ from a git revision, and those that it does not have
    #[arg(long, value_name = "REV")]
    pub(crate) since: Option<String>,
    /// Print the settings that hold for the files, and where each comes from, instead of checking
    #[arg(
        long,
        help_heading = "Settings",
        conflicts_with_all = [
            "format", "statistics", "output_file", "exit_zero", "fix", "diff", "baseline", "write_baseline", "add_ignore",
            "max_diagnostics", "max_warnings", "error_on_warning",
        ]
    )]
    pub(crate) show_settings: bool,
    /// Count findings by rule, and operations resolved and unresolved with the reasons
    #[arg(long)]
    pub(crate) statistics: bool,
    /// Write the report to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output_file: Option<PathBuf>,
    /// Print findings and nothing else
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Exit with 0 also when something is found at level deny
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) fixing: FixArguments,
    #[command(flatten)]
    pub(crate) baseline: BaselineArguments,
    #[command(flatten)]
    pub(crate) ignoring: IgnoreArguments,
    #[command(flatten)]
    pub(crate) watching: WatchArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    #[command(flatten)]
    pub(crate) cache: CacheArguments,
    /// Threads to use; by default one a core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
}

/// `visa-lint explain`
#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// Rules or groups, or what a library or a compiler said, in quotes: the rule that foresees it is found
    #[arg(value_name = "RULE", required_unless_present = "all")]
    pub(crate) rules: Vec<String>,
    /// Print the pages of all rules
    #[arg(long, conflicts_with = "rules")]
    pub(crate) all: bool,
    /// The library whose kernels are shown where the rule has some for it (`visa-std`, `opt-std`), and a release to ask whether
    /// the rule holds there (`opt-std@0.8`); by default the current library's
    #[arg(long, value_parser = DialectParser)]
    pub(crate) dialect: Option<Dialect>,
    /// How the page is written
    #[arg(long, value_enum, default_value_t = ExplainFormat::Human)]
    pub(crate) format: ExplainFormat,
}

/// How a rule's page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplainFormat {
    /// For reading on a terminal
    Human,
    /// Markdown, as the page of the site
    Markdown,
}

/// `visa-lint rules`
#[derive(Debug, Args)]
pub(crate) struct RulesArguments {
    /// Print the rules that have all of these words, or words that begin with them, in name, group or summary; all rules without any
    #[arg(value_name = "FILTER")]
    pub(crate) filter: Vec<String>,
    /// How the catalogue is written
    #[arg(long, value_enum, default_value_t = RulesFormat::Human)]
    pub(crate) format: RulesFormat,
}

/// `visa-lint map`
#[derive(Debug, Args)]
pub(crate) struct MapArguments {
    /// The mapping expression, with or without `m![…]`
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) expression: String,
    /// The axes and their sizes: `A=8,B=512`
    #[arg(long, value_name = "AXES", default_value = "")]
    pub(crate) axes: String,
    /// The element type, for the size in bytes
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) element_type: Option<String>,
    /// Positions to print the tensor index of: `7` or `0..16`
    #[arg(long, value_name = "RANGE")]
    pub(crate) index: Option<String>,
    /// Another expression: are the two equivalent?
    #[arg(long, value_name = "EXPR")]
    pub(crate) against: Option<String>,
    /// The library whose macro reads the expression, and its release (`opt-std@0.8`); by default those of the crate around the
    /// current folder, else the newest release
    #[arg(long, value_parser = DialectParser)]
    pub(crate) dialect: Option<Dialect>,
    /// How the answer is written
    #[arg(long, value_enum, default_value_t = AnswerFormat::Human)]
    pub(crate) format: AnswerFormat,
}

/// What a sequencer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SequencerMode {
    /// DM to the tensor unit
    Fetch,
    /// The tensor unit to DM
    Commit,
    /// One side of a DMA transfer
    Dma,
}

/// The context a sequencer runs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SequencerContext {
    /// The main context
    Main,
    /// The sub context
    Sub,
}

/// `visa-lint sequence`
#[derive(Debug, Args)]
pub(crate) struct SequenceArguments {
    /// The axes and their sizes: `A=8,B=512`
    #[arg(long, value_name = "AXES", default_value = "")]
    pub(crate) axes: String,
    /// The mapping of the buffer
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) buffer: String,
    /// The mapping of the stream's iterations
    #[arg(
        long,
        value_name = "EXPR",
        default_value = "1",
        allow_hyphen_values = true
    )]
    pub(crate) time: String,
    /// The mapping of one iteration's elements
    #[arg(
        long,
        value_name = "EXPR",
        default_value = "1",
        allow_hyphen_values = true
    )]
    pub(crate) packet: String,
    /// The element type
    #[arg(long = "type", value_name = "TYPE", default_value = "i8")]
    pub(crate) element_type: String,
    /// What the sequencer is for
    #[arg(long, value_enum, default_value_t = SequencerMode::Fetch)]
    pub(crate) mode: SequencerMode,
    /// The context it runs in
    #[arg(long, value_enum, default_value_t = SequencerContext::Main)]
    pub(crate) context: SequencerContext,
    /// The buffer's address in bytes
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) address: u64,
    /// How the answer is written
    #[arg(long, value_enum, default_value_t = AnswerFormat::Human)]
    pub(crate) format: AnswerFormat,
}

/// The command that clap adds: it prints another one's options.
const HELP: &str = "help";

/// The arguments as clap reads them.
#[derive(Debug)]
pub(crate) struct Completed {
    pub(crate) arguments: Vec<OsString>,
    /// Whether no command is named, so that it is `check`.
    pub(crate) by_default: bool,
}

/// The arguments with what people leave out put in: without a command it is `check`, and cargo's own name for the
/// subcommand is dropped.
///
/// # Errors
///
/// The first word is most likely a command that is misspelt.
pub(crate) fn complete_arguments(mut arguments: Vec<OsString>) -> Result<Completed, String> {
    if called_by_cargo(&arguments) {
        arguments.remove(1);
    }
    let mut at = 1;
    while let Some(argument) = arguments.get(at).and_then(|argument| argument.to_str()) {
        match argument {
            "--color" => at += 2,
            _ if argument.starts_with("--color=") => at += 1,
            _ => break,
        }
    }
    let at = at.min(arguments.len());
    let first = arguments.get(at).and_then(|argument| argument.to_str());
    let complete = first.is_some_and(|first| {
        let asks_for_help = first == HELP && !Path::new(first).exists();
        let option = matches!(first, "--help" | "-h" | "--version" | "-V");
        Command::has_subcommand(first) || asks_for_help || option
    });
    if complete && first == Some(HELP) {
        let about = arguments.get(at + 1).and_then(|word| word.to_str());
        let unknown = about.filter(|word| !Command::has_subcommand(word) && *word != HELP);
        if let Some(near) = unknown.and_then(nearest_commands) {
            let word = unknown.unwrap_or_default();
            return Err(format!(
                "there is no command `{word}`; did you mean {near}?"
            ));
        }
    }
    if !complete {
        if let Some(words) = first.and_then(misspelt) {
            return Err(words);
        }
        arguments.insert(at, "check".into());
    }
    Ok(Completed {
        arguments,
        by_default: !complete,
    })
}

/// What to say of a word that is no path and almost a command.
fn misspelt(word: &str) -> Option<String> {
    if word.starts_with('-') || Path::new(word).exists() {
        return None;
    }
    let near = nearest_commands(word)?;
    Some(format!(
        "there is no command and no path `{word}`; did you mean {near}?"
    ))
}

/// The commands that a word may stand for.
fn nearest_commands(word: &str) -> Option<String> {
    let commands = Arguments::command();
    let names = commands.get_subcommands().map(clap::Command::get_name);
    let near = nearest_names(word, names.chain([HELP]));
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    (!near.is_empty()).then(|| near.join(" or "))
}

/// What to say of commands behind options, where `check` was put before them and takes words for paths.
pub(crate) fn misplaced_command(paths: &[PathBuf]) -> Option<String> {
    let word = paths.first()?.to_str()?;
    if Path::new(word).exists() {
        return None;
    }
    if Command::has_subcommand(word) || word == HELP {
        return Some(format!(
            "there is no path `{word}`; the command `{word}` is before its options: `visa-lint {word} …`"
        ));
    }
    misspelt(word)
}

/// Cargo runs `cargo-visa-lint visa-lint ARGUMENTS`. A path of that name is still a path.
fn called_by_cargo(arguments: &[OsString]) -> bool {
    let Some(first) = arguments.get(1) else {
        return false;
    };
    let by_name = arguments
        .first()
        .map(PathBuf::from)
        .and_then(|program| Some(program.file_stem()?.to_str()?.starts_with("cargo-")))
        .unwrap_or(false);
    first == "visa-lint" && (by_name || !PathBuf::from(first).exists())
}

#[cfg(test)]
mod tests {
    use super::complete_arguments;
    use clap::CommandFactory;

    fn completed(arguments: &[&str]) -> Vec<String> {
        complete_arguments(arguments.iter().map(Into::into).collect())
            .map_or_else(|words| vec![words.into()], |completed| completed.arguments)
            .into_iter()
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn the_declaration_is_consistent() {
        super::Arguments::command().debug_assert();
    }

    #[test]
    fn check_is_the_default_command() {
        assert_eq!(completed(&["visa-lint"]), ["visa-lint", "check"]);
        assert_eq!(
            completed(&["visa-lint", "a.rs"]),
            ["visa-lint", "check", "a.rs"]
        );
        assert_eq!(
            completed(&["visa-lint", "--quiet"]),
            ["visa-lint", "check", "--quiet"]
        );
        assert_eq!(completed(&["visa-lint", "rules"]), ["visa-lint", "rules"]);
        assert_eq!(completed(&["visa-lint", "--help"]), ["visa-lint", "--help"]);
        assert_eq!(
            completed(&["visa-lint", "--color", "never", "map", "A"]),
            ["visa-lint", "--color", "never", "map", "A"]
        );
        assert_eq!(
            completed(&["visa-lint", "--color"]),
            ["visa-lint", "--color", "check"]
        );
    }

    #[test]
    fn help_is_a_command_and_almost_a_command_is_none() {
        assert_eq!(
            completed(&["visa-lint", "help", "check"]),
            ["visa-lint", "help", "check"]
        );
        let said = |word: &str| completed(&["visa-lint", word]).join(" ");
        assert_eq!(
            said("chekc"),
            "there is no command and no path `chekc`; did you mean `check`?"
        );
        assert_eq!(
            said("hlep"),
            "there is no command and no path `hlep`; did you mean `help`?"
        );
        // Neither a file that may be missing nor a word that is near to nothing.
        assert_eq!(said("check.rs"), "visa-lint check check.rs");
        assert_eq!(said("gemv"), "visa-lint check gemv");
    }

    #[test]
    fn cargo_names_the_subcommand() {
        assert_eq!(
            completed(&["cargo-visa-lint", "visa-lint", "a.rs"]),
            ["cargo-visa-lint", "check", "a.rs"]
        );
        assert_eq!(
            completed(&["cargo-visa-lint", "visa-lint", "rules"]),
            ["cargo-visa-lint", "rules"]
        );
    }
}
