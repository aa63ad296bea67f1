//! What a fix leads to as its operations tell it, against what the whole body tells, for all fixtures.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use rustc_hash::FxHashSet;

use super::trial::{EditTrial, Tried};
use super::{Asked, FixCompletion, Outlook, key, places_of_causes};
use crate::Options;
use crate::changes::proposed_findings;
use crate::check::as_checked;
use crate::db::AnalysisDatabase;
use crate::fixture_tests::fixture_texts;
use crate::items::file_functions;
use crate::kernel::{OperationKind, PassEnd};
use crate::rules::{Checked, Edit, Finding, Level};

/// All edits that a finding proposes or states.
fn proposed(finding: &Finding) -> Vec<&[Edit]> {
    let fixes = finding.fixes.iter().map(|fix| &*fix.edits);
    let stated = finding.alternatives.iter().flat_map(|stated| &stated.list);
    fixes.chain(stated.map(|stated| &*stated.edits)).collect()
}

/// Compares what comes of all that is proposed in a function; how often operations alone told it.
fn compare(checked: &Checked<'_>) -> usize {
    let findings = proposed_findings(checked);
    let completion = FixCompletion::of(checked, &findings);
    let causes = places_of_causes(&findings);
    let mut trial = EditTrial::of(checked);
    let mut told = 0;
    for finding in findings
        .iter()
        .filter(|finding| finding.level() == Level::Deny)
    {
        let own = vec![key(finding)];
        let places: FxHashSet<_> = causes
            .get(&own[0])
            .unwrap_or(&own)
            .iter()
            .copied()
            .collect();
        let asked = Asked::about(Level::Deny, &places, false);
        for edits in proposed(finding) {
            let whole = completion
                .changed(edits)
                .map(|body| completion.found_in(&body, &asked));
            match (trial.outlook_after(edits, &asked), whole) {
                (Tried::ConcernsMore, _) => {}
                (Tried::Unread, whole) => assert!(whole.is_none(), "{finding:?}"),
                (Tried::Found(outlook), Some(whole)) => {
                    told += 1;
                    let shown = |outlook: &Outlook| {
                        let new = outlook.found.iter().filter(|other| {
                            places.contains(&key(other))
                                || other.level() == Level::Deny && completion.is_new(other)
                        });
                        (outlook.is_less_clear, new.cloned().collect::<Vec<_>>())
                    };
                    assert_eq!(shown(&outlook), shown(&whole), "{finding:?} {edits:?}");
                }
                (Tried::Found(_), None) => panic!("read by the trial alone: {finding:?}"),
            }
        }
    }
    told
}

#[test]
fn operations_alone_tell_of_a_fix_what_the_whole_body_tells() {
    let mut told = 0;
    for text in fixture_texts() {
        // The same kernel twice, so that there are operations that a fix does not concern.
        let text = twice(&text).unwrap_or(text);
        let mut db = AnalysisDatabase::default();
        db.set_project([("src/lib.rs", &*text)], Vec::new(), Options::default());
        let file = db.file("src/lib.rs").expect("the file");
        for function in file_functions(&db, file) {
            told += as_checked(&db, function, compare);
        }
    }
    assert!(told > 300, "{told}");
}

#[test]
fn who_reads_a_register_is_asked_when_it_is_filled_otherwise() {
    // The register is filled in another order than it is declared, so that nothing is said of who reads it. Filled as declared, its
    // cells of a packet are not next to each other.
    let mut texts = fixture_texts().into_iter();
    let text =
        texts.find(|text| text.contains("fn strided(") && text.contains("//~ operand_mapping"));
    let text = text.expect("the fixture of `operand_mapping`");
    let filled = text.replacen("collect::<m![D], m![G]>", "collect::<m![G], m![D]>", 1);
    assert_ne!(text, filled);
    let mut db = AnalysisDatabase::default();
    db.set_project([("src/lib.rs", &*filled)], Vec::new(), Options::default());
    let file = db.file("src/lib.rs").expect("the file");
    let functions = file_functions(&db, file);
    let found = as_checked(&db, functions[0], |checked| {
        let operations = checked.body.operations.iter();
        let passes = operations.filter_map(|operation| match &operation.kind {
            OperationKind::Pass(pass) => Some(pass),
            _ => None,
        });
        let mut stores = passes.filter(|pass| matches!(pass.end, PassEnd::ToVrf { .. }));
        let store = stores.next().expect("the store");
        let collected = &store.stages.last().expect("its collect").output;
        let fetched = &store.stages.first().expect("its fetch").output;
        let pairs = [
            (&collected.time, &fetched.time),
            (&collected.packet, &fetched.packet),
        ];
        let edits = pairs.map(|(to, from)| Edit::new(to.span, from.get().expect("a mapping")));
        let places = FxHashSet::default();
        let asked = Asked::about(Level::Deny, &places, false);
        let completion = FixCompletion::of(checked, &proposed_findings(checked));
        let whole = completion.changed(&edits).expect("the changed body");
        let rules = |outlook: Outlook| -> Vec<&str> {
            let new = outlook
                .found
                .iter()
                .filter(|other| completion.is_new(other));
            new.map(|other| other.rule.name).collect()
        };
        let tried = match EditTrial::of(checked).outlook_after(&edits, &asked) {
            Tried::Found(outlook) => Some(rules(outlook)),
            Tried::Unread | Tried::ConcernsMore => None,
        };
        (tried, rules(completion.found_in(&whole, &asked)))
    });
    assert_eq!(
        found,
        (Some(vec!["operand_mapping"]), vec!["operand_mapping"])
    );
}

/// The text with the statements of its last function twice, first in a block of their own.
fn twice(text: &str) -> Option<String> {
    let start = text.rfind(") {\n")? + 4;
    let end = text.rfind("\n}")?;
    let inside = text.get(start..end)?;
    // What ends in a value is a statement in the block.
    let block = format!("    {{\n{inside};\n    }}\n").replace(";;", ";");
    Some(format!(
        "{}{block}{}",
        text.get(..start)?,
        text.get(start..)?
    ))
}
