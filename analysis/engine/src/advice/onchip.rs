//! Candidates that move a tensor inside of DM where it goes by HBM: one transfer to where it is read, in place of a store into a tensor
//! that the kernel keeps for itself and a load from there.
//!
//! Only where what is stored is in scope at the load and nothing writes it between. What the load copies into more slices stays a load:
//! only loads from HBM are known to write copies. Whether a transfer inside of DM may be made is judged where it is tried.

use std::ops::RangeInclusive;

use ra_ap_syntax::ast::{self, AstNode, HasGenericArgs, HasName};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};

use crate::db::Db;
use crate::derivation::conventions::Conventions;
use crate::items::{ParsedItem, method_call, parse_item};
use crate::kernel::{Body, Copy, Operation, OperationKind, Origin, Tensor, TensorId, Tier};
use crate::rules::Edit;

use super::slots::is_moved_whole;
use super::writing::{Held, generics_of, tensor_phrase};
use super::{Candidate, Kind};
use crate::changes::is_kept_for_itself;

/// Loads of one tensor that are changed together, at most.
const LOADS: usize = 4;

/// The move inside of DM in place of the way by HBM that an operation is a half of.
pub(super) fn onchip_candidates(db: &dyn Db, body: &Body, operation: &Operation) -> Vec<Candidate> {
    let OperationKind::Copy(copy) = &operation.kind else {
        return Vec::new();
    };
    let tier = |id| body.tensor(id).map(|tensor| tensor.tier);
    let hop = match (tier(copy.source), tier(copy.target)) {
        (Some(Tier::Dm), Some(Tier::Hbm)) => copy.target,
        (Some(Tier::Hbm), Some(Tier::Dm)) => copy.source,
        _ => return Vec::new(),
    };
    let found = Hop::of(body, body.root(hop)).and_then(|hop| hop.hop_candidate(db, operation));
    found.into_iter().collect()
}

/// A tensor that the kernel stores once and loads again.
struct Hop<'a> {
    body: &'a Body,
    root: &'a Tensor,
    store: (&'a Operation, &'a Copy),
    loads: Vec<(&'a Operation, &'a Copy)>,
}

impl<'a> Hop<'a> {
    fn of(body: &'a Body, root: TensorId) -> Option<Self> {
        if !is_kept_for_itself(body, root) {
            return None;
        }
        let (mut store, mut loads) = (None, Vec::new());
        for operation in &body.operations {
            let OperationKind::Copy(copy) = &operation.kind else {
                continue;
            };
            let copy: &Copy = copy;
            if body.root(copy.target) == root {
                store = Some((operation, copy));
            } else if body.root(copy.source) == root {
                loads.push((operation, copy));
            }
        }
        let store = store?;
        let plain = |(one, copy): &(&Operation, &Copy)| {
            let tier = |id| body.tensor(id).map(|tensor| tensor.tier);
            let on_chip =
                tier(copy.source) == Some(Tier::Dm) || tier(copy.target) == Some(Tier::Dm);
            on_chip
                && one.branches.is_empty()
                && one.loops.is_empty()
                && one.span.item == store.0.span.item
                && one.calls == store.0.calls
        };
        let few = (1..=LOADS).contains(&loads.len());
        let same = few && plain(&store) && loads.iter().all(plain);
        (same && is_moved_whole(body, root, store.0)).then_some(Self {
            body,
            root: body.tensor(root)?,
            store,
            loads,
        })
    }

    fn hop_candidate(&self, db: &dyn Db, operation: &Operation) -> Option<Candidate> {
        let (store, stored) = self.store;
        let parsed = parse_item(db, store.span.item);
        let library = self.body.library();
        let stores = method_call(db, store.span)?;
        let source = variable_name(stores.receiver()?, library.view()?)?;
        let first = statement_around(stores.syntax())?;
        let mut edits = self.without_store(&parsed, &first)?;
        for (load, copy) in &self.loads {
            if !self.is_there(load) || !self.holds_no_more(stored, copy) {
                return None;
            }
            let loads = method_call(db, load.span)?;
            let receiver = loads.receiver()?;
            variable_name(receiver.clone(), library.view()?)?;
            let reads = statement_around(loads.syntax())?;
            if !is_in_scope(&first, &reads, &source) {
                return None;
            }
            let path = receiver
                .syntax()
                .descendants()
                .find_map(ast::PathExpr::cast)?;
            // A transfer that makes a tensor is a method of the tensor; one into a view is a method of views.
            let makes = matches!(self.body.tensor(copy.target)?.origin, Origin::Operation(_));
            let of_tensor = if makes {
                receiver.syntax().clone()
            } else {
                path.syntax().clone()
            };
            edits.push(Edit::new(parsed.span(&of_tensor), source.clone()));
            if let Some(arguments) = loads.generic_arg_list() {
                // Each transfer has generics of its own.
                let name = parsed.span(loads.name_ref()?.syntax());
                let generics = parsed.span(arguments.syntax());
                let whole = crate::items::Span {
                    end: generics.end,
                    ..name
                };
                edits.push(Edit::new(whole, self.method(copy)?));
            }
        }
        let to: Vec<String> = self
            .loads
            .iter()
            .filter_map(|(_, copy)| Some(tensor_phrase(self.body, self.body.tensor(copy.target)?)))
            .collect();
        Some(Candidate {
            kind: Kind::OnChip,
            title: format!(
                "Move `{source}` inside of DM to {}, in place of a store into {} and a load from there",
                to.join(" and to "),
                tensor_phrase(self.body, self.root)
            ),
            span: operation.span,
            rule: None,
            edits,
        })
    }

