//! Axes and mappings, which the library's traits tell apart: a bare name in `m!` has to be an axis, what is pasted in braces or
//! given to a tensor has to be a mapping, and neither stands for the other. `rustc` says so where the type is used, and names
//! neither the macro nor the other spelling.
//!
//! Knows what a name is where its declaration says so plainly; whatever else a name may stand for has no role here.

use std::sync::Arc;

use ra_ap_syntax::SyntaxKind as RustKind;
use ra_ap_syntax::ast::{self, AstNode, HasGenericParams, HasName, HasTypeBounds};
use ra_ap_syntax::{SyntaxNode as RustNode, TextRange};

use super::generics::has_arguments;
use super::{MappingProblem, MappingProblemKind, Resolver, file_grammar, grammar_of};
use crate::db::Db;
use crate::declarations::{MacroArguments, generic_names, path_segments};
use crate::file::{macro_name, parse_item};
use crate::ids::{ItemId, Span};
use crate::libraries::{self, MappingType};
use crate::mapping::{SyntaxKind, SyntaxNode};
use crate::recent::recently_parsed_mapping;
use crate::references::{ReferenceOrder, reference_order};
use crate::resolve::{Namespace, Resolution, resolve_path};
use crate::scopes::{ScopeRef, scope_at};
use crate::syntax::{VisitedNode, nodes_of};

/// What a name stands for, as the library's traits tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameRole {
    /// A symbol: what `axes!` declares, or a parameter that is bound to be one.
    Axis,
    /// A type with positions: `m![…]`, an alias of one, or a parameter that is bound to be one.
    Mapping,
}

/// Which place of the code wants another role than its name has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RolePlace {
    /// A bare name in the macro.
    Bare,
    /// A name in braces in the macro.
    Braces,
    /// An argument of a type of that name.
    Argument(String),
}

/// What an alias is, where its type says so plainly.
#[salsa::tracked(returns(copy), cycle_result = no_role)]
fn alias_role(db: &dyn Db, alias: ItemId) -> Option<NameRole> {
    if reference_order(db, alias) != ReferenceOrder::Sound {
        return None;
    }
    let written = parse_item(db, alias).cast::<ast::TypeAlias>()?.ty()?;
    let scope = scope_at(db, alias, written.syntax().text_range().start().into());
    type_role(db, &scope, &written)
}

fn no_role(_db: &dyn Db, _id: salsa::Id, _alias: ItemId) -> Option<NameRole> {
    None
}

