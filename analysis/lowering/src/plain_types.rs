//! The types that a function writes and that mean the same in whichever body it is read: read once, for all bodies that call it.
//!
//! It knows annotations of parameters, results, statements and closures in which no generic parameter is named, and of those
//! only what is filled; all others are read where they are met. A body takes the slots of a type over into its own table.

use ra_ap_syntax::ast::{self, AstNode, HasGenericParams, HasName};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};
use rustc_hash::FxHashMap;

use crate::db::{Db, Untimed};
use crate::hardware::ElementType;
use crate::items::{self, ItemId, ScopeKey, Span};
use crate::kernel::dialect;
use crate::mapping::Mapping;
use crate::syntax::{VisitedNode, child_of, nodes_of};

use super::draft::Draft;
use super::slots::{MappingSlot, ScalarSlot, SlotTable};
use super::types::{TakeSlots, Type};
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
///
/// A type may hold a number that a call computes, and so need the types of what is called: `let w: [u8; f(1)]` inside of `f`. Of
/// functions that need each other so nothing is known here, and each type is read where it is met.
#[salsa::tracked(returns(ref), no_eq, cycle_result = no_plain_types)]
pub(super) fn plain_types(db: &dyn Db, function: ItemId) -> PlainTypes {
    read_plain_types(db, function, &Site::new(db, function))
}

/// Those of its parameters and of its result: an edit in its body changes none of them.
#[salsa::tracked(returns(ref), no_eq, cycle_result = no_plain_types)]
fn plain_signature_types(db: &dyn Db, function: ItemId) -> PlainTypes {
    read_plain_types(db, function, &Site::of_signature(db, function))
}

fn read_plain_types(db: &dyn Db, function: ItemId, site: &Site) -> PlainTypes {
    let _untimed = Untimed::begin();
    let table = dialect::of_file(db, function.file(db));
    let here = site.parsed.text.full_span();
    let mut reader = interpreter(db, table, site.clone(), here);
    let mut types = FxHashMap::default();
    if let Some(node) = site.parsed.cast::<ast::Fn>() {
        let parameters = parameter_names(db, function, &node);
        let text = &site.parsed.text.text;
        // A kernel writes the same few types again and again: the first of a text, by the scope in which its names are looked up.
        let mut first: FxHashMap<(ScopeKey, &str), (Span, Type)> = FxHashMap::default();
        for ty in written_types(node.syntax(), text) {
            let range = ty.syntax().text_range();
            let written = text.get(std::ops::Range::<usize>::from(range));
            let written = written.unwrap_or_default();
            if names_any(written, &parameters) {
                continue;
            }
            let span = site.span(ty.syntax());
            let key = (site.scope_at(db, range.start().into()).key(), written);
            if let Some((from, read)) = first.get(&key) {
                let (from, to, draft) = (*from, span, &mut reader.own.draft);
                let moved = read.with_slots(&mut MovedSlots { draft, from, to });
                types.insert(span, moved);
                continue;
            }
            let said = reader.own.draft.unresolved.len();
            let read = reader.read_type_at(site, &ty, span, 0);
            // What could not be read is said in each body that meets it.
            let is_silent = reader.own.draft.unresolved.len() == said && !reader.exhausted;
            if is_silent && reader.is_filled(&read) {
                first.insert(key, (span, read.clone()));
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

fn no_plain_types(db: &dyn Db, _id: salsa::Id, function: ItemId) -> PlainTypes {
    PlainTypes {
        dialect: dialect::of_file(db, function.file(db)).id(),
        mappings: SlotTable::default(),
        scalars: SlotTable::default(),
        types: FxHashMap::default(),
    }
}

/// The types that annotate something in a function, without those of functions and blocks of methods in it. `text` is that of
/// the function's tree.
fn written_types(function: &SyntaxNode, text: &str) -> Vec<ast::Type> {
    // Inside of an expression only closures, blocks and types of functions annotate anything; few expressions of a kernel have one.
    let annotates = |met: VisitedNode<'_>| {
        let text = met.text(text).as_bytes();
        memchr::memchr2(b'|', b'{', text).is_some() || memchr::memmem::find(text, b"fn").is_some()
    };
    let annotated = nodes_of(
        function,
        |met| {
            use SyntaxKind::{LET_STMT, PARAM, RET_TYPE};
            matches!(met.kind, LET_STMT | PARAM | RET_TYPE)
                && met.parent_kind() != SyntaxKind::FN_PTR_TYPE
        },
        |met| {
            use SyntaxKind::{EXPR_STMT, FN, IMPL, LET_STMT, TOKEN_TREE, TRAIT};
            let is_expression = met.kind == EXPR_STMT || met.parent_kind() == LET_STMT;
            !matches!(met.kind, FN | IMPL | TOKEN_TREE | TRAIT)
                && (!is_expression || annotates(met))
        },
    );
    annotated.iter().filter_map(child_of::<ast::Type>).collect()
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
fn names_any(ty: &str, names: &[String]) -> bool {
    if names.is_empty() {
        return false;
    }
    let mut words = ty.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.any(|word| names.iter().any(|name| name == word))
}

impl Interpreter<'_> {
    /// A type of a function that no generic parameter changes, with slots of this body.
    pub(super) fn plain_type(&mut self, site: &Site, written: Span) -> Option<Type> {
        let plain = if site.is_signature {
            plain_signature_types(self.db, written.item)
        } else {
            plain_types(self.db, written.item)
        };
        if plain.dialect != self.own.dialect.id() {
            return None;
        }
        let ty = plain.types.get(&written)?;
        let draft = &mut self.own.draft;
        Some(ty.with_slots(&mut OwnSlots { plain, draft }))
    }
}

/// Slots of a body for those of another table.
struct OwnSlots<'a> {
    plain: &'a PlainTypes,
    draft: &'a mut Draft,
}

impl TakeSlots for OwnSlots<'_> {
    fn mapping(&mut self, slot: MappingSlot) -> MappingSlot {
        self.draft.mappings.adopt(&self.plain.mappings, slot)
    }

    fn scalar(&mut self, slot: ScalarSlot) -> ScalarSlot {
        self.draft.scalars.adopt(&self.plain.scalars, slot)
    }
}

/// Slots of the same type that is written again elsewhere: what they hold is there.
struct MovedSlots<'a> {
    draft: &'a mut Draft,
    from: Span,
    to: Span,
}

impl TakeSlots for MovedSlots<'_> {
    fn mapping(&mut self, slot: MappingSlot) -> MappingSlot {
        self.draft.mappings.moved_slot(slot, self.from, self.to)
    }

    fn scalar(&mut self, slot: ScalarSlot) -> ScalarSlot {
        self.draft.scalars.moved_slot(slot, self.from, self.to)
    }
}