    /// The edits that leave out the store, and the statement that declares what it stores into.
    fn without_store(&self, parsed: &ParsedItem, store: &SyntaxNode) -> Option<Vec<Edit>> {
        let mut edits = vec![Edit::new(parsed.span(store), String::new())];
        if matches!(self.root.origin, Origin::New) {
            let root = parsed.root()?;
            let mut statements = root.syntax().descendants().filter_map(ast::LetStmt::cast);
            let declared = statements.find(|one| {
                let name = match one.pat() {
                    Some(ast::Pat::IdentPat(pattern)) => pattern.name(),
                    _ => None,
                };
                name.is_some_and(|name| parsed.span(name.syntax()) == self.root.span)
            })?;
            edits.push(Edit::new(parsed.span(declared.syntax()), String::new()));
        } else if !ast::LetStmt::can_cast(store.kind()) {
            return None;
        }
        Some(edits)
    }

    /// Whether what is stored is as it was when it is loaded.
    fn is_there(&self, load: &Operation) -> bool {
        let source = self.body.root(self.store.1.source);
        let range: RangeInclusive<_> = self.store.0.id..=load.id;
        let between = self.body.operations.iter();
        let mut between = between.filter(|one| range.contains(&one.id));
        !between.any(|one| {
            let written = one.tensors_written();
            written.iter().any(|id| self.body.root(*id) == source)
        })
    }

    /// Whether a load gives each byte to as many slices as have it before, so that it copies nothing, and in clusters that a transfer
    /// inside of DM reaches.
    fn holds_no_more(&self, stored: &Copy, load: &Copy) -> bool {
        let apart = Conventions::of(self.body.dialect).moves_between_clusters();
        let places = |id: TensorId| {
            let tensor = self.body.tensor(id)?;
            let cluster = Held::of(tensor)?.cluster;
            let element = tensor.element_type.get().copied()?;
            Some((
                tensor.levels.position_count()?,
                element,
                (!apart).then_some(cluster),
            ))
        };
        let before = places(stored.source);
        before.is_some() && before == places(load.target)
    }

    /// The transfer inside of DM with its generics.
    fn method(&self, load: &Copy) -> Option<String> {
        let target = self.body.tensor(load.target)?;
        if !matches!(target.origin, Origin::Operation(_)) {
            return None;
        }
        let generics = generics_of(target, &Held::of(target)?)?;
        let library = self.body.library();
        let text = library.write_transfer(Tier::Dm, Tier::Dm, &generics, &[])?;
        text.split('(').next().map(str::to_owned)
    }
}

/// The variable that a transfer is a method of, itself or by a view of the whole.
fn variable_name(receiver: ast::Expr, view: &str) -> Option<String> {
    match receiver {
        ast::Expr::PathExpr(path) => {
            let name = path.path()?.as_single_name_ref()?;
            Some(name.text().to_string())
        }
        ast::Expr::MethodCallExpr(viewed) if viewed.name_ref()?.text() == view => {
            let inner = viewed.receiver()?;
            matches!(inner, ast::Expr::PathExpr(_)).then(|| variable_name(inner, view))?
        }
        _ => None,
    }
}

/// The statement of a block, or the expression that it ends with, around a node.
fn statement_around(node: &SyntaxNode) -> Option<SyntaxNode> {
    node.ancestors().find(|node| {
        let parent = node.parent();
        parent.is_some_and(|parent| ast::StmtList::can_cast(parent.kind()))
    })
}

/// Whether a name means at a later statement what it means at an earlier one: that is in a block around it, and nothing between gives
/// the name to something else.
fn is_in_scope(first: &SyntaxNode, then: &SyntaxNode, name: &str) -> bool {
    let block = first.parent();
    let (from, to) = (first.text_range().end(), then.text_range().start());
    let Some(around) = then.ancestors().find(|node| Some(node) == block.as_ref()) else {
        return false;
    };
    let tokens = around.descendants_with_tokens();
    let mut tokens = tokens.filter_map(ra_ap_syntax::NodeOrToken::into_token);
    let bound = tokens.any(|token| {
        let within = token.text_range();
        let gives = token
            .parent()
            .is_some_and(|parent| ast::Name::can_cast(parent.kind()));
        let between = within.start() >= from && within.end() <= to;
        token.kind() == SyntaxKind::IDENT && token.text() == name && gives && between
    });
    // What the store itself is named may be the name of what it stores.
    let own = ast::LetStmt::cast(first.clone()).and_then(|own| own.pat());
    let shadowed = own.is_some_and(|pattern| {
        let mut names = pattern.syntax().descendants().filter_map(ast::Name::cast);
        names.any(|given| given.text() == name)
    });
    from <= to && !bound && !shadowed
}
