//! Types, variants and paths of other releases, wherever an item names them.
//!
//! A name counts only where it resolves to a library's: a project's own `Context` is its own.

use ra_ap_syntax::ast::{self, AstNode, HasArgList};
use ra_ap_syntax::{SyntaxNode, TextRange, TextSize, WalkEvent};

use crate::db::Db;
use crate::items::{
    Dialect, ItemId, ItemNames, Namespace, ParsedItem, Resolution, dialect, item_text, parse_item,
};
use crate::libraries::{Instead, Library, Renames};
use crate::names::is_word_letter;
use crate::syntax::without_raw;

use super::super::{Applicability, Edit, Finding, Fix, words};
use super::{OTHER_RELEASE_API, edits};

/// What names of other releases an item has.
pub(super) fn check_names(db: &dyn Db, item: ItemId) -> Vec<Finding> {
    let own = dialect(db, item.file(db));
    if own.library == Library::VisaStd {
        return Vec::new();
    }
    let renames = own.library.renames();
    let text = item_text(db, item);
    let places = concerned_places(&text.text, own);
    if places.is_empty() {
        return Vec::new();
    }
    let parsed = parse_item(db, item);
    let Some(root) = parsed.root() else {
        return Vec::new();
    };
    let mut names = Names {
        db,
        own,
        renames,
        scopes: ItemNames::of(db, item),
        parsed: &parsed,
        findings: Vec::new(),
    };
    // What holds none of these places names nothing of another release.
    let is_concerned = |range: TextRange| {
        let next = places.partition_point(|place| *place < range.start());
        places.get(next).is_some_and(|place| *place < range.end())
    };
    let mut walk = root.syntax().preorder();
    while let Some(event) = walk.next() {
        let WalkEvent::Enter(node) = event else {
            continue;
        };
        if !is_concerned(node.text_range()) {
            walk.skip_subtree();
            continue;
        }
        if let Some(expression) = ast::Expr::cast(node.clone())
            && let Some(plain) = names.plain_expression(&expression)
        {
            names.replaced(&node, &plain);
            walk.skip_subtree();
            continue;
        }
        if let Some(path) = ast::Path::cast(node) {
            names.path(&path);
        }
    }
    names.findings
}

/// Where a text has words that may be names of another release or library, in order.
fn concerned_places(text: &str, own: Dialect) -> Vec<TextSize> {
    let renames = own.library.renames();
    let is_name = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_uppercase())
            && renames.may_concern(word, own.release)
    };
    let mut places: Vec<usize> = Vec::new();
    let mut at = 0;
    for word in text.split(|letter: char| !is_word_letter(letter)) {
        if is_name(word) {
            places.push(at);
        }
        // The words of a text are apart by one letter each, which may have several bytes.
        at += word.len();
        at += text
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(0, char::len_utf8);
    }
    for other in other_crates(own.library) {
        places.extend(text.match_indices(other).map(|(place, _)| place));
    }
    places.sort_unstable();
    places
        .into_iter()
        .filter_map(|place| u32::try_from(place).ok().map(TextSize::from))
        .collect()
}

/// The crates of the libraries that are not the own one.
fn other_crates(own: Library) -> Vec<&'static str> {
    let others = Library::ALL.into_iter().filter(|library| *library != own);
    others.map(Library::crate_name).collect()
}

struct Names<'a> {
    db: &'a dyn Db,
    own: Dialect,
    renames: &'static Renames,
    scopes: ItemNames,
    parsed: &'a ParsedItem,
    findings: Vec<Finding>,
}

