//! Hints followed to the letter: the fixes of a finding and what its help states, each applied alone to the text.
//!
//! A hint has done what it says if its finding is gone, nothing is denied that was not before, the text still parses and its
//! operations are still understood, and a promised saving is there. Helpers for tests; they share nothing with the program
//! but its reports.

use std::collections::BTreeSet;

use visa_analysis::{Diagnostic, FileEdit, FileReport, Level};

use crate::{check_completed, check_text, line_of, visible, workspace_of};

/// Something that a finding says may be written.
#[derive(Debug, Clone, Copy)]
pub struct Hint<'a> {
    /// `fix`, or `help` for a text that the help states.
    pub kind: &'static str,
    /// Its words.
    pub words: &'a str,
    /// What to write.
    pub edits: &'a [FileEdit],
}

/// The fixes of a finding and the texts that its help states, those that are the same once.
pub fn hints(diagnostic: &Diagnostic) -> Vec<Hint<'_>> {
    let fixes = diagnostic.fixes.iter().map(|fix| Hint {
        kind: "fix",
        words: &fix.title,
        edits: &fix.edits,
    });
    let stated = diagnostic.alternatives.iter().map(|stated| Hint {
        kind: "help",
        words: &stated.text,
        edits: &stated.edits,
    });
    let mut seen = BTreeSet::new();
    let mut hints: Vec<Hint<'_>> = fixes.chain(stated).collect();
    hints.retain(|hint| {
        let edits = hint.edits.iter();
        let key: Vec<_> = edits
            .map(|edit| (edit.start_byte, edit.end_byte, edit.text.clone()))
            .collect();
        seen.insert(key)
    });
    hints
}

/// The text with edits made.
pub fn applied(text: &str, edits: &[FileEdit]) -> String {
    let mut edits: Vec<_> = edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.start_byte));
    let mut mended = text.to_owned();
    for edit in edits {
        mended.replace_range(edit.start_byte as usize..edit.end_byte as usize, &edit.text);
    }
    mended
}

/// Where a byte range of the text before edits is behind them.
pub fn moved(range: (u32, u32), edits: &[FileEdit]) -> (i64, i64) {
    let place = |byte: u32, end: bool| {
        let mut shift = 0_i64;
        let mut border = None;
        for edit in edits {
            let length = i64::try_from(edit.text.len()).unwrap_or(i64::MAX);
            let grown = length - i64::from(edit.end_byte - edit.start_byte);
            if edit.end_byte <= byte && !(end && edit.start_byte == byte) {
                shift += grown;
            } else if edit.start_byte < byte {
                // Inside of what is replaced: its border.
                let length = if end { length } else { 0 };
                border = Some(i64::from(edit.start_byte) + length);
            }
        }
        border.unwrap_or(i64::from(byte)) + shift
    };
    (place(range.0, false), place(range.1, true))
}

fn bytes(diagnostic: &Diagnostic) -> (u32, u32) {
    (diagnostic.range.start.byte, diagnostic.range.end.byte)
}

/// What is wrong with a text behind a hint that was found in its report.
pub fn faults(
    before: &FileReport,
    text: &str,
    diagnostic: &Diagnostic,
    hint: Hint<'_>,
) -> Vec<String> {
    let mended = applied(text, hint.edits);
    let after = check_text(&before.path, &mended);
    let mut faults = Vec::new();
    if after.syntax_errors > before.syntax_errors {
        faults.push("it breaks the syntax".to_owned());
    }
    if !after.problems.is_empty() {
        faults.push(format!("{:?}", after.problems));
    }
    // What was not understood before may not be understood in more places now.
    if before.unresolved.is_empty() && !after.unresolved.is_empty()
        || after.operations.resolved < before.operations.resolved
    {
        let reasons: Vec<_> = after.unresolved.iter().map(|place| &place.reason).collect();
        faults.push(format!("operations are no longer understood: {reasons:?}"));
    }
    for found in visible(&after) {
        let stands_at = |other: &Diagnostic| {
            let (start, end) = moved(bytes(other), hint.edits);
            let own = bytes(found);
            other.rule == found.rule && i64::from(own.0) < end && start < i64::from(own.1)
        };
        if stands_at(diagnostic) {
            faults.push(format!("the finding is still there: {}", line_of(found)));
        } else if found.default_level == Level::Deny && !visible(before).any(stands_at) {
            faults.push(format!("it brings along {}", line_of(found)));
        }
    }
    if let Some(promised) = diagnostic.saves {
        let (old, new) = (cycles(&before.path, text), cycles(&before.path, &mended));
        let saved = old.saturating_sub(new);
        if saved < promised - promised / 100 {
            faults.push(format!("it saves {saved} cycles, not {promised}"));
        }
    }
    faults
}

