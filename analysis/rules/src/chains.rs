//! The chain that a call is in: its passes, the field that it begins with, and the call behind another one.

use ra_ap_syntax::ast::{self, AstNode};

use crate::db::Db;
use crate::items::{Span, method_call, parse_item};
use crate::kernel::{Body, OperationKind, Pass};

/// The passes of a body.
pub(super) fn passes_of(body: &Body) -> impl Iterator<Item = &Pass> {
    let operations = body.operations.iter();
    operations.filter_map(|operation| match &operation.kind {
        OperationKind::Pass(pass) => Some(&**pass),
        OperationKind::Copy(_) | OperationKind::Collective(_) => None,
    })
}

/// The place of the name of the method that is called on what the method at a place gives.
pub(super) fn next_name(db: &dyn Db, method: Span) -> Option<Span> {
    let call = method_call(db, method)?;
    let next = ast::MethodCallExpr::cast(call.syntax().parent()?)?;
    let is_receiver = next.receiver()?.syntax() == call.syntax();
    let name = next.name_ref().filter(|_| is_receiver)?;
    Some(parse_item(db, method.item).span(name.syntax()))
}

/// The field that a chain begins with, which holds the call of the method at a place: `main` of `ctx.main.begin(…)`.
pub(super) fn first_field(db: &dyn Db, method: Span) -> Option<(String, Span)> {
    let mut receiver = method_call(db, method)?.receiver()?;
    loop {
        receiver = match receiver {
            ast::Expr::MethodCallExpr(call) => call.receiver()?,
            ast::Expr::FieldExpr(field) => {
                let name = field.name_ref()?;
                let place = parse_item(db, method.item).span(name.syntax());
                return Some((name.text().to_string(), place));
            }
            _ => return None,
        };
    }
}
