//! A function at a time finds what all of a file at once finds, and an edit runs again what is about its own function.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::super::Nki;
use super::*;
use visa_findings::front_end::{FrontEnd as _, FrontEndReport};
use visa_inputs::AnalysisDatabase;
use visa_inputs::Options;

fn alone(text: &str) -> (AnalysisDatabase, SourceFile) {
    let mut db = AnalysisDatabase::with_event_log();
    db.set_project([("a.py", text)], Vec::new(), Options::default());
    let file = db.file("a.py").unwrap();
    (db, file)
}

/// What is known of a text that is not cut.
fn whole(text: &str) -> FrontEndReport {
    let parsed = syntax::parse(text);
    let remarks = remarks::read(text);
    let options = Options::default().nki;
    let rest = Rest {
        source: Source {
            text,
            remarks: &remarks,
        },
        body: parsed.body(),
        count: 0,
        heads: FxHashMap::default(),
        mentioned: Arc::default(),
    };
    let find = || -> FindPart<'_> { Box::new(|_| None) };
    let followed = values::follow_rest(&rest, &find, file_generations(&remarks, options));
    let release = file_release(&remarks, options);
    let (followed, proven) = (followed.followed, followed.proven);
    analysed_of(
        text.into(),
        (followed, proven.as_deref()),
        Arc::new(remarks.clone()),
        &parsed.errors,
        release,
    )
    .report
}

/// The kernels of a folder below the fixtures, and of those in it.
fn kernels(folder: &Path, found: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            kernels(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "py") {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path.display().to_string(), text));
        }
    }
}

/// What is found, and where.
fn words(report: &FrontEndReport) -> BTreeSet<(u32, u32, &str, String)> {
    let findings = report.findings.iter();
    let words = findings.map(|one| {
        (
            one.span.start,
            one.span.end,
            one.rule.name,
            one.message.clone(),
        )
    });
    words.collect()
}

#[test]
fn a_function_at_a_time_finds_what_all_at_once_finds() {
    let mut found = Vec::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    kernels(&fixtures, &mut found);
    assert!(found.len() > 80, "{}", found.len());
    let mut functions = 0;
    for (path, text) in found {
        let (db, file) = alone(&text);
        functions += file_parts(&db, file).len() - 1;
        let report = Nki.report(&db, file);
        let whole = whole(&text);
        assert_eq!(words(&report), words(&whole), "{path}");
        assert_eq!(report.kernels, whole.kernels, "{path}");
        let sites = |report: &FrontEndReport| -> BTreeSet<_> {
            let sites = report.transfers.iter();
            sites
                .map(|site| {
                    let reason = site.unresolved.as_ref().map(|of| of.reason.clone());
                    (site.span.start, reason)
                })
                .collect()
        };
        assert_eq!(sites(&report), sites(&whole), "{path}");
    }
    assert!(functions > 80, "{functions}");
}

/// The kernels of the fixtures with each of their functions in a class, in branches and in `try`.
#[test]
fn functions_in_classes_and_branches_are_found_as_all_at_once_is() {
    let mut found = Vec::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    kernels(&fixtures, &mut found);
    let (mut functions, mut findings) = (0, 0);
    for (path, text) in found {
        for around in [
            "class Kernels:\n",
            "if nisa.get_nc_version() >= nisa.nc_version.gen3:\n",
            "try:\n  import numpy\nexcept ImportError:\n",
        ] {
            let text = surrounded(&text, around);
            let parsed = syntax::parse(&text);
            if !parsed.errors.is_empty() {
                continue;
            }
            let (db, file) = alone(&text);
            let parts = file_parts(&db, file);
            let own = parts
                .iter()
                .filter(|part| part.text(&db).starts_with(AROUND));
            functions += own.count();
            let report = Nki.report(&db, file);
            findings += report.findings.len();
            assert_eq!(words(&report), words(&whole(&text)), "{path}: {text}");
        }
    }
    assert!(functions > 200, "{functions}");
    assert!(findings > 200, "{findings}");
}

/// A text whose functions each stand in a block of their own.
fn surrounded(text: &str, around: &str) -> String {
    let mut surrounded = String::new();
    let mut is_in = false;
    for line in text.split_inclusive('\n') {
        let begins = line.starts_with("def ") || line.starts_with('@');
        let is_out = !line.starts_with([' ', '\t', '\n', '\r', '#', ')']);
        if begins && !is_in {
            surrounded.push_str(around);
            is_in = true;
        } else if is_out && !begins {
            is_in = false;
        }
        if is_in && !line.trim().is_empty() {
            surrounded.push_str("    ");
        }
        surrounded.push_str(line);
    }
    surrounded
}

#[test]
fn a_mode_that_is_a_default_is_known_where_a_call_leaves_it_out() {
    let path = "../../fixtures/violations/nki_indirect_mode/wrong_default.py";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = std::fs::read_to_string(path).unwrap();
    let places = |text: &str| -> Vec<String> {
        let (db, file) = alone(text);
        let report = Nki.report(&db, file);
        let found = report.findings.iter();
        let found = found.filter(|one| one.rule.name == "nki_indirect_mode");
        let place = |span: visa_findings::TextSpan| span.start as usize..span.end as usize;
        found.map(|one| text[place(one.span)].to_owned()).collect()
    };
    assert_eq!(places(&text), ["mode"]);
    let call = "gather(table, rows, tile)";
    let stated = text.replace(call, "gather(table, rows, tile, modes.swdge)");
    assert_eq!(places(&stated), [""; 0]);
    // Callers that do not agree say nothing.
    let both = text.replace(
        call,
        &format!("{call}; gather(table, rows, tile, modes.swdge)"),
    );
    assert_eq!(places(&both), [""; 0]);
}

