//! Streams whose parts change places: lifts of the Fetch Engine, matrices that the Transpose Engine turns.
//!
//! Both leave several answers. Candidates are cut from the stream's own iterations, and kept where the derivation of the stage
//! finds nothing wrong with them.

use crate::derivation::{forms, lifts, transpose};
use crate::hardware::transpose_limits;
use crate::kernel::{Level, StageKind, StreamShape, Written};
use crate::mapping::{Form, Mapping, slots};

use super::{Asked, Made, TIME, with_stage};

/// Proposals of a generic at most.
const LIMIT: usize = 8;

/// A stream behind a lift: the level and the time.
struct Lifted {
    level: Form,
    time: Form,
}

impl Asked<'_> {
    /// What a lift of a level makes: the level with a part of the time in the place of copies, and the time without it.
    pub(super) fn lifted(&self, level: Level) -> Option<Vec<Made>> {
        let input = self.pass.output();
        let before = lifts::of_level(input, level)?.get()?.form().clone();
        let chosen = self.mapping(crate::kernel::catalogue::Generic::Level(level));
        let asks_time = self.wanted == TIME;
        let mut found: Vec<Made> = Vec::new();
        for lifted in lifts_of(&before, input.time.get()?.form()) {
            let is_chosen = |chosen: &Mapping| *chosen.form() == lifted.level;
            if asks_time && !chosen.as_ref().is_some_and(is_chosen) {
                continue;
            }
            if !self.can_lift(level, &lifted) {
                continue;
            }
            let copies = before
                .size()
                .min(input.time.get()?.size() / lifted.time.size());
            let made = if asks_time {
                Made {
                    mapping: lifted.time.to_mapping(),
                    words: "the time without what is lifted".into(),
                }
            } else {
                Made {
                    mapping: lifted.level.to_mapping(),
                    words: format!("{copies} copies read a part each").into(),
                }
            };
            if !found
                .iter()
                .any(|known| known.mapping.form() == made.mapping.form())
            {
                found.push(made);
            }
            if found.len() >= LIMIT {
                break;
            }
        }
        Some(found)
    }

    fn can_lift(&self, level: Level, lifted: &Lifted) -> bool {
        let input = self.pass.output();
        let mut output = input.clone();
        output.time = Written::new(lifted.time.to_mapping(), input.time.span);
        let Some(of_level) = of_level_mut(&mut output, level) else {
            return false;
        };
        *of_level = Written::new(lifted.level.to_mapping(), of_level.span);
        let (pass, at) = with_stage(self.pass, StageKind::FetchLift(level), output);
        lifts::derive_lift_fault(&pass, at, level).is_none()
    }

    /// The matrices that the innermost iterations make, those of most rows first: the elements of a packet become iterations, the rows
    /// the packet.
    pub(super) fn transposed(&self, kind: &StageKind) -> Option<Vec<Made>> {
        let input = self.pass.output();
        let limits = transpose_limits(*input.element_type.get()?);
        let time = input.time.get()?.form();
        let data = input.packet.get()?.form().remove_padding();
        let chosen = self.mapping(TIME);
        let asks_time = self.wanted == TIME;
        let mut found: Vec<Made> = Vec::new();
        for rows in (2..=limits.max_rows).rev() {
            let turned = turned_matrix(time, &data, (rows, limits.output_alignment));
            let Some((out_time, out_packet)) = turned else {
                continue;
            };
            let is_chosen = |chosen: &Mapping| *chosen.form() == out_time;
            if !asks_time && !chosen.as_ref().is_some_and(is_chosen) {
                continue;
            }
            let output = StreamShape {
                time: Written::new(out_time.to_mapping(), input.time.span),
                packet: Written::new(out_packet.to_mapping(), input.packet.span),
                ..input.clone()
            };
            let (pass, at) = with_stage(self.pass, kind.clone(), output);
            let derived = transpose::derive_transpose(&pass, at);
            if derived.matrix.is_none() || !derived.violations.is_empty() {
                continue;
            }
            let columns = data.size();
            found.push(Made {
                mapping: if asks_time {
                    out_time.to_mapping()
                } else {
                    out_packet.to_mapping()
                },
                words: format!("{rows} rows of {columns} elements are turned").into(),
            });
            if found.len() >= LIMIT {
                break;
            }
        }
        Some(found)
    }
}

/// What leaves where the innermost iterations are the rows of a matrix, and what is in a packet its columns.
fn turned_matrix(time: &Form, data: &Form, (rows, flit): (u64, u64)) -> Option<(Form, Form)> {
    let (around, rows) = time.split_at(rows)?;
    let out_time = Form::multiply(&around, data)?;
    Some((out_time, rows.remove_padding().pad(flit)?))
}

/// The lifts of a part of a time into copies of a level, the largest parts first.
fn lifts_of(level: &Form, time: &Form) -> Vec<Lifted> {
    let Some(places) = slots(level) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for bits in (1..=places.len()).rev() {
        let Some(copies) = u32::try_from(bits)
            .ok()
            .and_then(|bits| 2_u64.checked_pow(bits))
        else {
            continue;
        };
        for (part, rest) in time_parts(time, copies) {
            let Some(pieces) = slots(&part).filter(|pieces| pieces.len() == bits) else {
                continue;
            };
            for start in 0..=places.len() - bits {
                let replaced = places.iter().skip(start).take(bits);
                if !replaced.clone().all(Form::is_broadcast) {
                    continue;
                }
                let before = places.iter().take(start);
                let behind = places.iter().skip(start + bits);
                let all: Vec<&Form> = before.chain(&pieces).chain(behind).collect();
                if let Some(level) = forms::join(&all) {
                    let time = rest.clone();
                    found.push(Lifted { level, time });
                }
            }
        }
    }
    found
}

/// The parts of a time of a size, each with what is left without it: cut at the borders between its digits, the outermost first.
fn time_parts(time: &Form, size: u64) -> Vec<(Form, Form)> {
    let mut inside = 1_u64;
    let mut borders = vec![inside];
    for digit in time.digits().iter().rev() {
        inside = inside.saturating_mul(digit.extent);
        borders.push(inside);
    }
    let mut found = Vec::new();
    for border in borders.into_iter().rev() {
        // The part ends above the border, or begins below it.
        for inner in [Some(border), border.checked_div(size)]
            .into_iter()
            .flatten()
        {
            let cut = || {
                let (rest, inner) = time.split_at(inner)?;
                let (outer, part) = rest.split_at(size)?;
                Some((part, Form::multiply(&outer, &inner)?))
            };
            if inner > 0
                && let Some(cut) = cut()
                && !found.contains(&cut)
            {
                found.push(cut);
            }
        }
    }
    found
}

const fn of_level_mut(shape: &mut StreamShape, level: Level) -> Option<&mut Written<Mapping>> {
    Some(match level {
        Level::Chip => &mut shape.chip,
        Level::Cluster => &mut shape.cluster,
        Level::Slice => &mut shape.slice,
        _ => return None,
    })
}
