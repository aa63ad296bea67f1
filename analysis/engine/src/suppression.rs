//! What a file allows itself: `#[allow(tcp::RULE)]`, `#[expect(tcp::RULE)]`, `// visa-lint: allow(RULE)`.
//!
//! Knows where suppressions are written and what they cover, and which findings they therefore cover. An attribute on
//! `mod x;` or at the top of a file covers the files of the modules in it too. A suppression that covers nothing, or names
//! no rule, is a finding of its own.

mod comments;
mod covering;
mod removing;
mod writing;

use std::ops::Range as ByteRange;
use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode, SyntaxToken};
use rustc_hash::FxHashMap;

use crate::catalogue;
use crate::db::Db;
use crate::inputs::{SourceFile, line_index, parse};
use crate::items::{
    ItemKind, ModuleId, ModulePath, ModuleTarget, file_items, module_target, parent_module,
    token_map, unread_bytes,
};
use crate::language::Language;
use crate::libraries::TOOLS;
use crate::report::{Diagnostic, DiagnosticFix, FileEdit, FileReport, Range, StatedAlternative};
use crate::rules::suppressions as wording;
pub use crate::rules::suppressions::SuppressionKind;
use crate::rules::{Applicability, Rule};

use self::comments::{Comment, in_text, push_allowed};
use self::covering::{Covering, Intervals, names_of};
pub use self::writing::{Allowed, allowing_fixes};

/// The tool that kernels of a library register.
pub(crate) const fn tool_of(library: crate::libraries::Library) -> &'static str {
    let [book, current, _] = TOOLS;
    match library {
        crate::libraries::Library::VisaStd => book,
        crate::libraries::Library::OptStd => current,
    }
}
/// What a suppressing comment starts with.
const COMMENT: &str = "visa-lint:";

/// What a suppression covers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Covered {
    /// Findings that start in these bytes: the item or statement of an attribute.
    Bytes(ByteRange<u32>),
    /// Findings on this line, from 1: that of the comment, or the next one with code.
    Line(u32),
}

/// One rule or group that a file allows somewhere.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Suppression {
    /// How it is written.
    pub kind: SuppressionKind,
    /// The rule or group.
    pub name: Arc<str>,
    /// Where the name is written, in bytes of the file.
    pub place: ByteRange<u32>,
    /// What it covers.
    pub covered: Covered,
    /// The whole attribute or comment, if it says nothing else.
    pub whole: Option<ByteRange<u32>>,
}

/// The suppressions of a file, in the order in which they are written.
#[salsa::tracked(returns(clone))]
pub fn suppressions(db: &dyn Db, file: SourceFile) -> Arc<[Suppression]> {
    let text = file.text(db);
    let language = file.language(db);
    if language.has_front_end() {
        return in_text(language, &text, |byte| line_index(db, file).line(byte)).into();
    }
    let mentions = |word: &str| text.contains(word);
    // The library's name holds one of the tools' names, so the other words decide for most files.
    let attribute =
        (mentions("allow") || mentions("expect")) && TOOLS.iter().any(|tool| mentions(tool));
    if !mentions(COMMENT) && !attribute {
        return Arc::from([]);
    }
    let parsed = parse(db, file);
    let Some(tree) = parsed.tree() else {
        return Arc::from([]);
    };
    let collector = Collector {
        offset: parsed.offset(),
        line: |byte| line_index(db, file).line(byte),
    };
    let mut found: Vec<Suppression> = Vec::new();
    // Whether code precedes on the line, and where the comments begin that speak about the next code.
    let mut behind_code = false;
    let mut ahead = None;
    // What a condition leaves out suppresses nothing, and is not reported as unused.
    let unread = if mentions("cfg") {
        unread_bytes(db, file)
    } else {
        &[]
    };
    let is_read = |range: ra_ap_syntax::TextRange| {
        let start = collector.bytes(range).start;
        let after = unread.partition_point(|unread| unread.start <= start);
        let before = after.checked_sub(1).and_then(|at| unread.get(at));
        before.is_none_or(|unread| start >= unread.end)
    };
    for element in tree.syntax().descendants_with_tokens() {
        if !is_read(element.text_range()) {
            continue;
        }
        let token = match element {
            NodeOrToken::Node(node) => {
                if let Some(attribute) = ast::Attr::cast(node) {
                    collector.attribute(attribute.syntax(), &mut found);
                }
                continue;
            }
            NodeOrToken::Token(token) => token,
        };
        if token.kind() == SyntaxKind::COMMENT {
            let first = found.len();
            collector.comment(&token, &mut found);
            if !behind_code && found.len() > first {
                ahead.get_or_insert(first);
            }
        } else if !token.kind().is_trivia()
            && let Some(first) = ahead.take()
        {
            let line = collector.line_of(&token);
            let comments = found.iter_mut().skip(first);
            for comment in comments.filter(|found| found.kind == SuppressionKind::Comment) {
                comment.covered = Covered::Line(line);
            }
        }
        behind_code = !token.text().contains('\n') && (behind_code || !token.kind().is_trivia());
    }
    found.into()
}

