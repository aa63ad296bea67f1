//! The tree of an item's normalised text, made of the file's tree.
//!
//! Parsing an item's normalised text would give the nodes of the file's tree again, with other trivia between the tokens: so
//! the nodes are taken over, those without any trivia to replace as they are. Where the tree alone does not show that the
//! parser would do the same without the text around the item, there is no such tree, and the text is to be parsed.

use std::sync::{Arc, PoisonError, Weak};

use ra_ap_syntax::{GreenNode, NodeOrToken, SyntaxKind, T, TextSize};
use rowan::{GreenNodeData, GreenToken};
use rustc_hash::FxHashMap;

use super::normalise::NormalisedNode;

/// Levels of an item whose tree is made here: each takes one call inside another.
const MAXIMUM_LEVELS: usize = 512;

/// The node of the file's tree that a normalised text was made of, for as long as the file's tree is there.
///
/// All links are equal: what they lead to follows from the text beside them.
#[derive(Clone, Debug, Default)]
pub struct ItemSource(Weak<NormalisedNode>);

impl PartialEq for ItemSource {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for ItemSource {}

impl ItemSource {
    /// The link to a node.
    pub(super) fn of(node: &Arc<NormalisedNode>) -> Self {
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

/// Statements as they are in the file's tree and as they were made, by the address of the shared node and the gap before it: an
/// edit of one statement leaves the others of its function as they are.
pub(super) type Statements = FxHashMap<(usize, Gap), Statement>;

/// A statement that was made.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    /// The file's node, kept alive so that no other has its address.
    of: GreenNode,
    /// With other trivia; none where the node has just what it is to have.
    made: Option<GreenNode>,
    /// What is behind it.
    gap: Gap,
}

/// A child of a node, shared.
type Child = NodeOrToken<GreenNode, GreenToken>;

/// The item's node without comments, with one space wherever there was any trivia between two tokens.
fn normal_tree(item: &NormalisedNode) -> Option<GreenNode> {
    // Behind a brace or a semicolon nothing of an item follows, whatever the next token is.
    let ended = matches!(last_token(&item.node), Some(T!['}'] | T![;]));
    if !item.sound || !ended {
        return None;
    }
    // The statements of another item are of no use, and are dropped with those that were edited.
    let known = std::mem::take(&mut *lock_statements(item));
    let mut writer = Writer {
        known,
        statements: Statements::default(),
        space: GreenToken::new(rowan::SyntaxKind(SyntaxKind::WHITESPACE.into()), " "),
        changes: &item.changes,
        place: 0,
        gap: Gap::Closed,
        first: true,
    };
    let changed = writer.node(&item.node, 0)?;
    *lock_statements(item) = writer.statements;
    Some(changed.unwrap_or_else(|| item.node.clone()))
}

fn lock_statements(item: &NormalisedNode) -> std::sync::MutexGuard<'_, Statements> {
    item.statements
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// The kind of the last token that is no trivia.
fn last_token(node: &GreenNodeData) -> Option<SyntaxKind> {
    let mut open = vec![node.children().rev()];
    while let Some(children) = open.last_mut() {
        match children.next() {
            Some(NodeOrToken::Token(token)) if is_trivia(token.kind()) => {}
            Some(NodeOrToken::Token(token)) => return Some(kind_of(token.kind())),
            Some(NodeOrToken::Node(inner)) => open.push(inner.children().rev()),
            None => {
                open.pop();
            }
        }
    }
    None
}

/// What is between the last token and the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Gap {
    /// Nothing: no trivia was met since the last token, or there is none.
    Closed,
    /// Trivia was met, and no space stands for it yet.
    Open,
    /// A space, for all trivia that there is.
    Spaced,
}

struct Writer<'a> {
    /// Statements of this item as it was before.
    known: Statements,
    /// Statements that were met.
    statements: Statements,
    space: GreenToken,
    /// Where tokens start that have other trivia in front of them than they are to have; those that are still ahead.
    changes: &'a [u32],
    /// Bytes of the item that were passed.
    place: u32,
    gap: Gap,
    /// No token was met yet.
    first: bool,
}

