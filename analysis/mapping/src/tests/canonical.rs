//! Canonical forms of random expressions, position by position.

use std::collections::HashMap;

use crate::{Cell, Digit, Form, Mapping, PaddingKind};

use super::random::{MANY_AXES, Random, Shape, is_clear};
use super::read;

fn assert_same_function(mapping: &Mapping, form: &Form) {
    assert_eq!(form.size(), mapping.size(), "{mapping:?}\n{form:#?}");
    let function = form.function();
    for at in 0..mapping.size() {
        let (held, possible) = (function.cell_at(at), mapping.cells_at(at));
        assert!(
            possible.contains(&held),
            "position {at} of {mapping:?}: {held:?} of {possible:?}\n{form:#?}"
        );
    }
    assert_eq!(form.cell_at(mapping.size()), Cell::OutOfBounds);
    assert_eq!(mapping.cell_at(mapping.size()), Cell::OutOfBounds);
}

#[test]
fn the_form_has_the_function_of_its_expression() {
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    let mut composites = 0;
    for _ in 0..100_000 {
        let depth = 1 + random.below(6);
        let mapping = MANY_AXES.clear_expression(&mut random, depth);
        let form = mapping.form();
        assert_same_function(&mapping, form);
        // No more than 63 digits, then, in a size of 64 bits: what compares digits needs no limit of its own.
        let smallest = form.digits().iter().map(|digit| digit.extent).min();
        assert!(smallest.is_none_or(|extent| extent >= 2), "{mapping:?}");
        composites += u32::from(form.has_composites());
    }
    assert!(
        composites > 1_000,
        "only {composites} composites were drawn"
    );
}

#[test]
fn forms_print_and_read_back() {
    let mut random = Random::new(0xD1B5_4A32_D192_ED03);
    for _ in 0..50_000 {
        let depth = 1 + random.below(6);
        let mapping = MANY_AXES.clear_expression(&mut random, depth);
        let printed = mapping.form().to_mapping();
        assert_eq!(
            printed.form(),
            mapping.form(),
            "{mapping:?} printed as {printed:?}"
        );
        let read = read::mapping(MANY_AXES.axes, &printed.to_string());
        assert_eq!(read, printed, "{mapping:?}");
        let read = read::mapping(MANY_AXES.axes, &mapping.to_string());
        assert_eq!(read.form(), mapping.form(), "{mapping:?}");
    }
}

#[test]
fn normal_forms_are_not_changed_by_operators_that_say_nothing() {
    let mut random = Random::new(0x5851_F42D_4C95_7F2D);
    for _ in 0..20_000 {
        let depth = 1 + random.below(5);
        let mapping = MANY_AXES.clear_expression(&mut random, depth);
        let form = mapping.form();
        let size = mapping.size();
        let one = Mapping::identity();
        let same = [
            mapping.stride(1).unwrap(),
            mapping.modulo(size).unwrap(),
            mapping.resize(size).unwrap(),
            mapping.pair(&one).unwrap(),
            one.pair(&mapping).unwrap(),
        ];
        for rewritten in &same {
            assert_eq!(rewritten.form(), form, "{rewritten:?}");
        }
        assert!(mapping.modulo(1).unwrap().form().is_identity());
        let (outer, inner) = form.split_at(1).unwrap();
        assert_eq!((&outer, inner.is_identity()), (form, true));
        assert_eq!(Form::multiply(&Form::identity(), form).as_ref(), Some(form));
        assert_eq!(form.resize(size).as_ref(), Some(form));
        assert!(form.is_resize_of(form));
        assert_eq!(
            &Form::from_digits(form.digits().iter().cloned()).unwrap(),
            form
        );
        assert!(form.live_size() <= size);
        assert_eq!(form.remove_padding().size(), form.live_size());
    }
}

#[test]
fn operators_on_forms_are_those_on_expressions() {
    let mut random = Random::new(0x1234_5678_9ABC_DEF1);
    for _ in 0..20_000 {
        let depth = 1 + random.below(4);
        let (a, b) = (
            MANY_AXES.clear_expression(&mut random, depth),
            MANY_AXES.clear_expression(&mut random, 2),
        );
        let n = super::random::divisor(&mut random, a.size());
        if !is_clear(&a.stride(n).unwrap()) {
            continue;
        }
        let (outer, inner) = a.form().split_at(n).unwrap();
        assert_same_function(&a.stride(n).unwrap(), &outer);
        assert_same_function(&a.modulo(n).unwrap(), &inner);
        let q = 1 + random.below(a.size());
        let prefix = a.form().resize(q).unwrap();
        assert_same_function(&a.resize(q).unwrap(), &prefix);
        assert!(prefix.is_resize_of(a.form()));
        let both = a.pair(&b).unwrap();
        if a.size() * b.size() < 4096 && is_clear(&both) {
            let pair = Form::multiply(a.form(), b.form()).unwrap();
            assert_same_function(&both, &pair);
            // A pair splits where it was joined.
            let (left, right) = pair.split_at(b.size()).unwrap();
            assert_same_function(&a, &left);
            assert_same_function(&b, &right);
        }
        let padded = a.form().pad(a.size() + q).unwrap().function();
        let live = a.form().live_size();
        for at in 0..a.size() + q {
            let expected = if at < live {
                a.cell_at(at)
            } else {
                Cell::Padding(PaddingKind::Top)
            };
            assert_eq!(padded.cell_at(at), expected, "{a:?} at {at}");
        }
    }
}

/// Where a split falls between digits, or cuts an axis in two, its halves join again to the same form.
#[test]
fn the_halves_of_an_aligned_split_join_again() {
    let shape = Shape {
        composites: false,
        ..MANY_AXES
    };
    let mut random = Random::new(0xABCD_EF01_2345_6789);
    let mut joined = 0;
    for _ in 0..20_000 {
        let mapping = shape.clear_expression(&mut random, 3);
        let form = mapping.form();
        let n = super::random::divisor(&mut random, mapping.size());
        let (outer, inner) = form.split_at(n).unwrap();
        let again = Form::multiply(&outer, &inner).unwrap();
        let composites = [form, &outer, &inner]
            .iter()
            .any(|form| form.has_composites());
        let truncated = form.digits().iter().any(Digit::is_truncated);
        let kinds = form
            .digits()
            .iter()
            .any(|digit| !digit.paddings().is_empty());
        if !composites && !truncated && !kinds {
            assert_eq!(&again, form, "{mapping:?} at {n}");
            joined += 1;
        }
    }
    assert!(joined > 5_000, "only {joined} splits were judged");
}

#[test]
fn equal_forms_are_equal_functions() {
    // Few axes and shallow expressions, so that many expressions share a form.
    let shape = Shape {
        axes: &[("A", 8), ("B", 3), ("C", 13)],
        size_limit: 120,
        composites: true,
        kinds: true,
    };
    let mut random = Random::new(0x0F0F_1234_5678_1111);
    let mut functions: HashMap<Form, Vec<Cell>> = HashMap::new();
    let mut met = 0;
    for _ in 0..60_000 {
        let depth = 1 + random.below(4);
        let mapping = shape.clear_expression(&mut random, depth);
        let function: Vec<Cell> = (0..mapping.size()).map(|at| mapping.cell_at(at)).collect();
        match functions.get(mapping.form()) {
            Some(known) => {
                assert_eq!(known, &function, "{mapping:?}");
                met += 1;
            }
            None => {
                functions.insert(mapping.form().clone(), function);
            }
        }
    }
    assert!(met > 20_000, "only {met} expressions met an equal form");
}
