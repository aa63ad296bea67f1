//! The normalised text of a node: its tokens without comments, with one space where there was any trivia.
//!
//! What is computed from normalised text does not change when lines move or comments change. The way back to the file's
//! bytes is kept beside it, in runs, and is used only to report.

use std::sync::{Arc, Mutex, PoisonError};

use ra_ap_syntax::{GreenNode, NodeOrToken, SyntaxKind, SyntaxNode, TextSize};
use rowan::GreenNodeData;
use rustc_hash::FxHashMap;

use super::conditional::{CallOrigin, LeftOut};
use super::macros::{Copied, DefinitionKey, Written};
use super::normal_tree::{ItemSource, Statements, edges};
use super::pieces::{KnownPieces, Pieces};

/// A normalised text and the way back to the bytes that it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normalised {
    /// The tokens; one space wherever the original had whitespace or comments between two of them.
    pub text: Arc<str>,
    /// Where the tokens are in the original.
    pub runs: TokenRuns,
    /// What the text was made of, if it is all of a node.
    pub source: ItemSource,
}

/// Maps offsets in a normalised text to offsets in the original. Clones are cheap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRuns {
    /// The runs, with originals counted from the start of the node.
    runs: Arc<[Run]>,
    /// What macro calls copy from their arguments, in the order of the normalised text and counted alike.
    copied: Option<Arc<[Copied]>>,
    /// What definitions of macros write, in the order of the normalised text and counted alike.
    written: Option<Arc<[Written]>>,
    /// Where the node starts in the original.
    start: u32,
}

/// Adjacent tokens of one distance between the two texts, or what a macro call stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    normalised: u32,
    original: u32,
    length: u32,
    /// For what a macro call stands for: the bytes of the original that it is reported at, but for what is copied.
    call: Option<u32>,
}

impl Run {
    fn continues(self, next: Run) -> bool {
        self.call.is_none()
            && next.call.is_none()
            && self.normalised + self.length == next.normalised
            && self.original + self.length == next.original
    }

    /// The bytes of the original behind its start.
    fn original_length(self) -> u32 {
        self.call.unwrap_or(self.length)
    }
}

impl TokenRuns {
    /// The original's byte range of a range of the normalised text: from the place in the token at `start` to the place
    /// in the token before `end`. An offset between two tokens is at the end of the token before it.
    pub fn original_range(&self, start: u32, end: u32) -> (u32, u32) {
        if let Some(range) = self.copied_range(start, end) {
            return range;
        }
        let from = self.original_offset(start);
        if end <= start {
            return (from, from);
        }
        let last = self.run_at(end - 1);
        let to = match last.and_then(|run| Some(run.original.saturating_add(run.call?))) {
            Some(to) => self.placed_offset(to),
            None => self.original_offset(end - 1).saturating_add(1),
        };
        (from, to.max(from))
    }

    /// Whether a range of the normalised text is written in the original as it is: no part of it comes from a macro.
    pub fn is_written(&self, start: u32, end: u32) -> bool {
        let first = self.runs.partition_point(|run| run.normalised <= start);
        let first = first.saturating_sub(1);
        let runs = self.runs.get(first..).unwrap_or_default().iter();
        let mut touched = runs.take_while(|run| run.normalised < end.max(start + 1));
        !touched.any(|run| run.call.is_some() && start < run.normalised + run.length)
    }

    /// Where the definition of a macro writes a range of the normalised text: between its braces, from the first token of the range that
    /// it writes to the last. None where a part of the range is written elsewhere, or the call's arguments say all of it.
    pub fn range_in_definition(&self, start: u32, end: u32) -> Option<(DefinitionKey, u32, u32)> {
        let written = self.written.as_deref()?;
        let end = end.max(start + 1);
        let run = self.run_at(start).filter(|run| run.call.is_some())?;
        if end > run.normalised + run.length || self.copied_range(start, end).is_some() {
            return None;
        }
        let first = written.partition_point(|part| part.at + part.length <= start);
        let parts = written.get(first..).unwrap_or_default().iter();
        let mut parts = parts.map_while(|part| part.clipped(start, end));
        let begins = parts.next()?;
        let (from, to) = parts
            .filter(|part| part.definition == begins.definition)
            .fold((begins.start, begins.end), |(from, to), part| {
                (from.min(part.start), to.max(part.end))
            });
        Some((begins.definition, from, to))
    }