/// What the files around a module's file allow in all of it: the names in attributes that cover its `mod x;`.
#[salsa::tracked(returns(clone))]
pub fn inherited_suppressions(db: &dyn Db, file: SourceFile) -> Arc<[Arc<str>]> {
    let module = ModuleId::new(db, file, ModulePath::from([]));
    let Some(parent) = parent_module(db, module) else {
        return Arc::from([]);
    };
    let around = parent.file(db);
    let mut names = inherited_suppressions(db, around).to_vec();
    let written = suppressions(db, around);
    if !written.is_empty() {
        let declared = module_declarations(db, around);
        let own = declared
            .iter()
            .filter(|(_, target)| *target == ModuleTarget::File(file));
        for (place, _) in own {
            let covering = written
                .iter()
                .filter(|suppression| covers_byte(&suppression.covered, *place));
            names.extend(covering.map(|suppression| Arc::clone(&suppression.name)));
        }
    }
    names.into()
}

/// The first bytes of the `mod x;` of a file, with their files as far as the project holds them.
fn module_declarations(db: &dyn Db, file: SourceFile) -> Vec<(u32, ModuleTarget)> {
    let tokens = token_map(db, file);
    let items = file_items(db, file);
    let declarations = items
        .items
        .iter()
        .filter(|item| item.kind(db) == ItemKind::ModuleDeclaration);
    declarations
        .filter_map(|item| Some((tokens.item_range(*item)?.0, module_target(db, *item))))
        .collect()
}

/// Whether the bytes of an attribute's item hold a place. Comments speak about lines, not about files.
fn covers_byte(covered: &Covered, byte: u32) -> bool {
    matches!(covered, Covered::Bytes(bytes) if bytes.contains(&byte))
}

struct Collector<L> {
    /// Bytes of the file before offset 0 of the tree.
    offset: u32,
    line: L,
}

impl<L: Fn(u32) -> u32> Collector<L> {
    fn bytes(&self, range: ra_ap_syntax::TextRange) -> ByteRange<u32> {
        let shifted =
            |offset: ra_ap_syntax::TextSize| u32::from(offset).saturating_add(self.offset);
        shifted(range.start())..shifted(range.end())
    }

    /// `#[allow(tcp::x, visa::y)]`, also inside `cfg_attr`; other lints beside ours are not our business.
    fn attribute(&self, attribute: &SyntaxNode, found: &mut Vec<Suppression>) {
        let tokens: Vec<SyntaxToken> = attribute
            .descendants_with_tokens()
            .filter_map(NodeOrToken::into_token)
            .filter(|token| !token.kind().is_trivia())
            .collect();
        let Some(parent) = attribute.parent() else {
            return;
        };
        let covered = Covered::Bytes(self.bytes(parent.text_range()));
        let mut kind = None;
        let mut names = Vec::new();
        let mut words = 0_usize;
        for (index, token) in tokens.iter().enumerate() {
            match token.text() {
                "allow" => kind = Some(SuppressionKind::Allow),
                "expect" => kind = Some(SuppressionKind::Expect),
                "," => words += 1,
                tool if TOOLS.contains(&tool) => {
                    if let (Some(kind), Some(name)) = (kind, path_after(&tokens, index)) {
                        names.push((kind, name));
                    }
                }
                _ => {}
            }
        }
        let said = |word: &str| tokens.iter().any(|token| token.text() == word);
        let alone =
            names.len() == 1 && (words == 0 || (words == 1 && said("reason"))) && !said("cfg_attr");
        for (kind, name) in names {
            found.push(Suppression {
                kind,
                name: name.text().into(),
                place: self.bytes(name.text_range()),
                covered: covered.clone(),
                whole: alone.then(|| self.bytes(attribute.text_range())),
            });
        }
    }

