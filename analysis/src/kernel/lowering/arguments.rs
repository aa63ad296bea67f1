//! Generic arguments as written, and what markers and types of numbers among them name.

use ra_ap_syntax::ast::{self, AstNode, HasGenericArgs};

use crate::hardware::ElementType;
use crate::kernel::Context;
use crate::kernel::dialect::Words;

use super::mappings::is_macro;
use super::site::segments;
use super::types::Type;

/// A generic argument, lifetimes left out.
#[derive(Debug, Clone)]
pub(super) enum Argument {
    Type(ast::Type),
    Constant(ast::Expr),
}

impl Argument {
    pub(super) fn syntax(&self) -> &ra_ap_syntax::SyntaxNode {
        match self {
            Self::Type(ty) => ty.syntax(),
            Self::Constant(expression) => expression.syntax(),
        }
    }

    /// `_`.
    pub(super) fn is_placeholder(&self) -> bool {
        match self {
            Self::Type(ast::Type::InferType(_)) => true,
            Self::Constant(ast::Expr::UnderscoreExpr(_)) => true,
            Self::Type(_) | Self::Constant(_) => false,
        }
    }

    /// Whether it can only be a mapping.
    pub(super) fn is_mapping(&self) -> bool {
        matches!(self, Self::Type(ast::Type::MacroType(ty)) if ty.macro_call().is_some_and(|call| is_macro(&call, "m")))
    }

    /// The path, also of `{ path }`.
    pub(super) fn path(&self) -> Option<ast::Path> {
        match self {
            Self::Type(ast::Type::PathType(ty)) => ty.path(),
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
pub(super) fn arguments(list: Option<ast::GenericArgList>) -> Vec<Argument> {
    list.into_iter()
        .flat_map(|list| list.generic_args().collect::<Vec<_>>())
        .filter_map(|argument| match argument {
            ast::GenericArg::TypeArg(argument) => argument.ty().map(Argument::Type),
            ast::GenericArg::ConstArg(argument) => argument.expr().map(Argument::Constant),
            ast::GenericArg::LifetimeArg(_) | ast::GenericArg::AssocTypeArg(_) => None,
        })
        .collect()
}

/// The arguments of a path's last segment.
pub(super) fn path_arguments(path: &ast::Path) -> Vec<Argument> {
    arguments(
        path.segment()
            .and_then(|segment| segment.generic_arg_list()),
    )
}

/// The context that a marker names.
pub(super) fn context_of(argument: &Argument, words: &Words) -> Option<Context> {
    let names = segments(&argument.path()?);
    match names.as_slice() {
        [.., owner, name] => words.context(owner, name),
        _ => None,
    }
}

/// The type of numbers of that name.
pub(super) fn number_type(name: &str, words: &Words) -> Type {
    match (ElementType::from_name(name), name) {
        (Some(scalar), _) => Type::Number(Some(scalar)),
        (
            None,
            "u16" | "u32" | "u64" | "u128" | "usize" | "i64" | "i128" | "isize" | "f64" | "bool",
        ) => Type::Number(None),
        _ if name == words.address_type => Type::Number(None),
        _ => Type::Unknown,
    }
}
