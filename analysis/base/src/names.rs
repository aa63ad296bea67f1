//! Names that may have been meant by one that is none. Knows letters only.

use std::collections::BTreeSet;

use strsim::osa_distance;

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
        .map(|candidate| (osa_distance(name, candidate), candidate))
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

/// Whether a letter can be in a name of Rust or Python, a keyword, or a number.
pub fn is_word_letter(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The letters that a name is made of, each once, in lower case.
fn letters(name: &str) -> BTreeSet<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest_names;

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
