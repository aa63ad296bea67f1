//! Made parts of the site: its list of pages, the rules by release, the known texts, and the pictures of an editor.

use std::collections::BTreeMap;
use std::fmt::Write;

use visa_analysis::{Group, Library, Release, Rule, RuleTexts as _, Speaker, Workspace, all_rules};

use crate::{read, repository};

/// Pages before the rules, below `docs`: file and title.
const PAGES: [(&str, &str); 15] = [
    ("tutorial.md", "Tutorial: a first kernel"),
    ("commands.md", "Commands"),
    ("editors.md", "Editors"),
    ("editors-reference.md", "Editors: reference"),
    ("view.md", "A view beside any editor"),
    ("ci.md", "CI"),
    ("agents.md", "Coding agents"),
    ("cost.md", "Cost of kernels"),
    ("cost-reference.md", "Cost: reference"),
    ("run.md", "Running kernels"),
    ("fixing.md", "Fixes and known findings"),
    ("configuration.md", "Settings and levels"),
    ("output-formats.md", "Output formats"),
    ("releases.md", "Releases of the library"),
    ("migration.md", "Migration"),
];

/// Pages for people who change the program.
const INSIDE: [(&str, &str); 9] = [
    ("architecture.md", "How it is built"),
    ("adding-a-language.md", "Adding a language"),
    ("stages.md", "Stages"),
    ("performance.md", "Speed"),
    ("recipes/rule.md", "Recipe: a rule"),
    ("recipes/format.md", "Recipe: an output format"),
    ("recipes/method.md", "Recipe: a method of the protocol"),
    ("recipes/stage.md", "Recipe: a stage"),
    ("recipes/release.md", "Recipe: a release"),
];

/// `docs/SUMMARY.md`: every page of the site once, the rules below their groups.
pub fn summary() -> String {
    let mut text = String::from(
        "# Summary\n\n[visa-lint](README.md)\n\n# Using it\n\n- [You saw this error of the compiler](compiler-errors.md)\n",
    );
    // Writing to a string cannot fail.
    for (file, title) in PAGES {
        let _ = writeln!(text, "- [{title}]({file})");
    }
    text.push_str("\n# Rules\n\n- [All rules](rules/README.md)\n- [By release](rules/releases.md)\n- [Texts of the library and its compiler](rules/errors.md)\n- [The machine as the rules see it](machine.md)\n");
    for group in Group::ALL {
        let _ = writeln!(text, "- [Group {0}](rules/group-{0}.md)", group.name());
        for rule in all_rules().filter(|rule| rule.group == group) {
            let _ = writeln!(text, "  - [{0}](rules/{0}.md)", rule.name);
        }
    }
    text.push_str("\n# Changing it\n\n");
    for (file, title) in INSIDE {
        let _ = writeln!(text, "- [{title}]({file})");
    }
    text
}

/// `docs/rules/releases.md`: what changes from one release of a library to the next.
pub fn rules_by_release() -> String {
    let mut text = String::from(
        "# Rules by release\n\nA rule holds from the release at which it is listed, up to the one that drops it. \
         [Releases of the library](../releases.md) says how the release of a crate is found out.\n",
    );
    let name = Library::VisaStd.crate_name();
    let book = all_rules().filter(|rule| rule.holds.releases(Library::VisaStd).is_some());
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "\n## The book's `{name}`\n\n{} rules hold. These are not among them:\n",
        book.count()
    );
    for rule in all_rules().filter(|rule| rule.holds.releases(Library::VisaStd).is_none()) {
        text.push_str(&row(rule));
    }
    let mut begin: BTreeMap<Release, Vec<&Rule>> = BTreeMap::new();
    let mut end: BTreeMap<Release, Vec<&Rule>> = BTreeMap::new();
    for rule in all_rules() {
        let Some(releases) = rule.holds.releases(Library::OptStd) else {
            continue;
        };
        begin.entry(releases.since).or_default().push(rule);
        if let Some(until) = releases.until {
            end.entry(until).or_default().push(rule);
        }
    }
    let mut all: Vec<Release> = begin.keys().chain(end.keys()).copied().collect();
    all.sort_unstable();
    all.dedup();
    let name = Library::OptStd.crate_name();
    for release in all {
        let _ = writeln!(text, "\n## `{name}` {release}");
        for (words, rules) in [
            ("Rules that hold from here on", begin.get(&release)),
            ("Rules that hold no longer", end.get(&release)),
        ] {
            let Some(rules) = rules else { continue };
            let _ = writeln!(text, "\n{words}: {}.\n", rules.len());
            rules.iter().for_each(|rule| text.push_str(&row(rule)));
        }
    }
    text.push_str(&shapes());
    text
}

