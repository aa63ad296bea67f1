//! Costs as one picture: the timeline of the contexts, and below it the maps of DM, TRF and VRF over the same cycles.
//!
//! One SVG holds all kernels, one below the other. Colours follow the reader's light or dark theme; every mark has a title
//! that tells its numbers.

mod marks;
mod transfers;

use std::fmt::Write;

use visa_analysis::{KernelCost, Lane, MemoryRow, OperationRow};

use crate::documents::json::transfers::FileTransfers;
use marks::{
    GAP, LANE, LEFT, RIGHT, Scale, TITLE, WIDTH, decimal_text, draw_axis, draw_block, draw_label,
    escaped_xml,
};

/// The height of a memory's map.
const MAP: u64 = 150;

/// The memories that are drawn, with their bytes a slice; their colours are those of the pages' maps.
const MAPS: [(&str, &str, u64); 3] = [
    ("dm", "DM", 512 << 10),
    ("trf", "TRF", 64 << 10),
    ("vrf", "VRF", 8 << 10),
];

/// Tensors of a map that are named: where more are, a picture has no room for them.
const NAMED: usize = 400;

/// The looks of the marks before and behind those of lanes, whose colours are the lanes' own.
const STYLE: [&str; 2] = [
    "\
text{font:12px ui-monospace,monospace;fill:#1f2328}.title{font-weight:bold;font-size:14px}.small{font-size:10px}\
.back{fill:#ffffff}.row{fill:#f1f3f5}",
    "\
.idle{fill:url(#idle)}\
.cell{fill:#8a63d2;fill-opacity:.75;stroke:#ffffff;stroke-width:.5}.wait{stroke:#c0392b;fill:none;stroke-opacity:.7}\
.name{fill:#ffffff;font-size:10px}.line{stroke:#adb5bd}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.back{fill:#0d1117}.row{fill:#161b22}.cell{stroke:#0d1117}.line{stroke:#484f58}}",
];

fn style() -> String {
    let [before, behind] = STYLE;
    let mut colours: Vec<String> = Lane::VIRTUAL_ISA
        .map(|lane| format!(".{}{{fill:{}}}", lane.name(), lane.colour()))
        .into();
    colours.dedup();
    // As in the pages: TRF as the main context, VRF as the sub context.
    for lane in Lane::VIRTUAL_ISA {
        let tier = match lane.name() {
            "main" => "trf",
            "sub" => "vrf",
            _ => continue,
        };
        colours.push(format!(".cell.{tier}{{fill:{}}}", lane.colour()));
    }
    format!("{before}{behind}{}", colours.concat())
}

/// The picture of all kernels, and of what functions in other languages move.
pub(super) fn write(kernels: &[KernelCost], moved: &[FileTransfers]) -> String {
    let mut body = String::new();
    let mut top = GAP;
    for kernel in kernels {
        top = of_kernel(&mut body, kernel, top) + GAP;
    }
    top = transfers::draw(&mut body, moved, top);
    if kernels.is_empty() && moved.is_empty() {
        draw_label(&mut body, "title", LEFT, top, "no kernel");
        top += GAP;
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {top}\" width=\"{WIDTH}\" height=\"{top}\" role=\"img\">\n\
         <style>{}</style>\n\
         <defs><pattern id=\"idle\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
         <line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" stroke=\"#adb5bd\" stroke-width=\"2\"/></pattern></defs>\n\
         <rect class=\"back\" width=\"{WIDTH}\" height=\"{top}\"/>\n{body}</svg>\n",
        style()
    )
}

/// Draws one kernel from `top` on; returns where it ends.
fn of_kernel(body: &mut String, kernel: &KernelCost, top: u64) -> u64 {
    let total = kernel.total.map_or_else(
        || "cycles unknown".to_owned(),
        |total| format!("{total} cycles predicted"),
    );
    let heading = format!("{} ({}): {total}", kernel.name, kernel.file);
    draw_label(body, "title", 10, top + 14, &heading);
    let mut at = top + TITLE;
    let Some(total) = kernel.total.filter(|total| *total > 0) else {
        for place in &kernel.unresolved {
            let line = place.range.start.line;
            draw_label(
                body,
                "small",
                10,
                at,
                &format!("line {line}: {}", place.reason),
            );
            at += 14;
        }
        return at;
    };
    let scale = Scale { total };
    let lanes: Vec<Lane> = Lane::VIRTUAL_ISA
        .into_iter()
        .filter(|lane| kernel.operations.iter().any(|row| row.lane == *lane))
        .collect();
    let first = at;
    for lane in &lanes {
        timeline(body, kernel, *lane, at, scale);
        at += LANE;
    }
    waits(body, kernel, &lanes, first, scale);
    draw_axis(body, at, scale);
    at += GAP;
    for (tier, name, capacity) in MAPS {
        let rows: Vec<&MemoryRow> = kernel
            .memory
            .iter()
            .filter(|row| row.tier == tier)
            .collect();
        if !rows.is_empty() {
            at = memory_map(body, name, &rows, capacity, at, scale) + 14;
        }
    }
    at
}

