//! Fixes made whole, for one fix or for many at once: what they bring along behind them is mended with them.
//!
//! A rule proposes the repair of one place. What follows from it (the collect behind a padded packet, the element behind a
//! collect, an address behind an element that grew) is found by asking the rules again about the body with the repair
//! made, and mended by the fixes of what they then find, until nothing new is found. It is worked out when the fix is asked
//! for, never by a check. Knows mappings, addresses and numbers where the body holds them; a fix that edits
//! anything else (the name of a method, an attribute) is left as its rule made it.

mod joined;
mod trial;
#[cfg(test)]
mod trial_tests;

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};

use rustc_hash::{FxHashMap, FxHashSet};

use self::joined::Joined;
use self::trial::{EditTrial, Tried};

use super::closed::ALTERNATIVE_LIMIT;
use super::derived::DerivedAgain;
use super::reach::Reach;
use super::values::{places, with_edits, with_mappings};
use crate::derivation::{derive_body, undecided};
use crate::items::Span;
use crate::kernel::Body;
use crate::mapping::Mapping;
use crate::rules::{
    Alternative, Alternatives, Applicability, Checked, CostChange, Derived, Edit, FOLLOWING,
    Families, Finding, Fix, Level, Rule, found_beside, found_by_families, groups_of_causes,
    names_in_code,
};

/// How often the rules are asked again about a fix. What goes on and on is no repair.
const ROUND_LIMIT: usize = 8;

/// As [`ROUND_LIMIT`], where many fixes are made at once: in a round the findings of one rule are mended.
const ROUND_LIMIT_TOGETHER: usize = 24;

/// Promised cycles are rounded by one part in so many.
const ROUNDED: u64 = 100;

/// The place of a fix: the finding's number and the fix's number in it.
pub type Seed = (usize, usize);

/// What comes of several fixes that are made together.
#[derive(Debug)]
pub struct Together {
    /// Which fixes, by their place in the list.
    pub(crate) of: Vec<usize>,
    /// The one that makes them all, with what they need behind them.
    pub(crate) fix: Fix,
}

/// What becomes of a fix.
#[derive(Clone)]
enum Outcome {
    /// It edits what the body does not hold as a value.
    Unread,
    /// The finding is gone afterwards and nothing as severe is new.
    Mends(Vec<Edit>, Applicability),
    /// The finding is gone, and something else is there that no fix mends.
    BringsAlong,
    /// The finding is gone, and what is refused is there instead.
    Breaks,
    /// The finding is still there.
    MendsNothing,
}