/// The table of code that only some releases accept. Code that all known releases accept tells none of them apart.
fn shapes() -> String {
    let library = Library::OptStd;
    let first_known = library.releases().first().copied();
    let mut rows: BTreeMap<(Release, Option<Release>), Vec<&str>> = BTreeMap::new();
    for (words, first, last) in library.release_shapes() {
        if Some(first) != first_known || last.is_some() {
            rows.entry((first, last)).or_default().push(words);
        }
    }
    let mut table = format!(
        "\n## Code of some releases\n\nIf nothing names a release of `{}`, visa-lint takes the newest one that accepts all \
         code of this table in the sources.\n\n| releases | code |\n| --- | --- |\n",
        library.crate_name()
    );
    for ((first, last), words) in rows {
        let last = last.map_or_else(String::new, |last| last.to_string());
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "| {first} – {last} | {} |",
            words.join(", ").replace('|', "\\|")
        );
    }
    table
}

fn row(rule: &Rule) -> String {
    format!("- [`{0}`]({0}.md): {1}\n", rule.name, rule.summary())
}

/// `docs/rules/errors.md`: the texts that the library or its compiler prints, and the rules that find the fault first.
pub fn known_texts() -> String {
    let mut page = String::from(
        "# Texts of the library and its compiler\n\n`visa-lint explain 'TEXT'` searches these tables, also for a text of several lines. \
         `…` stands for the part that differs from kernel to kernel. [You come from an error of the compiler](../compiler-errors.md) \
         explains what to do next.\n",
    );
    for (title, speaker) in [
        ("compiler", Speaker::Compiler),
        ("library", Speaker::Library),
    ] {
        // Writing to a string cannot fail.
        let _ = write!(page, "\n## The {title}'s texts\n\n{}", texts_of(speaker));
    }
    page
}

/// The table of the texts that one speaker prints: the text, the rules for it, and the fault that each reports.
fn texts_of(speaker: Speaker) -> String {
    let mut rows: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for rule in all_rules() {
        let link = format!("[`{0}`]({0}.md): {1}", rule.name, rule.summary());
        for said in rule.texts().into_iter().filter(|said| said.by == speaker) {
            rows.entry(said.words).or_default().push(link.clone());
        }
    }
    let mut table = String::from("| text | rule and fault |\n| --- | --- |\n");
    for (words, rules) in rows {
        let words = words.replace('|', "\\|");
        // A text with backticks goes between two of them.
        let code = if words.contains('`') {
            format!("`` {words} ``")
        } else {
            format!("`{words}`")
        };
        let _ = writeln!(table, "| {code} | {} |", rules.join("<br>"));
    }
    table
}

/// A kernel that the README shows in an editor.
struct Shown {
    /// The picture's file below `docs`.
    picture: &'static str,
    /// The kernel.
    kernel: &'static str,
    /// The lines of it that the picture has.
    lines: std::ops::RangeInclusive<usize>,
    /// What is to be seen, for those who do not see it.
    title: &'static str,
}

const SHOWN: [Shown; 3] = [
    Shown {
        picture: "editor.svg",
        kernel: "fixtures/kernels/faulty/gate.rs",
        lines: 15..=25,
        title: "An editor underlines the second use of an ALU, says why, and offers a free one",
    },
    Shown {
        picture: "pto.svg",
        kernel: "fixtures/violations/pto_stride_alignment/wrong.pto",
        lines: 3..=11,
        title: "An editor underlines a step of 200 bytes in UB, says where rows may start, and offers the next step",
    },
    Shown {
        picture: "nki.svg",
        kernel: "fixtures/violations/nki_indirect_mode/wrong.py",
        lines: 6..=11,
        title: "An editor underlines the mode of a gather, says which mode can read indices, and offers it",
    },
];

