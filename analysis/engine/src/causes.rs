//! One cause, one finding: of the findings of a file that come from the same, the first one stands for all.
//!
//! Knows findings at their places in the file, after suppression, and the causes that the rules declared; what is a cause
//! is theirs to say. A suppression of the first place of an item covers the cause in all of the item; one of another
//! place takes that place out.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::findings::{self, TextSpan};
use crate::items::ItemId;
use crate::report::{Diagnostic, Range, RelatedPlace};
use crate::rules::{CauseKey, Finding, cause_key};

/// How many other places of a fault are listed; of the rest the number is given.
const PLACES: usize = 24;

/// The causes of the findings of a file, by place and rule.
#[derive(Debug, Default)]
pub(crate) struct Causes {
    noted: FxHashMap<(Range, &'static str), (CauseKey, Option<ItemId>)>,
}

/// The findings of one cause, by their numbers, ascending.
#[derive(Debug, Default)]
struct Group {
    members: Vec<usize>,
    /// The items in which a suppression covers the first place, and with it all.
    covered: FxHashSet<Option<ItemId>>,
    items: FxHashSet<Option<ItemId>>,
}

impl Causes {
    /// Remembers what a finding comes from, which its diagnostic does not say.
    pub(crate) fn note_cause(&mut self, finding: &Finding, diagnostic: &Diagnostic) {
        if let Some(cause) = cause_key(finding) {
            let place = (diagnostic.range, diagnostic.rule);
            self.noted.insert(place, (cause, Some(finding.span.item)));
        }
    }

    /// As [`Self::note_cause`], for a finding about a file's text: all of a cause there are one.
    pub(crate) fn note_in_text(
        &mut self,
        finding: &findings::Finding<TextSpan>,
        diagnostic: &Diagnostic,
    ) {
        if let Some(cause) = finding.cause.clone() {
            let place = (diagnostic.range, diagnostic.rule);
            self.noted.insert(place, ((cause, None), None));
        }
    }

    /// The diagnostics, sorted by place, with those of a cause as one.
    pub(crate) fn join(&self, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        if self.noted.len() < 2 {
            return diagnostics;
        }
        let mut joined_away = FxHashSet::default();
        for members in self.groups(&mut diagnostics) {
            let mut fixes = Vec::new();
            for member in &members {
                if let Some(diagnostic) = diagnostics.get_mut(*member) {
                    let own = std::mem::take(&mut diagnostic.fixes);
                    if fixes.is_empty() {
                        fixes = own;
                    }
                }
            }
            let (open, covered): (Vec<usize>, Vec<usize>) = members
                .iter()
                .partition(|member| diagnostics.get(**member).is_some_and(is_open));
            for places in [open, covered] {
                let Some((first, others)) = places.split_first() else {
                    continue;
                };
                let related = related_places(&diagnostics, *first, others);
                if let Some(first) = diagnostics.get_mut(*first) {
                    first.related.extend(related);
                    first.fixes = std::mem::take(&mut fixes);
                    first.more_places = others.len().saturating_sub(PLACES) as u64;
                    let note = first.note_of_more_places();
                    first.notes.extend(note);
                }
                joined_away.extend(others.iter().copied());
            }
        }
        let mut number = 0;
        diagnostics.retain(|_| {
            number += 1;
            !joined_away.contains(&(number - 1))
        });
        diagnostics
    }