    /// Where the arguments of a macro call say a range of the normalised text, if one part of them says all of it.
    fn copied_range(&self, start: u32, end: u32) -> Option<(u32, u32)> {
        let copied = self.copied.as_deref()?;
        let part = |byte: u32| {
            let after = copied.partition_point(|part| part.at <= byte);
            let at = after.checked_sub(1)?;
            Some((at, copied.get(at)?.origin(byte)?))
        };
        let (first, from) = part(start)?;
        if end <= start {
            return Some((self.placed_offset(from), self.placed_offset(from)));
        }
        let (last, to) = part(end - 1)?;
        let mut behind = copied.get(first + 1..=last)?.iter();
        let whole = behind.all(|part| part.follows);
        whole.then(|| {
            (
                self.placed_offset(from),
                self.placed_offset(to.saturating_add(1)),
            )
        })
    }

    /// The way back of an item that a macro call stands for: what the call's arguments say is there, all else at the call's name.
    /// `self` leads to what the call stands for; parts of that are copied from absolute places.
    pub fn of_call(
        &self,
        text: &str,
        name: (u32, u32),
        copied: &[Copied],
        written: &[Written],
    ) -> Self {
        let (start, end) = name;
        let run = Run {
            normalised: 0,
            original: 0,
            length: u32::try_from(text.len()).unwrap_or(u32::MAX),
            call: Some(end.saturating_sub(start)),
        };
        Self {
            runs: [run].into(),
            copied: if_any(self.copied_through(copied, start)),
            written: if_any(self.written_through(written)),
            start,
        }
    }

    /// The parts of the normalised text that are copied where the original is what a macro call stands for, counted from `start`.
    fn copied_through(&self, copied: &[Copied], start: u32) -> Vec<Copied> {
        let mut found = Vec::new();
        for run in self.runs.iter().filter(|run| run.call.is_none()) {
            let (begin, end) = (
                self.placed_offset(run.original),
                self.placed_offset(run.original + run.length),
            );
            let first = copied.partition_point(|part| part.at + part.length <= begin);
            let parts = copied.get(first..).unwrap_or_default().iter();
            for part in parts.take_while(|part| part.at < end) {
                let (from, to) = (part.at.max(begin), (part.at + part.length).min(end));
                found.push(Copied {
                    at: run.normalised + (from - begin),
                    from: (part.from + (from - part.at)).saturating_sub(start),
                    length: to - from,
                    follows: part.follows || from > part.at,
                });
            }
        }
        found
    }

    /// The parts of the normalised text that definitions write, likewise.
    fn written_through(&self, written: &[Written]) -> Vec<Written> {
        let mut found = Vec::new();
        for run in self.runs.iter().filter(|run| run.call.is_none()) {
            let begin = self.placed_offset(run.original);
            let end = self.placed_offset(run.original + run.length);
            let first = written.partition_point(|part| part.at + part.length <= begin);
            let parts = written.get(first..).unwrap_or_default().iter();
            let parts = parts.map_while(|part| part.clipped(begin, end));
            found.extend(parts.map(|part| Written {
                at: run.normalised + (part.at - begin),
                ..part
            }));
        }
        found
    }

    /// The original's whole byte range.
    pub fn full_range(&self) -> (u32, u32) {
        let start = self.runs.first().map_or(0, |run| run.original);
        let end = self.runs.last().map_or(start, |run| {
            run.original.saturating_add(run.original_length())
        });
        (self.placed_offset(start), self.placed_offset(end))
    }

    /// The offset in the normalised text of a byte of the original; none where that byte is no token of it.
    pub fn normalised_offset(&self, original: u32) -> Option<u32> {
        let original = original.checked_sub(self.start)?;
        let after = self.runs.partition_point(|run| run.original <= original);
        let run = after.checked_sub(1).and_then(|at| self.runs.get(at))?;
        let inside = original - run.original;
        if inside < run.length && run.call.is_none() {
            return Some(run.normalised + inside);
        }
        // A macro may copy an argument several times: the first is taken.
        let copied = self.copied.as_deref().unwrap_or_default();
        copied.iter().find_map(|part| {
            let inside = original.checked_sub(part.from)?;
            (inside < part.length).then(|| part.at + inside)
        })
    }

