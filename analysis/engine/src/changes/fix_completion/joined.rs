//! Edits of several fixes made at once: each place is edited once, and none overlaps another.
//!
//! Knows places and texts; what the edits lead to is judged by [`fix_completion`](super).

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::items::{ItemId, Span};
use crate::rules::{Applicability, Edit, Finding, Rule};

/// The edits of several fixes, each place once.
#[derive(Clone, Default)]
pub(super) struct Joined {
    /// In the order in which they were added.
    pub(super) list: Vec<Edit>,
    /// The number of the edit at a place.
    pub(super) places: FxHashMap<Span, usize>,
    /// The ends of the places of an item by their starts and ends.
    taken: FxHashMap<ItemId, BTreeSet<(u32, u32)>>,
}

impl Joined {
    /// Adds edits; one at a place that is edited already replaces what is written there. `None` where they overlap
    /// otherwise, or where nothing changes.
    pub(super) fn add(&mut self, edits: &[Edit]) -> Option<()> {
        let mut changes = false;
        for edit in edits {
            if let Some(other) = self.places.get(&edit.span) {
                let other = self.list.get_mut(*other)?;
                changes |= other != edit;
                other.clone_from(edit);
                continue;
            }
            let (start, end) = (edit.span.start, edit.span.end);
            let taken = self.taken.entry(edit.span.item).or_default();
            let before = taken.range(..(start, end)).next_back();
            let after = taken.range((start, end)..).next();
            if before.is_some_and(|(_, other)| *other > start)
                || after.is_some_and(|(other, _)| *other < end)
            {
                return None;
            }
            taken.insert((start, end));
            self.places.insert(edit.span, self.list.len());
            self.list.push(edit.clone());
            changes = true;
        }
        changes.then_some(())
    }

    pub(super) fn with_edits(&self, edits: &[Edit]) -> Option<Self> {
        let mut joined = self.clone();
        joined.add(edits)?;
        Some(joined)
    }

    /// The edits with those that mend what is new: of one fix the first that can be added, of several those of all
    /// findings of a rule. Whether they are all sure; `None` where there is nothing to add.
    pub(super) fn next(&self, new: &[&Finding], alone: bool) -> Option<(Self, bool)> {
        let mut next: Option<(Self, bool, &Rule)> = None;
        for finding in new {
            match &mut next {
                None => {
                    next = finding.fixes.iter().find_map(|fix| {
                        let sure = fix.applicability == Applicability::Machine;
                        Some((self.with_edits(&fix.edits)?, sure, finding.rule))
                    });
                }
                Some((joined, sure, rule)) if *rule == finding.rule => {
                    let added = finding.fixes.iter().find(|fix| {
                        joined.is_apart(&fix.edits) && joined.add(&fix.edits).is_some()
                    });
                    *sure &= added.is_none_or(|fix| fix.applicability == Applicability::Machine);
                }
                Some(_) => {}
            }
            if alone && next.is_some() {
                break;
            }
        }
        next.map(|(joined, sure, _)| (joined, sure))
    }

    /// Whether edits overlap none of these, other than at the same place.
    fn is_apart(&self, edits: &[Edit]) -> bool {
        edits.iter().all(|edit| {
            let (start, end) = (edit.span.start, edit.span.end);
            let Some(taken) = self.taken.get(&edit.span.item) else {
                return true;
            };
            let before = taken.range(..(start, end)).next_back();
            let after = taken.range((start, end)..).next();
            self.places.contains_key(&edit.span)
                || (before.is_none_or(|(_, other)| *other <= start)
                    && after.is_none_or(|(other, _)| end <= *other))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Joined;
    use crate::items::Span;
    use crate::rules::Edit;
    use crate::testing::span;

    fn edit(start: u32, end: u32, text: &str) -> Edit {
        let place = Span {
            start,
            end,
            ..span(1)
        };
        Edit::new(place, text)
    }

    fn texts(joined: &Joined) -> Vec<&str> {
        joined.list.iter().map(|edit| edit.text.as_str()).collect()
    }

    #[test]
    fn edits_are_joined_where_they_are_apart_or_at_the_same_place() {
        let mut joined = Joined::default();
        assert_eq!(
            joined.add(&[edit(10, 20, "a"), edit(30, 40, "b")]),
            Some(())
        );
        // Neighbours share no byte; the same place is written again; the same text changes nothing.
        assert_eq!(
            joined.add(&[edit(20, 30, "c"), edit(10, 20, "d")]),
            Some(())
        );
        assert_eq!(texts(&joined), ["d", "b", "c"]);
        assert_eq!(joined.add(&[edit(30, 40, "b")]), None);
        for (start, end) in [(5, 11), (19, 21), (12, 15), (5, 45), (39, 50)] {
            assert!(!joined.is_apart(&[edit(start, end, "x")]), "{start}..{end}");
            assert!(joined.with_edits(&[edit(start, end, "x")]).is_none());
        }
        assert!(joined.is_apart(&[edit(40, 50, "x"), edit(0, 10, "y")]));
        assert_eq!(texts(&joined), ["d", "b", "c"]);
    }
}
