//! Random texts: no question about any of them ends in a defect, and a text that came after others has the findings that it
//! has alone.
//!
//! `VISA_TIMES` multiplies how many texts there are.

use rand::rngs::SmallRng;
use rand::{Rng, RngCore, SeedableRng};
use visa_tests::hostile::{
    Choices, ITEMS, NKI, PTO, crossed_is_fresh, edited_is_fresh, edited_is_fresh_in, examine,
    examine_in, of_words, of_words_in, sound, spliced, spliced_in, workspace,
};
use visa_tests::{kernel_files, read, repository, rust_files, set_text};

/// Texts of a test run.
const TEXTS: usize = 1_500;
/// Texts that one workspace sees before it is given up.
const A_WORKSPACE: u64 = 250;

fn texts() -> u64 {
    visa_tests::cases(TEXTS) as u64
}

fn kernels() -> Vec<String> {
    let files = rust_files(&repository().join("fixtures"));
    // A line that names a dialect is read once, when a workspace is made: edits of it say nothing.
    let text = |file| {
        let lines = read(file);
        match lines.split_once('\n') {
            Some((first, rest)) if first.starts_with("// dialect:") => rest.to_owned(),
            _ => lines,
        }
    };
    files.iter().map(|file| text(file)).collect()
}

/// The text of a number: the same for the same number.
fn text(number: u64, kernels: &[String]) -> String {
    let mut random = SmallRng::seed_from_u64(number);
    let mut bytes = vec![0; random.random_range(1..160)];
    random.fill_bytes(&mut bytes);
    let kernel = random.random_range(0..kernels.len());
    match number % 8 {
        0 => String::from_utf8_lossy(&bytes).into_owned(),
        1 => of_words(Choices::new(&bytes)),
        _ => spliced(&kernels[kernel], Choices::new(&bytes)),
    }
}

#[test]
fn random_texts_have_sound_answers_whatever_came_before() {
    let kernels = kernels();
    let (all, threads) = (texts(), 2);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let kernels = &kernels;
            scope.spawn(move || {
                let mut warm = workspace("");
                for number in (thread..all).step_by(usize::try_from(threads).unwrap()) {
                    if number / threads % A_WORKSPACE == 0 {
                        warm = workspace("");
                    }
                    let text = text(number, kernels);
                    set_text(&mut warm, "src/k.rs", &text);
                    let found = warm.analysis().check_file("src/k.rs");
                    let fresh = workspace(&text).analysis().check_file("src/k.rs");
                    assert_eq!(found, fresh, "text {number}:\n{text}");
                    sound(&found, &text)
                        .unwrap_or_else(|why| panic!("text {number}: {why}\n{text}"));
                    // The other questions take long; every sixteenth text is asked all of them.
                    if number % 16 < 2 {
                        examine(&text).unwrap_or_else(|why| panic!("text {number}: {why}\n{text}"));
                    }
                }
            });
        }
    });
}

#[test]
fn random_edits_have_the_findings_of_a_fresh_start() {
    let kernels = kernels();
    for number in 0..texts() / 100 {
        let mut random = SmallRng::seed_from_u64(number);
        let mut bytes = vec![0; 120];
        random.fill_bytes(&mut bytes);
        let kernel = random.random_range(0..kernels.len());
        edited_is_fresh(&kernels[kernel], Choices::new(&bytes))
            .unwrap_or_else(|why| panic!("edits {number}: {why}"));
    }
}

#[test]
fn random_items_have_sound_answers() {
    for number in 0..texts() / 4 {
        let mut random = SmallRng::seed_from_u64(number);
        let mut bytes = vec![0; random.random_range(1..120)];
        random.fill_bytes(&mut bytes);
        let text = of_words_in(&ITEMS, Choices::new(&bytes));
        examine_in(&ITEMS, &text).unwrap_or_else(|why| panic!("text {number}: {why}\n{text}"));
    }
}

#[test]
fn random_edits_of_macros_across_files_have_the_findings_of_a_fresh_start() {
    for number in 0..texts() / 50 {
        let mut random = SmallRng::seed_from_u64(number);
        let mut bytes = vec![0; 160];
        random.fill_bytes(&mut bytes);
        crossed_is_fresh(Choices::new(&bytes))
            .unwrap_or_else(|why| panic!("edits {number}: {why}"));
    }
}

/// Random bytes, words in any order and edited fixtures of PTO and NKI; some are edited step by step and compared with a fresh start.
#[test]
fn random_texts_of_other_languages_have_sound_answers() {
    let files = kernel_files(&repository().join("fixtures/violations"));
    for (sort, ending) in [(PTO, "pto"), (NKI, "py")] {
        let kernels: Vec<String> = files
            .iter()
            .filter(|path| path.extension().is_some_and(|found| found == ending))
            .map(|path| read(path))
            .collect();
        assert!(kernels.len() > 40, "{} kernels", kernels.len());
        for number in 0..texts() / 2 {
            let mut random = SmallRng::seed_from_u64(number);
            let mut bytes = vec![0; random.random_range(1..160)];
            random.fill_bytes(&mut bytes);
            let kernel = &kernels[random.random_range(0..kernels.len())];
            let result = match number % 8 {
                0 => examine_in(
                    &sort,
                    &(sort.head.to_owned() + &String::from_utf8_lossy(&bytes)),
                ),
                1 | 2 => examine_in(&sort, &of_words_in(&sort, Choices::new(&bytes))),
                3 => edited_is_fresh_in(&sort, kernel, Choices::new(&bytes)),
                _ => examine_in(&sort, &spliced_in(&sort, kernel, Choices::new(&bytes))),
            };
            if let Err(why) = result {
                panic!("text {number} of {ending}: {why}");
            }
        }
    }
}
