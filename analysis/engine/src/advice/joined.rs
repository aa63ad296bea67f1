//! Two changes as one: the second was made in the text that the first left.

use crate::report::FileEdit;

/// A piece of a text that was made of another.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// Bytes of the first text.
    Kept(usize, usize),
    /// What was written.
    Written(String),
}

/// The edits of one file's text that do what `first`, then `second` do. Both are sorted, and their parts do not meet.
pub(super) fn joined_edits(
    text: &str,
    first: &[FileEdit],
    second: &[FileEdit],
) -> Option<Vec<FileEdit>> {
    let path = &first.first().or_else(|| second.first())?.file;
    let whole = vec![Piece::Kept(0, text.len())];
    let pieces = edited_pieces(edited_pieces(whole, first)?, second)?;
    let mut edits = Vec::new();
    let mut done = 0;
    let mut written = String::new();
    for piece in pieces
        .into_iter()
        .chain([Piece::Kept(text.len(), text.len())])
    {
        match piece {
            Piece::Written(text) => written.push_str(&text),
            Piece::Kept(start, end) => {
                if done < start || !written.is_empty() {
                    edits.push(FileEdit {
                        file: path.clone(),
                        start_byte: u32::try_from(done).ok()?,
                        end_byte: u32::try_from(start).ok()?,
                        text: std::mem::take(&mut written),
                    });
                }
                done = end;
            }
        }
    }
    Some(edits)
}

/// The pieces with edits that count in the text that they make.
fn edited_pieces(pieces: Vec<Piece>, edits: &[FileEdit]) -> Option<Vec<Piece>> {
    let mut rest = pieces.into_iter().rev().collect::<Vec<_>>();
    let mut result = Vec::new();
    let mut at = 0;
    for edit in edits {
        let (start, end) = (edit.start_byte as usize, edit.end_byte as usize);
        result.extend(take_pieces(&mut rest, start.checked_sub(at)?)?);
        take_pieces(&mut rest, end.checked_sub(start)?)?;
        result.push(Piece::Written(edit.text.clone()));
        at = end;
    }
    result.extend(rest.into_iter().rev());
    Some(result)
}

/// The pieces of so many bytes from the front; the front is the last.
fn take_pieces(rest: &mut Vec<Piece>, mut bytes: usize) -> Option<Vec<Piece>> {
    let mut front = Vec::new();
    while bytes > 0 {
        let piece = rest.pop()?;
        let length = match &piece {
            Piece::Kept(start, end) => end - start,
            Piece::Written(text) => text.len(),
        };
        if length <= bytes {
            bytes -= length;
            front.push(piece);
            continue;
        }
        let (one, other) = match piece {
            Piece::Kept(start, end) => (
                Piece::Kept(start, start + bytes),
                Piece::Kept(start + bytes, end),
            ),
            Piece::Written(text) => {
                let (one, other) = text.split_at_checked(bytes)?;
                (
                    Piece::Written(one.to_owned()),
                    Piece::Written(other.to_owned()),
                )
            }
        };
        front.push(one);
        rest.push(other);
        bytes = 0;
    }
    Some(front)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit((start, end, text): (u32, u32, &str)) -> FileEdit {
        FileEdit {
            file: "a.rs".into(),
            start_byte: start,
            end_byte: end,
            text: text.to_owned(),
        }
    }

    fn applied(text: &str, edits: &[FileEdit]) -> String {
        let mut result = text.to_owned();
        for edit in edits.iter().rev() {
            result.replace_range(edit.start_byte as usize..edit.end_byte as usize, &edit.text);
        }
        result
    }

    #[test]
    fn two_changes_in_turn_are_one() {
        let text = "abcdefghij";
        let firsts: &[&[(u32, u32, &str)]] = &[
            &[(1, 3, "XYZ"), (5, 5, "!")],
            &[(0, 0, "start ")],
            &[(9, 10, "")],
            &[],
        ];
        let mut tried = 0;
        for first in firsts {
            let first: Vec<FileEdit> = first.iter().map(|one| edit(*one)).collect();
            let between = applied(text, &first);
            let length = u32::try_from(between.len()).unwrap();
            for start in 0..length {
                for end in start..=length {
                    let second = [edit((start, end, "<>"))];
                    let both = joined_edits(text, &first, &second).unwrap();
                    assert_eq!(applied(text, &both), applied(&between, &second));
                    tried += 1;
                }
            }
        }
        assert!(tried > 200);
    }
}
