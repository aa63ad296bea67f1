//! What language models read about visa-lint: `docs/llms.txt`, an index, and `docs/llms-full.txt`, all in one file.
//!
//! Made of the catalogue of rules, the table of methods of the newest release, and kernels that are known to be right.

use std::fmt::Write;

use visa_analysis::{
    Dialect, Group, Library, Rule, RuleTexts as _, all_rules, methods_of, without_dialect_line,
};

use crate::{read, repository};

/// Right kernels of the newest release, and what each shows.
const KERNELS: [(&str, &str); 3] = [
    ("fixtures/kernels/current/0.10/matmul.rs", "Matrix products"),
    ("fixtures/kernels/current/0.10/norms.rs", "Normalisation"),
    (
        "fixtures/kernels/current/0.10/quantised.rs",
        "Quantised weights",
    ),
];

/// Pages of the index, below `docs`.
const PAGES: [(&str, &str); 10] = [
    (
        "tutorial.md",
        "a first kernel, step by step, with the findings of each step",
    ),
    (
        "agents.md",
        "tools for coding agents: the Model Context Protocol, the format `agent`, `init --agents`",
    ),
    (
        "rules/README.md",
        "the catalogue of rules, a page each with a wrong and a right kernel",
    ),
    (
        "compiler-errors.md",
        "from what the library and its compiler print to the rule that foresees it",
    ),
    ("cost.md", "cycles of kernels and what they are made of"),
    ("fixing.md", "fixes, safe and unsafe"),
    ("configuration.md", "settings, levels, suppressions"),
    ("output-formats.md", "formats of a check, JSON among them"),
    (
        "releases.md",
        "releases of the library and how the one of a crate is found out",
    ),
    ("migration.md", "rewriting a crate for another release"),
];

const OPENING: &str = "\
# visa-lint

> A linter and cycle model for kernels that are written for FuriosaAI's TCP Virtual ISA with `furiosa_opt_std` or `furiosa_visa_std`. It finds in
> milliseconds what the hardware cannot do, hangs on, or silently computes wrong, and predicts the cycles of each kernel, without the vendor's
> compiler or a device.
";

/// `docs/llms.txt`.
pub fn index() -> String {
    let mut text = format!("{OPENING}\n{}\n## Pages\n\n", commands());
    // Writing to a string cannot fail.
    for (page, words) in PAGES {
        let _ = writeln!(text, "- [{page}]({page}): {words}");
    }
    text.push_str("\n## Optional\n\n- [llms-full.txt](llms-full.txt): every rule, every method of the newest release, three right kernels\n");
    text
}

fn commands() -> &'static str {
    "## Commands\n\n\
     - `visa-lint check --format agent PATHS`: a line a finding with its fixes, then counts and the next step; exit code 1 where a kernel is wrong\n\
     - `visa-lint check --fix PATHS`: applies the fixes that are sure to be meant\n\
     - `visa-lint cost PATHS --kernel NAME`: cycles, schedule, and changes that would save cycles\n\
     - `visa-lint explain RULE` or `visa-lint explain 'TEXT OF AN ERROR'`: what a rule means, with a right kernel\n\
     - `visa-lint map EXPR --axes 'A=8'`, `visa-lint sequence --buffer EXPR`: one mapping, one sequencer\n\
     - `visa-lint mcp`: the same as tools of the Model Context Protocol, warm between calls\n"
}

/// `docs/llms-full.txt`.
pub fn full() -> String {
    let mut text = format!("{OPENING}\n{}", commands());
    text.push_str(&rules());
    text.push_str(&methods());
    text.push_str("\n# Right kernels\n");
    for (path, title) in KERNELS {
        let kernel = read(&repository().join(path));
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n## {title}\n\n```rust\n{}\n```\n",
            without_dialect_line(&kernel).trim()
        );
    }
    text
}

fn rules() -> String {
    let mut text = "\n# Rules\n".to_owned();
    for group in Group::ALL {
        let rules: Vec<&Rule> = all_rules().filter(|rule| rule.group == group).collect();
        if rules.is_empty() {
            continue;
        }
        let level = group.default_level().name();
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {} ({level} by default)\n\n", group.name());
        for rule in rules {
            let _ = writeln!(
                text,
                "- `{}`: {} {}",
                rule.name,
                sentence(&rule.summary()),
                rule.why()
            );
        }
    }
    text
}

fn sentence(words: &str) -> String {
    let words = words.trim();
    if words.ends_with('.') {
        words.to_owned()
    } else {
        format!("{words}.")
    }
}

fn methods() -> String {
    let library = Library::OptStd;
    let release = library.newest();
    let methods = methods_of(Dialect { library, release });
    let mut text = format!("\n# Methods of {} {release}\n", library.crate_name());
    let mut receivers: Vec<&str> = Vec::new();
    for method in &methods {
        if !receivers.contains(&method.receiver.as_str()) {
            receivers.push(&method.receiver);
        }
    }
    // Writing to a string cannot fail.
    for receiver in receivers {
        let _ = write!(text, "\n## On {receiver}\n\n");
        for method in methods.iter().filter(|method| method.receiver == receiver) {
            let _ = writeln!(
                text,
                "- `{}`: {}",
                method.signature,
                sentence(&method.summary)
            );
        }
    }
    text
}
