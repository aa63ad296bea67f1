//! The normalised text of a node: its tokens without comments, with one space where there was any trivia.
//!
//! What is computed from normalised text does not change when lines move or comments change. The way back to the file's
//! bytes is kept beside it, in runs, and is used only to report.

use std::sync::{Arc, Mutex, PoisonError};

use ra_ap_syntax::{GreenNode, NodeOrToken, SyntaxKind, SyntaxNode, TextSize};
use rustc_hash::FxHashMap;

use super::normal_tree::ItemSource;

/// A normalised text and the way back to the bytes that it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normalised {
    /// The tokens; one space wherever the original had whitespace or comments between two of them.
    pub text: Arc<str>,
    /// Where the tokens stand in the original.
    pub runs: TokenRuns,
    /// What the text was made of, if it is all of a node.
    pub source: ItemSource,
}

/// Maps offsets in a normalised text to offsets in the original. Clones are cheap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRuns {
    /// The runs, with originals counted from the start of the node.
    runs: Arc<[Run]>,
    /// Where the node starts in the original.
    start: u32,
}

/// Adjacent tokens of one distance between the two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    normalised: u32,
    original: u32,
    length: u32,
}

impl Run {
    fn continues(self, next: Run) -> bool {
        self.normalised + self.length == next.normalised
            && self.original + self.length == next.original
    }
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
        (self.placed(start), self.placed(end))
    }

    /// The offset in the normalised text of a byte of the original; none where that byte is no token of it.
    pub fn normalised_offset(&self, original: u32) -> Option<u32> {
        let original = original.checked_sub(self.start)?;
        let after = self.runs.partition_point(|run| run.original <= original);
        let run = self.runs.get(after.checked_sub(1)?)?;
        let inside = original - run.original;
        (inside < run.length).then(|| run.normalised + inside)
    }

    fn original_offset(&self, offset: u32) -> u32 {
        let after = self.runs.partition_point(|run| run.normalised <= offset);
        let Some(run) = after.checked_sub(1).and_then(|index| self.runs.get(index)) else {
            return self.placed(self.runs.first().map_or(0, |run| run.original));
        };
        let inside = (offset - run.normalised).min(run.length);
        self.placed(run.original.saturating_add(inside))
    }

    fn placed(&self, original: u32) -> u32 {
        self.start.saturating_add(original)
    }
}

/// Normalised texts by the shared node that they were made from, which is the same one for as long as its text is: an edit
/// normalises the item that it stands in.
#[derive(Debug, Default)]
pub(crate) struct ItemTexts {
    kept: Mutex<Kept>,
}

/// By the address of the node, which is kept alive beside its text.
type Kept = FxHashMap<usize, (Arc<GreenNode>, Arc<str>, Arc<[Run]>)>;

impl ItemTexts {
    /// Normalises nodes of a tree, and keeps the texts of those alone.
    pub(crate) fn reader(&self) -> ItemTextReader<'_> {
        let kept = std::mem::take(&mut *self.lock());
        ItemTextReader {
            texts: self,
            old: kept,
            new: Kept::default(),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Normalises the items of one tree after each other.
pub struct ItemTextReader<'a> {
    texts: &'a ItemTexts,
    old: Kept,
    new: Kept,
}

impl ItemTextReader<'_> {
    /// Normalises a node. `offset` is added to the original's offsets.
    pub fn normalise(&mut self, node: &SyntaxNode, offset: u32) -> Normalised {
        let green = node.green();
        let address = std::ptr::from_ref(green) as usize;
        let old = &mut self.old;
        let (node_of, text, runs) = self.new.entry(address).or_insert_with(|| {
            old.remove(&address).unwrap_or_else(|| {
                let (text, runs) = normalised(node, node.text_range().end());
                (Arc::new(green.to_owned()), text.into(), runs.into())
            })
        });
        Normalised {
            text: Arc::clone(text),
            runs: TokenRuns {
                runs: Arc::clone(runs),
                start: u32::from(node.text_range().start()).saturating_add(offset),
            },
            source: ItemSource::of(node_of),
        }
    }

    /// Normalises the tokens of a node that start before `end`, with `closing` behind them.
    pub fn normalise_until(
        &self,
        node: &SyntaxNode,
        end: TextSize,
        closing: &str,
        offset: u32,
    ) -> Normalised {
        let (text, runs) = normalised(node, end);
        Normalised {
            text: (text + closing).into(),
            runs: TokenRuns {
                runs: runs.into(),
                start: u32::from(node.text_range().start()).saturating_add(offset),
            },
            source: ItemSource::default(),
        }
    }
}

impl Drop for ItemTextReader<'_> {
    fn drop(&mut self) {
        *self.texts.lock() = std::mem::take(&mut self.new);
    }
}

/// The tokens of a node that start before `end`, and where they stand from its start.
fn normalised(node: &SyntaxNode, end: TextSize) -> (String, Vec<Run>) {
    let mut text = String::new();
    let mut runs: Vec<Run> = Vec::new();
    let mut trivia = false;
    let mut place = TextSize::new(0);
    let end = end - node.text_range().start();
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
        if trivia && !text.is_empty() {
            text.push(' ');
        }
        trivia = false;
        let run = Run {
            normalised: u32::try_from(text.len()).unwrap_or(u32::MAX),
            original: from.into(),
            length: token.text_len().into(),
        };
        text.push_str(token.text());
        match runs.last_mut() {
            Some(last) if last.continues(run) => last.length += run.length,
            _ => runs.push(run),
        }
    }
    (text, runs)
}