    /// The last run that begins at an offset of the normalised text, or before it.
    fn run_at(&self, offset: u32) -> Option<&Run> {
        let after = self.runs.partition_point(|run| run.normalised <= offset);
        self.runs.get(after.checked_sub(1)?)
    }

    fn original_offset(&self, offset: u32) -> u32 {
        let Some(run) = self.run_at(offset) else {
            return self.placed_offset(self.runs.first().map_or(0, |run| run.original));
        };
        if run.call.is_some() {
            return self.placed_offset(run.original);
        }
        let inside = (offset - run.normalised).min(run.length);
        self.placed_offset(run.original.saturating_add(inside))
    }

    fn placed_offset(&self, original: u32) -> u32 {
        self.start.saturating_add(original)
    }
}

/// Normalised texts by the shared node that they were made from, which is the same one for as long as its text is: an edit
/// normalises the item that it is in.
#[derive(Debug, Default)]
pub struct ItemTexts {
    kept: Mutex<Kept>,
    /// The statements of the item whose tree was made last.
    statements: Arc<Mutex<Statements>>,
    /// The statements of the item that was last normalised because of an edit.
    pieces: Mutex<KnownPieces>,
}

/// By the address of the node, which is kept alive beside its text.
type Kept = FxHashMap<usize, Arc<NormalisedNode>>;

/// A shared node and its normalised text.
#[derive(Debug)]
pub(super) struct NormalisedNode {
    /// The node.
    pub(super) node: GreenNode,
    /// Where tokens start, from the start of the node, that have other trivia in front of them than in the normalised text.
    pub(super) changes: Box<[u32]>,
    /// Whether the parser understood all of it, and every token ends where it does whatever trivia follows.
    pub(super) sound: bool,
    text: Arc<str>,
    runs: Arc<[Run]>,
    /// Shared by the items of a file.
    pub(super) statements: Arc<Mutex<Statements>>,
}

impl NormalisedNode {
    fn of(
        node: &SyntaxNode,
        statements: &Arc<Mutex<Statements>>,
        pieces: Option<&mut Pieces>,
    ) -> Self {
        let tokens = Tokens::of(node, pieces);
        Self {
            node: node.green().to_owned(),
            changes: tokens.changes.into(),
            sound: tokens.sound,
            text: tokens.text.into(),
            runs: tokens.runs.into(),
            statements: Arc::clone(statements),
        }
    }
}

impl ItemTexts {
    /// Normalises nodes of a tree, and keeps the texts of those alone.
    pub fn reader(&self) -> ItemTextReader<'_> {
        let kept = std::mem::take(&mut *self.lock());
        ItemTextReader {
            texts: self,
            edited: !kept.is_empty(),
            old: kept,
            new: Kept::default(),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn normalised(&self, node: &SyntaxNode, edited: bool) -> NormalisedNode {
        if !edited {
            return NormalisedNode::of(node, &self.statements, None);
        }
        let lock = || self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pieces = Pieces::after(std::mem::take(&mut *lock()));
        let made = NormalisedNode::of(node, &self.statements, Some(&mut pieces));
        *lock() = pieces.met_pieces();
        made
    }
}

/// Normalises the items of one tree after each other.
pub struct ItemTextReader<'a> {
    texts: &'a ItemTexts,
    /// Whether the file was read before: what is normalised now was edited, and will be again.
    edited: bool,
    old: Kept,
    new: Kept,
}

