//! The documentation of one rule, as data for the terminal and for the page in `docs/rules`.
//!
//! What a page says about the wrong kernel is what the engine says about it when the page is printed, with helps and fixes completed, as in
//! every format of a run that writes them: the two cannot differ. An editor's diagnostics alone have helps that are not completed, so that
//! they come with the next key.

use visa_analysis::{
    Applicability, Confirmer, Diagnostic, Dialect, Example, Language, Level, Library, Rule,
    Speaker, Workspace, dialect_line, has_picture, rule_url, without_dialect_line,
};

use crate::project::settings::Dialect as Asked;

/// The path that a page's kernel is checked under.
fn kernel_path(rule: &Rule) -> String {
    format!("kernel.{}", rule.example_language().ending())
}

/// What a page says where only a run with settings finds something.
const BY_SETTINGS: &str =
    "Nothing without `visa-lint.toml`: the settings name what the finding compares with.";

/// One part of a page.
pub(crate) struct Section {
    pub(crate) title: &'static str,
    pub(crate) parts: Vec<Part>,
}

/// Something of a section.
pub(crate) enum Part {
    /// A paragraph.
    Words(String),
    /// A point of a list.
    Point(String),
    /// Source text of a language.
    Code(&'static str, String),
}

/// The page of a rule behind its title and its first line.
pub(crate) fn sections(rule: &Rule, asked: Asked) -> Vec<Section> {
    let example = rule.example(asked.library.unwrap_or(Library::OptStd));
    let findings = findings(rule, example.wrong);
    vec![
        Section {
            title: "In the machine",
            parts: vec![Part::Words(rule.why().into_owned())],
        },
        Section {
            title: "Wrong",
            parts: not_there(rule, asked)
                .into_iter()
                .chain(kernel(rule, example.wrong))
                .collect(),
        },
        Section {
            title: "What visa-lint says",
            parts: if findings.is_empty() {
                vec![Part::Words(BY_SETTINGS.to_owned())]
            } else {
                findings.iter().flat_map(said).collect()
            },
        },
        Section {
            title: "Right",
            parts: kernel(rule, example.right),
        },
        Section {
            title: "Fix",
            parts: fix(rule, &findings),
        },
        Section {
            title: "Releases",
            parts: releases(rule),
        },
        Section {
            title: "Silence",
            parts: silence(rule),
        },
        Section {
            title: "Stated in",
            parts: vec![Part::Words(heading(rule))],
        },
    ]
}

/// The first line under the title: group and level.
pub(crate) fn standing(rule: &Rule) -> String {
    format!(
        "group {}, level {}, {}",
        rule.group.name(),
        rule.default_level().name(),
        rule.engine.name()
    )
}

/// The page of `docs/rules`: as [`markdown`] says it, with a link to the picture of the rule's engine.
pub(crate) fn linked(rule: &Rule, asked: Asked) -> String {
    let page = markdown(rule, asked);
    if !has_picture(rule.engine) {
        return page;
    }
    let name = rule.engine.name();
    let anchor = name.to_lowercase().replace(' ', "-");
    let standing = capital(&standing(rule));
    let linked = standing.replace(name, &format!("[{name}](../machine.md#{anchor})"));
    page.replacen(&standing, &linked, 1)
}

/// The page as Markdown.
pub(crate) fn markdown(rule: &Rule, asked: Asked) -> String {
    let mut text = format!(
        "# {}\n\n{}.\n\n{}\n",
        rule.name,
        capital(&rule.summary()),
        capital(&standing(rule))
    );
    for section in sections(rule, asked) {
        text.push_str("\n## ");
        text.push_str(section.title);
        text.push('\n');
        let mut in_list = false;
        for part in section.parts {
            match part {
                Part::Words(words) => text.push_str(&format!("\n{words}\n")),
                Part::Point(words) => {
                    let gap = if in_list { "" } else { "\n" };
                    text.push_str(&format!("{gap}- {}\n", words.replace('\n', "\n  ")));
                    in_list = true;
                    continue;
                }
                Part::Code(language, code) => {
                    text.push_str(&format!("\n```{language}\n{}\n```\n", code.trim_end()));
                }
            }
            in_list = false;
        }
    }
    text
}

/// A sentence's first letter as a capital.
pub(crate) fn capital(words: &str) -> String {
    let mut characters = words.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + characters.as_str()
    })
}

