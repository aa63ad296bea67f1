//! What pages draw of kernels: costs and memory maps as editors are answered, the change of each proposal, the lines of the sources.
//!
//! The report and the live view read the same object.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use visa_analysis::EditorQuestions as _;

use serde::Serialize;
use serde_json::{Value, json};
use visa_analysis::{Applicability, DiagnosticFix, KernelCost, Proposal, Texts, apply_fixes};

use super::human::total_words;
use crate::documents::diff::unified;
use crate::documents::json::cost::chosen_document;
use crate::documents::json::memory_map;
use crate::project::Failure;
use crate::session::Session;

/// Lines of the source that are shown around an operation.
const AROUND: u32 = 3;
/// Lines of the source that are shown of one kernel.
const LINES: usize = 3_000;
/// Members of a cost that no view of a page reads: scripts have them from `--format json`. A proposal's edits are in its change.
const UNREAD: [&str; 10] = [
    "assumptions",
    "book",
    "byte",
    "calibrated",
    "edits",
    "heading",
    "inputs",
    "least",
    "slice",
    "waits_for",
];

/// The kernels of a page.
#[derive(Serialize)]
pub(crate) struct Document<'a> {
    program: &'static str,
    /// What kernels assume, each once.
    assumptions: Vec<&'a str>,
    kernels: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    drawn: &'a Drawn,
    /// Places among the document's assumptions.
    assumes: Vec<usize>,
}

/// A kernel of a page.
#[derive(Serialize)]
pub(crate) struct Drawn {
    /// As `visa/kernelCost` answers, without what no page reads, and with the number of its tables in each operation.
    cost: Value,
    /// The engines and stages of operations, each once: runs of a loop have the same.
    tables: Vec<Value>,
    /// As `visa/memoryMap` answers.
    map: Value,
    /// Its total in words.
    words: String,
    sources: Vec<Source>,
    /// The unified diff of each proposal, and then of the pair; null where a proposal is given in words.
    changes: Vec<Option<String>>,
    #[serde(skip)]
    assumptions: Vec<String>,
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

/// The object of a page.
pub(crate) fn page_document(kernels: &[Drawn]) -> Document<'_> {
    let all = kernels.iter().flat_map(|kernel| &kernel.assumptions);
    let all: BTreeSet<&str> = all.map(String::as_str).collect();
    let assumptions: Vec<&str> = all.into_iter().collect();
    let places_of = |drawn: &Drawn| {
        let places = drawn.assumptions.iter();
        let places = places.filter_map(|one| assumptions.binary_search(&one.as_str()).ok());
        places.collect()
    };
    Document {
        program: concat!("visa-lint ", env!("CARGO_PKG_VERSION")),
        kernels: kernels
            .iter()
            .map(|drawn| Entry {
                drawn,
                assumes: places_of(drawn),
            })
            .collect(),
        assumptions,
    }
}

/// What a page draws of some kernels, whose texts the session has.
pub(crate) fn drawn_kernels(
    session: &Session<'_>,
    kernels: &[KernelCost],
) -> Result<Vec<Drawn>, Failure> {
    let texts = session.shown_texts();
    let paths = session.reported_paths();
    let paths: BTreeMap<String, &str> =
        paths.map(|path| (session.shown_path(path), path)).collect();
    let analysis = session.workspace().analysis();
    let mut pages = Vec::with_capacity(kernels.len());
    for kernel in kernels {
        let map = paths.get(&*kernel.file).and_then(|path| {
            let map = analysis.memory_map(path, kernel.range.start.byte);
            map.ok().flatten()
        });
        let mut page = Drawn {
            cost: Value::Null,
            tables: Vec::new(),
            map: lean(json!(map.as_ref().map(memory_map::memory_map_document))),
            words: String::new(),
            sources: kernel_sources(kernel, &texts),
            changes: Vec::new(),
            assumptions: Vec::new(),
        };
        page.update_kernel(kernel, &texts)?;
        pages.push(page);
    }
    Ok(pages)
}

