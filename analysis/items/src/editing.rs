//! Typing into files: texts replaced one edit at a time, with the tree and the items of the old one kept where they stay.
//!
//! It knows which items of a file are pinned, and how durable; it knows nothing of what their texts mean.

use std::sync::Arc;

use salsa::{Durability, Setter};

use super::held::pin;
use super::macros::macros_of_all;
use crate::conditions::PackageFeatures;
use crate::db::AnalysisDatabase;
use crate::inputs::{FileCfg, Project, ProjectSettings, SourceFile, parse, syntax_error_count};

/// Typing into the files of a database.
pub trait Typing {
    /// Tells a project with these packages and options all its other settings.
    fn set_settings(&mut self, settings: &ProjectSettings);

    /// Sets the features of packages, and what the settings say of conditions in files.
    fn set_conditions(&mut self, features: Vec<PackageFeatures>, cfg: FileCfg);

    /// Brings the items that are held up to date with what is not their own file's text: macros of other files, whose expansions
    /// they hold, and the files and packages that there are.
    ///
    /// Returns the bytes of text that are out of use since, as [`Self::set_text`] does.
    fn hold_anew(&mut self, but: Option<SourceFile>) -> usize;

    /// Prepares a file for being typed into. Its items change more often than other files, so that the first edit of one of them
    /// has nothing of other files looked through; what they decide is worked out once more.
    fn open(&mut self, file: SourceFile);

    /// Whether a file was prepared for being typed into.
    fn is_open(&self, file: SourceFile) -> bool;

    /// Replaces the text of one file that is typed into, and shares the new one. Where the new one differs inside one function only,
    /// its tree is made of the old one.
    ///
    /// Returns the bytes of text that are out of use while what was worked out of them stays in the database: items whose names are
    /// gone, and what was replaced in others, with the names in it. None of remarks.
    fn set_text(&mut self, file: SourceFile, text: Arc<str>) -> usize;
}

impl Typing for AnalysisDatabase {
    fn set_settings(&mut self, settings: &ProjectSettings) {
        self.set_file_options(settings.file_options.clone());
        self.set_budgets(settings.budgets.clone());
        self.set_enabled_rules(&settings.enabled);
        self.set_conditions(settings.features.clone(), settings.cfg.clone());
        self.set_manifests(&settings.manifests);
    }

    fn set_conditions(&mut self, features: Vec<PackageFeatures>, cfg: FileCfg) {
        let Some(project) = Project::try_get(self) else {
            return;
        };
        if *project.features(self) == *features && *project.cfg(self) == cfg {
            return;
        }
        project.set_features(self).to(features.into());
        project.set_cfg(self).to(Arc::new(cfg));
        // The items that are held are those that other conditions left.
        self.hold_anew(None);
    }

    fn hold_anew(&mut self, but: Option<SourceFile>) -> usize {
        let Some(project) = Project::try_get(self) else {
            return 0;
        };
        let files = project.files(self);
        let held = files.values().copied();
        let held: Vec<SourceFile> = held
            .filter(|file| Some(*file) != but && file.pinned(self).is_some())
            .collect();
        let left = held.into_iter().filter_map(|file| {
            // What changed is as little durable as what is typed.
            let left = pin(self, file, Durability::HIGH)?;
            Some(left + DISUSED_BY_EDIT)
        });
        left.sum()
    }

    fn open(&mut self, file: SourceFile) {
        if !self.is_open(file) {
            pin(self, file, Durability::MEDIUM);
        }
    }

    fn is_open(&self, file: SourceFile) -> bool {
        file.pinned(self).is_some()
    }

