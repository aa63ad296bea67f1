//! Where an item writes what tensors on the chip hold: the last argument of their types, wherever a type stands.
//!
//! Signatures, annotations, turbofish and aliases alike: who changes what a tensor holds has to change all that name its
//! type. Knows types by their names; what a name that is no alias of a mapping stands for is left out.

use ra_ap_syntax::ast::{self, AstNode, HasGenericArgs};

use crate::db::Db;
use crate::items::{ItemId, Span, parse_item, resolve_mapping_type, scope_at};
use crate::mapping::Mapping;

use super::Tier;
use super::dialect::{TypeShape, VISA_STD};

/// A place in the type of a tensor on the chip.
pub(crate) struct ElementPlace {
    /// The argument.
    pub(crate) span: Span,
    /// What an alias that stands there means; none for an `m!`.
    pub(crate) alias: Option<Mapping>,
}

/// The places in an item, in the order of its text.
pub(crate) fn element_places(db: &dyn Db, item: ItemId) -> Vec<ElementPlace> {
    let parsed = parse_item(db, item);
    let Some(root) = parsed.root() else {
        return Vec::new();
    };
    let segments = root.syntax().descendants();
    let types = segments
        .filter_map(ast::PathSegment::cast)
        .filter_map(|segment| element_type(&segment));
    let places = types.filter_map(|element| {
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
        Some(ElementPlace { span, alias })
    });
    places.collect()
}

/// The last argument of a tensor on the chip.
fn element_type(segment: &ast::PathSegment) -> Option<ast::Type> {
    let name = segment.name_ref()?;
    let entry = VISA_STD.type_entry(name.text().trim_start_matches("r#"))?;
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
