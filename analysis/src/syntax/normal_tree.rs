//! The tree of an item's normalised text, made of the file's tree.
//!
//! Parsing an item's normalised text would give the nodes of the file's tree again, with other trivia between the tokens: so
//! the nodes are taken over, those without any trivia to replace as they are. Where the tree alone does not show that the
//! parser would do the same without the text around the item, there is no such tree, and the text is to be parsed.

use std::sync::{Arc, Weak};

use ra_ap_syntax::{GreenNode, NodeOrToken, SyntaxKind, T};
use rowan::{GreenNodeData, GreenToken};

/// Levels of an item whose tree is made here: each takes one call inside another.
const MAXIMUM_LEVELS: usize = 512;

/// The node of the file's tree that a normalised text was made of, for as long as the file's tree is there.
///
/// All links are equal: what they lead to follows from the text beside them.
#[derive(Clone, Debug, Default)]
pub struct ItemSource(Weak<GreenNode>);

impl PartialEq for ItemSource {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for ItemSource {}

impl ItemSource {
    /// The link to a node.
    pub(super) fn of(node: &Arc<GreenNode>) -> Self {
        Self(Arc::downgrade(node))
    }

    /// The tree that parsing the normalised text would give, a file with one item. None if the file's tree is gone, or where
    /// the item may read differently without what follows it.
    pub fn tree(&self) -> Option<GreenNode> {
        let node = self.0.upgrade()?;
        let item = normal_tree(&node)?;
        let file = rowan::SyntaxKind(SyntaxKind::SOURCE_FILE.into());
        Some(GreenNode::new(file, [NodeOrToken::Node(item)]))
    }
}

/// A child of a node, shared.
type Child = NodeOrToken<GreenNode, GreenToken>;

/// The item's node without comments, with one space wherever there was any trivia between two tokens.
fn normal_tree(item: &GreenNode) -> Option<GreenNode> {
    let mut writer = Writer {
        space: GreenToken::new(rowan::SyntaxKind(SyntaxKind::WHITESPACE.into()), " "),
        gap: Gap::Closed,
        last: None,
    };
    let node = writer.node(item, 0)?;
    // Behind a brace or a semicolon nothing of an item follows, whatever the next token is.
    matches!(writer.last, Some(T!['}'] | T![;])).then_some(node)
}

/// What stands between the last token and the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// Nothing: no trivia was met since the last token, or there is none.
    Closed,
    /// Trivia was met, and no space stands for it yet.
    Open,
    /// A space, for all trivia that there is.
    Spaced,
}

struct Writer {
    space: GreenToken,
    gap: Gap,
    /// The last token's kind; none before the first one.
    last: Option<SyntaxKind>,
}

impl Writer {
    /// A node with other trivia; the node itself where nothing is to replace. None where the parser recovered from an error, and
    /// where a token may end elsewhere with other trivia behind it.
    fn node(&mut self, node: &GreenNodeData, level: usize) -> Option<GreenNode> {
        if level > MAXIMUM_LEVELS || kind_of(node.kind()) == SyntaxKind::ERROR {
            return None;
        }
        let mut children = Children {
            node,
            taken: 0,
            changed: None,
        };
        for child in node.children() {
            match child {
                NodeOrToken::Token(token) if is_trivia(token.kind()) => {
                    self.open_gap();
                    if self.gap == Gap::Open && token.text() == " " {
                        self.gap = Gap::Spaced;
                        children.keep();
                    } else {
                        children.skip();
                    }
                }
                NodeOrToken::Token(token) => {
                    if !is_closed(kind_of(token.kind()), token.text()) {
                        return None;
                    }
                    self.write_space(&mut children);
                    self.gap = Gap::Closed;
                    self.last = Some(kind_of(token.kind()));
                    children.keep();
                }
                NodeOrToken::Node(inner) => {
                    // The parser puts a comment inside the item that it describes, and white space in front of the item.
                    if opens_with_trivia(inner) {
                        self.open_gap();
                    }
                    self.write_space(&mut children);
                    let new = self.node(inner, level + 1)?;
                    if std::ptr::eq(&*new, inner) {
                        children.keep();
                    } else {
                        children.replace(NodeOrToken::Node(new));
                    }
                }
            }
        }
        Some(children.finish())
    }

    /// Trivia was met. There is nothing to separate in front of the first token.
    fn open_gap(&mut self) {
        if self.gap == Gap::Closed && self.last.is_some() {
            self.gap = Gap::Open;
        }
    }

    fn write_space(&mut self, children: &mut Children<'_>) {
        if self.gap == Gap::Open {
            self.gap = Gap::Spaced;
            children.insert(NodeOrToken::Token(self.space.clone()));
        }
    }
}

/// The children of a node that is made anew; nothing is copied before the first one that differs.
struct Children<'a> {
    node: &'a GreenNodeData,
    /// Children of the node that were passed.
    taken: usize,
    changed: Option<Vec<Child>>,
}

impl Children<'_> {
    fn changed(&mut self) -> &mut Vec<Child> {
        let (node, taken) = (self.node, self.taken);
        self.changed.get_or_insert_with(|| {
            let mut all = Vec::with_capacity(node.children().len());
            all.extend(node.children().take(taken).map(shared));
            all
        })
    }

    fn keep(&mut self) {
        if let Some(changed) = &mut self.changed {
            changed.extend(self.node.children().nth(self.taken).map(shared));
        }
        self.taken += 1;
    }

    fn skip(&mut self) {
        self.changed();
        self.taken += 1;
    }

    fn replace(&mut self, child: Child) {
        self.changed().push(child);
        self.taken += 1;
    }

    fn insert(&mut self, child: Child) {
        self.changed().push(child);
    }

    fn finish(self) -> GreenNode {
        match self.changed {
            Some(changed) => GreenNode::new(self.node.kind(), changed),
            None => self.node.to_owned(),
        }
    }
}

fn shared(child: NodeOrToken<&GreenNodeData, &rowan::GreenTokenData>) -> Child {
    match child {
        NodeOrToken::Node(node) => NodeOrToken::Node(node.to_owned()),
        NodeOrToken::Token(token) => NodeOrToken::Token(token.to_owned()),
    }
}

/// Whether a node begins with trivia of its own. The parser puts none first in what begins another node.
fn opens_with_trivia(node: &GreenNodeData) -> bool {
    matches!(node.children().next(), Some(NodeOrToken::Token(token)) if is_trivia(token.kind()))
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

fn is_trivia(kind: rowan::SyntaxKind) -> bool {
    matches!(kind_of(kind), SyntaxKind::WHITESPACE | SyntaxKind::COMMENT)
}

fn kind_of(kind: rowan::SyntaxKind) -> SyntaxKind {
    SyntaxKind::from(kind.0)
}