impl Drawn {
    /// Takes what is said of the same kernel, which may be more than before: the same texts, and what a search found.
    pub(crate) fn update_kernel(
        &mut self,
        kernel: &KernelCost,
        texts: &Texts,
    ) -> Result<(), Failure> {
        let one = serde_json::to_value(chosen_document(std::slice::from_ref(kernel)));
        let mut one = one.map_err(|error| Failure::new(format!("cannot write a cost: {error}")))?;
        let mut cost = one["kernels"][0].take();
        if let Some(cost) = cost.as_object_mut() {
            // The map has the same rows.
            cost.remove("memory");
        }
        self.cost = lean(cost);
        self.tables = taken_tables(&mut self.cost);
        self.words = total_words(kernel);
        self.assumptions.clone_from(&kernel.assumptions);
        let pair = kernel.searched.iter().filter_map(|made| made.pair.as_ref());
        let proposals = kernel.proposals.iter().chain(pair);
        self.changes = proposals.map(|one| proposal_diff(one, texts)).collect();
        Ok(())
    }
}

/// The unified diff that a proposal makes; none of one in words, and of one that does not fit the texts.
fn proposal_diff(proposal: &Proposal, texts: &Texts) -> Option<String> {
    let fix = DiagnosticFix {
        title: proposal.message.clone(),
        applicability: Applicability::Maybe,
        edits: proposal.edits.clone(),
        cost: None,
    };
    let changed = apply_fixes(texts, [&fix]).texts;
    let diffs = changed.iter().map(|(path, new)| {
        let old = texts.get(path).map_or("", |text| text);
        unified(path, old, new)
    });
    let diff: String = diffs.collect();
    (!diff.is_empty()).then_some(diff)
}

/// Takes engines and stages out of the operations of a cost and leaves each the number of its own.
fn taken_tables(cost: &mut Value) -> Vec<Value> {
    let mut tables = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let operations = cost["operations"].as_array_mut();
    for operation in operations.into_iter().flatten() {
        let Some(members) = operation.as_object_mut() else {
            continue;
        };
        let table =
            json!({ "stages": members.remove("stages"), "stream": members.remove("stream") });
        let number = *numbers.entry(table.to_string()).or_insert(tables.len());
        if number == tables.len() {
            tables.push(table);
        }
        members.insert("table".to_owned(), number.into());
    }
    tables
}

/// A value without the members that no page reads.
fn lean(mut value: Value) -> Value {
    match &mut value {
        Value::Object(members) => {
            members.retain(|name, _| !UNREAD.contains(&name.as_str()));
            members.values_mut().for_each(|one| *one = lean(one.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|one| *one = lean(one.take())),
        _ => {}
    }
    value
}

/// The lines of a kernel and of what it calls: its own file first.
fn kernel_sources(kernel: &KernelCost, texts: &Texts) -> Vec<Source> {
    let mut wanted: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    let mut want = |file, first: u32, last: u32| {
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
            let numbered = (1..).zip(texts.get(file)?.lines());
            let lines = numbered.filter(|(number, _)| lines.contains(number));
            let lines = lines.map(|(number, text)| Line {
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
    use serde_json::json;

    use super::{lean, taken_tables};

    #[test]
    fn runs_of_a_loop_have_one_table() {
        let operation = |stage: &str| json!({ "id": 0, "stages": [stage], "stream": [] });
        let mut cost = json!({ "operations": [operation("a"), operation("b"), operation("a")] });
        let tables = taken_tables(&mut cost);
        assert_eq!(
            tables,
            [
                json!({ "stages": ["a"], "stream": [] }),
                json!({ "stages": ["b"], "stream": [] })
            ]
        );
        let of = |table: usize| json!({ "id": 0, "table": table });
        assert_eq!(cost["operations"], json!([of(0), of(1), of(0)]));
    }

    #[test]
    fn a_page_has_no_members_that_nothing_reads() {
        let whole = json!({ "start": { "line": 1, "byte": 0 }, "stages": [{ "engine": "fetch", "inputs": {} }] });
        assert_eq!(
            lean(whole),
            json!({ "start": { "line": 1 }, "stages": [{ "engine": "fetch" }] })
        );
    }
}
