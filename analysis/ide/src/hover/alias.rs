//! The page of a type alias: a mapping, or a tensor or stream with its levels.

use ra_ap_syntax::ast::{self, AstNode, HasGenericArgs};

use crate::db::Db;
use crate::hardware::ElementType;
use crate::inputs::SourceFile;
use crate::items::{
    ItemId, Namespace, Resolution, alias_mapping, parse_item, resolve_mapping_type, resolve_path,
    scope_at,
};
use crate::kernel::dialect::{self, TypeParameter, TypeShape};
use crate::kernel::{Level, Tier};
use crate::mapping::Mapping;
use crate::numbers::thousands;

use super::super::names::Named;
use super::layout::{ToldApart, layout_text};
use super::occurrences;
use super::page::{Page, block, bytes_of, code, counted, markdown_table};
use super::path_segments;
use super::uses::{holder, memory_name};

/// Aliases of aliases that are followed.
const DEPTH: usize = 8;
/// Letters of a declaration that are shown.
const SHOWN: usize = 400;

/// The page, with where the reader's file uses the alias by the name that it has there; `None` for an alias of something
/// that is neither a mapping nor a tensor nor a stream.
pub(super) fn alias_page(
    db: &dyn Db,
    alias: ItemId,
    name: &str,
    reader: SourceFile,
) -> Option<String> {
    let mut page = alias_meaning(db, alias)?;
    page.add(occurrences::occurrences_page(
        db,
        &Named::Alias(alias),
        name,
        reader,
    ));
    Some(page.into_markdown())
}

fn alias_meaning(db: &dyn Db, alias: ItemId) -> Option<Page> {
    let parsed = parse_item(db, alias);
    let declaration: String = parsed.text.text.chars().take(SHOWN).collect();
    let mut page = Page::default();
    let known = alias_mapping(db, alias);
    if let Some(mapping) = &known.mapping {
        page.add(format!(
            "**{}**: {}",
            code(&alias.name(db)),
            counted(mapping.size(), "position")
        ));
        page.add(block("rust", &declaration));
        let shown = ToldApart::at(db, parsed.text.full_span(), mapping);
        let meant = shown.mapping_in_code(&shown.mapping);
        if !declaration.contains(&meant) {
            page.add(format!("Stands for {}", code(&meant)));
        }
        page.add(layout_text(&shown));
        return Some(page);
    }
    if let Some(tensor) = tensor_alias(db, alias, DEPTH) {
        page.add(format!(
            "**{}**: {}",
            code(&alias.name(db)),
            tensor.headline()
        ));
        page.add(block("rust", &declaration));
        page.add(tensor.level_table());
        return Some(page);
    }
    if known.problems.is_empty() {
        return None;
    }
    page.add(format!(
        "**{}**: no size, because its mapping is ill-formed or not known",
        code(&alias.name(db))
    ));
    page.add(block("rust", &declaration));
    Some(page)
}

/// Where the elements of a type are.
#[derive(Debug, Clone, Copy)]
enum Whereabouts {
    /// At rest in a memory.
    Memory(Tier),
    /// In a stream.
    Stream,
}

/// A tensor or stream as an alias writes it.
struct TensorAlias {
    whereabouts: Whereabouts,
    element_type: Option<ElementType>,
    levels: Vec<(Level, Option<Mapping>)>,
}

impl TensorAlias {
    fn size(&self, wanted: Level) -> Option<u64> {
        let (_, mapping) = self.levels.iter().find(|(level, _)| *level == wanted)?;
        Some(mapping.as_ref()?.size())
    }

    fn headline(&self) -> String {
        let kind = self
            .element_type
            .map_or_else(String::new, |kind| format!(" of {kind}"));
        let bytes = |level: Level| bytes_of(self.size(level)?, self.element_type?);
        match self.whereabouts {
            Whereabouts::Memory(tier) => {
                let holder = match tier {
                    // The element of a TRF tensor is what one row holds.
                    Tier::Trf => " a row",
                    tier => holder(tier),
                };
                let bytes = bytes(Level::Element)
                    .map_or_else(String::new, |bytes| format!(", {bytes}{holder}"));
                format!("a tensor{kind} in {}{bytes}", memory_name(tier))
            }
            Whereabouts::Stream => match self.size(Level::Time).zip(bytes(Level::Packet)) {
                Some((time, packet)) => {
                    format!("a stream{kind}, {} x {packet}", thousands(time))
                }
                None => format!("a stream{kind}"),
            },
        }
    }

    fn level_table(&self) -> String {
        let rows: Vec<Vec<String>> = self
            .levels
            .iter()
            .map(|(level, mapping)| {
                let (text, size) = match mapping {
                    Some(mapping) => (code(&format!("m![{mapping}]")), thousands(mapping.size())),
                    None => ("not known here".to_owned(), "?".to_owned()),
                };
                vec![format!("{level:?}"), text, size]
            })
            .collect();
        markdown_table(&["level", "mapping", "size"], 2, &rows)
    }
}

fn tensor_alias(db: &dyn Db, alias: ItemId, depth: usize) -> Option<TensorAlias> {
    let parsed = parse_item(db, alias);
    let written = parsed.cast::<ast::TypeAlias>()?.ty()?;
    let ast::Type::PathType(path) = written else {
        return None;
    };
    let path = path.path()?;
    let names = path_segments(&path);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let start = path.syntax().text_range().start().into();
    let scope = scope_at(db, alias, start);
    match resolve_path(db, &scope, &names, Namespace::Type) {
        Resolution::Alias(next) if depth > 0 && next != alias => {
            return tensor_alias(db, next, depth - 1);
        }
        Resolution::Prelude(_) | Resolution::External | Resolution::Unknown { .. } => {}
        _ => return None,
    }
    let entry = dialect::of_file(db, alias.file(db)).type_entry(names.last()?)?;
    let whereabouts = match entry.shape {
        TypeShape::Tensor(tier, _) => Whereabouts::Memory(tier),
        TypeShape::Stream(..) => Whereabouts::Stream,
        _ => return None,
    };
    let arguments: Vec<Option<ast::Type>> = path
        .segment()?
        .generic_arg_list()?
        .generic_args()
        .filter_map(|argument| match argument {
            ast::GenericArg::TypeArg(argument) => Some(argument.ty()),
            ast::GenericArg::ConstArg(_) => Some(None),
            _ => None,
        })
        .collect();
    let mut found = TensorAlias {
        whereabouts,
        element_type: None,
        levels: Vec::new(),
    };
    for (parameter, written) in entry.parameters.iter().zip(&arguments) {
        let Some(written) = written else { continue };
        match parameter {
            TypeParameter::Scalar => {
                let name = written.syntax().text().to_string();
                found.element_type = ElementType::from_name(name.trim());
            }
            TypeParameter::Level(level) => {
                let result = resolve_mapping_type(db, &scope, written, parsed.text.full_span());
                found
                    .levels
                    .push((*level, result.and_then(|result| result.mapping)));
            }
            _ => {}
        }
    }
    Some(found)
}
