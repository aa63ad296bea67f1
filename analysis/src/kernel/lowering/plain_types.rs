//! The types that a function writes and that mean the same in whichever body it is read: read once, for all bodies that call it.
//!
//! It knows annotations of parameters, results, statements and closures in which no generic parameter is named, and of those
//! only what is filled; all others are read where they are met. A body takes the slots of a type over into its own table.

use ra_ap_syntax::ast::{self, AstNode, HasGenericParams, HasName};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};
use rustc_hash::FxHashMap;

use crate::db::Db;
use crate::hardware::ElementType;
use crate::items::{self, ItemId, Span};
use crate::kernel::dialect;
use crate::mapping::Mapping;
use crate::syntax::nodes_of;

use super::bindings::{Binding, Owner};
use super::slots::SlotTable;
use super::types::{LevelSlots, ShapeSlots, TensorType, Type};
use super::{Interpreter, Site, interpreter};

/// What is known of a function's types.
#[derive(Debug)]
pub(super) struct PlainTypes {
    /// The library that they were read for.
    dialect: items::Dialect,
    mappings: SlotTable<Mapping>,
    scalars: SlotTable<ElementType>,
    /// By where they are written.
    types: FxHashMap<Span, Type>,
}

/// The types of a function that no generic parameter changes.
#[salsa::tracked(returns(ref), no_eq)]
pub(super) fn plain_types(db: &dyn Db, function: ItemId) -> PlainTypes {
    let table = dialect::of_file(db, function.file(db));
    let site = Site::new(db, function);
    let here = site.parsed.text.full_span();
    let mut reader = interpreter(db, table, site.clone(), here);
    let mut types = FxHashMap::default();
    if let Some(node) = site.parsed.cast::<ast::Fn>() {
        let parameters = parameter_names(db, function, &node);
        for ty in written_types(node.syntax()) {
            if names_any(ty.syntax(), &parameters) {
                continue;
            }
            let span = site.span(ty.syntax());
            let said = reader.own.draft.unresolved.len();
            let read = reader.read_type_at(&site, &ty, span, 0);
            // What could not be read is said in each body that meets it.
            let is_silent = reader.own.draft.unresolved.len() == said && !reader.exhausted;
            if is_silent && reader.is_filled(&read) {
                types.insert(span, read);
            }
        }
    }
    PlainTypes {
        dialect: table.id(),
        mappings: reader.own.draft.mappings,
        scalars: reader.own.draft.scalars,
        types,
    }
}

/// The types that annotate something in a function, without those of functions and blocks of methods in it.
fn written_types(function: &SyntaxNode) -> Vec<ast::Type> {
    let annotated = nodes_of(
        function,
        |met| {
            use SyntaxKind::{LET_STMT, PARAM, RET_TYPE};
            matches!(met.kind, LET_STMT | PARAM | RET_TYPE)
                && met.parent_kind() != SyntaxKind::FN_PTR_TYPE
        },
        |met| {
            use SyntaxKind::{FN, IMPL, TOKEN_TREE, TRAIT};
            !matches!(met.kind, FN | IMPL | TOKEN_TREE | TRAIT)
        },
    );
    annotated
        .iter()
        .filter_map(|node| node.children().find_map(ast::Type::cast))
        .collect()
}

/// The generic parameters that are in scope in a function, and the type that a block of methods is for.
fn parameter_names(db: &dyn Db, function: ItemId, node: &ast::Fn) -> Vec<String> {
    let mut names = own_parameters(node.generic_param_list());
    let owner = function.owner(db);
    if owner != function {
        let block = items::parse_item(db, owner).cast::<ast::AnyHasGenericParams>();
        names.extend(own_parameters(
            block.and_then(|block| block.generic_param_list()),
        ));
        names.push("Self".to_owned());
    }
    names
}

