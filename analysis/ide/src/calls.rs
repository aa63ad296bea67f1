//! The call hierarchy of kernels and the functions they reach.
//!
//! Every name in a function's text that means a function counts as a call: a kernel that is handed to `launch` is called.
//! Functions that neither a kernel reaches nor that reach a kernel are ordinary Rust, about which it says nothing.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxToken};

use crate::check::function_simulation;
use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::{
    ItemId, ItemKind, Namespace, Resolution, Span, block_scopes, device_attribute, file_items,
    functions_of, parse_item, resolve_path, scope_at,
};
use crate::lowering::callgraph;

use super::cursor::Cursor;
use super::names::{FileNames, Occurrence, Role, answer_place, files_around, place_of};
use super::{CallItem, CallLink};

/// Functions that are followed to see whether one reaches a kernel.
const MAXIMUM_FOLLOWED: usize = 1_000;

/// A function, named by the span of its name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Function {
    /// The item whose text it is in.
    owner: ItemId,
    /// The item that it is.
    item: ItemId,
    /// The type and the name of a method, else the name.
    name: String,
    range: Span,
    selection: Span,
}

/// A name in a function's text that means a function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct CallSite {
    /// The name of the function it is in.
    caller: Span,
    callee: ItemId,
    span: Span,
}

/// The function at a cursor.
pub(super) fn call_items(db: &dyn Db, file: SourceFile, offset: u32) -> Vec<CallItem> {
    let function = function_at(db, file, offset);
    function
        .filter(|function| concerns_kernels(db, function))
        .and_then(|function| call_item(db, &function))
        .into_iter()
        .collect()
}

/// Who calls the function whose name is at an offset.
pub(super) fn incoming_calls(db: &dyn Db, file: SourceFile, offset: u32) -> Vec<CallLink> {
    let Some(target) = function_at(db, file, offset).map(|function| function.item) else {
        return Vec::new();
    };
    // The call graph leaves out recursion, and what methods name among the tokens of macros.
    let known = callgraph::callers_of_function(db, target);
    let methods = files_around(db, target.file(db))
        .into_iter()
        .flat_map(|file| file_items(db, file).items.to_vec())
        .filter(|item| matches!(item.kind(db), ItemKind::Implementation | ItemKind::Type));
    let candidates: IndexSet<ItemId> = known
        .iter()
        .map(|caller| caller.owner(db))
        .chain([target.owner(db)])
        .chain(methods)
        .collect();
    let mut callers: IndexMap<(ItemId, Span), Vec<Span>> = IndexMap::new();
    for item in candidates {
        for site in call_sites(db, item)
            .iter()
            .filter(|site| site.callee == target)
        {
            callers
                .entry((item, site.caller))
                .or_default()
                .push(site.span);
        }
    }
    let link = |((owner, name), sites): ((ItemId, Span), Vec<Span>)| {
        let function = all_functions(db, owner)
            .into_iter()
            .find(|function| function.selection == name)?;
        link_to(db, &function, &sites)
    };
    callers.into_iter().filter_map(link).collect()
}

/// Whom the function calls whose name is at an offset.
pub(super) fn outgoing_calls(db: &dyn Db, file: SourceFile, offset: u32) -> Vec<CallLink> {
    let Some(function) = function_at(db, file, offset) else {
        return Vec::new();
    };
    let mut callees: IndexMap<ItemId, Vec<Span>> = IndexMap::new();
    for site in call_sites(db, function.owner).iter() {
        if site.caller == function.selection {
            callees.entry(site.callee).or_default().push(site.span);
        }
    }
    let link =
        |(callee, sites): (ItemId, Vec<Span>)| link_to(db, &function_of(db, callee)?, &sites);
    callees.into_iter().filter_map(link).collect()
}

fn link_to(db: &dyn Db, function: &Function, sites: &[Span]) -> Option<CallLink> {
    let sites = sites.iter().filter_map(|span| Some(place_of(db, *span)?.1));
    Some(CallLink {
        item: call_item(db, function)?,
        sites: sites.collect(),
    })
}

fn call_item(db: &dyn Db, function: &Function) -> Option<CallItem> {
    let kernel = Some(function.item).filter(|item| device_attribute(db, *item).is_some());
    let detail = kernel.map(|kernel| match function_simulation(db, kernel).total() {
        Some(total) => format!("kernel, {}", super::lenses::cycles_text(total)),
        None => "kernel".to_owned(),
    });
    Some(CallItem {
        name: function.name.clone(),
        detail,
        place: answer_place(db, place_of(db, function.range)?),
        selection: place_of(db, function.selection)?.1,
    })
}

