//! The documentation of one rule, as data for the terminal and for the site.
//!
//! What a page says about the wrong kernel is what the engine says about it when the page is printed, with helps and fixes completed, as in
//! every format of a run that writes them: the two cannot differ. An editor's diagnostics alone have helps that are not completed, so that
//! they come with the next key.

mod no_fix;

use visa_analysis::{
    Applicability, Confirmer, Diagnostic, Dialect, Group, Language, Level, Library, Rule,
    RuleTexts as _, Speaker, has_picture, rule_url,
};

use super::example::{self, Changes, Shown, differing_lines, shown_example};
use crate::project::settings::Dialect as Asked;
use no_fix::reason_without_fix;

/// Why a finding of a rule that offers fixes has none.
const UNKNOWN_REASON: &str = "which change is right depends on what the kernel is meant to compute";

/// What a page says where only a run with settings finds something.
const BY_SETTINGS: &str =
    "Nothing without `visa-lint.toml`: the settings name what the finding compares with.";

/// Changed lines up to which a page shows what turns the wrong kernel into the right one.
const CHANGED: usize = 30;

/// A page.
pub struct Page {
    /// What the rule reports, and who else says so.
    pub lead: String,
    /// What follows, in order.
    pub sections: Vec<Section>,
}

/// One part of a page.
pub struct Section {
    /// The heading.
    pub title: &'static str,
    /// What stands below it.
    pub parts: Vec<Part>,
}

/// Something of a section.
pub enum Part {
    /// A paragraph.
    Words(String),
    /// A point of a list.
    Point(String),
    /// Source text of a language.
    Code(&'static str, String),
    /// A kernel in a language.
    Kernel(&'static str, Kernel),
    /// What turns the wrong kernel into the right one, for readers of a page: a terminal marks the lines of the kernels.
    Changes(String),
}

/// A kernel with the lines that the other kernel of its page does not have.
pub struct Kernel {
    /// The source text, without marks.
    pub text: String,
    /// `-` in the wrong kernel, `+` in the right one.
    pub sign: char,
    /// The numbers of the lines, from 0.
    pub marked: Vec<usize>,
}

/// The page of a rule behind its title.
pub fn rule_page(rule: &Rule, asked: Asked) -> Page {
    let shown = shown_example(rule, asked);
    Page {
        lead: lead(rule, shown.wrong.dialect),
        sections: page_sections(rule, asked, shown),
    }
}

/// What a rule reports; of what no library and no compiler refuses, that too.
fn lead(rule: &Rule, dialect: Option<Dialect>) -> String {
    let summary = capitalised_sentence(&rule.summary());
    let refusable = matches!(
        rule.group,
        Group::Mapping | Group::Hardware | Group::Silent | Group::Toolchain
    );
    let by = dialect.and_then(|dialect| rule.confirmed_by(dialect));
    if refusable && by == Some(Confirmer::Model) {
        format!(
            "{summary}. Only visa-lint's model of the hardware says so: neither the library nor its compiler refuses it."
        )
    } else {
        format!("{summary}.")
    }
}

fn page_sections(rule: &Rule, asked: Asked, shown: Shown) -> Vec<Section> {
    let Shown {
        wrong,
        right,
        findings,
    } = shown;
    let dialect = wrong.dialect;
    let Changes {
        removed,
        added,
        diff,
    } = differing_lines(&wrong.text, &right.text);
    let changed = removed.len() + added.len();
    let diff = (1..=CHANGED)
        .contains(&changed)
        .then_some(Part::Changes(diff));
    let kernel = |shown: example::Kernel, sign, marked| {
        let kernel = Kernel {
            text: shown.text,
            sign,
            marked,
        };
        let kernel = Part::Kernel(rule.example_language().fence(), kernel);
        written_for(shown.dialect).into_iter().chain([kernel])
    };
    let (wrong, right) = (kernel(wrong, '-', removed), kernel(right, '+', added));
    vec![
        Section {
            title: "In the machine",
            parts: vec![Part::Words(rule.why().into_owned())],
        },
        Section {
            title: "Wrong",
            parts: not_there(rule, asked, dialect)
                .into_iter()
                .chain(wrong)
                .collect(),
        },
        Section {
            title: "What visa-lint says",
            parts: if findings.is_empty() {
                vec![Part::Words(BY_SETTINGS.to_owned())]
            } else {
                findings.iter().flat_map(finding_parts).collect()
            },
        },
        Section {
            title: "Right",
            parts: right.chain(diff).collect(),
        },
        Section {
            title: "Fix",
            parts: fix_parts(rule, &findings),
        },
        Section {
            title: "Releases",
            parts: release_parts(rule),
        },
        Section {
            title: "Silence",
            parts: silence(rule),
        },
        Section {
            title: "Stated in",
            parts: vec![Part::Words(source_heading(rule))],
        },
    ]
}

/// The first line under the title: group and level.
pub fn standing(rule: &Rule) -> String {
    format!(
        "group {}, level {}, {}",
        rule.group.name(),
        rule.default_level().name(),
        rule.engine.name()
    )
}

/// The page of the site: that of [`page_markdown`], with a link to the picture of the rule's engine.
pub fn linked(rule: &Rule, asked: Asked) -> String {
    let page = page_markdown(rule, asked);
    if !has_picture(rule.engine) {
        return page;
    }
    let name = rule.engine.name();
    let anchor = name.to_lowercase().replace(' ', "-");
    let standing = capitalised_sentence(&standing(rule));
    let linked = standing.replace(name, &format!("[{name}](../machine.md#{anchor})"));
    page.replacen(&standing, &linked, 1)
}

/// The page as Markdown.
pub fn page_markdown(rule: &Rule, asked: Asked) -> String {
    let page = rule_page(rule, asked);
    let mut text = format!(
        "# {}\n\n{}\n\n{}\n",
        rule.name,
        page.lead,
        capitalised_sentence(&standing(rule))
    );
    for section in page.sections {
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
                    text.push_str(&fenced(language, &code));
                }
                Part::Kernel(language, kernel) => {
                    text.push_str(&fenced(language, &kernel.text));
                }
                Part::Changes(diff) => {
                    text.push_str("\nWhat changes:\n");
                    text.push_str(&fenced("diff", &diff));
                }
            }
            in_list = false;
        }
    }
    text
}

