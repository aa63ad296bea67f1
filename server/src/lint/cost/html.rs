//! Costs as one page for a browser, with nothing else to load.
//!
//! `page.html` is made of the extension's views (`vscode-extension/scripts/page.mjs`) and committed, so that a build needs no
//! Node. Its policy names the hashes of its script and style; the costs are data in it, which no browser runs.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};
use visa_analysis::KernelCost;

use super::human::total_words;
use crate::json::cost::chosen_document;
use crate::json::memory_map;
use crate::lint::session::Session;
use crate::project::Failure;

const PAGE: &str = include_str!("page.html");
/// Where the page has its costs.
const MARK: &str = "@COST@";
/// Lines of the source that are shown around an operation.
const AROUND: u32 = 3;
/// Lines of the source that are shown of one kernel.
const LINES: usize = 3_000;

#[derive(Serialize)]
struct Document {
    program: String,
    kernels: Vec<Kernel>,
}

#[derive(Serialize)]
struct Kernel {
    /// As `visa/kernelCost` answers.
    cost: Value,
    /// As `visa/memoryMap` answers.
    map: Value,
    words: String,
    sources: Vec<Source>,
}

#[derive(Serialize)]
struct Source {
    file: String,
    lines: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    number: u32,
    text: String,
}

/// The page of some kernels, whose texts the session has.
pub(super) fn write(session: &Session<'_>, kernels: &[KernelCost]) -> Result<String, Failure> {
    let texts = session.texts();
    let paths = session.reported_paths();
    let paths: BTreeMap<String, &str> = paths.map(|path| (session.shown(path), path)).collect();
    let analysis = session.workspace().analysis();
    let unwritten = |error| Failure::new(format!("cannot write the page: {error}"));
    let mut pages = Vec::with_capacity(kernels.len());
    for kernel in kernels {
        let map = paths.get(&*kernel.file).and_then(|path| {
            let map = analysis.memory_map(path, kernel.range.start.byte);
            map.ok().flatten()
        });
        let mut cost = serde_json::to_value(chosen_document(std::slice::from_ref(kernel)))
            .map_err(unwritten)?;
        pages.push(Kernel {
            cost: cost["kernels"][0].take(),
            map: json!(map.as_ref().map(memory_map::document)),
            words: total_words(kernel),
            sources: sources(kernel, |file| texts.get(file).copied()),
        });
    }
    let document = Document {
        program: concat!("visa-lint ", env!("CARGO_PKG_VERSION")).to_owned(),
        kernels: pages,
    };
    let data = serde_json::to_string(&document).map_err(unwritten)?;
    Ok(PAGE.replacen(MARK, &within_script(&data), 1))
}

/// JSON that is within an element `script`: nothing in it can end the element or begin a comment.
fn within_script(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                safe.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            other => safe.push(other),
        }
    }
    safe
}

/// The lines of a kernel and of what it calls: its own file first.
fn sources<'k, 't>(
    kernel: &'k KernelCost,
    text_of: impl Fn(&str) -> Option<&'t str>,
) -> Vec<Source> {
    let mut wanted: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    let mut want = |file: &'k str, first: u32, last: u32| {
        let lines = wanted.entry(file).or_default();
        let room = LINES.saturating_sub(lines.len());
        lines
            .extend((first.saturating_sub(AROUND).max(1)..=last.saturating_add(AROUND)).take(room));
    };
    let (own, name) = (&*kernel.file, kernel.range.start.line);
    let ends = kernel.operations.iter().filter(|row| *row.file == *own);
    let ends = ends.map(|row| row.statement.end.line);
    // Helpers in front of the kernel have their own lines.
    want(
        own,
        name,
        ends.filter(|line| *line >= name).max().unwrap_or(name),
    );
    for row in &kernel.operations {
        want(&row.file, row.statement.start.line, row.statement.end.line);
    }
    for place in &kernel.unresolved {
        want(own, place.range.start.line, place.range.end.line);
    }
    let mut sources: Vec<Source> = wanted
        .into_iter()
        .filter_map(|(file, lines)| {
            let text = text_of(file)?;
            let numbered = (1..).zip(text.lines());
            let lines =
                numbered
                    .filter(|(number, _)| lines.contains(number))
                    .map(|(number, text)| Line {
                        number,
                        text: text.to_owned(),
                    });
            Some(Source {
                file: file.to_owned(),
                lines: lines.collect(),
            })
        })
        .collect();
    sources.sort_by_key(|source| source.file != own);
    sources
}

#[cfg(test)]
mod tests {
    use super::{MARK, PAGE, within_script};

    #[test]
    fn the_page_has_one_place_for_costs_and_a_strict_policy() {
        assert_eq!(PAGE.matches(MARK).count(), 1);
        assert_eq!(PAGE.matches("<script").count(), 2);
        assert_eq!(PAGE.matches("</script>").count(), 2);
        let policy = PAGE.split("Content-Security-Policy\" content=\"").nth(1);
        let policy = policy
            .and_then(|rest| rest.split('"').next())
            .expect("a policy");
        let parts: Vec<&str> = policy.split("; ").collect();
        assert_eq!(parts.first(), Some(&"default-src 'none'"));
        assert!(
            parts
                .iter()
                .any(|part| part.starts_with("script-src 'sha256-"))
        );
        assert!(
            parts
                .iter()
                .any(|part| part.starts_with("style-src 'sha256-"))
        );
        assert!(!policy.contains("unsafe") && !policy.contains('*') && !policy.contains("http"));
        // The policy comes before what it is about.
        let at = |words: &str| PAGE.find(words).expect(words);
        assert!(at("Content-Security-Policy") < at("<style") && at("<style") < at("<script"));
        let addresses = PAGE.matches("http://").count() + PAGE.matches("https://").count();
        assert_eq!(
            addresses,
            PAGE.matches("http://www.w3.org/2000/svg").count()
        );
    }

    #[test]
    fn no_text_ends_the_element() {
        let json = serde_json::to_string("</script><!-- & \u{2028}").expect("JSON");
        let safe = within_script(&json);
        assert_eq!(safe, "\"\\u003c/script\\u003e\\u003c!-- \\u0026 \\u2028\"");
        let back: String = serde_json::from_str(&safe).expect("JSON");
        assert_eq!(back, "</script><!-- & \u{2028}");
    }
}
