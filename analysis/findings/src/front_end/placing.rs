//! Where the text of a part of a file is in the file.
//!
//! A part is one function, or what is left of a file without its functions: some stretches, one behind the other. Plain arithmetic.

use std::ops::Range;

use crate::answers::ByteRange;
use crate::{Finding, TextSpan};

/// From bytes of a part to bytes of its file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Placing {
    /// Where each stretch begins in the part, and its bytes in the file.
    stretches: Vec<(u32, Range<u32>)>,
}

fn saturating_byte(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

impl Placing {
    /// Of a part that is these stretches of the file, in their order.
    pub fn of(stretches: impl IntoIterator<Item = Range<usize>>) -> Self {
        Self::with_lengths(
            stretches
                .into_iter()
                .map(|stretch| (stretch.len(), stretch)),
        )
    }

    /// Of a part whose stretches may go on with bytes that the file does not have there; those are the stretch's end.
    pub fn with_lengths(stretches: impl IntoIterator<Item = (usize, Range<usize>)>) -> Self {
        let mut start = 0;
        let mut found = Vec::new();
        for (length, stretch) in stretches {
            found.push((
                start,
                saturating_byte(stretch.start)..saturating_byte(stretch.end),
            ));
            start += saturating_byte(length);
        }
        Self { stretches: found }
    }

    /// Of a part that is one stretch of the file behind bytes that the file does not have; those are the stretch's begin.
    pub fn stretch_behind(length: usize, stretch: Range<usize>) -> Self {
        Self {
            stretches: vec![(
                saturating_byte(length),
                saturating_byte(stretch.start)..saturating_byte(stretch.end),
            )],
        }
    }

    /// The byte of the file that a byte of the part is.
    pub fn byte(&self, offset: u32) -> u32 {
        let behind = self
            .stretches
            .partition_point(|(start, _)| *start <= offset);
        let found = self.stretches.get(behind.saturating_sub(1));
        found.map_or(offset, |(start, of_file)| {
            of_file
                .end
                .min(of_file.start + offset.saturating_sub(*start))
        })
    }

    /// The end in the file of what ends there in the part.
    fn file_end(&self, start: u32, end: u32) -> u32 {
        // Where a stretch ends and the next one begins, an end is that of the one before.
        if end > start {
            let last = self.byte(end - 1);
            last.max((last + 1).min(self.stretch_end(end - 1)))
        } else {
            self.byte(end)
        }
    }

    fn stretch_end(&self, offset: u32) -> u32 {
        let behind = self
            .stretches
            .partition_point(|(start, _)| *start <= offset);
        let found = behind.checked_sub(1).and_then(|at| self.stretches.get(at));
        found.map_or(u32::MAX, |(_, of_file)| of_file.end)
    }

    /// A place.
    pub fn span(&self, span: TextSpan) -> TextSpan {
        TextSpan::new(self.byte(span.start), self.file_end(span.start, span.end))
    }

    /// A place as editors have it.
    pub fn range(&self, range: ByteRange) -> ByteRange {
        ByteRange {
            start: self.byte(range.start),
            end: self.file_end(range.start, range.end),
        }
    }

    /// A finding with all that it names.
    pub fn place_finding(&self, finding: Finding<TextSpan>) -> Finding<TextSpan> {
        finding.map_places(|span| self.span(span))
    }

    /// The byte of the part that a byte of the file is, or comes right after.
    pub fn local_offset(&self, offset: u32) -> Option<u32> {
        let mut stretches = self.stretches.iter();
        let (start, of_file) =
            stretches.find(|(_, of_file)| of_file.start <= offset && offset <= of_file.end)?;
        Some(start + (offset - of_file.start))
    }
}

/// The parts of a file with their places.
pub fn parts_with_places<P: Copy>(
    parts: &[P],
    placings: Vec<Placing>,
) -> impl Iterator<Item = (P, Placing)> {
    parts.iter().copied().zip(placings)
}

/// The part that a byte of the file is in, with that byte in it: the first one that holds it. A function comes before what is around
/// it.
pub fn part_at<P>(
    mut placed: impl Iterator<Item = (P, Placing)>,
    offset: u32,
) -> Option<(P, Placing, u32)> {
    placed.find_map(|(part, placing)| {
        let local = placing.local_offset(offset)?;
        Some((part, placing, local))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_to_their_stretch_and_back() {
        // The file is `ab[cde]fg[h]ij`: the part is what is in no brackets.
        let placing = Placing::of([0..2, 7..9, 12..14]);
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(|at| placing.byte(at)),
            [0, 1, 7, 8, 12, 13]
        );
        assert_eq!(placing.span(TextSpan::new(0, 2)), TextSpan::new(0, 2));
        assert_eq!(placing.span(TextSpan::new(1, 3)), TextSpan::new(1, 8));
        assert_eq!(placing.span(TextSpan::new(2, 2)), TextSpan::new(7, 7));
        assert_eq!(placing.span(TextSpan::new(5, 6)), TextSpan::new(13, 14));
        assert_eq!(
            [1, 8, 13].map(|at| placing.local_offset(at)),
            [Some(1), Some(3), Some(5)]
        );
        assert_eq!(placing.local_offset(5), None);
        assert_eq!(Placing::default().byte(3), 3);
        // Bytes that the file does not have are at the end of their stretch.
        let placing = Placing::stretch_behind(3, 5..9);
        assert_eq!([0, 2, 3, 4, 7].map(|at| placing.byte(at)), [5, 5, 5, 6, 9]);
        assert_eq!(placing.span(TextSpan::new(1, 5)), TextSpan::new(5, 7));
        assert_eq!(
            [4, 5, 8].map(|at| placing.local_offset(at)),
            [None, Some(3), Some(6)]
        );
        let placing = Placing::with_lengths([(4, 0..2), (2, 7..9)]);
        assert_eq!([1, 2, 3, 4].map(|at| placing.byte(at)), [1, 2, 2, 7]);
        assert_eq!(placing.span(TextSpan::new(1, 4)), TextSpan::new(1, 2));
        assert_eq!(placing.span(TextSpan::new(1, 5)), TextSpan::new(1, 8));
    }

    #[test]
    fn a_byte_is_in_the_first_part_that_holds_it() {
        // A function, and the rest around it, which ends where the function begins.
        let placings = || {
            vec![
                Placing::of(std::iter::once(3..6)),
                Placing::of([0..3, 6..9]),
            ]
        };
        let at = |offset| {
            let found = part_at(parts_with_places(&['f', 'r'], placings()), offset);
            found.map(|(part, _, local)| (part, local))
        };
        assert_eq!(at(1), Some(('r', 1)));
        assert_eq!(at(3), Some(('f', 0)));
        assert_eq!(at(6), Some(('f', 3)));
        assert_eq!(at(8), Some(('r', 5)));
        assert_eq!(at(10), None);
    }
}
