//! What pictures are drawn with: marks over cycles, the axis below them, words.
//!
//! Knows sizes and XML, and nothing of kernels.

use std::fmt::Write;

/// Sizes of the picture in its own units.
pub(super) const WIDTH: u64 = 1200;
pub(super) const LEFT: u64 = 110;
pub(super) const RIGHT: u64 = 20;
pub(super) const LANE: u64 = 34;
pub(super) const TITLE: u64 = 34;
pub(super) const GAP: u64 = 24;

/// From cycles to places in the picture.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    pub(super) total: u64,
}

impl Scale {
    /// In thousandths, so that narrow marks keep their place.
    pub(super) fn thousandths(self, cycle: u64) -> u128 {
        let width = u128::from(WIDTH - LEFT - RIGHT);
        let cycle = u128::from(cycle.min(self.total));
        u128::from(LEFT) * 1000 + cycle * width * 1000 / u128::from(self.total)
    }

    pub(super) fn place(self, cycle: u64) -> String {
        decimal_text(self.thousandths(cycle))
    }

    pub(super) fn width(self, from: u64, to: u64) -> u128 {
        self.thousandths(to).saturating_sub(self.thousandths(from))
    }
}

pub(super) fn decimal_text(thousandths: u128) -> String {
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}

pub(super) fn draw_block(
    body: &mut String,
    class: &str,
    place: (u64, u64),
    rows: (u64, u64),
    title: &str,
    scale: Scale,
) {
    let look = format!("class=\"{class}\"");
    draw_mark(body, &look, place, rows, title, scale);
}

/// A mark from one cycle to another, with the attributes that say how it looks.
pub(super) fn draw_mark(
    body: &mut String,
    look: &str,
    (from, to): (u64, u64),
    (y, height): (u64, u64),
    title: &str,
    scale: Scale,
) {
    let _ = writeln!(
        body,
        "<rect {look} x=\"{}\" y=\"{y}\" width=\"{}\" height=\"{height}\"><title>{}</title></rect>",
        scale.place(from),
        decimal_text(scale.width(from, to).max(500)),
        escaped_xml(title)
    );
}

pub(super) fn draw_axis(body: &mut String, top: u64, scale: Scale) {
    for quarter in 0..=4 {
        let cycle = scale.total / 4 * quarter + scale.total % 4 * quarter / 4;
        let x = scale.place(cycle);
        let _ = writeln!(
            body,
            "<line class=\"line\" x1=\"{x}\" x2=\"{x}\" y1=\"{top}\" y2=\"{}\"/><text class=\"small\" x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{cycle}</text>",
            top + 4,
            top + 15
        );
    }
}

pub(super) fn draw_label(body: &mut String, class: &str, x: u64, y: u64, text: &str) {
    let _ = writeln!(
        body,
        "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>",
        escaped_xml(text)
    );
}

/// Text as XML takes it.
pub(super) fn escaped_xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            control if control.is_control() => safe.push(' '),
            other => safe.push(other),
        }
    }
    safe
}
