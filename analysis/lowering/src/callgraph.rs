//! Which function calls which, by name, over the whole workspace.
//!
//! Coarse on purpose: every name in a function's text that means a function counts as a call, and a call of a method means each
//! that fits what it is called on. It answers whether a kernel reaches a function, and whether anything calls it.

mod methods;

use std::sync::Arc;

use indexmap::IndexSet;
use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::db::Db;
use crate::inputs::Project;
use crate::items::{self, ItemId, Namespace, Resolution};
use crate::syntax::{VisitedNode, bound_names, green_child, green_path_name, nodes_of};

use super::surface::path_segments as path_names;
use crate::is_named_in;

use methods::{Methods, called_names, fitting_methods, method_calls, project_methods};

/// Functions of the workspace that others call or kernels reach.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Reached {
    from_kernels: FxHashSet<ItemId>,
    called: FxHashSet<ItemId>,
    callers: FxHashMap<ItemId, Vec<ItemId>>,
    /// Functions whose text names something of the library, and those that lead to one.
    touching: FxHashSet<ItemId>,
}

/// Whether some `#[device]` function reaches the function; a kernel reaches itself.
#[salsa::tracked(returns(copy))]
pub fn is_reached_from_kernel(db: &dyn Db, function: ItemId) -> bool {
    items::device_attribute(db, function).is_some()
        || project_reached(db).from_kernels.contains(&function)
}

/// Whether some function of the workspace calls the function.
#[salsa::tracked(returns(copy))]
pub fn is_called(db: &dyn Db, function: ItemId) -> bool {
    project_reached(db).called.contains(&function)
}

/// Whether a function's text names something of the library, or a function is called from it that does, however far.
pub(super) fn touches_device(db: &dyn Db, function: ItemId) -> bool {
    is_named_in(db, function) || project_reached(db).touching.contains(&function)
}

/// The names of the functions that a function calls and that have to do with a device.
#[salsa::tracked(returns(clone))]
pub(super) fn device_callees(db: &dyn Db, function: ItemId) -> Arc<FxHashSet<Arc<str>>> {
    let Some(project) = Project::try_get(db) else {
        return Arc::default();
    };
    let touching = |callee: &ItemId| touches_device(db, *callee);
    let callees = all_callees(db, &project_methods(db, project), function);
    let callees = callees.into_iter().filter(touching);
    Arc::new(callees.map(|callee| callee.name(db)).collect())
}

/// The functions that name a function in their text, in the order of files and items.
#[salsa::tracked(returns(clone))]
pub fn callers_of_function(db: &dyn Db, function: ItemId) -> Arc<[ItemId]> {
    let reached = project_reached(db);
    let callers = reached.callers.get(&function);
    callers.map_or_else(|| Arc::from([]), |callers| callers.clone().into())
}

/// The kernels that reach a function, the nearest first; a kernel reaches itself.
#[salsa::tracked(returns(clone))]
pub fn kernels_reaching(db: &dyn Db, function: ItemId) -> Arc<[ItemId]> {
    let mut seen = IndexSet::from([function]);
    let mut next = 0;
    while let Some(&at) = seen.get_index(next) {
        seen.extend(callers_of_function(db, at).iter());
        next += 1;
    }
    seen.into_iter()
        .filter(|function| items::device_attribute(db, *function).is_some())
        .collect()
}

/// Whether a function, or the block that it is in, is written with a type of the library, with a parameter or with a mapping.
pub(super) fn has_device_types(db: &dyn Db, function: ItemId) -> bool {
    let around = [function, function.owner(db)];
    methods::name_the_library(db, around.into_iter())
}

fn project_reached(db: &dyn Db) -> Arc<Reached> {
    match Project::try_get(db) {
        Some(project) => reached_functions(db, project),
        None => Arc::default(),
    }
}

