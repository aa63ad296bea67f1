//! Rust's integer types, as far as constants need them.

use ra_ap_syntax::ast;

use super::declarations::path_segments;

/// An integer type. `usize` and `isize` have 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntegerType {
    bits: u32,
    signed: bool,
}

impl IntegerType {
    /// The type of a name.
    pub fn named(name: &str) -> Option<Self> {
        let (bits, signed) = match name {
            "u8" => (8, false),
            "u16" => (16, false),
            "u32" => (32, false),
            "u64" | "usize" => (64, false),
            "u128" => (128, false),
            "i8" => (8, true),
            "i16" => (16, true),
            "i32" => (32, true),
            "i64" | "isize" => (64, true),
            "i128" => (128, true),
            _ => return None,
        };
        Some(Self { bits, signed })
    }

    /// The type that is written, or the library's name for an address.
    pub fn of_type(written: &ast::Type) -> Option<Self> {
        let ast::Type::PathType(path) = written else {
            return None;
        };
        match path.path()?.as_single_name_ref()?.text() {
            "Address" => Self::named("u64"),
            name => Self::named(name),
        }
    }

    /// The width in bits.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// Whether a value fits. Values beyond `i128` are not represented, so `u128` holds what is not negative.
    pub fn holds_value(self, value: i128) -> bool {
        value >= self.minimum() && value <= self.maximum()
    }

    /// The value of the low bits, as a cast with `as` takes them.
    pub fn wrap(self, value: i128) -> i128 {
        if self.bits >= 127 || self.holds_value(value) {
            return value;
        }
        let modulus = 1_i128 << self.bits;
        let low = value.rem_euclid(modulus);
        if self.signed && low > self.maximum() {
            low - modulus
        } else {
            low
        }
    }

    /// The nearest value that fits, as a cast of a float takes it.
    pub fn cut(self, value: i128) -> i128 {
        value.clamp(self.minimum(), self.maximum())
    }

    /// The value of `T::MAX`, `T::MIN` or `T::BITS`.
    pub(super) fn limit(path: &ast::Path) -> Option<i128> {
        let segments = path_segments(path);
        let [name, limit] = segments.as_slice() else {
            return None;
        };
        let integer = Self::named(name)?;
        match &**limit {
            "MAX" if integer.bits == 128 && !integer.signed => None,
            "MAX" => Some(integer.maximum()),
            "MIN" => Some(integer.minimum()),
            "BITS" => Some(i128::from(integer.bits)),
            _ => None,
        }
    }

    /// The type of `T::MAX` and `T::MIN`; `T::BITS` is a `u32`.
    pub(super) fn of_limit(path: &ast::Path) -> Option<Self> {
        Self::limit(path)?;
        let segments = path_segments(path);
        let [name, limit] = segments.as_slice() else {
            return None;
        };
        if &**limit == "BITS" {
            Self::named("u32")
        } else {
            Self::named(name)
        }
    }

    fn minimum(self) -> i128 {
        match (self.signed, self.bits) {
            (false, _) => 0,
            (true, 128) => i128::MIN,
            (true, bits) => -(1_i128 << (bits - 1)),
        }
    }

    fn maximum(self) -> i128 {
        match (self.signed, self.bits) {
            (_, 128) => i128::MAX,
            (true, bits) => (1_i128 << (bits - 1)) - 1,
            (false, bits) => (1_i128 << bits) - 1,
        }
    }
}
