//! After any edits, one after the other, the findings are those of a fresh start on the same texts.

use proptest::prelude::*;
use visa_analysis::{Package, Workspace};
use visa_tests::corpus::{self, Kind, kernel, numbers_typed};
use visa_tests::typing::replace;

const ROOT: &str = "mod shapes;\nmod kernels;\nmod others;\n";

const SHAPES: &str = "use furiosa_visa_std::prelude::*;
axes![L = 4096];
pub type Chip = m![1];
pub type Cluster = m![1 # 2];
pub type Slice = m![L / 16];
pub const NEXT: u64 = 1 << 13;
";

const KERNELS: &str = "use furiosa_visa_std::prelude::*;
use crate::shapes::{Chip, Cluster, L, NEXT, Slice};

pub fn load(ctx: &mut Context, rows: &HbmTensor<i32, Chip, m![L]>, at: u64) -> DmTensor<i32, Chip, Cluster, Slice, m![L % 16]> {
    // a remark
    rows.to_dm(&mut ctx.tdma, at)
}

#[device(chip = 1)]
fn first(ctx: &mut Context, rows: &HbmTensor<i32, Chip, m![L]>) -> HbmTensor<i32, Chip, m![L]> {
    let rows = load(ctx, rows, 4);
    let turned = ctx
        .main
        .begin(rows.view())
        .fetch::<i32, m![1], m![L % 16]>()
        .collect::<m![L / 8 % 2], m![L % 8]>()
        .commit::<m![L % 16]>(NEXT);
    turned.to_hbm(&mut ctx.tdma, 1 << 20)
}
";

const OTHERS: &str = "use furiosa_visa_std::prelude::*;
use crate::kernels::load;
use crate::shapes::{Chip, L};

#[device(chip = 1)]
fn second(ctx: &mut Context, rows: &HbmTensor<i32, Chip, m![L]>) -> HbmTensor<i32, Chip, m![L]> {
    let rows = load(ctx, rows, 8192);
    rows.to_hbm(&mut ctx.tdma, 1 << 21)
}
";

const PATHS: [&str; 4] = [
    "src/lib.rs",
    "src/shapes.rs",
    "src/kernels.rs",
    "src/others.rs",
];
const TEXTS: [&str; 4] = [ROOT, SHAPES, KERNELS, OTHERS];

const PIECES: &[&str] = &[
    "",
    "",
    "8",
    "4096",
    ", 4",
    "L",
    "m![",
    "]",
    "{",
    "}",
    "(",
    ")",
    ";",
    "\n",
    " ",
    "// x\n",
    "/*",
    "\"",
    "'",
    "load",
    "mod shapes;",
    "fn g() {}",
    "use crate::shapes::*;",
    "#[allow(tcp::all)]",
    "// visa-lint: allow(dma_alignment)\n",
    "é",
    "A = 2",
];

fn workspace(texts: &[String; 4]) -> Workspace {
    let mut workspace = Workspace::new();
    workspace.set_packages(vec![Package {
        name: "kernels".into(),
        root: "".into(),
    }]);
    workspace.set_files(PATHS.iter().copied().zip(texts.iter().map(String::as_str)));
    workspace
}

fn boundary(text: &str, wanted: usize) -> usize {
    (0..=wanted.min(text.len()))
        .rev()
        .find(|byte| text.is_char_boundary(*byte))
        .unwrap_or(0)
}

/// Which file, where of ten thousand, how much is deleted, what is typed.
fn edit() -> impl Strategy<Value = (usize, usize, usize, usize)> {
    (
        prop_oneof![1 => Just(0_usize), 2 => Just(1), 6 => Just(2), 2 => Just(3)],
        0..10_000_usize,
        prop_oneof![2 => Just(0_usize), 3 => 1..4_usize, 1 => 0..200_usize],
        0..PIECES.len(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 64, ..ProptestConfig::default() })]

    #[test]
    fn findings_after_edits_are_those_of_a_fresh_start(edits in prop::collection::vec(edit(), 1..16)) {
        let mut texts = TEXTS.map(str::to_owned);
        let mut edited = workspace(&texts);
        prop_assert_eq!(edited.analysis().check_all().operations.resolved, 4);
        // The others are prepared by their first edit.
        edited.open_file("src/kernels.rs");
        for (place, start, deleted, piece) in edits {
            let (Some(path), Some(text), Some(piece)) = (PATHS.get(place), texts.get_mut(place), PIECES.get(piece)) else {
                continue;
            };
            let start = boundary(text, text.len() * start / 10_000);
            let end = boundary(text, start + deleted).max(start);
            text.replace_range(start..end, piece);
            edited.set_file(path, text);
            let (found, fresh) = (edited.analysis().check_all(), workspace(&texts).analysis().check_all());
            prop_assert_eq!(found, fresh, "{}", texts.join("\n----\n"));
        }
    }
}

#[test]
fn typing_and_deleting_ends_where_it_began() {
    let texts = TEXTS.map(str::to_owned);
    let mut edited = workspace(&texts);
    edited.open_file("src/kernels.rs");
    let before = edited.analysis().check_all();
    let start = KERNELS.find("// a remark").unwrap_or(0);
    for keystroke in visa_tests::typing::typed_and_deleted(start, "let x = rows.view(); // é\n") {
        let mut text = edited
            .files()
            .find(|(path, _)| &***path == "src/kernels.rs")
            .map(|(_, text)| text.to_string())
            .unwrap_or_default();
        text.replace_range(keystroke.start..keystroke.end, &keystroke.text);
        edited.set_file("src/kernels.rs", &text);
        let _ = edited.analysis().check_file("src/kernels.rs");
    }
    assert_eq!(edited.analysis().check_all(), before);
    // The load, the pass and the two stores.
    assert_eq!(before.operations.resolved, 4);
}

/// What is between two statements, and inside of one, in kernels that are typed into.
fn with_remarks(kernel: &str) -> String {
    let chained = kernel.replace(".collect", "/* in flits */\n        .collect");
    let mut text = String::new();
    for (number, line) in chained.lines().enumerate() {
        text.push_str(line);
        text.push_str(if number % 5 == 4 {
            " // so far\n"
        } else {
            "\n"
        });
    }
    text
}

#[test]
fn findings_of_a_kernel_that_is_typed_into_are_those_of_a_fresh_start() {
    const PATH: &str = "src/lib.rs";
    let remarked = with_remarks(&kernel(24, Kind::Faulty));
    let mut with_findings = 0;
    for mut text in [kernel(24, Kind::Right), remarked] {
        let mut edited = corpus::workspace(&vec![(PATH.to_owned(), text.clone())]);
        edited.open_file(PATH);
        for key in numbers_typed(&text) {
            text = replace(&text, &key);
            edited.set_file(PATH, &text);
            let found = edited.analysis().check_all();
            let fresh = corpus::workspace(&vec![(PATH.to_owned(), text.clone())]);
            assert_eq!(found, fresh.analysis().check_all(), "{text}");
            with_findings += usize::from(!found.diagnostics.is_empty());
        }
    }
    assert!(with_findings > 10, "{with_findings}");
}
