//! Where a mapping is: which level it is, of which element type, and what there is to map.

use crate::db::Db;
use crate::hardware::{ElementType, Machine};
use crate::items::{ItemId, ItemKind, Namespace, Resolution, item_text, resolve_path, scope_at};
use crate::kernel::catalogue::Generic;
use crate::kernel::dialect::{Access, Method, TypeParameter, TypeShape};
use crate::kernel::{CanonicalStage, Level, Tier};
use crate::mapping::Mapping;

use super::around::items_around;
use super::context::{Around, Opener, Owner};
use super::receiver::{Receiver, called_method};

/// The place of a mapping.
#[derive(Default)]
pub(super) struct MappingPlace {
    /// The level, where it is a parameter of a tensor, a stream or a method.
    pub(super) level: Option<Level>,
    /// The method whose generic it is.
    pub(super) method: Option<&'static Method>,
    /// Whether it is an argument of a type of the library.
    pub(super) is_type: bool,
    /// The element type of the result.
    pub(super) element_type: Option<ElementType>,
    /// What the method is called on.
    pub(super) receiver: Option<Receiver>,
    /// What the receiver holds.
    pub(super) source: Option<Mapping>,
    /// What of it time and packet, or the element, hold.
    pub(super) inner: Option<Mapping>,
    /// What the kernel runs on.
    pub(super) machine: Machine,
    /// Chips of the kernel.
    pub(super) chips: Option<u64>,
    /// The generic arguments before this one, as written.
    pub(super) arguments: Vec<String>,
}

impl MappingPlace {
    /// The place of the macro that is the opener of that number.
    pub(super) fn of(db: &dyn Db, around: &Around, macro_at: usize, item: ItemId) -> Self {
        let of_alias = || Self::of_alias(db, around, item);
        let Some(outer) = around.openers.get(macro_at + 1).copied() else {
            return of_alias();
        };
        match around.owner(outer) {
            Owner::Turbofish { name, dot } => Self::of_method(db, around, outer, (&name, dot)),
            Owner::Type(name) => Self::of_type(db, around, outer, &name),
            _ => of_alias(),
        }
    }

    /// Kernels name their levels after what they are: `type Slice = m![…]`.
    fn of_alias(db: &dyn Db, around: &Around, item: ItemId) -> Self {
        let alias = around
            .item_here(db)
            .and_then(|(_, end)| items_around(db, item, end).next())
            .filter(|inner| inner.kind(db) == ItemKind::Alias);
        let level = alias.and_then(|alias| match &*alias.name(db) {
            "Chip" => Some(Level::Chip),
            "Cluster" => Some(Level::Cluster),
            "Slice" => Some(Level::Slice),
            "Row" => Some(Level::Row),
            _ => None,
        });
        Self {
            level,
            ..Self::default()
        }
    }

    fn of_type(db: &dyn Db, around: &Around, opener: Opener, name: &str) -> Self {
        let arguments = arguments_before_cursor(around, opener);
        let Some(entry) = around.dialect(db).type_entry(name) else {
            return Self::default();
        };
        let level = entry
            .parameters
            .get(opener.commas)
            .and_then(|parameter| match parameter {
                TypeParameter::Level(level) => Some(*level),
                _ => None,
            });
        let scalar = entry
            .parameters
            .iter()
            .position(|parameter| *parameter == TypeParameter::Scalar);
        Self {
            level,
            element_type: scalar.and_then(|at| element_type(arguments.get(at)?)),
            arguments,
            is_type: true,
            ..Self::default()
        }
    }

    fn of_method(db: &dyn Db, around: &Around, opener: Opener, (name, dot): (&str, usize)) -> Self {
        let arguments = arguments_before_cursor(around, opener);
        let Some((method, receiver)) = called_method(db, around, (name, dot), true) else {
            return Self::default();
        };
        let level = match method.generics.get(opener.commas) {
            Some(Generic::Level(level)) => Some(*level),
            _ => None,
        };
        let named = method
            .generics
            .iter()
            .position(|generic| *generic == Generic::Scalar)
            .and_then(|at| element_type(arguments.get(at)?));
        let known = receiver.as_ref();
        Self {
            level,
            method: Some(method),
            element_type: named.or_else(|| known?.element_type()),
            source: known.and_then(Receiver::full_mapping),
            inner: known.and_then(Receiver::inner),
            machine: known.map_or(around.dialect(db).machine(), |receiver| {
                receiver.body().machine
            }),
            chips: known.and_then(|receiver| receiver.body().chips),
            arguments,
            receiver,
            is_type: false,
        }
    }

    /// The stage that the method asks for.
    pub(super) fn stage(&self) -> Option<CanonicalStage> {
        self.method?.stage()
    }
}

/// The memory of a tensor type that is no view, by its name or that of an alias.
pub(crate) fn owned_tier(db: &dyn Db, around: &Around, name: &str) -> Option<Tier> {
    let dialect = around.dialect(db);
    let own = dialect.type_entry(name);
    let entry = own.or_else(|| {
        let (item, end) = around.item_here(db)?;
        let scope = scope_at(db, item, end);
        let Resolution::Alias(alias) = resolve_path(db, &scope, &[name], Namespace::Type) else {
            return None;
        };
        let text = item_text(db, alias);
        let (_, target) = text.text.split_once('=')?;
        let path = target.split(['<', ';']).next()?;
        dialect.type_entry(path.rsplit("::").next()?.trim())
    })?;
    match entry.shape {
        TypeShape::Tensor(tier, Access::Owned) => Some(tier),
        _ => None,
    }
}

/// The arguments between an opener and the cursor as written, one space between tokens; lifetimes left out.
pub(crate) fn arguments_before_cursor(around: &Around, opener: Opener) -> Vec<String> {
    let mut arguments = vec![String::new()];
    let mut depth = 0_usize;
    for token in around.tokens_since(opener) {
        let text = token.text();
        match text {
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth = depth.saturating_sub(1),
            "," if depth == 0 => {
                if arguments.last().is_some_and(|last| last.starts_with('\'')) {
                    arguments.pop();
                }
                arguments.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = arguments.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(text);
        }
    }
    arguments
}

fn element_type(text: &str) -> Option<ElementType> {
    let name = text.rsplit("::").next().unwrap_or(text).trim();
    ElementType::from_name(name)
}

/// The text of an item between two offsets; empty where there is none.
pub(super) fn item_part(db: &dyn Db, item: ItemId, start: u32, end: u32) -> String {
    let text = item_text(db, item);
    text.text
        .get(start as usize..end as usize)
        .unwrap_or("")
        .to_owned()
}
