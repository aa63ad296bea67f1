//! Tests of the call hierarchy.

use crate::CallLink;
use crate::EditorQuestions as _;
use crate::names::testing::{Marked, everywhere};

const LIBRARY: &str = "
use furiosa_visa_std::prelude::*;
mod steps;
mod host;
#[device(chip = 1)]
pub fn whole(ctx: &mut Context) { steps::load(ctx); steps::load(ctx); use steps::store as keep; keep::<m![1]>(ctx); }
fn unused() { plain(); }
fn plain() {}
";
const STEPS: &str = "
pub fn load(ctx: &mut Context) { both(ctx) }
pub fn store<M>(ctx: &mut Context) { both(ctx) }
fn both(ctx: &mut Context) {}
";
const HOST: &str = "
pub async fn run() { launch(super::whole, ()).await; }
struct Model;
impl Model { fn forward(&self) { wait!(launch(crate::whole, ())); self.whole(); } fn other(&self) {} }
#[test] fn works() { run(); }
";

fn marked(caret: &str) -> Marked {
    let with = |text: &str| text.replacen(caret, &format!("$0{caret}"), 1);
    Marked::new(&[
        ("a/src/lib.rs", &with(LIBRARY)),
        ("a/src/steps.rs", &with(STEPS)),
        ("a/src/host.rs", &with(HOST)),
    ])
}

fn lines(
    marked: &Marked,
    links: &[CallLink],
    sites_in: impl Fn(&CallLink) -> String,
) -> Vec<String> {
    links
        .iter()
        .map(|link| {
            let path = sites_in(link);
            let text = &marked
                .files
                .iter()
                .find(|(known, _)| *known == path)
                .unwrap()
                .1;
            let sites: Vec<&str> = link
                .sites
                .iter()
                .map(|site| &text[site.start as usize..site.end as usize])
                .collect();
            format!("{}: {}", link.item.name, sites.join(" "))
        })
        .collect()
}

/// The item at the declaration `caret`, who calls it and whom it calls.
#[track_caller]
fn check(caret: &str, name: &str, incoming: &[&str], outgoing: &[&str]) {
    let marked = marked(caret);
    let analysis = marked.analysis();
    let (path, start) = &marked.caret;
    let skipped = u32::try_from(caret.find(name).unwrap()).unwrap();
    let offset = start + skipped;
    let items = analysis.call_items(path, offset).unwrap();
    let [item] = items.as_slice() else {
        panic!("{items:?}");
    };
    assert_eq!(item.selection.start, offset);
    let found = analysis.incoming_calls(path, offset).unwrap();
    let found = lines(&marked, &found, |link| link.item.place.file.to_string());
    assert_eq!(found, incoming);
    let found = analysis.outgoing_calls(path, offset).unwrap();
    assert_eq!(lines(&marked, &found, |_| path.clone()), outgoing);
}

#[test]
fn kernels_helpers_and_launches() {
    check(
        "fn whole",
        "whole",
        &["run: whole", "Model::forward: whole"],
        &["load: load load", "store: keep"],
    );
    check("fn load", "load", &["whole: load load"], &["both: both"]);
    check("fn store", "store", &["whole: keep"], &["both: both"]);
    check("fn both", "both", &["load: both", "store: both"], &[]);
    check("fn run", "run", &["works: run"], &["whole: whole"]);
    check("fn forward", "forward", &[], &["whole: whole"]);
    check("fn works", "works", &[], &["run: run"]);
}

#[test]
fn asked_at_a_call() {
    let marked = marked("load(ctx); steps");
    let (path, offset) = &marked.caret;
    let items = marked.analysis().call_items(path, *offset).unwrap();
    assert_eq!(items.len(), 1);
    assert_eq!(items[0].name, "load");
    assert_eq!(&*items[0].place.file, "a/src/steps.rs");
    assert_eq!(items[0].detail, None);
}

#[test]
fn a_kernel_says_what_it_costs() {
    let marked = Marked::one(&crate::testing::KERNEL.replace("fn raise", "fn $0raise"));
    let (path, offset) = &marked.caret;
    let items = marked.analysis().call_items(path, *offset).unwrap();
    let cost = marked.analysis().costs(path).unwrap().remove(0);
    let total = crate::numbers::thousands(cost.total.unwrap());
    assert_eq!(items[0].detail, Some(format!("kernel, {total} cycles")));
}

#[test]
fn ordinary_functions_are_left_to_others() {
    for caret in ["fn unused", "fn plain", "fn other"] {
        let marked = marked(caret);
        let (path, start) = &marked.caret;
        assert_eq!(marked.analysis().call_items(path, start + 3).unwrap(), []);
    }
}

#[test]
fn anywhere_in_anything() {
    let text = include_str!("../../../../fixtures/kernels/right/helpers.rs");
    everywhere(text, |analysis, offset| {
        analysis.call_items("kernel.rs", offset).unwrap();
        analysis.incoming_calls("kernel.rs", offset).unwrap();
        analysis.outgoing_calls("kernel.rs", offset).unwrap();
    });
}
