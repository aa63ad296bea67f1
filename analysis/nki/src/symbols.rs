//! Integers that may hold symbols: sums of products with whole coefficients, in one normal form.
//!
//! Knows arithmetic, comparison and printing. It does not know what a symbol stands for, but for its kind: the extent of a tensor is
//! positive, an integer parameter may be anything. All arithmetic is checked: what does not fit is `None`.

use std::cmp::Ordering;
use std::sync::Arc;

use smallvec::SmallVec;

/// The most products that a sum may have. A longer one is unknown.
const MOST_TERMS: usize = 24;
/// The most factors of a product.
const MOST_FACTORS: usize = 8;

/// Where a symbol comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The extent of a tensor's axis: one or more.
    Extent,
    /// A parameter of a function or a field of one: any integer.
    Parameter,
    /// A loop variable with bounds that the compiler knows.
    Loop,
    /// A value that is known at run time only.
    Runtime,
}

/// A factor of a product that is no number.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// A name; `number` tells apart two bindings of one name.
    Name {
        /// As the source writes it: `P`, `x.shape[0]`.
        text: Arc<str>,
        /// Which binding.
        number: u32,
        /// What it is.
        kind: Kind,
    },
    /// `a // b` that does not divide out.
    Quotient(Arc<(Size, Size)>),
    /// `a % b`.
    Rest(Arc<(Size, Size)>),
}

impl Atom {
    const fn is_positive(&self) -> bool {
        matches!(
            self,
            Self::Name {
                kind: Kind::Extent,
                ..
            }
        )
    }

    /// The numbers of the names in it.
    pub fn numbers(&self, found: &mut dyn FnMut(u32)) {
        match self {
            Self::Name { number, .. } => found(*number),
            Self::Quotient(parts) | Self::Rest(parts) => {
                parts.0.numbers(found);
                parts.1.numbers(found);
            }
        }
    }

    fn has_kind(&self, wanted: Kind) -> bool {
        match self {
            Self::Name { kind, .. } => *kind == wanted,
            Self::Quotient(parts) | Self::Rest(parts) => {
                parts.0.has_kind(wanted) || parts.1.has_kind(wanted)
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Name { text, .. } => text.to_string(),
            Self::Quotient(parts) => {
                format!("{} // {}", parts.0.factor_text(), parts.1.factor_text())
            }
            Self::Rest(parts) => format!("{} % {}", parts.0.factor_text(), parts.1.factor_text()),
        }
    }
}

/// The factors of a product: few have more than two.
type Factors = SmallVec<[Atom; 2]>;

/// A product of atoms, sorted, with its coefficient, which is not zero.
type Term = (Factors, i64);

/// An integer with symbols. Most are plain numbers or one symbol, which take no memory of their own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Size(Form);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Form {
    /// No symbol.
    Number(i64),
    /// One symbol and nothing else.
    Symbol(Atom),
    /// Products in their order, one of them with a symbol; not one that has a shorter form.
    Sum(Arc<[Term]>),
}

impl PartialOrd for Size {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Size {
    fn cmp(&self, other: &Self) -> Ordering {
        self.terms().cmp(other.terms())
    }
}

impl Size {
    /// A number.
    pub const fn number(value: i64) -> Self {
        Self(Form::Number(value))
    }

    /// A symbol.
    pub const fn atom(atom: Atom) -> Self {
        Self(Form::Symbol(atom))
    }

    /// A named symbol.
    pub fn named(text: impl Into<Arc<str>>, number: u32, kind: Kind) -> Self {
        Self::atom(Atom::Name {
            text: text.into(),
            number,
            kind,
        })
    }

    /// The products in their order, a number as one without factors; zero has none.
    fn terms(&self) -> impl Iterator<Item = (&[Atom], i64)> {
        let (one, sum): (Option<(&[Atom], i64)>, &[Term]) = match &self.0 {
            Form::Number(0) => (None, &[]),
            Form::Number(value) => (Some((&[], *value)), &[]),
            Form::Symbol(atom) => (Some((std::slice::from_ref(atom), 1)), &[]),
            Form::Sum(terms) => (None, terms),
        };
        let sum = sum.iter().map(|(factors, by)| (factors.as_slice(), *by));
        one.into_iter().chain(sum)
    }

