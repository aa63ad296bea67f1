//! Every change that is offered anywhere in the right kernels leaves them right.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::*;
use crate::StageRow;

/// The folder of the fixtures.
pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn kernels(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    paths.sort();
    paths
}

type Judged = (Vec<&'static str>, u64, u64, u64);

/// One in so many changes of mappings is tried: they are many, and each is a check of its file.
const TRIED: usize = 8;

/// What a report says that a change may not change: how often each rule at a level that is shown, and what is understood.
fn judged(analysis: &Analysis) -> Judged {
    let report = analysis.check_file("kernel.rs");
    let found = report
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.default_level == Level::Deny && !diagnostic.suppressed);
    let mut rules: Vec<&'static str> = found.map(|diagnostic| diagnostic.rule).collect();
    rules.sort_unstable();
    (
        rules,
        report.syntax_errors,
        report.operations.unresolved,
        report.operations.resolved,
    )
}

/// Whether nothing is found that was not found before, and as much is understood.
fn is_no_worse(before: &Judged, after: &Judged) -> bool {
    let mut rest = before.0.clone();
    let known = after.0.iter().all(|rule| {
        let place = rest.iter().position(|other| other == rule);
        place.map(|place| rest.swap_remove(place)).is_some()
    });
    known && (before.1, before.2, before.3) == (after.1, after.2, after.3)
}

/// Of a kernel its total, the shapes of its tensors, and its streams stage by stage.
type Meant = (Option<u64>, Vec<String>, Vec<Vec<StageRow>>);

/// What kernels say of their tensors and streams, and what they cost: all of which a change of names keeps. The end of a list
/// that has a name is given in brackets, which say nothing.
fn meant(analysis: &Analysis) -> Vec<Meant> {
    let plain = |text: &mut String| text.retain(|letter| !matches!(letter, '[' | ']'));
    let costs = analysis.costs("kernel.rs").expect("costs");
    let meant = costs.into_iter().map(|cost| {
        let mut shapes: Vec<String> = cost.memory.into_iter().map(|row| row.shape).collect();
        let mut streams: Vec<Vec<StageRow>> =
            cost.operations.into_iter().map(|row| row.stages).collect();
        shapes.iter_mut().for_each(plain);
        for row in streams.iter_mut().flatten() {
            let mappings = [&mut row.slice, &mut row.time, &mut row.packet];
            mappings.into_iter().flatten().for_each(plain);
        }
        (cost.total, shapes, streams)
    });
    meant.collect()
}

#[test]
fn what_is_offered_leaves_kernels_right() {
    let mut offered: [usize; 4] = [0; 4];
    let mut problems = Vec::new();
    for path in kernels(&folder().join("kernels/right")) {
        let text = std::fs::read_to_string(&path).expect("a kernel");
        let mut workspace = workspace(&text);
        let before = judged(&workspace.analysis());
        let meaning = meant(&workspace.analysis());
        let texts = Texts::from([(Arc::from("kernel.rs"), Arc::from(text.as_str()))]);
        for assist in all_of(&workspace, &text) {
            let kind = ["Extract", "Inline", "Pad", "Move"]
                .iter()
                .position(|kind| assist.title.starts_with(kind))
                .expect("a kind");
            offered[kind] += 1;
            if kind < 2 && !offered[kind].is_multiple_of(TRIED) {
                continue;
            }
            let changed = applied(&texts, &assist.edits);
            workspace.set_file("kernel.rs", &changed["kernel.rs"]);
            let analysis = workspace.analysis();
            let after = judged(&analysis);
            if !is_no_worse(&before, &after) || (kind < 2 && meant(&analysis) != meaning) {
                problems.push(format!(
                    "{}: {}: {before:?} {after:?}\n{}",
                    path.display(),
                    assist.title,
                    changed["kernel.rs"]
                ));
            }
        }
    }
    assert!(
        problems.is_empty(),
        "{} problems\n{}",
        problems.len(),
        problems.join("\n")
    );
    let [extract, inline, pad, moved] = offered;
    assert!(
        extract > 100 && inline > 100 && pad > 0 && moved > 20,
        "{offered:?}"
    );
}

/// The ends of at least two parts of the flat lists of a text, without the whole lists.
fn tails(text: &str) -> Vec<ByteRange> {
    let byte = |at| u32::try_from(at).expect("a small text");
    let mut ranges = Vec::new();
    for (at, opening) in text.match_indices("m![") {
        let start = at + opening.len();
        let Some(body) = text[start..].split([']', '[']).next() else {
            continue;
        };
        let mut commas: Vec<usize> = body.match_indices(',').map(|(comma, _)| comma).collect();
        let closes = text[start + body.len()..].starts_with(']');
        commas.pop();
        ranges.extend(
            commas
                .into_iter()
                .filter(|_| closes)
                .map(|comma| ByteRange {
                    start: byte(start + comma + 1),
                    end: byte(start + body.len()),
                }),
        );
    }
    ranges
}

#[test]
fn ends_of_lists_are_named_in_kernels() {
    let mut offered = 0;
    for path in kernels(&folder().join("kernels/right")) {
        let text = std::fs::read_to_string(&path).expect("a kernel");
        let analysis = workspace(&text).analysis();
        for range in tails(&text) {
            let found = analysis.assists("kernel.rs", range).expect("an answer");
            offered += usize::from(!found.is_empty());
        }
    }
    assert!(offered > 10, "{offered}");
}

/// All changes that are offered at the carets of a text and for the ends of its lists, each once.
fn all_of(workspace: &Workspace, text: &str) -> Vec<Assist> {
    let analysis = workspace.analysis();
    let mut seen = BTreeSet::new();
    let mut assists = Vec::new();
    let carets = text
        .char_indices()
        .filter(|(at, letter)| {
            let before = text[..*at].chars().next_back();
            letter.is_alphanumeric() && !before.is_some_and(char::is_alphanumeric)
        })
        .map(|(at, _)| u32::try_from(at).expect("a small text"))
        .map(|at| ByteRange { start: at, end: at });
    for range in carets.chain(tails(text)) {
        let found = analysis.assists("kernel.rs", range);
        for assist in found.expect("an answer") {
            if seen.insert(format!("{:?}", assist.edits)) {
                assists.push(assist);
            }
        }
    }
    assists
}