/// The cycles of all kernels of a file.
fn cycles(path: &str, text: &str) -> u64 {
    let costs = workspace_of(path, text)
        .analysis()
        .costs(path)
        .unwrap_or_default();
    costs.iter().filter_map(|kernel| kernel.total).sum()
}

/// What is wrong behind all hints of a text's findings, and how many hints there are.
pub fn faults_of_all(path: &str, text: &str) -> (usize, Vec<String>) {
    let report = check_completed(path, text);
    let mut problems = Vec::new();
    let mut tried = 0;
    for diagnostic in visible(&report) {
        let excepted =
            |(rule, part, _): &(&str, &str, &str)| *rule == diagnostic.rule && path.contains(part);
        if NOT_YET.iter().any(excepted) {
            continue;
        }
        for hint in hints(diagnostic) {
            tried += 1;
            let found = faults(&report, text, diagnostic, hint);
            problems.extend(found.into_iter().map(|fault| {
                let Hint { kind, words, .. } = hint;
                format!("{}\n    {kind} \"{words}\": {fault}", line_of(diagnostic))
            }));
        }
        problems.extend(unstated(diagnostic, text));
    }
    (tried, problems)
}

/// Findings whose hints are not followed: the rule, a part of the path, and the reason.
const NOT_YET: &[(&str, &str, &str)] = &[
    (
        "unknown_axis",
        "",
        "which name was meant is a guess; its help names those in scope",
    ),
    (
        "stride_indivisible",
        "switch_ring_too_small/right",
        "the function is understood only in part while the expression is at fault",
    ),
];

/// The element types: a help that names one says what an engine takes or makes.
const TYPES: [&str; 16] = [
    "i4", "i5", "i8", "i9", "i16", "i32", "u8", "u16", "u32", "f8e4m3", "f8e5m2", "f16", "bf16",
    "f32", "bool", "f64",
];

/// Why what a release has instead of something is no text to write.
const OTHER_OPERATION: &str =
    "what the release has instead; the pass around it is the author's to write";

/// Words of helps that explain and do not propose (code from its start): the rule, the words, and why they cannot be applied.
const EXPLANATIONS: &[(&str, &str, &str)] = &[
    (
        "commit_size",
        "8 bytes",
        "the unit that a bank writes; which order keeps it together is the author's choice",
    ),
    (
        "fetch_cast_overflow",
        "words of 8 bytes",
        "what a fetch delivers; how an element comes to it is the author's choice",
    ),
    (
        "dma_alignment",
        "8 bytes",
        "the unit of DM; which of the two layouts changes is the author's choice",
    ),
    (
        "trf_sequencer",
        "64 bytes",
        "what a row reads at once; how an element comes to it is the author's choice",
    ),
    (
        "align_packet_size",
        "64 bytes",
        "the width of the array, where no packet of the stream fills it",
    ),
    (
        "align_packet_mismatch",
        "64 bytes",
        "the width of the array, where no packet of the stream fills it",
    ),
    (
        "pipeline_order",
        "32 bytes",
        "a flit; what the sub context commits is the author's choice",
    ),
    (
        "pipeline_order",
        "`fetch",
        "the stage before the commit; what the sub context commits is the author's choice",
    ),
    (
        "unknown_axis",
        "`axes![",
        "a declaration whose size is the author's to say",
    ),
    (
        "pipeline_order",
        "`collect",
        "the engine that is missing, where its input is not known",
    ),
    (
        "contract_output_limit",
        "32 elements",
        "the columns of the accumulator, where no depth of the tree is enough",
    ),
    (
        "budget_exceeded",
        "`visa-lint cost --kernel ",
        "a command to run, no text of the kernel",
    ),
    (
        "unknown_rule",
        "`visa-lint rules",
        "a command to run, no text of the kernel",
    ),
    (
        "vector_op_type",
        "`vector_fxp_to_fp",
        "the conversion exists; where it belongs in the pass is the author's choice",
    ),
    (
        "vector_op_type",
        "`vector_fp_to_fxp",
        "the conversion exists; where it belongs in the pass is the author's choice",
    ),
    (
        "vector_way",
        "`vector_split",
        "how lanes are narrowed, where the stream's lanes are not known",
    ),
    (
        "vector_way",
        "`vector_trim_way4",
        "how lanes are narrowed, where the stream's lanes are not known",
    ),
    (
        "vector_way",
        "`vector_concat",
        "how lanes are widened, where the stream's lanes are not known",
    ),
    (
        "vector_way",
        "`vector_pad_way8",
        "how lanes are widened, where the stream's lanes are not known",
    ),
    (
        "inter_reduce_stage",
        "`vector_concat",
        "how lanes are widened; what follows in the pass is the author's choice",
    ),
    (
        "inter_reduce_stage",
        "`vector_pad_way8",
        "how lanes are widened; what follows in the pass is the author's choice",
    ),
    (
        "vector_stage_order",
        "`vector_final",
        "the end of a pass; what the second one does is the author's choice",
    ),
    (
        "stash_stage",
        "`vector_stash",
        "the missing call; which value is meant is the author's choice",
    ),
    ("library_limit", "`Unconditional", OTHER_OPERATION),
    ("library_limit", "`AxisToggle", OTHER_OPERATION),
    ("library_limit", "`Comparison", OTHER_OPERATION),
    ("library_limit", "`view().tile", OTHER_OPERATION),
    ("library_limit", "`dm_chip_shuffle", OTHER_OPERATION),
    ("library_limit", "`dm_cluster_shuffle", OTHER_OPERATION),
    ("library_limit", "`AddFxp", OTHER_OPERATION),
    ("library_limit", "`1 << (n", OTHER_OPERATION),
    ("library_limit", "`n", OTHER_OPERATION),
    ("library_limit", "`ArithRightShift", OTHER_OPERATION),
    ("library_limit", "`Tanh", OTHER_OPERATION),
    ("library_limit", "`erf(x)", OTHER_OPERATION),
    ("library_limit", "`tanh(", OTHER_OPERATION),
    ("library_limit", "`MulF", OTHER_OPERATION),
    ("library_limit", "`FmaF", OTHER_OPERATION),
];