    /// The number, if there is no symbol.
    pub const fn value(&self) -> Option<i64> {
        match &self.0 {
            Form::Number(value) => Some(*value),
            Form::Symbol(_) | Form::Sum(_) => None,
        }
    }

    /// The numbers of the names in it.
    pub fn numbers(&self, found: &mut dyn FnMut(u32)) {
        for atom in self.terms().flat_map(|(factors, _)| factors) {
            atom.numbers(found);
        }
    }

    /// Whether a symbol of a kind is in it.
    pub fn has_kind(&self, kind: Kind) -> bool {
        self.terms()
            .any(|(factors, _)| factors.iter().any(|atom| atom.has_kind(kind)))
    }

    /// The symbol, if it is nothing else.
    pub const fn as_atom(&self) -> Option<&Atom> {
        match &self.0 {
            Form::Symbol(atom) => Some(atom),
            Form::Number(_) | Form::Sum(_) => None,
        }
    }

    /// From products in their order, none of them zero.
    fn of_terms(mut terms: Vec<Term>) -> Self {
        match terms.as_mut_slice() {
            [] => Self::number(0),
            [(factors, value)] if factors.is_empty() => Self::number(*value),
            [(factors, 1)] if factors.len() == 1 => match factors.pop() {
                Some(atom) => Self::atom(atom),
                None => Self::number(1),
            },
            _ => Self(Form::Sum(terms.into())),
        }
    }

    fn from_checked_terms(terms: Vec<Term>) -> Option<Self> {
        let fits = terms.len() <= MOST_TERMS
            && terms
                .iter()
                .all(|(factors, _)| factors.len() <= MOST_FACTORS);
        fits.then(|| Self::of_terms(terms))
    }

    /// The sum.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        self.with_multiple(other, 1)
    }

    /// The same with the other sign.
    pub fn negated(&self) -> Option<Self> {
        self.multiplied(-1)
    }

