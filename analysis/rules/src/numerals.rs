//! Numbers in fixes as their author writes numbers there: in the base of the one that they replace, with its underscores, its
//! suffix, and as a shift or a product where it is one.
//!
//! Knows literals, shifts and products of two literals; anything else (a constant's name, a sum) is replaced by the number as
//! the rule wrote it.

/// A number to write in place of a text; `None` if it stays as the rule wrote it.
pub(super) fn in_the_way_of(number: &str, replaced: &str) -> Option<String> {
    let value = match number.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    let replaced = replaced.trim();
    let written = match operator_sides(replaced) {
        Some((left, "<<", right)) => {
            let power = Literal::read(right)?.value;
            let whole = value.checked_shr(u32::try_from(power).ok()?)?;
            let left = Literal::read(left)?;
            let shifted = whole.checked_shl(u32::try_from(power).ok()?)?;
            if shifted == value && whole > 0 {
                format!("{} << {right}", left.write(whole))
            } else if value.is_power_of_two() && left.value == 1 {
                format!("{} << {}", left.write(1), value.trailing_zeros())
            } else {
                format!("{value:#x}{}", left.suffix)
            }
        }
        Some((left, _, right)) => {
            let (left, right) = (Literal::read(left)?, Literal::read(right)?);
            let unit = left.value.max(right.value);
            let count = value.checked_div(unit)?;
            if count == 0 || count.checked_mul(unit) != Some(value) {
                left.write(value)
            } else if left.value == unit {
                format!("{} * {}", left.text, right.write(count))
            } else {
                format!("{} * {}", left.write(count), right.text)
            }
        }
        None => Literal::read(replaced)?.write(value),
    };
    (written != number).then_some(written)
}

/// The two sides of a shift or a product.
fn operator_sides(text: &str) -> Option<(&str, &str, &str)> {
    let split = |operator: &'static str| {
        let (left, right) = text.split_once(operator)?;
        Some((left.trim(), operator, right.trim()))
    };
    split("<<").or_else(|| split("*"))
}

/// An integer literal.
struct Literal<'a> {
    text: &'a str,
    value: u64,
    radix: u32,
    /// The most digits between two underscores, if there are any.
    group: Option<usize>,
    upper: bool,
    /// How many digits it has at least: leading zeros count.
    width: usize,
    suffix: &'a str,
}

impl<'a> Literal<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let suffixes = ["usize", "u64", "u32", "u16", "i64", "i32"];
        let suffix = suffixes.into_iter().find(|end| text.ends_with(end));
        let suffix = suffix.map_or("", |end| &text[text.len() - end.len()..]);
        let bare = text.strip_suffix(suffix)?;
        let (radix, digits) = match bare.get(..2) {
            Some("0x") => (16, &bare[2..]),
            Some("0o") => (8, &bare[2..]),
            Some("0b") => (2, &bare[2..]),
            _ => (10, bare),
        };
        let digits = digits.trim_matches('_');
        let plain: String = digits.chars().filter(|letter| *letter != '_').collect();
        let value = u64::from_str_radix(&plain, radix).ok()?;
        let group = digits
            .contains('_')
            .then(|| digits.rsplit('_').next().map_or(0, str::len));
        Some(Self {
            text,
            value,
            radix,
            group: group.filter(|length| *length > 0),
            upper: digits.chars().any(|letter| letter.is_ascii_uppercase()),
            width: if plain.starts_with('0') && plain.len() > 1 {
                plain.len()
            } else {
                0
            },
            suffix,
        })
    }

    /// Another value written like this one.
    fn write(&self, value: u64) -> String {
        let width = self.width;
        let (prefix, digits) = match self.radix {
            16 if self.upper => ("0x", format!("{value:0width$X}")),
            16 => ("0x", format!("{value:0width$x}")),
            8 => ("0o", format!("{value:0width$o}")),
            2 => ("0b", format!("{value:0width$b}")),
            _ => ("", format!("{value:0width$}")),
        };
        let digits = match self.group {
            Some(length) => grouped_digits(&digits, length),
            None => digits,
        };
        format!("{prefix}{digits}{}", self.suffix)
    }
}

fn grouped_digits(digits: &str, length: usize) -> String {
    let mut written = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(length) {
            written.push('_');
        }
        written.push(digit);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::in_the_way_of;

    #[test]
    fn numbers_are_written_as_the_one_before() {
        let cases = [
            ("0x2400", "0x2001", None),
            ("9216", "0x2001", Some("0x2400")),
            ("0x2400", "8193", Some("9216")),
            ("0x2400", "8_193", Some("9_216")),
            ("44032", "0xABC1", Some("0xAC00")),
            ("66048", "0x1_0001", Some("0x1_0200")),
            ("512", "0x0001", Some("0x0200")),
            ("1048576", "8_193", Some("1_048_576")),
            ("512", "3usize", Some("512usize")),
            ("512", "0x3_u64", Some("0x200u64")),
            ("12", "0b1001", Some("0b1100")),
            ("12", "0o11", Some("0o14")),
            ("0x20000000", "1 << 28", Some("2 << 28")),
            ("0x4000", "1 << 15", Some("1 << 14")),
            ("0x5000", "3 << 12", Some("5 << 12")),
            ("0x5008", "3 << 12", None),
            ("20488", "3 << 12", Some("0x5008")),
            ("5120", "4 * 1024", Some("5 * 1024")),
            ("5120", "1024 * 4", Some("1024 * 5")),
            ("5121", "4 * 1024", None),
            ("0x1400", "BASE", None),
            ("0x1400", "BASE + 1", None),
            ("m![A]", "0x20", None),
            ("TrfAddress::Full", "0", None),
        ];
        for (number, replaced, wanted) in cases {
            let found = in_the_way_of(number, replaced);
            assert_eq!(found.as_deref(), wanted, "{number} for {replaced}");
        }
    }
}
