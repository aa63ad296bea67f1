//! The outline of a file, what can be hidden, lines above functions, and the names of operands.

use super::super::analysis::{Analysis, Facts};
use super::super::program::Function;
use super::super::transfers::CopyKind;
use super::super::values::Memory;
use super::{byte_range, tables};
use visa_base::numbers::counted;
use visa_findings::answers::{Folding, HintKind, InlayHint, Lens, Symbol, SymbolKind};
use visa_transfer::{Side, Transfer};

fn named_functions(analysis: &Analysis) -> impl Iterator<Item = (&Function, &Facts)> {
    analysis
        .functions()
        .filter(|(function, _)| function.name.is_some())
}

/// The functions of a file.
pub(in super::super) fn file_symbols(analysis: &Analysis) -> Vec<Symbol> {
    named_functions(analysis)
        .filter_map(|(function, facts)| {
            let copies = facts.derived.len();
            let kind = if copies > 0 {
                SymbolKind::Kernel
            } else {
                SymbolKind::Function
            };
            Some(Symbol {
                name: function.title(&analysis.file).to_owned(),
                kind,
                detail: (copies > 0).then(|| counted(copies as u64, "transfer")),
                range: byte_range(function.place(&analysis.file)),
                selection: byte_range(function.name?),
                children: Vec::new(),
            })
        })
        .collect()
}

/// The regions of a file that go over several lines.
pub(in super::super) fn folding_ranges(analysis: &Analysis) -> Vec<Folding> {
    let file = &analysis.file;
    let regions = file.regions.iter().filter(|region| region.owner.is_some());
    regions
        .filter_map(|region| {
            let first = file.token(region.tokens.start).place;
            let last = file.token(region.tokens.end.checked_sub(1)?).place;
            let place = first.span_to(last);
            file.text_at(place).contains('\n').then(|| Folding {
                range: byte_range(place),
                collapsed: None,
            })
        })
        .collect()
}

/// Bytes that all copies of a kind move, each once, if all are known.
pub(in super::super) fn bytes_of(facts: &Facts, kind: CopyKind) -> Option<i128> {
    let copies = facts
        .derived
        .iter()
        .filter(|derived| derived.copy.kind == kind);
    copies
        .map(|derived| derived.transfer.as_ref().and_then(Transfer::moved))
        .try_fold(0_i128, |sum, bytes| sum.checked_add(bytes?))
}

/// The highest byte of UB that the copies of a function touch, as far as their addresses are known.
pub(in super::super) fn highest_ub_byte(facts: &Facts) -> Option<i128> {
    let ends = facts.derived.iter().flat_map(|derived| {
        [Side::Source, Side::Target]
            .into_iter()
            .filter_map(move |side| {
                if derived.copy.kind.memory(side) != Memory::Ub {
                    return None;
                }
                let extent = derived.transfer.as_ref()?.extent(side)?;
                Some(i128::from(derived.address(side)?) + extent.high)
            })
    });
    ends.max()
}

/// A line above each function with transfers.
pub(in super::super) fn function_lenses(analysis: &Analysis) -> Vec<Lens> {
    named_functions(analysis)
        .filter(|(_, facts)| !facts.derived.is_empty())
        .filter_map(|(function, facts)| {
            let copies = facts.derived.len();
            let mut title = counted(copies as u64, "transfer");
            for (kind, word) in [(CopyKind::GmToUb, "in"), (CopyKind::UbToGm, "out")] {
                let bytes = bytes_of(facts, kind).map(tables::signed_thousands);
                let bytes = bytes.unwrap_or_else(|| "unknown".to_owned());
                title.push_str(&format!(", {bytes} bytes {word}"));
            }
            if let Some(peak) = highest_ub_byte(facts) {
                title.push_str(&format!(", UB to {}", tables::signed_thousands(peak)));
            }
            Some(Lens {
                range: byte_range(function.name?),
                title,
                kernel: function.title(&analysis.file).to_owned(),
                cycles: None,
                mend: None,
            })
        })
        .collect()
}

/// The names of operands before them, where all lines have hints.
pub(in super::super) fn inlay_hints(analysis: &Analysis) -> Vec<InlayHint> {
    let mut hints = Vec::new();
    for (_, facts) in analysis.functions() {
        for derived in &facts.derived {
            for (field, given) in &derived.copy.fields {
                hints.push(InlayHint {
                    offset: given.place().start,
                    label: format!("{}:", field.name(derived.copy.kind)),
                    tooltip: None,
                    kind: HintKind::Stream,
                });
            }
        }
    }
    hints
}
