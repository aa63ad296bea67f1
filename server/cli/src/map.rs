//! `visa-lint map EXPR`: what one mapping expression says.

use std::collections::BTreeMap;
use std::fmt::Write;

use visa_analysis::{MappingAnswer, MappingQuestion, evaluate_mapping};

use super::arguments::{AnswerFormat, MapArguments};
use super::outcome::Outcome;
use super::output::Console;
use super::wrap::wrap_text;
use crate::documents::json::expressions::Mapping;
use crate::documents::json::pretty;
use crate::documents::json::refusal::{Place, Refused};
use crate::project::Failure;
use crate::project::folder_dialects::dialect_here;
use crate::project::notes::{write_error, write_note};

/// The rule about axes that nothing declares.
const UNKNOWN_AXIS: &str = "unknown_axis";
/// Positions that `--index` may ask for at once.
const MAXIMUM_POSITIONS: u64 = 1_000_000;
/// Positions that the picture shows.
const PICTURE_POSITIONS: u64 = 64;
/// Positions in a row of the picture, where the innermost factor does not say.
const PICTURE_ROW: u64 = 8;

/// Runs the command.
pub(crate) fn run(options: &MapArguments, console: Console) -> Result<Outcome, Failure> {
    let positions = options.index.as_deref().map(parse_positions).transpose()?;
    let question = MappingQuestion {
        expression: &options.expression,
        axes: &options.axes,
        element_type: options.element_type.as_deref(),
        positions,
        against: options.against.as_deref(),
        picture: if options.format == AnswerFormat::Human {
            PICTURE_POSITIONS
        } else {
            0
        },
        dialect: dialect_here(options.dialect.unwrap_or_default()),
    };
    match evaluate_mapping(&question) {
        Ok(answer) => {
            console.print(&match options.format {
                AnswerFormat::Human => human_answer(&answer, positions, console.width()),
                AnswerFormat::Json => pretty(&Mapping::of(&answer))?,
            })?;
            Ok(Outcome::Fine)
        }
        Err(error) => refused_outcome(&error, &["", "--against"], options.format, console),
    }
}

/// An ill-formed expression is an answer with exit code 1, a bad option a failure of the run. `options` are those that gave the question's
/// expressions, empty for one that no option names.
pub(super) fn refused_outcome(
    error: &visa_analysis::QuestionError,
    options: &[&str],
    format: AnswerFormat,
    console: Console,
) -> Result<Outcome, Failure> {
    match error {
        visa_analysis::QuestionError::Option(message) => Err(Failure::new(message.clone())),
        visa_analysis::QuestionError::IllFormed {
            rule,
            message,
            which,
            at,
        } => {
            let option = options.get(*which).filter(|option| !option.is_empty());
            let option = option.map_or_else(String::new, |option| format!("{option}: "));
            let at = at.as_ref().map(|(text, span)| Place::of(text, span));
            match format {
                AnswerFormat::Json => console.print(&pretty(&Refused::new(rule, message, at))?)?,
                AnswerFormat::Human => {
                    write_error(&format!("[{rule}] {option}{message}"));
                    if let Some(at) = at {
                        write_note(&format!("  {}", at.expression()));
                        write_note(&format!("  {}", at.underline()));
                    }
                    if rule == UNKNOWN_AXIS {
                        write_note(
                            "help: `--axes 'A = 64, B = 8'` declares the axes of an expression",
                        );
                    }
                }
            }
            Ok(Outcome::Found)
        }
    }
}

/// `7` or `0..16` or `0..=15`.
fn parse_positions(text: &str) -> Result<(u64, u64), Failure> {
    let bad = || {
        Failure::new(format!(
            "--index: `{text}` is neither a position like `7` nor a range like `0..16`"
        ))
    };
    let number = |text: &str| {
        text.trim()
            .replace('_', "")
            .parse::<u64>()
            .map_err(|_| bad())
    };
    let (start, end) = match text.split_once("..") {
        None => {
            let start = number(text)?;
            (start, start.checked_add(1).ok_or_else(bad)?)
        }
        Some((start, end)) => {
            let start = if start.trim().is_empty() {
                0
            } else {
                number(start)?
            };
            let end = match end.strip_prefix('=') {
                Some(end) => number(end)?.checked_add(1).ok_or_else(bad)?,
                None => number(end)?,
            };
            (start, end)
        }
    };
    if start > end {
        return Err(Failure::new(format!(
            "--index: `{text}` ends before it begins"
        )));
    }
    if end - start > MAXIMUM_POSITIONS {
        return Err(Failure::new(format!(
            "--index: at most {MAXIMUM_POSITIONS} positions at once"
        )));
    }
    Ok((start, end))
}

