//! What has to do with a device in the text of a function of the host, and calls of helpers that have nothing to do with one.

use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{NodeOrToken, SyntaxKind};
use rustc_hash::FxHashSet;

use crate::db::Db;
use crate::items::{self, ItemId, Span};
use crate::kernel::dialect::{self, Dialect};
use crate::names::is_word_letter;
use crate::surface::{Argument, is_bound_to_device, path_arguments, path_segments};

use super::types::Type;
use super::{Interpreter, Named, Site, Thing, Value, callgraph, helpers};

/// Bytes of a helper that is followed even where the host calls it, if it has no loop: it may compute an address.
const SMALL_HELPER: usize = 400;

impl Interpreter<'_> {
    /// Whether a piece of the frame's text names something of the library, or a function that leads to such a name.
    pub(super) fn concerns_device(&self, text: &str) -> bool {
        if names_the_library(text, self.own.dialect) {
            return true;
        }
        let names = callgraph::device_callees(self.db, self.frame.site.item);
        !names.is_empty() && text_words(text).any(|word| names.contains(word))
    }

    /// What a call gives that the host's function need not follow: it neither takes nor makes a device value and the host's budget is
    /// spent, or nothing of the caller changes what is found in the called function, which is followed for itself.
    pub(super) fn left_to_host(
        &mut self,
        (function, site): (ItemId, &Site),
        arguments: &[(Value, Span)],
        call: Span,
    ) -> Option<Value> {
        if self.host_budget == u64::MAX || !self.is_host_budget_spent() {
            return None;
        }
        let is_plain = !arguments.iter().any(|(value, _)| is_bound_to_device(value))
            && !callgraph::touches_device(self.db, function);
        if !is_plain && !self.is_the_same_alone((function, site), arguments) {
            return None;
        }
        let node = site.parsed.cast::<ast::Fn>()?;
        if helpers::is_generic(&node) || (is_plain && is_small(&site.parsed.text.text)) {
            return None;
        }
        let result = self.result_type(site, &node, call);
        let value = if is_plain {
            let is_host_side = !result.is_device_side();
            is_host_side.then(|| self.value_of_type(&result, call))?
        } else {
            self.result_of_tensors(site, &node, &result, call)?
        };
        self.lent = lent_places(&node, arguments);
        Some(value)
    }

    /// What a call gives whose result type says all of it: tensors, or `Ok` and `Some` of tensors. None where the type says less.
    fn result_of_tensors(
        &mut self,
        site: &Site,
        node: &ast::Fn,
        result: &Type,
        call: Span,
    ) -> Option<Value> {
        if result.is_tensors_alone() {
            return Some(self.value_of_type(result, call));
        }
        let ast::Type::PathType(written) = node.ret_type()?.ty()? else {
            return None;
        };
        let path = written.path()?;
        let variant = match path_segments(&path).last().map(String::as_str) {
            Some("Result") => "Ok",
            Some("Option") => "Some",
            _ => return None,
        };
        let Some(Argument::Type(inner)) = path_arguments(&path).into_iter().next() else {
            return None;
        };
        let inner = self.read_type(site, &inner, call);
        if !inner.is_tensors_alone() || !ends_in_call_of(node, variant) {
            return None;
        }
        let mut made = Value::named(vec![variant.to_owned()]);
        if let Value::Named(named) = &mut made {
            named
                .arguments
                .push((self.value_of_type(&inner, call), call));
        }
        Some(made)
    }

    /// Whether a function of the host does the same with these arguments as followed for itself, where its parameters stand for nothing
    /// known: no argument is a tensor, and its text names no parameter that a number is given for. Where addresses are written, two
    /// calls may place their tensors over each other, and are followed.
    fn is_the_same_alone(
        &mut self,
        (function, site): (ItemId, &Site),
        arguments: &[(Value, Span)],
    ) -> bool {
        let db = self.db;
        if self.own.follows_foreign
            || self.own.dialect.has_written_addresses()
            || callgraph::is_reached_from_kernel(db, function)
            || !is_followed_alone(db, function, &site.parsed.text.text, self.own.dialect)
        {
            return false;
        }
        let mut numbers = Vec::new();
        for (number, (value, _)) in arguments.iter().enumerate() {
            match value {
                Value::Unknown | Value::Unit | Value::Thing(Thing::Device) => {}
                Value::Named(named) if self.comes_of_foreign_call(named) => {}
                Value::Constant(..) => numbers.push(number),
                _ => return false,
            }
        }
        if numbers.is_empty() {
            return true;
        }
        let unread = self.own.unread.entry(function);
        let unread = unread.or_insert_with(|| unread_parameters(site).into());
        let mut numbers = numbers.into_iter();
        numbers.all(|number| unread.get(number).is_some_and(|is_unread| *is_unread))
    }

    /// Whether a value is what a function gave of which neither the project nor the library knows anything.
    fn comes_of_foreign_call(&self, named: &Named) -> bool {
        let is_function = |name: &str| name.starts_with(|letter: char| letter.is_lowercase());
        named.item.is_none()
            && named.path.len() > 1
            && is_function(named.name())
            && !named.part_values().any(is_bound_to_device)
            && !names_the_library(&named.path.join("::"), self.own.dialect)
    }
}