type Key = (&'static Rule, Span);

fn key(finding: &Finding) -> Key {
    (finding.rule, finding.span)
}

/// Completes the fixes and the alternatives of the wanted ones among all findings of a body, each for itself, and drops the
/// other findings. Fixes that do not mend their finding are dropped.
pub fn complete_each(
    checked: &Checked<'_>,
    findings: &mut Vec<Finding>,
    is_wanted: impl Fn(&Finding) -> bool,
) {
    let completion = FixCompletion::of(checked, findings);
    let places = places_of_causes(findings);
    findings.retain(is_wanted);
    for finding in findings {
        let own = [key(finding)];
        let places = places.get(&own[0]).map_or(&own[..], Vec::as_slice);
        completion.complete(finding, places);
    }
}

/// Completes one fix. `None` where it does not mend its finding, or where something is refused behind it.
pub fn complete_one(checked: &Checked<'_>, findings: &[Finding], seed: Seed) -> Option<Fix> {
    let finding = findings.get(seed.0)?;
    let fix = finding.fixes.get(seed.1)?;
    let completion = FixCompletion::of(checked, findings);
    let mut alone = Finding {
        fixes: vec![fix.clone()],
        alternatives: None,
        ..finding.clone()
    };
    let places = places_of_causes(findings).remove(&key(finding));
    completion.complete(&mut alone, &places.unwrap_or_else(|| vec![key(finding)]));
    alone.fixes.pop()
}

/// Completes fixes of several findings that are made together: all at once if that works, else those that do.
///
/// What is not among the answers leads to no kernel that is right. `trusted` says which fixes may be taken; what a fix brings
/// along may be less sure than itself.
pub fn complete_together(
    checked: &Checked<'_>,
    findings: &[Finding],
    seeds: &[Seed],
    trusted: impl Fn(&Fix) -> bool,
) -> Vec<Together> {
    let completion = FixCompletion::of(checked, findings);
    let held = places(checked.body);
    let places = places_of_causes(findings);
    let mut done = Vec::new();
    let mut pending = Vec::new();
    for (number, (finding, fix)) in seeds.iter().enumerate() {
        let Some(finding) = findings.get(*finding) else {
            continue;
        };
        let Some(fix) = finding.fixes.get(*fix) else {
            continue;
        };
        let own = vec![key(finding)];
        let places = places.get(&key(finding)).cloned().unwrap_or(own);
        // Of each fix alone a body of its own would be made.
        let mut edits = fix.edits.iter();
        if edits.all(|edit| edit.value.is_some() && held.contains(&edit.span)) {
            pending.push(Seeded {
                number,
                finding,
                fix,
                places,
            });
        } else {
            done.push(Together {
                of: vec![number],
                fix: fix.clone(),
            });
        }
    }
    let mut batches = vec![pending];
    while let Some(mut batch) = batches.pop() {
        if batch.is_empty() {
            continue;
        }
        let made = match completion.batch(&batch) {
            Outcome::Mends(edits, applicability) => Some(Fix {
                title: String::new(),
                applicability,
                edits,
                cost: None,
            }),
            Outcome::Unread if batch.len() == 1 => batch.first().map(|seeded| seeded.fix.clone()),
            Outcome::BringsAlong if batch.len() == 1 => batch.first().map(|seeded| Fix {
                applicability: Applicability::Maybe,
                ..seeded.fix.clone()
            }),
            _ => None,
        };
        if let Some(fix) = made.filter(&trusted) {
            let of = batch.iter().map(|seeded| seeded.number).collect();
            done.push(Together { of, fix });
        } else if batch.len() > 1 {
            let second = batch.split_off(batch.len() / 2);
            batches.push(second);
            batches.push(batch);
        }
    }
    done
}

/// One of several fixes that are made together.
struct Seeded<'a> {
    number: usize,
    finding: &'a Finding,
    fix: &'a Fix,
    places: Vec<Key>,
}

/// The places of findings that come from the same, by the first of them: a fix mends them all.
fn places_of_causes(findings: &[Finding]) -> FxHashMap<Key, Vec<Key>> {
    let groups = groups_of_causes(findings).into_iter();
    let keys = groups.filter_map(|members| {
        let members = members.iter().filter_map(|member| findings.get(*member));
        let keys: Vec<Key> = members.map(key).collect();
        Some((*keys.first()?, keys))
    });
    keys.collect()
}

/// The edits of a change that mends no finding, with what follows from them. `None` if they edit what the body does not hold
/// as a value, if callers would see the change, or if something is found afterwards that was not before and that nothing
/// mends.
pub fn completed_change(checked: &Checked<'_>, edits: &[Edit]) -> Option<Vec<Edit>> {
    let completion = FixCompletion::of(checked, &found_by_families(checked));
    let asked = Asked::all();
    let mut joined = Joined::default();
    joined.add(edits)?;
    for _ in 0..ROUND_LIMIT {
        let body = completion.changed(&joined.list)?;
        let Outlook {
            found,
            is_less_clear,
            ..
        } = completion.found_in(&body, &asked);
        if is_less_clear {
            return None;
        }
        let new = |other: &&Finding| completion.is_new(other) && other.level() >= Level::Warn;
        let mut new = found.iter().filter(new).peekable();
        if new.peek().is_none() {
            return (!completion.reach.writes_where_seen(&joined.list)).then_some(joined.list);
        }
        joined = new
            .flat_map(|other| &other.fixes)
            .filter_map(|next| joined.with_edits(&next.edits))
            .find(|joined| edits.iter().all(|edit| joined.list.contains(edit)))?;
    }
    None
}