    /// `// visa-lint: allow(x, y)`; documentation says what it likes and allows nothing.
    fn comment(&self, comment: &SyntaxToken, found: &mut Vec<Suppression>) {
        let text = comment.text();
        let before = text.split(COMMENT).next().unwrap_or_default();
        if before.trim_end().ends_with("///") {
            return;
        }
        let comment = Comment {
            text,
            start: self.bytes(comment.text_range()).start,
            line: self.line_of(comment),
        };
        push_allowed(&comment, &["//", "/*"], found);
    }

    /// The line that a token starts on.
    fn line_of(&self, token: &SyntaxToken) -> u32 {
        (self.line)(self.bytes(token.text_range()).start)
    }
}

/// The rule in `tool :: rule`, from the index of the tool.
fn path_after(tokens: &[SyntaxToken], index: usize) -> Option<SyntaxToken> {
    let rest = tokens.get(index + 1..)?;
    let colons = rest
        .iter()
        .take_while(|token| matches!(token.text(), ":" | "::"))
        .count();
    let text: usize = rest
        .iter()
        .take(colons)
        .map(|token| token.text().len())
        .sum();
    let name = rest.get(colons)?;
    (text == 2 && name.kind().is_any_identifier()).then(|| name.clone())
}

/// Marks the diagnostics that suppressions cover, and adds what is wrong with the suppressions themselves, as far as all
/// rules that a name stands for were run.
pub(crate) fn apply_suppressions(
    db: &dyn Db,
    file: SourceFile,
    is_judged: &dyn Fn(&str) -> bool,
    report: &mut FileReport,
    place: &mut dyn FnMut(u32, u32) -> Range,
) {
    // Modules, and attributes around their declarations, are Rust's alone.
    let in_rust = !file.language(db).has_front_end();
    let inherited = if in_rust {
        inherited_suppressions(db, file)
    } else {
        Arc::from([])
    };
    if !inherited.is_empty() {
        for diagnostic in &mut report.diagnostics {
            diagnostic.suppressed |=
                names_of(diagnostic).any(|name| inherited.iter().any(|own| **own == *name));
        }
    }
    let suppressions = suppressions(db, file);
    if suppressions.is_empty() {
        return;
    }
    let mut elsewhere: Vec<u32> = Vec::new();
    if in_rust {
        let declared = module_declarations(db, file).into_iter();
        elsewhere.extend(declared.map(|(byte, _)| byte));
    }
    elsewhere.sort_unstable();
    let text = file.text(db);
    let mut covering = Covering::new(&suppressions);
    covering.suppress(&mut report.diagnostics);
    let unresolved = Unresolved::new(report);
    let mut helps: FxHashMap<&str, Unknown> = FxHashMap::default();
    let mut own = Vec::new();
    for (number, suppression) in suppressions.iter().enumerate() {
        let name = &*suppression.name;
        let (message, help, rule, nearest) = if !catalogue::is_rule_or_group(name) {
            let unknown = helps
                .entry(name)
                .or_insert_with(|| Unknown::new(name, file.language(db)));
            (
                unknown.message.clone(),
                unknown.help.clone(),
                &wording::UNKNOWN_RULE,
                unknown.nearest.as_slice(),
            )
        } else if covering.is_used(number)
            || holds_one(&suppression.covered, &elsewhere)
            || wording::is_own(name)
            || unresolved.is_in(&suppression.covered)
            || !is_judged(name)
        {
            continue;
        } else {
            (
                wording::unused_message(name, suppression.kind),
                Some(wording::unused_help()),
                &wording::UNUSED_SUPPRESSION,
                [].as_slice(),
            )
        };
        let fixes = suppression_fixes(suppression, nearest, rule, &report.path, &text);
        let mut diagnostic = Diagnostic {
            rule: rule.name,
            group: rule.group,
            default_level: rule.default_level(),
            message,
            notes: Vec::new(),
            help,
            alternatives: stated_alternatives(&fixes),
            saves: None,
            url: catalogue::url(rule.name),
            file: Arc::clone(&report.path),
            range: place(suppression.place.start, suppression.place.end),
            related: Vec::new(),
            more_places: 0,
            called_at: None,
            fixes,
            suppressed: inherited.iter().any(|name| **name == *rule.name),
            confirmed_by: None,
            home: None,
        };
        // A comment may speak about itself, wherever the line is that it covers.
        if let Covered::Line(line) = suppression.covered {
            diagnostic.suppressed |= covering.allows_on_line(line, &diagnostic);
        }
        own.push(diagnostic);
    }
    covering.suppress(&mut own);
    report.diagnostics.append(&mut own);
}