/// What is said where what was asked for is not what is shown: a release in which the rule does not hold, or a library for which it
/// has no kernels.
fn not_there(rule: &Rule, asked: Asked) -> Vec<Part> {
    if rule.example_language() != Language::Rust {
        return Vec::new();
    }
    let Some(library) = asked.library else {
        return Vec::new();
    };
    let name = library.crate_name();
    let holds = rule.holds.releases(library);
    let holds_there = match asked.release {
        Some(release) => holds.is_some_and(|releases| releases.contain(release)),
        None => holds.is_some(),
    };
    let release = asked
        .release
        .map_or_else(String::new, |release| format!(" {release}"));
    let mut words = Vec::new();
    if !holds_there {
        words.push(format!("For `{name}`{release} the rule does not hold."));
    }
    if rule.example_for(library).is_none() {
        words.push(format!("It has no kernels for `{name}`."));
    }
    words.into_iter().map(Part::Words).collect()
}

/// A kernel that shows a rule, and the dialect that it is written for.
fn kernel(rule: &Rule, text: &'static str) -> Vec<Part> {
    let language = rule.example_language();
    if language != Language::Rust {
        return vec![Part::Code(language.fence(), without_markers(text))];
    }
    let dialect = Example::dialect(text);
    let name = dialect.library.crate_name();
    vec![
        Part::Words(format!("For `{name}` {}:", dialect.release)),
        Part::Code("rust", without_markers(without_dialect_line(text))),
    ]
}

/// Where the rule holds, who else finds what it finds, and in which words.
fn releases(rule: &Rule) -> Vec<Part> {
    if rule.example_language() != Language::Rust {
        let language = rule.example_language();
        return vec![Part::Words(format!("It looks at kernels in {language}."))];
    }
    let mut holding = Vec::new();
    for library in Library::ALL {
        let name = library.crate_name();
        match (library, rule.holds.releases(library)) {
            (_, None) => {}
            (Library::VisaStd, Some(_)) => holding.push(format!("the book's `{name}`")),
            (Library::OptStd, Some(releases)) => holding.push(format!("`{name}` {releases}")),
        }
    }
    let mut words = format!("It holds for {}.", holding.join(" and for "));
    let instead: Vec<String> = rule
        .instead
        .iter()
        .map(|name| format!("`{name}`"))
        .collect();
    if !instead.is_empty() {
        words.push_str(&format!(
            " In other releases {} takes its place.",
            instead.join(" and ")
        ));
    }
    if let Some((since, group)) = rule.graver {
        let (name, group, level) = (
            Library::OptStd.crate_name(),
            group.name(),
            group.default_level().name(),
        );
        words.push_str(&format!(
            " For `{name}` {since} and later it is of group {group}, level {level}."
        ));
    }
    let mut parts = vec![Part::Words(words)];
    parts.extend(refused(rule).map(Part::Words));
    let texts = rule.texts();
    if !texts.is_empty() {
        parts.push(Part::Words("Texts that mean the same fault:".to_owned()));
    }
    parts.extend(texts.into_iter().map(|said| {
        let by = match said.by {
            Speaker::Library => "library",
            Speaker::Compiler => "compiler",
        };
        Part::Point(format!("{by}: `{}`", said.words))
    }));
    parts
}

/// Who else finds what a rule finds; nothing where there is nothing to confirm.
fn refused(rule: &Rule) -> Option<String> {
    let held = Library::ALL.into_iter().filter_map(|library| {
        let releases = rule.holds.releases(library)?;
        Some((library, releases.since))
    });
    let mut sentences = Vec::new();
    for (library, release) in held {
        let name = library.crate_name();
        let first = rule.confirmed_by(Dialect { library, release })?;
        let since = rule.refused.since_release(library);
        sentences.push(match (first, since) {
            (Confirmer::Library, _) => format!("`{name}` refuses it itself."),
            (Confirmer::Compiler, None) => {
                format!("`{name}` does not refuse it; its compiler does.")
            }
            (Confirmer::Compiler, Some(since)) => {
                format!("`{name}` refuses it itself since {since}; before, its compiler did.")
            }
            (Confirmer::Model, Some(since)) => format!("`{name}` refuses it itself since {since}."),
            (Confirmer::Model, None) => {
                format!("`{name}` does not refuse it: the model of the hardware says it.")
            }
        });
    }
    Some(sentences.join(" "))
}

/// What the engine finds in a wrong kernel of a rule, of this rule.
fn findings(rule: &Rule, wrong: &str) -> Vec<Diagnostic> {
    let mut workspace = Workspace::new();
    if let Some(dialect) = dialect_line(wrong) {
        workspace.set_dialect(dialect);
    }
    let path = kernel_path(rule);
    workspace.set_file(&path, &without_markers(without_dialect_line(wrong)));
    let mut report = workspace.analysis().check_file_completed(&path);
    report.diagnostics.retain(|found| found.rule == rule.name);
    report.diagnostics
}

