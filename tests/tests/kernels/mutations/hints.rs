//! Hints about broken kernels are followed: what is found in 300 mutants, each fix and each text of a help.

use visa_tests::cases;
use visa_tests::hints::faults_of_all;
use visa_tests::threads::on_all_threads;

use crate::mutations::kinds::{KINDS, Mutant};
use crate::mutations::right_kernels;
use crate::mutations::source::Source;

/// How many mutants are tried.
const MUTANTS: usize = 300;

/// Where the choice of mutants begins; `SEED=7` chooses others.
const SEED: usize = 12;

/// The seed that the environment names.
fn seed() -> usize {
    let number = std::env::var("SEED").ok();
    number
        .and_then(|number| number.parse().ok())
        .unwrap_or(SEED)
}

/// Mutants that are tried: their kind, the path and the broken text.
pub(crate) fn chosen_mutants() -> Vec<(&'static str, String, String)> {
    let chosen = chosen();
    let texts = chosen.into_iter();
    texts
        .map(|(kind, path, mutant)| (kind, path, mutant.text))
        .collect()
}

fn chosen() -> Vec<(&'static str, String, Mutant)> {
    let (wanted, seed) = (cases(MUTANTS), seed());
    let files: Vec<(String, Source)> = right_kernels()
        .into_iter()
        .filter_map(|(path, text)| Some((path, Source::read(&text)?)))
        .collect();
    let broken: Vec<_> = KINDS.iter().filter(|kind| !kind.keeps_meaning).collect();
    let share = wanted.div_ceil(broken.len());
    let mut chosen: Vec<(&str, String, Mutant)> = Vec::new();
    for kind in &broken {
        let mutants: Vec<(&str, Mutant)> = files
            .iter()
            .flat_map(|(path, source)| {
                let made = (kind.make)(source).into_iter();
                made.map(move |made| (&**path, made))
            })
            .collect();
        // Evenly from all, from the seed's part of each stretch on.
        let share = share.min(mutants.len());
        let stretch = mutants.len().checked_div(share).unwrap_or(1);
        let mutants = mutants.into_iter().skip(seed * 7919 % stretch.max(1));
        let picked = mutants.step_by(stretch.max(1)).take(share);
        chosen.extend(picked.map(|(path, mutant)| (kind.name, path.to_owned(), mutant)));
    }
    assert!(chosen.len() >= wanted, "only {} mutants", chosen.len());
    chosen
}

#[test]
fn hints_about_mutants_are_followed() {
    let wanted = cases(MUTANTS);
    let chosen = chosen();
    let results = on_all_threads(&chosen, |(kind, path, mutant)| {
        let (tried, problems) = faults_of_all(path, &mutant.text);
        let line = mutant.text[..mutant.at.min(mutant.text.len())]
            .matches('\n')
            .count();
        let shown = mutant.text.lines().nth(line).unwrap_or("").trim();
        let problems: Vec<String> = problems
            .into_iter()
            .map(|problem| format!("{kind}: {path}:{}: {shown}\n  {problem}", line + 1))
            .collect();
        (tried, problems)
    });
    let tried: usize = results.iter().map(|(tried, _)| tried).sum();
    let problems: Vec<String> = results
        .into_iter()
        .flat_map(|(_, problems)| problems)
        .collect();
    println!("{tried} hints about {} mutants", chosen.len());
    assert!(tried > wanted / 2, "only {tried} hints");
    assert!(
        problems.is_empty(),
        "{} of {tried} hints\n{}",
        problems.len(),
        problems.join("\n")
    );
}