/// Whether nothing is refused with these mappings at their places that was not before. Places that the body does not hold do
/// not concern it.
pub fn breaks_nothing(checked: &Checked<'_>, mappings: &[(Span, Mapping)]) -> bool {
    let Some(body) = with_mappings(checked.body, mappings) else {
        // Where operations are not understood, the mapping may be theirs: what the repair does to them is not known.
        return checked.body.unresolved.is_empty() && checked.body.incomplete.is_empty();
    };
    let known = found_by_families(checked);
    let completion = FixCompletion::of(checked, &known);
    let Outlook {
        found,
        is_less_clear,
        ..
    } = completion.found_in(&body, &Asked::at(Level::Deny));
    if is_less_clear {
        return false;
    }
    // What is refused already has to be changed anyway: more that is wrong there comes of it, not of the mappings.
    let denied = known.iter().filter(|other| other.level() == Level::Deny);
    let open: FxHashSet<Span> = denied.map(|other| other.span).collect();
    let refused = |other: &Finding| other.level() == Level::Deny && completion.is_new(other);
    !found
        .iter()
        .any(|other| refused(other) && !open.contains(&other.span))
}

/// What is known of a body before something is changed in it.
struct FixCompletion<'a> {
    checked: &'a Checked<'a>,
    reach: Reach,
    known: FxHashSet<Key>,
    /// Operations that the engines could not decide.
    undecided: usize,
    /// A copy of the body that fixes are tried in, made for the first of them.
    trial: OnceCell<RefCell<EditTrial<'a>>>,
}

/// What is asked of a changed body.
struct Asked<'a> {
    /// The families that may answer.
    families: Families,
    /// The findings that have to be gone.
    places: Cow<'a, FxHashSet<Key>>,
    /// Whether its cycles are asked for.
    cycles: bool,
}

impl<'a> Asked<'a> {
    /// What is found in it at a level or above it, and of findings that have to be gone.
    fn about(level: Level, places: &'a FxHashSet<Key>, cycles: bool) -> Self {
        let rules = places.iter().map(|(rule, _)| *rule).collect();
        Self {
            families: Families::that_may_find(level, &rules),
            places: Cow::Borrowed(places),
            cycles,
        }
    }

    /// All that is found in it.
    fn all() -> Self {
        Self {
            families: Families::ALL,
            places: Cow::default(),
            cycles: true,
        }
    }

    /// What is found in it at a level or above it.
    fn at(level: Level) -> Self {
        Self {
            families: Families::that_may_find(level, &FxHashSet::default()),
            places: Cow::default(),
            cycles: false,
        }
    }

    /// Whether a fix can be told from the operations that it concerns: cycles are of the whole body.
    fn is_of_operations(&self) -> bool {
        !self.cycles && self.families.of_time().is_empty()
    }
}

/// What is known of a changed body.
struct Outlook {
    found: Vec<Finding>,
    /// Its cycles, if they are asked for.
    total: Option<u64>,
    /// Whether the engines decide less of it than of the body as it is: what they cannot decide, no rule judges.
    is_less_clear: bool,
}

impl<'a> FixCompletion<'a> {
    fn of(checked: &'a Checked<'a>, findings: &[Finding]) -> Self {
        Self {
            checked,
            reach: Reach::of(checked.body),
            known: findings.iter().map(key).collect(),
            undecided: undecided(checked.body, checked.derived.derivation()).len(),
            trial: OnceCell::new(),
        }
    }

    /// Completes the fixes and the alternatives of a finding that is at some places.
    fn complete(&self, finding: &mut Finding, places: &[Key]) {
        let fixes = std::mem::take(&mut finding.fixes);
        let mut followed = Vec::new();
        let mut whole = Vec::new();
        let mut partial = Vec::new();
        for fix in fixes {
            let outcome = self.follow(finding, places, &fix);
            followed.push((fix.edits.clone(), outcome.clone()));
            match outcome {
                Outcome::Unread => whole.push(fix),
                Outcome::Mends(edits, applicability) => {
                    whole.push(self.costed(completed(fix, edits, applicability)));
                }
                Outcome::BringsAlong => partial.push(self.costed(Fix {
                    applicability: Applicability::Maybe,
                    ..fix
                })),
                Outcome::Breaks | Outcome::MendsNothing => {}
            }
        }
        // What leaves something to do is worth a proposal only where nothing else is there.
        if whole.is_empty() {
            whole = partial;
        }
        // What makes the kernel slower is not offered first.
        whole.sort_by_key(|fix| fix.cost.is_some_and(CostChange::is_slower));
        finding.fixes = whole;
        self.complete_alternatives(finding, places, &mut followed);
    }