impl Writer<'_> {
    /// A node with other trivia; `Some(None)` where the node itself has just what it is to have. None where it nests too deeply.
    fn node(&mut self, node: &GreenNodeData, level: usize) -> Option<Option<GreenNode>> {
        if level > MAXIMUM_LEVELS {
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
                    self.pass(token.text_len());
                    if self.gap == Gap::Open && token.text() == " " {
                        self.gap = Gap::Spaced;
                        children.keep_child();
                    } else {
                        children.skip_child();
                    }
                }
                NodeOrToken::Token(token) => {
                    self.write_space(&mut children);
                    self.pass(token.text_len());
                    self.close_gap();
                    children.keep_child();
                }
                NodeOrToken::Node(inner) => {
                    // The parser puts a comment inside the item that it describes, and white space in front of the item.
                    if opens_with_trivia(inner) {
                        self.open_gap();
                    }
                    self.write_space(&mut children);
                    if self.stays(inner) {
                        self.pass(inner.text_len());
                        self.close_gap();
                        children.keep_child();
                        continue;
                    }
                    match self.inner(inner, level + 1)? {
                        Some(new) => children.replace_child(NodeOrToken::Node(new)),
                        None => children.keep_child(),
                    }
                }
            }
        }
        Some(children.finish())
    }

    /// A node inside another one; a statement that is known is not looked into.
    fn inner(&mut self, node: &GreenNodeData, level: usize) -> Option<Option<GreenNode>> {
        let kind = kind_of(node.kind());
        if self.first || !matches!(kind, SyntaxKind::LET_STMT | SyntaxKind::EXPR_STMT) {
            return self.node(node, level);
        }
        let key = (std::ptr::from_ref(node) as usize, self.gap);
        let met = self.statements.get(&key).cloned();
        let known = met.or_else(|| self.known.remove(&key));
        let statement = match known.filter(|known| std::ptr::eq(&*known.of, node)) {
            Some(known) => {
                self.pass(node.text_len());
                self.gap = known.gap;
                known
            }
            None => Statement {
                made: self.node(node, level)?,
                of: node.to_owned(),
                gap: self.gap,
            },
        };
        let made = statement.made.clone();
        self.statements.insert(key, statement);
        Some(made)
    }

    /// Whether a node that begins here has nothing to replace, and tokens at both ends.
    fn stays(&mut self, node: &GreenNodeData) -> bool {
        // In front of its first token is what is not its own.
        let behind = self.changes.partition_point(|change| *change <= self.place);
        self.changes = self.changes.get(behind..).unwrap_or_default();
        let end = self.place.saturating_add(node.text_len().into());
        let inside = self.changes.first().is_some_and(|change| *change < end);
        let is_token = |kind: Option<_>| kind.is_some_and(|kind| !is_trivia(kind));
        !inside && edges(node).into_iter().all(is_token)
    }

    fn pass(&mut self, length: TextSize) {
        self.place = self.place.saturating_add(length.into());
    }

    /// A token was met.
    fn close_gap(&mut self) {
        self.gap = Gap::Closed;
        self.first = false;
    }

    /// Trivia was met. There is nothing to separate in front of the first token.
    fn open_gap(&mut self) {
        if self.gap == Gap::Closed && !self.first {
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

/// The children of a node that is made again; nothing is copied before the first one that differs.
struct Children<'a> {
    node: &'a GreenNodeData,
    /// Children of the node that were passed.
    taken: usize,
    changed: Option<Vec<Child>>,
}

impl Children<'_> {
    fn changed_children(&mut self) -> &mut Vec<Child> {
        let (node, taken) = (self.node, self.taken);
        self.changed.get_or_insert_with(|| {
            let mut all = Vec::with_capacity(node.children().len());
            all.extend(node.children().take(taken).map(shared_child));
            all
        })
    }

    fn keep_child(&mut self) {
        if let Some(changed) = &mut self.changed {
            changed.extend(self.node.children().nth(self.taken).map(shared_child));
        }
        self.taken += 1;
    }

    fn skip_child(&mut self) {
        self.changed_children();
        self.taken += 1;
    }

    fn replace_child(&mut self, child: Child) {
        self.changed_children().push(child);
        self.taken += 1;
    }

    fn insert(&mut self, child: Child) {
        self.changed_children().push(child);
    }

    fn finish(self) -> Option<GreenNode> {
        let changed = self.changed?;
        Some(GreenNode::new(self.node.kind(), changed))
    }
}

fn shared_child(child: NodeOrToken<&GreenNodeData, &rowan::GreenTokenData>) -> Child {
    match child {
        NodeOrToken::Node(node) => NodeOrToken::Node(node.to_owned()),
        NodeOrToken::Token(token) => NodeOrToken::Token(token.to_owned()),
    }
}

/// Whether a node begins with trivia of its own. The parser puts none first in what begins another node.
fn opens_with_trivia(node: &GreenNodeData) -> bool {
    matches!(node.children().next(), Some(NodeOrToken::Token(token)) if is_trivia(token.kind()))
}

/// The kinds of a node's first and last token; none where a node without tokens is there.
pub(super) fn edges(node: &GreenNodeData) -> [Option<rowan::SyntaxKind>; 2] {
    [true, false].map(|first| {
        let mut node = node;
        loop {
            let mut children = node.children();
            let outermost = if first {
                children.next()
            } else {
                children.next_back()
            };
            match outermost? {
                NodeOrToken::Node(inner) => node = inner,
                NodeOrToken::Token(token) => return Some(token.kind()),
            }
        }
    })
}

fn is_trivia(kind: rowan::SyntaxKind) -> bool {
    kind_of(kind).is_trivia()
}

fn kind_of(kind: rowan::SyntaxKind) -> SyntaxKind {
    SyntaxKind::from(kind.0)
}