fn own_parameters(list: Option<ast::GenericParamList>) -> Vec<String> {
    let list = list.into_iter();
    let parameters = list.flat_map(|list| list.type_or_const_params().collect::<Vec<_>>());
    parameters
        .filter_map(|parameter| match parameter {
            ast::TypeOrConstParam::Type(parameter) => parameter.name(),
            ast::TypeOrConstParam::Const(parameter) => parameter.name(),
        })
        .map(|name| name.text().to_string())
        .collect()
}

/// Whether one of some names is among the words of a type.
fn names_any(ty: &SyntaxNode, names: &[String]) -> bool {
    if names.is_empty() {
        return false;
    }
    let text = ty.green().to_string();
    let mut words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.any(|word| names.iter().any(|name| name == word))
}

impl Interpreter<'_> {
    /// A type of a function that no generic parameter changes, with slots of this body.
    pub(super) fn plain_type(&mut self, written: Span) -> Option<Type> {
        let plain = plain_types(self.db, written.item);
        if plain.dialect != self.own.dialect.id() {
            return None;
        }
        let ty = plain.types.get(&written)?;
        Some(self.with_own_slots(plain, ty))
    }

    fn with_own_slots(&mut self, plain: &PlainTypes, ty: &Type) -> Type {
        match ty {
            Type::Tensor(tensor) => Type::Tensor(TensorType {
                scalar: self.own.draft.scalars.adopt(&plain.scalars, tensor.scalar),
                levels: self.own_levels(plain, tensor.levels),
                ..*tensor
            }),
            Type::Stream { shape, context } => Type::Stream {
                shape: self.own_shape(plain, *shape),
                context: *context,
            },
            Type::Tuple(parts) => {
                let parts = parts.iter();
                Type::Tuple(parts.map(|part| self.with_own_slots(plain, part)).collect())
            }
            Type::Record(item, fields, generics) => {
                let fields = fields.iter();
                let own = fields.map(|(name, ty)| (name.clone(), self.with_own_slots(plain, ty)));
                let own = own.collect();
                let generics = generics.iter();
                let generics = generics.map(|binding| self.own_binding(plain, binding));
                Type::Record(*item, own, generics.collect())
            }
            Type::Array(inner, length) => {
                Type::Array(Box::new(self.with_own_slots(plain, inner)), *length)
            }
            Type::Unknown
            | Type::Unit
            | Type::Number(_)
            | Type::Device
            | Type::RunTimeValue
            | Type::Context(_) => ty.clone(),
        }
    }

    fn own_binding(&mut self, plain: &PlainTypes, binding: &Binding) -> Binding {
        let owner = binding.owner.as_ref().map(|owner| Owner {
            item: owner.item,
            arguments: owner
                .arguments
                .iter()
                .map(|argument| self.own_binding(plain, argument))
                .collect(),
        });
        Binding {
            mapping: (self.own.draft.mappings).adopt(&plain.mappings, binding.mapping),
            scalar: (self.own.draft.scalars).adopt(&plain.scalars, binding.scalar),
            owner,
            ..binding.clone()
        }
    }

    fn own_levels(&mut self, plain: &PlainTypes, levels: LevelSlots) -> LevelSlots {
        let mut own = |slot| self.own.draft.mappings.adopt(&plain.mappings, slot);
        LevelSlots {
            chip: levels.chip.map(&mut own),
            cluster: levels.cluster.map(&mut own),
            slice: levels.slice.map(&mut own),
            pe: levels.pe.map(&mut own),
            row: levels.row.map(&mut own),
            element: own(levels.element),
        }
    }

    fn own_shape(&mut self, plain: &PlainTypes, shape: ShapeSlots) -> ShapeSlots {
        let scalar = self.own.draft.scalars.adopt(&plain.scalars, shape.scalar);
        let mut own = |slot| self.own.draft.mappings.adopt(&plain.mappings, slot);
        ShapeSlots {
            scalar,
            chip: own(shape.chip),
            cluster: own(shape.cluster),
            slice: own(shape.slice),
            row: shape.row.map(&mut own),
            time: own(shape.time),
            packet: own(shape.packet),
            ..shape
        }
    }
}