fn human_answer(answer: &MappingAnswer, positions: Option<(u64, u64)>, width: usize) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "expression   {}",
        wrap_text(&format!("m![{}]", answer.expression), width)
    );
    let _ = writeln!(text, "size         {}", answer.size);
    if let Some(bits) = answer.bits {
        let bytes = if bits % 8 == 0 {
            format!("{} bytes", bits / 8)
        } else {
            format!("{bits} bits")
        };
        let _ = writeln!(text, "bytes        {bytes}");
    }
    let _ = writeln!(
        text,
        "normal form  {}",
        wrap_text(&format!("m![{}]", answer.normal_form), width)
    );
    if let Some(equivalent) = answer.equivalent {
        let words = match equivalent {
            Some(true) => "yes",
            Some(false) => "no",
            None => "unknown: too many positions to compare one by one",
        };
        let _ = writeln!(text, "equivalent   {words}");
    }
    if !answer.factors.is_empty() {
        let _ = writeln!(text, "\nfactors, outermost first\n");
        let _ = writeln!(
            text,
            "  {:<16} {:>16} {:>16} {:>16} {:>16}",
            "axis", "stride", "size", "valid", "padding"
        );
        for factor in &answer.factors {
            let axis = factor.axis.as_deref().unwrap_or("-");
            let _ = writeln!(
                text,
                "  {axis:<16} {:>16} {:>16} {:>16} {:>16}",
                factor.stride, factor.size, factor.valid, factor.padding
            );
        }
    }
    match positions {
        Some((start, _)) => {
            let _ = writeln!(text, "\nindex\n");
            for (position, cell) in (start..).zip(&answer.index) {
                let _ = writeln!(text, "  {position:>12}  {}", cell_words(cell.as_ref()));
            }
        }
        None => push_picture(answer, &mut text),
    }
    text
}

/// The first positions as a grid, a row for each run of the innermost factor; `·` is padding.
fn push_picture(answer: &MappingAnswer, text: &mut String) {
    if answer.picture.is_empty() {
        return;
    }
    let innermost = answer
        .factors
        .last()
        .map_or(PICTURE_ROW, |factor| factor.size);
    let row = if (1..=16).contains(&innermost) {
        innermost
    } else {
        PICTURE_ROW
    };
    let row = usize::try_from(row).unwrap_or(1).max(1);
    let cells: Vec<String> = answer
        .picture
        .iter()
        .map(|cell| cell_words(cell.as_ref()))
        .collect();
    let width = cells
        .iter()
        .map(|cell| cell.chars().count())
        .max()
        .unwrap_or(1);
    let shown = cells.len() as u64;
    let _ = writeln!(
        text,
        "\nlayout{}\n",
        if shown < answer.size {
            format!(", the first {shown} positions")
        } else {
            String::new()
        }
    );
    for (line, row_cells) in cells.chunks(row).enumerate() {
        let joined: Vec<String> = row_cells
            .iter()
            .map(|cell| format!("{cell:<width$}"))
            .collect();
        let _ = writeln!(
            text,
            "  {:>6} | {}",
            line.saturating_mul(row),
            joined.join(" ").trim_end()
        );
    }
}

/// `A3 B0`; `·` for padding, `0` where no axis counts.
fn cell_words(cell: Option<&BTreeMap<String, u64>>) -> String {
    match cell {
        None => "·".to_owned(),
        Some(index) if index.is_empty() => "0".to_owned(),
        Some(index) => index
            .iter()
            .map(|(axis, value)| format!("{axis}{value}"))
            .collect::<Vec<_>>()
            .join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_positions;

    #[test]
    fn positions_are_numbers_or_ranges() {
        assert_eq!(parse_positions("7").ok(), Some((7, 8)));
        assert_eq!(parse_positions("0..16").ok(), Some((0, 16)));
        assert_eq!(parse_positions("..=3").ok(), Some((0, 4)));
        for bad in [
            "",
            "a",
            "4..1",
            "1..",
            "-1",
            "0..2000001",
            "18446744073709551615",
        ] {
            assert!(parse_positions(bad).is_err(), "{bad}");
        }
    }
}
