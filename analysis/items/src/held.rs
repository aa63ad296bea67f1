//! The items of a file that is typed into, as inputs of their own.
//!
//! What an item's text decides is asked again after each change of what it was read from. Texts that are cut out of the
//! file are read from all of it, so that a keystroke has everything that the file's items decide looked through, and
//! everything in other files that looks at one of them. Texts that are held change alone: the others keep a durability that
//! the keystroke does not touch, and what they decide is passed over at once.

#![allow(
    missing_docs,
    reason = "salsa generates undocumented constructors and setters"
)]

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use salsa::{Durability, Setter};

use super::file::{FileItems, SourceText, file_texts};
use super::ids::ItemId;
use super::scopes::{LocalItem, block_scopes};
use crate::db::{AnalysisDatabase, Db};
use crate::inputs::{Attachment, SourceFile};

/// The normalised text of one item.
#[salsa::input(debug)]
struct HeldText {
    #[returns(clone)]
    text: SourceText,
}

/// The items of a file with their texts.
pub(super) struct HeldItems {
    /// The items.
    pub items: Arc<FileItems>,
    texts: FxHashMap<ItemId, HeldText>,
}

/// Without the items: each would show its file, which shows this.
impl fmt::Debug for HeldItems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HeldItems").finish_non_exhaustive()
    }
}

impl HeldItems {
    /// The bytes of normalised text of the items of modules that the file had and has no more.
    fn left_bytes(&self, db: &dyn Db, now: &FxHashMap<ItemId, HeldText>) -> usize {
        let gone = self
            .texts
            .iter()
            .filter(|(item, _)| !now.contains_key(item));
        gone.map(|(_, source)| source.text(db).text.len()).sum()
    }

    /// The normalised text of an item of the file.
    pub(super) fn text(&self, db: &dyn Db, item: ItemId) -> Option<SourceText> {
        Some(self.texts.get(&item)?.text(db))
    }
}

/// The items of a file that is typed into.
pub(super) fn pinned_items(db: &dyn Db, file: SourceFile) -> Option<Arc<HeldItems>> {
    file.pinned(db)?.get()
}

/// Pins the items of a file as its text has them, which was just set. What did not change stays as it is. `first` is how durable
/// the items are of a file that is held for the first time: what becomes less durable than it was counts as changed.
///
/// Returns the bytes of text of the items that are gone, none if no item is another than before. What was worked out of items
/// that are gone stays in the database, which keeps an item's name for ever, and all that is known by it.
pub(super) fn pin(db: &mut AnalysisDatabase, file: SourceFile, first: Durability) -> Option<usize> {
    let held = pinned_items(db, file);
    let known = |item: &ItemId| held.as_ref()?.texts.get(item).copied();
    let (items, texts) = file_texts(db, file);
    let mut all = FxHashMap::default();
    let (mut changed, mut added) = (Vec::new(), Vec::new());
    for (item, text) in texts {
        match known(item) {
            None => added.push((*item, text.clone())),
            Some(source) => {
                all.insert(*item, source);
                if source.text(db) != *text {
                    changed.push((*item, source, text.clone()));
                }
            }
        }
    }
    let same = held.as_ref().is_some_and(|held| *held.items == items);
    if same && changed.is_empty() {
        return None;
    }
    let mut left = held.as_ref().map_or(0, |held| held.left_bytes(db, &all));
    let mut locals = Vec::new();
    for (item, source, text) in changed {
        let scopes = block_scopes(db, item);
        if !scopes.locals.is_empty() {
            locals.push((item, scopes));
        }
        source
            .set_text(db)
            .with_durability(Durability::LOW)
            .to(text);
    }
    if !same {
        let durability = match &held {
            Some(_) => Durability::LOW,
            None => first,
        };
        for (item, text) in added {
            let source = HeldText::builder(text).durability(durability);
            all.insert(item, source.new(db));
        }
        let items = Arc::new(items);
        let held = Attachment::new(HeldItems { items, texts: all });
        file.set_pinned(db).to(Some(held));
    }
    for (item, before) in locals {
        let now = block_scopes(db, item);
        let gone = before
            .locals
            .iter()
            .filter(|local| now.local_item(local.id).is_none());
        left += gone.map(LocalItem::bytes).sum::<usize>();
    }
    Some(left)
}
