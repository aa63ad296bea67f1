//! One bit an element, moved and joined in whole words.

/// A list of bits of a fixed length. Set means defined wherever the list says which elements are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bits {
    /// 64 bits a word, the first in the lowest place. Bits beyond the length are clear.
    words: Vec<u64>,
    length: usize,
}

const WORD: usize = 64;

/// A word whose lowest `count` bits are set; `count` is at most 64.
const fn lowest(count: usize) -> u64 {
    if count >= WORD {
        u64::MAX
    } else {
        (1 << count) - 1
    }
}

impl Bits {
    /// Bits that are all clear.
    pub fn all_clear(length: usize) -> Self {
        Self {
            words: vec![0; length.div_ceil(WORD)],
            length,
        }
    }

    /// Bits that are all set.
    pub fn all_set(length: usize) -> Self {
        let mut bits = Self {
            words: vec![u64::MAX; length.div_ceil(WORD)],
            length,
        };
        bits.clear_tail();
        bits
    }

    /// Bits as a function of their places says.
    pub fn from_places(length: usize, mut is_set: impl FnMut(usize) -> bool) -> Self {
        let mut bits = Self::all_clear(length);
        for (number, word) in bits.words.iter_mut().enumerate() {
            let first = number * WORD;
            for place in first..length.min(first + WORD) {
                *word |= u64::from(is_set(place)) << (place - first);
            }
        }
        bits
    }

    fn clear_tail(&mut self) {
        let used = self.length % WORD;
        if used != 0
            && let Some(last) = self.words.last_mut()
        {
            *last &= lowest(used);
        }
    }

    /// How many bits there are.
    pub const fn len(&self) -> usize {
        self.length
    }

    /// Whether there are no bits.
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The bit at a place; clear beyond the end.
    #[inline]
    pub fn is_set(&self, place: usize) -> bool {
        self.words
            .get(place / WORD)
            .is_some_and(|word| word >> (place % WORD) & 1 == 1)
    }

    /// Sets or clears the bit at a place. Nothing happens beyond the end.
    #[inline]
    pub fn put(&mut self, place: usize, set: bool) {
        if place >= self.length {
            return;
        }
        if let Some(word) = self.words.get_mut(place / WORD) {
            let bit = 1 << (place % WORD);
            *word = if set { *word | bit } else { *word & !bit };
        }
    }

    /// Sets or clears `count` bits from a place on, as far as there are any.
    pub fn put_run(&mut self, start: usize, count: usize, set: bool) {
        let end = start.saturating_add(count).min(self.length);
        let mut place = start;
        while place < end {
            let taken = (WORD - place % WORD).min(end - place);
            let mask = lowest(taken) << (place % WORD);
            if let Some(word) = self.words.get_mut(place / WORD) {
                *word = if set { *word | mask } else { *word & !mask };
            }
            place += taken;
        }
    }

    /// Up to 64 bits from a place on, in the lowest places of a word.
    fn word_at(&self, place: usize) -> u64 {
        let (number, shift) = (place / WORD, place % WORD);
        let low = self.words.get(number).copied().unwrap_or(0) >> shift;
        if shift == 0 {
            return low;
        }
        low | self.words.get(number + 1).copied().unwrap_or(0) << (WORD - shift)
    }

    /// Copies `count` bits of another list, from `source` there to `target` here.
    pub fn copy_run(&mut self, target: usize, from: &Self, source: usize, count: usize) {
        let end = target.saturating_add(count).min(self.length);
        let mut place = target;
        while place < end {
            let taken = (WORD - place % WORD).min(end - place);
            let mask = lowest(taken) << (place % WORD);
            let copied = from.word_at(source + (place - target)) << (place % WORD);
            if let Some(word) = self.words.get_mut(place / WORD) {
                *word = *word & !mask | copied & mask;
            }
            place += taken;
        }
    }

    /// Whether `count` bits from a place on are all set; bits beyond the end are clear.
    pub fn is_run_set(&self, start: usize, count: usize) -> bool {
        let mut places = (0..count).step_by(WORD);
        places.all(|step| {
            let wanted = lowest((count - step).min(WORD));
            self.word_at(start + step) & wanted == wanted
        })
    }

