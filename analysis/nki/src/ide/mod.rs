//! What an editor shows in NKI kernels: hovers, hints, lenses and proposals.
//!
//! Knows words and places; all numbers are from `transfers`, `rules` and `cost`. What else Python needs, Python's own server says.

mod completion;
mod hover;

pub use completion::completions_at;
pub use hover::hover_at;

use std::collections::BTreeMap;

use super::Analysed;
use super::names::Mode;
use super::symbols::Size;
use super::transfers::Transfer;
use super::types::{Shape, Span};
use visa_base::numbers::{counted, thousands};
use visa_findings::answers::{ByteRange, HintKind, InlayHint, Lens};

impl From<Span> for ByteRange {
    fn from(span: Span) -> Self {
        Self {
            start: span.start,
            end: span.end,
        }
    }
}

/// The shapes behind assignments of tensors and views; at the level of lines only.
pub fn inlay_hints(analysed: &Analysed) -> Vec<InlayHint> {
    let mut hints: Vec<InlayHint> = analysed
        .followed
        .named
        .iter()
        .filter(|named| named.is_assigned)
        .filter(|named| matches!(named.tensor.shape, Shape::Known(_)))
        .map(|named| InlayHint {
            offset: named.span.end,
            label: format!(": {}", named.tensor.describe()),
            tooltip: None,
            kind: HintKind::Size,
        })
        .collect();
    hints.sort_by_key(|hint| hint.offset);
    hints.dedup();
    hints
}

/// A line above each function with transfers: instructions by mode, bytes, static descriptors.
pub fn function_lenses(analysed: &Analysed) -> Vec<Lens> {
    let followed = &analysed.followed;
    let mut by_function: BTreeMap<usize, Vec<&Transfer>> = BTreeMap::new();
    for transfer in &followed.transfers {
        if let Some(place) = transfer.function {
            by_function.entry(place).or_default().push(transfer);
        }
    }
    let lenses = by_function.into_iter().filter_map(|(place, transfers)| {
        let function = followed.functions.get(place)?;
        Some(Lens {
            range: function.name_span.into(),
            title: lens_title(analysed, &transfers),
            kernel: function.name.clone(),
            cycles: None,
            mend: None,
        })
    });
    lenses.collect()
}

fn lens_title(analysed: &Analysed, transfers: &[&Transfer]) -> String {
    let mut modes: BTreeMap<Mode, u64> = BTreeMap::new();
    let (mut bytes, mut held) = (Some(0_u64), Some(0_u64));
    let number = |size: Option<Size>| u64::try_from(size?.value()?).ok();
    for transfer in transfers {
        let mode = transfer
            .mode
            .known_value()
            .map_or(Mode::Unknown, |(mode, _)| mode);
        *modes.entry(mode).or_default() += 1;
        let times = number(transfer.times(&analysed.followed.loops));
        let moved = number(transfer.bytes());
        bytes = bytes
            .zip(moved.zip(times))
            .and_then(|(sum, (moved, times))| sum.checked_add(moved.checked_mul(times)?));
        if mode == Mode::Static {
            held = held
                .zip(times)
                .and_then(|(sum, times)| sum.checked_add(times));
        }
    }
    let count = transfers.len();
    let by_mode: Vec<String> = modes
        .iter()
        .map(|(mode, count)| format!("{count} {}", mode.name()))
        .collect();
    let instructions = counted(count as u64, "DMA instruction");
    let mut title = format!("{instructions} ({})", by_mode.join(", "));
    title.push_str(&match bytes {
        Some(bytes) => format!(" · {} bytes", thousands(bytes)),
        None => " · bytes not fully known".to_owned(),
    });
    if modes.contains_key(&Mode::Static) {
        title.push_str(&match held {
            Some(held) => format!(" · {} static descriptors in HBM", thousands(held)),
            None => " · static descriptors in HBM, their number unknown".to_owned(),
        });
    }
    title
}
