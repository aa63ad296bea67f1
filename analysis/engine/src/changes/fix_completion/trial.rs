//! A fix tried on the operations that it concerns, so that it costs the same in a kernel of ten operations and of a thousand.
//!
//! What is found of other operations is as before, and is not worded again. Where only iterations and packets of streams
//! change, nothing is derived again but the operations that hold them; where tensors change, what is between operations is
//! derived of the whole body, and the findings that come of it are found again. A fix whose finding could come of other
//! operations as well is not tried here. It does not know
//! what becomes of what it finds: that is [`fix_completion`](super).

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Asked, Key, Outlook, key};
use crate::derivation::partial::{PartialDerivation, between_operations};
use crate::derivation::{BodyDerivation, derive_changed, derive_operation, open_places};
use crate::items::Span;
use crate::kernel::{Body, Operation, OperationKind, Tier};
use crate::rules::{
    Checked, Edit, Families, Finding, Rule, as_each_family_finds, found_beside, put_at_uses,
};

use crate::changes::body::TrialBody;
use crate::changes::derived::DerivedAgain;
use crate::changes::values::values;

/// What comes of trying edits.
pub(super) enum Tried {
    /// They edit what the body does not hold as a value.
    Unread,
    /// What is found with them that may be new.
    Found(Outlook),
    /// More than the operations that they concern has to be looked at.
    ConcernsMore,
}

/// A body in which edits are tried one after the other.
pub(super) struct EditTrial<'a> {
    checked: &'a Checked<'a>,
    body: TrialBody,
    partial: PartialDerivation,
    /// The operations of which each finding comes that comes of single operations.
    operations: FxHashMap<Key, Vec<usize>>,
    /// The findings that come of something else.
    between: FxHashSet<Key>,
}

impl<'a> EditTrial<'a> {
    pub(super) fn of(checked: &'a Checked<'a>) -> Self {
        let whole = checked.derived.derivation();
        let mut trial = Self {
            checked,
            body: TrialBody::of(checked.body, &whole.memory, |_| true),
            partial: PartialDerivation::of(whole),
            operations: FxHashMap::default(),
            between: FxHashSet::default(),
        };
        trial.find_operations();
        trial.find_between();
        trial
    }

    /// Finds which findings come of which operation.
    fn find_operations(&mut self) {
        let Checked { body, .. } = *self.checked;
        let whole = self.checked.derived.derivation();
        let families = Families::of_operations();
        let mut found: Vec<Finding> = Vec::new();
        let mut ends: Vec<usize> = Vec::with_capacity(whole.operations.len());
        for (number, derived) in whole.operations.iter().enumerate() {
            self.partial.look_at(body, [(number, derived.clone())]);
            let derived = self.derived_again(body, self.partial.derivation());
            let only = [number];
            found.extend(as_each_family_finds(
                &self.looking(body, &derived, Some(&only)),
                families,
            ));
            ends.push(found.len());
        }
        put_at_uses(body, &mut found);
        let mut operation = 0;
        for (number, finding) in found.iter().enumerate() {
            while ends.get(operation).is_some_and(|end| *end <= number) {
                operation += 1;
            }
            let operations = self.operations.entry(key(finding)).or_default();
            if operations.last() != Some(&operation) {
                operations.push(operation);
            }
        }
    }

    /// Finds which findings come of something else than single operations.
    fn find_between(&mut self) {
        let Checked { body, .. } = *self.checked;
        let between = between_operations(body, self.checked.derived.derivation());
        let derived = self.derived_again(body, &between);
        let checked = self.looking(body, &derived, Some(&[]));
        let mut found = as_each_family_finds(&checked, Families::ALL.of_engines());
        put_at_uses(body, &mut found);
        self.between = found.iter().map(key).collect();
    }