/// What is said about a name that no rule has.
struct Unknown {
    message: String,
    help: Option<String>,
    nearest: Vec<String>,
}

impl Unknown {
    fn new(name: &str, language: Language) -> Self {
        let nearest = catalogue::nearest_in(language, name);
        Self {
            message: wording::unknown_message(name),
            help: wording::unknown_help(&nearest),
            nearest,
        }
    }
}

/// Whether the bytes of an attribute's item hold one of the sorted places.
fn holds_one(covered: &Covered, places: &[u32]) -> bool {
    let Covered::Bytes(bytes) = covered else {
        return false;
    };
    let first = places.partition_point(|byte| *byte < bytes.start);
    places.get(first).is_some_and(|byte| bytes.contains(byte))
}

/// Where operations could not be resolved. All rules are silent there, so that a suppression may be needed.
struct Unresolved {
    /// First bytes, sorted.
    starts: Vec<u32>,
    lines: Intervals,
}

impl Unresolved {
    fn new(report: &FileReport) -> Self {
        let places = || report.unresolved.iter().map(|place| place.range);
        let mut starts: Vec<u32> = places().map(|range| range.start.byte).collect();
        starts.sort_unstable();
        Self {
            starts,
            lines: Intervals::of_places(places()),
        }
    }

    fn is_in(&self, covered: &Covered) -> bool {
        match covered {
            Covered::Bytes(_) => holds_one(covered, &self.starts),
            Covered::Line(line) => self.lines.entries_around(*line).next().is_some(),
        }
    }
}

/// What the fixes write, as the help says it.
fn stated_alternatives(fixes: &[DiagnosticFix]) -> Vec<StatedAlternative> {
    let stated = fixes.iter().filter_map(|fix| {
        let name = &fix.edits.first().filter(|edit| !edit.text.is_empty())?.text;
        Some(StatedAlternative {
            text: format!("`{name}`"),
            edits: fix.edits.clone(),
        })
    });
    stated.collect()
}