/// What a type is, where it says so plainly.
fn type_role(db: &dyn Db, scope: &ScopeRef, written: &ast::Type) -> Option<NameRole> {
    match written {
        ast::Type::ParenType(inner) => type_role(db, scope, &inner.ty()?),
        ast::Type::MacroType(call) => {
            (macro_name(&call.macro_call()?)? == "m").then_some(NameRole::Mapping)
        }
        ast::Type::PathType(path) => {
            let path = path.path()?;
            let segments = path_segments(&path);
            let segments: Vec<&str> = segments.iter().map(|segment| &**segment).collect();
            match resolve_path(db, scope, &segments, Namespace::Type) {
                Resolution::Axis(_) if !has_arguments(&path) => Some(NameRole::Axis),
                Resolution::Alias(alias) => alias_role(db, alias),
                Resolution::Prelude(name) => {
                    MappingType::of_name(name.rsplit("::").next()?).map(|_| NameRole::Mapping)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// What a parameter is bound to be, by the innermost item around a place that declares it. One with further bounds, or with a
/// `where` that may name it, has no role.
fn parameter_role(db: &dyn Db, place: Span, name: &str) -> Option<NameRole> {
    let parsed = parse_item(db, place.item);
    let root = parsed.root()?;
    // A place in a text that is tried out may be behind the end of the item.
    if !root.syntax().text_range().contains(place.start.into()) {
        return None;
    }
    let token = root.syntax().token_at_offset(place.start.into());
    for around in token.right_biased()?.parent_ancestors() {
        let Some(around) = ast::AnyHasGenericParams::cast(around) else {
            continue;
        };
        let parameters = around.generic_param_list().into_iter();
        let mut parameters = parameters.flat_map(|list| list.type_or_const_params());
        let declared = parameters.find_map(|parameter| match parameter {
            ast::TypeOrConstParam::Type(parameter) => {
                (parameter.name()?.text() == name).then_some(parameter)
            }
            ast::TypeOrConstParam::Const(_) => None,
        });
        if let Some(declared) = declared {
            let bounds: Vec<String> = declared
                .type_bound_list()?
                .bounds()
                .map(|bound| bound.syntax().text().to_string())
                .collect();
            let [bound] = bounds.as_slice() else {
                return None;
            };
            if around.where_clause().is_some() {
                return None;
            }
            let bound = bound.rsplit("::").next()?.trim();
            return match bound {
                _ if libraries::is_trait_of_axes(bound) => Some(NameRole::Axis),
                _ if libraries::is_trait_of_mappings(bound) => Some(NameRole::Mapping),
                _ => None,
            };
        }
    }
    None
}

impl Resolver<'_> {
    /// Reports a bare name that is a mapping.
    pub(super) fn wants_axis(&mut self, name: &str, found: &Resolution, span: Span) {
        if grammar_of(self.db, span).is_book() {
            return;
        }
        let role = match found {
            Resolution::Alias(alias) => alias_role(self.db, *alias),
            Resolution::Parameter(_) => parameter_role(self.db, span, name),
            _ => None,
        };
        if role == Some(NameRole::Mapping) {
            self.other_role(name, NameRole::Axis, span, format!("{{ {name} }}"));
        }
    }

    /// Reports a name in braces that is an axis. `whole` is the place with its braces.
    pub(super) fn wants_mapping(&mut self, written: &ast::Type, content: Span, whole: Span) {
        if grammar_of(self.db, whole).is_book() {
            return;
        }
        let text = written.syntax().text().to_string();
        let role = type_role(self.db, self.scope, written).or_else(|| {
            let plain = plain_path(written)?;
            let is_parameter = matches!(
                resolve_path(self.db, self.scope, &[&plain], Namespace::Type),
                Resolution::Parameter(_)
            );
            is_parameter.then(|| parameter_role(self.db, content, &plain))?
        });
        if role == Some(NameRole::Axis) {
            self.other_role(&text, NameRole::Mapping, whole, text.clone());
        }
    }

    fn other_role(&mut self, name: &str, wanted: NameRole, span: Span, instead: String) {
        let place = match wanted {
            NameRole::Axis => RolePlace::Bare,
            NameRole::Mapping => RolePlace::Braces,
        };
        let kind = MappingProblemKind::OtherRole {
            name: name.to_owned(),
            wanted,
            place,
            instead: Some(instead),
        };
        self.push_problem(kind, span);
    }
}

/// A type that is just a name.
fn plain_path(written: &ast::Type) -> Option<String> {
    let ast::Type::PathType(path) = written else {
        return None;
    };
    let path = path.path()?;
    let is_plain = path.qualifier().is_none() && !has_arguments(&path);
    let name = path.segment()?.name_ref()?;
    is_plain.then(|| name.text().to_string())
}

/// What the parameters of a generic alias have to be, in their order, where the alias says so plainly.
#[salsa::tracked(returns(clone), cycle_result = no_wanted_roles)]
fn wanted_roles(db: &dyn Db, alias: ItemId) -> Arc<[Option<NameRole>]> {
    let parsed = parse_item(db, alias);
    let declared = parsed.cast::<ast::TypeAlias>();
    let sound = reference_order(db, alias) == ReferenceOrder::Sound;
    let Some((declared, written)) = declared
        .filter(|_| sound)
        .and_then(|declared| Some((declared.clone(), declared.ty()?)))
    else {
        return Arc::from([]);
    };
    let scope = scope_at(db, alias, written.syntax().text_range().start().into());
    let parameters = generic_names(&declared).into_iter();
    let roles = parameters.map(|(name, constant)| {
        let mut roles = Vec::new();
        if !constant {
            collect_type_roles(db, alias, &scope, written.syntax(), &name, &mut roles);
        }
        let first = roles.first().copied()?;
        roles.iter().all(|role| *role == first).then_some(first)
    });
    roles.collect()
}

fn no_wanted_roles(_db: &dyn Db, _id: salsa::Id, _alias: ItemId) -> Arc<[Option<NameRole>]> {
    Arc::from([])
}

/// The roles in which a type uses a parameter.
fn collect_type_roles(
    db: &dyn Db,
    alias: ItemId,
    scope: &ScopeRef,
    written: &RustNode,
    name: &str,
    roles: &mut Vec<NameRole>,
) {
    let grammar = file_grammar(db, alias.file(db));
    for node in written.descendants() {
        if let Some(call) = ast::MacroCall::cast(node.clone()) {
            let is_mapping = macro_name(&call).as_deref() == Some("m");
            if let Some(arguments) = MacroArguments::of(&call).filter(|_| is_mapping)
                && let (Some(tree), _) = &*recently_parsed_mapping(&arguments.text, grammar)
            {
                macro_uses(tree, &arguments.text, name, roles);
            }
        } else if let Some(list) = ast::GenericArgList::cast(node) {
            let owner = argument_owner(db, scope, &list);
            for (number, argument) in type_arguments(&list) {
                if argument.and_then(|written| plain_path(&written)).as_deref() == Some(name) {
                    roles.extend(owner.as_ref().and_then(|owner| owner.wants(db, number)));
                }
            }
        }
    }
}

/// The roles in which an `m!` uses a parameter.
fn macro_uses(tree: &SyntaxNode, text: &str, name: &str, roles: &mut Vec<NameRole>) {
    match &tree.kind {
        SyntaxKind::Name(own) if own == name => roles.push(NameRole::Axis),
        SyntaxKind::Escape { content } if text.get(content.clone()) == Some(name) => {
            roles.push(NameRole::Mapping);
        }
        SyntaxKind::Group(inner) => macro_uses(inner, text, name, roles),
        SyntaxKind::Pair(parts) => {
            for part in parts {
                macro_uses(part, text, name, roles);
            }
        }
        SyntaxKind::Binary { left, .. } => macro_uses(left, text, name, roles),
        _ => {}
    }
}

/// What a list of arguments belongs to.
enum Owner {
    /// A tensor of the library: its types but the scalar are mappings.
    Tensor(String),
    /// A generic alias of the project.
    Alias(String, ItemId),
}

impl Owner {
    fn name(&self) -> &str {
        match self {
            Self::Tensor(name) | Self::Alias(name, _) => name,
        }
    }

    fn wants(&self, db: &dyn Db, number: usize) -> Option<NameRole> {
        match self {
            Self::Tensor(_) => Some(NameRole::Mapping),
            Self::Alias(_, alias) => wanted_roles(db, *alias).get(number).copied().flatten(),
        }
    }
}

fn argument_owner(db: &dyn Db, scope: &ScopeRef, list: &ast::GenericArgList) -> Option<Owner> {
    let segment = ast::PathSegment::cast(list.syntax().parent()?)?;
    let segments = path_segments(&segment.parent_path());
    let segments: Vec<&str> = segments.iter().map(|segment| &**segment).collect();
    let name = (*segments.last()?).to_owned();
    match resolve_path(db, scope, &segments, Namespace::Type) {
        Resolution::Alias(alias) => Some(Owner::Alias(name, alias)),
        Resolution::Prelude(path) if libraries::is_tensor(&path) => Some(Owner::Tensor(name)),
        _ => None,
    }
}

/// The arguments of a list without lifetimes, in their order: types, where they are types.
fn type_arguments(
    list: &ast::GenericArgList,
) -> impl Iterator<Item = (usize, Option<ast::Type>)> + use<> {
    let all = list.generic_args();
    let all = all.filter(|argument| !matches!(argument, ast::GenericArg::LifetimeArg(_)));
    all.map(|argument| match argument {
        ast::GenericArg::TypeArg(argument) => argument.ty(),
        _ => None,
    })
    .enumerate()
}

/// Arguments of tensors and generic aliases in an item that are an axis where a mapping is wanted, or the other way round.
pub(crate) fn arguments_of_other_roles(
    db: &dyn Db,
    item: ItemId,
    root: &RustNode,
    scope_at: impl Fn(u32) -> ScopeRef,
    place: impl Fn(TextRange) -> Span,
) -> Vec<MappingProblem> {
    if file_grammar(db, item.file(db)).is_book() {
        return Vec::new();
    }
    let of_type = |met: VisitedNode<'_>| {
        met.kind == RustKind::GENERIC_ARG_LIST && met.parent_kind() == RustKind::PATH_SEGMENT
    };
    let runs = |met: VisitedNode<'_>| {
        !matches!(
            met.kind,
            RustKind::TOKEN_TREE | RustKind::MACRO_RULES | RustKind::MACRO_DEF
        )
    };
    let mut problems = Vec::new();
    for list in nodes_of(root, of_type, runs) {
        let Some(list) = ast::GenericArgList::cast(list) else {
            continue;
        };
        let scope = scope_at(list.syntax().text_range().start().into());
        let Some(owner) = argument_owner(db, &scope, &list) else {
            continue;
        };
        for (number, written) in type_arguments(&list) {
            let Some(written) = written else {
                continue;
            };
            let wanted = owner.wants(db, number);
            let role = wanted.and_then(|_| type_role(db, &scope, &written));
            let (Some(wanted), Some(role)) = (wanted, role) else {
                continue;
            };
            if wanted == role {
                continue;
            }
            let name = written.syntax().text().to_string();
            let instead = match wanted {
                NameRole::Mapping => Some(format!("m![{name}]")),
                NameRole::Axis => named_alone(db, &scope, &written),
            };
            let kind = MappingProblemKind::OtherRole {
                name,
                wanted,
                place: RolePlace::Argument(owner.name().to_owned()),
                instead,
            };
            let span = place(written.syntax().text_range());
            problems.push(MappingProblem { kind, span });
        }
    }
    problems
}

/// The axis that an `m!` names and nothing else.
fn named_alone(db: &dyn Db, scope: &ScopeRef, written: &ast::Type) -> Option<String> {
    let ast::Type::MacroType(call) = written else {
        return None;
    };
    let text = MacroArguments::of(&call.macro_call()?)?.text;
    let name = text.trim();
    let is_axis = matches!(
        resolve_path(db, scope, &[name], Namespace::Type),
        Resolution::Axis(_)
    );
    is_axis.then(|| name.to_owned())
}
