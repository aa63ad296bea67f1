//! Sizes of aliases: positions of a mapping, bytes of a tensor, steps and bytes of a stream.

use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode, HasGenericArgs};

use crate::db::Db;
use crate::hardware::ElementType;
use crate::inputs::SourceFile;
use crate::items::{
    ItemId, ItemKind, Namespace, Resolution, ScopeRef, Span, alias_mapping, block_scopes,
    parse_item, resolve_mapping_type, resolve_path, scope_at,
};
use crate::kernel::dialect::{TypeEntry, TypeParameter, TypeShape, of_file};
use crate::kernel::{Level, Tier};
use crate::mapping::Mapping;
use crate::numbers::thousands;

use super::super::HintKind;
use super::ItemHint;

/// The sizes of an alias, or of the aliases in the blocks of an item.
#[salsa::tracked(returns(clone))]
pub(super) fn of_item(db: &dyn Db, item: ItemId) -> Arc<[ItemHint]> {
    match item.kind(db) {
        ItemKind::Alias => of_alias(db, item).into_iter().collect(),
        ItemKind::Axes
        | ItemKind::Use
        | ItemKind::InlineModule
        | ItemKind::ModuleDeclaration
        | ItemKind::MacroDefinition
        | ItemKind::Other => Arc::from([]),
        ItemKind::Function
        | ItemKind::Constant
        | ItemKind::Static
        | ItemKind::Type
        | ItemKind::Implementation => {
            let scopes = block_scopes(db, item);
            let locals = scopes.locals.iter().map(|local| local.id);
            let aliases = locals.filter(|local| local.kind(db) == ItemKind::Alias);
            aliases.filter_map(|alias| of_alias(db, alias)).collect()
        }
    }
}

fn of_alias(db: &dyn Db, alias: ItemId) -> Option<ItemHint> {
    let parsed = parse_item(db, alias);
    let node: ast::TypeAlias = parsed.cast()?;
    let written = node.ty()?;
    let place = parsed.span(written.syntax());
    let (label, tooltip) = match &alias_mapping(db, alias).mapping {
        Some(mapping) => of_mapping(mapping),
        None => of_type(db, alias, &written, parsed.text.full_span())?,
    };
    Some(ItemHint {
        place,
        label,
        tooltip,
        kind: HintKind::Size,
    })
}

fn of_mapping(mapping: &Mapping) -> (String, String) {
    let size = thousands(mapping.size());
    let unit = if mapping.size() == 1 {
        "position"
    } else {
        "positions"
    };
    (format!("= {size}"), format!("{size} {unit}"))
}

/// The size of a tensor or stream; `None` where it has parameters or is something else.
fn of_type(
    db: &dyn Db,
    alias: ItemId,
    written: &ast::Type,
    text: Span,
) -> Option<(String, String)> {
    let ast::Type::PathType(path) = written else {
        return None;
    };
    let path = path.path()?;
    let offset = written.syntax().text_range().start().into();
    let scope = scope_at(db, alias, offset);
    let entry = library_type(db, alias.file(db), &scope, &path)?;
    let arguments = Arguments {
        db,
        scope: &scope,
        text,
        entry,
        written: path.segment()?.generic_arg_list()?,
    };
    let element_type = arguments.scalar()?;
    match entry.shape {
        TypeShape::Tensor(tier, _) => of_tensor(&arguments, tier, element_type),
        TypeShape::Stream(..) => {
            let time = arguments.level(Level::Time)?;
            let packet = arguments.level(Level::Packet)?;
            let label = stream_size_text(Some(time.size()), element_type, Some(&packet))?;
            let words = format!(
                "Time `m![{time}]`, Packet `m![{packet}]` of `{}`",
                element_type.name()
            );
            Some((format!("= {label}"), words))
        }
        _ => None,
    }
}

fn of_tensor(
    arguments: &Arguments<'_>,
    tier: Tier,
    element_type: ElementType,
) -> Option<(String, String)> {
    let element = arguments.level(Level::Element)?.size();
    let elements = match tier {
        Tier::Trf => element.checked_mul(arguments.level(Level::Row)?.size())?,
        _ => element,
    };
    let bits = element_type.bits_of(elements)?;
    let (count, long, short) = if bits.is_multiple_of(8) {
        (bits / 8, "bytes", "B")
    } else {
        (bits, "bits", "bit")
    };
    let count = thousands(count);
    let whose = match tier {
        Tier::Host => "",
        Tier::Hbm => " a chip",
        Tier::Dm | Tier::Trf | Tier::Vrf => " a slice",
        Tier::Spm => " a processing element",
    };
    let words = format!(
        "{count} {long}{whose}: {} of `{}`",
        thousands(elements),
        element_type.name()
    );
    Some((format!("= {count} {short}"), words))
}

/// The library's type that a path names.
fn library_type(
    db: &dyn Db,
    file: SourceFile,
    scope: &ScopeRef,
    path: &ast::Path,
) -> Option<&'static TypeEntry> {
    let name = path.segment()?.name_ref()?;
    let name = name.text().to_string();
    let unqualified = path.qualifier().is_none();
    let own = unqualified
        && matches!(
            resolve_path(db, scope, &[&name], Namespace::Type),
            Resolution::Alias(_)
                | Resolution::Type(_)
                | Resolution::Axis(_)
                | Resolution::Parameter(_)
                | Resolution::Module(_)
        );
    if own {
        None
    } else {
        of_file(db, file).type_entry(&name)
    }
}

/// The arguments of a library's type.
struct Arguments<'a> {
    db: &'a dyn Db,
    scope: &'a ScopeRef,
    text: Span,
    entry: &'static TypeEntry,
    written: ast::GenericArgList,
}

impl Arguments<'_> {
    fn get(&self, wanted: TypeParameter) -> Option<ast::GenericArg> {
        let index = self
            .entry
            .parameters
            .iter()
            .position(|parameter| *parameter == wanted)?;
        let arguments = self.written.generic_args();
        arguments
            .filter(|argument| !matches!(argument, ast::GenericArg::LifetimeArg(_)))
            .nth(index)
    }

    fn type_of(&self, wanted: TypeParameter) -> Option<ast::Type> {
        match self.get(wanted)? {
            ast::GenericArg::TypeArg(argument) => argument.ty(),
            _ => None,
        }
    }

    fn scalar(&self) -> Option<ElementType> {
        let written = self.type_of(TypeParameter::Scalar)?;
        ElementType::from_name(written.syntax().text().to_string().trim())
    }

    fn level(&self, level: Level) -> Option<Mapping> {
        let written = self.type_of(TypeParameter::Level(level))?;
        resolve_mapping_type(self.db, self.scope, &written, self.text)?.mapping
    }
}

/// `Time x Packet bytes` of a stream: `64 x 32 B`; bits where a packet is no whole number of bytes.
pub(super) fn stream_size_text(
    iterations: Option<u64>,
    element_type: ElementType,
    packet: Option<&Mapping>,
) -> Option<String> {
    let bits = packet?.size().checked_mul(element_type.bits())?;
    let packet = if bits.is_multiple_of(8) {
        format!("{} B", thousands(bits / 8))
    } else {
        format!("{} bit", thousands(bits))
    };
    Some(format!("{} x {packet}", thousands(iterations?)))
}