    /// Clears each bit that is clear in the other list.
    pub fn keep_set_in(&mut self, other: &Self) {
        for (number, word) in self.words.iter_mut().enumerate() {
            *word &= other.words.get(number).copied().unwrap_or(0);
        }
    }

    /// Sets each bit that is set in the other list.
    pub fn set_those_of(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
        self.clear_tail();
    }

    /// How many bits are set.
    pub fn count_set(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// How many bits are clear.
    pub fn count_clear(&self) -> usize {
        self.length - self.count_set()
    }

    /// Whether all bits are set.
    pub fn is_all_set(&self) -> bool {
        self.count_set() == self.length
    }

    /// The places of clear bits, in order.
    pub fn clear_places(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(number, word)| {
            let first = number * WORD;
            let mut left = !word & lowest((self.length - first).min(WORD));
            std::iter::from_fn(move || {
                (left != 0).then(|| {
                    let bit = left.trailing_zeros() as usize;
                    left &= left - 1;
                    first + bit
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same bits by one boolean each.
    fn booleans(bits: &Bits) -> Vec<bool> {
        (0..bits.len()).map(|place| bits.is_set(place)).collect()
    }

    fn scattered(length: usize, factor: usize) -> Bits {
        Bits::from_places(length, |place| place * factor % 7 < 3)
    }

    #[test]
    fn a_run_is_set_where_its_single_bits_are() {
        let bits = Bits::from_places(200, |place| !matches!(place, 5 | 63 | 64 | 130));
        for start in 0..200 {
            for count in [0, 1, 2, 58, 63, 64, 65, 69, 128] {
                let single = (start..start + count).all(|place| bits.is_set(place));
                assert_eq!(bits.is_run_set(start, count), single, "{start} {count}");
            }
        }
    }

    #[test]
    fn runs_copy_what_single_bits_copy() {
        let from = scattered(200, 5);
        for target in [0, 1, 63, 64, 65, 100] {
            for source in [0, 3, 63, 64, 127] {
                for count in [0, 1, 2, 63, 64, 65, 70] {
                    let mut runs = scattered(190, 3);
                    let mut single = booleans(&runs);
                    runs.copy_run(target, &from, source, count);
                    for step in 0..count {
                        single[target + step] = from.is_set(source + step);
                    }
                    assert_eq!(booleans(&runs), single, "{target} {source} {count}");
                }
            }
        }
    }

    #[test]
    fn runs_set_and_clear_what_they_name_and_end_at_the_end() {
        let mut bits = Bits::all_clear(130);
        bits.put_run(60, 10, true);
        assert_eq!(bits.count_set(), 10);
        assert!(bits.is_set(60) && bits.is_set(69) && !bits.is_set(59) && !bits.is_set(70));
        bits.put_run(125, 100, true);
        assert_eq!(bits.count_set(), 15);
        bits.put_run(62, 1, false);
        assert!(!bits.is_set(62));
        bits.put(500, true);
        assert_eq!(bits.count_set(), 14);
    }

    #[test]
    fn clear_places_are_those_that_are_not_set() {
        for length in [0, 1, 63, 64, 65, 128, 130] {
            let bits = scattered(length, 5);
            let expected: Vec<usize> = (0..length).filter(|place| place * 5 % 7 >= 3).collect();
            assert_eq!(bits.clear_places().collect::<Vec<_>>(), expected);
            assert_eq!(bits.count_clear(), expected.len());
            assert_eq!(Bits::all_set(length).count_clear(), 0);
            assert!(Bits::all_set(length).is_all_set());
        }
    }

    #[test]
    fn joining_takes_words_and_keeps_the_tail_clear() {
        let mut both = Bits::all_set(70);
        both.keep_set_in(&scattered(70, 5));
        assert_eq!(both, scattered(70, 5));
        both.set_those_of(&Bits::all_set(70));
        assert!(both.is_all_set());
    }
}