    /// The difference.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.with_multiple(other, -1)
    }

    /// `self + times * other`.
    fn with_multiple(&self, other: &Self, times: i64) -> Option<Self> {
        match (self.value(), other.value()) {
            (Some(left), Some(right)) => {
                return left
                    .checked_add(right.checked_mul(times)?)
                    .map(Self::number);
            }
            (Some(0), _) => return other.multiplied(times),
            (_, Some(0)) => return Some(self.clone()),
            _ => {}
        }
        let (mut left, mut right) = (self.terms().peekable(), other.terms().peekable());
        let mut sum = Vec::new();
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some((one, _)), Some((two, _))) => one.cmp(two),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Self::from_checked_terms(sum),
            };
            let one = left.next_if(|_| order != Ordering::Greater);
            let two = right.next_if(|_| order != Ordering::Less);
            let by = |term: Option<(&[Atom], i64)>| term.map_or(0, |(_, by)| by);
            let total = by(one).checked_add(by(two).checked_mul(times)?)?;
            if let Some((factors, _)) = one.or(two).filter(|_| total != 0) {
                sum.push((factors.into(), total));
            }
        }
    }

    /// The product with a number.
    fn multiplied(&self, number: i64) -> Option<Self> {
        match (&self.0, number) {
            (Form::Number(value), _) => value.checked_mul(number).map(Self::number),
            (_, 0) => Some(Self::number(0)),
            (_, 1) => Some(self.clone()),
            (Form::Symbol(_) | Form::Sum(_), _) => {
                let multiplied = self
                    .terms()
                    .map(|(factors, by)| Some((factors.into(), by.checked_mul(number)?)));
                Self::from_checked_terms(multiplied.collect::<Option<Vec<_>>>()?)
            }
        }
    }

    /// The product.
    pub fn times(&self, other: &Self) -> Option<Self> {
        match (self.value(), other.value()) {
            (_, Some(number)) => return self.multiplied(number),
            (Some(number), _) => return other.multiplied(number),
            _ => {}
        }
        let mut product = Self::number(0);
        for (left, by) in self.terms() {
            let mut row = Vec::new();
            for (right, with) in other.terms() {
                let mut factors: Factors = left.iter().chain(right).cloned().collect();
                factors.sort();
                row.push((factors, by.checked_mul(with)?));
            }
            row.sort();
            product = product.plus(&Self::of_terms(row))?;
        }
        Some(product)
    }

    /// `self // other` as Python rounds it: down.
    pub fn quotient(&self, other: &Self) -> Option<Self> {
        if let (Some(left), Some(right)) = (self.value(), other.value()) {
            return floor_division(left, right).map(|(quotient, _)| Self::number(quotient));
        }
        if let Some(exact) = self.exact_quotient(other) {
            return Some(exact);
        }
        Some(Self::atom(Atom::Quotient(Arc::new((
            self.clone(),
            other.clone(),
        )))))
    }

    /// `self % other` as Python takes it: with the sign of the divisor.
    pub fn remainder_by(&self, other: &Self) -> Option<Self> {
        if let (Some(left), Some(right)) = (self.value(), other.value()) {
            return floor_division(left, right).map(|(_, rest)| Self::number(rest));
        }
        if self.exact_quotient(other).is_some() {
            return Some(Self::number(0));
        }
        Some(Self::atom(Atom::Rest(Arc::new((
            self.clone(),
            other.clone(),
        )))))
    }

    /// The quotient if the divisor is one product that divides each term. It must not be zero where it is symbolic, which an extent
    /// never is.
    pub fn exact_quotient(&self, other: &Self) -> Option<Self> {
        let mut divisors = other.terms();
        let (divisor, by) = divisors.next()?;
        if divisors.next().is_some() || !divisor.iter().all(Atom::is_positive) {
            return None;
        }
        let mut terms = Vec::new();
        for (factors, coefficient) in self.terms() {
            let mut left = Factors::from(factors);
            for atom in divisor {
                let place = left.iter().position(|factor| factor == atom)?;
                left.remove(place);
            }
            if coefficient.checked_rem(by)? != 0 {
                return None;
            }
            terms.push((left, coefficient.checked_div(by)?));
        }
        terms.sort();
        Some(Self::of_terms(terms))
    }

    /// Whether two sizes are the same number; `None` where that depends on symbols.
    pub fn is_equal(&self, other: &Self) -> Option<bool> {
        if self == other {
            return Some(true);
        }
        self.minus(other)?.sign().map(|sign| sign == 0)
    }

    /// The sign: -1, 0 or 1; `None` where it depends on symbols. Extents of tensors are positive.
    pub fn sign(&self) -> Option<i64> {
        if let Some(value) = self.value() {
            return Some(value.signum());
        }
        let mut signs = self.terms().map(|(factors, coefficient)| {
            factors
                .iter()
                .all(Atom::is_positive)
                .then_some(coefficient.signum())
        });
        let first = signs.next()??;
        signs.all(|sign| sign == Some(first)).then_some(first)
    }

    /// Whether it is more than a number; `None` where that depends on symbols.
    pub fn exceeds(&self, limit: i64) -> Option<bool> {
        if let Some(value) = self.value() {
            return Some(value > limit);
        }
        // An extent is at least one, so that each product is at least its coefficient.
        let least = self.terms().try_fold(0_i64, |sum, (factors, by)| {
            let bounded = by >= 0 && factors.iter().all(Atom::is_positive);
            (bounded || factors.is_empty()).then(|| sum.checked_add(by))?
        });
        least.filter(|least| *least > limit).map(|_| true)
    }

    /// Whether a number divides it; `None` where that depends on symbols.
    pub fn is_multiple_of(&self, number: i64) -> Option<bool> {
        if let Some(value) = self.value() {
            return value.checked_rem(number).map(|rest| rest == 0);
        }
        let all = self
            .terms()
            .all(|(_, coefficient)| coefficient.checked_rem(number) == Some(0));
        all.then_some(true)
    }

    /// Whether a symbol is a factor of one of its products.
    pub fn has_factor(&self, atom: &Atom) -> bool {
        self.terms().any(|(factors, _)| factors.contains(atom))
    }

    /// The same with a symbol replaced.
    pub fn with_replaced(&self, atom: &Atom, by: &Self) -> Option<Self> {
        if !self.has_factor(atom) {
            return Some(self.clone());
        }
        let mut sum = Self::number(0);
        for (factors, coefficient) in self.terms() {
            let mut product = Self::number(coefficient);
            for factor in factors {
                let factor = if factor == atom {
                    by.clone()
                } else {
                    Self::atom(factor.clone())
                };
                product = product.times(&factor)?;
            }
            sum = sum.plus(&product)?;
        }
        Some(sum)
    }

    /// As a factor of a product: in brackets where it is a sum.
    fn factor_text(&self) -> String {
        let text = self.to_string();
        if text.contains(' ') {
            format!("({text})")
        } else {
            text
        }
    }
}

