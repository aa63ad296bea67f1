//! What has to do with a device in the text of a function of the host, and calls of helpers that have nothing to do with one.

use ra_ap_syntax::ast;

use crate::db::Db;
use crate::items::{self, ItemId, Span};
use crate::kernel::dialect::{self, Dialect};
use crate::names::is_word_letter;
use crate::surface::is_bound_to_device;

use super::{Interpreter, Site, Value, callgraph, helpers};

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

    /// What a call gives that is not followed, since it neither takes nor makes a device value and the host's budget is spent.
    pub(super) fn left_to_host(
        &mut self,
        (function, site): (ItemId, &Site),
        arguments: &[(Value, Span)],
        call: Span,
    ) -> Option<Value> {
        let is_plain = self.host_budget != u64::MAX
            && self.is_host_budget_spent()
            && !arguments.iter().any(|(value, _)| is_bound_to_device(value))
            && !callgraph::touches_device(self.db, function);
        if !is_plain {
            return None;
        }
        let node = site.parsed.cast::<ast::Fn>()?;
        if helpers::is_generic(&node) || is_small(&site.parsed.text.text) {
            return None;
        }
        let result = self.result_type(site, &node, call);
        if result.is_device_side() {
            return None;
        }
        self.lent = lent_places(&node);
        Some(self.value_of_type(&result, call))
    }
}

/// What is lent to a function that is not followed is not known any more, by the argument's number.
fn lent_places(node: &ast::Fn) -> Vec<(usize, Value)> {
    let Some(list) = node.param_list() else {
        return Vec::new();
    };
    let receiver = list.self_param();
    let first = usize::from(receiver.is_some());
    let own = receiver.filter(|receiver| receiver.mut_token().is_some());
    let own = own.map(|_| (0, Value::Unknown));
    let is_lent = |ty: &ast::Type| matches!(ty, ast::Type::RefType(ty) if ty.mut_token().is_some());
    let others = list.params().enumerate();
    let others = others.filter(|(_, parameter)| parameter.ty().as_ref().is_some_and(is_lent));
    own.into_iter()
        .chain(others.map(|(index, _)| (index + first, Value::Unknown)))
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