/// Code and numbers of a help that it does not state as something to write.
fn unstated(diagnostic: &Diagnostic, text: &str) -> Vec<String> {
    let Some(help) = &diagnostic.help else {
        return Vec::new();
    };
    let mut problems = Vec::new();
    let mut rest = help.clone();
    for stated in &diagnostic.alternatives {
        rest = rest.replacen(&stated.text, "", 1);
        for edit in &stated.edits {
            // What is written over several lines is said in one.
            let wanted: String = edit.text.lines().map(str::trim).collect();
            let wanted = wanted.trim_end_matches('.');
            let said = codes(&stated.text);
            let partly = said.iter().any(|code| wanted.contains(code.as_str()));
            if !partly && !stated.text.contains(wanted) {
                problems.push(format!(
                    "{}\n    the help does not say `{wanted}`: {}",
                    line_of(diagnostic),
                    stated.text
                ));
            }
        }
    }
    for (rule, words, _) in EXPLANATIONS {
        if *rule == diagnostic.rule {
            rest = match words.strip_prefix('`') {
                Some(start) => codes(&rest)
                    .iter()
                    .filter(|code| code.starts_with(start))
                    .fold(rest, |rest, code| rest.replace(&format!("`{code}`"), "")),
                None => rest.replace(words, ""),
            };
        }
    }
    // A command to type searches for a change; what it says behind the command applies to nothing here.
    if let Some(at) = rest.find("`visa-lint cost ") {
        rest.truncate(at);
    }
    for name in TYPES {
        rest = rest.replace(&format!("`{name}`"), "");
    }
    for code in codes(&rest) {
        let is_name = code
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_');
        if is_name && has_word(text, &code) {
            rest = rest.replace(&format!("`{code}`"), "");
        }
    }
    let number = rest
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .any(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    if number || rest.contains('`') {
        problems.push(format!(
            "{}\n    the help states what nothing applies: {rest}",
            line_of(diagnostic)
        ));
    }
    problems
}

/// What is between backticks.
fn codes(words: &str) -> Vec<String> {
    words
        .split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Whether a name occurs in a text.
fn has_word(text: &str, name: &str) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::{applied, moved};
    use visa_analysis::FileEdit;

    #[test]
    fn places_move_with_the_edits_before_them() {
        let edit = |start_byte, end_byte, text: &str| FileEdit {
            file: "a".into(),
            start_byte,
            end_byte,
            text: text.to_owned(),
        };
        let edits = [edit(6, 8, "xyz"), edit(1, 2, "")];
        assert_eq!(applied("0123456789", &edits), "02345xyz89");
        assert_eq!(moved((3, 5), &edits), (2, 4));
        assert_eq!(moved((6, 8), &edits), (5, 8));
        assert_eq!(moved((7, 9), &edits), (5, 9));
        assert_eq!(moved((8, 9), &edits), (8, 9));
    }
}
