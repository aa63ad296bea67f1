//! Writing suppressions: the comments that allow given findings where they are.
//!
//! Knows where a comment covers a finding and stays a comment; whether a finding should be allowed is for people to say. A
//! comment that already covers the line takes the new names. Else one is written at the end of the line where it fits,
//! or on a line of its own before it, or, where both would fall into a literal that spans lines, in the line itself.

mod in_text;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ra_ap_syntax::{AstNode, SourceFile as SourceTree, SyntaxKind, SyntaxToken, TextSize};

use self::in_text::TextWriter;
use super::{COMMENT, Covered, Suppression, SuppressionKind, suppressions};
use crate::db::Db;
use crate::inputs::{SourceFile, line_index, parse, shown_path};
use crate::report::{DiagnosticFix, FileEdit};
use crate::rules::Applicability;
use crate::syntax::LineIndex;

/// Columns of a line with a comment at its end.
const WIDTH: usize = 100;

/// A finding that is to be allowed: its first byte and its rule.
pub type Allowed<'a> = (u32, &'a str);

/// Where names go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Into a comment, behind this byte.
    Into(u32),
    /// Into a new comment for a line.
    New(u32),
}

/// The edits that make comments of a file allow some of its findings, each its own fix. Nothing where a comment names the
/// rule already or no comment can cover the finding. The reason follows the names in new comments.
pub fn allowing_fixes(
    db: &dyn Db,
    file: SourceFile,
    wanted: &[Allowed<'_>],
    reason: &str,
) -> Vec<DiagnosticFix> {
    let language = file.language(db);
    if language.has_front_end() {
        let (text, written) = (file.text(db), suppressions(db, file));
        let writer = TextWriter::new(language, &text, line_index(db, file));
        let place = |byte: u32, rule: &str| writer.place(byte, rule, &written);
        let reason = words_of(reason);
        let comment = |line: u32, _: u32, rules: &str| writer.comment(line, rules, &reason);
        return fixes_by_place(&shown_path(db, file), wanted, place, comment);
    }
    let parsed = parse(db, file);
    let Some(tree) = parsed.tree() else {
        return Vec::new();
    };
    let text = file.text(db);
    let writer = Writer {
        text: &text,
        lines: line_index(db, file),
        tree,
        offset: parsed.offset(),
        written: suppressions(db, file),
        reason: words_of(reason),
    };
    let place = |byte: u32, rule: &str| writer.place(byte, rule);
    let comment = |line: u32, byte: u32, rules: &str| writer.comment(line, byte, rules);
    fixes_by_place(&shown_path(db, file), wanted, place, comment)
}

/// A reason in one line.
fn words_of(reason: &str) -> String {
    reason.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The fixes that write names into their places, by where a rule of a finding goes and by the comment for a line with a finding.
fn fixes_by_place(
    path: &Arc<str>,
    wanted: &[Allowed<'_>],
    place_of: impl Fn(u32, &str) -> Option<Place>,
    comment_for: impl Fn(u32, u32, &str) -> Option<(u32, String)>,
) -> Vec<DiagnosticFix> {
    let mut places: BTreeMap<Place, (u32, BTreeSet<&str>)> = BTreeMap::new();
    for (byte, rule) in wanted {
        if let Some(place) = place_of(*byte, rule) {
            let (first, rules) = places
                .entry(place)
                .or_insert_with(|| (*byte, BTreeSet::new()));
            *first = (*first).min(*byte);
            rules.insert(rule);
        }
    }
    let edits = places.into_iter().filter_map(|(place, (byte, rules))| {
        let rules = rules.into_iter().collect::<Vec<_>>().join(", ");
        let (at, text) = match place {
            Place::Into(at) => (at, format!(", {rules}")),
            Place::New(line) => comment_for(line, byte, &rules)?,
        };
        Some(DiagnosticFix {
            title: format!("Allow `{rules}` here"),
            applicability: Applicability::Maybe,
            edits: vec![FileEdit {
                file: Arc::clone(path),
                start_byte: at,
                end_byte: at,
                text,
            }],
            cost: None,
        })
    });
    edits.collect()
}

struct Writer<'a> {
    text: &'a str,
    lines: &'a LineIndex,
    tree: SourceTree,
    /// Bytes of the file before offset 0 of the tree.
    offset: u32,
    written: Arc<[Suppression]>,
    reason: String,
}

impl Writer<'_> {
    fn place(&self, byte: u32, rule: &str) -> Option<Place> {
        let line = match self.token_at(byte) {
            // A finding about a comment is allowed by the comment itself.
            Some(token) if token.kind() == SyntaxKind::COMMENT => self.covered_by(&token)?,
            _ => self.lines.line(byte),
        };
        let covering = self.written.iter().filter(|suppression| {
            suppression.kind == SuppressionKind::Comment
                && suppression.covered == Covered::Line(line)
        });
        let mut last = None;
        for suppression in covering {
            if *suppression.name == *rule {
                return None;
            }
            last = last.max(Some(suppression.place.end));
        }
        Some(last.map_or(Place::New(line), Place::Into))
    }

    /// The line that a suppressing comment is about.
    fn covered_by(&self, comment: &SyntaxToken) -> Option<u32> {
        let (start, end) = self.bytes(comment);
        self.written.iter().find_map(|suppression| {
            let inside = (start..end).contains(&suppression.place.start);
            match suppression.covered {
                Covered::Line(line) if inside => Some(line),
                _ => None,
            }
        })
    }

    /// Where a comment for the line goes, and its text with what sets it apart.
    fn comment(&self, line: u32, byte: u32, rules: &str) -> Option<(u32, String)> {
        let (start, end) = self.lines.line_range(line)?;
        let content = self.text.get(start as usize..end as usize)?;
        let code = content.trim_end();
        let code_end = start.checked_add(u32::try_from(code.len()).ok()?)?;
        let reason = match &*self.reason {
            "" => String::new(),
            reason => format!(": {reason}"),
        };
        let comment = format!("// {COMMENT} allow({rules}){reason}");
        let columns = code.chars().count() + 1 + comment.chars().count();
        if columns <= WIDTH && self.may_follow(code_end) {
            return Some((code_end, format!(" {comment}")));
        }
        if !self.is_inside_piece(start) {
            let indent = content.len() - content.trim_start().len();
            let indent = content.get(..indent)?;
            return Some((start, format!("{indent}{comment}\n")));
        }
        let reason = reason.replace("*/", "* /").replace("/*", "/ *");
        let (at, _) = self.bytes(&self.token_at(byte)?);
        Some((at, format!("/* {COMMENT} allow({rules}){reason} */ ")))
    }

    /// Whether a line comment may be behind a byte: no comment and no literal goes on there.
    fn may_follow(&self, byte: u32) -> bool {
        let last = byte.checked_sub(1).and_then(|last| self.token_at(last));
        last.is_some_and(|token| {
            self.bytes(&token).1 == byte
                && !token.kind().is_trivia()
                && !token.text().contains('\n')
        })
    }

    /// Whether a byte is inside of a literal or comment.
    fn is_inside_piece(&self, byte: u32) -> bool {
        self.token_at(byte).is_some_and(|token| {
            self.bytes(&token).0 < byte && token.kind() != SyntaxKind::WHITESPACE
        })
    }

    /// The token that holds a byte of the file.
    fn token_at(&self, byte: u32) -> Option<SyntaxToken> {
        let offset = TextSize::new(byte.checked_sub(self.offset)?);
        let root = self.tree.syntax();
        if offset >= root.text_range().end() {
            return None;
        }
        root.token_at_offset(offset).right_biased()
    }

    fn bytes(&self, token: &SyntaxToken) -> (u32, u32) {
        let range = token.text_range();
        let shifted = |offset: TextSize| u32::from(offset).saturating_add(self.offset);
        (shifted(range.start()), shifted(range.end()))
    }
}

#[cfg(test)]
mod tests {
    use crate::changes::{Texts, apply_fixes};
    use crate::workspace::Workspace;

    /// The text after all its findings were allowed; what is then still open.
    fn allowed(text: &str, reason: &str) -> (String, Vec<String>) {
        let mut workspace = Workspace::new();
        workspace.set_files([("a.rs", text)]);
        let open = |workspace: &Workspace| -> Vec<(u32, &'static str)> {
            let report = workspace.analysis().check_file("a.rs");
            let open = report.diagnostics.iter().filter(|found| !found.suppressed);
            open.map(|found| (found.range.start.byte, found.rule))
                .collect()
        };
        let wanted = open(&workspace);
        assert!(!wanted.is_empty());
        let fixes = workspace.analysis().allowing("a.rs", &wanted, reason);
        let texts: Texts = [("a.rs".into(), text.into())].into();
        let application = apply_fixes(&texts, &fixes);
        assert_eq!(application.applied.len(), fixes.len());
        let after = application.texts["a.rs"].to_string();
        workspace.set_file("a.rs", &after);
        let left = open(&workspace);
        (
            after,
            left.iter().map(|(_, rule)| (*rule).to_owned()).collect(),
        )
    }

    #[track_caller]
    fn assert_allowed(text: &str, reason: &str, after: &str) {
        assert_eq!(allowed(text, reason), (after.to_owned(), Vec::new()));
    }

    #[test]
    fn a_comment_goes_to_the_end_of_the_line_where_it_fits() {
        assert_allowed(
            "\u{feff}axes![Q = 0];  \r\nfn f() {}",
            "so  it\nis",
            "\u{feff}axes![Q = 0]; // visa-lint: allow(axis_size_zero): so it is  \r\nfn f() {}",
        );
        assert_allowed(
            "axes![Q = 0];",
            "",
            "axes![Q = 0]; // visa-lint: allow(axis_size_zero)",
        );
        // Two findings of a line share a comment.
        assert_allowed(
            "axes![Q = 0, R = 0];\n",
            "",
            "axes![Q = 0, R = 0]; // visa-lint: allow(axis_size_zero)\n",
        );
    }

    #[test]
    fn a_comment_goes_before_the_line_where_its_end_is_taken() {
        assert_allowed(
            "mod m {\r\n\taxes![Q = 0]; // none\r\n}\r\n",
            "x",
            "mod m {\r\n\t// visa-lint: allow(axis_size_zero): x\r\n\taxes![Q = 0]; // none\r\n}\r\n",
        );
        let long = format!("axes![Q{} = 0];\n", "q".repeat(90));
        let after = format!("// visa-lint: allow(axis_size_zero)\n{long}");
        assert_allowed(&long, "", &after);
        assert_allowed(
            "\u{feff}axes![Q = 0]; /* a\nb */\n",
            "",
            "\u{feff}// visa-lint: allow(axis_size_zero)\naxes![Q = 0]; /* a\nb */\n",
        );
        assert_allowed(
            "const S: &str = \"a\nb\"; axes![Q = 0]; const T: &str = \"\n\";\n",
            "a */ b",
            "const S: &str = \"a\nb\"; axes![Q = /* visa-lint: allow(axis_size_zero): a * / b */ 0]; const T: &str = \"\n\";\n",
        );
    }

    #[test]
    fn a_comment_that_covers_the_line_takes_the_names() {
        assert_allowed(
            "// visa-lint: allow(slice_size): why\naxes![Q = 0];\n",
            "x",
            "// visa-lint: allow(slice_size, axis_size_zero, unused_suppression): why\naxes![Q = 0];\n",
        );
        assert_allowed(
            "fn f() {} // visa-lint: allow( tcp::nonsense )\n",
            "x",
            "fn f() {} // visa-lint: allow( tcp::nonsense, unknown_rule )\n",
        );
        assert_allowed(
            "#[allow(tcp::slice_size)]\nfn f() {}\n",
            "",
            "#[allow(tcp::slice_size)] // visa-lint: allow(unused_suppression)\nfn f() {}\n",
        );
    }
}
