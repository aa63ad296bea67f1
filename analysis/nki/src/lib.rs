//! Python kernels for the NeuronCore, written in NKI, as far as their transfers by DMA go.
//!
//! `syntax` parses; `names` knows the API; `symbols` is arithmetic with symbols; `values` follows statements without running any;
//! `transfers` are the calls that it meets. `rules`, `ide` and `cost` read those and derive nothing again. Imports nothing of the rooms
//! of Rust kernels.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]

mod cost;
mod ide;
mod names;
mod parts;
mod queries;
mod rules;
mod symbols;
mod syntax;
mod transfers;
mod types;
mod values;

use std::sync::Arc;

use queries::Part;
use rustc_hash::FxHashSet;
use syntax::remarks::Remarks;
use types::{Generations, Span};
use values::Followed;
use visa_base::db::Db;
use visa_findings::answers::{ByteRange, Completion, HintLevel, Hover, InlayHint, Lens};
use visa_findings::front_end::{
    self, EditorAnswers, FrontEnd, FrontEndReport, Placing, TransferCost, TransferSite, Unresolved,
};
use visa_findings::{Rule, TextSpan};
use visa_inputs::{NkiOptions, SourceFile};

/// The front end.
#[derive(Debug, Clone, Copy)]
pub struct Nki;

impl FrontEnd for Nki {
    fn rules(&self) -> &'static [&'static Rule] {
        rules::RULES
    }

    fn report(&self, db: &dyn Db, file: SourceFile) -> Arc<FrontEndReport> {
        report(db, file)
    }

    fn costs(&self, db: &dyn Db, file: SourceFile) -> Vec<TransferCost> {
        let mut costs = Vec::new();
        for (part, placing) in placed_parts(db, file) {
            for mut cost in cost::transfer_costs(&queries::analysed(db, part)) {
                cost.span = placing.span(cost.span);
                for row in &mut cost.rows {
                    row.span = placing.span(row.span);
                }
                costs.push(cost);
            }
        }
        costs.sort_by_key(|cost| cost.span);
        costs
    }
}

impl EditorAnswers for Nki {
    fn hover(&self, db: &dyn Db, file: SourceFile, offset: u32) -> Option<Hover> {
        ask_part_at(db, file, offset, |analysed, offset, placing| {
            let mut hover = ide::hover_at(analysed, offset)?;
            hover.range = placing.range(hover.range);
            Some(hover)
        })
    }

    fn inlay_hints(
        &self,
        db: &dyn Db,
        file: SourceFile,
        range: ByteRange,
        level: HintLevel,
    ) -> Vec<InlayHint> {
        if level != HintLevel::Line {
            return Vec::new();
        }
        let mut hints = Vec::new();
        for (part, placing) in placed_parts(db, file) {
            for mut hint in ide::inlay_hints(&queries::analysed(db, part)) {
                hint.offset = placing.byte(hint.offset);
                hints.push(hint);
            }
        }
        hints.retain(|hint| range.start <= hint.offset && hint.offset <= range.end);
        hints.sort_by_key(|hint| hint.offset);
        hints
    }

    fn lenses(&self, db: &dyn Db, file: SourceFile) -> Vec<Lens> {
        let mut lenses = Vec::new();
        for (part, placing) in placed_parts(db, file) {
            for mut lens in ide::function_lenses(&queries::analysed(db, part)) {
                lens.range = placing.range(lens.range);
                lenses.push(lens);
            }
        }
        lenses.sort_by_key(|lens| lens.range);
        lenses
    }

    fn completions(&self, db: &dyn Db, file: SourceFile, offset: u32) -> Vec<Completion> {
        let found = ask_part_at(db, file, offset, |analysed, offset, placing| {
            let mut found = ide::completions_at(analysed, offset);
            for one in &mut found {
                one.replace = placing.range(one.replace);
            }
            Some(found)
        });
        found.unwrap_or_default()
    }
}

fn placed_parts(db: &dyn Db, file: SourceFile) -> impl Iterator<Item = (Part<'_>, Placing)> {
    front_end::parts_with_places(
        queries::file_parts(db, file),
        queries::part_placings(db, file),
    )
}

/// Asks the part that a byte of the file is in.
fn ask_part_at<T>(
    db: &dyn Db,
    file: SourceFile,
    offset: u32,
    ask: impl FnOnce(&Analysed, u32, &Placing) -> Option<T>,
) -> Option<T> {
    let (part, placing, offset) = front_end::part_at(placed_parts(db, file), offset)?;
    ask(&queries::analysed(db, part), offset, &placing)
}

/// All that is known of a part of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Analysed {
    text: Arc<str>,
    followed: Arc<Followed>,
    remarks: Arc<Remarks>,
    report: FrontEndReport,
}

/// What is known of a file.
#[salsa::tracked(returns(clone))]
fn report(db: &dyn Db, file: SourceFile) -> Arc<FrontEndReport> {
    let mut all = FrontEndReport::default();
    for (part, placing) in placed_parts(db, file) {
        let own = &queries::judged(db, part).report;
        let findings = own.findings.iter().cloned();
        all.findings
            .extend(findings.map(|finding| placing.place_finding(finding)));
        all.transfers
            .extend(own.transfers.iter().map(|site| TransferSite {
                span: placing.span(site.span),
                ..site.clone()
            }));
        all.kernels += own.kernels;
        all.syntax_errors += own.syntax_errors;
        all.not_analysed = all.not_analysed.or_else(|| own.not_analysed.clone());
    }
    if all.transfers.is_empty() {
        // Silence would look like success.
        for (part, placing) in placed_parts(db, file) {
            for mut site in queries::judged(db, part).kernels.iter().cloned() {
                site.span = placing.span(site.span);
                all.transfers.push(site);
                all.kernels += 1;
            }
        }
    }
    // The head of a function is read with it, and with what is around it.
    let mut seen = FxHashSet::default();
    all.findings
        .retain(|finding| seen.insert((finding.rule, finding.span)));
    let is_silent = all.findings.is_empty() && all.not_analysed.is_none();
    if all.transfers.is_empty() && is_silent && all.syntax_errors == 0 {
        all.not_followed = nothing_followed(&file.text(db));
    }
    all.findings
        .sort_by_key(|finding| (finding.span, finding.rule));
    all.transfers.sort_by_key(|site| site.span);
    Arc::new(all)
}

