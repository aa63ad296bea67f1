//! PTO files: MLIR text of the PTO dialect, as far as data moves between global memory and the Unified Buffer.
//!
//! Data flows one way: text to operations, operations to functions of actions, and from these transfers, registers and order;
//! rules, hovers and cost read what was derived. The front end answers what the rest of the program asks about a file.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]

mod analysis;
mod cost;
mod ide;
mod order;
mod parts;
mod program;
mod queries;
mod registers;
mod rules;
mod schedule;
mod syntax;
#[cfg(test)]
mod tests;
mod tiles;
mod transfers;
mod values;

use std::sync::Arc;

use visa_base::db::Db;
use visa_findings::answers::{
    Assist, ByteRange, Completion, Folding, Highlight, HintLevel, Hover, InlayHint, Lens, Place,
    RenameProblem, Symbol,
};
use visa_findings::front_end::{
    self, EditorAnswers, FrontEnd, FrontEndReport, Placing, TransferCost, TransferSite, Unresolved,
};
use visa_findings::report::FileEdit;
use visa_findings::{Rule, TextSpan};
use visa_inputs::{SourceFile, options, shown_path};

use rustc_hash::FxHashSet;

use analysis::Analysis;
use ide::Seen;
use program::Function;
use queries::{Part, PartReport};
use rules::FlagKey;
use tiles::{TileOperation, is_tile_operation};

/// The front end.
#[derive(Debug, Clone, Copy)]
pub struct Pto;

impl FrontEnd for Pto {
    fn rules(&self) -> &'static [&'static Rule] {
        rules::RULES
    }

    fn report(&self, db: &dyn Db, file: SourceFile) -> Arc<FrontEndReport> {
        report(db, file)
    }

    fn costs(&self, db: &dyn Db, file: SourceFile) -> Vec<TransferCost> {
        let options = options(db, file).pto;
        let mut costs = Vec::new();
        for (part, placing) in placed_parts(db, file) {
            let own = cost::transfer_costs(&queries::analysed(db, part), options);
            costs.extend(own.into_iter().map(|cost| placed_cost(cost, &placing)));
        }
        costs.sort_by_key(|cost| cost.span);
        costs
    }
}

