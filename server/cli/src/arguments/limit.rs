//! `--fail-on`: what a kernel may take longer than in the old state.

use std::fmt;
use std::str::FromStr;

use visa_analysis::thousands;

/// How much a kernel may grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    /// By so many thousandths of a percent of what it took.
    Percent(u64),
    /// By so many cycles.
    Cycles(u64),
}

/// Thousandths of a percent in the whole.
const WHOLE: u128 = 100_000;

impl Limit {
    /// Whether a growth is beyond it.
    pub(crate) fn is_exceeded(self, before: u64, after: u64) -> bool {
        let growth = u128::from(after.saturating_sub(before));
        match self {
            Self::Percent(thousandths) => {
                growth * WHOLE > u128::from(before) * u128::from(thousandths)
            }
            Self::Cycles(cycles) => growth > u128::from(cycles),
        }
    }
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.starts_with('-') {
            return Err("a limit is what a kernel may grow by: `+5%` or `+500`".to_owned());
        }
        let number = text.strip_prefix('+').unwrap_or(text);
        match number.strip_suffix('%') {
            Some(percent) => parse_thousandths(percent.trim_end()).map(Self::Percent),
            None if number.contains('.') => {
                Err("cycles are whole; for a share write `+2.5%`".to_owned())
            }
            None => parse_whole_number(number).map(Self::Cycles),
        }
    }
}

fn parse_whole_number(digits: &str) -> Result<u64, String> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("a limit is a share or a number of cycles: `+5%` or `+500`".to_owned());
    }
    let number = digits.parse();
    number.map_err(|_| "the number is larger than any count of cycles".to_owned())
}

fn parse_thousandths(percent: &str) -> Result<u64, String> {
    let (digits, rest) = percent.split_once('.').unwrap_or((percent, "0"));
    if rest.len() > 3 {
        return Err("a share has at most three digits after its point".to_owned());
    }
    let padded = format!("{rest:0<3}");
    let sum = parse_whole_number(digits)?
        .checked_mul(1_000)
        .and_then(|thousands| thousands.checked_add(parse_whole_number(&padded).ok()?));
    parse_whole_number(rest)?;
    sum.ok_or_else(|| "the number is larger than any share".to_owned())
}

impl fmt::Display for Limit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Percent(thousandths) => {
                let (number, rest) = (thousandths / 1_000, thousandths % 1_000);
                let rest = format!("{rest:03}");
                let rest = rest.trim_end_matches('0');
                let point = if rest.is_empty() { "" } else { "." };
                write!(out, "+{number}{point}{rest}%")
            }
            Self::Cycles(cycles) => write!(out, "+{}", thousands(cycles)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Limit;

    #[test]
    fn limits_are_shares_or_cycles() {
        for (text, limit, shown) in [
            ("+5%", Limit::Percent(5_000), "+5%"),
            ("5 %", Limit::Percent(5_000), "+5%"),
            ("+2.5%", Limit::Percent(2_500), "+2.5%"),
            ("0.001%", Limit::Percent(1), "+0.001%"),
            ("0%", Limit::Percent(0), "+0%"),
            ("+1500", Limit::Cycles(1_500), "+1,500"),
            ("0", Limit::Cycles(0), "+0"),
        ] {
            assert_eq!(text.parse(), Ok(limit), "{text}");
            assert_eq!(limit.to_string(), shown);
        }
        for (text, words) in [
            ("-5%", "may grow by"),
            ("", "`+5%` or `+500`"),
            ("%", "`+5%` or `+500`"),
            ("five", "`+5%` or `+500`"),
            ("++5", "`+5%` or `+500`"),
            ("5%%", "`+5%` or `+500`"),
            ("1.5", "cycles are whole"),
            ("1.%", "`+5%` or `+500`"),
            ("1.0000%", "three digits"),
            ("NaN%", "`+5%` or `+500`"),
            ("\u{0663}%", "`+5%` or `+500`"),
            ("99999999999999999999", "larger"),
            ("18446744073709551615%", "larger"),
        ] {
            let error = text.parse::<Limit>().expect_err(text);
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn a_limit_itself_is_not_beyond_it() {
        let percent: Limit = "+5%".parse().expect("a limit");
        assert!(!percent.is_exceeded(1_000, 1_050));
        assert!(percent.is_exceeded(1_000, 1_051));
        assert!(!percent.is_exceeded(1_000, 10));
        assert!(percent.is_exceeded(0, 1));
        let cycles: Limit = "50".parse().expect("a limit");
        assert!(!cycles.is_exceeded(1_000, 1_050));
        assert!(cycles.is_exceeded(1_000, 1_051));
        assert!(!Limit::Percent(u64::MAX).is_exceeded(u64::MAX / 2, u64::MAX));
    }
}