/// Of a file with functions and without a transfer: the line that imports NKI, which stands for all of it.
fn nothing_followed(text: &str) -> Option<(TextSpan, Unresolved)> {
    if !text.contains("def ") {
        return None;
    }
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let own = line.trim();
        let imports = own.starts_with("import ") || own.starts_with("from ");
        if imports && own.contains("nki") {
            let start = u32::try_from(at + line.len() - line.trim_start().len()).ok()?;
            let end = start.checked_add(u32::try_from(own.len()).ok()?)?;
            let unresolved = Unresolved {
                what: own.to_owned(),
                reason: "the file imports NKI, and no transfer in it is recognised".to_owned(),
            };
            return Some((TextSpan::new(start, end), unresolved));
        }
        at += line.len();
    }
    None
}

/// Judges what following a part found; `proven` is what it finds without the descriptions of arguments, where there are some.
fn analysed_of(
    text: Arc<str>,
    (followed, proven): (Arc<Followed>, Option<&Followed>),
    remarks: Arc<Remarks>,
    errors: &[syntax::SyntaxError],
    release: Option<(u16, u16)>,
) -> Analysed {
    let found = |followed: &Followed| {
        rules::check_file(&rules::Context {
            text: &text,
            remarks: &remarks,
            followed,
            errors,
            release,
            on_gpsimd: rules::Context::on_gpsimd(followed),
        })
    };
    let mut findings = found(&followed);
    let mut transfers = sites(&text, &followed);
    if let Some(proven) = proven {
        findings = rules::with_doubtful(found(proven), findings);
        mark_resolved(&mut transfers, &sites(&text, proven));
    }
    let too_deep = errors.iter().find(|error| error.ends_reading);
    let cut = followed
        .is_cut
        .then(|| "the file has more statements than are followed".to_owned());
    let report = FrontEndReport {
        findings,
        transfers,
        kernels: kernel_count(&followed),
        syntax_errors: u64::try_from(errors.len()).unwrap_or(u64::MAX),
        not_followed: None,
        not_analysed: too_deep.map(|error| error.message.clone()).or(cut),
    };
    Analysed {
        text,
        followed,
        remarks,
        report,
    }
}

/// The generations that a file may run on: what it says itself decides, then the settings.
fn file_generations(remarks: &Remarks, options: NkiOptions) -> Generations {
    let said = remarks
        .first("target")
        .and_then(|remark| types::target_generation(remark.argument.trim()));
    said.or(options.target)
        .map_or(Generations::ANY, Generations::one)
}

/// The release that a file is for.
fn file_release(remarks: &Remarks, options: NkiOptions) -> Option<(u16, u16)> {
    let said = remarks.first("nki").and_then(|remark| {
        let (major, minor) = remark.argument.trim().split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    });
    said.or(options.version)
}

/// Takes those for resolved that are so in another list.
fn mark_resolved(sites: &mut [TransferSite], others: &[TransferSite]) {
    let resolved: FxHashSet<TextSpan> = others
        .iter()
        .filter(|site| site.unresolved.is_none())
        .map(|site| site.span)
        .collect();
    for site in sites {
        if resolved.contains(&site.span) {
            site.unresolved = None;
        }
    }
}

/// What is not looked at, with a reason.
fn not_looked_at(text: &str, span: Span, reason: &str) -> TransferSite {
    TransferSite {
        span: TextSpan::from(span),
        unresolved: Some(Unresolved {
            what: span.text_in(text).to_owned(),
            reason: reason.to_owned(),
        }),
    }
}

fn sites(text: &str, followed: &Followed) -> Vec<TransferSite> {
    let passed_on = followed.mentions.iter();
    let passed_on =
        passed_on.map(|span| not_looked_at(text, *span, "transfer that is passed on, not called"));
    let called = followed.transfers.iter().map(|transfer| TransferSite {
        span: TextSpan::from(transfer.span),
        unresolved: transfer.unresolved().map(|reason| Unresolved {
            what: transfer.callee.text_in(text).to_owned(),
            reason: reason.text().to_owned(),
        }),
    });
    called.chain(passed_on).collect()
}

/// The kernels of a part: what is said of them where no transfer of the file is in sight. What computes in tiles of its own was looked
/// at: rules judge these.
fn without_transfers(text: &str, followed: &Followed) -> Vec<TransferSite> {
    if !followed.uses.is_empty() {
        return Vec::new();
    }
    let kernels = followed
        .functions
        .iter()
        .filter(|function| function.is_kernel);
    let reason = "kernel without a transfer that is followed";
    kernels
        .map(|kernel| not_looked_at(text, kernel.name_span, reason))
        .collect()
}

fn kernel_count(followed: &Followed) -> u64 {
    let mut functions: Vec<Option<usize>> = followed
        .transfers
        .iter()
        .map(|transfer| transfer.function)
        .collect();
    functions.sort_unstable();
    functions.dedup();
    u64::try_from(functions.len()).unwrap_or(u64::MAX)
}