    /// The causes with several diagnostics. What a suppression of the first place of an item covers is marked.
    fn groups(&self, diagnostics: &mut [Diagnostic]) -> Vec<Vec<usize>> {
        let mut groups: FxHashMap<&CauseKey, Group> = FxHashMap::default();
        for (number, diagnostic) in diagnostics.iter_mut().enumerate() {
            let place = (diagnostic.range, diagnostic.rule);
            let Some((cause, item)) = self.noted.get(&place) else {
                continue;
            };
            let group = groups.entry(cause).or_default();
            if group.items.insert(*item) && diagnostic.suppressed {
                group.covered.insert(*item);
            }
            diagnostic.suppressed |= group.covered.contains(item);
            group.members.push(number);
        }
        let several = groups.into_values().map(|group| group.members);
        several.filter(|members| members.len() > 1).collect()
    }
}

fn is_open(diagnostic: &Diagnostic) -> bool {
    !diagnostic.suppressed
}

/// The other places of a fault, as the first one refers to them.
fn related_places(diagnostics: &[Diagnostic], first: usize, others: &[usize]) -> Vec<RelatedPlace> {
    let message = diagnostics.get(first).map(|first| &first.message);
    let others = others.iter().take(PLACES);
    others
        .filter_map(|other| diagnostics.get(*other))
        .map(|other| RelatedPlace {
            message: if Some(&other.message) == message {
                "here too".to_owned()
            } else {
                other.message.clone()
            },
            file: other.file.clone(),
            range: other.range,
            fault: Some(other.rule),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::fixing::{Trust, fix_all};
    use crate::report::Diagnostic;
    use crate::rules::{Applicability, Level};
    use crate::workspace::Workspace;

    const KERNEL: &str = "use furiosa_visa_std::prelude::*;

axes![S = 256, D = 60, Q = 60];

type Chip = m![1];
type Cluster = m![1 # 2];

#[device(chip = 1)]
fn scale(ctx: &mut Context, x: &HbmTensor<f32, Chip, m![S, D]>) -> HbmTensor<f32, Chip, m![S, D]> {
    let x: DmTensor<f32, Chip, Cluster, m![S], m![D # 64]> = x.to_dm(&mut ctx.tdma, 0);
    let y: DmTensor<f32, Chip, Cluster, m![S], m![D # 64]> = ctx
        .main
        .begin(x.view())
        .fetch::<f32, m![D / 8], m![D % 8]>()
        .collect::<m![D / 8], m![D % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split::<m![D / 4], m![D % 4]>()
        .vector_concat::<m![D / 8], m![D % 8]>()
        .vector_final()
        .commit(0x400);
    y.to_hbm(&mut ctx.tdma, 1 << 28)
}
";

    fn check(text: &str) -> Vec<Diagnostic> {
        let mut workspace = Workspace::new();
        workspace.set_files([("k.rs", text)]);
        workspace
            .analysis()
            .check_file_completed("k.rs")
            .diagnostics
    }

    /// The findings of a text, warnings about its speed and what is not seen left out: line, whether suppressed, how many other
    /// places.
    fn places(text: &str) -> Vec<(u32, bool, usize)> {
        let found = check(text);
        let found = found
            .iter()
            .filter(|found| !found.rule.starts_with("hbm_") && found.default_level != Level::Allow);
        found
            .map(|found| {
                let others = found.related.iter().filter(|place| place.fault.is_some());
                (found.range.start.line, found.suppressed, others.count())
            })
            .collect()
    }

    /// The number of occurrences of each text that a fix writes.
    fn written(diagnostic: &Diagnostic) -> Vec<(String, Vec<String>)> {
        let fixes = diagnostic.fixes.iter();
        fixes
            .map(|fix| {
                let mut texts: Vec<_> = fix.edits.iter().map(|edit| edit.text.clone()).collect();
                texts.sort();
                texts.dedup();
                (fix.title.clone(), texts)
            })
            .collect()
    }

    #[test]
    fn an_axis_that_does_not_divide_is_one_finding() {
        assert_eq!(places(KERNEL), [(14, false, 5)]);
        let found = check(KERNEL);
        let found = found
            .iter()
            .find(|found| found.rule == "stride_indivisible");
        let found = found.expect("the fault");
        assert!(
            found
                .message
                .starts_with("60 positions of `D` do not divide"),
            "{}",
            found.message
        );
        let lines: Vec<u32> = found
            .related
            .iter()
            .map(|place| place.range.start.line)
            .collect();
        assert_eq!(lines, [14, 15, 15, 19, 19]);
        let written = written(found);
        // What divides without a remainder is a part of the same split.
        let pad = ["# 64 % 4", "# 64 % 8", "# 64 / 4", "# 64 / 8"].map(str::to_owned);
        assert_eq!(written[0].0, "Pad `D` to 64 first, in all 6 places");
        assert_eq!(written[0].1, pad);
    }

    #[test]
    fn the_fix_of_one_place_is_that_of_all() {
        let mut workspace = Workspace::new();
        workspace.set_files([("k.rs", KERNEL)]);
        fix_all(&mut workspace, Trust::Maybe);
        let mended = workspace.files().next().map(|(_, text)| text.to_string());
        let mended = mended.unwrap_or_default();
        assert_eq!(mended.matches("D # 64 / 8").count(), 3, "{mended}");
        assert_eq!(mended.matches("D # 64 % 8").count(), 3, "{mended}");
        assert!(
            mended.contains("vector_split::<m![D # 64 / 4], m![D # 64 % 4]>()"),
            "{mended}"
        );
    }

    /// Everything that is open in what a text becomes by the fixes of its findings, speed left out, with that text.
    fn mended(text: &str) -> (Vec<&'static str>, String) {
        let mut workspace = Workspace::new();
        workspace.set_files([("k.rs", text)]);
        fix_all(&mut workspace, Trust::Maybe);
        let mended = workspace.files().next().map(|(_, text)| text.to_string());
        let found = workspace.analysis().check_file("k.rs").diagnostics;
        let found = found
            .iter()
            .filter(|found| found.default_level == Level::Deny);
        (
            found.map(|found| found.rule).collect(),
            mended.unwrap_or_default(),
        )
    }

    #[test]
    fn a_stream_that_is_padded_takes_its_tensors_along() {
        let bare = KERNEL.replace("m![D # 64]", "m![D]");
        assert_eq!(places(&bare), [(14, false, 5)]);
        let found = check(&bare);
        let fault = found
            .iter()
            .find(|found| found.rule == "stride_indivisible");
        let titles = fault.map(written).unwrap_or_default();
        assert_eq!(
            titles[0].0,
            "Pad `D` to 64 first, in all 6 places, and in 2 types of tensors"
        );
        assert!(titles[0].1.contains(&"D # 64".to_owned()), "{titles:?}");
        let (left, text) = mended(&bare);
        assert_eq!(left, [""; 0], "{text}");
        assert_eq!(text.matches("m![S], m![D # 64]>").count(), 2, "{text}");
        assert_eq!(
            text.matches("HbmTensor<f32, Chip, m![S, D]>").count(),
            2,
            "{text}"
        );
    }

    #[test]
    fn streams_and_turbofish_are_padded_where_they_hold_all() {
        // 60 bytes are no whole rows of a bank, so that the fetch has to be padded as well.
        let text = "use furiosa_visa_std::prelude::*;
axes![S = 256, D = 60];
type Cluster = m![1 # 2];
fn pack(ctx: &mut Context, x: &HbmTensor<i8, m![1], m![S, D]>) -> DmTensor<i8, m![1], Cluster, m![S], m![D]> {
    let x = x.to_dm::<Cluster, m![S], m![D]>(&mut ctx.tdma, 0);
    ctx.main
        .begin(x.view())
        .fetch::<i8, m![1], m![D]>()
        .collect::<m![D / 32], m![D % 32]>()
        .commit(0x400)
}
";
        let (left, text) = mended(text);
        assert_eq!(left, [""; 0], "{text}");
        assert!(text.contains("Cluster, m![S], m![D # 64]> {"), "{text}");
        assert!(
            text.contains("to_dm::<Cluster, m![S], m![D # 64]>"),
            "{text}"
        );
        assert!(text.contains("fetch::<i8, m![1], m![D # 64]>"), "{text}");
        // What a kernel takes and gives is its author's.
        let kernel = text
            .replace("D # 64", "D")
            .replace("fn pack(", "#[device(chip = 1)]\nfn pack(");
        let (_, kept) = mended(&kernel);
        assert!(kept.contains("Cluster, m![S], m![D]> {"), "{kept}");
    }

    #[test]
    fn tensors_are_padded_in_aliases() {
        let bare = KERNEL
            .replace("DmTensor<f32, Chip, Cluster, m![S], m![D # 64]>", "Rows")
            .replace(
                "type Chip",
                "type Rows = DmTensor<f32, Chip, Cluster, m![S], m![D]>;\ntype Chip",
            );
        let (left, text) = mended(&bare);
        assert_eq!(left, [""; 0], "{text}");
        assert!(text.contains("m![S], m![D # 64]>;"), "{text}");
        // The alias of a mapping may serve tensors in HBM, so it is padded where it is used.
        let named = KERNEL
            .replace("m![D # 64]>", "Row>")
            .replace("type Chip", "type Row = m![D];\ntype Chip");
        let (left, text) = mended(&named);
        assert_eq!(left, [""; 0], "{text}");
        assert!(text.contains("type Row = m![D];"), "{text}");
        assert_eq!(
            text.matches("m![S], m![{ Row } # 64]>").count(),
            2,
            "{text}"
        );
    }

    #[test]
    fn signatures_and_callers_are_padded_alike() {
        let rows = "DmTensor<f32, Chip, Cluster, m![S], m![D]>";
        let (head, body) = KERNEL.split_once("#[device").unwrap_or_default();
        let (_, body) = body
            .split_once("to_dm(&mut ctx.tdma, 0);")
            .unwrap_or_default();
        let (chain, _) = body.split_once("    y.to_hbm").unwrap_or_default();
        let chain = chain.replace("m![D # 64]", "m![D]");
        let helper =
            format!("fn halve(ctx: &mut Context, x: &{rows}) -> {rows} {{{chain}    y\n}}\n");
        let kernel = format!(
            "#[device(chip = 1)]
fn scale(ctx: &mut Context, x: &HbmTensor<f32, Chip, m![S, D]>) -> HbmTensor<f32, Chip, m![S, D]> {{
    let x: {rows} = x.to_dm(&mut ctx.tdma, 0);
    let y: {rows} = halve(ctx, &x);
    y.to_hbm(&mut ctx.tdma, 1 << 28)
}}
"
        );
        let (left, text) = mended(&format!("{head}{helper}{kernel}"));
        assert_eq!(left, [""; 0], "{text}");
        // Two in the signature, one in the helper, two in the caller.
        assert_eq!(text.matches("m![S], m![D # 64]>").count(), 5, "{text}");
        assert_eq!(text.matches("m![D]").count(), 0, "{text}");
        // A caller of another file is not rewritten: the fix is withheld, and nothing is half padded.
        let mut workspace = Workspace::new();
        let helper = format!("{head}pub {helper}");
        let kernel = format!("{head}use crate::helper::halve;\n{kernel}");
        workspace.set_files([
            ("src/lib.rs", format!("mod helper;\n{kernel}").as_str()),
            ("src/helper.rs", helper.as_str()),
        ]);
        let found = workspace.analysis().check_file("src/helper.rs").diagnostics;
        assert!(found.iter().any(|found| found.rule == "stride_indivisible"));
        fix_all(&mut workspace, Trust::Maybe);
        let after: Vec<String> = workspace
            .files()
            .map(|(_, text)| text.to_string())
            .collect();
        assert!(
            after.iter().all(|text| !text.contains("# 64")),
            "{after:#?}"
        );
    }

    #[test]
    fn splits_of_several_levels_are_padded_alike() {
        // Blocks of 8 alone would ask for 104 of the 100 positions, those of 32 ask for 128.
        let text = "use furiosa_visa_std::prelude::*;
axes![D = 100];
type Time = m![D / 32, D / 8 % 4];
type Half = m![D / 2 % 16];
type Packet = m![D % 8];
";
        let found = check(text);
        let [found] = found.as_slice() else {
            panic!("{found:#?}");
        };
        let texts: Vec<&str> = found.fixes[0]
            .edits
            .iter()
            .map(|edit| edit.text.as_str())
            .collect();
        assert_eq!(texts, ["# 128 / 32", "# 128 / 8", "# 128 / 2", "# 128 % 8"]);
        assert_eq!(found.fixes[0].applicability, Applicability::Maybe);
        let related: Vec<_> = found
            .related
            .iter()
            .map(|place| place.message.as_str())
            .collect();
        assert_eq!(
            related[1],
            "50 positions of `D / 2` do not divide into blocks of 16: 2 are left over"
        );
    }

    #[test]
    fn other_axes_and_other_numbers_are_other_causes() {
        let text = "use furiosa_visa_std::prelude::*;
axes![D = 60, Q = 60];
type One = m![D / 8, D % 8];
type Two = m![Q / 8, Q % 8];
type Three = m![D / 7];
";
        assert_eq!(places(text), [(3, false, 1), (4, false, 1), (5, false, 0)]);
    }

    #[test]
    fn a_split_that_is_right_stays_so() {
        // 34 positions are whole blocks of 17 and none of 16.
        let text = "use furiosa_visa_std::prelude::*;
axes![K = 32];
fn f() {
    type Time = m![K / 17];
    type Packet = m![K % 16];
}
";
        let found = check(text);
        let [found] = found.as_slice() else {
            panic!("{found:#?}");
        };
        let titles: Vec<&str> = found.fixes.iter().map(|fix| fix.title.as_str()).collect();
        assert_eq!(titles, ["Use blocks of 16", "Use blocks of 32"]);
    }

    #[test]
    fn a_name_that_is_unknown_is_one_finding_a_module() {
        let text = "use furiosa_visa_std::prelude::*;
axes![Tokens = 64];
type One = m![Token / 8, Token % 8];
type Two = m![Token];
mod inner {
    use furiosa_visa_std::prelude::*;
    type Three = m![Token];
}
";
        assert_eq!(places(text), [(3, false, 2), (7, false, 0)]);
        let found = check(text);
        assert_eq!(found[0].fixes.len(), 1);
        assert_eq!(found[0].fixes[0].edits.len(), 3);
        assert_eq!(found[0].fixes[0].applicability, Applicability::Maybe);
    }

    #[test]
    fn levels_of_a_wrong_size_are_one_finding_a_function() {
        let text = "use furiosa_visa_std::prelude::*;
axes![S = 128, D = 64];
#[device(chip = 1)]
fn two(ctx: &mut Context, x: &HbmTensor<f32, m![1], m![S, D]>, y: &HbmTensor<f32, m![1], m![S, D]>) {
    let a: DmTensor<f32, m![1], m![1 # 2], m![S], m![D]> = x.to_dm(&mut ctx.tdma, 0);
    let b: DmTensor<f32, m![1], m![1 # 2], m![S], m![D]> = y.to_dm(&mut ctx.tdma, 4096);
}
#[device(chip = 1)]
fn one(ctx: &mut Context, x: &HbmTensor<f32, m![1], m![S, D]>) {
    let a: DmTensor<f32, m![1], m![1 # 2], m![S], m![D]> = x.to_dm(&mut ctx.tdma, 0);
}
";
        assert_eq!(places(text), [(5, false, 1), (10, false, 0)]);
        let found = check(text);
        assert_eq!(
            written(&found[0]),
            [(
                "Write `m![S # 256]`, in all 2 places".to_owned(),
                vec!["m![S # 256]".to_owned()]
            )]
        );
        assert_eq!(found[0].fixes[0].edits.len(), 2);
    }

    #[test]
    fn a_suppression_of_the_first_place_covers_the_function() {
        let allow = "// visa-lint: allow(stride_indivisible)\n        ";
        let first = KERNEL.replace(".fetch", &format!("{allow}.fetch"));
        assert_eq!(places(&first), [(15, true, 5)]);
        // Of another place it takes out that one.
        let third = KERNEL.replace(".collect", &format!("{allow}.collect"));
        assert_eq!(places(&third), [(14, false, 4), (16, true, 0)]);
        let both = third.replace(".fetch", &format!("{allow}.fetch"));
        assert_eq!(
            places(&both),
            [(15, true, 5)],
            "and none of the two is of no use"
        );
        // Another function is judged on its own.
        let again = KERNEL
            .split_once("#[device")
            .map(|(_, rest)| rest.replace("scale", "other"));
        let two = format!("{first}\n#[device{}", again.unwrap_or_default());
        assert_eq!(places(&two), [(15, true, 5), (32, false, 5)]);
    }

    #[test]
    fn many_places_are_counted() {
        let mappings: Vec<String> = (0..40)
            .map(|n| format!("type T{n} = m![D / 8];\n"))
            .collect();
        let text = format!(
            "use furiosa_visa_std::prelude::*;\naxes![D = 60];\n{}",
            mappings.concat()
        );
        let found = check(&text);
        let [found] = found.as_slice() else {
            panic!("{found:#?}");
        };
        assert_eq!(found.related.len(), super::PLACES);
        assert_eq!(found.notes, ["the same in 15 more places"]);
        assert_eq!(found.fixes[0].edits.len(), 40);
    }
}
