//! From spans in normalised text to ranges of files.
//!
//! Knows texts, line tables and token maps of the files it was asked about, each looked up once; decides nothing about what
//! is there.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::db::Db;
use crate::inputs::{SourceFile, line_index, shown_path};
use crate::items::{Span, TokenMap, dialect, token_map};
use crate::report::{
    Diagnostic, DiagnosticFix, FileEdit, Position, Range, RelatedPlace, StatedAlternative,
};
use crate::rules::{self, Edit, Finding, Fix, Group};
use crate::syntax::LineIndex;

/// A text as it is written behind another. Where that ends with the dot of a chain that is broken over lines, every call of
/// the text gets a line of its own at the chain's indentation.
fn chained(before: &str, text: &str) -> String {
    let Some(chain) = before.strip_suffix('.') else {
        return text.to_owned();
    };
    let indentation = chain.len() - chain.trim_end_matches([' ', '\t']).len();
    let (line, indentation) = chain.split_at(chain.len() - indentation);
    if !line.ends_with('\n') {
        return text.to_owned();
    }
    let mut written = String::with_capacity(text.len());
    let mut depth = 0_usize;
    for letter in text.chars() {
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            // Between brackets a dot belongs to an argument.
            '.' if depth == 0 => {
                written.push('\n');
                written.push_str(indentation);
            }
            _ => {}
        }
        written.push(letter);
    }
    written
}

/// From spans in normalised text to ranges of files.
pub(crate) struct Places<'a> {
    db: &'a dyn Db,
    files: FxHashMap<SourceFile, FileTables<'a>>,
}

struct FileTables<'a> {
    path: Arc<str>,
    lines: &'a LineIndex,
    tokens: Arc<TokenMap>,
}

impl<'a> Places<'a> {
    /// An empty table of files.
    pub(crate) fn new(db: &'a dyn Db) -> Self {
        Self {
            db,
            files: FxHashMap::default(),
        }
    }

    /// Where the texts are.
    pub(crate) const fn db(&self) -> &'a dyn Db {
        self.db
    }

    fn tables(&mut self, file: SourceFile) -> &FileTables<'a> {
        let db = self.db;
        self.files.entry(file).or_insert_with(|| FileTables {
            path: shown_path(db, file),
            lines: line_index(db, file),
            tokens: token_map(db, file),
        })
    }

    fn bytes(&mut self, span: Span) -> Option<(SourceFile, u32, u32)> {
        let file = span.item.file(self.db);
        let (start, end) = self.tables(file).tokens.range(span)?;
        Some((file, start, end))
    }

    /// The file and range of a span; `None` where the text is no longer there.
    pub(crate) fn range(&mut self, span: Span) -> Option<(Arc<str>, Range)> {
        let (file, start, end) = self.bytes(span)?;
        Some((
            Arc::clone(&self.tables(file).path),
            self.place(file, start, end),
        ))
    }

    /// Bytes of a file as a range with lines and columns.
    pub(crate) fn place(&mut self, file: SourceFile, start: u32, end: u32) -> Range {
        let tables = self.tables(file);
        let position = |byte: u32| {
            let place = tables.lines.line_column(byte);
            Position {
                byte,
                line: place.line,
                column: place.column,
            }
        };
        Range {
            start: position(start),
            end: position(end.max(start)),
        }
    }

    /// Replacements placed in their files.
    fn edits(&mut self, edits: &[Edit]) -> Option<Vec<FileEdit>> {
        let placed = edits.iter().map(|edit| {
            let (file, start_byte, end_byte) = self.bytes(edit.span)?;
            // What a macro wrote can only be changed in the macro.
            let written = self.tables(file).tokens.is_written(edit.span);
            written.then_some(())?;
            let whole = file.text(self.db);
            let before = whole.get(..start_byte as usize).unwrap_or_default();
            Some(FileEdit {
                file: Arc::clone(&self.tables(file).path),
                start_byte,
                end_byte,
                text: chained(before, &edit.text),
            })
        });
        placed.collect()
    }

    /// A fix placed in its files.
    pub(crate) fn fix(&mut self, fix: &Fix) -> Option<DiagnosticFix> {
        Some(DiagnosticFix {
            title: fix.title.clone(),
            applicability: fix.applicability,
            edits: self.edits(&fix.edits)?,
        })
    }

    /// A finding placed in its file.
    pub(crate) fn diagnostic(&mut self, finding: &Finding) -> Option<Diagnostic> {
        let rule = finding.rule;
        let (file, range) = self.range(finding.span)?;
        let related = finding.related.iter().filter_map(|related| {
            let (file, range) = self.range(related.span)?;
            Some(RelatedPlace {
                message: related.message.clone(),
                file,
                range,
                fault: None,
            })
        });
        let related = related.collect();
        let fixes = finding.fixes.iter().filter_map(|fix| self.fix(fix));
        let fixes = fixes.collect();
        let stated = finding.alternatives.iter().flat_map(|stated| &stated.list);
        let alternatives = stated.filter_map(|stated| {
            Some(StatedAlternative {
                text: stated.text.clone(),
                edits: self.edits(&stated.edits)?,
            })
        });
        let alternatives = alternatives.collect();
        Some(Diagnostic {
            rule: rule.name,
            group: finding.group.unwrap_or(rule.group),
            default_level: finding
                .group
                .map_or_else(|| rule.default_level(), rules::Group::default_level),
            message: finding.message.clone(),
            notes: finding.notes.clone(),
            help: finding.advice(),
            alternatives,
            saves: finding
                .saving
                .filter(|saving| saving.simulated)
                .and_then(|saving| saving.of_kernel()),
            url: rules::url(rule.name),
            file,
            range,
            related,
            fixes,
            suppressed: false,
            // What weighs less for being taken is confirmed by nobody.
            confirmed_by: (finding.group != Some(Group::Suspicious))
                .then(|| rule.confirmed_by(dialect(self.db, finding.span.item.file(self.db))))
                .flatten(),
            home: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::chained;

    #[test]
    fn calls_stand_on_lines_of_their_own_where_the_chain_does() {
        let call = "vector_split::<m![T, L / 4], m![L % 4]>().";
        let two = "branch(Mode::All).scale(0.5, a.b).last";
        let broken = "let y = x\n    .begin()\n    .";
        assert_eq!(
            chained(broken, call),
            "vector_split::<m![T, L / 4], m![L % 4]>()\n    ."
        );
        assert_eq!(
            chained("x\r\n\t.", two),
            "branch(Mode::All)\n\t.scale(0.5, a.b)\n\t.last"
        );
        for before in ["let y = x.begin().", "", ".", "    .", "x\n    . "] {
            assert_eq!(chained(before, call), call, "{before:?}");
        }
        assert_eq!(chained(broken, "vector_split"), "vector_split");
    }
}
