//! The normalised text of a node: its tokens without comments, with one space where there was any trivia.
//!
//! What is computed from normalised text does not change when lines move or comments change. The way back to the file's
//! bytes is kept beside it, in runs, and is used only to report.

use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode, TextSize};

/// A normalised text and the way back to the bytes that it came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Normalised {
    /// The tokens; one space wherever the original had whitespace or comments between two of them.
    pub text: String,
    /// Where the tokens stand in the original.
    pub runs: TokenRuns,
}

/// Maps offsets in a normalised text to offsets in the original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenRuns {
    runs: Vec<Run>,
}

/// Adjacent tokens of one distance between the two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    normalised: u32,
    original: u32,
    length: u32,
}

impl TokenRuns {
    /// The original's byte range of a range of the normalised text: from the place in the token at `start` to the place
    /// in the token before `end`. An offset between two tokens stands at the end of the token before it.
    pub fn original_range(&self, start: u32, end: u32) -> (u32, u32) {
        let from = self.original_offset(start);
        if end <= start {
            return (from, from);
        }
        let to = self.original_offset(end - 1).saturating_add(1);
        (from, to.max(from))
    }

    /// The original's whole byte range.
    pub fn full_range(&self) -> (u32, u32) {
        let start = self.runs.first().map_or(0, |run| run.original);
        let end = self
            .runs
            .last()
            .map_or(start, |run| run.original.saturating_add(run.length));
        (start, end)
    }

    /// The offset in the normalised text of a byte of the original; none where that byte is no token of it.
    pub fn normalised_offset(&self, original: u32) -> Option<u32> {
        let after = self.runs.partition_point(|run| run.original <= original);
        let run = self.runs.get(after.checked_sub(1)?)?;
        let inside = original - run.original;
        (inside < run.length).then(|| run.normalised + inside)
    }

    fn original_offset(&self, offset: u32) -> u32 {
        let after = self.runs.partition_point(|run| run.normalised <= offset);
        let Some(run) = after.checked_sub(1).and_then(|index| self.runs.get(index)) else {
            return self.runs.first().map_or(0, |run| run.original);
        };
        let inside = (offset - run.normalised).min(run.length);
        run.original.saturating_add(inside)
    }

    fn push(&mut self, normalised: u32, original: u32, length: u32) {
        if let Some(last) = self.runs.last_mut()
            && last.normalised + last.length == normalised
            && last.original + last.length == original
        {
            last.length += length;
        } else {
            self.runs.push(Run {
                normalised,
                original,
                length,
            });
        }
    }
}

/// Normalises a node. `offset` is added to the original's offsets.
pub fn normalise(node: &SyntaxNode, offset: u32) -> Normalised {
    normalise_until(node, node.text_range().end(), offset)
}

/// Normalises the tokens of a node that start before `end`. `offset` is added to the original's offsets.
pub fn normalise_until(node: &SyntaxNode, end: TextSize, offset: u32) -> Normalised {
    let mut result = Normalised::default();
    let mut trivia = false;
    let mut place = node.text_range().start();
    // The shared nodes know no places, but walking them takes no allocation a token.
    let green = node.green();
    let mut open = vec![green.children()];
    while let Some(children) = open.last_mut() {
        let token = match children.next() {
            Some(NodeOrToken::Token(token)) => token,
            Some(NodeOrToken::Node(node)) => {
                open.push(node.children());
                continue;
            }
            None => {
                open.pop();
                continue;
            }
        };
        let from = place;
        if from >= end {
            break;
        }
        place += token.text_len();
        let kind = SyntaxKind::from(token.kind().0);
        if matches!(kind, SyntaxKind::WHITESPACE | SyntaxKind::COMMENT) {
            trivia = true;
            continue;
        }
        if trivia && !result.text.is_empty() {
            result.text.push(' ');
        }
        trivia = false;
        let start = u32::try_from(result.text.len()).unwrap_or(u32::MAX);
        result.text.push_str(token.text());
        let original = u32::from(from).saturating_add(offset);
        result
            .runs
            .push(start, original, u32::from(token.text_len()));
    }
    result
}
