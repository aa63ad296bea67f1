//! The page of a type alias: a mapping, or a tensor with its levels.

use ra_ap_syntax::ast::{self, AstNode, HasGenericArgs};

use crate::db::Db;
use crate::hardware::ElementType;
use crate::items::{
    ItemId, Namespace, Resolution, alias_mapping, parse_item, resolve, resolve_mapping_type,
    scope_at,
};
use crate::kernel::dialect::{self, TypeParameter, TypeShape};
use crate::kernel::{Level, Tier};
use crate::mapping::Mapping;
use crate::rules::thousands;

use super::mapping::layout;
use super::page::{Page, block, bytes_of, code, count, table};
use super::segments;
use super::uses::{holder, memory_name};

/// Aliases of aliases that are followed.
const DEPTH: usize = 8;
/// Letters of a declaration that are shown.
const SHOWN: usize = 400;

/// The page; `None` for an alias of something that is neither.
pub(super) fn page(db: &dyn Db, alias: ItemId) -> Option<String> {
    let parsed = parse_item(db, alias);
    let declaration: String = parsed.text.text.chars().take(SHOWN).collect();
    let mut page = Page::default();
    let known = alias_mapping(db, alias);
    if let Some(mapping) = &known.mapping {
        page.add(format!(
            "**{}**: {}",
            code(&alias.name(db)),
            count(mapping.size(), "position")
        ));
        page.add(block("rust", &declaration));
        let meant = format!("m![{mapping}]");
        if !declaration.contains(&meant) {
            page.add(format!("Stands for {}", code(&meant)));
        }
        page.add(layout(mapping));
        return Some(page.into_markdown());
    }
    if let Some(tensor) = tensor(db, alias, DEPTH) {
        page.add(format!(
            "**{}**: {}",
            code(&alias.name(db)),
            tensor.headline()
        ));
        page.add(block("rust", &declaration));
        page.add(tensor.table());
        return Some(page.into_markdown());
    }
    if known.problems.is_empty() {
        return None;
    }
    page.add(format!(
        "**{}**: no size, because its mapping is ill-formed or not known",
        code(&alias.name(db))
    ));
    page.add(block("rust", &declaration));
    Some(page.into_markdown())
}

/// A tensor as an alias writes it.
struct TensorAlias {
    tier: Tier,
    element_type: Option<ElementType>,
    levels: Vec<(Level, Option<Mapping>)>,
}

impl TensorAlias {
    fn headline(&self) -> String {
        let kind = self
            .element_type
            .map_or_else(String::new, |kind| format!(" of {kind}"));
        let memory = memory_name(self.tier);
        let element = self
            .levels
            .iter()
            .find(|(level, _)| *level == Level::Element);
        let bytes = element
            .and_then(|(_, mapping)| mapping.as_ref())
            .zip(self.element_type)
            .and_then(|(mapping, kind)| bytes_of(mapping.size(), kind));
        let holder = match self.tier {
            // The element of a TRF tensor is what one row holds.
            Tier::Trf => " a row",
            tier => holder(tier),
        };
        match bytes {
            Some(bytes) => format!("a tensor{kind} in {memory}, {bytes}{holder}"),
            None => format!("a tensor{kind} in {memory}"),
        }
    }

    fn table(&self) -> String {
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
        table(&["level", "mapping", "size"], 2, &rows)
    }
}

fn tensor(db: &dyn Db, alias: ItemId, depth: usize) -> Option<TensorAlias> {
    let parsed = parse_item(db, alias);
    let written = parsed.cast::<ast::TypeAlias>()?.ty()?;
    let ast::Type::PathType(path) = written else {
        return None;
    };
    let path = path.path()?;
    let names = segments(&path);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let start = path.syntax().text_range().start().into();
    let scope = scope_at(db, alias, start);
    match resolve(db, &scope, &names, Namespace::Type) {
        Resolution::Alias(next) if depth > 0 && next != alias => {
            return tensor(db, next, depth - 1);
        }
        Resolution::Prelude(_) | Resolution::External | Resolution::Unknown { .. } => {}
        _ => return None,
    }
    let entry = dialect::VISA_STD.type_entry(names.last()?)?;
    let TypeShape::Tensor(tier, _) = entry.shape else {
        return None;
    };
    let arguments: Vec<ast::Type> = path
        .segment()?
        .generic_arg_list()?
        .generic_args()
        .filter_map(|argument| match argument {
            ast::GenericArg::TypeArg(argument) => argument.ty(),
            _ => None,
        })
        .collect();
    let mut found = TensorAlias {
        tier,
        element_type: None,
        levels: Vec::new(),
    };
    for (parameter, written) in entry.parameters.iter().zip(&arguments) {
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
