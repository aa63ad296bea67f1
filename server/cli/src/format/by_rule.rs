//! Findings counted by rule, for people who have many.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use visa_analysis::Level;

use super::common::{is_fixable, level_word};
use crate::outline::{Finding, Outline};

/// As many findings are read as they are.
const HANDFUL: usize = 5;

/// How often a rule fires at a level, and how many of its findings have fixes.
#[derive(Default)]
struct Counts {
    all: u64,
    fixable: u64,
    unsafely: u64,
}

/// A line a rule, the errors first: how often it fires, and how many of its findings are fixable. Nothing where there are few.
pub(super) fn rule_table(outline: &Outline<'_>) -> Option<String> {
    if outline.unsuppressed_findings().count() <= HANDFUL {
        return None;
    }
    let mut rules: BTreeMap<(Reverse<Level>, &str), Counts> = BTreeMap::new();
    for finding in outline.unsuppressed_findings() {
        let key = (Reverse(finding.level), finding.diagnostic.rule);
        rules.entry(key).or_default().add(finding);
    }
    let mut rows: Vec<[String; 4]> = vec![["rule", "level", "count", "fixable"].map(str::to_owned)];
    let mut rules: Vec<_> = rules.into_iter().collect();
    rules.sort_by_key(|((level, _), counts)| (*level, Reverse(counts.all)));
    rows.extend(rules.iter().map(|((Reverse(level), rule), counts)| {
        let level = level_word(*level).to_owned();
        [
            (*rule).to_owned(),
            level,
            counts.all.to_string(),
            counts.counts_text(),
        ]
    }));
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let [rule, level, count] = [0, 1, 2].map(width);
    let lines = rows.iter().map(|[first, second, third, last]| {
        let line = format!("{first:rule$}  {second:level$}  {third:>count$}  {last}");
        format!("{}\n", line.trim_end())
    });
    Some(lines.collect())
}

impl Counts {
    fn add(&mut self, finding: &Finding) {
        let is_sure = is_fixable(finding);
        self.all += 1;
        self.fixable += u64::from(is_sure);
        self.unsafely += u64::from(!is_sure && !finding.diagnostic.fixes.is_empty());
    }

    /// `4`, `2 unsafe`, `4, 2 unsafe`, or nothing.
    fn counts_text(&self) -> String {
        match (self.fixable, self.unsafely) {
            (0, 0) => String::new(),
            (fixable, 0) => fixable.to_string(),
            (0, unsafely) => format!("{unsafely} unsafe"),
            (fixable, unsafely) => format!("{fixable}, {unsafely} unsafe"),
        }
    }
}