/// Whether a function that no kernel reaches is followed for itself: its text names the library, and its own types or calls have to do
/// with a device.
pub(super) fn is_followed_alone(
    db: &dyn Db,
    function: ItemId,
    text: &str,
    library: Dialect,
) -> bool {
    names_the_library(text, library)
        && (names_host_function(text, library) || callgraph::has_device_types(db, function))
}

/// Whether a function ends with a call of this name, such as `Ok(..)`, and returns nowhere else.
fn ends_in_call_of(node: &ast::Fn, name: &str) -> bool {
    let tail = node.body().and_then(|body| body.tail_expr());
    let Some(ast::Expr::CallExpr(call)) = tail else {
        return false;
    };
    let path = match call.expr() {
        Some(ast::Expr::PathExpr(callee)) => callee.path(),
        _ => None,
    };
    let ends = path.is_some_and(|path| path_segments(&path).last().is_some_and(|own| own == name));
    let mut nodes = node.syntax().descendants();
    ends && !nodes.any(|node| node.kind() == SyntaxKind::RETURN_EXPR)
}

/// Whether each parameter of a function is named nowhere in its body, or only in the texts of literals. None for a method.
fn unread_parameters(site: &Site) -> Vec<bool> {
    let Some(node) = site.parsed.cast::<ast::Fn>() else {
        return Vec::new();
    };
    let (Some(list), Some(body)) = (node.param_list(), node.body()) else {
        return Vec::new();
    };
    if list.self_param().is_some() {
        return Vec::new();
    }
    let tokens = body.syntax().descendants_with_tokens();
    let tokens = tokens.filter_map(NodeOrToken::into_token);
    let tokens = tokens.filter(|token| token.kind() == SyntaxKind::IDENT);
    let words: FxHashSet<String> = tokens.map(|token| token.text().to_owned()).collect();
    let parameters = list.params();
    let unread = parameters.map(|parameter| match parameter.pat() {
        Some(ast::Pat::IdentPat(pattern)) => pattern
            .name()
            .is_some_and(|name| !words.contains(name.text())),
        _ => false,
    });
    unread.collect()
}

/// What is lent to a function that is not followed is not known any more, by the argument's number; but the device is what it was.
fn lent_places(node: &ast::Fn, arguments: &[(Value, Span)]) -> Vec<(usize, Value)> {
    let Some(list) = node.param_list() else {
        return Vec::new();
    };
    let receiver = list.self_param();
    let first = usize::from(receiver.is_some());
    let own = receiver.filter(|receiver| receiver.mut_token().is_some());
    let own = own.map(|_| 0);
    let is_lent = |ty: &ast::Type| matches!(ty, ast::Type::RefType(ty) if ty.mut_token().is_some());
    let others = list.params().enumerate();
    let others = others.filter(|(_, parameter)| parameter.ty().as_ref().is_some_and(is_lent));
    let is_device = |number: &usize| {
        let argument = arguments.get(*number);
        matches!(argument, Some((Value::Thing(Thing::Device), _)))
    };
    own.into_iter()
        .chain(others.map(|(index, _)| index + first))
        .filter(|number| !is_device(number))
        .map(|number| (number, Value::Unknown))
        .collect()
}

/// Whether a helper is short and has neither loops nor closures.
fn is_small(text: &str) -> bool {
    let repeats = |word: &str| matches!(word, "for" | "while" | "loop");
    text.len() <= SMALL_HELPER && !text.contains('|') && !text_words(text).any(repeats)
}

fn text_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !is_word_letter(letter));
    words.filter(|word| !word.is_empty())
}

/// Whether a function's text names something of the library that its file is written for.
#[salsa::tracked(returns(copy))]
pub(crate) fn is_named_in(db: &dyn Db, function: ItemId) -> bool {
    let table = dialect::of_file(db, function.file(db));
    names_the_library(&items::parse_item(db, function).text.text, table)
}

/// Whether a function's text has a name that only the library has: a type, a method, a function of the host, or a mapping. What has none
/// can do nothing to a tensor but call functions that do, each of which is looked at for itself.
pub(super) fn names_the_library(text: &str, library: Dialect) -> bool {
    let is_own = |name: &str| {
        library.type_entry(name).is_some()
            || library.words.host_functions.contains(&name)
            || (!library.words.ordinary.contains(&name)
                && library.methods_of_any_release(name).next().is_some())
    };
    text.contains("m!") || text_words(text).any(is_own)
}

/// Whether a function's text has the name of a function of the library that only the host calls.
pub(super) fn names_host_function(text: &str, library: Dialect) -> bool {
    let host = library.words.host_functions;
    !host.is_empty() && text_words(text).any(|word| host.contains(&word))
}
