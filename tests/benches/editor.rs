//! What an editor waits for: keystroke to published diagnostics, hover, inlay hints, the beginning and the first check, on a
//! file of 2,000 lines in a project of 100 files, and digits typed into kernels of 50 and 1,000 operations, right and with one
//! fault in ten operations. `cargo bench -p visa-tests --bench editor` prints the figures of a server in
//! the process and of the program over standard input and output, beside what each may take; a figure beyond it ends the run
//! with exit code 1 where `VISA_BENCH_STRICT` is set.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    reason = "the client fails by panicking, as in the tests"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tower_lsp::ls_types::notification::{Initialized, PublishDiagnostics};
use tower_lsp::ls_types::request::{Initialize, WorkspaceDiagnosticRequest};
use tower_lsp::ls_types::{
    InitializedParams, PartialResultParams, Uri, WorkDoneProgressParams, WorkspaceDiagnosticParams,
    WorkspaceDiagnosticReportResult,
};
use visa_tests::corpus;
use visa_tests::typing::{EDITED, Keystroke, project, scripts};

use support::{Client, Setup, Wire, edit, uri_of};

#[allow(dead_code, unused_imports, reason = "the tests use all of it")]
#[path = "../tests/server/support/mod.rs"]
mod support;

/// The file of a kernel that is alone.
const KERNEL: &str = "src/lib.rs";
/// Lines of a file of the current library.
const CURRENT_LINES: usize = 2_000;
/// Repetitions of a question.
const REPETITIONS: usize = 200;
/// Servers that are started for the figures of the beginning.
const STARTS: usize = 40;

/// A kind of server, and what its figures may take.
struct Kind {
    name: &'static str,
    start: fn() -> Wire,
    keystroke: Duration,
    /// Pause behind the end of one.
    rest: Duration,
}

const MILLISECOND: Duration = Duration::from_millis(1);

fn kinds() -> [Kind; 2] {
    [
        Kind {
            name: "in the process",
            start: support::in_process,
            keystroke: 5 * MILLISECOND,
            rest: 200 * MILLISECOND,
        },
        Kind {
            name: "over stdio",
            start: support::program,
            keystroke: 10 * MILLISECOND,
            rest: Duration::ZERO,
        },
    ]
}

/// Prints the median and the 95th percentile of times. Whether the latter is within what it may take.
fn tell(what: &str, mut times: Vec<Duration>, budget: Duration) -> bool {
    times.sort();
    let percentile = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    let fine = percentile(95) <= budget;
    println!(
        "  {what}: median {:.2?}, 95th percentile {:.2?} of {} (may take {budget:?}){}",
        percentile(50),
        percentile(95),
        times.len(),
        if fine { "" } else { "  BEYOND" }
    );
    fine
}

/// The line and column in bytes of a byte.
fn place(text: &str, offset: usize) -> (u32, u32) {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (
        u32::try_from(line).unwrap(),
        u32::try_from(offset - start).unwrap(),
    )
}

/// Writes a package.
fn write_package(folder: &Path, files: &[(String, String)]) {
    std::fs::write(
        folder.join("Cargo.toml"),
        "[package]\nname = \"kernels\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    )
    .unwrap();
    std::fs::create_dir(folder.join("src")).unwrap();
    for (path, text) in files {
        std::fs::write(folder.join(path), text).unwrap();
    }
}

fn write_project(folder: &Path) -> String {
    let files = project();
    write_package(folder, &files);
    let edited = files.into_iter().find(|(path, _)| path == EDITED);
    edited.unwrap().1
}

/// Ends a server. One of this process gives its memory back when it has ended, which is not what the next one takes; a program
/// has given all of it back when it is gone.
fn end(kind: &Kind, client: Client) {
    client.finish();
    std::thread::sleep(kind.rest);
}

/// From the start of the server to the answer of `initialize`, and from there to the diagnostics of all files.
fn beginning(kind: &Kind, folder: &Path) -> bool {
    let (mut initialize, mut first) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let setup = Setup::utf8().folder(folder);
        let since = Instant::now();
        let mut client = Client::new((kind.start)());
        let id = client.send_raw("initialize", Some(setup.initialize));
        client.response::<Initialize>(id).unwrap();
        initialize.push(since.elapsed());
        let since = Instant::now();
        client.notify::<Initialized>(InitializedParams {});
        let report = client.request::<WorkspaceDiagnosticRequest>(WorkspaceDiagnosticParams {
            identifier: None,
            previous_result_ids: Vec::new(),
            work_done_progress_params: WorkDoneProgressParams::default(),
            partial_result_params: PartialResultParams::default(),
        });
        first.push(since.elapsed());
        assert!(matches!(report, WorkspaceDiagnosticReportResult::Report(_)));
        end(kind, client);
    }
    let initialize = tell("start and initialize", initialize, 40 * MILLISECOND);
    let first = tell("first diagnostics of 100 files", first, 150 * MILLISECOND);
    initialize && first
}

/// Types a script, waiting for the diagnostics of each keystroke.
fn typed(
    client: &mut Client,
    uri: &Uri,
    text: &mut String,
    version: &mut i32,
    keys: &[Keystroke],
) -> Vec<Duration> {
    let mut times = Vec::new();
    for key in keys {
        let change = edit(place(text, key.start), place(text, key.end), &key.text);
        text.replace_range(key.start..key.end, &key.text);
        *version += 1;
        let since = Instant::now();
        client.change(uri, *version, vec![change]);
        while published(client, uri) != Some(*version) {}
        times.push(since.elapsed());
    }
    times
}

