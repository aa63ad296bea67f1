//! Replacing a text so that the remarks in it stay: the tokens that differ are replaced, and no others.
//!
//! It knows tokens of Rust, and nothing of what they mean.

use std::ops::Range;

use ra_ap_parser::LexedStr;
use ra_ap_syntax::SyntaxKind;

use super::EDITION;

/// Pairs of tokens that are compared at most: beyond it what is between the first and the last token that differ is replaced.
const MOST_PAIRS: usize = 1 << 20;

/// A part of a text, and what takes its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// Its bytes.
    pub range: Range<usize>,
    /// What takes their place.
    pub text: String,
}

/// What is replaced in a text with remarks so that its tokens become those of another one, and the remarks stay. None where no
/// such parts are found.
pub fn parts_that_differ(old: &str, new: &str) -> Option<Vec<Replaced>> {
    let (before, after) = (Tokens::of(old), Tokens::of(new));
    let mut parts = Vec::new();
    for (removed, written) in hunks(&before, &after) {
        parts.extend(replaced_parts(&before, &after, removed, written));
    }
    let result = replaced_text(old, &parts);
    let is_meant = Tokens::of(&result).same_as(&after);
    (is_meant && comment_texts(&result) == comment_texts(old)).then_some(parts)
}

/// Whether a text has a remark.
pub fn has_remark(text: &str) -> bool {
    text.contains('/') && !comment_texts(text).is_empty()
}

/// The remarks of a text, in their order.
fn comment_texts(text: &str) -> Vec<&str> {
    let lexed = LexedStr::new(EDITION, text);
    let all = (0..lexed.len()).filter(|at| lexed.kind(*at) == SyntaxKind::COMMENT);
    all.filter_map(|at| text.get(lexed.text_range(at)))
        .collect()
}

/// The text with its parts replaced, which are in their order.
fn replaced_text(text: &str, parts: &[Replaced]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for part in parts {
        result.push_str(text.get(done..part.range.start).unwrap_or_default());
        result.push_str(&part.text);
        done = part.range.end;
    }
    result.push_str(text.get(done..).unwrap_or_default());
    result
}

/// The tokens of a text without spaces and remarks.
struct Tokens<'a> {
    text: &'a str,
    ranges: Vec<Range<usize>>,
}

impl<'a> Tokens<'a> {
    fn of(text: &'a str) -> Self {
        let lexed = LexedStr::new(EDITION, text);
        let all = (0..lexed.len()).filter(|at| !lexed.kind(*at).is_trivia());
        Self {
            text,
            ranges: all.map(|at| lexed.text_range(at)).collect(),
        }
    }

    fn len(&self) -> usize {
        self.ranges.len()
    }

    fn get(&self, number: usize) -> &'a str {
        let range = self.ranges.get(number).cloned().unwrap_or_default();
        self.text.get(range).unwrap_or_default()
    }

    fn same_as(&self, other: &Self) -> bool {
        let same = |number| self.get(number) == other.get(number);
        self.len() == other.len() && (0..self.len()).all(same)
    }

    /// Where a token begins; behind the last one where the text ends.
    fn start(&self, number: usize) -> usize {
        let range = self.ranges.get(number);
        range.map_or(self.text.len(), |range| range.start)
    }

    /// Where the tokens before one end; where there is none, the text begins.
    fn end_before(&self, number: usize) -> usize {
        let last = number.checked_sub(1).and_then(|last| self.ranges.get(last));
        last.map_or(0, |range| range.end)
    }

    /// What is between a token and the one before it.
    fn gap(&self, number: usize) -> &'a str {
        let gap = self.end_before(number)..self.start(number);
        self.text.get(gap).unwrap_or_default()
    }
}

/// The tokens of two texts that differ, by their numbers: those that go, and those that take their place.
fn hunks(before: &Tokens<'_>, after: &Tokens<'_>) -> Vec<(Range<usize>, Range<usize>)> {
    let same = |one: usize, other: usize| before.get(one) == after.get(other);
    let most = before.len().min(after.len());
    let first = (0..most).take_while(|at| same(*at, *at)).count();
    let last = (0..most - first)
        .take_while(|at| same(before.len() - 1 - at, after.len() - 1 - at))
        .count();
    let (rows, columns) = (before.len() - first - last, after.len() - first - last);
    if rows == 0 && columns == 0 {
        return Vec::new();
    }
    if rows.saturating_mul(columns) > MOST_PAIRS {
        return vec![(first..first + rows, first..first + columns)];
    }
    // How many tokens are shared from a pair of places to the ends.
    let width = columns + 1;
    let mut shared = vec![0_u32; (rows + 1) * width];
    let at = |row: usize, column: usize| row * width + column;
    let value = |shared: &[u32], row, column| shared.get(at(row, column)).copied().unwrap_or(0);
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let count = if same(first + row, first + column) {
                value(&shared, row + 1, column + 1) + 1
            } else {
                value(&shared, row + 1, column).max(value(&shared, row, column + 1))
            };
            if let Some(slot) = shared.get_mut(at(row, column)) {
                *slot = count;
            }
        }
    }
    let mut hunks: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let (mut row, mut column) = (0, 0);
    while row < rows || column < columns {
        let (old, new) = (first + row, first + column);
        if row < rows && column < columns && same(old, new) {
            row += 1;
            column += 1;
            continue;
        }
        let goes = row < rows
            && (column == columns
                || value(&shared, row + 1, column) >= value(&shared, row, column + 1));
        let (next_old, next_new) = if goes { (old + 1, new) } else { (old, new + 1) };
        match hunks.last_mut() {
            Some((removed, written)) if removed.end == old && written.end == new => {
                removed.end = next_old;
                written.end = next_new;
            }
            _ => hunks.push((old..next_old, new..next_new)),
        }
        row = next_old - first;
        column = next_new - first;
    }
    hunks
}

