//! The parts of source files around a finding, with long lines cut, as the renderer of findings reads them.
//!
//! A line of a megabyte is shown around its labels only, so that an answer grows with the number of findings and not with
//! the lines that they are in. Lines and columns that are printed are those of the file.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use codespan_reporting::files::{Error, Files};
use visa_analysis::LineIndex;

use visa_analysis::{visible, visible_escape};

/// Bytes of a line that is shown whole.
const WHOLE: usize = 200;
/// Bytes of a longer line that are shown before and behind the ends of a label.
const BEFORE: usize = 30;
const BEHIND: usize = 60;
/// What is shown for a part that was cut out.
const CUT: &str = "...";
/// Lines around a label that the renderer may ask for.
const AROUND: u32 = 3;
/// Empty lines between parts of a file, so that the renderer takes them for parts.
const GAP: usize = 4;

/// A file that findings are in.
pub(super) struct Source<'a> {
    name: String,
    text: &'a str,
    lines: LineIndex,
}

impl<'a> Source<'a> {
    pub(super) fn new(name: &str, text: &'a str) -> Self {
        Self {
            name: visible(name).into_owned(),
            text,
            lines: LineIndex::new(text),
        }
    }
}

/// The parts of files that one finding shows. A file is known by its number among the sources.
pub(super) struct Excerpts<'a> {
    parts: BTreeMap<usize, Excerpt<'a>>,
}

impl<'a> Excerpts<'a> {
    /// The parts of the files around labels, which are a file's number and bytes of its text.
    pub(super) fn new(sources: &'a [Source<'a>], labels: &[(usize, Range<usize>)]) -> Self {
        let mut points: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (file, bytes) in labels {
            points
                .entry(*file)
                .or_default()
                .extend([bytes.start, bytes.end]);
        }
        let parts = points.into_iter().filter_map(|(file, points)| {
            let source = sources.get(file)?;
            Some((file, Excerpt::new(source, &points)))
        });
        Self {
            parts: parts.collect(),
        }
    }

    /// Where bytes of a file are in the part that is shown.
    pub(super) fn shown_range(&self, file: usize, bytes: &Range<usize>) -> Range<usize> {
        self.parts.get(&file).map_or(0..0, |part| {
            let start = part.shown_byte(bytes.start);
            start..part.shown_byte(bytes.end).max(start)
        })
    }

    fn excerpt_of_file(&self, file: usize) -> Result<&Excerpt<'a>, Error> {
        self.parts.get(&file).ok_or(Error::FileMissing)
    }
}

/// The shown part of a file.
struct Excerpt<'a> {
    source: &'a Source<'a>,
    text: String,
    lines: Vec<Line>,
    /// What was kept, in the order of the file.
    pieces: Vec<Piece>,
}

/// A line of an excerpt.
struct Line {
    start: usize,
    /// Its number in the file.
    number: usize,
}

/// Bytes of the file that are in the excerpt: as they are, or one character as its escape.
struct Piece {
    from: usize,
    shown: usize,
    length: usize,
}