fn suppression_fixes(
    suppression: &Suppression,
    nearest: &[String],
    rule: &Rule,
    path: &Arc<str>,
    text: &str,
) -> Vec<DiagnosticFix> {
    let edit = |bytes: &ByteRange<u32>, text: &str| FileEdit {
        file: Arc::clone(path),
        start_byte: bytes.start,
        end_byte: bytes.end,
        text: text.to_owned(),
    };
    if *rule == wording::UNUSED_SUPPRESSION {
        let removed = removing::removal(text, suppression);
        return removed
            .iter()
            .map(|removed| DiagnosticFix {
                title: "Remove the suppression".to_owned(),
                applicability: Applicability::Machine,
                edits: vec![edit(removed, "")],
                cost: None,
            })
            .collect();
    }
    nearest
        .iter()
        .map(|name| DiagnosticFix {
            title: format!("Write `{name}`"),
            applicability: Applicability::Maybe,
            edits: vec![edit(&suppression.place, name)],
            cost: None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Covered, SuppressionKind, suppressions};
    use crate::db::AnalysisDatabase;
    use crate::inputs::Options;
    use crate::report::Diagnostic;
    use crate::workspace::Workspace;

    /// Each suppression of a text as `kind name`, with what it covers: the bytes as text, or a line.
    fn found(text: &str) -> Vec<(SuppressionKind, String, String)> {
        let mut db = AnalysisDatabase::default();
        db.set_project([("k.rs", text)], Vec::new(), Options::default());
        let file = db.file("k.rs").unwrap();
        let found = suppressions(&db, file);
        let slice = |range: &std::ops::Range<u32>| {
            text[range.start as usize..range.end as usize].to_owned()
        };
        let entries = found.iter().map(|suppression| {
            assert!(slice(&suppression.place).ends_with(&*suppression.name));
            let covered = match &suppression.covered {
                Covered::Bytes(bytes) => slice(bytes),
                Covered::Line(line) => format!("line {line}"),
            };
            (suppression.kind, suppression.name.to_string(), covered)
        });
        entries.collect()
    }

    fn names(text: &str) -> Vec<String> {
        found(text).into_iter().map(|(_, name, _)| name).collect()
    }

    #[test]
    fn attributes_cover_what_they_stand_on() {
        let item = "#[allow(tcp::a, clippy::all, furiosa_opt::b)]\nfn f() {}";
        let all = found(&format!("\u{feff}{item}\nfn g() {{}}\n"));
        let expected = |name: &str| (SuppressionKind::Allow, name.to_owned(), item.to_owned());
        assert_eq!(all, [expected("a"), expected("b")]);
        let statement =
            found("fn f() {\n    #[expect(visa::c, reason = \"x\")]\n    let x = 1;\n}\n");
        assert_eq!(statement[0].0, SuppressionKind::Expect);
        assert_eq!(
            statement[0].2,
            "#[expect(visa::c, reason = \"x\")]\n    let x = 1;"
        );
        let file = "#![allow(tcp::a)]\nmod m { #![cfg_attr(x, expect(tcp :: b))] }\n";
        assert_eq!(found(file)[0].2, file);
        assert_eq!(names(file), ["a", "b"]);
    }

    #[test]
    fn comments_cover_their_line_or_the_next_with_code() {
        let text = "fn f() {\r\n    g(); // visa-lint: allow(a, tcp::b) because\r\n    // visa-lint: allow( c )\r\n    // more\r\n\r\n    h();\r\n}\r\n";
        let lines: Vec<_> = found(text)
            .into_iter()
            .map(|(_, name, line)| format!("{name} {line}"))
            .collect();
        assert_eq!(lines, ["a line 2", "b line 2", "c line 6"]);
    }

    #[test]
    fn other_attributes_and_comments_are_none() {
        let none = "#[allow(unused, clippy::x)] #[tcp::device] fn f() {} // visa-lint: yes\n/// visa-lint: allow(a)\n#[doc = \"allow(tcp::x)\"] fn g() {} // visa-lint: allow\n";
        assert_eq!(names(none), Vec::<String>::new());
    }

    fn check(files: &[(&str, &str)], path: &str) -> Vec<Diagnostic> {
        let mut workspace = Workspace::new();
        workspace.set_files(files.iter().copied());
        workspace.analysis().check_file(path).diagnostics
    }

    #[test]
    fn attributes_reach_the_files_of_modules() {
        let wrong = ("a/inner.rs", "axes![Q = 0];\n");
        let middle = ("a.rs", "mod inner;\n");
        let suppressed = |root: &str| {
            let found = check(&[("lib.rs", root), middle, wrong], "a/inner.rs");
            assert_eq!(
                found.iter().map(|found| found.rule).collect::<Vec<_>>(),
                ["axis_size_zero"]
            );
            found[0].suppressed
        };
        assert!(!suppressed("mod a;\n"));
        assert!(suppressed("#[allow(tcp::axis_size_zero)] mod a;\n"));
        assert!(suppressed("#![expect(tcp::mapping)]\nmod a;\n"));
        assert!(!suppressed(
            "#[allow(tcp::axis_size_zero)] fn f() {}\nmod a;\n"
        ));
        let root = "#[allow(tcp::axis_size_zero)] mod a;\n";
        assert_eq!(check(&[("lib.rs", root), middle, wrong], "lib.rs"), []);
        // What is in a file that was not given is unknown.
        assert_eq!(check(&[("lib.rs", root)], "lib.rs"), []);
    }
}
