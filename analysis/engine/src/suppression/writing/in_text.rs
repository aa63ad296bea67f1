//! Where a comment goes in a language whose comments all go to the end of a line.

use super::{Place, WIDTH};
use crate::language::Language;
use crate::suppression::comments::{Piece, PieceKind, text_pieces};
use crate::suppression::{COMMENT, Covered, Suppression};
use crate::syntax::LineIndex;

/// Writes comments into a text.
pub(super) struct TextWriter<'a> {
    language: Language,
    text: &'a str,
    lines: &'a LineIndex,
    pieces: Vec<Piece>,
}

impl<'a> TextWriter<'a> {
    pub(super) fn new(language: Language, text: &'a str, lines: &'a LineIndex) -> Self {
        Self {
            language,
            text,
            lines,
            pieces: text_pieces(language, text),
        }
    }

    /// Where the name of a rule goes for a finding at a byte; `None` where it is allowed already.
    pub(super) fn place(&self, byte: u32, rule: &str, written: &[Suppression]) -> Option<Place> {
        // A finding about a comment is allowed by the comment itself.
        let about = written.iter().find(|own| own.place.contains(&byte));
        let line = match about.map(|own| &own.covered) {
            Some(Covered::Line(line)) => *line,
            _ => self.lines.line(byte),
        };
        let mut last = None;
        for own in written {
            if own.covered != Covered::Line(line) {
                continue;
            }
            if *own.name == *rule {
                return None;
            }
            last = last.max(Some(own.place.end));
        }
        Some(last.map_or(Place::New(line), Place::Into))
    }

    /// Where a comment for the line goes, and its text with what sets it apart; `None` where none can cover the line.
    pub(super) fn comment(&self, line: u32, rules: &str, reason: &str) -> Option<(u32, String)> {
        let (start, end) = self.lines.line_range(line)?;
        let content = self.text.get(start as usize..end as usize)?;
        let code = content.trim_end();
        let code_end = start.checked_add(u32::try_from(code.len()).ok()?)?;
        let reason = match reason {
            "" => String::new(),
            reason => format!(": {reason}"),
        };
        let comment = format!(
            "{} {COMMENT} allow({rules}){reason}",
            self.language.comment()
        );
        let columns = code.chars().count() + 1 + comment.chars().count();
        if columns <= WIDTH && self.may_follow(code_end) {
            return Some((code_end, format!(" {comment}")));
        }
        // A line that goes on the one before it has to follow it at once.
        let before = self
            .text
            .get(..start as usize)?
            .trim_end_matches(['\r', '\n']);
        if self.is_inside_piece(start) || before.ends_with('\\') {
            return None;
        }
        let indent = content.len() - content.trim_start_matches([' ', '\t']).len();
        let mark = content.len() - content.trim_start_matches('\u{feff}').len();
        let at = start.checked_add(u32::try_from(mark).ok()?)?;
        let indent = if mark > 0 { "" } else { content.get(..indent)? };
        Some((at, format!("{indent}{comment}\n")))
    }

    /// Whether a comment may be behind a byte: no comment and no literal goes on there, and no line that the next one belongs to.
    fn may_follow(&self, byte: u32) -> bool {
        let before = self.text.get(..byte as usize).unwrap_or_default();
        let comment = self.piece_around(byte.saturating_sub(1));
        let in_comment = comment.is_some_and(|piece| piece.kind == PieceKind::Comment);
        !in_comment && !self.is_inside_piece(byte) && !before.ends_with('\\')
    }

    /// Whether a byte is inside of a literal or comment, behind its first byte.
    fn is_inside_piece(&self, byte: u32) -> bool {
        let piece = self.piece_around(byte);
        piece.is_some_and(|piece| piece.bytes.start < byte as usize)
    }

    fn piece_around(&self, byte: u32) -> Option<&Piece> {
        let byte = byte as usize;
        let behind = self.pieces.partition_point(|piece| piece.bytes.end <= byte);
        let piece = self.pieces.get(behind)?;
        piece.bytes.contains(&byte).then_some(piece)
    }
}
