//! Generic arguments of methods and tensor types: `m![…]` where a mapping is expected, element types that the engine makes.

use crate::db::Db;
use crate::hardware::Machine;
use crate::items::{
    AxisDefinition, Namespace, Resolution, resolve_path, scope_at, visible_type_names,
};
use crate::kernel::Level;
use crate::kernel::catalogue::{CanonicalStage, Generic};
use crate::kernel::dialect::{Action, Dialect, Method, TypeParameter};
use crate::numbers::{one_of, thousands};
use crate::{Completion, CompletionKind};

use super::context::{Around, Owner};
use super::conversions::converted_types;
use super::made::{Made, Names, made_mappings};
use super::numbers::proper_divisors;
use super::place::arguments_before_cursor;
use super::receiver::{Receiver, called_method};
use super::word_proposal;

/// Lengths of tiles that are proposed at most.
const LENGTH_LIMIT: usize = 16;

/// Proposals directly behind `<` or a comma of generic arguments.
pub(super) fn propose_generics(db: &dyn Db, around: &Around) -> Option<Vec<Completion>> {
    let opener = around.openers.first().copied()?;
    if !matches!(around.text(0), "<" | ",") {
        return None;
    }
    match around.owner(opener) {
        Owner::Turbofish { name, dot } => {
            let has_mapping = around.tokens_since(opener).any(|token| token.text() == "m");
            let (method, receiver) = called_method(db, around, (&name, dot), has_mapping)?;
            let guide = around.dialect(db).guide(method)?;
            let part = guide.generics.get(opener.commas)?;
            match method.generics.get(opener.commas)? {
                Generic::Inferred | Generic::Level(Level::Row) => {
                    let mut found = word_proposal(around, "_", CompletionKind::Keyword, 0);
                    found.detail = Some("follows from the argument".to_owned());
                    Some(vec![found])
                }
                Generic::Level(_) | Generic::Index => {
                    let mut found = vec![mapping_completion(around, part.meaning)];
                    if let Some(receiver) = &receiver
                        && let Some((item, end)) = around.item_here(db)
                    {
                        let names = Names::at(db, item, end, end);
                        let arguments = arguments_before_cursor(around, opener);
                        found.extend(whole_mappings(
                            around,
                            &made_mappings(receiver, method, &arguments, &names),
                            &names,
                        ));
                    }
                    Some(found)
                }
                Generic::Scalar => {
                    let dialect = around.dialect(db);
                    Some(scalars(around, receiver.as_ref()?, method, dialect))
                }
                Generic::Axis => axis_completions(db, around, receiver.as_ref(), method),
                Generic::Constant => {
                    let (item, end) = around.item_here(db)?;
                    let names = Names::at(db, item, end, end);
                    lengths(
                        around,
                        method.action,
                        &arguments_before_cursor(around, opener),
                        &names,
                    )
                }
            }
        }
        Owner::Type(name) => {
            let dialect = around.dialect(db);
            let entry = dialect.type_entry(&name)?;
            match entry.parameters.get(opener.commas)? {
                TypeParameter::Level(level) => Some(vec![mapping_completion(
                    around,
                    &level_words(dialect.machine(), *level),
                )]),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whole mappings that follow from what is before them.
fn whole_mappings(around: &Around, found: &[Made], names: &Names<'_>) -> Vec<Completion> {
    let found = found.iter().zip(0_u32..);
    found
        .filter_map(|(made, rank)| {
            let text = format!("m![{}]", names.text(&made.mapping)?);
            let mut found = word_proposal(around, text, CompletionKind::Value, rank);
            found.detail = Some(made.words.to_string());
            Some(found)
        })
        .collect()
}

fn mapping_completion(around: &Around, words: &str) -> Completion {
    let mut found = word_proposal(around, "m![]", CompletionKind::Keyword, 50);
    found.insert = "m![$1]".to_owned();
    found.snippet = true;
    found.detail = Some(words.to_owned());
    found
}

fn level_words(machine: Machine, level: Level) -> String {
    let words = match level {
        Level::Chip => "The chips.",
        Level::Cluster => return format!("The clusters: {}.", one_of(machine.cluster_counts)),
        Level::Slice => return format!("The slices: {}.", one_of(machine.slice_counts)),
        Level::Pe => return format!("The processing elements: {}.", one_of(machine.pe_counts)),
        Level::Row => {
            let counts: Vec<u64> = machine.row_counts().collect();
            return format!("The rows of the MAC array: {}.", one_of(&counts));
        }
        Level::Element => "The positions that each slice or chip holds.",
        Level::Time => "The iterations of the stream.",
        Level::Packet => "The elements of one iteration.",
    };
    words.to_owned()
}

/// The axes that a method takes: those of two values to tell streams apart, those of the time to reduce.
fn axis_completions(
    db: &dyn Db,
    around: &Around,
    receiver: Option<&Receiver>,
    method: &Method,
) -> Option<Vec<Completion>> {
    let unzips = method.stage() == Some(CanonicalStage::VectorUnzip);
    let (item, end) = around.item_here(db)?;
    let scope = scope_at(db, item, end);
    let time = receiver
        .and_then(Receiver::shape)
        .and_then(|shape| shape.time.get());
    let fits = |axis: &AxisDefinition| {
        let in_time = time.is_none_or(|time| time.form().contains_axis(&axis.name));
        match method.action {
            Action::BeginInterleaved => axis.size == Some(2),
            _ if unzips => axis.size == Some(2) && in_time,
            _ => in_time,
        }
    };
    let found = visible_type_names(db, &scope)
        .into_iter()
        .filter_map(|name| {
            let Resolution::Axis(axis) = resolve_path(db, &scope, &[&name], Namespace::Type) else {
                return None;
            };
            let mut found =
                fits(&axis).then(|| word_proposal(around, &*name, CompletionKind::Axis, 0))?;
            found.detail = axis.size.map(|size| format!("= {}", thousands(size)));
            Some(found)
        });
    Some(found.collect())
}

/// How many values of its index a tile keeps.
fn lengths(
    around: &Around,
    action: Action,
    arguments: &[String],
    names: &Names<'_>,
) -> Option<Vec<Completion>> {
    let (Action::Tile(_), [index, _]) = (action, arguments) else {
        return None;
    };
    let size = names.argument(index)?.size();
    let found = std::iter::once(1)
        .chain(proper_divisors(size))
        .chain((size > 1).then_some(size))
        .take(LENGTH_LIMIT)
        .zip(0_u32..);
    let found = found.map(|(length, rank)| {
        let mut found = word_proposal(around, length.to_string(), CompletionKind::Value, rank);
        found.detail = Some(format!("of {}", thousands(size)));
        found
    });
    Some(found.collect())
}

/// The element types that a stage makes of the stream's.
fn scalars(
    around: &Around,
    receiver: &Receiver,
    method: &Method,
    dialect: Dialect,
) -> Vec<Completion> {
    let Some(from) = receiver.element_type() else {
        return Vec::new();
    };
    let made = method
        .stage()
        .and_then(|stage| converted_types(stage, from, receiver.target, dialect));
    made.unwrap_or_default()
        .into_iter()
        .zip(0_u32..)
        .map(|(to, rank)| {
            let mut found = word_proposal(around, to.name(), CompletionKind::Value, rank);
            found.detail = Some(if to == from {
                "as it is".to_owned()
            } else {
                format!("converted from {from}")
            });
            found
        })
        .collect()
}
