//! How numbers are written for people, in findings, hovers and tables alike. Knows no unit and no meaning.

/// A number with its thousands apart: `65,536`.
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

/// The months, whose next word is a year.
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A sentence with the thousands of its numbers apart: those of four and more digits that are words of their own. What is in
/// backquotes is code, numbers in brackets with commas between them are a shape or a list, and the one after a month is a year:
/// these stay as they are.
pub fn grouped(text: String) -> String {
    let bytes = text.as_bytes();
    // Most sentences have no number of so many digits.
    let mut digits = 0;
    let has_thousands = bytes.iter().any(|byte| {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        digits == 4
    });
    if !has_thousands {
        return text;
    }
    let at = |index: usize| bytes.get(index).copied().unwrap_or(b' ');
    let before = |index: usize| index.checked_sub(1).map_or(b' ', at);
    let mut result = String::new();
    let (mut copied, mut index) = (0, 0);
    let (mut in_code, mut brackets) = (false, 0_usize);
    while index < bytes.len() {
        match at(index) {
            b'`' => in_code = !in_code,
            b'(' | b'[' => brackets += 1,
            b')' | b']' => brackets = brackets.saturating_sub(1),
            _ => {}
        }
        if in_code || !at(index).is_ascii_digit() {
            index += 1;
            continue;
        }
        let start = index;
        while at(index).is_ascii_digit() {
            index += 1;
        }
        let (previous, next) = (before(start), at(index));
        let joined = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'`' | b'#');
        let fraction = |byte: u8, beyond: u8| {
            matches!(byte, b'.' | b',' | b':') && beyond.is_ascii_alphanumeric()
        };
        let opens = matches!(previous, b'(' | b'[' | b':')
            || previous == b' ' && before(start.saturating_sub(1)) == b',';
        let in_list = brackets > 0 && opens && matches!(next, b',' | b':' | b')' | b']');
        let follows = previous.is_ascii() && fraction(previous, before(start.saturating_sub(1)));
        // A date: `2026-11-28`.
        let dated = next == b'-' && at(index + 1).is_ascii_digit() && at(index + 3) == b'-';
        let part =
            dated || joined(previous) || joined(next) || follows || fraction(next, at(index + 1));
        let is_year = || {
            let words = text.get(..start).unwrap_or_default().trim_end();
            MONTHS.iter().any(|month| words.ends_with(month))
        };
        if index - start < 4 || part || in_list || is_year() {
            continue;
        }
        let Some(number) = text
            .get(start..index)
            .and_then(|digits| digits.parse().ok())
        else {
            continue;
        };
        result.push_str(text.get(copied..start).unwrap_or_default());
        result.push_str(&thousands(number));
        copied = index;
    }
    if copied == 0 {
        return text;
    }
    result.push_str(text.get(copied..).unwrap_or_default());
    result
}

/// Numbers of which one is meant: `1, 2, 4 or 8`.
pub fn one_of(numbers: &[u64]) -> String {
    let mut words: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    match words.pop() {
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
        None => String::new(),
    }
}

/// `1 cycle`, `1,024 cycles`.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn numbers_of_sentences_have_their_thousands_apart() {
        for (text, expected) in [
            (
                "5744185 cycles instead of 2138",
                "5,744,185 cycles instead of 2,138",
            ),
            ("(8192 of 16384 positions)", "(8,192 of 16,384 positions)"),
            ("999 of 1000.", "999 of 1,000."),
            ("ö 65536, or 4096", "ö 65,536, or 4,096"),
            // Code, places in memory, shapes, fractions, versions and what has its thousands apart already.
            ("`T` = `16384 # 32768`", "`T` = `16384 # 32768`"),
            ("0x12345..0x20000", "0x12345..0x20000"),
            ("(1, 2048, 1024) into 65536", "(1, 2048, 1024) into 65,536"),
            ("loops [256:(4, 4194304)]", "loops [256:(4, 4194304)]"),
            ("release 0.1234.5", "release 0.1234.5"),
            ("(April 2026) takes 2026", "(April 2026) takes 2,026"),
            ("2026-11-28: 2026 to 2027", "2026-11-28: 2,026 to 2,027"),
            ("1.5000 of 1,234,567", "1.5000 of 1,234,567"),
            ("int32768 and trn20000_x", "int32768 and trn20000_x"),
            ("99999999999999999999", "99999999999999999999"),
            ("", ""),
        ] {
            assert_eq!(grouped(text.to_owned()), expected);
        }
    }
}
