//! `visa-lint sequence`: the configuration of one sequencer.

use std::fmt::Write;

use visa_analysis::{SequenceAnswer, SequenceEntry, SequenceQuestion, derive_sequence};

use super::arguments::{AnswerFormat, SequenceArguments, SequencerContext, SequencerMode};
use super::map::refused_outcome;
use super::outcome::Outcome;
use super::output::Console;
use crate::documents::json::pretty;
use crate::project::Failure;

/// Runs the command.
pub(crate) fn run(options: &SequenceArguments, console: Console) -> Result<Outcome, Failure> {
    let question = SequenceQuestion {
        axes: &options.axes,
        buffer: &options.buffer,
        time: &options.time,
        packet: &options.packet,
        element_type: &options.element_type,
        mode: match options.mode {
            SequencerMode::Fetch => visa_analysis::SequencerMode::Fetch,
            SequencerMode::Commit => visa_analysis::SequencerMode::Commit,
            SequencerMode::Dma => visa_analysis::SequencerMode::Dma,
        },
        sub_context: options.context == SequencerContext::Sub,
        address: options.address,
    };
    match derive_sequence(&question) {
        Ok(answer) => {
            console.print(&match options.format {
                AnswerFormat::Human => human_answer(&answer),
                AnswerFormat::Json => pretty(&answer)?,
            })?;
            Ok(Outcome::Fine)
        }
        Err(error) => refused_outcome(
            &error,
            &["--buffer", "--time", "--packet"],
            options.format,
            console,
        ),
    }
}

fn human_answer(answer: &SequenceAnswer) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<18} {value}");
    };
    line("entries", entries_notation(&answer.entries, true));
    line("merged", entries_notation(&answer.merged, false));
    for (name, number, unit) in [
        ("packet", answer.packet_bytes, ["byte", "bytes"]),
        ("contiguous", answer.contiguous_bytes, ["byte", "bytes"]),
        ("access", answer.access_bytes, ["byte", "bytes"]),
        ("accesses", answer.accesses, [""; 2]),
        ("cycles", answer.cycles, [""; 2]),
        (
            "longest bank run",
            answer.longest_bank_run,
            ["access", "accesses"],
        ),
    ] {
        let [one, several] = unit;
        let number = number.map_or_else(
            || "-".to_owned(),
            |number| format!("{number} {}", if number == 1 { one } else { several }),
        );
        line(name, number.trim_end().to_owned());
    }
    if let Some(error) = &answer.error {
        line(
            "error",
            format!("{error} (for details: `visa-lint explain {error}`)"),
        );
    }
    for refusal in &answer.refusals {
        let rule = refusal.rule;
        line(
            "refused",
            format!(
                "{rule}: {} (for details: `visa-lint explain {rule}`)",
                refusal.message
            ),
        );
    }
    text
}

/// `[8:256, 16:1]`, with the axis before each entry where it is known.
fn entries_notation(entries: &[SequenceEntry], axes: bool) -> String {
    let entries = entries.iter().map(|entry| {
        let stride = entry
            .stride
            .map_or_else(|| "?".to_owned(), |stride| stride.to_string());
        match &entry.axis {
            Some(axis) if axes => format!("{axis} {}:{stride}", entry.size),
            _ => format!("{}:{stride}", entry.size),
        }
    });
    format!("[{}]", entries.collect::<Vec<_>>().join(", "))
}
