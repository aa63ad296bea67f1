//! A call of another release as its text is, and how its parts go over into the row of the crate's release: generics by what
//! they mean, arguments by their roles.

use ra_ap_syntax::ast::{self, AstNode, HasArgList, HasGenericArgs};
use ra_ap_syntax::{SyntaxNode, TextRange};

use crate::db::Db;
use crate::items::{ItemId, ParsedItem, Span, item_text, parse_item};
use crate::kernel::catalogue::{Generic, Role};
use crate::kernel::dialect::{Action, AssociatedFunction, Constructor, Dialect, Method};
use crate::kernel::{Body, Context, ForeignCall, ForeignCallee, Tier, Written};
use crate::mapping::Mapping;

use super::super::Edit;
use super::super::wording;
use super::{Rewritten, edits};

/// Rewrites the foreign calls of one function.
pub(super) struct Rewriter<'a> {
    pub(super) db: &'a dyn Db,
    pub(super) parsed: ParsedItem,
    /// The function with its foreign calls followed.
    pub(super) body: &'a Body,
    /// What it is written for.
    pub(super) own: Dialect,
}

/// A call of a method as it is written.
pub(super) struct Parts {
    pub(super) node: ast::MethodCallExpr,
    pub(super) name: TextRange,
    pub(super) receiver: SyntaxNode,
    /// The generics without lifetimes, and the bracket before them.
    pub(super) generics: Vec<SyntaxNode>,
    pub(super) angle: Option<TextRange>,
    pub(super) arguments: Vec<SyntaxNode>,
    pub(super) parenthesis: TextRange,
}

impl Parts {
    fn of(node: ast::MethodCallExpr) -> Option<Self> {
        let list = node.generic_arg_list();
        let generics = list.iter().flat_map(ast::GenericArgList::generic_args);
        let generics =
            generics.filter(|argument| !matches!(argument, ast::GenericArg::LifetimeArg(_)));
        let arguments = node.arg_list()?;
        Some(Self {
            name: node.name_ref()?.syntax().text_range(),
            receiver: node.receiver()?.syntax().clone(),
            generics: generics.map(|argument| argument.syntax().clone()).collect(),
            angle: list.and_then(|list| Some(list.l_angle_token()?.text_range())),
            parenthesis: arguments.l_paren_token()?.text_range(),
            arguments: arguments
                .args()
                .map(|argument| argument.syntax().clone())
                .collect(),
            node,
        })
    }

    /// The texts of the generics by what they mean in a row.
    pub(super) fn generics_of(&self, row: &Method) -> Vec<(Generic, String)> {
        let mut left_out = row.generics.len().saturating_sub(self.generics.len());
        let meant = row.generics.iter().filter(|generic| {
            // A constant may be left out.
            let skipped = **generic == Generic::Constant && left_out > 0;
            left_out -= usize::from(skipped);
            !skipped
        });
        let texts = self.generics.iter().map(|node| node.text().to_string());
        meant.copied().zip(texts).collect()
    }

    /// The texts of the arguments by their roles in a row.
    pub(super) fn arguments_of(&self, row: &Method) -> Vec<(Role, String)> {
        let roles = row.arguments.iter().map(|argument| argument.role);
        let texts = self.arguments.iter().map(|node| node.text().to_string());
        roles.zip(texts).collect()
    }
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(db: &'a dyn Db, function: ItemId, body: &'a Body) -> Self {
        Self {
            db,
            parsed: parse_item(db, function),
            body,
            own: body.library(),
        }
    }

    /// How a call is written here; what there is to do by hand where no text says it.
    pub(super) fn rewrite_call(&self, call: &ForeignCall) -> Result<Rewritten, String> {
        match call.called {
            ForeignCallee::Function(function, tier) => self.function(call.span, function, tier),
            ForeignCallee::Method(row) => {
                let parts = self.call_parts(call.span);
                let parts = parts.ok_or("write the call as this release has it")?;
                match row.action {
                    Action::Stages(_) => self.stage(call, row, &parts),
                    _ => self.memory(call, row, &parts),
                }
            }
        }
    }

    fn call_parts(&self, name: Span) -> Option<Parts> {
        let root = self.parsed.root()?;
        let mut calls = root
            .syntax()
            .descendants()
            .filter_map(ast::MethodCallExpr::cast);
        let found = calls.find(|node| {
            let own = node.name_ref();
            own.is_some_and(|own| self.parsed.span(own.syntax()) == name)
        })?;
        Parts::of(found)
    }

    /// The edits that put a row's name, generics and arguments in the place of a call's.
    pub(super) fn replaced(
        &self,
        parts: &Parts,
        (name, generics, arguments): (&str, Option<&[String]>, &[String]),
    ) -> Vec<Edit> {
        let text = &self.parsed.text;
        let mut made = Vec::new();
        let old = parts.node.name_ref().map(|name| name.text().to_string());
        if old.as_deref() != Some(name) {
            made.push(Edit::new(edits::range_span(text, parts.name), name));
        }
        match (generics, parts.angle) {
            (Some(generics), Some(open)) if !generics.is_empty() => {
                made.extend(edits::of_list(text, open, &parts.generics, generics));
            }
            (Some([]) | None, Some(_)) => {
                let list = parts.node.generic_arg_list();
                let list = list.map(|list| list.syntax().text_range());
                made.extend(list.map(|list| Edit::new(edits::range_span(text, list), "")));
            }
            (Some(generics), None) if !generics.is_empty() => {
                let behind = TextRange::empty(parts.name.end());
                let list = format!("::<{}>", generics.join(", "));
                made.push(Edit::new(edits::range_span(text, behind), list));
            }
            _ => {}
        }
        made.extend(edits::of_list(
            text,
            parts.parenthesis,
            &parts.arguments,
            arguments,
        ));
        made
    }