/// The function whose declaration's name, or a call of which, touches a byte.
fn function_at(db: &dyn Db, file: SourceFile, offset: u32) -> Option<Function> {
    let cursor = Cursor::at(db, file, offset)?;
    let names = FileNames::new(db, file)?;
    cursor
        .tokens
        .iter()
        .filter(|token| token.kind() == SyntaxKind::IDENT)
        .find_map(|token| {
            let (owner, start) = names.item(token)?;
            let declared = all_functions(db, owner)
                .into_iter()
                .find(|function| function.selection.start == start);
            declared.or_else(|| {
                let occurrence = value_of(token)?;
                match names.name_meaning(&occurrence)? {
                    Resolution::Function(item) => function_of(db, item),
                    _ => None,
                }
            })
        })
}

/// A name as a value, in code or among the tokens of a macro that is not ours.
fn value_of(token: &SyntaxToken) -> Option<Occurrence> {
    let mut occurrence = Occurrence::of(token)?;
    match occurrence.role {
        Role::Path if occurrence.namespace == Namespace::Value => {}
        Role::Tree { ours: false } => occurrence.namespace = Namespace::Value,
        _ => return None,
    }
    Some(occurrence)
}

/// The function that an item is.
fn function_of(db: &dyn Db, item: ItemId) -> Option<Function> {
    let parsed = parse_item(db, item);
    let node = parsed.cast::<ast::Fn>()?;
    Some(Function {
        owner: item.owner(db),
        item,
        name: match type_of_method(db, item) {
            Some(of) => format!("{of}::{}", item.name(db)),
            None => item.name(db).to_string(),
        },
        range: parsed.span(node.syntax()),
        selection: parsed.span(node.name()?.syntax()),
    })
}

/// The functions that calls in the text of an item of a module are made by.
fn all_functions(db: &dyn Db, owner: ItemId) -> Vec<Function> {
    let functions = functions_of(db, owner).into_iter();
    functions.filter_map(|item| function_of(db, item)).collect()
}

/// The type or the trait whose function an item is, as written.
fn type_of_method(db: &dyn Db, item: ItemId) -> Option<String> {
    let owner = item.parent(db)?;
    let start = block_scopes(db, owner).local_item(item)?.start;
    let root = parse_item(db, owner).root()?;
    let token = root.syntax().token_at_offset(start.into()).right_biased()?;
    let node = token
        .parent_ancestors()
        .find(|node| ast::Fn::can_cast(node.kind()))?;
    let list = node.parent().and_then(ast::AssocItemList::cast)?;
    let around = list.syntax().parent()?;
    match ast::Item::cast(around)? {
        ast::Item::Impl(item) => Some(item.self_ty()?.syntax().text().to_string()),
        ast::Item::Trait(item) => Some(item.name()?.text().to_string()),
        _ => None,
    }
}

/// The calls in the text of an item of a module, in the order of the text.
#[salsa::tracked(returns(clone))]
fn call_sites(db: &dyn Db, item: ItemId) -> Arc<[CallSite]> {
    let parsed = parse_item(db, item);
    let functions = all_functions(db, item);
    let Some(root) = parsed.root().filter(|_| !functions.is_empty()) else {
        return Arc::from([]);
    };
    let mut sites = Vec::new();
    let tokens = root.syntax().descendants_with_tokens();
    for token in tokens.filter_map(NodeOrToken::into_token) {
        if token.kind() != SyntaxKind::IDENT {
            continue;
        }
        let Some(occurrence) = value_of(&token) else {
            continue;
        };
        let start = u32::from(token.text_range().start());
        let caller = functions
            .iter()
            .filter(|function| function.range.start <= start && start < function.range.end)
            .min_by_key(|function| function.range.end - function.range.start);
        let Some(caller) = caller else {
            continue;
        };
        let path: Vec<&str> = occurrence.path.iter().map(|segment| &**segment).collect();
        let scope = scope_at(db, item, start);
        if let Resolution::Function(callee) = resolve_path(db, &scope, &path, Namespace::Value) {
            sites.push(CallSite {
                caller: caller.selection,
                callee,
                span: parsed.text.span_of(token.text_range()),
            });
        }
    }
    sites.into()
}

/// Whether a kernel reaches a function or the function reaches a kernel.
fn concerns_kernels(db: &dyn Db, function: &Function) -> bool {
    if callgraph::is_reached_from_kernel(db, function.item) {
        return true;
    }
    let direct = call_sites(db, function.owner);
    let direct = direct
        .iter()
        .filter(|site| site.caller == function.selection)
        .map(|site| site.callee);
    let mut seen: IndexSet<ItemId> = direct.collect();
    let mut next = 0;
    while let Some(&callee) = seen.get_index(next) {
        if device_attribute(db, callee).is_some() {
            return true;
        }
        if seen.len() > MAXIMUM_FOLLOWED {
            return false;
        }
        seen.extend(callgraph::callees_of_function(db, callee).iter());
        next += 1;
    }
    false
}
