//! Costs as a comment on a change request: Markdown with tables, as GitHub and GitLab show it.
//!
//! Names, paths and messages come from sources: they are escaped, so that a table keeps its columns and no text becomes
//! markup, a link or a mention.

use std::fmt::Write;

use visa_analysis::{KernelCost, Proposal, code_span, thousands, visible};

use super::compare::{
    Comparison, KernelChange, OperationChange, conclusions, share_text, side_texts, signed,
};
use super::human::{place_of, saving_text};
use super::overview::{all_together, largest_saving, likely_bounds, sorted};
use super::unknown::unknown_place;
use crate::documents::json::roofline::{binding_bound, binding_sentence};

/// Rows of one table; what is beyond is counted. A comment may have 65,536 characters.
const ROWS: usize = 100;

/// The kernels as a table, with their operations where these are asked for.
pub(super) fn kernels_table(kernels: &[KernelCost], details: bool) -> String {
    if kernels.is_empty() {
        return "No kernel: no function has `#[device]`.\n".to_owned();
    }
    let rows = sorted(kernels).into_iter().map(|kernel| {
        let place = format!("{}:{}", kernel.file, kernel.range.start.line);
        let why = unknown_place(kernel).unwrap_or_default();
        let bound = kernel.roofline.as_ref().map(binding_bound);
        vec![
            code_cell(&kernel.name),
            code_cell(&place),
            kernel.total.map_or_else(|| "unknown".to_owned(), thousands),
            likely_bounds(kernel),
            prose_cell(&bound.unwrap_or(why)),
            prose_cell(&largest_saving(kernel)),
        ]
    });
    let head = [
        "kernel",
        "place",
        "cycles",
        "bounds",
        "binds",
        "would save most",
    ];
    let mut text = format!(
        "### Cost of kernels\n\n{}",
        markdown_table(&head, &[2, 3], rows.collect())
    );
    if kernels.len() > 1 {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{}.", prose_cell(&all_together(kernels)));
    }
    for kernel in sorted(kernels).into_iter().filter(|_| details) {
        text.push_str(&of_kernel(kernel));
    }
    text
}

fn of_kernel(kernel: &KernelCost) -> String {
    let rows = kernel.operations.iter().map(|row| {
        vec![
            row.id.to_string(),
            code_cell(&row.name),
            row.lane.name().to_owned(),
            row.cycles.map_or_else(|| "unknown".to_owned(), thousands),
            row.bottleneck.unwrap_or_default().to_owned(),
            format!("{}", row.range.start.line),
        ]
    });
    let head = ["", "operation", "context", "cycles", "bottleneck", "line"];
    let mut text = format!(
        "\n<details><summary>{}</summary>\n\n{}",
        html(&kernel.name),
        markdown_table(&head, &[0, 3, 5], rows.collect())
    );
    if let Some(bounds) = &kernel.roofline {
        let _ = writeln!(text, "\n{}.", prose_cell(&binding_sentence(bounds)));
    }
    push_list(&mut text, "Would save most:", proposal_lines(kernel));
    let unresolved = kernel.unresolved.iter();
    let reasons = unresolved.map(|place| {
        format!(
            "- line {}: {}",
            place.range.start.line,
            prose_cell(&place.reason)
        )
    });
    push_list(&mut text, "No total, because:", reasons.collect());
    let assumptions = kernel.assumptions.iter();
    push_list(
        &mut text,
        "Assumes:",
        assumptions
            .map(|one| format!("- {}", prose_cell(one)))
            .collect(),
    );
    text.push_str("\n</details>\n");
    text
}

/// The changes that would save most, that they are alternatives, and how far the search for them went.
fn proposal_lines(kernel: &KernelCost) -> Vec<String> {
    let proposals = kernel.proposals.iter();
    let proposals = proposals.map(|one| proposal_line(one, &kernel.file));
    let mut lines: Vec<String> = proposals.collect();
    let several = lines.len() > 1;
    let Some(searched) = &kernel.searched else {
        lines.extend(several.then(|| "- savings do not add up".to_owned()));
        return lines;
    };
    match &searched.pair {
        Some(pair) => {
            let both = proposal_line(pair, &kernel.file).replacen("- ", "", 1);
            lines.push(format!(
                "- savings do not add up; the best two together: {both}"
            ));
        }
        None if several => {
            lines
                .push("- savings do not add up, and no second change adds to the first".to_owned());
        }
        None => {}
    }
    let end = if kernel.proposals.is_empty() {
        let sentence = searched.sentence();
        format!("- no change was found that saves 2 % or more ({sentence})")
    } else {
        format!("- {}", searched.sentence())
    };
    lines.push(end);
    lines
}

fn proposal_line(proposal: &Proposal, file: &str) -> String {
    let help = proposal.help.as_deref().unwrap_or(&proposal.message);
    let saves = saving_text(proposal);
    format!(
        "- {saves}, {}, {}: {}",
        prose_cell(&place_of(proposal, file)),
        code_cell(proposal.rule),
        prose_cell(help)
    )
}