fn timeline(body: &mut String, kernel: &KernelCost, lane: Lane, top: u64, scale: Scale) {
    let (y, height) = (top + 4, LANE - 8);
    draw_label(body, "", 10, top + LANE / 2 + 4, lane.track());
    // Writing to a string cannot fail.
    let _ = writeln!(
        body,
        "<rect class=\"row\" x=\"{LEFT}\" y=\"{y}\" width=\"{}\" height=\"{height}\"/>",
        WIDTH - LEFT - RIGHT
    );
    for pause in kernel.idle.iter().filter(|pause| pause.lane == lane) {
        let cause = pause.wait.as_ref().map_or("", |wait| wait.cause);
        let title = format!("idle {} to {} {cause}", pause.start, pause.end);
        draw_block(
            body,
            "idle",
            (pause.start, pause.end),
            (y, height),
            &title,
            scale,
        );
    }
    for row in kernel.operations.iter().filter(|row| row.lane == lane) {
        let (Some(start), Some(end)) = (row.start, row.end) else {
            continue;
        };
        draw_block(
            body,
            lane.name(),
            (start, end),
            (y, height),
            &operation_tooltip(row, start, end),
            scale,
        );
        let room = scale.width(start, end) / 1000;
        if room > 7 * row.name.chars().count() as u128 {
            let x = decimal_text(scale.thousandths(start) + 3000);
            let _ = writeln!(
                body,
                "<text class=\"name\" x=\"{x}\" y=\"{}\">{}</text>",
                y + height / 2 + 4,
                escaped_xml(&row.name)
            );
        }
    }
}

fn operation_tooltip(row: &OperationRow, start: u64, end: u64) -> String {
    let mut text = format!(
        "{} {}: {start} to {end}, {} cycles",
        row.id,
        row.name,
        end.saturating_sub(start)
    );
    if let Some(engine) = row.bottleneck {
        let _ = write!(text, ", bottleneck {engine}");
    }
    for wait in &row.waits {
        let _ = write!(text, "; waits for {} ({})", wait.operation, wait.cause);
    }
    let _ = write!(text, "; line {}", row.range.start.line);
    text
}

/// A thin line from the end of what an operation waits for to its start, between contexts.
fn waits(body: &mut String, kernel: &KernelCost, lanes: &[Lane], top: u64, scale: Scale) {
    let middle = |lane: Lane| {
        let row = lanes.iter().position(|other| *other == lane)? as u64;
        Some(top + row * LANE + LANE / 2)
    };
    for row in &kernel.operations {
        let Some(wait) = row.waits.first() else {
            continue;
        };
        let other = kernel
            .operations
            .iter()
            .find(|other| other.id == wait.operation);
        let Some(other) = other.filter(|other| other.lane != row.lane) else {
            continue;
        };
        let (Some(start), Some(end)) = (row.start, other.end) else {
            continue;
        };
        if let (Some(from), Some(to)) = (middle(other.lane), middle(row.lane)) {
            let _ = writeln!(
                body,
                "<path class=\"wait\" d=\"M{} {from}L{} {to}\"><title>{}</title></path>",
                scale.place(end),
                scale.place(start),
                escaped_xml(&format!(
                    "{} waits for {}: {}",
                    row.name, other.name, wait.cause
                ))
            );
        }
    }
}