#[salsa::tracked(returns(clone))]
fn reached_functions(db: &dyn Db, project: Project) -> Arc<Reached> {
    // Any function of the project may be typed into.
    project.restless(db);
    let mut reached = Reached::default();
    let mut open = Vec::new();
    let methods = project_methods(db, project);
    let all_callees = |function: ItemId| all_callees(db, &methods, function);
    let mut touching = Vec::new();
    for file in items::kernel_files(db, project) {
        for function in &items::file_functions(db, file) {
            let callees = all_callees(*function);
            for callee in callees.iter().filter(|callee| *callee != function) {
                let callers = reached.callers.entry(*callee).or_default();
                callers.push(*function);
            }
            reached
                .called
                .extend(callees.iter().filter(|callee| *callee != function));
            if items::device_attribute(db, *function).is_some() {
                open.push(*function);
            }
            if is_named_in(db, *function) {
                touching.push(*function);
            }
        }
    }
    while let Some(function) = open.pop() {
        if reached.from_kernels.insert(function) {
            open.extend(all_callees(function));
        }
    }
    while let Some(function) = touching.pop() {
        if reached.touching.insert(function) {
            touching.extend(reached.callers.get(&function).into_iter().flatten());
        }
    }
    Arc::new(reached)
}

/// The functions that a function's text names, and the methods that it may call.
fn all_callees(db: &dyn Db, methods: &Methods, function: ItemId) -> IndexSet<ItemId> {
    let mut found: IndexSet<ItemId> = callees_of_function(db, function).iter().copied().collect();
    // Most functions call methods of the library alone: what these are called on is not asked then.
    let calls_ours = |name: &Arc<str>| methods.contains_key(name);
    if !methods.is_empty() && called_names(db, function).iter().any(calls_ours) {
        for call in method_calls(db, function).iter() {
            found.extend(fitting_methods(db, methods, function.file(db), call));
        }
    }
    found
}

/// The methods with a body by name, those of `impl` blocks and what traits give.
#[salsa::tracked(returns(clone))]
fn methods_by_name(db: &dyn Db, project: Project) -> Arc<FxHashMap<Arc<str>, Arc<[ItemId]>>> {
    project.restless(db);
    let is_method = |function: &ItemId| {
        let node = items::parse_item(db, *function).cast::<ast::Fn>();
        node.is_some_and(|node| {
            let list = node.param_list();
            node.body().is_some() && list.and_then(|list| list.self_param()).is_some()
        })
    };
    let all = project_methods(db, project);
    let named = all.iter().map(|(name, methods)| {
        let functions = methods.iter().map(|method| method.function);
        let functions: Arc<[ItemId]> = functions.filter(is_method).collect();
        (Arc::clone(name), functions)
    });
    Arc::new(named.collect())
}

/// The methods of a name that the project gives types by traits of its own.
pub(super) fn methods_named(db: &dyn Db, name: &str) -> Arc<[ItemId]> {
    let found = Project::try_get(db)
        .and_then(|project| methods_by_name(db, project).get(name).map(Arc::clone));
    found.unwrap_or_else(|| Arc::from([]))
}

/// The functions that a function's text names.
#[salsa::tracked(returns(clone))]
pub fn callees_of_function(db: &dyn Db, function: ItemId) -> Arc<[ItemId]> {
    let parsed = items::parse_item(db, function);
    let Some(node) = parsed.item() else {
        return Arc::from([]);
    };
    let mut found = IndexSet::new();
    for path in paths_of(node.syntax()) {
        let names = path_names(&path);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let scope = items::scope_at(db, function, path.syntax().text_range().start().into());
        if let Resolution::Function(callee) =
            items::resolve_path(db, &scope, &names, Namespace::Value)
        {
            found.insert(callee);
        }
    }
    found.into_iter().collect()
}

/// The paths of the expressions of a function, without those of the functions that are in it: it need not call them. A
/// variable hides a function of its name, but for calls: those of a variable are closures.
fn paths_of(function: &SyntaxNode) -> Vec<ast::Path> {
    let bound = bound_names(function);
    let names = |met: VisitedNode<'_>| {
        let is_called = met.parent_kind() == SyntaxKind::CALL_EXPR;
        let path = green_child(met.node, SyntaxKind::PATH);
        let is_variable = path.is_some_and(|path| {
            let alone = green_child(path, SyntaxKind::PATH).is_none();
            alone && green_path_name(met.node).is_some_and(|name| bound.contains(name))
        });
        met.kind == SyntaxKind::PATH_EXPR && (is_called || !is_variable)
    };
    let enters =
        |met: VisitedNode<'_>| !matches!(met.kind, SyntaxKind::FN | SyntaxKind::TOKEN_TREE);
    let found = nodes_of(function, names, enters);
    found
        .into_iter()
        .filter_map(ast::PathExpr::cast)
        .filter_map(|expression| expression.path())
        .collect()
}
