//! Mappings in words: each with the level that it is the mapping of, and the parts of one with their sizes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::wording::mapping_macro_text;
use super::{Finding, Fix};
use crate::items::Span;
use crate::kernel::{Body, Level, Levels, OperationKind, StreamShape, Written};
use crate::mapping::{Mapping, MappingKind};

/// The word for a level.
const fn to_finding(level: Level) -> &'static str {
    match level {
        Level::Chip => "Chip",
        Level::Cluster => "Cluster",
        Level::Slice => "Slice",
        Level::Pe => "Pe",
        Level::Row => "Row",
        Level::Element => "Element",
        Level::Time => "Time",
        Level::Packet => "Packet",
    }
}

/// The levels of a stream, outermost first.
fn of_stream(shape: &StreamShape) -> impl Iterator<Item = (Level, &Written<Mapping>)> {
    [
        (Level::Chip, Some(&shape.chip)),
        (Level::Cluster, Some(&shape.cluster)),
        (Level::Slice, Some(&shape.slice)),
        (Level::Row, shape.row.as_ref()),
        (Level::Time, Some(&shape.time)),
        (Level::Packet, Some(&shape.packet)),
    ]
    .into_iter()
    .filter_map(|(level, mapping)| mapping.map(|mapping| (level, mapping)))
}

/// All levels of a tensor: `Chip 1, Cluster 1 # 2, Slice N / 256, Element [M, N % 256]`. None where one is unknown.
pub(super) fn tensor_levels_text(levels: &Levels) -> Option<String> {
    labelled(levels.iter())
}

/// All levels of a stream: `Chip 1, Cluster 1 # 2, Slice N / 256, Time M, Packet N % 256`. None where one is unknown.
pub(super) fn stream_levels_text(shape: &StreamShape) -> Option<String> {
    labelled(of_stream(shape))
}

fn labelled<'a>(levels: impl Iterator<Item = (Level, &'a Written<Mapping>)>) -> Option<String> {
    let levels = levels.map(|(level, written)| {
        let mapping = written.get()?;
        let level = to_finding(level);
        Some(match mapping.kind() {
            MappingKind::Product(_) => format!("{level} [{mapping}]"),
            _ => format!("{level} {mapping}"),
        })
    });
    let levels: Vec<String> = levels.collect::<Option<_>>()?;
    Some(levels.join(", "))
}

/// What arrives step by step: ``Time `m![A]`, Packet `m![B]` ``.
pub(super) fn steps_text(time: &Mapping, packet: &Mapping) -> String {
    format!(
        "Time `{}`, Packet `{}`",
        mapping_macro_text(time),
        mapping_macro_text(packet)
    )
}

/// The positions that run over an axis; 0 where none does.
pub(super) fn axis_positions(mapping: &Mapping, axis: &str) -> u64 {
    let digits = mapping.form().digits().iter();
    let own = digits.filter(|digit| digit.is_part_of(axis));
    own.fold(0, |positions: u64, digit| {
        positions.max(1).saturating_mul(digit.live)
    })
}

/// Axes with the positions that a mapping has of them: `` `B` (64 positions) and `C` (8 positions) ``.
pub(super) fn sized(axes: &[String], holder: Option<&Mapping>) -> String {
    let sized = axes.iter().map(|axis| {
        let positions = holder.map_or(0, |holder| axis_positions(holder, axis));
        match positions {
            0 => format!("`{axis}`"),
            1 => format!("`{axis}` (1 position)"),
            _ => format!("`{axis}` ({positions} positions)"),
        }
    });
    let sized: Vec<String> = sized.collect();
    match sized.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Names the levels in the titles of fixes that write mappings and nothing else.
pub(super) fn label_fixes(body: &Body, findings: &mut [Finding]) {
    let bare = |fix: &Fix| fix.title == fix_title(fix);
    let mut fixes = findings
        .iter_mut()
        .flat_map(|finding| &mut finding.fixes)
        .filter(|fix| bare(fix))
        .peekable();
    if fixes.peek().is_none() {
        return;
    }
    let levels = levels_by_place(body);
    for fix in fixes {
        let mut named = FxHashSet::default();
        let parts = fix.edits.iter().map(|edit| {
            let level = levels.get(&edit.span).copied().flatten()?;
            // The same level of two tensors is told apart by neither.
            named
                .insert(to_finding(level))
                .then(|| format!("{} `{}`", to_finding(level), edit.text))
        });
        if let Some(parts) = parts.collect::<Option<Vec<_>>>() {
            fix.title = format!("Write {}", parts.join(", "));
        }
    }
}

/// The title of a fix that writes mappings, as it is proposed.
fn fix_title(fix: &Fix) -> String {
    let texts: Vec<&str> = fix.edits.iter().map(|edit| edit.text.as_str()).collect();
    format!("Write `{}`", texts.join(", "))
}

/// The level that the mapping at a place is of; none for an alias that serves several.
fn levels_by_place(body: &Body) -> FxHashMap<Span, Option<Level>> {
    let mut levels: FxHashMap<Span, Option<Level>> = FxHashMap::default();
    let mut note = |(level, mapping): (Level, &Written<Mapping>)| {
        for place in [Some(mapping.span), mapping.used_at].into_iter().flatten() {
            let known = levels.entry(place).or_insert(Some(level));
            if *known != Some(level) {
                *known = None;
            }
        }
    };
    for tensor in &body.tensors {
        tensor.levels.iter().for_each(&mut note);
    }
    for operation in &body.operations {
        if let OperationKind::Pass(pass) = &operation.kind {
            for stage in &pass.stages {
                of_stream(&stage.output).for_each(&mut note);
            }
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::mapping;

    const AXES: &[(&str, u64)] = &[("A", 64), ("B", 8), ("C", 3)];

    #[test]
    fn parts_are_named_with_their_sizes() {
        let holder = mapping("A / 8, C # 4, A % 8", AXES);
        let axes = ["A", "B", "C"].map(str::to_owned);
        assert_eq!(
            sized(&axes, Some(&holder)),
            "`A` (64 positions), `B` and `C` (3 positions)"
        );
        assert_eq!(sized(&axes[1..2], None), "`B`");
        assert_eq!(sized(&[], None), "nothing");
    }
}