/// What is replaced for a run of tokens: remarks between them stay, behind what is written.
fn replaced_parts(
    before: &Tokens<'_>,
    after: &Tokens<'_>,
    removed: Range<usize>,
    written: Range<usize>,
) -> Vec<Replaced> {
    let text_of = |range: Range<usize>| after.text.get(range).unwrap_or_default().to_owned();
    let part = |range: Range<usize>, text: String| Replaced { range, text };
    if removed.is_empty() {
        // Behind the token before it, so that no remark of a line is in front.
        let (at, text) = match removed.start {
            0 => {
                let text = after.start(written.start)..after.start(written.end);
                (before.start(0), text)
            }
            number => {
                let end = if before.gap(number).is_empty() {
                    after.start(written.end)
                } else {
                    after.end_before(written.end)
                };
                (
                    before.end_before(number),
                    after.end_before(written.start)..end,
                )
            }
        };
        return vec![part(at..at, text_of(text))];
    }
    // Runs of tokens without a remark between them.
    let mut runs: Vec<Range<usize>> = Vec::new();
    for number in removed.clone() {
        match runs.last_mut() {
            Some(run) if !has_remark(before.gap(number)) => run.end = number + 1,
            _ => runs.push(number..number + 1),
        }
    }
    let mut new = text_of(after.start(written.start)..after.end_before(written.end));
    if written.is_empty() {
        new.clear();
    }
    let parts = runs.into_iter().map(|run| {
        let text = std::mem::take(&mut new);
        let mut range = before.start(run.start)..before.end_before(run.end);
        // What goes takes the space before it along, or at the start the space behind it.
        if text.is_empty() && run.start > 0 && !has_remark(before.gap(run.start)) {
            range.start = before.end_before(run.start);
        } else if text.is_empty() && run.start == 0 && !has_remark(before.gap(run.end)) {
            range.end = before.start(run.end);
        }
        part(range, text)
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Tokens, comment_texts, has_remark, parts_that_differ, replaced_text};

    fn changed(old: &str, new: &str) -> Option<String> {
        Some(replaced_text(old, &parts_that_differ(old, new)?))
    }

    #[test]
    fn remarks_stay_where_their_tokens_are() {
        let old = "m![\n    K % 8 // a flit\n    # 16 // why 16\n]";
        let wanted = "m![\n    K % 8 // a flit\n    # 32 // why 16\n]";
        assert_eq!(changed(old, "m![K % 8 # 32]").as_deref(), Some(wanted));
        let wanted = "m![\n    K % 8 // a flit\n     // why 16\n]";
        assert_eq!(changed(old, "m![K % 8]").as_deref(), Some(wanted));
        assert_eq!(changed("/* a */ x", "y").as_deref(), Some("/* a */ y"));
        assert_eq!(
            changed("f(a /* a */, b)", "f(a # 8, b)").as_deref(),
            Some("f(a # 8 /* a */, b)")
        );
        assert_eq!(
            changed("a /* 1 */ + /* 2 */ b", "c").as_deref(),
            Some("c /* 1 */  /* 2 */ ")
        );
        assert_eq!(changed("x // a", "x.y()").as_deref(), Some("x.y() // a"));
        assert!(!has_remark("K / 8 \"//\""));
    }

    proptest! {
        #[test]
        fn tokens_become_those_of_the_other_text_and_all_remarks_stay(
            old in prop::collection::vec("[ab]|/\\*c\\*/|//d\n|[(]|[)]| |\n|::|# 8", 0..24),
            new in prop::collection::vec("[ab]|[(]|[)]|::|# 8", 0..12),
        ) {
            let (old, new) = (old.join(" "), new.join(" "));
            let changed = changed(&old, &new);
            let changed = changed.expect("tokens apart from each other can be replaced");
            prop_assert!(Tokens::of(&changed).same_as(&Tokens::of(&new)), "{}", changed);
            prop_assert_eq!(comment_texts(&changed), comment_texts(&old));
        }
    }
}