    /// Keeps the alternatives that mend the finding and break nothing, with what follows from each. `followed` holds what
    /// is known already, by the edits.
    fn complete_alternatives(
        &self,
        finding: &mut Finding,
        places: &[Key],
        followed: &mut Vec<(Vec<Edit>, Outcome)>,
    ) {
        let Some(Alternatives { lead, list }) = finding.alternatives.take() else {
            return;
        };
        let mut alone = Vec::new();
        let mut with_others = Vec::new();
        for alternative in list.into_iter().take(ALTERNATIVE_LIMIT) {
            let known = followed
                .iter()
                .find(|(edits, _)| *edits == alternative.edits)
                .map(|(_, outcome)| outcome.clone());
            let outcome = known.unwrap_or_else(|| {
                let fix = Fix {
                    title: String::new(),
                    applicability: Applicability::Maybe,
                    edits: alternative.edits.clone(),
                    cost: None,
                };
                let outcome = self.follow(finding, places, &fix);
                followed.push((fix.edits, outcome.clone()));
                outcome
            });
            match outcome {
                Outcome::Unread => alone.push(alternative),
                Outcome::Mends(edits, _) => {
                    let few = edits.len() == alternative.edits.len();
                    let list = if few { &mut alone } else { &mut with_others };
                    list.push(with_what_follows(alternative, edits));
                }
                Outcome::BringsAlong | Outcome::Breaks | Outcome::MendsNothing => {}
            }
        }
        // Of several, those that need no other change are enough.
        if alone.len() < 2 {
            with_others.truncate(1);
            alone.append(&mut with_others);
        }
        if !alone.is_empty() {
            finding.alternatives = Some(Alternatives { lead, list: alone });
        }
    }

    /// Follows a fix of a finding that is at some places, all of which it has to mend.
    fn follow(&self, finding: &Finding, places: &[Key], fix: &Fix) -> Outcome {
        self.batch(&[Seeded {
            number: 0,
            finding,
            fix,
            places: places.to_vec(),
        }])
    }