/// Text in a fence of a language.
fn fenced(language: &str, text: &str) -> String {
    format!("\n```{language}\n{}\n```\n", text.trim_end())
}

/// A sentence's first letter as a capital.
pub(crate) fn capitalised_sentence(words: &str) -> String {
    let mut characters = words.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + characters.as_str()
    })
}

/// What is said where what was asked for is not what is shown: a release in which the rule does not hold, or a library for which it
/// has no kernels.
fn not_there(rule: &Rule, asked: Asked, shown: Option<Dialect>) -> Vec<Part> {
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
    } else if shown.is_some_and(|shown| {
        shown.library != library
            || asked
                .release
                .is_some_and(|release| shown.release != library.nearest(release))
    }) {
        words.push(format!("It has no kernels for `{name}`{release}."));
    }
    words.into_iter().map(Part::Words).collect()
}

/// The library and the release that a kernel is written for.
fn written_for(dialect: Option<Dialect>) -> Option<Part> {
    let dialect = dialect?;
    let name = dialect.library.crate_name();
    Some(Part::Words(format!("For `{name}` {}:", dialect.release)))
}

/// Where the rule holds, who else finds what it finds, and in which words.
fn release_parts(rule: &Rule) -> Vec<Part> {
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
    parts.extend(refusal_text(rule).map(Part::Words));
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
fn refusal_text(rule: &Rule) -> Option<String> {
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
                format!("`{name}` accepts it; its compiler refuses it.")
            }
            (Confirmer::Compiler, Some(since)) => {
                format!("`{name}` refuses it itself since {since}; before, its compiler did.")
            }
            (Confirmer::Model, Some(since)) => format!("`{name}` refuses it itself since {since}."),
            (Confirmer::Model, None) => {
                format!("`{name}` accepts it: only the model of the hardware reports it.")
            }
        });
    }
    Some(sentences.join(" "))
}

fn finding_parts(found: &Diagnostic) -> Vec<Part> {
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

fn fix_parts(rule: &Rule, findings: &[Diagnostic]) -> Vec<Part> {
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
        (false, _) => "For the kernel above:".to_owned(),
        (true, true) => {
            "The finding lists what would pass; only the author knows which of them is meant."
                .to_owned()
        }
        (true, false) => {
            let reason = reason_without_fix(rule.name).unwrap_or(UNKNOWN_REASON);
            format!("There is no automatic fix: {reason}.")
        }
    };
    let opening = std::iter::once(Part::Words(opening));
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

fn source_heading(rule: &Rule) -> String {
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

/// The address of a rule's page, where a release names one.
pub fn page_address(rule: &Rule) -> Option<String> {
    rule_url(rule.name)
}
