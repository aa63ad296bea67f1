//! Generic arguments as written.

use crate::items::ItemId;
use ra_ap_syntax::ast::{self, AstNode, HasGenericArgs};

use crate::syntax::child_of;

/// A generic argument, lifetimes left out.
#[derive(Debug, Clone)]
pub(crate) enum Argument {
    Type(ast::Type),
    Constant(ast::Expr),
}

impl Argument {
    pub(crate) fn syntax(&self) -> &ra_ap_syntax::SyntaxNode {
        match self {
            Self::Type(ty) => ty.syntax(),
            Self::Constant(expression) => expression.syntax(),
        }
    }

    /// `_`.
    pub(crate) fn is_placeholder(&self) -> bool {
        match self {
            Self::Type(ast::Type::InferType(_)) => true,
            Self::Constant(ast::Expr::UnderscoreExpr(_)) => true,
            Self::Type(_) | Self::Constant(_) => false,
        }
    }

    /// The path, also of `{ path }`.
    pub(crate) fn path(&self) -> Option<ast::Path> {
        match self {
            Self::Type(ast::Type::PathType(ty)) => child_of(ty.syntax()),
            Self::Type(_) => None,
            Self::Constant(expression) => expression_path(expression),
        }
    }
}

/// The path of `path` and `{ path }`.
fn expression_path(expression: &ast::Expr) -> Option<ast::Path> {
    match expression {
        ast::Expr::PathExpr(path) => path.path(),
        ast::Expr::BlockExpr(block) => match block.stmt_list()?.tail_expr()? {
            ast::Expr::PathExpr(path) => path.path(),
            _ => None,
        },
        _ => None,
    }
}

/// The arguments of a list, lifetimes left out.
pub(crate) fn generic_arguments(list: Option<ast::GenericArgList>) -> Vec<Argument> {
    list.into_iter()
        .flat_map(|list| list.generic_args().collect::<Vec<_>>())
        .filter_map(|argument| match argument {
            ast::GenericArg::TypeArg(argument) => child_of(argument.syntax()).map(Argument::Type),
            ast::GenericArg::ConstArg(argument) => argument.expr().map(Argument::Constant),
            ast::GenericArg::LifetimeArg(_) | ast::GenericArg::AssocTypeArg(_) => None,
        })
        .collect()
}

/// What a call of a function says of its generic parameters.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Turbofish<'a> {
    /// The function's own arguments.
    pub(crate) own: &'a [Argument],
    /// Those of the type that it is associated with.
    pub(crate) of_type: &'a [Argument],
    /// The type of the project that it is called on: what `Self` is in a function that a trait gives.
    pub(crate) owner: Option<ItemId>,
    /// That type as the caller writes it.
    pub(crate) written: Option<&'a ast::Path>,
}

/// The arguments of a path's last segment.
pub(crate) fn path_arguments(path: &ast::Path) -> Vec<Argument> {
    generic_arguments(
        path.segment()
            .and_then(|segment| segment.generic_arg_list()),
    )
}
