//! How numbers are written for people, in findings, hovers and tables alike. Knows no unit and no meaning.

/// A number with its thousands apart: `65,536`.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Numbers of which one is meant: `1, 2, 4 or 8`.
#[must_use]
pub(crate) fn one_of(numbers: &[u64]) -> String {
    let mut words: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    match words.pop() {
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
        None => String::new(),
    }
}

/// `1 cycle`, `1,024 cycles`.
#[must_use]
pub(crate) fn count(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", thousands(number))
}
