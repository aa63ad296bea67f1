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
use crate::db::{AnalysisDatabase, Db, SourceFile};

/// The normalised text of one item.
#[salsa::input(debug)]
struct HeldText {
    #[returns(clone)]
    text: SourceText,
}

/// The items of a file with their texts.
pub struct HeldItems {
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
    /// The normalised text of an item of the file.
    pub(super) fn text(&self, db: &dyn Db, item: ItemId) -> Option<SourceText> {
        Some(self.texts.get(&item)?.text(db))
    }
}

/// Holds the items of a file as its text has them, which was just set. What did not change stays as it is. `first` is how durable
/// the items are of a file that is held for the first time: what becomes less durable than it was counts as changed.
pub fn hold(db: &mut AnalysisDatabase, file: SourceFile, first: Durability) {
    let held = file.held(db);
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
                    changed.push((source, text.clone()));
                }
            }
        }
    }
    let same = held.as_ref().is_some_and(|held| *held.items == items);
    for (source, text) in changed {
        source
            .set_text(db)
            .with_durability(Durability::LOW)
            .to(text);
    }
    if same {
        return;
    }
    let durability = match &held {
        Some(_) => Durability::LOW,
        None => first,
    };
    for (item, text) in added {
        let source = HeldText::builder(text).durability(durability);
        all.insert(item, source.new(db));
    }
    let items = Arc::new(items);
    let held = Some(Arc::new(HeldItems { items, texts: all }));
    file.set_held(db).to(held);
}
