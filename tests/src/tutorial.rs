//! The tutorial: its kernels, the commands below them, and the picture of the finished pass.
//!
//! A block of `rust` is the file `scale.rs` from there on. A block of `text` begins with `$` and a command, and holds the output of that command.

use std::fmt::Write;
use visa_analysis::EditorQuestions as _;

use visa_analysis::{StageRow, Workspace};

use crate::{read, repository};

/// The name under which the reader saves a kernel.
pub const FILE: &str = "scale.rs";

/// A part of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Lines outside of the blocks that are tried.
    Prose(String),
    /// A kernel.
    Kernel(String),
    /// A command and the expected output.
    Command {
        /// The line behind `$`.
        line: String,
        /// The lines below it.
        output: String,
    },
}

/// The text of `docs/tutorial.md`.
pub fn page() -> String {
    read(&repository().join("docs/tutorial.md")).replace("\r\n", "\n")
}

/// The parts of a page. [`written`] makes the same page of them again.
pub fn parts(page: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut prose = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line != "```rust" && line != "```text" {
            prose.push_str(line);
            prose.push('\n');
            continue;
        }
        parts.push(Part::Prose(std::mem::take(&mut prose)));
        let block = lines.by_ref().take_while(|line| *line != "```");
        let block: String = block.map(|line| format!("{line}\n")).collect();
        parts.push(match block.strip_prefix("$ ") {
            Some(rest) => {
                let (line, output) = rest.split_once('\n').unwrap_or((rest, ""));
                Part::Command {
                    line: line.to_owned(),
                    output: output.to_owned(),
                }
            }
            None => Part::Kernel(block),
        });
    }
    parts.push(Part::Prose(prose));
    parts
}

/// The page of some parts.
pub fn written(parts: &[Part]) -> String {
    let mut page = String::new();
    for part in parts {
        // Writing to a string cannot fail.
        let _ = match part {
            Part::Prose(text) => write!(page, "{text}"),
            Part::Kernel(text) => write!(page, "```rust\n{text}```\n"),
            Part::Command { line, output } => write!(page, "```text\n$ {line}\n{output}```\n"),
        };
    }
    page
}

/// What a filter of a command lets through: `head -N`, `tail -n +N` or `grep -A N "TEXT"`; `None` for any other.
pub fn filtered(output: &str, filter: &str) -> Option<String> {
    let lines: Vec<&str> = output.lines().collect();
    let number = |text: &str| text.trim().parse::<usize>().ok();
    let kept = if let Some(count) = filter.strip_prefix("head -") {
        let count = number(count)?.min(lines.len());
        lines.get(..count)?
    } else if let Some(first) = filter.strip_prefix("tail -n +") {
        let before = number(first)?.checked_sub(1)?.min(lines.len());
        lines.get(before..)?
    } else {
        let (after, text) = filter.strip_prefix("grep -A ")?.split_once(' ')?;
        let text = text.trim_matches('"');
        let found = lines.iter().position(|line| line.contains(text))?;
        let end = (found + number(after)? + 1).min(lines.len());
        lines.get(found..end)?
    };
    Some(kept.iter().map(|line| format!("{line}\n")).collect())
}

/// Units across the picture, of a line, of its left edge, and of the widest bar.
const WIDTH: usize = 840;
const LINE: usize = 26;
const LEFT: usize = 20;
const BAR: usize = 200;

/// The columns of the picture: their titles, and where they begin.
const COLUMNS: [(&str, usize); 5] = [
    ("stage", LEFT + 8),
    ("time", 236),
    ("packet", 376),
    ("bytes", 500),
    ("cycles", 560),
];

const STYLE: &str = "text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2a37}.h{font-weight:600}\
.g{fill:#fbfcfd;stroke:#c5ccd6}.s{fill:#dbe9f9;stroke:#5b8fcc}.c{fill:#fdeccd;stroke:#c99a3d}";

/// The stages of the pass of the tutorial's first kernel without a finding that has a pass.
pub fn stages_of_the_legal_pass() -> Vec<StageRow> {
    for part in parts(&page()) {
        let Part::Kernel(kernel) = part else { continue };
        let Some(begin) = kernel.find(".begin(") else {
            continue;
        };
        let mut workspace = Workspace::new();
        workspace.set_file(FILE, &kernel);
        let analysis = workspace.analysis();
        if !analysis.check_file(FILE).diagnostics.is_empty() {
            continue;
        }
        let offset = u32::try_from(begin).unwrap_or(u32::MAX);
        let table = analysis.stage_table(FILE, offset).ok().flatten();
        let operations = table.map(|table| table.operations).unwrap_or_default();
        return operations
            .into_iter()
            .map(|operation| operation.stages)
            .find(|stages| !stages.is_empty())
            .unwrap_or_default();
    }
    Vec::new()
}

/// `docs/tutorial.svg`: the stage table of the finished pass, with bars for the cycles.
pub fn picture() -> String {
    let stages = stages_of_the_legal_pass();
    let most = stages.iter().filter_map(|stage| stage.cycles).max();
    let most = most.unwrap_or(1).max(1);
    let height = (stages.len() + 2) * LINE;
    let mut body = String::new();
    // Writing to a string cannot fail.
    for (title, left) in COLUMNS {
        let _ = writeln!(
            body,
            "<text class=\"h\" x=\"{left}\" y=\"{LINE}\">{title}</text>"
        );
    }
    for (stage, row) in stages.iter().zip(1..) {
        let top = row * LINE + 10;
        let mapping = |mapping: &Option<String>| mapping.clone().unwrap_or_default();
        let _ = writeln!(
            body,
            "<rect class=\"s\" x=\"{LEFT}\" y=\"{top}\" width=\"200\" height=\"20\" rx=\"4\"/>"
        );
        let bytes = stage.packet_bytes.map(|bytes| bytes.to_string());
        let cells = [
            stage.method.clone(),
            mapping(&stage.time),
            mapping(&stage.packet),
            bytes.unwrap_or_default(),
        ];
        for (cell, (_, left)) in cells.iter().zip(COLUMNS) {
            let _ = writeln!(body, "<text x=\"{left}\" y=\"{}\">{cell}</text>", top + 15);
        }
        if let Some(cycles) = stage.cycles {
            let share = usize::try_from(cycles * BAR as u64 / most).unwrap_or(BAR);
            let (_, left) = COLUMNS[4];
            let _ = writeln!(
                body,
                "<rect class=\"c\" x=\"{left}\" y=\"{top}\" width=\"{share}\" height=\"20\" rx=\"3\"/>\
                 <text x=\"{}\" y=\"{}\">{cycles}</text>",
                left + share + 8,
                top + 15
            );
        }
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\">\n\
         <title>The stages of the pass, with the cycles of each</title>\n<style>{STYLE}</style>\n\
         <rect class=\"g\" x=\"1\" y=\"1\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n{body}</svg>\n",
        WIDTH - 2,
        height - 2
    )
}