    fn set_text(&mut self, file: SourceFile, text: Arc<str>) -> usize {
        let old = file.text(self);
        let known = self.is_open(file);
        // Which macros the calls in other files mean is decided by these words alone.
        let decides = |text: &str| text.contains("macro_rules") || text.contains("mod ");
        let macros = (decides(&old) || decides(&text)).then(|| macros_of_all(self));
        let (start, end, insert) = changed_bytes(&old, &text);
        let tree = u32::try_from(start).ok().zip(u32::try_from(end).ok());
        let tree = tree.and_then(|(start, end)| {
            let errors = syntax_error_count(self, file);
            parse(self, file).edited(errors, start, end, insert)
        });
        file.set_text(self)
            .with_durability(Durability::LOW)
            .to(text);
        if tree.is_some() || file.tree(self).is_some() {
            file.set_tree(self)
                .with_durability(Durability::LOW)
                .to(tree);
        }
        // As durable as the file was: what its other items decide stays at hand.
        let left = pin(self, file, Durability::HIGH);
        let left = match left {
            Some(left) if known => left + (end - start) + DISUSED_BY_EDIT,
            // Of a file that was not pinned the earlier items are unknown.
            Some(_) => old.len() + DISUSED_BY_EDIT,
            None => 0,
        };
        // Other files hold what macros stood for that are others now.
        match macros {
            Some(macros) if macros_of_all(self) != macros => left + self.hold_anew(Some(file)),
            _ => left,
        }
    }
}

/// Bytes that an edit of an item takes out of use at least: a name that was looked up and will not be again.
pub const DISUSED_BY_EDIT: usize = 16;

/// Bytes that are compared at once.
const CHUNK_BYTES: usize = 256;

/// How many bytes two texts share from an end: as chunks from there, and as the pairs of bytes behind a number of them.
fn same_bytes<'a, Pairs: Iterator<Item = (u8, u8)>>(
    one: impl Iterator<Item = &'a [u8]>,
    other: impl Iterator<Item = &'a [u8]>,
    behind: impl Fn(usize) -> Pairs,
) -> usize {
    let chunks = one.zip(other).take_while(|(one, other)| one == other);
    let whole = chunks.count() * CHUNK_BYTES;
    let pairs = behind(whole).take_while(|(one, other)| one == other);
    whole + pairs.count()
}

/// The bytes of the old text that the new one replaces, and what is there in it.
fn changed_bytes<'a>(old: &str, new: &'a str) -> (usize, usize, &'a str) {
    let mut start = same_bytes(
        old.as_bytes().chunks_exact(CHUNK_BYTES),
        new.as_bytes().chunks_exact(CHUNK_BYTES),
        |from| old.bytes().skip(from).zip(new.bytes().skip(from)),
    );
    while !old.is_char_boundary(start) || !new.is_char_boundary(start) {
        start -= 1;
    }
    let rest = |text: &str| text.len() - start;
    let most = rest(old).min(rest(new));
    let equal = same_bytes(
        old.as_bytes().rchunks_exact(CHUNK_BYTES),
        new.as_bytes().rchunks_exact(CHUNK_BYTES),
        |from| {
            let ends = old.bytes().rev().skip(from);
            ends.zip(new.bytes().rev().skip(from))
        },
    );
    let mut equal = equal.min(most);
    while !old.is_char_boundary(old.len() - equal) || !new.is_char_boundary(new.len() - equal) {
        equal -= 1;
    }
    let insert = new.get(start..new.len() - equal).unwrap_or("");
    (start, old.len() - equal, insert)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::changed_bytes;

    proptest! {
        #[test]
        fn a_difference_is_what_single_bytes_say(
            before in "[aé]{0,400}", old in "[aéb]{0,4}", new in "[aéb]{0,4}", after in "[aé]{0,400}",
        ) {
            let [old, new] = [old, new].map(|text| format!("{before}{text}{after}"));
            let (start, end, insert) = changed_bytes(&old, &new);
            prop_assert_eq!(format!("{}{insert}{}", &old[..start], &old[end..]), &*new);
            // Neither side can be longer: characters differ there, or one of the texts is used up.
            let inside = [&old[start..end], insert];
            if inside.iter().all(|text| !text.is_empty()) {
                prop_assert_ne!(inside[0].chars().next(), inside[1].chars().next());
                prop_assert_ne!(inside[0].chars().next_back(), inside[1].chars().next_back());
            }
        }
    }
}
