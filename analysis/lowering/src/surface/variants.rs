//! Variants of the project's enums in conditions: `a == Mode::On`, `matches!(a, Mode::On | Mode::Off)`.
//!
//! Knows variants without fields of enums that derive their equality; what another equality says is not known.

use ra_ap_syntax::ast::{self, AstNode, HasAttrs, HasName};
use ra_ap_syntax::{NodeOrToken, SyntaxKind};

use crate::items::{self, ItemId};
use crate::syntax::parse_text;

use super::values::{Named, Value};
use super::{Elaborate, Flow, Walker};

/// The macro that says whether a pattern matches.
pub(super) const MATCHES: &str = "matches";

impl<L: Elaborate> Walker<'_, L> {
    /// Whether two variants are equal or not; none where that is not known.
    pub(super) fn compare_variants(
        &self,
        op: ast::CmpOp,
        left: &Value<L>,
        right: &Value<L>,
    ) -> Option<bool> {
        let ast::CmpOp::Eq { negated } = op else {
            return None;
        };
        let (Value::Named(left), Value::Named(right)) = (left, right) else {
            return None;
        };
        let item = left.item.filter(|item| right.item == Some(*item))?;
        let plain = |named: &Named<L>| named.arguments.is_empty() && named.fields.is_empty();
        let known = [left, right]
            .into_iter()
            .all(|named| plain(named) && self.is_plain_variant(item, named.name()));
        known.then(|| (left.name() == right.name()) != negated)
    }

    /// Whether a type is an enum that derives its equality and has a variant of that name without fields.
    fn is_plain_variant(&self, item: ItemId, name: &str) -> bool {
        let parsed = items::parse_item(self.db, item);
        let Some(node) = parsed.cast::<ast::Enum>() else {
            return false;
        };
        let derives = node.attrs().any(|attribute| {
            let text = attribute.syntax().text().to_string();
            text.contains("derive") && text.contains("PartialEq")
        });
        let mut variants = node
            .variant_list()
            .into_iter()
            .flat_map(|list| list.variants());
        derives
            && variants.any(|variant| {
                variant.field_list().is_none()
                    && variant.name().is_some_and(|own| own.text() == name)
            })
    }

    /// `matches!(value, pattern if guard)`; none where it is not written so.
    pub(super) fn matches_call(&mut self, call: &ast::MacroCall) -> Option<Value<L>> {
        let (value, pattern, guard) = parts_of_matches(call)?;
        let value = self.expression(&value);
        if self.flow != Flow::Next {
            return Some(Value::Unknown);
        }
        let matched = self.pattern_matches(&pattern, &value, 0);
        let Some(guard) = guard.filter(|_| matched != Some(false)) else {
            return Some(matched.map_or(Value::Unknown, Value::boolean));
        };
        let outer = self.frame.variables.len();
        self.bind_pattern(&pattern, value);
        let holds = self.expression(&guard).as_boolean();
        self.frame.variables.truncate(outer);
        Some(match (matched, holds) {
            (_, Some(false)) => Value::boolean(false),
            (Some(true), Some(true)) => Value::boolean(true),
            _ => Value::Unknown,
        })
    }
}

/// The value, the pattern and the guard of a `matches!`, at the places that they have in the text of the call.
fn parts_of_matches(call: &ast::MacroCall) -> Option<(ast::Expr, ast::Pat, Option<ast::Expr>)> {
    const BEFORE: &str = "fn f(){match ";
    let tree = call.token_tree()?;
    let mut tokens = tree.syntax().children_with_tokens();
    let comma = tokens.find(|token| token.kind() == SyntaxKind::COMMA)?;
    let NodeOrToken::Token(comma) = comma else {
        return None;
    };
    let range = tree.syntax().text_range();
    let text = tree.syntax().text().to_string();
    let first = usize::from(range.start()).checked_add(1)?;
    let at = usize::from(comma.text_range().start() - range.start());
    let value = text.get(1..at)?;
    let pattern = text.get(at + 1..text.len().checked_sub(1)?)?;
    let pattern = pattern.trim_end().trim_end_matches(',');
    // Names are looked up by where they are, so that spaces keep each at its place.
    let spaces = " ".repeat(first.checked_sub(BEFORE.len())?);
    let source = format!("{spaces}{BEFORE}{value}{{{pattern}=>true,_=>false}}}}");
    let parsed = parse_text(&source).ok()?;
    if !parsed.errors().is_empty() {
        return None;
    }
    let root = parsed.tree();
    let found = root.syntax().descendants().find_map(ast::MatchExpr::cast)?;
    let arm = found.match_arm_list()?.arms().next()?;
    let guard = match arm.guard() {
        Some(guard) => Some(guard.condition()?),
        None => None,
    };
    Some((found.expr()?, arm.pat()?, guard))
}
