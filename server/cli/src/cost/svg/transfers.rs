//! Functions in other languages: their lanes over cycles where the settings give figures, else bytes a lane as bars.

use std::fmt::Write;

use visa_analysis::{Amount, Lane, LineIndex, TransferCost, TransferSchedule, thousands};

use super::marks::{
    GAP, LANE, LEFT, RIGHT, Scale, TITLE, WIDTH, draw_axis, draw_label, draw_mark, escaped_xml,
};
use crate::documents::json::transfers::FileTransfers;

/// Draws the functions of some files from `top` on; returns where they end.
pub(super) fn draw(body: &mut String, moved: &[FileTransfers], mut top: u64) -> u64 {
    for file in moved {
        let lines = LineIndex::new(&file.text);
        for function in &file.functions {
            let line = lines.line(function.span.start);
            let place = format!("{}:{line}", file.file);
            top = of_function(body, function, &place, &lines, top) + GAP;
        }
    }
    top
}

fn of_function(
    body: &mut String,
    function: &TransferCost,
    place: &str,
    lines: &LineIndex,
    top: u64,
) -> u64 {
    let words = match &function.schedule {
        Some(schedule) => format!("{} cycles by the settings", thousands(schedule.total)),
        None => "no cycles are known; bytes by lane".to_owned(),
    };
    let heading = format!("{} ({place}): {words}", function.name);
    draw_label(body, "title", 10, top + 14, &heading);
    let mut at = top + TITLE;
    for lane in function.lanes() {
        draw_label(body, "", 10, at + LANE / 2 + 4, lane.name());
        // Writing to a string cannot fail.
        let _ = writeln!(
            body,
            "<rect class=\"row\" x=\"{LEFT}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            at + 4,
            WIDTH - LEFT - RIGHT,
            LANE - 8
        );
        match &function.schedule {
            Some(schedule) => draw_runs(body, (function, schedule), lane, at, lines),
            None => draw_bar(body, function, lane, at),
        }
        at += LANE;
    }
    if let Some(schedule) = function
        .schedule
        .as_ref()
        .filter(|schedule| schedule.total > 0)
    {
        draw_axis(
            body,
            at,
            Scale {
                total: schedule.total,
            },
        );
        at += GAP;
    }
    at
}

fn coloured(lane: Lane) -> String {
    format!("fill=\"{}\"", lane.colour())
}

fn draw_runs(
    body: &mut String,
    (function, schedule): (&TransferCost, &TransferSchedule),
    lane: Lane,
    top: u64,
    lines: &LineIndex,
) {
    let scale = Scale {
        total: schedule.total.max(1),
    };
    for slot in schedule.slots.iter().filter(|slot| slot.lane == lane) {
        let Some(row) = function.rows.get(slot.row) else {
            continue;
        };
        let mut title = format!(
            "{}: {} to {}, {} cycles; line {}",
            row.what,
            slot.start,
            slot.end,
            slot.end.saturating_sub(slot.start),
            lines.line(row.span.start)
        );
        for wait in &slot.waits {
            let _ = write!(title, "; waits for {} until {}", wait.cause, wait.until);
        }
        let place = (slot.start, slot.end);
        draw_mark(
            body,
            &coloured(lane),
            place,
            (top + 4, LANE - 8),
            &title,
            scale,
        );
    }
}

/// The share of a lane in all bytes whose number is known.
fn draw_bar(body: &mut String, function: &TransferCost, lane: Lane, top: u64) {
    let known = |lane: Lane| function.bytes_of(lane).known();
    let all = function.lanes().into_iter().filter_map(known);
    let all = all.fold(0_u64, u64::saturating_add);
    let words = match function.bytes_of(lane) {
        Amount::Known(bytes) => format!("{} bytes", thousands(bytes)),
        Amount::Symbolic(text) => format!("{text} bytes"),
        Amount::Unknown => "bytes not known".to_owned(),
    };
    if let Some(bytes) = known(lane).filter(|bytes| *bytes > 0) {
        let scale = Scale { total: all.max(1) };
        let place = (0, bytes);
        draw_mark(
            body,
            &coloured(lane),
            place,
            (top + 4, LANE - 8),
            &words,
            scale,
        );
    }
    let _ = writeln!(
        body,
        "<text class=\"small\" x=\"{}\" y=\"{}\">{}</text>",
        LEFT + 6,
        top + LANE / 2 + 4,
        escaped_xml(&words)
    );
}
