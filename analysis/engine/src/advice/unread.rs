//! Candidates that leave out what nothing reads: the statement of an operation whose result no other operation of the kernel touches.
//!
//! Only in kernels that give something, and only where the result's name is used nowhere else.

use ra_ap_syntax::SyntaxKind;
use ra_ap_syntax::ast::{self, AstNode, HasName};

use crate::db::Db;
use crate::derivation::BodyDerivation;
use crate::items::{method_call, parse_item};
use crate::kernel::{Body, Operation, OperationKind, Tier};
use crate::rules::Edit;

use super::{Candidate, Kind};

/// A candidate for each operation whose result is not read.
pub(super) fn unread_candidates(
    db: &dyn Db,
    body: &Body,
    derivation: &BodyDerivation,
) -> Vec<Candidate> {
    let gives = !body.escaping.is_empty() || body.operations.iter().any(|one| stores(body, one));
    if !gives {
        return Vec::new();
    }
    let unread = body
        .operations
        .iter()
        .filter(|operation| operation.loops.is_empty() && is_unread(body, derivation, operation));
    unread
        .filter_map(|operation| unread_candidate(db, operation))
        .collect()
}

fn stores(body: &Body, operation: &Operation) -> bool {
    let outside = |id| {
        body.tensor(id)
            .is_some_and(|tensor| matches!(tensor.tier, Tier::Hbm | Tier::Host))
    };
    match &operation.kind {
        OperationKind::Copy(copy) => outside(copy.target),
        OperationKind::Collective(collective) => collective.targets.iter().any(|id| outside(*id)),
        OperationKind::Pass(_) => false,
    }
}

/// Whether an operation writes on the chip alone, and no other one touches what it writes.
fn is_unread(body: &Body, derivation: &BodyDerivation, operation: &Operation) -> bool {
    let memory = &derivation.memory;
    let Some(own) = memory.touches.get(operation.id.0 as usize) else {
        return false;
    };
    let mut written = own.iter().filter(|touch| touch.writes).peekable();
    let some = written.peek().is_some();
    some && written.all(|touch| {
        let Some(lifetime) = memory.lifetimes.get(touch.allocation) else {
            return false;
        };
        let on_chip = matches!(lifetime.tier, Tier::Dm | Tier::Trf | Tier::Vrf);
        let root = body.root(lifetime.tensor);
        let escapes = body.escaping.iter().any(|id| body.root(*id) == root);
        let others = body.operations.iter().filter(|one| one.id != operation.id);
        let mut touched = others.filter_map(|one| memory.touches.get(one.id.0 as usize));
        let used = touched.any(|touches| {
            let mut touches = touches.iter();
            touches.any(|one| one.allocation == touch.allocation)
        });
        on_chip && !escapes && !used
    })
}

fn unread_candidate(db: &dyn Db, operation: &Operation) -> Option<Candidate> {
    let parsed = parse_item(db, operation.span.item);
    let made = method_call(db, operation.span)?;
    let statement = made.syntax().parent().and_then(ast::LetStmt::cast)?;
    let ast::Pat::IdentPat(pattern) = statement.pat()? else {
        return None;
    };
    let name = pattern.name()?.text().to_string();
    let root = statement.syntax().ancestors().last()?;
    let tokens = root.descendants_with_tokens();
    let tokens = tokens.filter_map(ra_ap_syntax::NodeOrToken::into_token);
    let uses = tokens.filter(|token| token.kind() == SyntaxKind::IDENT && token.text() == name);
    if uses.count() > 1 {
        return None;
    }
    Some(Candidate {
        kind: Kind::Unread,
        title: format!("Leave out `{name}`, which nothing reads"),
        span: operation.span,
        rule: None,
        edits: vec![Edit::new(parsed.span(statement.syntax()), String::new())],
    })
}
