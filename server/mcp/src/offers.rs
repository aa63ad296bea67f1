//! Changes that tools have offered, under short names, until they are asked for.
//!
//! An offer holds for the texts that it was made for. Where one of them is another by now, it is refused: its places may be wrong.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, VecDeque};
use std::hash::{Hash, Hasher};

use visa_analysis::{Analysis, FileEdit};

use super::places::Root;

/// Offers that are kept; the oldest go first.
const KEPT: usize = 2_000;

/// A change that was offered.
#[derive(Debug, Clone)]
pub(super) struct Offer {
    pub(super) title: String,
    pub(super) edits: Vec<FileEdit>,
    /// What the texts were, by the engine's path.
    texts: Vec<(String, u64)>,
}

impl Offer {
    /// The files that it changes.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|(path, _)| path.as_str())
    }

    /// Whether the texts are still those that it was made for.
    pub(super) fn still_holds(&self, analysis: &Analysis) -> bool {
        self.texts.iter().all(|(path, known)| {
            let text = analysis.text(path);
            text.is_ok_and(|text| hash_of(&text) == *known)
        })
    }
}

/// The offers of a session.
#[derive(Debug, Default)]
pub(super) struct Offers {
    by_name: HashMap<String, Offer>,
    order: VecDeque<String>,
}

impl Offers {
    /// Keeps an offer; its name. The same change of the same texts has the same name.
    pub(super) fn keep_offer(
        &mut self,
        root: &Root,
        analysis: &Analysis,
        title: &str,
        edits: &[FileEdit],
    ) -> Option<String> {
        let mut files: Vec<&str> = edits.iter().map(|edit| &*edit.file).collect();
        files.sort_unstable();
        files.dedup();
        // What would change a file outside of the workspace is not offered.
        if !files.iter().all(|file| root.ends_inside(file.as_ref())) {
            return None;
        }
        let texts = files
            .into_iter()
            .map(|file| Some((file.to_owned(), hash_of(&analysis.text(file).ok()?))));
        let texts: Vec<(String, u64)> = texts.collect::<Option<_>>()?;
        let mut hasher = DefaultHasher::new();
        title.hash(&mut hasher);
        for edit in edits {
            let place = (root.shown_path(&edit.file), edit.start_byte, edit.end_byte);
            (place, &edit.text).hash(&mut hasher);
        }
        for (_, text) in &texts {
            text.hash(&mut hasher);
        }
        let name = format!("f{:08x}", hasher.finish() >> 32);
        let offer = Offer {
            title: title.to_owned(),
            edits: edits.to_vec(),
            texts,
        };
        if self.by_name.insert(name.clone(), offer).is_none() {
            self.order.push_back(name.clone());
        }
        while self.order.len() > KEPT {
            if let Some(oldest) = self.order.pop_front() {
                self.by_name.remove(&oldest);
            }
        }
        Some(name)
    }

    /// The offer of a name.
    pub(super) fn get(&self, name: &str) -> Option<Offer> {
        self.by_name.get(name).cloned()
    }
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
