//! What a fix has no business with stays: remarks, line breaks, the mark of the byte order.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use visa_analysis::{Trust, fix_all};
use visa_tests::threads::on_all_threads;
use visa_tests::{cases, read, repository, rust_files, shown, workspace_of};

/// Wrong kernels of an ordinary run.
const KERNELS: usize = 120;
/// Remarks that a kernel gets.
const REMARKS: usize = 12;

/// Wrong kernels by their paths.
fn kernels() -> Vec<(String, String)> {
    let files = rust_files(&repository().join("fixtures/violations"));
    let step = (files.len() / cases(KERNELS)).max(1);
    let files = files.iter().filter(|path| shown(path).contains("/wrong"));
    files
        .step_by(step)
        .map(|path| (shown(path), read(path)))
        .collect()
}

/// What the fixes make of a text that stands in the place of another one, whose first line says the dialect.
fn fixed(path: &str, original: &str, text: &str, trust: Trust) -> String {
    let mut workspace = workspace_of(path, original);
    workspace.set_file(path, text);
    fix_all(&mut workspace, trust);
    let fixed = workspace.files().next();
    fixed.map(|(_, text)| text.to_string()).unwrap_or_default()
}

/// Where a remark may stand between two tokens: behind a space, a comma or an opening bracket of a line without strings and remarks.
fn gaps(text: &str) -> Vec<usize> {
    let mut gaps = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if !line.contains("//") && !line.contains(['"', '\'']) {
            let ends = line.match_indices([' ', ',', '(', '[']);
            gaps.extend(ends.map(|(at, _)| start + at + 1));
        }
        start += line.len();
    }
    gaps
}

/// The text with remarks at random places, some to the end of a line.
fn with_remarks(text: &str, random: &mut SmallRng) -> (String, Vec<String>) {
    let gaps = gaps(text);
    let mut places: Vec<usize> = (0..REMARKS)
        .filter_map(|_| gaps.get(random.random_range(0..gaps.len().max(1))).copied())
        .collect();
    places.sort_unstable();
    places.dedup();
    let (mut result, mut remarks) = (text.to_owned(), Vec::new());
    for (number, place) in places.iter().enumerate().rev() {
        let remark = if random.random_bool(0.5) {
            format!("/* remark {number}. */")
        } else {
            format!("// remark {number}.")
        };
        let end = if remark.starts_with("//") { "\n" } else { " " };
        result.insert_str(*place, &format!("{remark}{end}"));
        remarks.push(remark);
    }
    (result, remarks)
}

#[test]
fn remarks_stay_whatever_is_fixed() {
    let kernels: Vec<(usize, (String, String))> = kernels().into_iter().enumerate().collect();
    let lost = on_all_threads(&kernels, |(number, (path, text))| {
        let mut random = SmallRng::seed_from_u64(*number as u64);
        let (remarked, remarks) = with_remarks(text, &mut random);
        let mut lost = Vec::new();
        let mut changed = 0;
        for trust in [Trust::Machine, Trust::Maybe] {
            let fixed = fixed(path, text, &remarked, trust);
            changed += usize::from(fixed != remarked);
            for remark in remarks.iter().filter(|remark| !fixed.contains(*remark)) {
                lost.push(format!(
                    "{path}: {trust:?} drops `{remark}` of\n{remarked}\n----\n{fixed}"
                ));
            }
        }
        (changed, lost)
    });
    let changed: usize = lost.iter().map(|(changed, _)| changed).sum();
    assert!(
        changed > kernels.len() / 3,
        "{changed} of {}",
        kernels.len()
    );
    let lost: Vec<String> = lost.into_iter().flat_map(|(_, lost)| lost).collect();
    assert!(lost.is_empty(), "{}", lost.join("\n\n"));
}

#[test]
fn line_breaks_and_the_mark_of_the_byte_order_stay() {
    let kernels = kernels();
    let wrong = on_all_threads(&kernels, |(path, text)| {
        let with_returns = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
        let plain = fixed(path, text, text, Trust::Machine);
        let other = fixed(path, text, &with_returns(text), Trust::Machine);
        (other != with_returns(&plain)).then(|| format!("{path}:\n{other}"))
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn the_remarks_of_a_cast_stay() {
    let text = "use furiosa_opt_std::prelude::*;

axes![
    S = 256,
    K = // tokens, of the prompt
        64,
];

#[device(chip = 1, pe = 4)]
fn kernel(device: &mut Device, x: &HbmTensor<i32, m![1], m![S, K]>) -> HbmTensor<i8, m![1], m![S, K]> {
    let x: DmTensor<i32, m![1], m![1], m![S], m![K]> = x.to_dm(&mut device.tdma);
    let y: DmTensor<i8, m![1], m![1], m![S], m![K]> = device
        .main
        .begin(x.view())
        .fetch::<m![K / 8], m![K % 8]>()
        .collect::<m![K / 8], m![K % 8]>()
        .cast::<i8, m![
            K % 8 // a flit of the input
            # 16 // TODO: ask hardware whether 32
        ]>()
        .commit_trim::<m![K % 8]>()
        .commit();
    y.to_hbm(&mut device.tdma)
}
";
    let fixed = fixed("src/lib.rs", text, text, Trust::Machine);
    // A flit has 32 bytes, and an element one.
    assert_eq!(fixed, text.replace("# 16 //", "# 32 //"));
}
