//! The picture of a layout: a box a digit, the outermost on the left.

use crate::mapping::{Cell, Digit, Form, Mapping};
use crate::numbers::thousands;

/// Digits that a picture shows; the outer ones of a longer form are left out.
const DIGITS: usize = 10;
/// Positions that are counted one by one where a form does not tell how many of them hold elements.
const COUNTED: u64 = 4096;

/// The boxes of a form: what each digit runs over, how many positions it has, and how many positions a step of it moves.
/// `None` for a form without digits.
pub(super) fn boxes(form: &Form) -> Option<String> {
    let digits = form.digits();
    if digits.is_empty() {
        return None;
    }
    let mut step: u64 = 1;
    let mut columns: Vec<[String; 3]> = Vec::new();
    for digit in digits.iter().take(DIGITS) {
        columns.push([
            digit_label(digit),
            positions_text(digit),
            format!("step {}", thousands(step)),
        ]);
        step = step.saturating_mul(digit.extent);
    }
    if digits.len() > DIGITS {
        columns.push(["…".to_owned(), "…".to_owned(), String::new()]);
    }
    columns.reverse();
    Some(drawn_columns(&columns))
}

fn drawn_columns(columns: &[[String; 3]]) -> String {
    let widths: Vec<usize> = columns
        .iter()
        .map(|rows| rows.iter().map(|text| text.chars().count()).max())
        .map(Option::unwrap_or_default)
        .collect();
    let edge = |left: char, between: char, right: char| {
        let lines: Vec<String> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
        let between = between.to_string();
        format!("{left}{}{right}", lines.join(&between))
    };
    let mut lines = vec![edge('┌', '┬', '┐')];
    for row in 0..3 {
        let cells: Vec<String> = columns
            .iter()
            .zip(&widths)
            .map(|(rows, width)| {
                let text = rows.get(row).map_or("", String::as_str);
                format!(" {text:<width$} ")
            })
            .collect();
        lines.push(format!("│{}│", cells.join("│")));
    }
    lines.push(edge('└', '┴', '┘'));
    lines.join("\n")
}

/// The digit as an expression of its own.
fn digit_label(digit: &Digit) -> String {
    let alone = Form::from_digits([digit.clone()]);
    let label = alone.map_or_else(String::new, |form| form.to_mapping().to_string());
    // A picture is no code: paths need no braces in it.
    label.replace("{ ", "").replace(" }", "")
}

fn positions_text(digit: &Digit) -> String {
    if digit.live == digit.extent {
        thousands(digit.extent)
    } else {
        format!("{} of {}", thousands(digit.live), thousands(digit.extent))
    }
}

/// Positions that hold no element; `None` where they were not counted.
pub(super) fn padding_positions(mapping: &Mapping) -> Option<u64> {
    let form = mapping.form();
    let size = form.size();
    let told = form.digits().iter().all(|digit| {
        !matches!(
            digit.term.as_ref().map(|term| &term.atom),
            Some(crate::mapping::Atom::PaddedRun(_) | crate::mapping::Atom::Composite(_))
        )
    });
    if told {
        let live = form
            .digits()
            .iter()
            .try_fold(1_u64, |live, digit| live.checked_mul(digit.live))?;
        return size.checked_sub(live);
    }
    if size > COUNTED {
        return None;
    }
    let function = form.function();
    let empty = |position: &u64| matches!(function.cell_at(*position), Cell::Padding(_));
    u64::try_from((0..size).filter(empty).count()).ok()
}

#[cfg(test)]
mod tests {
    use super::{boxes, padding_positions};
    use crate::testing_kernel::mapping;

    const AXES: &[(&str, u64)] = &[("A", 8), ("B", 24), ("R", 13)];

    #[test]
    fn each_digit_is_a_box() {
        // B is 24 of 32 positions, each a step of 1; a step of A moves 32 positions.
        let drawn = boxes(mapping("A, B # 32", AXES).form()).unwrap();
        let expected = "\
┌─────────┬──────────┐
│ A       │ B # 32   │
│ 8       │ 24 of 32 │
│ step 32 │ step 1   │
└─────────┴──────────┘";
        assert_eq!(drawn, expected);
        assert_eq!(boxes(mapping("1", AXES).form()), None);
    }

    #[test]
    fn long_layouts_are_cut_on_the_left() {
        let axes: Vec<(String, u64)> = (0..12).map(|number| (format!("A{number}"), 2)).collect();
        let names: Vec<&str> = axes.iter().map(|(name, _)| name.as_str()).collect();
        let axes: Vec<(&str, u64)> = axes
            .iter()
            .map(|(name, size)| (name.as_str(), *size))
            .collect();
        let drawn = boxes(mapping(&names.join(", "), &axes).form()).unwrap();
        assert!(drawn.contains("│ …"), "{drawn}");
        assert!(
            !drawn.contains("A1 ") && drawn.contains("A2 ") && drawn.contains("A11"),
            "{drawn}"
        );
    }

    #[test]
    fn padding_is_counted_in_every_digit() {
        // 8 * 32 positions with 8 * 24 elements.
        assert_eq!(padding_positions(&mapping("A, B # 32", AXES)), Some(64));
        // 16 positions of which the last three are padding, cut in the middle and apart.
        assert_eq!(
            padding_positions(&mapping("R # 16 % 4, A, R # 16 / 4", AXES)),
            Some(3 * 8)
        );
        assert_eq!(padding_positions(&mapping("1 # 2", AXES)), Some(1));
        assert_eq!(padding_positions(&mapping("A", AXES)), Some(0));
    }
}
