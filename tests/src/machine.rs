//! `docs/machine.md` and its pictures: the machine as the rules see it.
//!
//! What is drawn is the engine's own data: stages of the catalogue, numbers of the hardware, rules by name. Here is only where boxes go.

use std::fmt::Write;

use visa_analysis::{Engine, EnginePicture, GuardedLimit, all_rules, counted, machine_pictures};

/// Units across a picture, and between its edge and what is in it.
const WIDTH: usize = 760;
const MARGIN: usize = 20;
/// Units of a line of text, of a box, and between two boxes.
const LINE: usize = 20;
const BOX: usize = 30;
const GAP: usize = 4;
/// Stages of a row of boxes.
const STAGES: usize = 5;

/// The colours are those of the picture's own ground, so that it can be read on a light and on a dark page.
const STYLE: &str = "text{font:13px system-ui,-apple-system,'Segoe UI',sans-serif;fill:#1f2a37}\
.t{font-weight:600;font-size:16px}.r{font-size:12px;fill:#1f5fa8}.c{font-size:12px;text-anchor:middle}\
.g{fill:#fbfcfd;stroke:#c5ccd6}.s{fill:#dbe9f9;stroke:#5b8fcc}.u{fill:#fdeccd;stroke:#c99a3d}.n{fill:#eef1f4;stroke:#c5ccd6}";

/// The name of an engine's picture, without `.svg`; also its place on the page.
pub fn slug(engine: Engine) -> String {
    engine.name().to_lowercase().replace(' ', "-")
}

/// The pictures: file names below `docs/machine` and their text.
pub fn pictures() -> Vec<(String, String)> {
    let pictures = machine_pictures();
    let drawn = pictures.iter();
    drawn
        .map(|picture| (format!("{}.svg", slug(picture.engine)), svg(picture)))
        .collect()
}

/// `docs/machine.md`.
pub fn page() -> String {
    let mut text = String::from(
        "# The machine as the rules see it\n\nEach engine has a picture of its stages, and of the limits that its rules guard. Blue boxes are stages, yellow boxes are \
         usable units, and grey boxes are unused ones. The numbers are those of RNGD, and visa-lint computes with the same numbers.\n",
    );
    // Writing to a string cannot fail.
    for picture in machine_pictures() {
        let name = picture.engine.name();
        let _ = write!(
            text,
            "\n## {name}\n\n![{name}: {}](machine/{}.svg)\n\n| limit | rules |\n| --- | --- |\n",
            described(&picture),
            slug(picture.engine)
        );
        for limit in &picture.limits {
            let rules = limit.rules.iter();
            let rules: Vec<String> = rules.map(|rule| link(rule)).collect();
            let _ = writeln!(text, "| {} | {} |", limit.words, rules.join(", "));
        }
        let named: Vec<&str> = picture
            .limits
            .iter()
            .flat_map(|limit| limit.rules)
            .copied()
            .collect();
        let others =
            all_rules().filter(|rule| rule.engine == picture.engine && !named.contains(&rule.name));
        let others: Vec<String> = others.map(|rule| link(rule.name)).collect();
        if !others.is_empty() {
            let _ = writeln!(text, "\nIts other rules: {}.", others.join(", "));
        }
    }
    text
}

fn link(rule: &str) -> String {
    format!("[`{rule}`](rules/{rule}.md)")
}

/// The picture in words, for readers who cannot see it.
fn described(picture: &EnginePicture) -> String {
    let limits = picture.limits.len();
    if picture.stages.is_empty() {
        counted(limits as u64, "limit")
    } else {
        let (stages, limits) = (picture.stages.len() as u64, limits as u64);
        format!(
            "{} and {}",
            counted(stages, "stage"),
            counted(limits, "limit")
        )
    }
}

/// The picture of an engine.
fn svg(picture: &EnginePicture) -> String {
    let mut body = String::new();
    let mut top = MARGIN + LINE;
    // Writing to a string cannot fail.
    let _ = writeln!(
        body,
        "<text class=\"t\" x=\"{MARGIN}\" y=\"{top}\">{}</text>",
        picture.engine.name()
    );
    top += LINE;
    for row in picture.stages.chunks(STAGES) {
        stages(&mut body, row, top);
        top += BOX + GAP;
    }
    if !picture.stages.is_empty() {
        top += LINE - GAP;
    }
    for one in &picture.limits {
        top = limit(&mut body, one, top);
    }
    let height = top + MARGIN / 2;
    let name = picture.engine.name();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\">\n\
         <title>{name}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"g\" x=\"1\" y=\"1\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n{body}</svg>\n",
        WIDTH - 2,
        height - 2
    )
}

/// A row of stages.
fn stages(body: &mut String, row: &[&str], top: usize) {
    let width = (WIDTH - 2 * MARGIN - GAP * (STAGES - 1)) / STAGES;
    for (at, name) in row.iter().enumerate() {
        let left = MARGIN + at * (width + GAP);
        let _ = writeln!(
            body,
            "<rect class=\"s\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{BOX}\" rx=\"4\"/>\
             <text class=\"c\" x=\"{}\" y=\"{}\">{}</text>",
            left + width / 2,
            top + LINE,
            escaped(name)
        );
    }
}

/// A limit: its sentence, its rules, its cells. Gives where the next one begins.
fn limit(body: &mut String, limit: &GuardedLimit, top: usize) -> usize {
    let count = limit.cells.len();
    let _ = writeln!(
        body,
        "<text x=\"{MARGIN}\" y=\"{}\">{}</text>\n<text class=\"r\" x=\"{MARGIN}\" y=\"{}\">{}</text>",
        top + 14,
        escaped(&limit.words.replace('`', "")),
        top + 30,
        limit.rules.join(", ")
    );
    // Labels have to fit: as many boxes a row as the longest has room in.
    let longest = limit
        .cells
        .iter()
        .map(|cell| cell.chars().count())
        .max()
        .unwrap_or(1);
    let least = longest * 7 + 12;
    let across = ((WIDTH - 2 * MARGIN + GAP) / (least + GAP)).clamp(1, count.max(1));
    let rows = count.div_ceil(across.max(1));
    let across = count.div_ceil(rows.max(1)).max(1);
    let width = ((WIDTH - 2 * MARGIN + GAP) / across - GAP).min(180);
    let begin = top + 38;
    for (at, cell) in limit.cells.iter().enumerate() {
        let (left, row) = (
            MARGIN + at % across * (width + GAP),
            begin + at / across * (BOX + GAP),
        );
        let class = if at < limit.used { "u" } else { "n" };
        let _ = writeln!(
            body,
            "<rect class=\"{class}\" x=\"{left}\" y=\"{row}\" width=\"{width}\" height=\"{BOX}\" rx=\"3\"/>\
             <text class=\"c\" x=\"{}\" y=\"{}\">{}</text>",
            left + width / 2,
            row + LINE,
            escaped(cell)
        );
    }
    begin + rows * (BOX + GAP) + LINE
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
