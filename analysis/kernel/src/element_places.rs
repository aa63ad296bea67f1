//! Where an item writes what tensors on the chip hold and what streams carry.
//!
//! The last argument of a tensor's type, wherever the type is: in signatures, annotations, turbofish and aliases alike, for
//! who changes what a tensor holds has to change all that name its type. And the arguments of methods that make tensors or
//! stages of streams. Knows types and methods by their names; what a name that is no alias of a mapping stands for is left out.

use ra_ap_syntax::ast::{self, AstNode, HasGenericArgs};

use crate::db::Db;
use crate::items::{ItemId, Span, parse_item, resolve_mapping_type, scope_at};
use crate::mapping::Mapping;
use crate::syntax::without_raw;

use super::catalogue::Generic;
use super::dialect::{self, Action, Dialect, TypeShape};
use super::{Level, Tier};

/// A place that says what a tensor on the chip holds, or what a stream carries.
pub struct ElementPlace {
    /// The argument.
    pub span: Span,
    /// What an alias that is there means; none for an `m!`.
    pub alias: Option<Mapping>,
    /// Whether it is the time or the packet of a stream.
    pub stream: bool,
}

/// The places in an item, in the order of its text.
pub fn element_places(db: &dyn Db, item: ItemId) -> Vec<ElementPlace> {
    let library = dialect::of_file(db, item.file(db));
    let parsed = parse_item(db, item);
    let Some(root) = parsed.root() else {
        return Vec::new();
    };
    let written = root.syntax().descendants().flat_map(|node| {
        let of_call = ast::MethodCallExpr::cast(node.clone());
        let of_call = of_call.map(|call| call_arguments(library, &call));
        let of_type =
            ast::PathSegment::cast(node).and_then(|segment| element_type(library, &segment));
        let of_type = of_type.map(|element| (element, false));
        of_call.into_iter().flatten().chain(of_type)
    });
    let places = written.filter_map(|(element, stream)| {
        let span = parsed.span(element.syntax());
        let alias = match &element {
            ast::Type::MacroType(_) => None,
            ast::Type::PathType(_) => {
                let scope = scope_at(db, item, span.start);
                let start = parsed.text.full_span();
                Some(resolve_mapping_type(db, &scope, &element, start)?.mapping?)
            }
            _ => return None,
        };
        Some(ElementPlace {
            span,
            alias,
            stream,
        })
    });
    places.collect()
}

/// The arguments of a call that say what its tensor holds, and those that say what its stream carries.
fn call_arguments(library: Dialect, call: &ast::MethodCallExpr) -> Vec<(ast::Type, bool)> {
    let arguments = call.generic_arg_list().map(|list| list.generic_args());
    let arguments: Vec<_> = arguments.into_iter().flatten().collect();
    let mut methods = library.every_method().filter(|method| {
        method.generics.len() == arguments.len()
            && call
                .name_ref()
                .is_some_and(|name| name.text() == method.name)
    });
    let Some(method) = methods.next() else {
        return Vec::new();
    };
    let found = method.generics.iter().zip(arguments);
    let found = found.filter_map(|(generic, argument)| {
        let stream = match (generic, method.action) {
            (
                Generic::Level(Level::Element),
                Action::Transfer(Tier::Dm | Tier::Trf | Tier::Vrf)
                | Action::Gather
                | Action::Stages(_),
            ) => false,
            (Generic::Level(Level::Time | Level::Packet), Action::Stages(_)) => true,
            _ => return None,
        };
        match argument {
            ast::GenericArg::TypeArg(argument) => Some((argument.ty()?, stream)),
            _ => None,
        }
    });
    found.collect()
}

/// The last argument of a tensor on the chip.
fn element_type(library: Dialect, segment: &ast::PathSegment) -> Option<ast::Type> {
    let name = segment.name_ref()?;
    let entry = library.type_entry(without_raw(name.text()))?;
    let on_chip = matches!(
        entry.shape,
        TypeShape::Tensor(Tier::Dm | Tier::Trf | Tier::Vrf, _)
    );
    let arguments = segment.generic_arg_list().filter(|_| on_chip)?;
    match arguments.generic_args().last()? {
        ast::GenericArg::TypeArg(argument) => argument.ty(),
        _ => None,
    }
}