/// A memory's addresses over the cycles; the map ends at the last byte in use, rounded up to a 16th of the memory.
fn memory_map(
    body: &mut String,
    name: &str,
    rows: &[&MemoryRow],
    capacity: u64,
    top: u64,
    scale: Scale,
) -> u64 {
    let ends = rows
        .iter()
        .filter_map(|row| row.place()?.checked_add(row.bytes?));
    let step = capacity / 16;
    let shown = ends
        .max()
        .unwrap_or(0)
        .checked_next_multiple_of(step)
        .unwrap_or(capacity)
        .clamp(step, capacity);
    draw_label(body, "", 10, top + 14, name);
    draw_label(body, "small", 10, top + 28, &format!("0 to {shown}"));
    let _ = writeln!(
        body,
        "<rect class=\"row\" x=\"{LEFT}\" y=\"{top}\" width=\"{}\" height=\"{MAP}\"/>",
        WIDTH - LEFT - RIGHT
    );
    let vertical =
        |byte: u64| u128::from(byte.min(shown)) * u128::from(MAP) * 1000 / u128::from(shown);
    let mut cells = Vec::new();
    for row in rows {
        let (Some(address), Some(bytes)) = (row.place(), row.bytes) else {
            continue;
        };
        let end = address.saturating_add(bytes);
        let bytes = match row.address {
            Some(_) => format!("bytes {address} to {end}"),
            None => format!("{bytes} bytes, drawn at {address}"),
        };
        let title = format!("{}: {bytes}, cycles {} to {}", row.tensor, row.from, row.to);
        let cell = Area {
            x: scale.thousandths(row.from),
            y: u128::from(top) * 1000 + vertical(address),
            width: scale.width(row.from, row.to).max(500),
            height: (vertical(end) - vertical(address)).max(2000),
        };
        let _ = writeln!(
            body,
            "<rect class=\"cell {}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>",
            row.tier,
            decimal_text(cell.x),
            decimal_text(cell.y),
            decimal_text(cell.width),
            decimal_text(cell.height),
            escaped_xml(&title)
        );
        cells.push((cell, row.tensor.as_str()));
    }
    write_tensor_names(body, &cells, top)
}

/// A part of the picture, in thousandths.
#[derive(Debug, Clone, Copy)]
struct Area {
    x: u128,
    y: u128,
    width: u128,
    height: u128,
}

impl Area {
    fn overlaps_area(&self, other: &Self) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }
}

/// The width of a character of a tensor's name and the height of its line, in thousandths.
const LETTER: u128 = 6_100;
const LINE: u128 = 11_000;
/// Characters of a line of names below a map.
const NAMES: usize = 170;

/// Writes the name of each tensor in its cell, else beside it where nothing else is, else below the map. Runs of a loop have one.
/// Returns where the map with its names ends.
fn write_tensor_names(body: &mut String, cells: &[(Area, &str)], top: u64) -> u64 {
    let mut taken: Vec<Area> = cells.iter().map(|(cell, _)| *cell).collect();
    let (left, right) = (u128::from(LEFT) * 1000, u128::from(WIDTH - RIGHT) * 1000);
    let (first, last) = (u128::from(top) * 1000, u128::from(top + MAP) * 1000);
    let mut named: Vec<&str> = Vec::new();
    let mut others: Vec<&str> = Vec::new();
    for (cell, name) in cells.iter().take(NAMED) {
        if named.contains(name) || others.contains(name) {
            continue;
        }
        let width = LETTER * name.chars().count() as u128;
        let inside = cell.width > width + 4_000 && cell.height > LINE;
        let at = |x: u128, y: u128| Area {
            x,
            y,
            width,
            height: LINE,
        };
        let middle = cell.y + cell.height / 2;
        let beside = [
            at(cell.x, cell.y.saturating_sub(LINE)),
            at(cell.x, cell.y + cell.height),
            at(cell.x + cell.width + 2_000, middle.saturating_sub(LINE / 2)),
            at(
                cell.x.saturating_sub(width + 2_000),
                middle.saturating_sub(LINE / 2),
            ),
        ];
        let free = beside.into_iter().find(|area| {
            let within = area.x >= left
                && area.x + area.width <= right
                && area.y >= first
                && area.y + LINE <= last;
            within && !taken.iter().any(|other| other.overlaps_area(area))
        });
        let (class, area) = match (inside, free) {
            (true, _) => ("name", at(cell.x + 3_000, middle.saturating_sub(LINE / 2))),
            (false, Some(area)) => ("small", area),
            (false, None) => {
                others.push(name);
                continue;
            }
        };
        named.push(name);
        taken.push(area);
        let _ = writeln!(
            body,
            "<text class=\"{class} tensor\" x=\"{}\" y=\"{}\">{}</text>",
            decimal_text(area.x),
            decimal_text(area.y + 8_500),
            escaped_xml(name)
        );
    }
    others.retain(|name| !named.contains(name));
    let mut at = top + MAP;
    let mut line = String::new();
    for name in others {
        if !line.is_empty() && line.chars().count() + name.chars().count() > NAMES {
            at += 13;
            draw_label(body, "small tensor", LEFT, at, &line);
            line.clear();
        }
        line.push_str(if line.is_empty() {
            "too narrow for a name: "
        } else {
            ", "
        });
        line.push_str(name);
    }
    if !line.is_empty() {
        at += 13;
        draw_label(body, "small tensor", LEFT, at, &line);
    }
    at
}
