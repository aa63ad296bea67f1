//! Stretches that an editor may hide: pipelines, macros of mappings over several lines, runs of declarations.
//!
//! Bodies of functions, comments and imports are ordinary Rust, which another server folds.

#[cfg(test)]
mod tests;

use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{SyntaxKind, SyntaxNode, SyntaxToken, WalkEvent};

use crate::db::Db;
use crate::inputs::{SourceFile, parse};
use crate::items::SiteKind;
use crate::mapping::parse_axes;

use super::cursor::macro_kind;
use super::{ByteRange, Folding};

/// Methods that make a chain worth hiding.
const PIPELINE_METHODS: usize = 3;
/// Names that stand for a hidden stretch, at most.
const NAMES_SHOWN: usize = 4;

/// The stretches, by their starts.
pub(super) fn folding_ranges(db: &dyn Db, file: SourceFile) -> Vec<Folding> {
    let parsed = parse(db, file);
    let Some(tree) = parsed.tree() else {
        return Vec::new();
    };
    let mut folder = Folder {
        base: parsed.offset(),
        foldings: Vec::new(),
    };
    let mut preorder = tree.syntax().preorder();
    while let Some(event) = preorder.next() {
        let WalkEvent::Enter(node) = event else {
            continue;
        };
        match node.kind() {
            SyntaxKind::METHOD_CALL_EXPR => folder.chain(&node),
            SyntaxKind::TOKEN_TREE => {
                if let Some(kind) = macro_kind(&node) {
                    folder.macro_body(&node, kind);
                    preorder.skip_subtree();
                }
            }
            SyntaxKind::SOURCE_FILE | SyntaxKind::ITEM_LIST | SyntaxKind::STMT_LIST => {
                folder.declarations(&node);
            }
            _ => {}
        }
    }
    let mut foldings = folder.foldings;
    foldings.sort_by_key(|folding| (folding.range.start, std::cmp::Reverse(folding.range.end)));
    foldings.dedup_by_key(|folding| folding.range);
    foldings
}

struct Folder {
    base: u32,
    foldings: Vec<Folding>,
}

impl Folder {
    fn push(&mut self, start: ra_ap_syntax::TextSize, end: ra_ap_syntax::TextSize, words: String) {
        let range = ByteRange {
            start: u32::from(start).saturating_add(self.base),
            end: u32::from(end).saturating_add(self.base),
        };
        if range.start < range.end {
            self.foldings.push(Folding {
                range,
                collapsed: Some(words),
            });
        }
    }

    /// A chain of methods over several lines, from behind its receiver's first line on.
    fn chain(&mut self, node: &SyntaxNode) {
        let Some(outermost) = ast::MethodCallExpr::cast(node.clone()) else {
            return;
        };
        let inner_of_chain = node.parent().is_some_and(|parent| {
            ast::MethodCallExpr::can_cast(parent.kind())
                && parent.first_child().as_ref() == Some(node)
        });
        if inner_of_chain {
            return;
        }
        let mut methods: Vec<String> = Vec::new();
        let mut current = Some(outermost);
        let mut first = None;
        while let Some(call) = current {
            if let Some(name) = call.name_ref() {
                methods.push(name.text().to_string());
            }
            first = call.receiver();
            current = match &first {
                Some(ast::Expr::MethodCallExpr(call)) => Some(call.clone()),
                _ => None,
            };
        }
        let Some(receiver) = first.filter(|_| methods.len() >= PIPELINE_METHODS) else {
            return;
        };
        let (start, end) = (
            receiver.syntax().text_range().end(),
            node.text_range().end(),
        );
        let breaks = breaks_between(node, start, end);
        if breaks < PIPELINE_METHODS {
            return;
        }
        methods.reverse();
        self.push(start, end, shortened(&methods, "."));
    }

    /// The arguments of `m!`, `i!` and `axes!` over several lines.
    fn macro_body(&mut self, tree: &SyntaxNode, kind: SiteKind) {
        let range = tree.text_range();
        if breaks_between(tree, range.start(), range.end()) == 0 {
            return;
        }
        let words = match kind {
            SiteKind::Axes => shortened_list(&axes_of(tree)),
            SiteKind::Mapping | SiteKind::Index => "…".to_owned(),
        };
        self.push(
            range.start() + ra_ap_syntax::TextSize::from(1),
            closing_token(tree).map_or(range.end(), |close| close.text_range().start()),
            words,
        );
    }

