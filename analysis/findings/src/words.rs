//! Wording that the families share: lists, numbers of bytes, places in memory.

use std::fmt::Display;

use visa_base::numbers::one_of;

/// `a, b or c`.
pub fn listed_with_or(numbers: &[u64]) -> String {
    one_of(numbers)
}

/// `` `a`, `b` and `c` ``: names in code.
pub fn names_in_code<T: Display>(names: &[T]) -> String {
    joined_words(names.iter().map(|name| format!("`{name}`")), "and")
}

/// `a, b and c`: words that are quoted already.
pub fn all_of(words: &[String]) -> String {
    joined_words(words.iter().cloned(), "and")
}

/// What is at the call of a macro that writes what is found.
pub fn called_here(name: &str) -> String {
    format!("`{name}!` writes it for this call")
}

/// What is at the place in a macro that writes what is found.
pub fn written_here(name: &str) -> String {
    format!("`{name}!` writes it here")
}

fn joined_words(words: impl Iterator<Item = String>, last: &str) -> String {
    let mut words: Vec<String> = words.collect();
    match words.pop() {
        Some(end) if words.is_empty() => end,
        Some(end) => format!("{} {last} {end}", words.join(", ")),
        None => String::new(),
    }
}

/// A number of bytes, in the largest unit that leaves it whole: `96 bytes`, `512 KiB`, `48 GiB`.
pub fn bytes_text(bytes: u64) -> String {
    const UNITS: [(u64, &str); 4] = [
        (1 << 40, "TiB"),
        (1 << 30, "GiB"),
        (1 << 20, "MiB"),
        (1 << 10, "KiB"),
    ];
    let unit = UNITS
        .into_iter()
        .find(|(size, _)| bytes >= *size && bytes.is_multiple_of(*size));
    match unit {
        Some((size, name)) => format!("{} {name}", bytes / size),
        None if bytes == 1 => "1 byte".to_owned(),
        None => format!("{bytes} bytes"),
    }
}

/// A byte range in hexadecimal, the end excluded.
pub fn hex_range((start, end): (u64, u64)) -> String {
    format!("{start:#x}..{end:#x}")
}

/// A text with a capital letter at its beginning, as titles have it.
pub fn capitalised_text(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// A title as a part of a sentence.
pub fn uncapital(title: &str) -> String {
    let mut letters = title.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(listed_with_or(&[]), "");
        assert_eq!(listed_with_or(&[8]), "8");
        assert_eq!(listed_with_or(&[8, 16, 32]), "8, 16 or 32");
        assert_eq!(names_in_code(&["i4", "i8"]), "`i4` and `i8`");
    }

    #[test]
    fn bytes_take_the_largest_whole_unit() {
        assert_eq!(bytes_text(1), "1 byte");
        assert_eq!(bytes_text(1000), "1000 bytes");
        assert_eq!(bytes_text(512 * 1024), "512 KiB");
        assert_eq!(bytes_text(3 << 19), "1536 KiB");
        assert_eq!(bytes_text(48 << 30), "48 GiB");
        assert_eq!(hex_range((16, 4096)), "0x10..0x1000");
    }
}
