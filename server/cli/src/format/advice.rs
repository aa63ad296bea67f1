//! What to do about a finding: the help and the fixes, nothing twice.

use std::collections::BTreeSet;

use visa_analysis::{Applicability, DiagnosticFix};

/// What a fix is called that may be applied unseen, and one that should be looked at.
const WORDS: [&str; 2] = ["fix", "fix (unsafe)"];

/// The lines about what to do, each with the word before it. Of what a help says the ways that are fixes are left out; of a
/// help and a fix that write the same one line remains. `place` says where a fix edits, as the end of its title.
pub(super) fn advice_lines(
    help: Option<&str>,
    fixes: &[DiagnosticFix],
    mut place: impl FnMut(&DiagnosticFix) -> String,
) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let help = help.and_then(|help| beyond(help, fixes));
    match (help, fixes) {
        (Some(help), [only]) if says_the_same(&help, only) => {
            // "Write this" says less than a sentence about it.
            let bare = core(&only.title).starts_with("write ") && only.title.contains("m![");
            let text = if bare || quoted_code(&only.title).is_empty() {
                format!("{help}{}", title_reach(&only.title))
            } else {
                only.title.clone()
            };
            lines.push((
                fix_word(only),
                format!("{text}{}{}", place(only), only.price()),
            ));
            return lines;
        }
        (Some(help), _) => lines.push(("help", help)),
        (None, _) => {}
    }
    let titles = fixes.iter().map(|fix| {
        let title = format!("{}{}{}", fix.title, place(fix), fix.price());
        (fix_word(fix), title)
    });
    lines.extend(titles);
    lines
}

const fn fix_word(fix: &DiagnosticFix) -> &'static str {
    let [sure, unsure] = WORDS;
    match fix.applicability {
        Applicability::Machine => sure,
        Applicability::Maybe => unsure,
    }
}

/// What a fix's title says beyond what it does here: that it does more.
fn title_reach(title: &str) -> &str {
    [", in all ", ", and what follows from it"]
        .iter()
        .filter_map(|words| title.find(words))
        .min()
        .and_then(|place| title.get(place..))
        .unwrap_or_default()
}

/// A title without that, as a part of a sentence.
fn core(title: &str) -> String {
    let title = title.strip_suffix(title_reach(title)).unwrap_or(title);
    let mut letters = title.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(letters).collect()
    })
}

/// What is between the ways that a help names.
const OR: &str = ", or ";

/// What a help says beyond the ways that are fixes, if anything.
fn beyond(help: &str, fixes: &[DiagnosticFix]) -> Option<String> {
    let fixes: BTreeSet<String> = fixes.iter().map(|fix| core(&fix.title)).collect();
    let ways = help.split(OR);
    let left: Vec<&str> = ways.filter(|way| !fixes.contains(&core(way))).collect();
    (!left.is_empty()).then(|| left.join(OR))
}

/// Whether a help writes what a fix writes, and names nothing else in code.
fn says_the_same(help: &str, fix: &DiagnosticFix) -> bool {
    let helped = quoted_code(help);
    let mut fixed = quoted_code(&core(&fix.title));
    if fixed.is_empty() {
        fixed = fix.edits.iter().map(|edit| edit.text.clone()).collect();
    }
    let several = [OR, "; or "].iter().any(|or| help.contains(or));
    !helped.is_empty()
        && !several
        && (helped == fixed || mappings_in_code(&helped) == Some(mappings_of(&fixed)))
}

/// What is between back quotes.
fn quoted_code(text: &str) -> BTreeSet<String> {
    let parts = text.split('`').skip(1).step_by(2);
    parts.map(str::to_owned).collect()
}

/// The mappings in pieces of code that are only mappings, or calls with them; none where another piece is there.
fn mappings_in_code(code: &BTreeSet<String>) -> Option<BTreeSet<&str>> {
    let found = mappings_of(code);
    (!found.is_empty() && code.iter().all(|piece| piece.contains("m!["))).then_some(found)
}