impl<'a> Excerpt<'a> {
    fn new(source: &'a Source<'a>, points: &BTreeSet<usize>) -> Self {
        let line_of = |byte: usize| source.lines.line(u32::try_from(byte).unwrap_or(u32::MAX));
        let near: BTreeSet<u32> = points
            .iter()
            .flat_map(|byte| {
                let line = line_of(*byte);
                line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND)
            })
            .collect();
        let mut excerpt = Self {
            source,
            text: String::new(),
            lines: Vec::new(),
            pieces: Vec::new(),
        };
        let mut last = None;
        for line in near {
            let Some((start, end)) = source.lines.line_range(line) else {
                break;
            };
            if last.is_some_and(|last| last + 1 != line) {
                for _ in 0..GAP {
                    excerpt.begin_line(line);
                    excerpt.text.push('\n');
                }
            }
            last = Some(line);
            excerpt.begin_line(line);
            excerpt.line(start as usize..end as usize, points);
        }
        excerpt
    }

    fn begin_line(&mut self, number: u32) {
        self.lines.push(Line {
            start: self.text.len(),
            number: number as usize,
        });
    }

    /// Adds a line of the file, of a long one the parts around the points.
    fn line(&mut self, line: Range<usize>, points: &BTreeSet<usize>) {
        let text = self.source.text;
        let ended = text
            .get(line.clone())
            .is_some_and(|line| line.ends_with('\n'));
        let end = line.end - usize::from(ended);
        if end - line.start <= WHOLE {
            self.piece(line.start..end);
        } else {
            let mut kept: Vec<Range<usize>> = Vec::new();
            let mut keep = |around: Range<usize>| match kept.last_mut() {
                Some(before) if around.start <= before.end + CUT.len() => {
                    before.end = before.end.max(around.end);
                }
                _ => kept.push(around),
            };
            if points.range(line.start..=end).next().is_none() {
                keep(line.start..text.floor_char_boundary(line.start + BEHIND));
            }
            for point in points.range(line.start..=end) {
                let first = point.saturating_sub(BEFORE).max(line.start);
                let behind = point.saturating_add(BEHIND).min(end);
                keep(text.floor_char_boundary(first)..text.ceil_char_boundary(behind));
            }
            let mut at = line.start;
            for part in kept {
                if part.start > at {
                    self.text.push_str(CUT);
                }
                at = part.end;
                self.piece(part);
            }
            if at < end {
                self.text.push_str(CUT);
            }
        }
        if ended {
            self.text.push('\n');
        }
    }

    /// Adds bytes of the file, as escapes those that must not be sent.
    fn piece(&mut self, bytes: Range<usize>) {
        let text = self.source.text.get(bytes.clone()).unwrap_or_default();
        let behind = self.source.text.get(bytes.end..).unwrap_or_default();
        let ends_line = behind.starts_with('\n');
        // What the renderer lays out itself.
        let is_kept = |rest: &str| rest.starts_with('\t') || (ends_line && rest == "\r");
        let mut begin = 0;
        for (at, character) in text.char_indices() {
            let rest = text.get(at..).unwrap_or_default();
            let Some(escape) = visible_escape(rest).filter(|_| !is_kept(rest)) else {
                continue;
            };
            self.push_plain(bytes.start + begin, text.get(begin..at).unwrap_or_default());
            self.pieces.push(Piece {
                from: bytes.start + at,
                shown: self.text.len(),
                length: character.len_utf8(),
            });
            self.text.push_str(&escape);
            begin = at + character.len_utf8();
        }
        // Also where it is empty: it says where the end of the line is.
        self.push_plain(bytes.start + begin, text.get(begin..).unwrap_or_default());
    }

    fn push_plain(&mut self, from: usize, text: &str) {
        self.pieces.push(Piece {
            from,
            shown: self.text.len(),
            length: text.len(),
        });
        self.text.push_str(text);
    }

    /// Where a byte of the file is shown.
    fn shown_byte(&self, byte: usize) -> usize {
        let behind = self.pieces.partition_point(|piece| piece.from <= byte);
        let piece = behind.checked_sub(1).and_then(|at| self.pieces.get(at));
        // A line's end is behind its last piece.
        piece
            .map_or(0, |piece| {
                piece.shown + (byte - piece.from).min(piece.length + 1)
            })
            .min(self.text.len())
    }

    /// The byte of the file that is shown somewhere.
    fn real(&self, shown: usize) -> usize {
        let behind = self.pieces.partition_point(|piece| piece.shown <= shown);
        let piece = behind.checked_sub(1).and_then(|at| self.pieces.get(at));
        piece.map_or(0, |piece| {
            piece.from + (shown - piece.shown).min(piece.length)
        })
    }

    fn line_at(&self, index: usize) -> Result<&Line, Error> {
        let max = self.lines.len().saturating_sub(1);
        let found = self.lines.get(index);
        found.ok_or(Error::LineTooLarge { given: index, max })
    }
}