impl Names<'_> {
    /// Whether a path up to a segment is a library's.
    fn is_of_library(&self, path: &ast::Path) -> bool {
        let names = path_segments(path);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let offset = path.syntax().text_range().start();
        let found = self
            .scopes
            .resolve_path(self.db, &names, offset.into(), Namespace::Type);
        matches!(found, Resolution::Prelude(_))
    }

    /// The last two names of a path of a library, where its owner is one: `VeRhs::constant`.
    fn owned(&self, path: &ast::Path) -> Option<(String, String)> {
        let owner = path.qualifier()?;
        let names = path_segments(path);
        let [.., first, last] = names.as_slice() else {
            return None;
        };
        self.is_of_library(&owner)
            .then(|| (first.clone(), last.clone()))
    }

    /// One path: each of its parts is looked at as the last of a path of its own.
    fn path(&mut self, path: &ast::Path) {
        let Some(name) = path.segment().and_then(|segment| segment.name_ref()) else {
            return;
        };
        let written = name.text().to_string();
        let release = self.own.release;
        if path.qualifier().is_none() && other_crates(self.own.library).contains(&written.as_str())
        {
            self.of_crate(&name, &written);
            return;
        }
        // A function that is gone takes its type with it.
        let parent = path.syntax().parent().and_then(ast::Path::cast);
        let of_parent = parent.and_then(|parent| self.owned(&parent));
        let goes = of_parent.is_some_and(|(owner, part)| {
            let instead = self.renames.of_variant(&owner, &part, release);
            matches!(instead, Some(Instead::Words(_)))
        });
        let instead = match self.owned(path) {
            Some((owner, part)) => self.renames.of_variant(&owner, &part, release),
            None => None,
        };
        let instead = instead.or_else(|| {
            let instead = self.renames.of_type(&written, release)?;
            (!goes && self.is_of_library(path)).then_some(instead)
        });
        if let Some(instead) = instead {
            self.push_finding(name.syntax(), &written, instead);
        }
    }

    fn push_finding(&mut self, node: &SyntaxNode, written: &str, instead: Instead) {
        let place = self.parsed.span(node);
        let message = format!(
            "`{written}` is not a name of `{}` {}",
            self.own.library.crate_name(),
            self.own.release
        );
        let finding = Finding::new(&OTHER_RELEASE_API, place, message);
        self.findings.push(match instead {
            Instead::Name(name) => finding.note(format!("here it is called `{name}`")).fix(
                Applicability::Machine,
                format!("write `{name}`"),
                place,
                name,
            ),
            Instead::Words(words) => finding.help(words),
        });
    }

    /// A path that begins with the other library's crate.
    fn of_crate(&mut self, name: &ast::NameRef, written: &str) {
        let place = self.parsed.span(name.syntax());
        let own = self.own.library.crate_name();
        let message = format!(
            "`{written}` is another library; this crate is written for `{own}` {}",
            self.own.release
        );
        self.findings
            .push(Finding::new(&OTHER_RELEASE_API, place, message).fix(
                Applicability::Maybe,
                format!("write `{own}`"),
                place,
                own,
            ));
    }

    /// An expression that the release writes plainly: the operand without what wrapped it, the comparison without its type.
    fn plain_expression(&self, expression: &ast::Expr) -> Option<String> {
        let release = self.own.release;
        match expression {
            ast::Expr::CallExpr(call) => {
                let ast::Expr::PathExpr(callee) = call.expr()? else {
                    return None;
                };
                let (owner, name) = self.owned(&callee.path()?)?;
                let mut arguments = call.arg_list()?.args();
                let (argument, None) = (arguments.next()?, arguments.next()) else {
                    return None;
                };
                if self.renames.is_wrapper(&owner, &name, release) {
                    return Some(self.text(&argument));
                }
                if let Some(comparison) = self.compared(&owner, &argument) {
                    return Some(comparison);
                }
                // A list of one operand that is no list.
                let ast::Expr::ArrayExpr(list) = &argument else {
                    return None;
                };
                let mut parts = list.exprs();
                let (only, None) = (parts.next()?, parts.next()) else {
                    return None;
                };
                self.plain_expression(&only)
                    .filter(|_| list.semicolon_token().is_none())
            }
            ast::Expr::PathExpr(path) => {
                let (owner, name) = self.owned(&path.path()?)?;
                self.renames.is_bare(&owner, &name, release).then_some(name)
            }
            _ => None,
        }
    }

    /// `InputCmp::I32(InputCmpI32::Less { boundary: 3 })` as `Cmp::Less(3)`.
    fn compared(&self, owner: &str, argument: &ast::Expr) -> Option<String> {
        let comparison = self.renames.comparison?;
        if owner != comparison.outer || comparison.since > self.own.release {
            return None;
        }
        let (path, bound) = match argument {
            ast::Expr::PathExpr(path) => (path.path()?, None),
            ast::Expr::RecordExpr(record) => {
                let mut fields = record.record_expr_field_list()?.fields();
                let (field, None) = (fields.next()?, fields.next()) else {
                    return None;
                };
                (record.path()?, Some(field.expr()?))
            }
            _ => return None,
        };
        let (owner, name) = self.owned(&path)?;
        comparison.inner.contains(&owner.as_str()).then(|| {
            let bound =
                bound.map_or_else(String::new, |bound| format!("({})", bound.syntax().text()));
            format!("{}::{name}{bound}", comparison.plain)
        })
    }

    fn text(&self, expression: &ast::Expr) -> String {
        self.plain_expression(expression)
            .unwrap_or_else(|| expression.syntax().text().to_string())
    }

    fn replaced(&mut self, node: &SyntaxNode, plain: &str) {
        let place = edits::range_span(&self.parsed.text, node.text_range());
        let message = format!(
            "`{}` is not how `{}` {} writes it",
            node.text(),
            self.own.library.crate_name(),
            self.own.release
        );
        let mut finding = Finding::new(&OTHER_RELEASE_API, place, message)
            .note(format!("here it is written `{plain}`"));
        finding.fixes.push(Fix {
            title: words::capitalised_text(&format!("write `{plain}`")),
            applicability: Applicability::Machine,
            edits: vec![Edit::new(place, plain)],
            cost: None,
        });
        self.findings.push(finding);
    }
}

/// The segments of a path without generics.
fn path_segments(path: &ast::Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = Some(path.clone());
    while let Some(path) = rest {
        let segment = path.segment().and_then(|segment| segment.name_ref());
        names.extend(segment.map(|name| without_raw(name.text()).to_owned()));
        rest = path.qualifier();
    }
    names.reverse();
    names
}
