//! What `cfg` surely leaves out of a file, and what `cfg_attr` puts in its place.
//!
//! Works on the file's tree and says which of its bytes the normalised texts leave out, so that their readers see the
//! program that the compiler sees. Whether a condition holds is said from outside; what is unknown is left in.

use std::borrow::Cow;
use std::ops::Range;

use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{
    AstToken, NodeOrToken, SourceFile as SourceTree, SyntaxKind, SyntaxNode, SyntaxToken, T,
    TextRange, TextSize,
};

use super::EDITION;
use super::macros::{Copied, Written};
use visa_base::conditions::Truth;

/// Says whether a condition holds, by its name and its value.
pub type Ask<'a> = &'a dyn Fn(&str, Option<&str>) -> Truth;

/// Where what a macro call stands for is reported. Places count in the file's tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOrigin {
    /// What the macro's definition writes: the macro's name and its sign.
    pub name: TextRange,
    /// What the call's arguments say.
    pub copied: Vec<Copied>,
    /// Where definitions have it.
    pub written: Vec<Written>,
}

/// Bytes of a tree that are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The bytes.
    pub range: TextRange,
    /// What is there instead.
    pub instead: Cow<'static, str>,
    /// For what a macro call stands for: where it is reported.
    pub call: Option<CallOrigin>,
    /// The node that a condition leaves out; none where an attribute or a macro is written otherwise.
    node: Option<SyntaxNode>,
    /// The attribute with the condition, for a node.
    condition: String,
}

/// What conditions make of a file.
#[derive(Clone, Debug, Default)]
pub struct Conditional {
    /// In the order of the text, none inside of another.
    left_out: Vec<LeftOut>,
}

impl Conditional {
    /// Looks through a tree. `text` is the tree's text.
    pub fn of(tree: &SourceTree, text: &str, ask: Ask<'_>) -> Self {
        let mut found = Self::default();
        for (at, _) in text.match_indices("cfg") {
            let Ok(at) = TextSize::try_from(at) else {
                break;
            };
            if found
                .left_out
                .last()
                .is_some_and(|last| at < last.range.end())
            {
                continue;
            }
            let token = tree.syntax().token_at_offset(at).right_biased();
            let Some(token) = token.filter(|token| token.text_range().start() == at) else {
                continue;
            };
            let parent = token.parent();
            if let Some(attribute) = parent
                .iter()
                .flat_map(SyntaxNode::ancestors)
                .take_while(|node| !ast::Item::can_cast(node.kind()))
                .find_map(ast::Attr::cast)
            {
                found.attribute(&attribute, ask);
            } else if let Some(call) = parent
                .iter()
                .flat_map(SyntaxNode::ancestors)
                .find_map(ast::MacroCall::cast)
            {
                found.macro_call(&call, &token, ask);
            }
        }
        found
    }

    /// Puts what macro calls stand for in their place: the range of each call, where it is reported, and the text. Calls that are
    /// left out stay so; what conditions say inside of a call goes with it.
    pub fn with_calls(&mut self, calls: Vec<(TextRange, CallOrigin, String)>) {
        for (range, origin, text) in calls {
            let around = |left_out: &LeftOut| left_out.range.contains_range(range);
            if self.left_out.iter().any(around) {
                continue;
            }
            self.left_out
                .retain(|left_out| !range.contains_range(left_out.range));
            self.left_out.push(LeftOut {
                range,
                instead: Cow::Owned(text),
                call: Some(origin),
                node: None,
                condition: String::new(),
            });
        }
        self.left_out.sort_by_key(|left_out| left_out.range.start());
    }

    /// Whether all of a node is left out.
    pub fn leaves_out(&self, node: &SyntaxNode) -> bool {
        let range = node.text_range();
        let after = self
            .left_out
            .partition_point(|left_out| left_out.range.start() <= range.start());
        let before = after.checked_sub(1).and_then(|at| self.left_out.get(at));
        before
            .is_some_and(|left_out| left_out.node.is_some() && left_out.range.contains_range(range))
    }

    /// What is left out of a range.
    pub fn left_out_in(&self, range: TextRange) -> &[LeftOut] {
        let from = self
            .left_out
            .partition_point(|left_out| left_out.range.end() <= range.start());
        let to = self
            .left_out
            .partition_point(|left_out| left_out.range.start() < range.end());
        self.left_out.get(from..to).unwrap_or_default()
    }