/// `docs/editor.svg`, `docs/pto.svg`, `docs/nki.svg`: what an editor shows of the README's kernels, drawn from the findings themselves.
pub fn editors() -> Vec<(String, String)> {
    let pictures = SHOWN.iter();
    pictures
        .map(|shown| (shown.picture.to_owned(), editor(shown)))
        .collect()
}

fn editor(shown: &Shown) -> String {
    let text = read(&repository().join(shown.kernel));
    let (_, name) = shown.kernel.rsplit_once('/').unwrap_or_default();
    let mut workspace = Workspace::new();
    workspace.set_file(name, &text);
    let report = workspace.analysis().check_file_completed(name);
    let title = escaped(shown.title);
    let (line, letter, left) = (22, 7.83, 64.0);
    let mut body = String::new();
    let lines = (1_usize..)
        .zip(text.lines())
        .filter(|(number, _)| shown.lines.contains(number));
    let mut top = 34;
    // Writing to a string cannot fail.
    for (number, code) in lines {
        // The mark of a fixture is none of the kernel.
        let code = ["//~ ", "#~ "]
            .iter()
            .fold(code, |code, mark| code.split(mark).next().unwrap_or(code));
        let code = code.trim_end();
        let _ = writeln!(
            body,
            "<text class=\"n\" x=\"48\" y=\"{top}\">{number}</text><text x=\"{left}\" y=\"{top}\" xml:space=\"preserve\">{}</text>",
            escaped(code)
        );
        let here = report.diagnostics.iter().find(|found| {
            let is_shown = found.default_level != visa_analysis::Level::Allow;
            is_shown && found.range.start.line as usize == number
        });
        if let Some(found) = here {
            let at = |column: u32| left + f64::from(column.saturating_sub(1)) * letter;
            let (from, to) = (at(found.range.start.column), at(found.range.end.column));
            let _ = writeln!(
                body,
                "<path class=\"w\" d=\"{}\"/>",
                wave(from, to, f64::from(top) + 5.0)
            );
            let mut words = vec![format!("{} [{}]", found.message, found.rule)];
            words.extend(
                found
                    .fixes
                    .first()
                    .map(|fix| format!("Quick fix: {}", fix.title)),
            );
            let height = words.len() * line + 12;
            let _ = writeln!(
                body,
                "<rect class=\"p\" x=\"{left}\" y=\"{}\" width=\"756\" height=\"{height}\" rx=\"4\"/>",
                top + 12
            );
            for (index, words) in words.iter().enumerate() {
                let class = if index == 0 { "e" } else { "f" };
                let y = top + 34 + i32::try_from(index * line).unwrap_or(0);
                let _ = writeln!(
                    body,
                    "<text class=\"{class}\" x=\"76\" y=\"{y}\">{}</text>",
                    escaped(words)
                );
            }
            top += i32::try_from(height).unwrap_or(0) + 10;
        }
        top += 22;
    }
    let height = top;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 840 {height}\" width=\"840\" height=\"{height}\" role=\"img\">\n\
         <title>{title}</title>\n\
         <style>text{{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d7dce2}}.n{{fill:#6b7684;text-anchor:end}}\
         .w{{stroke:#f0625d;stroke-width:1.4;fill:none}}.p{{fill:#2a3038;stroke:#47505c}}.e{{fill:#ff9d99;font-size:12px}}.f{{fill:#8cc4ff;font-size:12px}}</style>\n\
         <rect width=\"840\" height=\"{height}\" rx=\"8\" fill=\"#1d2127\"/>\n{body}</svg>\n"
    )
}

/// A wavy line.
fn wave(from: f64, to: f64, y: f64) -> String {
    let mut path = format!("M{from:.1} {y:.1}");
    let mut x = from;
    let mut up = true;
    while x + 3.0 <= to {
        x += 3.0;
        let _ = write!(path, "L{x:.1} {:.1}", if up { y + 2.5 } else { y });
        up = !up;
    }
    path
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