fn floor_division(left: i64, right: i64) -> Option<(i64, i64)> {
    let quotient = left.checked_div(right)?;
    let rest = left.checked_rem(right)?;
    if rest != 0 && (rest < 0) != (right < 0) {
        return Some((quotient.checked_sub(1)?, rest.checked_add(right)?));
    }
    Some((quotient, rest))
}

impl std::fmt::Display for Size {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(value) = self.value() {
            return write!(out, "{value}");
        }
        // Symbols first, the number last: `P * F + 2`.
        let symbols = self.terms().filter(|(factors, _)| !factors.is_empty());
        let numbers = self.terms().filter(|(factors, _)| factors.is_empty());
        for (place, (factors, coefficient)) in symbols.chain(numbers).enumerate() {
            let negative = coefficient < 0;
            out.write_str(match (place, negative) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            })?;
            let mut words: Vec<String> = Vec::new();
            if coefficient.unsigned_abs() != 1 || factors.is_empty() {
                words.push(coefficient.unsigned_abs().to_string());
            }
            let several = factors.len() + words.len() > 1;
            words.extend(factors.iter().map(|atom| match atom {
                Atom::Name { .. } => atom.text(),
                _ if several => format!("({})", atom.text()),
                _ => atom.text(),
            }));
            out.write_str(&words.join(" * "))?;
        }
        Ok(())
    }
}

/// The product of a shape's extents.
pub fn extents_product(shape: &[Size]) -> Option<Size> {
    shape
        .iter()
        .try_fold(Size::number(1), |product, extent| product.times(extent))
}

