//! Names that may have been meant by one that is none. Knows letters only.

use std::collections::BTreeSet;

/// How many names are proposed at most.
const MAXIMUM_PROPOSALS: usize = 3;
/// Names longer than this are not compared: the comparison takes time in the product of both lengths.
const MAXIMUM_LENGTH: usize = 128;
/// Names of so many letters have to be made of the same letters: one that differs is half of the name or all of it.
const SHORT: usize = 2;

/// The candidates that differ from a name in at most a third of its letters (at least one), the nearest first, at most
/// three. Candidates at equal distance stay in their order; upper and lower case are one difference.
///
/// Names of one or two letters are similar only where they are made of the same letters (`b` and `B`, `KV` and `VK`, `DD`
/// and `D`): with one letter replaced, any such name becomes any other. What is similar is a guess, to be offered and never
/// to be taken without looking.
#[must_use]
pub fn nearest_names<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let length = name.chars().count();
    if length == 0 || length > MAXIMUM_LENGTH {
        return Vec::new();
    }
    let allowed = (length / 3).max(1);
    let mut near: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter(|candidate| {
            *candidate != name && candidate.chars().count().abs_diff(length) <= allowed
        })
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| {
            *distance <= allowed
                && (length.max(candidate.chars().count()) > SHORT
                    || letters(name) == letters(candidate))
        })
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.dedup();
    near.into_iter()
        .take(MAXIMUM_PROPOSALS)
        .map(|(_, candidate)| candidate.to_owned())
        .collect()
}

/// The letters that a name is made of, each once, in lower case.
fn letters(name: &str) -> BTreeSet<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// The least number of letters inserted, removed, replaced or swapped with their neighbour that turn one name into the
/// other (the restricted Damerau-Levenshtein distance).
fn distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.chars().collect();
    let other: Vec<char> = other.chars().collect();
    let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, letter) in one.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, opposite) in other.iter().enumerate() {
            let replaced = at(&last, column) + usize::from(letter != opposite);
            let mut least = replaced
                .min(at(&last, column + 1) + 1)
                .min(at(&next, column) + 1);
            let swapped = row > 0
                && column > 0
                && one.get(row - 1) == Some(opposite)
                && other.get(column - 1) == Some(letter);
            if swapped {
                least = least.min(at(&before, column - 1) + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut last, next);
    }
    at(&last, other.len())
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest_names};

    #[test]
    fn distances_count_single_changes() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ab", "ba"), 1);
    }

    #[test]
    fn near_names_come_first_and_far_names_not_at_all() {
        let names = ["slice_size", "chip_size", "dm_overlap"];
        assert_eq!(nearest_names("slice_siez", names), ["slice_size"]);
        assert_eq!(nearest_names("zzzzzz", names), Vec::<String>::new());
        assert_eq!(nearest_names("", names), Vec::<String>::new());
        let near = [
            "cluster_size",
            "clusters_size",
            "cluster_sizes",
            "clusterr_size",
        ];
        assert_eq!(nearest_names("cluster_siz", near).len(), 3);
    }

    #[test]
    fn short_names_are_similar_only_if_made_of_the_same_letters() {
        let none: [&str; 0] = [];
        let axes = ["B", "C", "AB", "BA", "T1"];
        assert_eq!(nearest_names("A", axes), none);
        assert_eq!(nearest_names("1", axes), none);
        assert_eq!(nearest_names("T2", axes), none);
        assert_eq!(nearest_names("DB", axes), none);
        assert_eq!(nearest_names("b", axes), ["B"]);
        assert_eq!(nearest_names("BB", axes), ["B"]);
        assert_eq!(nearest_names("KV", ["VK", "KW"]), ["VK"]);
        // One letter of three is a slip.
        assert_eq!(nearest_names("Tom", ["Tok"]), ["Tok"]);
    }
}