    /// The bytes that are not read as code: nodes, and attributes that do not hold.
    pub fn unread(&self) -> impl Iterator<Item = Range<u32>> + '_ {
        let whole = |left_out: &&LeftOut| {
            left_out.call.is_none() && (left_out.node.is_some() || left_out.instead.is_empty())
        };
        self.left_out
            .iter()
            .filter(whole)
            .map(|left_out| u32::from(left_out.range.start())..u32::from(left_out.range.end()))
    }

    /// The nodes with functions that conditions leave out, each with the attribute that says so.
    pub fn code(&self) -> impl Iterator<Item = (Range<u32>, &str)> + '_ {
        let has_functions = |left_out: &&LeftOut| {
            let mut nodes = left_out.node.iter().flat_map(SyntaxNode::descendants);
            nodes.any(|node| ast::Fn::can_cast(node.kind()))
        };
        let nodes = self.left_out.iter().filter(has_functions);
        nodes.map(|left_out| {
            let range = left_out.range;
            (
                range.start().into()..range.end().into(),
                left_out.condition.as_str(),
            )
        })
    }

    /// The number of functions that conditions leave out.
    pub fn functions(&self) -> u64 {
        let nodes = self
            .left_out
            .iter()
            .filter_map(|left_out| left_out.node.as_ref());
        let functions = nodes.flat_map(SyntaxNode::descendants);
        functions
            .filter(|node| ast::Fn::can_cast(node.kind()))
            .count() as u64
    }

    /// The `mod x;` that conditions leave out.
    pub fn modules(&self) -> Vec<ast::Module> {
        let nodes = self
            .left_out
            .iter()
            .filter_map(|left_out| left_out.node.as_ref());
        nodes
            .flat_map(SyntaxNode::descendants)
            .filter_map(ast::Module::cast)
            .filter(|module| module.item_list().is_none())
            .collect()
    }

    fn attribute(&mut self, attribute: &ast::Attr, ask: Ask<'_>) {
        let Some(meta) = attribute.meta() else {
            return;
        };
        let mut expanded = Expanded::default();
        expanded.meta(&meta, Truth::On, ask);
        if expanded.off {
            if let Some(owner) = attribute_owner(attribute) {
                self.node(owner, attribute.syntax().text().to_string());
            }
            return;
        }
        if matches!(meta, ast::Meta::CfgAttrMeta(_)) {
            self.rewrite_attribute(attribute, &meta, &expanded.kept);
        }
    }

    /// Leaves a node out, with the comma behind it.
    fn node(&mut self, node: SyntaxNode, condition: String) {
        let mut range = node.text_range();
        let mut next = node.next_sibling_or_token();
        while next.as_ref().is_some_and(|next| next.kind().is_trivia()) {
            next = next.and_then(|next| next.next_sibling_or_token());
        }
        if let Some(NodeOrToken::Token(comma)) = next
            && comma.kind() == T![,]
        {
            range = range.cover(comma.text_range());
        }
        // A condition inside of the node is behind what the node begins with.
        while self
            .left_out
            .last()
            .is_some_and(|last| last.range.start() >= range.start())
        {
            self.left_out.pop();
        }
        self.left_out.push(LeftOut {
            range,
            instead: Cow::Borrowed(""),
            call: None,
            node: Some(node),
            condition,
        });
    }

    /// Writes an attribute as those that its `cfg_attr` gives.
    fn rewrite_attribute(&mut self, attribute: &ast::Attr, meta: &ast::Meta, kept: &[TextRange]) {
        let whole = meta.syntax().text_range();
        let (Some(first), Some(last)) = (kept.first(), kept.last()) else {
            self.text(attribute.syntax().text_range(), "");
            return;
        };
        let between = match attribute.kind() {
            ast::AttrKind::Inner => "] #![",
            ast::AttrKind::Outer => "] #[",
        };
        self.text(TextRange::new(whole.start(), first.start()), " ");
        for pair in kept.windows(2) {
            if let [before, after] = pair {
                self.text(TextRange::new(before.end(), after.start()), between);
            }
        }
        self.text(TextRange::new(last.end(), whole.end()), " ");
    }

    fn text(&mut self, range: TextRange, instead: &'static str) {
        if !range.is_empty() {
            self.left_out.push(LeftOut {
                range,
                instead: Cow::Borrowed(instead),
                call: None,
                node: None,
                condition: String::new(),
            });
        }
    }

    /// `cfg!(…)` is a constant.
    fn macro_call(&mut self, call: &ast::MacroCall, token: &SyntaxToken, ask: Ask<'_>) {
        let name = call.path().and_then(|path| path.segment());
        let name = name.and_then(|segment| segment.name_ref());
        let ours = name.is_some_and(|name| {
            name.text() == "cfg" && name.syntax().text_range() == token.text_range()
        });
        let Some(tree) = call.token_tree().filter(|_| ours) else {
            return;
        };
        let written = tree.syntax().text().to_string();
        let mut inside = written.chars();
        let (Some(_), Some(_)) = (inside.next(), inside.next_back()) else {
            return;
        };
        let attribute = format!("#![cfg({})]", inside.as_str());
        let parsed = SourceTree::parse(&attribute, EDITION).tree();
        let predicate = parsed.syntax().descendants().find_map(ast::CfgMeta::cast);
        let predicate = predicate.and_then(|meta| meta.cfg_predicate());
        match predicate_truth(predicate.as_ref(), ask) {
            Truth::On => self.text(call.syntax().text_range(), "true"),
            Truth::Off => self.text(call.syntax().text_range(), "false"),
            Truth::Unknown => {}
        }
    }
}

