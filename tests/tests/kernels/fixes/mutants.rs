//! Fixes of random mutants of right kernels.

use visa_analysis::{Applicability, FileReport};
use visa_tests::hints::applied;
use visa_tests::{check_completed, check_text, line_of, visible};

use super::{assert_none, brought_along, faults, fixtures};

/// What is wrong behind a fix, its finding left or others brought along.
fn faults_of_mutant(before: &FileReport, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for diagnostic in visible(before) {
        for fix in &diagnostic.fixes {
            let after = check_text(&before.path, &applied(text, &fix.edits));
            let mut found = faults(before, &after, diagnostic, fix, text);
            if fix.applicability == Applicability::Machine {
                found.extend(brought_along(before, &after, diagnostic));
            }
            problems.extend(found.into_iter().map(|fault| {
                let fix = format!("{:?} \"{}\"", fix.applicability, fix.title);
                format!("{}\n  {fix}: {fault}", line_of(diagnostic))
            }));
        }
    }
    problems
}

/// A generator of the kind of Knuth's MMIX, for mutants that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % bound.max(1)
    }
}

/// The numbers of a text behind its imports, as byte ranges.
fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let start = text.find("axes!").unwrap_or(0);
    let mut numbers: Vec<std::ops::Range<usize>> = Vec::new();
    let mut word = false;
    for (place, letter) in text.char_indices().filter(|(place, _)| *place >= start) {
        let digit = letter.is_ascii_digit();
        match numbers.last_mut() {
            Some(last) if digit && last.end == place => last.end += 1,
            _ if digit && !word => numbers.push(place..place + 1),
            _ => {}
        }
        word = letter.is_ascii_alphanumeric() || letter == '_';
    }
    numbers
}

/// The text with one of its numbers changed a little.
fn mutant(text: &str, random: &mut Random) -> Option<String> {
    let numbers = numbers(text);
    let range = numbers.get(random.below(numbers.len()))?.clone();
    let number: u64 = text.get(range.clone())?.parse().ok()?;
    let other = match random.below(5) {
        0 => number + 1,
        1 => number.saturating_sub(1),
        2 => number * 2,
        3 => number / 2,
        _ => number + 4,
    };
    let mut mutant = text.to_owned();
    mutant.replace_range(range, &other.to_string());
    Some(mutant)
}

#[test]
fn fixes_of_random_mutants_mend_their_findings() {
    let mutants = visa_tests::cases(150);
    let right: Vec<_> = fixtures()
        .into_iter()
        .filter(|(path, _)| path.contains("/right"))
        .collect();
    let mut random = Random(7);
    let mut problems = Vec::new();
    let mut tried = 0;
    for _ in 0..mutants {
        let Some((path, text)) = right.get(random.below(right.len())) else {
            continue;
        };
        let Some(mutant) = mutant(text, &mut random) else {
            continue;
        };
        let report = check_completed(path, &mutant);
        tried += visible(&report).flat_map(|found| &found.fixes).count();
        let changed = text
            .lines()
            .zip(mutant.lines())
            .find(|(one, two)| one != two);
        let line = changed.map_or("", |(_, line)| line.trim());
        problems.extend(
            faults_of_mutant(&report, &mutant)
                .into_iter()
                .map(|fault| format!("{path}: with `{line}`: {fault}")),
        );
    }
    assert!(tried > mutants / 4, "only {tried} fixes");
    assert_none(&problems);
}