fn mappings_of(code: &BTreeSet<String>) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for piece in code {
        for (start, _) in piece.match_indices("m![") {
            let text = piece.get(start..).unwrap_or_default();
            let mut open = 0_usize;
            let end = text.find(|letter| {
                open += usize::from(letter == '[');
                open -= usize::from(letter == ']' && open > 0);
                letter == ']' && open == 0
            });
            found.extend(end.and_then(|end| text.get(..=end)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use visa_analysis::{CostChange, FileEdit};

    use super::*;

    fn fix(applicability: Applicability, title: &str, text: &str) -> DiagnosticFix {
        let edit = FileEdit {
            file: "a.rs".into(),
            start_byte: 0,
            end_byte: 0,
            text: text.to_owned(),
        };
        DiagnosticFix {
            title: title.to_owned(),
            applicability,
            edits: vec![edit],
            cost: None,
        }
    }

    #[track_caller]
    fn assert_says(help: &str, fixes: &[(&str, &str)], lines: &[(&str, &str)]) {
        let fixes: Vec<_> = fixes
            .iter()
            .map(|(title, text)| fix(Applicability::Machine, title, text))
            .collect();
        let said = advice_lines(Some(help), &fixes, |_| String::new());
        let said: Vec<_> = said
            .iter()
            .map(|(word, text)| (*word, text.as_str()))
            .collect();
        assert_eq!(said, lines);
    }

    #[test]
    fn what_a_fix_writes_is_said_once() {
        let collect = "write `collect::<m![R / 16], m![R % 16]>()`";
        let title = "Write Time `m![R / 16]`, Packet `m![R % 16]`";
        assert_says(collect, &[(title, "")], &[("fix", collect)]);
        assert_says(
            "pad the element: `m![[1, A] # 4]`",
            &[("Write `m![[1, A] # 4]`, and what follows from it", "")],
            &[(
                "fix",
                "pad the element: `m![[1, A] # 4]`, and what follows from it",
            )],
        );
        assert_says(
            "keep the source's order in the target: `m![S, L]`",
            &[("Keep the source's order", "m![S, L]")],
            &[("fix", "keep the source's order in the target: `m![S, L]`")],
        );
    }

    #[test]
    fn a_title_that_says_it_all_is_the_line() {
        for (help, title) in [
            ("did you mean `slice_size`?", "write `slice_size`"),
            (
                "with size 256 it is `m![T # 256]`",
                "make it 256: `m![T # 256]`, in all 2 places",
            ),
        ] {
            assert_says(help, &[(title, "")], &[("fix", title)]);
        }
    }

    #[test]
    fn ways_that_are_all_fixes_are_not_listed_twice() {
        let ways = [
            ("pad `D` to 64 first, in all 6 places", ""),
            ("use blocks of 6", ""),
        ];
        assert_says(
            "pad `D` to 64 first, or use blocks of 6",
            &ways,
            &[("fix", ways[0].0), ("fix", ways[1].0)],
        );
        let more = "use a divisor of 60: 6 or 10";
        assert_says(
            &format!("pad `D` to 64 first, or {more}"),
            &ways,
            &[("help", more), ("fix", ways[0].0), ("fix", ways[1].0)],
        );
    }

    #[test]
    fn what_says_more_stays() {
        let help = "the packet can be `m![K]` (two flits) or `m![K % 16 # 32]` (one flit)";
        let title = "Write `m![K]`";
        assert_says(help, &[(title, "")], &[("help", help), ("fix", title)]);
        let free = "`0x20` is free while `rhs` is needed";
        assert_says(
            free,
            &[("move it to `0x20`", "")],
            &[("help", free), ("fix", "move it to `0x20`")],
        );
        assert_says(
            "run it in a second pass",
            &[],
            &[("help", "run it in a second pass")],
        );
    }

    #[test]
    fn a_price_stands_beside_what_it_is_the_price_of() {
        // 200 cycles become 1,278: 5.39 times as many more.
        let cost = CostChange {
            before: 200,
            after: 1_278,
        };
        let priced = |title: &str| DiagnosticFix {
            cost: Some(cost),
            ..fix(Applicability::Maybe, title, "")
        };
        assert_eq!(
            advice_lines(None, &[priced("write `Tokens`")], |_| String::new()),
            [("fix (unsafe)", "write `Tokens` (+539 % cycles)".to_owned())]
        );
        // The help says no more than the fix.
        let title = "Write `m![A]`";
        assert_eq!(
            advice_lines(Some("write `m![A]`"), &[priced(title)], |_| String::new()),
            [("fix (unsafe)", format!("{title} (+539 % cycles)"))]
        );
    }

    #[test]
    fn a_fix_of_another_place_names_it() {
        let guess = fix(Applicability::Maybe, "write `Tokens`", "Tokens");
        assert_eq!(
            advice_lines(None, &[guess], |_| " (line 4)".to_owned()),
            [("fix (unsafe)", "write `Tokens` (line 4)".to_owned())]
        );
    }

    #[test]
    fn a_guess_is_called_unsafe() {
        let guess = fix(Applicability::Maybe, "write `Tokens`", "Tokens");
        assert_eq!(
            advice_lines(None, &[guess], |_| String::new()),
            [("fix (unsafe)", "write `Tokens`".to_owned())]
        );
    }
}