/// What an attribute comes to.
#[derive(Default)]
struct Expanded {
    /// Some `cfg` in it surely does not hold.
    off: bool,
    /// The attributes in it that are no conditions.
    kept: Vec<TextRange>,
}

impl Expanded {
    /// Nesting is bounded by the limit on brackets that the file passed.
    fn meta(&mut self, meta: &ast::Meta, around: Truth, ask: Ask<'_>) {
        match meta {
            ast::Meta::CfgMeta(meta) => {
                let own = predicate_truth(meta.cfg_predicate().as_ref(), ask);
                self.off |= own == Truth::Off && around == Truth::On;
            }
            ast::Meta::CfgAttrMeta(meta) => {
                let own = Truth::all([around, predicate_truth(meta.cfg_predicate().as_ref(), ask)]);
                if own != Truth::Off {
                    for inner in meta.metas() {
                        self.meta(&inner, own, ask);
                    }
                }
            }
            other => self.kept.push(other.syntax().text_range()),
        }
    }
}

/// Whether a predicate holds; unknown where it is not complete.
fn predicate_truth(predicate: Option<&ast::CfgPredicate>, ask: Ask<'_>) -> Truth {
    match predicate {
        None => Truth::Unknown,
        Some(ast::CfgPredicate::CfgAtom(atom)) => {
            if atom.true_token().is_some() {
                return ask("true", None);
            }
            if atom.false_token().is_some() {
                return ask("false", None);
            }
            let Some(name) = atom.ident_token() else {
                return Truth::Unknown;
            };
            let value = atom.string_token().and_then(ast::String::cast);
            match (atom.eq_token(), value) {
                (None, _) => ask(name.text(), None),
                (Some(_), Some(value)) => match value.value() {
                    Ok(value) => ask(name.text(), Some(&value)),
                    Err(_) => Truth::Unknown,
                },
                (Some(_), None) => Truth::Unknown,
            }
        }
        Some(ast::CfgPredicate::CfgComposite(composite)) => {
            let parts: Vec<Truth> = composite
                .cfg_predicates()
                .map(|part| predicate_truth(Some(&part), ask))
                .collect();
            let keyword = composite.keyword();
            match (keyword.as_ref().map(SyntaxToken::text), parts.as_slice()) {
                (Some("all"), parts) => Truth::all(parts.iter().copied()),
                (Some("any"), parts) => Truth::any(parts.iter().copied()),
                (Some("not"), [part]) => !*part,
                _ => Truth::Unknown,
            }
        }
    }
}

/// What an attribute is on.
fn attribute_owner(attribute: &ast::Attr) -> Option<SyntaxNode> {
    let parent = attribute.syntax().parent()?;
    let node = match attribute.kind() {
        ast::AttrKind::Outer => parent,
        // The list of items or statements that it opens belongs to something.
        ast::AttrKind::Inner => parent.ancestors().find(|node| {
            ast::SourceFile::can_cast(node.kind())
                || ast::Item::can_cast(node.kind())
                || ast::Stmt::can_cast(node.kind())
        })?,
    };
    // What a broken text makes of an attribute without an item is left alone.
    (node.kind() != SyntaxKind::ERROR).then_some(node)
}

/// The names of the inline modules around a node, outermost first.
pub fn modules_around(node: &SyntaxNode) -> Vec<String> {
    let around = node.ancestors().skip(1).filter_map(ast::Module::cast);
    let mut names: Vec<String> = around
        .filter_map(|module| Some(module.name()?.text().to_string()))
        .collect();
    names.reverse();
    names
}
