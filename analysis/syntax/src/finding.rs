//! Search for nodes of some kinds in a tree.
//!
//! It walks the shared nodes, which takes no allocation a node, and makes nodes with parents of what is wanted and of what is
//! around it alone.

use ra_ap_syntax::ast::AstNode;
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode, TextRange, TextSize};
use rowan::{Children, GreenNodeData};

/// A node that the search visits, with its parent.
#[derive(Clone, Copy)]
pub struct VisitedNode<'tree> {
    /// Its kind.
    pub kind: SyntaxKind,
    /// The node itself.
    pub node: &'tree GreenNodeData,
    /// The node around it.
    pub parent: &'tree GreenNodeData,
    /// Where it is in the text of the tree.
    pub range: TextRange,
    /// Where the node around it starts.
    pub parent_start: TextSize,
}

impl VisitedNode<'_> {
    /// The kind of the node around it.
    pub fn parent_kind(self) -> SyntaxKind {
        SyntaxKind::from(self.parent.kind().0)
    }

    /// The part of the tree's text that it is. `text` is all of that text, from the tree's start on.
    pub fn text(self, text: &str) -> &str {
        text.get(std::ops::Range::<usize>::from(self.range))
            .unwrap_or_default()
    }

    /// Whether a token of a kind is among its children.
    pub fn has_token(self, kind: SyntaxKind) -> bool {
        let tokens = self.node.children().filter_map(NodeOrToken::into_token);
        tokens
            .into_iter()
            .any(|token| SyntaxKind::from(token.kind().0) == kind)
    }
}

/// A node that the walk is in.
struct Open<'tree> {
    green: &'tree GreenNodeData,
    /// Those of its children that were not looked at.
    children: Children<'tree>,
    /// Where the next child starts.
    offset: TextSize,
    range: TextRange,
    /// The node with its parents, once something in it was wanted.
    node: Option<SyntaxNode>,
}

/// A name as it is compared: `r#in` is the name `in`.
pub fn without_raw(text: &str) -> &str {
    text.strip_prefix("r#").unwrap_or(text)
}