impl ItemTextReader<'_> {
    /// Normalises a node. `offset` is added to the original's offsets.
    pub fn normalise(&mut self, node: &SyntaxNode, offset: u32) -> Normalised {
        let address = std::ptr::from_ref(node.green()) as usize;
        let (old, texts, edited) = (&mut self.old, self.texts, self.edited);
        let kept = self.new.entry(address).or_insert_with(|| {
            let known = old.remove(&address);
            known.unwrap_or_else(|| Arc::new(texts.normalised(node, edited)))
        });
        Normalised {
            text: Arc::clone(&kept.text),
            runs: TokenRuns {
                runs: Arc::clone(&kept.runs),
                copied: None,
                written: None,
                start: u32::from(node.text_range().start()).saturating_add(offset),
            },
            source: ItemSource::of(kept),
        }
    }

    /// Normalises the tokens of a node that start before `end`, without those that are left out, and with `closing` behind them.
    pub fn normalise_until(
        &self,
        node: &SyntaxNode,
        end: TextSize,
        left_out: &[LeftOut],
        closing: &str,
        offset: u32,
    ) -> Normalised {
        let tokens = Tokens::until(node, end, left_out);
        Normalised {
            text: (tokens.text + closing).into(),
            runs: TokenRuns {
                runs: tokens.runs.into(),
                copied: if_any(tokens.copied),
                written: if_any(tokens.written),
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

/// The tokens of a node, and where they are from its start.
#[derive(Debug)]
pub(super) struct Tokens {
    /// The tokens, one space wherever there was trivia between two of them.
    text: String,
    runs: Vec<Run>,
    /// See [`TokenRuns::copied`].
    copied: Vec<Copied>,
    /// See [`TokenRuns::written`].
    written: Vec<Written>,
    /// See [`NormalisedNode::changes`].
    changes: Vec<u32>,
    /// See [`NormalisedNode::sound`].
    sound: bool,
}

/// The trivia since the last token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trivia {
    None,
    /// One space.
    Space,
    Other,
}

impl Tokens {
    fn new(length: TextSize, sound: bool) -> Self {
        Self {
            text: String::with_capacity(length.into()),
            runs: Vec::new(),
            copied: Vec::new(),
            written: Vec::new(),
            changes: Vec::new(),
            sound,
        }
    }

    /// The tokens of a node.
    fn of(node: &SyntaxNode, pieces: Option<&mut Pieces>) -> Self {
        let green = node.green();
        let mut tokens = Self::new(green.text_len(), node.kind() != SyntaxKind::ERROR);
        tokens.read(green, (TextSize::new(0), green.text_len()), &[], pieces);
        tokens
    }

    /// The tokens of a statement; none where trivia is at one of its ends.
    pub(super) fn of_statement(node: &GreenNodeData) -> Option<Self> {
        let is_token = |kind: Option<rowan::SyntaxKind>| {
            kind.is_some_and(|kind| !SyntaxKind::from(kind.0).is_trivia())
        };
        if !edges(node).into_iter().all(is_token) {
            return None;
        }
        let mut tokens = Self::new(node.text_len(), true);
        tokens.read(node, (TextSize::new(0), node.text_len()), &[], None);
        Some(tokens)
    }

    /// The tokens of a node that start before `end`, without those that are left out.
    fn until(node: &SyntaxNode, end: TextSize, left_out: &[LeftOut]) -> Self {
        let start = node.text_range().start();
        let mut tokens = Self::new(end - start, node.kind() != SyntaxKind::ERROR);
        tokens.read(node.green(), (start, end), left_out, None);
        tokens
    }

    /// Adds the tokens of a node that is at a start, those that start before an end, without those that are left out.
    fn read(
        &mut self,
        node: &GreenNodeData,
        (start, end): (TextSize, TextSize),
        left_out: &[LeftOut],
        mut pieces: Option<&mut Pieces>,
    ) {
        let mut left_out = left_out.iter().peekable();
        let mut trivia = Trivia::None;
        let mut place = TextSize::new(0);
        // The shared nodes know no places, but walking them takes no allocation a token.
        let mut open = vec![node.children()];
        while let Some(children) = open.last_mut() {
            let token = match children.next() {
                Some(NodeOrToken::Token(token)) => token,
                Some(NodeOrToken::Node(node)) => {
                    let pieces = pieces.as_deref_mut();
                    if let Some(piece) = pieces.and_then(|pieces| pieces.tokens(node)) {
                        self.append(piece, place.into(), trivia);
                        trivia = Trivia::None;
                        place += node.text_len();
                        continue;
                    }
                    self.sound &= SyntaxKind::from(node.kind().0) != SyntaxKind::ERROR;
                    open.push(node.children());
                    continue;
                }
                None => {
                    open.pop();
                    continue;
                }
            };
            let at = start + place;
            if at >= end {
                break;
            }
            while left_out.next_if(|next| next.range.end() <= at).is_some() {}
            if let Some(next) = left_out.peek()
                && next.range.contains(at)
            {
                if next.range.start() == at {
                    trivia = match &next.call {
                        Some(call) => self.call(&next.instead, call, start, trivia),
                        None => self.write_instead(&next.instead, trivia),
                    };
                }
                place += token.text_len();
                continue;
            }
            let kind = SyntaxKind::from(token.kind().0);
            if kind.is_trivia() {
                let space = trivia == Trivia::None && token.text() == " ";
                trivia = if space { Trivia::Space } else { Trivia::Other };
            } else {
                self.push(kind, token.text(), place.into(), trivia);
                trivia = Trivia::None;
            }
            place += token.text_len();
        }
    }

    /// Writes the tokens of a statement at a place.
    fn append(&mut self, statement: &Self, place: u32, trivia: Trivia) {
        self.separate(place, trivia);
        let base = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.sound &= statement.sound;
        self.text.push_str(&statement.text);
        let changes = statement.changes.iter();
        self.changes
            .extend(changes.map(|change| place.saturating_add(*change)));
        for run in &statement.runs {
            self.add(Run {
                normalised: base.saturating_add(run.normalised),
                original: place.saturating_add(run.original),
                ..*run
            });
        }
    }

    /// Writes what is in the place of tokens; the trivia behind it.
    fn write_instead(&mut self, text: &str, before: Trivia) -> Trivia {
        self.sound = false;
        if text.is_empty() {
            return Trivia::Other;
        }
        if before != Trivia::None && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(text);
        Trivia::None
    }

    /// Writes what a macro call stands for; the trivia behind it. `start` is where the node begins.
    fn call(&mut self, text: &str, call: &CallOrigin, start: TextSize, before: Trivia) -> Trivia {
        let after = self.write_instead(text, before);
        if !text.is_empty() {
            let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
            let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
            let place = call.name - start;
            let normalised = end.saturating_sub(length);
            self.runs.push(Run {
                normalised,
                original: place.start().into(),
                length,
                call: Some(place.len().into()),
            });
            self.copied.extend(call.copied.iter().map(|part| Copied {
                at: part.at.saturating_add(normalised),
                from: part.from.saturating_sub(start.into()),
                ..*part
            }));
            self.written.extend(call.written.iter().map(|part| Written {
                at: part.at.saturating_add(normalised),
                ..*part
            }));
        }
        // What follows is a token of its own.
        match after {
            Trivia::None => Trivia::Space,
            other => other,
        }
    }

    fn push(&mut self, kind: SyntaxKind, token: &str, original: u32, trivia: Trivia) {
        self.separate(original, trivia);
        self.sound &= is_closed(kind, token);
        let run = Run {
            normalised: u32::try_from(self.text.len()).unwrap_or(u32::MAX),
            original,
            length: u32::try_from(token.len()).unwrap_or(u32::MAX),
            call: None,
        };
        self.text.push_str(token);
        self.add(run);
    }

    /// Writes what separates a token at a place of the original from the one before it.
    fn separate(&mut self, original: u32, trivia: Trivia) {
        let first = self.text.is_empty();
        if trivia != Trivia::None && !first {
            self.text.push(' ');
        }
        if trivia == Trivia::Other || (trivia == Trivia::Space && first) {
            self.changes.push(original);
        }
    }

    fn add(&mut self, run: Run) {
        match self.runs.last_mut() {
            Some(last) if last.continues(run) => last.length += run.length,
            _ => self.runs.push(run),
        }
    }
}

fn if_any<T>(parts: Vec<T>) -> Option<Arc<[T]>> {
    (!parts.is_empty()).then(|| parts.into())
}

/// Whether a token ends where it does whatever the trivia behind it: the lexer ends a character without a closing quote at the
/// end of the line, or at a comment.
fn is_closed(kind: SyntaxKind, text: &str) -> bool {
    match kind {
        SyntaxKind::CHAR => text.len() > 2 && text.ends_with('\''),
        SyntaxKind::BYTE => text.len() > 3 && text.ends_with('\''),
        _ => true,
    }
}
