//! Tensors that are padded with the streams that leave for them and come from them.
//!
//! A fix that pads an axis wherever it is divided makes longer streams, and a tensor on the chip that is declared over the
//! bare axis is overrun by them. Here such tensors are padded alike: in all functions that hand tensors to each other, so
//! that signatures, callers and aliases say the same as before, only longer. Tensors in HBM stay as they are: what a kernel
//! is launched with is not its own to change. Knows no engine: whether the kernel is right then is found out by the caller.

#![allow(
    clippy::mutable_key_type,
    reason = "a mapping is compared by what is written, which nothing changes"
)]

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::{
    ItemId, ItemKind, MappingSite, Span, device_attribute, file_items, item_text, mapping_parts,
    mapping_sites,
};
use crate::kernel::element_places;
use crate::lowering::callgraph::{callees_of_function, callers_of_function};
use crate::mapping::{Mapping, PaddingKind, SyntaxKind};

use crate::rules::{self, Edit};

/// How many functions may hand tensors to each other.
const FUNCTION_LIMIT: usize = 16;

/// What pads the tensors of some functions.
pub(super) struct PaddedTensors {
    /// The replacements, those of `m!` and those of names of mappings.
    pub(super) edits: Vec<Edit>,
    /// What stands for the names then.
    pub(super) mappings: Vec<(Span, Mapping)>,
    /// The functions that hand tensors to each other.
    pub(super) functions: Vec<ItemId>,
    /// How many types are written otherwise.
    pub(super) types: usize,
    /// Whether streams are padded where they carry all of the mapping at once.
    pub(super) streams: bool,
}

/// Pads a mapping in the tensors of functions and of those that they call or are called by, and on demand in their streams.
/// None where those functions are too many, where they are in several files, or where nothing holds the mapping.
pub(super) fn padded_tensors(
    db: &dyn Db,
    file: SourceFile,
    functions: &[ItemId],
    (base, size): (&Mapping, u64),
    streams: bool,
) -> Option<PaddedTensors> {
    let functions = connected(db, functions)?;
    let mut padded = PaddedTensors {
        edits: Vec::new(),
        mappings: Vec::new(),
        functions,
        types: 0,
        streams,
    };
    let mut owners: Vec<ItemId> = Vec::new();
    for function in &padded.functions {
        let owner = function.owner(db);
        if !owners.contains(&owner) {
            owners.push(owner);
        }
    }
    let aliases = aliases_of(db, file, &owners);
    for item in owners.into_iter().chain(aliases) {
        if !padded.pad_item(db, item, (base, size))? {
            continue;
        }
        if item.file(db) != file {
            return None;
        }
    }
    (padded.types > 0 || streams).then_some(padded)
}

impl PaddedTensors {
    /// Pads what an item writes; whether there was anything.
    fn pad_item(
        &mut self,
        db: &dyn Db,
        item: ItemId,
        (base, size): (&Mapping, u64),
    ) -> Option<bool> {
        let before = self.edits.len();
        let sites = mapping_sites(db, item);
        let longer = base.pad_to(size, PaddingKind::Top).ok()?;
        let places = element_places(db, item).into_iter();
        for place in places.filter(|place| self.streams || !place.stream) {
            let edits = self.edits.len();
            if let Some(alias) = place.alias {
                if alias == *base {
                    let name = source_text(db, place.span);
                    let text = format!("m![{{ {name} }} # {size}]");
                    self.edits.push(Edit::new(place.span, text));
                    self.mappings.push((place.span, longer.clone()));
                }
            } else if let Some(site) = sites.iter().find(|site| site.span == place.span) {
                self.edits.extend(bare(db, site, (base, size)));
            }
            self.types += usize::from(!place.stream && self.edits.len() > edits);
        }
        // Parts that divide without a remainder are parts of the same tensors.
        let mut known: FxHashSet<Span> = FxHashSet::default();
        let divisions = rules::divisions(db, &sites);
        for division in divisions.get(base).into_iter().flatten() {
            if known.insert(division.first) {
                let text = format!("# {size} {}", source_text(db, division.first));
                self.edits.push(Edit::new(division.first, text));
            }
        }
        Some(self.edits.len() > before)
    }
}