/// The nodes below `root` that are `wanted`, in the order of the text, outer ones first. Nodes that it does not `enter` are
/// neither given nor looked into; `root` is entered whatever it is, and is not given.
pub fn nodes_of(
    root: &SyntaxNode,
    mut wanted: impl FnMut(VisitedNode<'_>) -> bool,
    enters: impl Fn(VisitedNode<'_>) -> bool,
) -> Vec<SyntaxNode> {
    let mut found = Vec::new();
    let range = root.text_range();
    let mut open = vec![Open {
        green: root.green(),
        children: root.green().children(),
        offset: range.start(),
        range,
        node: Some(root.clone()),
    }];
    while let Some(last) = open.last_mut() {
        let parent = last.green;
        let Some(child) = last.children.next() else {
            open.pop();
            continue;
        };
        let start = last.offset;
        let node = match child {
            NodeOrToken::Token(token) => {
                last.offset += token.text_len();
                continue;
            }
            NodeOrToken::Node(node) => node,
        };
        last.offset += node.text_len();
        let met = VisitedNode {
            kind: SyntaxKind::from(node.kind().0),
            node,
            parent,
            range: TextRange::at(start, node.text_len()),
            parent_start: last.range.start(),
        };
        if !enters(met) {
            continue;
        }
        let is_wanted = wanted(met);
        // Most nodes are one token: there is nothing inside of them.
        if !is_wanted && is_one_token(node) {
            continue;
        }
        open.push(Open {
            green: node,
            children: node.children(),
            offset: start,
            range: met.range,
            node: None,
        });
        if is_wanted {
            found.extend(innermost_node(&mut open));
        }
    }
    found
}

/// Whether a node has one token and nothing else.
fn is_one_token(node: &GreenNodeData) -> bool {
    let mut children = node.children();
    matches!(children.next(), Some(NodeOrToken::Token(_))) && children.next().is_none()
}

/// The last of the open nodes with its parents, which are made where they are not there yet.
fn innermost_node(open: &mut [Open<'_>]) -> Option<SyntaxNode> {
    let made = open.iter().rposition(|level| level.node.is_some())?;
    let mut around = open.get(made)?.node.clone()?;
    for level in open.get_mut(made + 1..)? {
        around = around.child_or_token_at_range(level.range)?.into_node()?;
        level.node = Some(around.clone());
    }
    Some(around)
}

/// The first child of a kind, made without the ones before it.
pub fn child_of<N: AstNode>(node: &SyntaxNode) -> Option<N> {
    let mut start = node.text_range().start();
    for child in node.green().children() {
        let length = child.text_len();
        if let NodeOrToken::Node(green) = child
            && N::can_cast(SyntaxKind::from(green.kind().0))
        {
            let range = TextRange::at(start, length);
            return N::cast(node.child_or_token_at_range(range)?.into_node()?);
        }
        start += length;
    }
    None
}

/// The first child of a kind.
pub fn green_child(node: &GreenNodeData, kind: SyntaxKind) -> Option<&GreenNodeData> {
    let nodes = node.children().filter_map(NodeOrToken::into_node);
    nodes
        .into_iter()
        .find(|node| SyntaxKind::from(node.kind().0) == kind)
}

/// The text of a name: of a `NAME`, a `NAME_REF` or another node that is one token.
pub fn green_name(node: &GreenNodeData) -> Option<&str> {
    let token = node.children().find_map(NodeOrToken::into_token)?;
    Some(token.text())
}

/// The name of the last segment of the path that a node has as its child: of a call, a macro call, a type.
pub fn green_path_name(node: &GreenNodeData) -> Option<&str> {
    let path = green_child(node, SyntaxKind::PATH)?;
    let segment = green_child(path, SyntaxKind::PATH_SEGMENT)?;
    green_name(green_child(segment, SyntaxKind::NAME_REF)?)
}

/// The names that patterns in a node bind.
pub fn bound_names(root: &SyntaxNode) -> rustc_hash::FxHashSet<String> {
    let mut names = rustc_hash::FxHashSet::default();
    let note = |met: VisitedNode<'_>| {
        if met.kind == SyntaxKind::IDENT_PAT {
            let name = green_child(met.node, SyntaxKind::NAME).and_then(green_name);
            names.extend(name.map(str::to_owned));
        }
        false
    };
    nodes_of(root, note, |met| met.kind != SyntaxKind::TOKEN_TREE);
    names
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ra_ap_syntax::ast::{self, AstNode};
    use ra_ap_syntax::{SourceFile, SyntaxKind, SyntaxNode};

    use super::{bound_names, child_of, nodes_of};
    use crate::EDITION;

    fn trees() -> Vec<SyntaxNode> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/kernels/right");
        let files = std::fs::read_dir(folder).unwrap();
        let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        // Broken text has empty nodes.
        let broken = [
            "fn f( { let = x.g::<>(; } <T as",
            "",
            "fn é() { \"\u{1f980}\"; a!(b) }",
        ];
        let texts = texts.chain(broken.map(str::to_owned));
        let parsed = texts.map(|text| SourceFile::parse(&text, EDITION).syntax_node());
        parsed.collect()
    }

    #[test]
    fn nodes_are_those_of_a_walk_over_all() {
        let trees = trees();
        assert!(trees.len() > 20);
        for root in &trees {
            let all = nodes_of(root, |met| met.node.children().len() > 0, |_| true);
            let filled = |node: &SyntaxNode| node.first_child_or_token().is_some();
            let walked: Vec<SyntaxNode> = root.descendants().skip(1).filter(filled).collect();
            assert_eq!(all, walked);
            let is_call = |kind| kind == SyntaxKind::METHOD_CALL_EXPR;
            let calls = nodes_of(root, |met| is_call(met.kind), |_| true);
            let walked = root.descendants().filter(|node| is_call(node.kind()));
            assert_eq!(calls, walked.collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_is_not_entered_is_not_given() {
        for root in &trees() {
            let is_block = |kind| kind == SyntaxKind::STMT_LIST;
            let outside = nodes_of(root, |_| true, |met| !is_block(met.kind));
            let inside = |node: &SyntaxNode| node.ancestors().any(|outer| is_block(outer.kind()));
            assert!(!outside.iter().any(inside));
        }
    }

    #[test]
    fn a_child_is_the_first_of_its_kind() {
        for root in &trees() {
            for call in root.descendants().filter_map(ast::MethodCallExpr::cast) {
                let children = call.syntax().children();
                let list = children.filter_map(ast::ArgList::cast).next();
                assert_eq!(child_of::<ast::ArgList>(call.syntax()), list);
            }
        }
    }

    #[test]
    fn names_are_those_of_the_patterns() {
        let text = "fn f(a: T, (b, mut c): U) { let d = |e| e; for g in h {} m!(i); }";
        let root = SourceFile::parse(text, EDITION).syntax_node();
        let mut names: Vec<String> = bound_names(&root).into_iter().collect();
        names.sort();
        assert_eq!(names, ["a", "b", "c", "d", "e", "g"]);
    }
}
