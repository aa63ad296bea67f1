//! `visa-lint completions SHELL`: what a shell needs to complete the command line, names of rules and groups included.

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;
use visa_analysis::{Group, all_rules};

use super::arguments::{Arguments, CompletionsArguments};
use super::outcome::Outcome;
use super::output::Console;
use crate::project::Failure;
use crate::project::levels::{ALL, WARNINGS};

/// The command that is meant where none is named.
const DEFAULT: &str = "check";

/// Options of `check` that take rules and groups.
const RULE_OPTIONS: [&str; 5] = ["deny", "warn", "allow", "select", "ignore"];

/// Those of them that take [`WARNINGS`] too.
const LEVEL_OPTIONS: [&str; 3] = ["deny", "warn", "allow"];

/// Runs the command.
pub(crate) fn run(options: &CompletionsArguments, console: Console) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    let mut command = with_names(Arguments::command());
    clap_complete::generate(options.shell, &mut command, "visa-lint", &mut script);
    let script = String::from_utf8_lossy(&script);
    // The generator for bash cuts the program's own name at its hyphen where it lists the options of commands, and not where it
    // looks for the command: nothing would be completed behind one.
    let script = script.replace("visa__subcmd__lint", "visa__lint");
    let script = match options.shell {
        Shell::Fish => in_fish(&script, &command),
        _ => script,
    };
    console.print(&script)?;
    Ok(Outcome::Fine)
}

/// What the generator for fish leaves out: values of arguments that no option names, and those of an option before any command, behind
/// which its script finds no command line that it could read.
fn in_fish(script: &str, command: &Command) -> String {
    let read =
        "    argparse -s (__fish_visa_lint_global_optspecs) -- $cmd 2>/dev/null\n    or return\n";
    let again = "    if not argparse -s (__fish_visa_lint_global_optspecs) -- $cmd 2>/dev/null\n        \
        # The last option waits for its value.\n        \
        set -e cmd[-1]\n        \
        argparse -s (__fish_visa_lint_global_optspecs) -- $cmd 2>/dev/null\n        or return\n    end\n";
    let mut script = script.replace(read, again);
    for subcommand in command.get_subcommands() {
        let values = subcommand
            .get_positionals()
            .flat_map(Arg::get_possible_values);
        let values: Vec<String> = values.map(|value| value.get_name().to_owned()).collect();
        if !values.is_empty() {
            let (name, values) = (subcommand.get_name(), values.join(" "));
            script.push_str(&format!(
                "complete -c visa-lint -n \"__fish_visa_lint_using_subcommand {name}\" -f -a \"{values}\"\n"
            ));
        }
    }
    script
}

/// The command line with the names of rules and groups as the values of what takes them, and with the options of the command that is
/// meant where none is named. Only shells see it: a name that is wrong is refused with those that are near to it.
fn with_names(command: Command) -> Command {
    let command = command
        .mut_subcommand(DEFAULT, |check| {
            let name = |check: Command, option: &'static str| {
                let is_level = LEVEL_OPTIONS.contains(&option);
                let more = if is_level { WARNINGS } else { ALL };
                check.mut_arg(option, |argument| {
                    argument.value_parser(rule_name_parser(Some(more)))
                })
            };
            RULE_OPTIONS.into_iter().fold(check, name)
        })
        .mut_subcommand("explain", |explain| {
            explain.mut_arg("rules", |argument| {
                argument.value_parser(rule_name_parser(None))
            })
        });
    let check = command.find_subcommand(DEFAULT);
    let options: Vec<_> = check
        .into_iter()
        .flat_map(Command::get_arguments)
        .filter(|argument| !argument.is_positional())
        .cloned()
        .collect();
    command.args(options)
}

/// Groups and rules, and what may be named beside them.
fn rule_name_parser(more: Option<&'static str>) -> PossibleValuesParser {
    let groups = Group::ALL.into_iter().map(Group::name);
    let rules = all_rules().map(|rule| rule.name);
    PossibleValuesParser::new(more.into_iter().chain(groups).chain(rules))
}
