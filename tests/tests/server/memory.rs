//! What a session leaves behind in the server: after any number of edits it takes about as much memory as at the start.
//!
//! `VISA_TIMES` multiplies how many edits there are.

#![cfg(target_os = "linux")]

use std::fmt::Write;

use serde_json::json;
use tower_lsp::ls_types::Uri;

use super::support::{Client, Setup, document, edit, untitled, uri_of};

/// Edits of an ordinary run. What a kernel's analysis takes is left behind by each name of it, if anything leaves it: a tenth of
/// these are more than enough to tell.
const EDITS: usize = 400;
/// Edits of each kind before the start is measured, and between two looks at the memory.
const WARM_UP: usize = 100;
/// Operations of the kernel.
const OPERATIONS: usize = 80;

/// A part of the document that is typed into: what is before it, and in which line and column it begins.
struct Place {
    before: &'static str,
    /// What is typed there by the number of the edit.
    typed: fn(usize) -> String,
}

/// One of each kind. What is typed is as long each time, so that the places stay where they are.
const PLACES: [Place; 8] = [
    Place {
        before: "// remark ",
        typed: |number| format!("{number:06}"),
    },
    Place {
        before: "fn kernel_",
        typed: |number| format!("{number:06}"),
    },
    Place {
        before: "axes![X = 1024, A",
        typed: |number| format!("{number:06}"),
    },
    Place {
        before: "type T",
        typed: |number| format!("{number:06}"),
    },
    Place {
        before: "const C",
        typed: |number| format!("{number:06}"),
    },
    Place {
        before: "mod inner_",
        typed: |number| format!("{number:06}"),
    },
    Place {
        before: "const LOCAL_",
        typed: |number| format!("{number:06}"),
    },
    Place {
        before: "m![X / ",
        typed: |number| format!("{:06}", 1 + number % 1000),
    },
];

fn text() -> String {
    let mut text = "use furiosa_visa_std::prelude::*;
// remark 000000
axes![X = 1024, A000000 = 8];
type T000000 = m![X / 000001];
const C000000: usize = 8;
mod inner_000000 {
    use furiosa_visa_std::prelude::*;
    axes![I = 64];
    fn helper(x: &DmTensor<i8, m![1], m![1 # 2], m![1 # 256], m![I]>) {}
}
#[device(chip = 1)]
fn kernel_000000(ctx: &mut Context, x: &DmTensor<i8, m![1], m![1 # 2], m![1 # 256], m![X]>) {
    const LOCAL_000000: usize = 8;
"
    .to_owned();
    for number in 0..OPERATIONS {
        let address = number * 1024;
        let _ = writeln!(
            text,
            "    let y{number} = ctx.main.begin(x.view()).fetch::<i8, m![X / 32], m![X % 32]>()\
             .collect::<m![X / 32], m![X % 32]>().commit::<m![X]>({address});"
        );
    }
    text + "}\n"
}

/// Kilobytes of memory that the server's process holds.
fn resident(client: &Client) -> usize {
    let process = client.wire.process().unwrap();
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    let number = line.unwrap().split_whitespace().nth(1);
    number.unwrap().parse().unwrap()
}

fn asked(client: &mut Client, uri: &Uri) {
    let document = json!({ "textDocument": document(uri) });
    let report = client.request_raw("textDocument/diagnostic", document);
    assert_eq!(report["kind"], "full");
}

/// Types at one of the places.
fn typed(client: &mut Client, uri: &Uri, text: &str, number: usize) {
    let place = &PLACES[number % PLACES.len()];
    let start = text.find(place.before).unwrap() + place.before.len();
    let line = text[..start].matches('\n').count();
    let column = start - text[..start].rfind('\n').map_or(0, |end| end + 1);
    let [line, column] = [line, column].map(|number| u32::try_from(number).unwrap());
    let change = edit((line, column), (line, column + 6), &(place.typed)(number));
    client.change(uri, i32::try_from(number + 2).unwrap(), vec![change]);
    asked(client, uri);
}

/// Opens a document that nobody saw before, on a disk or on none, asks about it and closes it.
fn passed(client: &mut Client, folder: &std::path::Path, text: &str, number: usize) {
    let name = format!("loose_{number}.rs");
    let uri = match number % 2 {
        0 => untitled(&name),
        _ => uri_of(&folder.join(&name)),
    };
    client.open(&uri, &text.replace("000000", &format!("{number:06}")));
    asked(client, &uri);
    client.close(&uri);
}

#[test]
fn memory_stays_within_a_fifth_of_the_start() {
    let edits = visa_tests::cases(EDITS);
    let folder = tempfile::tempdir().unwrap();
    let mut client = Setup::utf16().program();
    let uri = untitled("session.rs");
    let text = text();
    client.open(&uri, &text);
    asked(&mut client, &uri);
    let mut looks = Vec::new();
    for number in 0..WARM_UP + edits {
        if number % 9 == 8 {
            passed(&mut client, folder.path(), &text, number);
        } else {
            typed(&mut client, &uri, &text, number);
        }
        if number % WARM_UP == WARM_UP - 1 {
            looks.push(resident(&client));
        }
    }
    println!("resident after every {WARM_UP} edits: {looks:?} kB");
    // The database is made again now and then, and a look falls before or after it: what stays behind raises all later looks.
    let (early, late) = looks.split_at(looks.len() / 2);
    let (most, least) = (early.iter().max().unwrap(), late.iter().min().unwrap());
    assert!(
        least * 5 <= most * 6,
        "{most} kB at most in the first half, {least} kB at least in the second: {looks:?}"
    );
    client.finish();
}