/// The version of the next diagnostics of a document.
fn published(client: &mut Client, uri: &Uri) -> Option<i32> {
    let told = client.notification::<PublishDiagnostics>();
    (told.uri == *uri).then_some(told.version).flatten()
}

fn asked(client: &mut Client, method: &str, params: impl Fn(usize) -> Value) -> Vec<Duration> {
    let mut times = Vec::new();
    let mut answers = 0;
    for number in 0..REPETITIONS {
        let since = Instant::now();
        let answer = client.request_raw(method, params(number));
        times.push(since.elapsed());
        answers += usize::from(!answer.is_null());
    }
    assert!(answers > REPETITIONS / 4, "{method}: {answers} answers");
    times
}

fn editing(kind: &Kind, folder: &Path, text: &str) -> bool {
    let setup = Setup::utf8().folder(folder).pushed();
    let mut client = setup.start((kind.start)());
    client.ignore("textDocument/publishDiagnostics");
    let uri = uri_of(&folder.join(EDITED));
    let mut text = text.to_owned();
    let mut version = 1;
    client.open(&uri, &text);
    while published(&mut client, &uri) != Some(1) {}
    // What is first checked of the rest of the project is not what a keystroke waits for.
    std::thread::sleep(Duration::from_secs(2));
    let mut fine = true;
    for (name, keys) in scripts(&text.clone()) {
        let times = typed(&mut client, &uri, &mut text, &mut version, &keys);
        let what = format!("keystroke to diagnostics, {name}");
        fine &= tell(&what, times, kind.keystroke);
    }
    let lines = u32::try_from(text.lines().count()).unwrap();
    let document = json!({ "uri": uri.as_str() });
    let names: Vec<usize> = text
        .match_indices("m![")
        .map(|(index, _)| index + 3)
        .collect();
    let times = asked(&mut client, "textDocument/hover", |number| {
        let (line, character) = place(&text, names[number * 7 % names.len()]);
        json!({ "textDocument": document, "position": { "line": line, "character": character } })
    });
    fine &= tell("hover", times, 2 * MILLISECOND);
    let range = |start: u32, end: u32| {
        json!({
            "textDocument": document,
            "range": {
                "start": { "line": start, "character": 0 },
                "end": { "line": end, "character": 0 },
            },
        })
    };
    let times = asked(&mut client, "textDocument/inlayHint", |number| {
        let start = u32::try_from(number * 37).unwrap() % lines;
        range(start, start + 60)
    });
    fine &= tell("inlay hints of 60 lines", times, 3 * MILLISECOND);
    let times = asked(&mut client, "textDocument/inlayHint", |_| range(0, lines));
    fine &= tell("inlay hints of the file", times, 3 * MILLISECOND);
    end(kind, client);
    fine
}

/// Digits typed into files that are alone in their package, right and with faults: kernels of the book's library, and a file of
/// many functions of the current one.
fn alone(kind: &Kind) -> bool {
    let mut fine = true;
    for faults in corpus::Kind::ALL {
        for (operations, budget) in [(48, MILLISECOND), (1_000, 5 * MILLISECOND)] {
            let text = corpus::kernel(operations, faults);
            let keys = corpus::numbers_typed(&text);
            let what = format!("a digit in a kernel of {operations} operations");
            fine &= typed_alone(kind, text, &keys, (what, faults, budget));
        }
        let text = corpus::current_file(CURRENT_LINES, faults);
        let keys = corpus::current_numbers_typed(&text);
        let what = format!("a digit in {CURRENT_LINES} lines of the current library");
        fine &= typed_alone(kind, text, &keys, (what, faults, kind.keystroke));
    }
    fine
}

fn typed_alone(
    kind: &Kind,
    mut text: String,
    keys: &[Keystroke],
    (what, faults, budget): (String, corpus::Kind, Duration),
) -> bool {
    let folder = tempfile::tempdir().unwrap();
    write_package(folder.path(), &[(KERNEL.to_owned(), text.clone())]);
    let setup = Setup::utf8().folder(folder.path()).pushed();
    let mut client = setup.start((kind.start)());
    client.ignore("textDocument/publishDiagnostics");
    let uri = uri_of(&folder.path().join(KERNEL));
    let mut version = 1;
    client.open(&uri, &text);
    while published(&mut client, &uri) != Some(1) {}
    std::thread::sleep(kind.rest);
    let times = typed(&mut client, &uri, &mut text, &mut version, keys);
    let fine = tell(&format!("{what}, {}", faults.name()), times, budget);
    end(kind, client);
    fine
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let text = write_project(folder.path());
    println!(
        "{} files, {} lines in the edited one",
        project().len(),
        text.lines().count()
    );
    let mut fine = true;
    for kind in kinds() {
        println!("{}:", kind.name);
        fine &= alone(&kind);
        fine &= beginning(&kind, folder.path());
        fine &= editing(&kind, folder.path(), &text);
    }
    if !fine && std::env::var_os("VISA_BENCH_STRICT").is_some() {
        std::process::exit(1);
    }
}