impl EditorAnswers for Pto {
    fn hover(&self, db: &dyn Db, file: SourceFile, offset: u32) -> Option<Hover> {
        ask_part_at(db, file, offset, |seen, offset| {
            let mut hover = ide::hover_at(seen, offset)?;
            hover.range = seen.placing.range(hover.range);
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
        let mut hints = collect_parts(db, file, |seen, hints: &mut Vec<InlayHint>| {
            for mut hint in ide::inlay_hints(seen) {
                hint.offset = seen.placing.byte(hint.offset);
                hints.push(hint);
            }
        });
        hints.retain(|hint| range.touches(hint.offset));
        hints.sort_by_key(|hint| hint.offset);
        hints
    }

    fn lenses(&self, db: &dyn Db, file: SourceFile) -> Vec<Lens> {
        let mut lenses = collect_parts(db, file, |seen, lenses: &mut Vec<Lens>| {
            for mut lens in ide::function_lenses(seen) {
                lens.range = seen.placing.range(lens.range);
                lenses.push(lens);
            }
        });
        lenses.sort_by_key(|lens| lens.range);
        lenses
    }

    fn completions(&self, db: &dyn Db, file: SourceFile, offset: u32) -> Vec<Completion> {
        let found = ask_part_at(db, file, offset, |seen, offset| {
            let mut found = ide::completions_at(seen, offset);
            for one in &mut found {
                one.replace = seen.placing.range(one.replace);
            }
            Some(found)
        });
        found.unwrap_or_default()
    }

    fn definition(&self, db: &dyn Db, file: SourceFile, offset: u32) -> Vec<Place> {
        let found = ask_part_at(db, file, offset, |seen, offset| {
            let (definition, _) = ide::name_places(seen, offset)?;
            Some(in_file(db, file, seen, definition))
        });
        found.into_iter().collect()
    }

    fn references(
        &self,
        db: &dyn Db,
        file: SourceFile,
        offset: u32,
        with_declaration: bool,
    ) -> Vec<Place> {
        let found = ask_part_at(db, file, offset, |seen, offset| {
            let (definition, mut all) = ide::name_places(seen, offset)?;
            all.extend(with_declaration.then_some(definition));
            all.sort();
            let all = all.into_iter();
            Some(all.map(|place| in_file(db, file, seen, place)).collect())
        });
        found.unwrap_or_default()
    }

    fn highlights(&self, db: &dyn Db, file: SourceFile, offset: u32) -> Vec<Highlight> {
        let found = ask_part_at(db, file, offset, |seen, offset| {
            let mut found = ide::name_highlights(seen, offset);
            for one in &mut found {
                one.range = seen.placing.range(one.range);
            }
            Some(found)
        });
        found.unwrap_or_default()
    }

    fn prepare_rename(
        &self,
        db: &dyn Db,
        file: SourceFile,
        offset: u32,
    ) -> Result<(ByteRange, String), RenameProblem> {
        let found = ask_part_at(db, file, offset, |seen, offset| {
            let found = ide::rename_place(seen, offset);
            Some(found.map(|(range, name)| (seen.placing.range(range), name)))
        });
        found.unwrap_or_else(|| Err(ide::nothing_to_rename()))
    }

    fn rename(
        &self,
        db: &dyn Db,
        file: SourceFile,
        offset: u32,
        name: &str,
    ) -> Result<Vec<FileEdit>, RenameProblem> {
        let path = shown_path(db, file);
        let found = ask_part_at(db, file, offset, |seen, offset| {
            let renamed = ide::renamed_places(seen, offset, name);
            Some(renamed.map(|(places, name)| {
                let edits = places.into_iter().map(|place| {
                    let range = seen.placing.range(ide::byte_range(place));
                    FileEdit {
                        file: path.clone(),
                        start_byte: range.start,
                        end_byte: range.end,
                        text: name.clone(),
                    }
                });
                edits.collect()
            }))
        });
        found.unwrap_or_else(|| Err(ide::nothing_to_rename()))
    }

    fn symbols(&self, db: &dyn Db, file: SourceFile) -> Vec<Symbol> {
        let mut symbols = collect_parts(db, file, |seen, symbols: &mut Vec<Symbol>| {
            for mut symbol in ide::file_symbols(seen) {
                symbol.range = seen.placing.range(symbol.range);
                symbol.selection = seen.placing.range(symbol.selection);
                symbols.push(symbol);
            }
        });
        symbols.sort_by_key(|symbol| symbol.range);
        symbols
    }

    fn folding_ranges(&self, db: &dyn Db, file: SourceFile) -> Vec<Folding> {
        let mut found = collect_parts(db, file, |seen, found: &mut Vec<Folding>| {
            for mut folding in ide::folding_ranges(seen) {
                folding.range = seen.placing.range(folding.range);
                found.push(folding);
            }
        });
        found.sort_by_key(|folding| folding.range);
        found
    }

    fn assists(&self, db: &dyn Db, file: SourceFile, selection: ByteRange) -> Vec<Assist> {
        let path = shown_path(db, file);
        let found = ask_part_at(db, file, selection.start, |seen, offset| {
            let mut found = ide::assists_at(seen, &path, offset);
            for edit in found.iter_mut().flat_map(|assist| &mut assist.edits) {
                let range = seen.placing.range(ByteRange {
                    start: edit.start_byte,
                    end: edit.end_byte,
                });
                (edit.start_byte, edit.end_byte) = (range.start, range.end);
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
    ask: impl FnOnce(&Seen<'_>, u32) -> Option<T>,
) -> Option<T> {
    let (part, placing, offset) = front_end::part_at(placed_parts(db, file), offset)?;
    let seen = Seen {
        analysis: &queries::analysed(db, part),
        text: &file.text(db),
        placing: &placing,
    };
    ask(&seen, offset)
}

/// Collects what each part gives.
fn collect_parts<T: Default>(
    db: &dyn Db,
    file: SourceFile,
    mut collect: impl FnMut(&Seen<'_>, &mut T),
) -> T {
    let text = file.text(db);
    let mut all = T::default();
    for (part, placing) in placed_parts(db, file) {
        let seen = Seen {
            analysis: &queries::analysed(db, part),
            text: &text,
            placing: &placing,
        };
        collect(&seen, &mut all);
    }
    all
}

fn in_file(db: &dyn Db, file: SourceFile, seen: &Seen<'_>, place: syntax::Place) -> Place {
    Place {
        file: shown_path(db, file),
        range: seen.placing.range(ide::byte_range(place)),
    }
}

/// A function's costs at its places in the file.
fn placed_cost(mut cost: TransferCost, placing: &Placing) -> TransferCost {
    cost.span = placing.span(cost.span);
    for row in &mut cost.rows {
        row.span = placing.span(row.span);
    }
    cost
}

/// The operations of a text, parsed and nothing else: for benchmarks.
pub fn pto_operations(text: &str) -> usize {
    syntax::parse(text).operations.len()
}

/// What is known of a file.
#[salsa::tracked(returns(clone))]
fn report(db: &dyn Db, file: SourceFile) -> Arc<FrontEndReport> {
    let mut all = FrontEndReport::default();
    let mut unanswered = Vec::new();
    for (part, placing) in placed_parts(db, file) {
        let own = queries::checked(db, part);
        let findings = own.checked.findings.iter().cloned();
        all.findings
            .extend(findings.map(|finding| placing.place_finding(finding)));
        all.transfers
            .extend(own.transfers.iter().map(|site| TransferSite {
                span: placing.span(site.span),
                ..site.clone()
            }));
        all.kernels += own.kernels;
        all.syntax_errors += own.syntax_errors;
        if !own.checked.unanswered.is_empty() {
            unanswered.push((&own.checked.unanswered, placing));
        }
    }
    if !unanswered.is_empty() {
        // A flag of one function may be meant for another one of the file.
        let parts = queries::file_parts(db, file).iter();
        let flags: FxHashSet<&FlagKey> = parts
            .flat_map(|part| &queries::checked(db, *part).checked.flags)
            .collect();
        for (own, placing) in unanswered {
            let holds = own.iter().filter(|(answer, _)| !flags.contains(answer));
            all.findings
                .extend(holds.map(|(_, finding)| placing.place_finding(finding.clone())));
        }
    }
    if all.transfers.is_empty() && all.findings.is_empty() {
        all.not_followed = nothing_followed(db, file);
    }
    all.findings
        .sort_by_key(|finding| (finding.span, finding.rule));
    all.transfers.sort_by_key(|site| site.span);
    Arc::new(all)
}

/// Of a file without a transfer or a flag: its first operation of the dialect, which stands for all of them.
fn nothing_followed(db: &dyn Db, file: SourceFile) -> Option<(TextSpan, Unresolved)> {
    let parts = placed_parts(db, file).filter_map(|(part, placing)| {
        let own = queries::checked(db, part);
        let has_flags = !own.checked.flags.is_empty();
        let (span, what) = own.first_operation.as_ref()?;
        Some((has_flags, placing.span(*span), what))
    });
    let parts: Vec<_> = parts.collect();
    if parts.iter().any(|(has_flags, ..)| *has_flags) {
        return None;
    }
    let (_, span, what) = parts.into_iter().min_by_key(|(_, span, _)| *span)?;
    let unresolved = Unresolved {
        what: what.clone(),
        reason: "no transfer in the file is recognised".to_owned(),
    };
    Some((span, unresolved))
}

/// The moves of tiles, and what moves data in a way that is not followed.
fn tile_sites<'a>(
    analysis: &'a Analysis,
    function: &'a Function,
) -> impl Iterator<Item = TransferSite> + 'a {
    let file = &analysis.file;
    let moves = function
        .tiles
        .iter()
        .filter_map(|operation| match operation {
            TileOperation::Move(moved) => Some((moved.operation, moved.unknown.clone())),
            _ => None,
        });
    let others = function.unfollowed.iter();
    let others = others.map(|&(operation, reason)| (operation, Some(reason.to_owned())));
    moves.chain(others).map(|(operation, reason)| {
        let name = file.operation(operation).name;
        TransferSite {
            span: TextSpan::new(name.start, name.end),
            unresolved: reason.map(|reason| Unresolved {
                what: file.name(operation).to_owned(),
                reason,
            }),
        }
    })
}

fn report_of(analysis: &Analysis) -> PartReport {
    let file = &analysis.file;
    let mut transfers = Vec::new();
    let mut kernels = 0;
    for (function, facts) in analysis.functions() {
        let sites = transfers.len();
        for derived in &facts.derived {
            let name = file.operation(derived.operation()).name;
            let reason = match function.not_followed {
                Some(reason) if derived.transfer.is_none() => Some(reason.to_owned()),
                _ => derived.unknown.clone(),
            };
            transfers.push(TransferSite {
                span: TextSpan::new(name.start, name.end),
                unresolved: reason.map(|reason| Unresolved {
                    what: file.name(derived.operation()).to_owned(),
                    reason,
                }),
            });
        }
        transfers.extend(tile_sites(analysis, function));
        kernels += u64::from(transfers.len() > sites);
    }
    let mut operations = file.ids();
    let first =
        operations.find(|&id| file.dialect(id) == "pto" && !is_tile_operation(file.name(id)));
    PartReport {
        first_operation: first.map(|id| {
            let name = file.operation(id).name;
            (
                TextSpan::new(name.start, name.end),
                file.name(id).to_owned(),
            )
        }),
        checked: rules::check_part(analysis),
        transfers,
        kernels,
        syntax_errors: u64::try_from(file.problems.len()).unwrap_or(u64::MAX),
    }
}
