//! From spans in normalised text, and from bytes of a file's text, to ranges of files.
//!
//! Knows texts, line tables and token maps of the files it was asked about, each looked up once; decides nothing about what
//! is there.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::catalogue;
use crate::db::Db;
use crate::findings::{self, Confirmer, Edit, Finding, Fix, Group, Rule, TextSpan};
use crate::inputs::{SourceFile, line_index, shown_path};
use crate::items::{Span, TokenMap, dialect, token_map};
use crate::report::{
    Diagnostic, DiagnosticFix, FileEdit, Position, Range, RelatedPlace, StatedAlternative,
};
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

/// A place that a finding may have.
pub(crate) trait Spot: Copy {
    /// Its file and bytes; `None` where the text is no longer there.
    fn bytes(self, places: &mut Places<'_>) -> Option<(SourceFile, u32, u32)>;

    /// Whether it is written there, and not made by a macro, so that it can be changed.
    fn is_written(self, places: &mut Places<'_>) -> bool;

    /// Who else finds what a rule finds there.
    fn confirmed_by(self, rule: &Rule, db: &dyn Db) -> Option<Confirmer>;
}

impl Spot for Span {
    fn bytes(self, places: &mut Places<'_>) -> Option<(SourceFile, u32, u32)> {
        let file = self.item.file(places.db);
        let (start, end) = places.tokens(file).range(self)?;
        Some((file, start, end))
    }

    fn is_written(self, places: &mut Places<'_>) -> bool {
        let file = self.item.file(places.db);
        places.tokens(file).is_written(self)
    }

    fn confirmed_by(self, rule: &Rule, db: &dyn Db) -> Option<Confirmer> {
        rule.confirmed_by(dialect(db, self.item.file(db)))
    }
}

/// Bytes of a file's text.
#[derive(Debug, Clone, Copy)]
struct InFile(SourceFile, TextSpan);

impl Spot for InFile {
    fn bytes(self, _places: &mut Places<'_>) -> Option<(SourceFile, u32, u32)> {
        Some((self.0, self.1.start, self.1.end))
    }

    fn is_written(self, _places: &mut Places<'_>) -> bool {
        true
    }

    fn confirmed_by(self, rule: &Rule, _db: &dyn Db) -> Option<Confirmer> {
        rule.refused.otherwise()
    }
}

/// From spans in normalised text to ranges of files.
pub(crate) struct Places<'a> {
    db: &'a dyn Db,
    files: FxHashMap<SourceFile, FileTables<'a>>,
}

struct FileTables<'a> {
    path: Arc<str>,
    lines: &'a LineIndex,
    /// Only of files in Rust, where a span was asked for.
    tokens: Option<Arc<TokenMap>>,
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

    fn tables(&mut self, file: SourceFile) -> &mut FileTables<'a> {
        let db = self.db;
        self.files.entry(file).or_insert_with(|| FileTables {
            path: shown_path(db, file),
            lines: line_index(db, file),
            tokens: None,
        })
    }

    fn tokens(&mut self, file: SourceFile) -> &TokenMap {
        let db = self.db;
        let tables = self.tables(file);
        tables.tokens.get_or_insert_with(|| token_map(db, file))
    }

    /// The file and range of a span; `None` where the text is no longer there.
    pub(crate) fn range(&mut self, span: impl Spot) -> Option<(Arc<str>, Range)> {
        let (file, start, end) = span.bytes(self)?;
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
    fn edits<P: Spot>(&mut self, edits: &[Edit<P>]) -> Option<Vec<FileEdit>> {
        let placed = edits.iter().map(|edit| {
            let (file, start_byte, end_byte) = edit.span.bytes(self)?;
            // What a macro wrote can only be changed in the macro.
            edit.span.is_written(self).then_some(())?;
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
    pub(crate) fn fix<P: Spot>(&mut self, fix: &Fix<P>) -> Option<DiagnosticFix> {
        Some(DiagnosticFix {
            title: fix.title.clone(),
            applicability: fix.applicability,
            edits: self.edits(&fix.edits)?,
        })
    }

    /// A finding about a file's text, placed in it.
    pub(crate) fn diagnostic_in(
        &mut self,
        file: SourceFile,
        finding: &Finding<TextSpan>,
    ) -> Option<Diagnostic> {
        let placed = finding.clone().placed(|span| InFile(file, span));
        self.diagnostic(&placed)
    }

    /// A finding placed in its file.
    pub(crate) fn diagnostic<P: Spot>(&mut self, finding: &Finding<P>) -> Option<Diagnostic> {
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
                .map_or_else(|| rule.default_level(), findings::Group::default_level),
            message: finding.message.clone(),
            notes: finding.notes.clone(),
            help: finding.advice(),
            alternatives,
            saves: finding
                .saving
                .filter(|saving| saving.simulated)
                .and_then(|saving| saving.of_kernel()),
            url: catalogue::url(rule.name),
            file,
            range,
            related,
            fixes,
            suppressed: false,
            // What weighs less for being taken is confirmed by nobody.
            confirmed_by: (finding.group != Some(Group::Suspicious))
                .then(|| finding.span.confirmed_by(rule, self.db))
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