const TEXT: &str = "import nki
import nki.isa as nisa
import nki.language as nl

TILE = 128

def copied(x, rows):
    tile = nl.ndarray((rows, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile

@nki.jit
def first(x):
    assert x.shape == (128, 64)
    tile = copied(x, TILE)
    nisa.dma_copy(dst=x, src=tile)

@nki.jit
def second(x):
    assert x.shape == (128, 64)
    nisa.dma_copy(dst=x, src=copied(x, 128))
";

/// How often each query ran behind an edit.
fn edited(db: &mut AnalysisDatabase, text: &str) -> BTreeMap<String, usize> {
    db.set_project([("a.py", text)], Vec::new(), Options::default());
    let file = db.file("a.py").unwrap();
    let report = Nki.report(db, file);
    assert_eq!(report.transfers.len(), 3, "{report:?}");
    assert!(
        report
            .transfers
            .iter()
            .all(|site| site.unresolved.is_none())
    );
    let mut counts = BTreeMap::new();
    for event in db.take_events() {
        let name = event.split('(').next().unwrap_or_default().to_owned();
        *counts.entry(name).or_insert(0) += 1;
    }
    counts
}

fn count(counts: &BTreeMap<String, usize>, name: &str) -> usize {
    counts.get(name).copied().unwrap_or(0)
}

#[test]
fn an_edit_runs_its_own_function_again() {
    let (mut db, _) = alone(TEXT);
    let counts = edited(&mut db, TEXT);
    assert_eq!(
        count(&counts, "judged"),
        4,
        "functions and the rest: {counts:?}"
    );
    assert_eq!(count(&counts, "followed_rest"), 1);
    // A statement more in the second kernel; what it passes is as before.
    let text = TEXT.replace("src=copied(x, 128))", "src=copied(x, 128))\n    pass");
    let counts = edited(&mut db, &text);
    for (name, times) in [("read", 1), ("mentions", 1), ("judged", 1), ("analysed", 0)] {
        assert_eq!(count(&counts, name), times, "{name}: {counts:?}");
    }
    assert_eq!(count(&counts, "callers"), 0, "{counts:?}");
    // The helper above it: its callers, and nothing else; what is below moves and stays.
    let text = text.replace("    return tile", "    z = 3\n    return tile");
    let counts = edited(&mut db, &text);
    assert_eq!(count(&counts, "judged"), 3, "{counts:?}");
    // The first kernel, which is above the second.
    let text = text.replace("copied(x, TILE)\n", "copied(x, TILE)\n    # a remark\n");
    let counts = edited(&mut db, &text);
    assert_eq!(count(&counts, "judged"), 1, "{counts:?}");
    // An import concerns all functions, a comment only the rest.
    let counts = edited(
        &mut db,
        &text.replace("TILE = 128", "# of tiles\nTILE = 128"),
    );
    assert_eq!(count(&counts, "judged"), 1, "the rest: {counts:?}");
    assert_eq!(count(&counts, "followed_rest"), 1, "{counts:?}");
}

#[test]
fn an_edit_in_a_branch_runs_its_own_function_again() {
    // The same functions, the last one in a branch.
    let (head, functions) = TEXT.split_once("def copied").unwrap();
    let (helper, kernels) = functions.split_once("@nki.jit\ndef second").unwrap();
    let indented = |text: &str| text.replace('\n', "\n    ");
    let text = format!(
        "{head}def copied{helper}\nif TILE:\n    {}",
        indented(&format!("@nki.jit\ndef second{kernels}")).trim_end()
    );
    let (mut db, _) = alone(&text);
    let counts = edited(&mut db, &text);
    assert_eq!(count(&counts, "judged"), 4, "{counts:?}");
    let text = text.replace("src=copied(x, 128))", "src=copied(x, 128))\n        pass");
    let counts = edited(&mut db, &text);
    for (name, times) in [("read", 1), ("judged", 1), ("followed_rest", 0)] {
        assert_eq!(count(&counts, name), times, "{name}: {counts:?}");
    }
}

#[test]
fn what_a_caller_passes_reaches_the_function() {
    // The helper is judged by what all callers pass: rows of both kernels agree until one of them changes.
    let (mut db, _) = alone(TEXT);
    let text = TEXT
        .replace("(rows, 64)", "(rows + rows, 64)")
        .replace("src=copied(x, 128)", "src=x");
    db.set_project([("a.py", text.as_str())], Vec::new(), Options::default());
    let file = db.file("a.py").unwrap();
    let names: Vec<&str> = Nki
        .report(&db, file)
        .findings
        .iter()
        .map(|one| one.rule.name)
        .collect();
    assert!(names.contains(&"nki_partition_limit"), "{names:?}");
}
