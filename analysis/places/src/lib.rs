//! From spans in normalised text, and from bytes of a file's text, to ranges of files.
//!
//! Knows texts, line tables and token maps of the files it was asked about, each looked up once; decides nothing about what
//! is there.
//!
//! The engine places findings with it, runs their origins, editors what they show.

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use visa_findings::report::{
    Diagnostic, DiagnosticFix, FileEdit, Position, Range, RelatedPlace, StatedAlternative,
};
use visa_findings::words;
use visa_findings::{
    self as findings, Applicability, Confirmer, Edit, Finding, Fix, Group, Rule, TextSpan,
};
use visa_inputs::db::Db;
use visa_inputs::{SourceFile, line_index, shown_path};
use visa_items::{Span, TokenMap, definition_start, dialect, token_map};
use visa_syntax::{LineIndex, has_remark, parts_that_differ};

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
    broken_chain(text, indentation)
}

/// A text with each call of its chain on a line of its own.
pub fn broken_chain(text: &str, indentation: &str) -> String {
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

fn saturating_offset(byte: usize) -> u32 {
    u32::try_from(byte).unwrap_or(u32::MAX)
}

/// A place that a finding may have.
pub trait Spot: Copy {
    /// Its file and bytes; `None` where the text is no longer there.
    fn bytes(self, places: &mut Places<'_>) -> Option<(SourceFile, u32, u32)>;

    /// Whether it is written there, and not made by a macro, so that it can be changed.
    fn is_written(self, places: &mut Places<'_>) -> bool;

    /// Where the definition of a macro writes it, with the macro's name.
    fn in_definition(self, places: &mut Places<'_>) -> Option<(SourceFile, u32, u32, Arc<str>)>;

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

    fn in_definition(self, places: &mut Places<'_>) -> Option<(SourceFile, u32, u32, Arc<str>)> {
        let db = places.db;
        let tokens = places.tokens(self.item.file(db));
        let (definition, start, end) = tokens.range_in_definition(self)?;
        let (name, first) = definition_start(db, definition)?;
        let byte = |byte: u32| first.saturating_add(byte);
        Some((definition.file(db), byte(start), byte(end), name))
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

    fn in_definition(self, _places: &mut Places<'_>) -> Option<(SourceFile, u32, u32, Arc<str>)> {
        None
    }

    fn confirmed_by(self, rule: &Rule, _db: &dyn Db) -> Option<Confirmer> {
        rule.refused.otherwise()
    }
}

/// From spans in normalised text to ranges of files.
pub struct Places<'a> {
    db: &'a dyn Db,
    files: FxHashMap<SourceFile, FileTables<'a>>,
}

/// Where a finding is shown.
struct Shown {
    file: Arc<str>,
    range: Range,
    /// See [`Diagnostic::called_at`].
    called_at: Option<Range>,
    /// Of what a macro writes: its call, or its place in the macro.
    other: Option<RelatedPlace>,
}

struct FileTables<'a> {
    path: Arc<str>,
    lines: &'a LineIndex,
    /// Only of files in Rust, where a span was asked for.
    tokens: Option<Arc<TokenMap>>,
}

impl<'a> Places<'a> {
    /// An empty table of files.
    pub fn new(db: &'a dyn Db) -> Self {
        Self {
            db,
            files: FxHashMap::default(),
        }
    }

    /// Where the texts are.
    pub const fn db(&self) -> &'a dyn Db {
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
    pub fn range(&mut self, span: impl Spot) -> Option<(Arc<str>, Range)> {
        let (file, start, end) = span.bytes(self)?;
        Some((
            Arc::clone(&self.tables(file).path),
            self.place(file, start, end),
        ))
    }

    /// Where a finding is shown: what a macro of the same file writes is shown in the macro, as that is where it is changed. A macro of
    /// another file may serve many: there the place in it is the other end.
    fn shown_place(&mut self, span: impl Spot) -> Option<Shown> {
        let (file, start, end) = span.bytes(self)?;
        let range = self.place(file, start, end);
        let path = Arc::clone(&self.tables(file).path);
        let at = |message: String, file: &Arc<str>, range: Range| RelatedPlace {
            message,
            file: Arc::clone(file),
            range,
            fault: None,
        };
        let Some((written_in, start, end, name)) = span.in_definition(self) else {
            return Some(Shown {
                file: path,
                range,
                called_at: None,
                other: None,
            });
        };
        let written = self.place(written_in, start, end);
        let other = Arc::clone(&self.tables(written_in).path);
        Some(if written_in == file {
            Shown {
                called_at: Some(range),
                other: Some(at(words::called_here(&name), &path, range)),
                file: path,
                range: written,
            }
        } else {
            Shown {
                other: Some(at(words::written_here(&name), &other, written)),
                file: path,
                range,
                called_at: None,
            }
        })
    }

    /// Bytes of a file as a range with lines and columns.
    pub fn place(&mut self, file: SourceFile, start: u32, end: u32) -> Range {
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

    /// Replacements placed in their files, and whether remarks go with what they replace.
    fn edits<Q: Copy, V, P: Spot>(
        &mut self,
        edits: &[Edit<Q, V>],
        spot: impl Fn(Q) -> P,
    ) -> Option<(Vec<FileEdit>, bool)> {
        let mut placed = Vec::with_capacity(edits.len());
        let mut loses_remarks = false;
        for edit in edits {
            let span = spot(edit.span);
            let (file, start_byte, end_byte) = span.bytes(self)?;
            // What a macro wrote can only be changed in the macro.
            span.is_written(self).then_some(())?;
            let whole = file.text(self.db);
            let before = whole.get(..start_byte as usize).unwrap_or_default();
            let edit = FileEdit {
                file: Arc::clone(&self.tables(file).path),
                start_byte,
                end_byte,
                text: chained(before, &edit.text),
            };
            let old = whole.get(start_byte as usize..end_byte as usize);
            let old = old.filter(|old| !file.language(self.db).has_front_end() && has_remark(old));
            match old.map(|old| parts_that_differ(old, &edit.text)) {
                None => placed.push(edit),
                Some(Some(parts)) => placed.extend(parts.into_iter().map(|part| FileEdit {
                    start_byte: start_byte.saturating_add(saturating_offset(part.range.start)),
                    end_byte: start_byte.saturating_add(saturating_offset(part.range.end)),
                    text: part.text,
                    file: Arc::clone(&edit.file),
                })),
                Some(None) => {
                    loses_remarks = true;
                    placed.push(edit);
                }
            }
        }
        Some((placed, loses_remarks))
    }

    /// A fix placed in its files.
    pub fn placed_fix<P: Spot, V>(&mut self, fix: &Fix<P, V>) -> Option<DiagnosticFix> {
        self.fix_at(fix, |span| span)
    }

    fn fix_at<Q: Copy, V, P: Spot>(
        &mut self,
        fix: &Fix<Q, V>,
        spot: impl Fn(Q) -> P,
    ) -> Option<DiagnosticFix> {
        let (edits, loses_remarks) = self.edits(&fix.edits, spot)?;
        let (title, applicability) = if loses_remarks {
            let title = format!("{}, without the comments in it", fix.title);
            (title, Applicability::Maybe)
        } else {
            (fix.title.clone(), fix.applicability)
        };
        Some(DiagnosticFix {
            title,
            applicability,
            edits,
            cost: fix.cost,
        })
    }

    /// A finding about a file's text, placed in it.
    pub fn diagnostic_in(
        &mut self,
        file: SourceFile,
        finding: &Finding<TextSpan>,
    ) -> Option<Diagnostic> {
        self.diagnostic_at(finding, |span| InFile(file, span))
    }

    /// A finding placed in its file.
    pub fn diagnostic<P: Spot, V: Clone>(&mut self, finding: &Finding<P, V>) -> Option<Diagnostic> {
        self.diagnostic_at(finding, |span| span)
    }

    /// A finding whose places `spot` makes places in files of.
    fn diagnostic_at<Q: Copy, V: Clone, P: Spot>(
        &mut self,
        finding: &Finding<Q, V>,
        spot: impl Fn(Q) -> P + Copy,
    ) -> Option<Diagnostic> {
        let rule = finding.rule;
        let span = spot(finding.span);
        let shown = self.shown_place(span)?;
        let related = finding.related.iter().filter_map(|related| {
            let Shown { file, range, .. } = self.shown_place(spot(related.span))?;
            Some(RelatedPlace {
                message: related.message.clone(),
                file,
                range,
                fault: None,
            })
        });
        // What a helper or a macro runs several times is one place to a reader.
        let mut seen: IndexSet<RelatedPlace> = related.collect();
        seen.extend(shown.other);
        let related = seen.into_iter().collect();
        let fixes = finding
            .fixes
            .iter()
            .filter_map(|fix| self.fix_at(fix, spot));
        let fixes = fixes.collect();
        let stated = finding.alternatives.iter().flat_map(|stated| &stated.list);
        let alternatives = stated.filter_map(|stated| {
            Some(StatedAlternative {
                text: stated.text.clone(),
                edits: self.edits(&stated.edits, spot)?.0,
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
            url: findings::rule_url(rule.name),
            file: shown.file,
            range: shown.range,
            related,
            more_places: 0,
            called_at: shown.called_at,
            fixes,
            suppressed: false,
            // No library or compiler confirms a finding that is lowered for being allowed.
            confirmed_by: (finding.group != Some(Group::Suspicious))
                .then(|| {
                    let of_rule = || span.confirmed_by(rule, self.db);
                    finding.confirmer.or_else(of_rule)
                })
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