    /// What an author wrote for a mapping, as far as it is in this text; else the mapping.
    pub(super) fn text_of(&self, written: &Written<Mapping>) -> Option<String> {
        let mapping = written.value.as_ref()?;
        let place = written.used_at.unwrap_or(written.span);
        let own = self.parsed.text.owner;
        let whole = item_text(self.db, place.item);
        let text = whole.text.get(place.start as usize..place.end as usize);
        let text = text.filter(|text| {
            let path = text.starts_with(char::is_uppercase);
            place.item == own && (text.starts_with("m!") || path)
        });
        Some(text.map_or_else(|| wording::mapping_macro_text(mapping), str::to_owned))
    }

    /// A constructor at an address, or of an older name.
    fn function(
        &self,
        place: Span,
        foreign: &AssociatedFunction,
        tier: Tier,
    ) -> Result<Rewritten, String> {
        let makes = |own: &&AssociatedFunction| {
            own.tiers.contains(&tier)
                && own.releases.contain(self.own.id().release)
                && match foreign.constructor {
                    Constructor::FromAddress | Constructor::New => {
                        own.constructor == Constructor::New
                    }
                    Constructor::Contents => own.name == foreign.name,
                }
        };
        let own = self.own.associated.iter().find(makes);
        let own = own
            .ok_or("this release has no such function: let a transfer or a pass make the tensor")?;
        let root = self.parsed.root().ok_or("")?;
        let mut calls = root.syntax().descendants().filter_map(ast::CallExpr::cast);
        let name_of = |call: &ast::CallExpr| match call.expr()? {
            ast::Expr::PathExpr(path) => path.path()?.segment(),
            _ => None,
        };
        let found = calls.find_map(|call| {
            let segment = name_of(&call)?;
            (self.parsed.span(segment.syntax()) == place).then_some((call, segment))
        });
        let (call, segment) = found.ok_or("write the call as this release has it")?;
        let text = &self.parsed.text;
        let mut made = vec![Edit::new(
            edits::range_span(text, segment.syntax().text_range()),
            own.name,
        )];
        let list = call.arg_list();
        let open = list.as_ref().and_then(ast::ArgList::l_paren_token);
        if let (Some(list), Some(open)) = (list, open) {
            let arguments: Vec<SyntaxNode> = list
                .args()
                .map(|argument| argument.syntax().clone())
                .collect();
            made.extend(edits::of_list(text, open.text_range(), &arguments, &[]));
        }
        made.extend(self.without_unsafe(&call));
        Ok(Rewritten {
            edits: made,
            text: format!("{}()", own.name),
            sure: true,
        })
    }

    /// The edits that take a call out of an `unsafe` block of its own: what is called instead is safe.
    fn without_unsafe(&self, call: &ast::CallExpr) -> Vec<Edit> {
        let block = || {
            let list = call.syntax().parent().and_then(ast::StmtList::cast)?;
            let only = list.statements().next().is_none() && list.tail_expr().is_some();
            let block = list.syntax().parent().and_then(ast::BlockExpr::cast)?;
            let opening = block.unsafe_token().filter(|_| only)?;
            let (open, close) = (list.l_curly_token()?, list.r_curly_token()?);
            let call = call.syntax().text_range();
            Some([
                TextRange::new(opening.text_range().start(), call.start()),
                TextRange::new(call.end(), close.text_range().end()),
                open.text_range(),
            ])
        };
        let Some([before, behind, _]) = block() else {
            return Vec::new();
        };
        [before, behind]
            .into_iter()
            .map(|range| Edit::new(edits::range_span(&self.parsed.text, range), ""))
            .collect()
    }
}

/// Texts of generics for a row, each from the given one of the same meaning, and those that are left over. `_` stands for
/// what is inferred; `missing` says what no generic says.
pub(super) fn generics_for(
    row: &Method,
    mut given: Vec<(Generic, String)>,
    mut missing: impl FnMut(Generic) -> Option<String>,
) -> (Option<Vec<String>>, Vec<(Generic, String)>) {
    let written: Option<Vec<String>> = row
        .generics
        .iter()
        .map(|wanted| {
            let at = given.iter().position(|(known, _)| known == wanted);
            match at {
                Some(at) => Some(given.remove(at).1),
                None if *wanted == Generic::Inferred => Some("_".to_owned()),
                None => missing(*wanted),
            }
        })
        .collect();
    (written, given)
}

/// The sub context, as an argument: by the device that a pass begins on.
pub(super) fn sub_of(receiver: &SyntaxNode, own: Dialect) -> Option<String> {
    let mut chain = ast::Expr::cast(receiver.clone())?;
    loop {
        chain = match chain {
            ast::Expr::MethodCallExpr(call) => call.receiver()?,
            ast::Expr::FieldExpr(field) => {
                let name = field.name_ref()?.text().to_string();
                own.context_field(&name)?;
                let sub = own
                    .context_fields
                    .iter()
                    .find(|(_, context)| *context == Context::Sub)?;
                return Some(format!("&mut {}.{}", field.expr()?.syntax().text(), sub.0));
            }
            _ => return None,
        };
    }
}