/// What pads a mapping in an `m!` where it is without an operator.
fn bare(db: &dyn Db, site: &MappingSite, (base, size): (&Mapping, u64)) -> Vec<Edit> {
    let parts = mapping_parts(db, site);
    let mut edits = Vec::new();
    let mut pending: Vec<_> = parts.tree.iter().collect();
    while let Some(node) = pending.pop() {
        if parts.mapping(&node.span) == Some(base) {
            let span = site.body.span_inside(&node.span);
            let text = source_text(db, span);
            let text = match &node.kind {
                SyntaxKind::Pair(_) => format!("[{text}] # {size}"),
                _ => format!("{text} # {size}"),
            };
            edits.push(Edit::new(span, text));
            continue;
        }
        match &node.kind {
            SyntaxKind::Pair(parts) => pending.extend(parts),
            SyntaxKind::Group(inner) => pending.push(inner),
            _ => {}
        }
    }
    edits
}

/// Functions with those that they call and, but for kernels, those that call them.
fn connected(db: &dyn Db, functions: &[ItemId]) -> Option<Vec<ItemId>> {
    let mut all = functions.to_vec();
    let mut next = 0;
    while let Some(function) = all.get(next).copied() {
        next += 1;
        // Who launches a kernel gives it tensors in HBM.
        let above = match device_attribute(db, function) {
            Some(_) => Vec::new(),
            None => callers_of_function(db, function).to_vec(),
        };
        for other in callees_of_function(db, function).iter().chain(&above) {
            if !all.contains(other) {
                all.push(*other);
            }
        }
        if all.len() > FUNCTION_LIMIT {
            return None;
        }
    }
    Some(all)
}

/// The items of a file by the aliases of it that their texts name.
#[salsa::tracked(returns(clone))]
fn items_by_alias(db: &dyn Db, file: SourceFile) -> Arc<FxHashMap<Arc<str>, Vec<ItemId>>> {
    let items = file_items(db, file);
    let aliases = items.items.iter();
    let aliases = aliases.filter(|item| item.kind(db) == ItemKind::Alias);
    let mut naming: FxHashMap<Arc<str>, Vec<ItemId>> =
        aliases.map(|alias| (alias.name(db), Vec::new())).collect();
    for item in items.items.iter().copied() {
        for word in words_of_text(&item_text(db, item).text) {
            if let Some(naming) = naming.get_mut(word)
                && naming.last() != Some(&item)
            {
                naming.push(item);
            }
        }
    }
    Arc::new(naming)
}

/// The aliases of a file that items name, and those that these name.
fn aliases_of(db: &dyn Db, file: SourceFile, items: &[ItemId]) -> Vec<ItemId> {
    let of_file = file_items(db, file);
    let mut aliases: FxHashMap<Arc<str>, Vec<ItemId>> = FxHashMap::default();
    for item in of_file.items.iter().copied() {
        if item.kind(db) == ItemKind::Alias {
            aliases.entry(item.name(db)).or_default().push(item);
        }
    }
    let places = of_file.items.iter().copied().zip(0_usize..);
    let places: FxHashMap<ItemId, usize> = places.collect();
    let mut found = IndexSet::new();
    let mut pending = items.to_vec();
    while let Some(item) = pending.pop() {
        let named: FxHashSet<ItemId> = words_of_text(&item_text(db, item).text)
            .filter_map(|word| aliases.get(word))
            .flatten()
            .copied()
            .collect();
        let mut named: Vec<ItemId> = named.into_iter().collect();
        // In the order of the file.
        named.sort_by_cached_key(|alias| places.get(alias));
        for alias in named {
            if found.insert(alias) {
                pending.push(alias);
            }
        }
    }
    found.into_iter().collect()
}

/// The functions of a file that name an item, or an alias of it, in their text.
pub(super) fn functions_naming(db: &dyn Db, item: ItemId) -> Vec<ItemId> {
    let naming = items_by_alias(db, item.file(db));
    let mut known = IndexSet::from([item]);
    let mut next = 0;
    let mut functions = IndexSet::new();
    while let Some(named) = known.get_index(next).copied() {
        next += 1;
        for other in naming.get(&named.name(db)).into_iter().flatten().copied() {
            if other.kind(db) == ItemKind::Alias {
                known.insert(other);
            } else {
                functions.extend(crate::items::functions_of(db, other));
            }
        }
    }
    functions.into_iter().collect()
}

/// The words of a text, each as often as it is there.
fn words_of_text(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

fn source_text(db: &dyn Db, span: Span) -> String {
    let text = item_text(db, span.item);
    let place = text.text.get(span.start as usize..span.end as usize);
    place.unwrap_or_default().to_owned()
}
