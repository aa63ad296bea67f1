//! What several findings come from.
//!
//! An axis that does not divide is met at every place that divides it, a level of a wrong size in every tensor that is
//! declared with it. The places are judged one by one, each finding declares its cause, and a report shows the first of
//! a cause with the others as related places. Here is what makes two causes the same, and how the fixes of all places
//! become one: a part of them would leave the fault where it is, or two halves that do not fit each other.

use rustc_hash::FxHashMap;

use super::{Alternative, Applicability, Cause, Edit, Finding, Fix};
use crate::items::{ItemId, Span};

/// A cause with the item that it is confined to, if it is: equal for findings that are one.
pub type CauseKey = (Cause, Option<ItemId>);

/// What a finding has in common with others that come from the same; places of other files never do.
pub fn cause_key(finding: &Finding) -> Option<CauseKey> {
    let cause = finding.cause.clone()?;
    let item = Some(finding.span.item).filter(|_| !cause.everywhere);
    Some((cause, item))
}

/// Makes one fix of those that the findings of a cause have in common, for all of their places; the first finding has it,
/// the others have none. What would mend some of the places alone is left out.
pub fn unite_fixes(findings: &mut [Finding]) {
    for members in groups_of_causes(findings) {
        let mut own: Vec<Vec<Fix>> = Vec::with_capacity(members.len());
        for member in &members {
            let finding = findings.get_mut(*member);
            own.extend(finding.map(|finding| std::mem::take(&mut finding.fixes)));
        }
        let united = united(&own);
        let mut stated: Vec<Vec<Alternative>> = Vec::with_capacity(members.len());
        for member in &members {
            let own = findings
                .get(*member)
                .and_then(|own| own.alternatives.clone());
            stated.push(own.map_or_else(Vec::new, |own| own.list));
        }
        let (first, others) = match members.split_first() {
            Some((first, others)) => (*first, others),
            None => continue,
        };
        for other in others {
            if let Some(other) = findings.get_mut(*other) {
                other.alternatives = None;
            }
        }
        if let Some(first) = findings.get_mut(first) {
            first.fixes = united;
            if let Some(alternatives) = &mut first.alternatives {
                alternatives.list = united_alternatives(&stated);
            }
        }
    }
}

/// The findings of each cause that has several, by their numbers, in the order of their places.
pub fn groups_of_causes(findings: &[Finding]) -> Vec<Vec<usize>> {
    let mut groups: FxHashMap<CauseKey, Vec<usize>> = FxHashMap::default();
    for (number, finding) in findings.iter().enumerate() {
        if let Some(cause) = cause_key(finding) {
            groups.entry(cause).or_default().push(number);
        }
    }
    let mut groups: Vec<_> = groups
        .into_values()
        .filter(|members| members.len() > 1)
        .collect();
    for members in &mut groups {
        // Findings of several items come item by item; within one the families found them in no order.
        let item = |number: &usize| findings.get(*number).map(|finding| finding.span.item);
        let place = |number: &usize| findings.get(*number).map(|finding| finding.span.start);
        for of_item in members.chunk_by_mut(|one, other| item(one) == item(other)) {
            of_item.sort_by_key(place);
        }
    }
    groups.sort();
    groups
}

/// The fixes that all members offer under the same title, each with the edits of all of them.
fn united(members: &[Vec<Fix>]) -> Vec<Fix> {
    let Some((first, others)) = members.split_first() else {
        return Vec::new();
    };
    let united = first.iter().filter_map(|fix| {
        let same: Option<Vec<&Fix>> = others
            .iter()
            .map(|fixes| fixes.iter().find(|other| other.title == fix.title))
            .collect();
        let same = same?;
        let all = || std::iter::once(fix).chain(same.iter().copied());
        let edits = joined_edits(all().flat_map(|fix| &fix.edits).cloned().collect())?;
        let sure = all().all(|fix| fix.applicability == Applicability::Machine);
        let title = if edits.len() > 1 {
            format!("{}, in all {} places", fix.title, members.len())
        } else {
            fix.title.clone()
        };
        Some(Fix {
            title,
            applicability: if sure {
                Applicability::Machine
            } else {
                Applicability::Maybe
            },
            edits,
            cost: None,
        })
    });
    united.collect()
}

/// The alternatives of the first member, each with the edits of all members that state it in the same words.
fn united_alternatives(members: &[Vec<Alternative>]) -> Vec<Alternative> {
    let Some((first, others)) = members.split_first() else {
        return Vec::new();
    };
    let united = first.iter().filter_map(|stated| {
        let same = others.iter().flatten();
        let same = same.filter(|other| other.text == stated.text);
        let edits = std::iter::once(stated).chain(same);
        Some(Alternative {
            text: stated.text.clone(),
            edits: joined_edits(edits.flat_map(|stated| &stated.edits).cloned().collect())?,
        })
    });
    united.collect()
}

/// The edits, each once; none where two of them want different things of one place.
fn joined_edits(edits: Vec<Edit>) -> Option<Vec<Edit>> {
    let mut joined: Vec<Edit> = Vec::with_capacity(edits.len());
    let mut known: FxHashMap<Span, usize> = FxHashMap::default();
    for edit in edits {
        match known.get(&edit.span).and_then(|number| joined.get(*number)) {
            Some(other) if other.text == edit.text => {}
            Some(_) => return None,
            None => {
                known.insert(edit.span, joined.len());
                joined.push(edit);
            }
        }
    }
    Some(joined)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensors::SLICE_SIZE;
    use crate::testing::span;

    fn finding(place: u32, subject: &str, fixes: &[(&str, &str)]) -> Finding {
        let place = Span {
            start: place,
            end: place + 1,
            ..span(1)
        };
        let finding =
            Finding::new(&SLICE_SIZE, place, "wrong").caused_by(Cause::in_item("size", subject));
        fixes.iter().fold(finding, |finding, (title, text)| {
            finding.fix(Applicability::Machine, *title, place, *text)
        })
    }

    fn fixes(finding: &Finding) -> Vec<(&str, Vec<(u32, &str)>)> {
        let fixes = finding.fixes.iter();
        fixes
            .map(|fix| {
                let edits = fix.edits.iter();
                let edits = edits.map(|edit| (edit.span.start, edit.text.as_str()));
                (fix.title.as_str(), edits.collect())
            })
            .collect()
    }

    #[test]
    fn what_all_places_offer_becomes_one_fix() {
        let mut findings = [
            finding(9, "A", &[("pad", "x"), ("cut", "y")]),
            finding(3, "A", &[("pad", "z")]),
            finding(5, "B", &[("pad", "w")]),
        ];
        unite_fixes(&mut findings);
        assert_eq!(fixes(&findings[0]), []);
        assert_eq!(
            fixes(&findings[1]),
            [("Pad, in all 2 places", vec![(3, "z"), (9, "x")])]
        );
        assert_eq!(fixes(&findings[2]), [("Pad", vec![(5, "w")])]);
    }

    #[test]
    fn what_contradicts_itself_is_left_out() {
        let mut findings = [finding(3, "A", &[]), finding(9, "A", &[])];
        let place = findings[0].span;
        for (finding, text) in findings.iter_mut().zip(["1", "2"]) {
            *finding = finding
                .clone()
                .fix(Applicability::Maybe, "run", place, text);
            *finding = finding
                .clone()
                .fix(Applicability::Maybe, "stop", place, "0");
        }
        unite_fixes(&mut findings);
        // The same edit of both is one edit, and of one place.
        assert_eq!(fixes(&findings[0]), [("Stop", vec![(3, "0")])]);
    }
}