    fn derived_again<'b>(
        &self,
        body: &'b Body,
        derivation: &'b BodyDerivation,
    ) -> DerivedAgain<'b> {
        DerivedAgain::of(body, derivation, self.checked)
    }

    fn looking<'b>(
        &'b self,
        body: &'b Body,
        derived: &'b DerivedAgain<'b>,
        only: Option<&'b [usize]>,
    ) -> Checked<'b> {
        Checked {
            body,
            derived,
            budget: None,
            only,
            ..*self.checked
        }
    }

    /// Tries edits. The body is as before afterwards.
    pub(super) fn outlook_after(&mut self, edits: &[Edit], asked: &Asked<'_>) -> Tried {
        let Some(values) = values(edits) else {
            return Tried::Unread;
        };
        let Some(change) = self.body.change(edits.iter().map(|edit| edit.span)) else {
            return Tried::Unread;
        };
        let original = self.checked.body;
        let written = self.body.make(&values, &change);
        let stays = |number: &usize| {
            let (old, new) = (&original.operations, &self.body.body().operations);
            let pair = old.get(*number).zip(new.get(*number));
            pair.is_some_and(|(old, new)| changes_streams_alone(old, new))
        };
        let is_at_host = |number: &usize| {
            let tensor = original.tensors.get(*number);
            tensor.is_none_or(|tensor| tensor.tier == Tier::Host)
        };
        let touched = &change.touched;
        let all_places = |told: &dyn Fn(&Key) -> bool| asked.places.iter().all(told);
        let tried = if written < values.len() {
            Tried::Unread
        } else if change.tensors.is_empty() && change.operations.iter().all(stays) {
            if all_places(&|place| self.comes_of(place, touched) && !self.between.contains(place)) {
                Tried::Found(self.of_streams(touched))
            } else {
                Tried::ConcernsMore
            }
        } else if !change.tensors.iter().any(is_at_host)
            && all_places(&|place| self.comes_of(place, touched))
        {
            Tried::Found(self.of_tensors(touched))
        } else {
            Tried::ConcernsMore
        };
        self.body.take_back(original, &change);
        tried
    }

    /// Whether a finding comes of these operations or of what is between operations, and of no other operation.
    fn comes_of(&self, place: &Key, operations: &[usize]) -> bool {
        let within = |own: &Vec<usize>| own.iter().all(|own| operations.binary_search(own).is_ok());
        let own = self.operations.get(place);
        own.map_or_else(|| self.between.contains(place), within)
    }

    /// Whether something is found at a place by other operations than these.
    fn is_found_elsewhere(&self, rule: &'static Rule, place: Span, operations: &[usize]) -> bool {
        let of = self.operations.get(&(rule, place)).into_iter().flatten();
        of.into_iter()
            .any(|own| operations.binary_search(own).is_err())
    }

    /// What is found where only iterations and packets of some operations' streams are others.
    fn of_streams(&mut self, operations: &[usize]) -> Outlook {
        let Checked { target, tried, .. } = *self.checked;
        let whole = self.checked.derived.derivation();
        tried.set(tried.get().saturating_add(1));
        let body = self.body.body();
        let derived = operations.iter().filter_map(|number| {
            let operation = body.operations.get(*number)?;
            Some((*number, derive_operation(body, operation, target)))
        });
        self.partial.look_at(body, derived.collect::<Vec<_>>());
        let derivation = self.partial.derivation();
        let is_less_clear = self.is_less_clear(derivation, operations);
        let again = self.derived_again(body, derivation);
        let checked = self.looking(body, &again, Some(operations));
        let found = found_beside(&checked, Families::of_operations(), |rule, place| {
            self.between.contains(&(rule, place))
                || self.is_found_elsewhere(rule, place, operations)
        });
        self.partial.take_back(whole, operations);
        Outlook {
            found,
            total: None,
            is_less_clear,
        }
    }

    /// What is found where tensors that some operations read or write are others.
    fn of_tensors(&self, operations: &[usize]) -> Outlook {
        let Checked { target, tried, .. } = *self.checked;
        tried.set(tried.get().saturating_add(1));
        let body = self.body.body();
        let whole = self.checked.derived.derivation();
        let derivation = derive_changed(body, target, whole, operations);
        let is_less_clear = self.is_less_clear(&derivation, operations);
        let again = self.derived_again(body, &derivation);
        let checked = self.looking(body, &again, Some(operations));
        let found = found_beside(&checked, Families::ALL.of_engines(), |rule, place| {
            self.is_found_elsewhere(rule, place, operations)
        });
        Outlook {
            found,
            total: None,
            is_less_clear,
        }
    }

    /// Whether the engines decide less of some operations than before.
    fn is_less_clear(&self, derivation: &BodyDerivation, operations: &[usize]) -> bool {
        let count = |body: &Body, derivation: &BodyDerivation| -> usize {
            let counts = operations.iter().map(|number| {
                let operation = body.operations.get(*number);
                let derived = operation.zip(derivation.operations.get(*number));
                derived.map_or(0, |(operation, derived)| open_places(operation, derived))
            });
            counts.sum()
        };
        let before = count(self.checked.body, self.checked.derived.derivation());
        count(self.body.body(), derivation) > before
    }
}

/// Whether two forms of an operation differ in iterations and packets of its streams at most: what chips, clusters and slices
/// hold, and what is known between operations, is the same then.
fn changes_streams_alone(old: &Operation, new: &Operation) -> bool {
    let (OperationKind::Pass(old), OperationKind::Pass(new)) = (&old.kind, &new.kind) else {
        return false;
    };
    let mut stages = old.stages.iter().zip(&new.stages);
    old.begin == new.begin
        && old.stages.len() == new.stages.len()
        && stages.all(|(old, new)| {
            let (before, after) = (&old.output, &new.output);
            old.kind == new.kind
                && (&before.chip, &before.cluster) == (&after.chip, &after.cluster)
                && (&before.slice, &before.row) == (&after.slice, &after.row)
        })
}