fn said(found: &Diagnostic) -> Vec<Part> {
    let line = found.range.start.line;
    let mut words = format!("Line {line}: {}.", found.message.trim_end_matches('.'));
    for note in &found.notes {
        words.push_str(&format!("\nNote: {}.", note.trim_end_matches('.')));
    }
    if let Some(help) = &found.help {
        words.push_str(&format!("\nHelp: {}.", help.trim_end_matches('.')));
    }
    vec![Part::Point(words)]
}

fn fix(rule: &Rule, findings: &[Diagnostic]) -> Vec<Part> {
    let fixes = findings.iter().flat_map(|found| &found.fixes);
    let mut points: Vec<String> = Vec::new();
    for fix in fixes {
        let who = match fix.applicability {
            Applicability::Machine => "applied by `--fix`",
            Applicability::Maybe if fix.makes_slower() => {
                "a proposal to look at; it makes this kernel slower, so `--fix` leaves it out"
            }
            Applicability::Maybe => "a proposal to look at, applied by `--fix --unsafe-fixes`",
        };
        let point = format!("{} ({who}).", fix.title);
        if !points.contains(&point) {
            points.push(point);
        }
    }
    let opening = match (points.is_empty(), rule.offers.alternatives) {
        (false, _) => "For the kernel above:",
        (true, true) => {
            "The finding lists what would pass; only the author knows which of them is meant."
        }
        (true, false) => {
            "There is no automatic fix: which change is right depends on what the kernel is meant to compute."
        }
    };
    let opening = std::iter::once(Part::Words(opening.to_owned()));
    opening.chain(points.into_iter().map(Part::Point)).collect()
}

fn silence(rule: &Rule) -> Vec<Part> {
    let name = rule.name;
    let language = rule.example_language();
    let mut parts = Vec::new();
    if rule.default_level() == Level::Allow {
        parts.extend([
            Part::Words(format!(
                "It is off unless it is asked for: with `--warn {name}` in a run, or in `visa-lint.toml`:"
            )),
            Part::Code("toml", format!("[levels]\n{name} = \"warn\"")),
        ]);
    }
    parts.extend([
        Part::Words("At one place, on the line or on the one before it:".to_owned()),
        match language {
            Language::Rust => Part::Code("rust,ignore", format!("// visa-lint: allow({name})")),
            _ => Part::Code(
                language.fence(),
                format!("{} visa-lint: allow({name})", language.comment()),
            ),
        },
    ]);
    if language == Language::Rust {
        parts.extend([
            Part::Words(
                "On a function or a statement, where the kernel registers the tool:".to_owned(),
            ),
            Part::Code("rust,ignore", format!("#[allow(tcp::{name})]")),
        ]);
    }
    parts.extend([
        Part::Words(
            "In `visa-lint.toml`, for all files or under `[[overrides]]` for some:".to_owned(),
        ),
        Part::Code("toml", format!("[levels]\n{name} = \"allow\"")),
    ]);
    parts
}

fn heading(rule: &Rule) -> String {
    match rule.heading {
        "library" => "The library's own checks.".to_owned(),
        "derived" => match rule.example_language() {
            Language::Rust => "It follows from the facts that the book states.".to_owned(),
            other => format!("It follows from what the documentation of {other} states."),
        },
        stated if rule.example_language() != Language::Rust => {
            let language = rule.example_language();
            let sources = [
                ("B", "the instructions' own description, by line"),
                ("M", "the current manual of the same instructions"),
                ("A", "the definitions of the public assembler"),
                ("R", "the API reference"),
                ("N", "the release notes"),
                ("G", "the bandwidth guide"),
            ];
            let letters = |letter: &str| {
                let mut words = stated.split([' ', ';', ',']);
                words.any(|word| word == letter)
            };
            let named = sources.iter().filter(|(letter, _)| letters(letter));
            let named: Vec<String> = named
                .map(|(letter, source)| format!("{letter}: {source}"))
                .collect();
            if named.is_empty() {
                return format!("{language}: {stated}.");
            }
            format!("{stated} ({}).", named.join("; "))
        }
        heading => format!("The book, under {heading}."),
    }
}

/// A fixture without the markers that name its findings.
fn without_markers(kernel: &str) -> String {
    let mut text = String::with_capacity(kernel.len());
    for line in kernel.lines() {
        let mark = ["//~", "#~"].into_iter().find(|mark| line.contains(mark));
        let kept = mark
            .and_then(|mark| line.split(mark).next())
            .unwrap_or(line);
        let kept = kept.trim_end();
        if kept.is_empty() && mark.is_some() {
            continue;
        }
        text.push_str(kept);
        text.push('\n');
    }
    text
}

/// The address of a rule's page, where a release names one.
pub(crate) fn address(rule: &Rule) -> Option<String> {
    rule_url(rule.name)
}