    /// Runs of aliases, axes and constants with only comments between them.
    fn declarations(&mut self, list: &SyntaxNode) {
        let mut run: Vec<SyntaxNode> = Vec::new();
        for node in list.children() {
            let declares = is_declaration(&node);
            let follows = run
                .last()
                .is_none_or(|last| !blank_line_between(last, &node));
            if !declares || !follows {
                self.run(&run);
                run.clear();
            }
            if declares {
                run.push(node);
            }
        }
        self.run(&run);
    }

    fn run(&mut self, run: &[SyntaxNode]) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else {
            return;
        };
        let parent = first.parent().unwrap_or_else(|| first.clone());
        let (start, end) = (first.text_range().start(), last.text_range().end());
        if run.len() < 2 || breaks_between(&parent, start, end) == 0 {
            return;
        }
        let names: Vec<String> = run.iter().flat_map(declared_names).collect();
        self.push(start, end, shortened_list(&names));
    }
}

/// Line breaks between two places in a node.
fn breaks_between(
    node: &SyntaxNode,
    start: ra_ap_syntax::TextSize,
    end: ra_ap_syntax::TextSize,
) -> usize {
    let from = node.text_range().start();
    let text = node.text();
    let (Some(start), Some(end)) = (start.checked_sub(from), end.checked_sub(from)) else {
        return 0;
    };
    let mut breaks = 0;
    text.slice(start..end.min(text.len()))
        .for_each_chunk(|chunk| {
            breaks += chunk.matches('\n').count();
        });
    breaks
}

fn closing_token(tree: &SyntaxNode) -> Option<SyntaxToken> {
    tree.last_token().filter(|token| {
        matches!(
            token.kind(),
            SyntaxKind::R_BRACK | SyntaxKind::R_PAREN | SyntaxKind::R_CURLY
        )
    })
}

/// Whether a child of a list of items or statements is an alias or a call of `axes!`.
fn is_declaration(node: &SyntaxNode) -> bool {
    node.kind() == SyntaxKind::TYPE_ALIAS || axes_tree(node).is_some()
}

/// The arguments of a call of `axes!` that is all of an item or statement.
fn axes_tree(node: &SyntaxNode) -> Option<SyntaxNode> {
    let call = match node.kind() {
        SyntaxKind::MACRO_CALL => node.clone(),
        SyntaxKind::EXPR_STMT => {
            let expression = node.first_child()?;
            (expression.kind() == SyntaxKind::MACRO_EXPR).then_some(())?;
            expression.first_child()?
        }
        _ => return None,
    };
    let tree = ast::MacroCall::cast(call)?.token_tree()?.syntax().clone();
    (macro_kind(&tree) == Some(SiteKind::Axes)).then_some(tree)
}

fn declared_names(node: &SyntaxNode) -> Vec<String> {
    if let Some(alias) = ast::TypeAlias::cast(node.clone()) {
        return alias
            .name()
            .map(|name| name.text().to_string())
            .into_iter()
            .collect();
    }
    axes_tree(node).map_or_else(Vec::new, |tree| axes_of(&tree))
}

/// The names that a call of `axes!` declares.
fn axes_of(tree: &SyntaxNode) -> Vec<String> {
    let text = tree.text().to_string();
    let inner = text.get(1..).unwrap_or("");
    let inner = inner.strip_suffix([']', ')', '}']).unwrap_or(inner);
    parse_axes(inner)
        .0
        .into_iter()
        .map(|axis| axis.name)
        .collect()
}

/// Whether an empty line is between two nodes of a list.
fn blank_line_between(one: &SyntaxNode, other: &SyntaxNode) -> bool {
    std::iter::successors(one.next_sibling_or_token(), |element| {
        element.next_sibling_or_token()
    })
    .take_while(|element| element.as_node() != Some(other))
    .filter_map(ra_ap_syntax::NodeOrToken::into_token)
    .any(|token| token.kind() == SyntaxKind::WHITESPACE && token.text().matches('\n').count() > 1)
}

/// The first names, and how many more there are.
fn shortened_list(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMES_SHOWN).map(String::as_str).collect();
    let more = names.len().saturating_sub(NAMES_SHOWN);
    match more {
        0 => shown.join(", "),
        _ => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The first and the last of many names, each behind a sign.
fn shortened(names: &[String], sign: &str) -> String {
    let with_sign =
        |names: &[String]| -> String { names.iter().map(|name| format!("{sign}{name}")).collect() };
    if names.len() <= NAMES_SHOWN {
        return with_sign(names);
    }
    let (first, rest) = names.split_at(NAMES_SHOWN.saturating_sub(1));
    let last = rest.len().saturating_sub(1);
    format!(
        "{} … {}",
        with_sign(first),
        with_sign(rest.get(last..).unwrap_or(&[]))
    )
}
