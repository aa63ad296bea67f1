//! A mapping that holds what it should hold: the parts of an axis that a target lacks, put where the source has them.

use crate::mapping::{Digit, Form, Mapping};

/// The element with all parts of an axis that the source has: at the place of those that it has already, else outside of what
/// is inside of them in the source. `None` where the mappings do not tell.
pub fn element_holding_axis(source: &Form, element: &Form, axis: &str) -> Option<Mapping> {
    let parts: Vec<Digit> = digits_of_axis(source, axis).map(Digit::unpadded).collect();
    if parts.is_empty() {
        return None;
    }
    let place = element
        .digits()
        .iter()
        .position(|digit| digit.is_part_of(axis))
        .unwrap_or_else(|| outside_of_neighbour(source, element, axis));
    let mut digits = Vec::new();
    for (at, digit) in element.digits().iter().enumerate() {
        if at == place {
            digits.extend(parts.iter().cloned());
        }
        if !digit.is_part_of(axis) {
            digits.push(digit.clone());
        }
    }
    if place >= element.digits().len() {
        digits.extend(parts);
    }
    Some(Form::from_digits(digits)?.to_mapping())
}

/// The place right outside of what is inside the axis in the source, counted from the innermost digit.
fn outside_of_neighbour(source: &Form, element: &Form, axis: &str) -> usize {
    let digits = source.digits();
    let innermost = digits
        .iter()
        .position(|digit| digit.is_part_of(axis))
        .unwrap_or_default();
    let inside = digits.iter().take(innermost).rev();
    let found = inside
        .filter(|digit| digit.term.is_some())
        .find_map(|inner| {
            let mut held = element.digits().iter();
            held.position(|digit| digit.term == inner.term)
        });
    match found {
        Some(place) => place + 1,
        // Nothing that the target holds is inside of it: it goes innermost.
        None if innermost == 0 => 0,
        None => element.digits().len(),
    }
}

fn digits_of_axis<'a>(form: &'a Form, axis: &'a str) -> impl Iterator<Item = &'a Digit> {
    form.digits()
        .iter()
        .filter(move |digit| digit.is_part_of(axis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::mapping;

    const AXES: &[(&str, u64)] = &[("W", 64), ("Y", 4), ("L", 8), ("C", 8)];

    fn held(source: &str, element: &str, axis: &str) -> Mapping {
        let (source, element) = (mapping(source, AXES), mapping(element, AXES));
        element_holding_axis(source.form(), element.form(), axis).expect("a mapping")
    }

    #[test]
    fn parts_go_where_the_source_has_them() {
        let same = |found: Mapping, text: &str| {
            assert_eq!(*found.form(), *mapping(text, AXES).form(), "{text}");
        };
        same(held("W, 1 # 4, Y, C", "W, C", "Y"), "W, Y, C");
        same(held("W, L, C", "W, L % 4, C", "L"), "W, L, C");
        same(held("W, C, L", "C, W", "L"), "C, W, L");
        same(held("W, L / 4, C, L % 4", "W, C, L % 4", "L"), "W, C, L");
    }
}