    /// Follows several fixes that are made at once; what holds of one has to hold of all.
    fn batch(&self, seeds: &[Seeded<'_>]) -> Outcome {
        let alone = seeds.len() == 1;
        let places: FxHashSet<Key> = seeds
            .iter()
            .flat_map(|seeded| &seeded.places)
            .copied()
            .collect();
        let rules: FxHashSet<&Rule> = seeds.iter().map(|seeded| seeded.finding.rule).collect();
        let least = seeds.iter().map(|seeded| seeded.finding.level()).min();
        let cycles = seeds.iter().any(|seeded| promises(seeded.finding));
        let asked = Asked::about(least.unwrap_or(Level::Allow), &places, cycles);
        let sure = |fix: &Fix| fix.applicability == Applicability::Machine;
        let mut sure_of_all = seeds.iter().all(|seeded| sure(seeded.fix));
        let mut joined = Joined::default();
        for seeded in seeds {
            if joined.add(&seeded.fix.edits).is_none() {
                return Outcome::Breaks;
            }
        }
        let limit = if alone {
            ROUND_LIMIT
        } else {
            ROUND_LIMIT_TOGETHER
        };
        for _ in 0..limit {
            let Some(outlook) = self.outlook(&joined.list, &asked) else {
                return Outcome::Unread;
            };
            let Outlook {
                found,
                total,
                is_less_clear,
            } = outlook;
            if is_less_clear {
                return Outcome::Breaks;
            }
            let here = |other: &Finding| {
                places.contains(&key(other))
                    || (rules.contains(other.rule)
                        && self.is_new(other)
                        && joined.places.contains_key(&other.span))
            };
            if found.iter().any(here) {
                return Outcome::MendsNothing;
            }
            let new = found
                .iter()
                .filter(|other| self.is_new(other) && Some(other.level()) >= least);
            let new: Vec<&Finding> = new.collect();
            if new.is_empty() {
                if !seeds.iter().all(|seeded| holds(seeded.finding, total)) {
                    return Outcome::MendsNothing;
                }
                let sure = sure_of_all && !self.reach.writes_where_seen(&joined.list);
                let applicability = if sure {
                    Applicability::Machine
                } else {
                    Applicability::Maybe
                };
                return Outcome::Mends(joined.list, applicability);
            }
            match joined.next(&new, alone) {
                Some((next, sure)) => {
                    joined = next;
                    sure_of_all &= sure;
                }
                None if new.iter().any(|other| other.level() == Level::Deny) => {
                    return Outcome::Breaks;
                }
                None => return Outcome::BringsAlong,
            }
        }
        Outcome::Breaks
    }

    /// A fix with what it does to the cycles of the body, where it is not sure and both totals are known.
    fn costed(&self, fix: Fix) -> Fix {
        let cost = || {
            let before = self.checked.derived.simulation().total()?;
            let body = self.changed(&fix.edits)?;
            let derivation = derive_body(&body, self.checked.target);
            let derived = DerivedAgain::of(&body, &derivation, self.checked);
            let after = derived.simulation().total()?;
            Some(CostChange { before, after })
        };
        let is_sure = fix.applicability == Applicability::Machine;
        let cost = (!is_sure).then(cost).flatten();
        Fix { cost, ..fix }
    }

    fn is_new(&self, finding: &Finding) -> bool {
        !self.known.contains(&key(finding))
    }

    /// The body with the edits made; `None` if one of them edits no value that the body holds.
    fn changed(&self, edits: &[Edit]) -> Option<Body> {
        with_edits(self.checked.body, edits)
    }

    /// What is asked of the body with edits made, from the operations that they concern if that can be; `None` if one of them
    /// edits no value that the body holds.
    fn outlook(&self, edits: &[Edit], asked: &Asked<'_>) -> Option<Outlook> {
        if asked.is_of_operations() {
            let trial = || RefCell::new(EditTrial::of(self.checked));
            // Nothing that a trial asks asks for another one.
            if let Ok(mut trial) = self.trial.get_or_init(trial).try_borrow_mut() {
                match trial.outlook_after(edits, asked) {
                    Tried::Unread => return None,
                    Tried::Found(outlook) => return Some(outlook),
                    Tried::ConcernsMore => {}
                }
            }
        }
        Some(self.found_in(&self.changed(edits)?, asked))
    }

    /// What the rules find in a changed body.
    fn found_in(&self, body: &Body, asked: &Asked<'_>) -> Outlook {
        let Checked { target, tried, .. } = *self.checked;
        tried.set(tried.get().saturating_add(1));
        let derivation = derive_body(body, target);
        let derived = DerivedAgain::of(body, &derivation, self.checked);
        let checked = Checked {
            body,
            derived: &derived,
            only: None,
            budget: None,
            ..*self.checked
        };
        let found = found_beside(&checked, asked.families, |_, _| false);
        let total = asked.cycles.then(|| derived.simulation().total());
        Outlook {
            found,
            total: total.flatten(),
            is_less_clear: undecided(body, &derivation).len() > self.undecided,
        }
    }
}

/// An alternative that says what has to be written in other places with it.
fn with_what_follows(alternative: Alternative, edits: Vec<Edit>) -> Alternative {
    let mut text = alternative.text;
    let mut others: Vec<String> = Vec::new();
    for edit in &edits {
        let own = alternative.edits.iter().find(|own| own.span == edit.span);
        match own {
            Some(own) if own.text == edit.text => {}
            // What follows may go further in the same place.
            Some(own) => text = text.replacen(&own.text, &edit.text, 1),
            None => others.push(edit.text.clone()),
        }
    }
    if !others.is_empty() {
        others.dedup();
        text = format!("{text}{FOLLOWING}: {}", names_in_code(&others));
    }
    Alternative { text, edits }
}

fn completed(fix: Fix, edits: Vec<Edit>, applicability: Applicability) -> Fix {
    let title = if edits.len() > fix.edits.len() {
        format!("{}{FOLLOWING}", fix.title)
    } else {
        fix.title
    };
    Fix {
        title,
        applicability,
        edits,
        cost: None,
    }
}

/// Whether a finding says what the kernel would save.
fn promises(finding: &Finding) -> bool {
    let saving = finding.saving.as_ref();
    saving.is_some_and(|saving| saving.kernel.is_some())
}

/// Whether a body of so many cycles keeps what the finding says it would save, as it is rounded.
fn holds(finding: &Finding, total: Option<u64>) -> bool {
    let promised = finding.saving.and_then(|saving| saving.kernel);
    match (promised, total) {
        (Some((before, after)), Some(total)) => {
            let promised = before.saturating_sub(after);
            before.saturating_sub(total) >= promised - promised / ROUNDED
        }
        _ => true,
    }
}
