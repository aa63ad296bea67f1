//! Markdown: tables, blocks, numbers with their units, places.

use crate::db::Db;
use crate::hardware::ElementType;
use crate::inputs::{SourceFile, line_index};
use crate::items::{Span, file_range};

/// Paragraphs of a page, an empty line between them.
#[derive(Debug, Clone, Default)]
pub(super) struct Page {
    parts: Vec<String>,
}

impl Page {
    /// A page that begins with a line.
    pub(super) fn headed(line: String) -> Self {
        Self { parts: vec![line] }
    }

    /// Adds a paragraph, if there is one.
    pub(super) fn add(&mut self, part: impl Into<Option<String>>) -> &mut Self {
        self.parts
            .extend(part.into().filter(|part| !part.is_empty()));
        self
    }

    /// Adds lines of one paragraph.
    pub(super) fn add_lines(&mut self, lines: &[String]) -> &mut Self {
        self.add(lines.join("  \n"))
    }

    /// Adds a list under a line.
    pub(super) fn add_list(&mut self, title: &str, points: &[String]) -> &mut Self {
        if points.is_empty() {
            return self;
        }
        let points: Vec<String> = points.iter().map(|point| format!("- {point}")).collect();
        self.add(format!("{title}\n\n{}", points.join("\n")))
    }

    /// The page.
    pub(super) fn into_markdown(self) -> String {
        self.parts.join("\n\n")
    }
}

/// Keeps headings apart where an editor draws the cells of a table without a gap.
const GAP: char = '\u{a0}';

/// A table; the columns from `numbers` on are to the right.
pub(super) fn markdown_table(head: &[&str], numbers: usize, rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<&str>| format!("| {} |", cells.join(" | "));
    let titles: Vec<String> = head
        .iter()
        .enumerate()
        .map(|(column, title)| match title.is_empty() {
            true => String::new(),
            false if column < numbers => format!("{title}{GAP}{GAP}"),
            false => format!("{GAP}{GAP}{title}"),
        })
        .collect();
    let rules = (0..head.len())
        .map(|column| if column < numbers { ":--" } else { "--:" })
        .collect();
    let titles = titles.iter().map(String::as_str).collect();
    let mut lines = vec![line(titles), line(rules)];
    lines.extend(
        rows.iter()
            .map(|row| line(row.iter().map(String::as_str).collect())),
    );
    lines.join("\n")
}

pub(super) use crate::markdown::{code_block as block, code_span as code, prose};
pub(super) use crate::numbers::counted;

/// `2,048 bytes`, or bits where the elements fill no whole byte.
pub(super) fn bytes_of(elements: u64, element_type: ElementType) -> Option<String> {
    let bits = elements.checked_mul(element_type.bits())?;
    Some(if bits.is_multiple_of(8) {
        counted(bits / 8, "byte")
    } else {
        counted(bits, "bit")
    })
}

/// A share in percent, with a digit behind the point where it is below ten: `6.3%`, `50%`.
pub(super) fn percent_text(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0%".to_owned();
    }
    let tenths = (u128::from(part) * 1000 + u128::from(whole) / 2) / u128::from(whole);
    if tenths == 0 && part > 0 {
        return "below 0.1%".to_owned();
    }
    if tenths < 100 && tenths % 10 != 0 {
        format!("{}.{}%", tenths / 10, tenths % 10)
    } else {
        format!("{}%", (tenths + 5) / 10)
    }
}

/// `line 12`, or `line 12 of kernels/axes.rs` in another file than the reader's.
pub(super) fn line_of(db: &dyn Db, span: Span, reader: SourceFile) -> String {
    let (file, start, _) = file_range(db, span);
    let line = line_index(db, file).line(start);
    if file == reader {
        format!("line {line}")
    } else {
        format!("line {line} of {}", file.path(db))
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, markdown_table, percent_text};

    #[test]
    fn numbers_have_units_and_shares_few_digits() {
        assert_eq!(counted(1, "cycle"), "1 cycle");
        assert_eq!(counted(65_536, "cycle"), "65,536 cycles");
        assert_eq!(percent_text(1, 2), "50%");
        assert_eq!(percent_text(1, 16), "6.3%");
        assert_eq!(percent_text(1, 100_000), "below 0.1%");
        assert_eq!(percent_text(0, 8), "0%");
        assert_eq!(percent_text(u64::MAX, u64::MAX), "100%");
    }

    #[test]
    fn tables_have_a_rule_below_their_head() {
        let rows = [vec!["a".to_owned(), "1".to_owned()]];
        assert_eq!(
            markdown_table(&["x", "y"], 1, &rows),
            "| x\u{a0}\u{a0} | \u{a0}\u{a0}y |\n| :-- | --: |\n| a | 1 |"
        );
    }
}