impl<'a> Files<'a> for Excerpts<'a> {
    type FileId = usize;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, file: usize) -> Result<&'a str, Error> {
        Ok(&self.excerpt_of_file(file)?.source.name)
    }

    fn source(&'a self, file: usize) -> Result<&'a str, Error> {
        Ok(&self.excerpt_of_file(file)?.text)
    }

    fn line_index(&'a self, file: usize, byte: usize) -> Result<usize, Error> {
        let lines = &self.excerpt_of_file(file)?.lines;
        Ok(lines
            .partition_point(|line| line.start <= byte)
            .saturating_sub(1))
    }

    fn line_number(&'a self, file: usize, line: usize) -> Result<usize, Error> {
        Ok(self.excerpt_of_file(file)?.line_at(line)?.number)
    }

    fn column_number(&'a self, file: usize, _: usize, byte: usize) -> Result<usize, Error> {
        let part = self.excerpt_of_file(file)?;
        let real = u32::try_from(part.real(byte)).unwrap_or(u32::MAX);
        Ok(part.source.lines.line_column(real).column as usize)
    }

    fn line_range(&'a self, file: usize, line: usize) -> Result<Range<usize>, Error> {
        let part = self.excerpt_of_file(file)?;
        let start = part.line_at(line)?.start;
        let next = part.lines.get(line + 1);
        Ok(start..next.map_or(part.text.len(), |next| next.start))
    }
}

#[cfg(test)]
mod tests {
    use codespan_reporting::files::Files;

    use super::{Excerpts, Source};

    #[test]
    fn a_long_line_is_shown_around_its_labels() {
        let line = format!(
            "{}WRONG{}OTHER{}",
            "ä".repeat(500),
            "b".repeat(500),
            "c".repeat(500)
        );
        let text = format!("first\n{line}\nlast\n");
        let sources = [Source::new("a.rs", &text)];
        let wrong = text.find("WRONG").unwrap();
        let other = text.find("OTHER").unwrap();
        let labels = [(0, wrong..wrong + 5), (0, other..other + 5)];
        let excerpts = Excerpts::new(&sources, &labels);
        let shown = excerpts.source(0).unwrap();
        assert!(shown.len() < 400, "{shown}");
        assert!(shown.starts_with("first\n...äää"), "{shown}");
        assert!(shown.ends_with("c...\nlast\n"), "{shown}");
        assert_eq!(
            &shown[excerpts.shown_range(0, &(wrong..wrong + 5))],
            "WRONG"
        );
        assert_eq!(
            &shown[excerpts.shown_range(0, &(other..other + 5))],
            "OTHER"
        );
        let place = excerpts.location(0, excerpts.shown_range(0, &labels[1].1).start);
        let place = place.unwrap();
        // 500 characters of two bytes, five, and 500 more are before it.
        assert_eq!((place.line_number, place.column_number), (2, 1006));
    }

    #[test]
    fn lines_far_from_labels_are_left_out_and_numbers_stay() {
        let text: String = (1..=1000)
            .map(|number| format!("line {number}\n"))
            .collect();
        let sources = [Source::new("a.rs", &text)];
        let at = |number: u32| {
            let start = text.find(&format!("line {number}\n")).unwrap();
            (0, start..start + 4)
        };
        let excerpts = Excerpts::new(&sources, &[at(10), at(900)]);
        assert!(excerpts.source(0).unwrap().lines().count() < 20);
        for number in [10, 900] {
            let (_, bytes) = at(number);
            let shown = excerpts.shown_range(0, &bytes);
            assert_eq!(&excerpts.source(0).unwrap()[shown.clone()], "line");
            let place = excerpts.location(0, shown.start).unwrap();
            assert_eq!(place.line_number, number as usize);
        }
    }
}
