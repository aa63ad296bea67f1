//! Where a change edits, where that is not where it is offered: the end of its title.

use std::collections::BTreeSet;

use visa_analysis::{FileEdit, Range, visible};

/// Lines that are named before the rest is counted.
const NAMED: usize = 3;

/// ` (line 12)`, ` (line 3 of axes.rs)`, or nothing where the change edits the place at which it is offered and no other file.
/// `line_of` says the line of a byte of a file.
pub fn elsewhere_text(
    file: &str,
    range: Range,
    edits: &[FileEdit],
    mut line_of: impl FnMut(&str, u32) -> u32,
) -> String {
    let is_own = |edit: &&FileEdit| *edit.file == *file;
    let own = edits.iter().filter(is_own);
    let own: BTreeSet<u32> = own.map(|edit| line_of(file, edit.start_byte)).collect();
    let here = range.start.line..=range.end.line;
    let is_here = own.iter().any(|line| here.contains(line))
        || edits
            .iter()
            .filter(is_own)
            .any(|edit| edit.start_byte <= range.end.byte && range.start.byte <= edit.end_byte);
    let others: BTreeSet<&str> = edits
        .iter()
        .filter(|edit| *edit.file != *file)
        .map(|edit| &*edit.file)
        .collect();
    let mut places = Vec::new();
    if !is_here && !own.is_empty() {
        places.push(lines_text(&own));
    }
    for other in others {
        let of_other = edits.iter().filter(|edit| *edit.file == *other);
        let of_other = of_other.map(|edit| line_of(other, edit.start_byte));
        let name = other.rsplit('/').next().unwrap_or(other);
        places.push(format!(
            "{} of {}",
            lines_text(&of_other.collect()),
            visible(name)
        ));
    }
    if places.is_empty() {
        return String::new();
    }
    format!(" ({})", places.join("; "))
}

/// `line 3`, `lines 3, 5 and 8`, `lines 3, 5, 8 and 2 more`.
fn lines_text(lines: &BTreeSet<u32>) -> String {
    let named: Vec<String> = lines.iter().take(NAMED).map(u32::to_string).collect();
    match (named.as_slice(), lines.len().saturating_sub(NAMED)) {
        ([only], _) => format!("line {only}"),
        ([first @ .., last], 0) => format!("lines {} and {last}", first.join(", ")),
        (all, more) => format!("lines {} and {more} more", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use visa_analysis::{FileEdit, Position, Range};

    use super::elsewhere_text;

    /// A finding in line 4 of `k.rs`, whose lines have ten bytes each.
    fn places_of_edits(edits: &[(&str, u32, u32)]) -> String {
        let position = |byte: u32| Position {
            byte,
            line: byte / 10 + 1,
            column: byte % 10 + 1,
        };
        let range = Range {
            start: position(32),
            end: position(35),
        };
        let edit = |(file, line, column): &(&str, u32, u32)| FileEdit {
            file: (*file).into(),
            start_byte: (line - 1) * 10 + column - 1,
            end_byte: (line - 1) * 10 + column,
            text: String::new(),
        };
        let edits: Vec<FileEdit> = edits.iter().map(edit).collect();
        elsewhere_text("k.rs", range, &edits, |_, byte| byte / 10 + 1)
    }

    #[test]
    fn an_edit_of_another_place_is_named() {
        assert_eq!(places_of_edits(&[("k.rs", 4, 1)]), "");
        assert_eq!(places_of_edits(&[("k.rs", 4, 1), ("k.rs", 9, 1)]), "");
        assert_eq!(places_of_edits(&[("k.rs", 9, 1)]), " (line 9)");
        assert_eq!(
            places_of_edits(&[("k.rs", 9, 1), ("k.rs", 2, 1)]),
            " (lines 2 and 9)"
        );
        let five = [9, 2, 7, 1, 12].map(|line| ("k.rs", line, 1));
        assert_eq!(places_of_edits(&five), " (lines 1, 2, 7 and 2 more)");
        assert_eq!(places_of_edits(&[("a/b.rs", 3, 1)]), " (line 3 of b.rs)");
        let both = [("k.rs", 4, 1), ("a/b.rs", 3, 1)];
        assert_eq!(places_of_edits(&both), " (line 3 of b.rs)");
        let apart = [("k.rs", 6, 1), ("a/b\n.rs", 3, 1)];
        assert_eq!(places_of_edits(&apart), " (line 6; line 3 of b\\n.rs)");
    }
}