/// Whether two lists of extents have the same product; `None` where that depends on symbols. Extents that both have are left out
/// first: they are those of tensors, so that none is zero.
pub fn same_product(left: &[Size], right: &[Size]) -> Option<bool> {
    let mut right = right.to_vec();
    let mut rest = Vec::new();
    for extent in left {
        match right.iter().position(|other| other == extent) {
            Some(place) => {
                right.remove(place);
            }
            None => rest.push(extent.clone()),
        }
    }
    extents_product(&rest)?.is_equal(&extents_product(&right)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn extent(text: &str) -> Size {
        Size::named(text, 0, Kind::Extent)
    }

    fn parameter(text: &str) -> Size {
        Size::named(text, 0, Kind::Parameter)
    }

    #[test]
    fn sums_and_products_have_one_form() {
        let (p, f) = (extent("P"), extent("F"));
        let left = p.plus(&f).and_then(|sum| sum.times(&p)).unwrap();
        let right = p.times(&p).unwrap().plus(&f.times(&p).unwrap()).unwrap();
        assert_eq!(left, right);
        assert_eq!(left.minus(&right).unwrap().value(), Some(0));
    }

    #[test]
    fn comparison_says_what_holds_for_all_values() {
        let (p, n) = (extent("P"), parameter("n"));
        let plus = |size: &Size, by| size.plus(&Size::number(by)).unwrap();
        assert_eq!(p.is_equal(&plus(&p, 1)), Some(false));
        assert_eq!(p.is_equal(&n), None);
        assert_eq!(n.times(&n).unwrap().is_equal(&Size::number(4)), None);
        assert_eq!(plus(&p, 128).exceeds(128), Some(true));
        assert_eq!(plus(&p, 127).exceeds(128), None);
        assert_eq!(plus(&n, 500).exceeds(128), None);
    }

    #[test]
    fn quotients_divide_out_where_they_can() {
        let (p, f) = (extent("P"), extent("F"));
        let product = p.times(&f).unwrap().times(&Size::number(128)).unwrap();
        assert_eq!(product.quotient(&f).unwrap().to_string(), "128 * P");
        assert_eq!(
            p.quotient(&Size::number(128)).unwrap().to_string(),
            "P // 128"
        );
        assert_eq!(
            Size::number(-7).quotient(&Size::number(2)).unwrap().value(),
            Some(-4)
        );
        assert_eq!(
            Size::number(-7)
                .remainder_by(&Size::number(2))
                .unwrap()
                .value(),
            Some(1)
        );
        assert_eq!(Size::number(7).quotient(&Size::number(0)), None);
    }

    #[test]
    fn products_that_share_extents_are_compared_by_the_rest() {
        let (n, m) = (parameter("n"), parameter("m"));
        let [one, two] = [64, 128].map(Size::number);
        assert_eq!(
            same_product(&[n.clone(), one.clone()], &[two.clone(), n.clone()]),
            Some(false)
        );
        assert_eq!(
            same_product(&[n.clone(), one.clone()], &[one.clone(), n.clone()]),
            Some(true)
        );
        assert_eq!(same_product(&[n, one], &[m, two]), None);
    }

    proptest! {
        /// Arithmetic with symbols agrees with arithmetic of the numbers that they stand for.
        #[test]
        fn forms_agree_with_numbers(
            a in 1_i64..50, b in 1_i64..50, c in -20_i64..20, d in 1_i64..20, steps in proptest::collection::vec(0_u8..6, 0..8)
        ) {
            let atoms = [("a", a), ("b", b)].map(|(text, value)| {
                (Atom::Name { text: text.into(), number: 0, kind: Kind::Extent }, value)
            });
            let (mut size, mut number) = (Size::atom(atoms[0].0.clone()), a);
            for step in steps {
                let other = Size::atom(atoms[1].0.clone());
                let next = match step {
                    0 => (size.plus(&other), number.checked_add(b)),
                    1 => (size.minus(&Size::number(c)), number.checked_sub(c)),
                    2 => (size.times(&other), number.checked_mul(b)),
                    3 => (size.quotient(&Size::number(d)), Some(number.div_euclid(d))),
                    4 => (size.remainder_by(&Size::number(d)), Some(number.rem_euclid(d))),
                    _ => (size.times(&Size::number(c)), number.checked_mul(c)),
                };
                let (Some(next_size), Some(next_number)) = next else { break };
                (size, number) = (next_size, next_number);
            }
            if let Some(value) = put(&size, &atoms) {
                prop_assert_eq!(value, number);
                for limit in [-5, 0, 10] {
                    if let Some(exceeds) = size.exceeds(limit) { prop_assert_eq!(exceeds, number > limit); }
                }
                if let Some(multiple) = size.is_multiple_of(d) { prop_assert_eq!(multiple, number % d == 0); }
                if let Some(sign) = size.sign() { prop_assert_eq!(sign, number.signum()); }
            }
        }
    }

    /// Quotients hold their parts: they are put in numbers from the inside out.
    fn put(size: &Size, atoms: &[(Atom, i64)]) -> Option<i64> {
        size.terms().try_fold(0_i64, |sum, (factors, by)| {
            let product = factors.iter().try_fold(by, |product, factor| {
                let value = match factor {
                    Atom::Name { .. } => atoms.iter().find(|(atom, _)| atom == factor)?.1,
                    Atom::Quotient(parts) => {
                        put(&parts.0, atoms)?.div_euclid(put(&parts.1, atoms)?)
                    }
                    Atom::Rest(parts) => put(&parts.0, atoms)?.rem_euclid(put(&parts.1, atoms)?),
                };
                product.checked_mul(value)
            })?;
            sum.checked_add(product)
        })
    }
}
