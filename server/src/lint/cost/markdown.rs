//! Costs as a comment on a change request: Markdown with tables, as GitHub and GitLab show it.
//!
//! Names, paths and messages come from sources: they are escaped, so that a table keeps its columns and no text becomes
//! markup, a link or a mention.

use std::fmt::Write;

use visa_analysis::{KernelCost, Proposal, code_span, thousands, visible};

use super::compare::{
    Comparison, KernelChange, OperationChange, conclusions, share, sides, signed,
};
use super::human::{place_of, saving};
use super::overview::{all_together, bounds, saves, sorted};
use super::unknown::unknown_place;
use crate::json::roofline::{binds, sentence};

/// Rows of one table; what is beyond is counted. A comment may have 65,536 characters.
const ROWS: usize = 100;

/// The kernels as a table, with their operations where these are asked for.
pub(super) fn kernels(kernels: &[KernelCost], details: bool) -> String {
    if kernels.is_empty() {
        return "No kernel: no function has `#[device]`.\n".to_owned();
    }
    let rows = sorted(kernels).into_iter().map(|kernel| {
        let place = format!("{}:{}", kernel.file, kernel.range.start.line);
        let why = unknown_place(kernel).unwrap_or_default();
        let bound = kernel.roofline.as_ref().map(binds);
        vec![
            code(&kernel.name),
            code(&place),
            kernel.total.map_or_else(|| "unknown".to_owned(), thousands),
            bounds(kernel),
            prose(&bound.unwrap_or(why)),
            prose(&saves(kernel)),
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
        table(&head, &[2, 3], rows.collect())
    );
    if kernels.len() > 1 {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{}.", prose(&all_together(kernels)));
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
            code(&row.name),
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
        table(&head, &[0, 3, 5], rows.collect())
    );
    if let Some(bounds) = &kernel.roofline {
        let _ = writeln!(text, "\n{}.", prose(&sentence(bounds)));
    }
    list(&mut text, "Would save most:", proposals(kernel));
    let unresolved = kernel.unresolved.iter();
    let reasons = unresolved.map(|place| {
        format!(
            "- line {}: {}",
            place.range.start.line,
            prose(&place.reason)
        )
    });
    list(&mut text, "No total, because:", reasons.collect());
    let assumptions = kernel.assumptions.iter();
    list(
        &mut text,
        "Assumes:",
        assumptions.map(|one| format!("- {}", prose(one))).collect(),
    );
    text.push_str("\n</details>\n");
    text
}

/// The changes that would save most, that they are alternatives, and how far the search for them went.
fn proposals(kernel: &KernelCost) -> Vec<String> {
    let proposals = kernel.proposals.iter();
    let proposals = proposals.map(|one| proposal(one, &kernel.file));
    let mut lines: Vec<String> = proposals.collect();
    let several = lines.len() > 1;
    let Some(searched) = &kernel.searched else {
        lines.extend(several.then(|| "- savings do not add up".to_owned()));
        return lines;
    };
    match &searched.pair {
        Some(pair) => {
            let both = proposal(pair, &kernel.file).replacen("- ", "", 1);
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

fn proposal(proposal: &Proposal, file: &str) -> String {
    let help = proposal.help.as_deref().unwrap_or(&proposal.message);
    let saves = saving(proposal);
    format!(
        "- {saves}, {}, {}: {}",
        prose(&place_of(proposal, file)),
        code(proposal.rule),
        prose(help)
    )
}

fn list(text: &mut String, title: &str, mut lines: Vec<String>) {
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
pub(super) fn comparison(comparison: &Comparison<'_>, details: bool) -> String {
    let kernels = &comparison.kernels;
    let heading = match &comparison.limit {
        Some(verdict) if verdict.exceeded => format!(
            "### Cost compared with {}: beyond {}\n\n",
            code(comparison.compared_with),
            prose(&verdict.limit)
        ),
        _ => format!(
            "### Cost compared with {}\n\n",
            code(comparison.compared_with)
        ),
    };
    if kernels.is_empty() {
        return format!("{heading}No kernel: no function has `#[device]`.\n");
    }
    let mut changed: Vec<&KernelChange> = kernels.iter().filter(|one| one.is_change()).collect();
    changed.sort_by_key(|kernel| std::cmp::Reverse(kernel.difference));
    let rows = changed.iter().map(|kernel| {
        let [before, after] = sides(kernel.there, kernel.before, kernel.after);
        let note = match kernel.there {
            [false, _] => "new".to_owned(),
            [_, false] => "gone".to_owned(),
            _ => String::new(),
        };
        vec![
            code(&kernel.name),
            code(&kernel.file),
            before,
            after,
            kernel.difference.map(signed).unwrap_or_default(),
            kernel.known().map_or_else(String::new, share),
            kernel.unjudged().map_or(note, |words| prose(&words)),
        ]
    });
    let head = ["kernel", "file", "before", "after", "difference", "", ""];
    let mut text = heading;
    if changed.is_empty() {
        text.push_str("No kernel takes more or fewer cycles.\n");
    } else {
        text.push_str(&table(&head, &[2, 3, 4, 5], rows.collect()));
    }
    let conclusions =
        conclusions(comparison)
            .into_iter()
            .map(|line| match line.strip_prefix("  ") {
                Some(one) => format!("  - {}", prose(one)),
                None => format!("- {}", prose(&line)),
            });
    let conclusions: Vec<String> = conclusions.collect();
    if !conclusions.is_empty() {
        let _ = writeln!(text, "\n{}", conclusions.join("\n"));
    }
    for kernel in changed {
        let rows = kernel.operations.iter().filter(|row| row.is_change());
        let rows: Vec<Vec<String>> = rows.map(operation).collect();
        if kernel.there == [true; 2] && !rows.is_empty() && (details || kernels.len() == 1) {
            let head = ["operation", "context", "before", "after", "difference"];
            let _ = write!(
                text,
                "\n<details><summary>{}</summary>\n\n{}\n</details>\n",
                html(&kernel.name),
                table(&head, &[2, 3, 4], rows)
            );
        }
    }
    text
}

fn operation(row: &OperationChange) -> Vec<String> {
    let [before, after] = sides(row.there, row.before, row.after);
    let difference = row.difference.map(signed).unwrap_or_default();
    vec![
        code(&row.name),
        row.context.clone(),
        before,
        after,
        difference,
    ]
}

/// A table; the columns `right` end at one edge.
fn table(head: &[&str], right: &[usize], mut rows: Vec<Vec<String>>) -> String {
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
pub(super) fn code(text: &str) -> String {
    code_span(text).replace('|', "\\|")
}

/// Words in a cell: those in back quotes are code, and nothing else means anything.
pub(super) fn prose(text: &str) -> String {
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
    use super::{code, prose};

    #[test]
    fn cells_keep_their_columns() {
        assert_eq!(code("a|b"), "`a\\|b`");
        assert_eq!(code("a`|b"), "``a`\\|b``");
        assert_eq!(prose("unknown method `a|b`"), "unknown method `a\\|b`");
        assert_eq!(prose("a | b"), "a \\| b");
    }
}