fn push_list(text: &mut String, title: &str, mut lines: Vec<String>) {
    if lines.is_empty() {
        return;
    }
    let more = lines.len().saturating_sub(ROWS);
    lines.truncate(ROWS);
    let _ = writeln!(text, "\n{title}\n\n{}", lines.join("\n"));
    if more > 0 {
        let _ = writeln!(text, "- and {more} more");
    }
}

/// What changed, as a table, with the operations that differ where these are asked for or few kernels changed.
pub(super) fn comparison_table(comparison: &Comparison<'_>, details: bool) -> String {
    let kernels = &comparison.kernels;
    let heading = match &comparison.limit {
        Some(verdict) if verdict.exceeded => format!(
            "### Cost compared with {}: beyond {}\n\n",
            code_cell(comparison.compared_with),
            prose_cell(&verdict.limit)
        ),
        _ => format!(
            "### Cost compared with {}\n\n",
            code_cell(comparison.compared_with)
        ),
    };
    if kernels.is_empty() {
        return format!("{heading}No kernel: no function has `#[device]`.\n");
    }
    let mut changed: Vec<&KernelChange> = kernels.iter().filter(|one| one.is_change()).collect();
    changed.sort_by_key(|kernel| std::cmp::Reverse(kernel.difference));
    let rows = changed.iter().map(|kernel| {
        let [before, after] = side_texts(kernel.there, kernel.before, kernel.after);
        let note = match kernel.there {
            [false, _] => "new".to_owned(),
            [_, false] => "gone".to_owned(),
            _ => String::new(),
        };
        vec![
            code_cell(&kernel.name),
            code_cell(&kernel.file),
            before,
            after,
            kernel.difference.map(signed).unwrap_or_default(),
            kernel.known_cycles().map_or_else(String::new, share_text),
            kernel.unjudged().map_or(note, |words| prose_cell(&words)),
        ]
    });
    let head = ["kernel", "file", "before", "after", "difference", "", ""];
    let mut text = heading;
    if changed.is_empty() {
        text.push_str("No kernel takes more or fewer cycles.\n");
    } else {
        text.push_str(&markdown_table(&head, &[2, 3, 4, 5], rows.collect()));
    }
    let conclusions =
        conclusions(comparison)
            .into_iter()
            .map(|line| match line.strip_prefix("  ") {
                Some(one) => format!("  - {}", prose_cell(one)),
                None => format!("- {}", prose_cell(&line)),
            });
    let conclusions: Vec<String> = conclusions.collect();
    if !conclusions.is_empty() {
        let _ = writeln!(text, "\n{}", conclusions.join("\n"));
    }
    for kernel in changed {
        let rows = kernel.operations.iter().filter(|row| row.is_change());
        let rows: Vec<Vec<String>> = rows.map(operation_cells).collect();
        if kernel.there == [true; 2] && !rows.is_empty() && (details || kernels.len() == 1) {
            let head = ["operation", "context", "before", "after", "difference"];
            let _ = write!(
                text,
                "\n<details><summary>{}</summary>\n\n{}\n</details>\n",
                html(&kernel.name),
                markdown_table(&head, &[2, 3, 4], rows)
            );
        }
    }
    text
}

fn operation_cells(row: &OperationChange) -> Vec<String> {
    let [before, after] = side_texts(row.there, row.before, row.after);
    let difference = row.difference.map(signed).unwrap_or_default();
    vec![
        code_cell(&row.name),
        row.context.clone(),
        before,
        after,
        difference,
    ]
}

/// A table; the columns `right` end at one edge.
fn markdown_table(head: &[&str], right: &[usize], mut rows: Vec<Vec<String>>) -> String {
    let more = rows.len().saturating_sub(ROWS);
    rows.truncate(ROWS);
    let rules: Vec<&str> = (0..head.len())
        .map(|column| {
            if right.contains(&column) {
                "--:"
            } else {
                ":--"
            }
        })
        .collect();
    let mut text = format!("| {} |\n| {} |\n", head.join(" | "), rules.join(" | "));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    if more > 0 {
        let _ = writeln!(text, "\nand {more} more");
    }
    text
}

/// A cell that shows its text as it is.
pub(super) fn code_cell(text: &str) -> String {
    code_span(text).replace('|', "\\|")
}

/// Words in a cell: those in back quotes are code, and nothing else means anything.
pub(super) fn prose_cell(text: &str) -> String {
    let words = visa_analysis::prose(text);
    // Those outside of code are escaped already.
    words.replace("\\|", "|").replace('|', "\\|")
}

/// Words inside of an element.
fn html(text: &str) -> String {
    visible(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('@', "&#64;")
}

#[cfg(test)]
mod tests {
    use super::{code_cell, prose_cell};

    #[test]
    fn cells_keep_their_columns() {
        assert_eq!(code_cell("a|b"), "`a\\|b`");
        assert_eq!(code_cell("a`|b"), "``a`\\|b``");
        assert_eq!(prose_cell("unknown method `a|b`"), "unknown method `a\\|b`");
        assert_eq!(prose_cell("a | b"), "a \\| b");
    }
}
