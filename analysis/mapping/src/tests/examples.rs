//! Worked examples of the book's chapter "Mapping Expressions" and of the canonical form, derived by hand.

use crate::{Answer, Atom, Axis, Cell, Form, Index, Mapping, MappingError, mappings_equal};

use super::read;

const AXES: &[(&str, u64)] = &[
    ("A", 8),
    ("B", 512),
    ("C", 13),
    ("D", 61),
    ("E", 5),
    ("P", 3),
    ("Q", 4),
    ("U", 1),
];

fn m(text: &str) -> Mapping {
    read::mapping(AXES, text)
}

fn index(values: &[(&str, u64)]) -> Cell {
    let mut index = Index::empty();
    for (name, value) in values {
        let (_, size) = AXES.iter().find(|(known, _)| known == name).unwrap();
        index.add(&Axis::new(name, *size), *value);
    }
    Cell::Index(index)
}

fn same_form(left: &str, right: &str) {
    assert_eq!(m(left).form(), m(right).form(), "{left} and {right}");
    assert_eq!(mappings_equal(&m(left), &m(right)), Answer::Yes);
}

fn different(left: &str, right: &str) {
    assert_ne!(m(left).form(), m(right).form(), "{left} and {right}");
    assert_eq!(
        mappings_equal(&m(left), &m(right)),
        Answer::No,
        "{left} and {right}"
    );
}

#[test]
fn positions_hold_what_the_constructors_say() {
    assert_eq!(m("A").cell_at(0), index(&[]));
    assert_eq!(m("A").cell_at(7), index(&[("A", 7)]));
    assert_eq!(m("A").cell_at(8), Cell::OutOfBounds);
    // 519 = 1 * 512 + 7.
    assert_eq!(m("A, B").cell_at(519), index(&[("A", 1), ("B", 7)]));
    assert_eq!(m("1").cell_at(0), index(&[]));
    assert_eq!(m("1").cell_at(1), Cell::OutOfBounds);
    assert_eq!(m("C, D # 64").cell_at(60), index(&[("D", 60)]));
    for padding in 61..64 {
        assert_eq!(
            m("C, D # 64").cell_at(padding),
            Cell::Padding(crate::PaddingKind::Top)
        );
    }
    assert_eq!(m("C, D # 64").cell_at(64), index(&[("C", 1)]));
    // Rows of two: 3 = 1 * 2 + 1.
    assert_eq!(m("Q, P = 2").cell_at(3), index(&[("Q", 1), ("P", 1)]));
    assert_eq!(m("B / 64").cell_at(3), index(&[("B", 192)]));
    assert_eq!(m("B % 64").cell_at(63), index(&[("B", 63)]));
    assert_eq!(m("B % 64").cell_at(64), Cell::OutOfBounds);
    // 67 = 64 * 1 + 2 * 1 + 1 is block 1, place 1, half 1: 64 + 1 + 32.
    assert_eq!(
        m("B / 64, B % 32, B / 32 % 2").cell_at(67),
        index(&[("B", 97)])
    );
    assert_eq!(m("A, 4").cell_at(7), index(&[("A", 1)]));
}

#[test]
fn a_value_beyond_its_axis_is_padding() {
    let whole = m("C # 16 / 4, C # 16 % 4");
    assert_eq!(whole.cell_at(12), index(&[("C", 12)]));
    assert_eq!(whole.cell_at(13), Cell::Padding(crate::PaddingKind::Top));
    assert_eq!(m("A, A").cell_at(8 * 4 + 3), index(&[("A", 7)]));
    assert_eq!(
        m("A, A").cell_at(8 * 4 + 4),
        Cell::Padding(crate::PaddingKind::Top)
    );
}

#[test]
fn equivalent_mappings_have_one_form() {
    same_form("A, 1", "A");
    same_form("1, A", "A");
    same_form("B / 64, B % 64", "B");
    same_form("[A, B] / 512", "A");
    same_form("[A, B] % 512", "B");
    same_form("[A, B], D", "A, [B, D]");
    same_form("A / 1", "A");
    same_form("A # 8", "A");
    same_form("A = 8", "A");
    same_form("A % 1", "1");
    same_form("U, A", "A");
    different("B % 64, B / 64", "B");
    different("A, B", "B, A");
    different("A", "A # 16");
    different("A # 16", "A # 32");
    different("A", "C = 8");
}

#[test]
fn digits_are_normalised() {
    // Single positions are the identity, padded or not.
    same_form("A / 8", "1");
    same_form("B = 1", "1");
    same_form("A # 64 / 8", "1 # 8");
    // Padding outside belongs to the digit inside it; padding inside stays apart.
    same_form("1 # 2, A", "A # 16");
    different("A, 1 # 2", "A # 16");
    same_form("A # 16 # 32", "A # 32");
    // Digits that count on are one.
    same_form("A / 4, A % 4", "A");
    different("A % 4, A / 4", "A");
    // Groups used whole are their digits, and the outer padding is that of the outermost.
    same_form("[P, Q] # 16", "P # 4, Q");
    different("[P, Q] # 16", "P, Q # 5 = 5, 1");
    same_form("[[P, Q] # 14] = 12", "P, Q");
    // A prefix is a modulo where it divides.
    same_form("A = 4", "A % 4");
    assert!(m("A = 3").form().digits()[0].is_truncated());
}

#[test]
fn cuts_of_padded_axes() {
    // The cut divides the live count: an ordinary selection.
    same_form("A # 16 / 4", "A / 4 # 4");
    same_form("A # 16 % 4", "A % 4");
    // It does not: a run that forgets the padded size.
    same_form("E # 16 / 4", "1 # 2, [E # 8] / 4");
    same_form("C # 16 / 4, C # 16 % 4", "C # 16");
    let run = m("C # 16 / 4").form().clone();
    let [digit] = run.digits() else {
        panic!("{run:?}");
    };
    assert_eq!((digit.live, digit.extent), (4, 4));
    let term = digit.term.as_ref().unwrap();
    assert_eq!((term.stride, term.modulo), (4, 4));
    assert_eq!(term.atom, Atom::PaddedRun(Axis::new("C", 13)));
}

#[test]
fn groups_that_a_size_cuts_across() {
    // 2 is not a multiple of 3 and does not divide it: position i holds what 2 * i held.
    let strided = m("[Q, P] / 2");
    assert!(strided.form().has_composites());
    assert_eq!(strided.cell_at(2), index(&[("Q", 1), ("P", 1)]));
    assert_eq!(strided.form().cell_at(2), strided.cell_at(2));
    assert_eq!(strided.form().to_mapping().to_string(), "[Q, P] / 2");
    // The halves join: 4 + 3 is position 7, P = 1 and E = 2, although 4 alone is E = 4, and 4 and 3 are none of E.
    same_form("[P, E] # 16 / 4, [P, E] # 16 % 4", "[P, E] # 16");
    // With a digit between them they still count one position.
    let apart = m("[P, E] # 16 / 4, Q, [P, E] # 16 % 4");
    for mapping in [apart.cell_at(4 + 3), apart.form().cell_at(4 + 3)] {
        assert_eq!(mapping, index(&[("Q", 1), ("E", 3)]));
    }
    for mapping in [apart.cell_at(16 + 3), apart.form().cell_at(16 + 3)] {
        assert_eq!(mapping, index(&[("P", 1), ("E", 2)]));
    }
    // Position 15 has no element: P = 3.
    assert_eq!(
        apart.form().cell_at(apart.size() - 5),
        Cell::Padding(crate::PaddingKind::Top)
    );
    // An operand that was cut short ends there, although its axis goes on: position 3 is padding.
    same_form("P = 2 # 4 / 2, P = 2 # 4 % 2", "P = 2 # 4");
    same_form("E = 3 # 4 / 2, E = 3 # 4 % 2", "E = 3 # 4");
    different("E = 3 # 4 / 2, E = 3 # 4 % 2", "E = 4");
    // Digits beside the cut stay out of the group.
    assert_eq!(
        m("[A, Q, P, B] / 1024").form().to_mapping().to_string(),
        "A, [Q, P] / 2"
    );
}

#[test]
fn primitives() {
    let form = |text| m(text).form().clone();
    assert_eq!(form("A # 16").remove_padding(), form("A"));
    assert_eq!(form("A, 1 # 2").remove_padding(), form("A, 1 # 2"));
    assert_eq!(form("1 # 8").remove_padding(), Form::identity());
    assert_eq!(form("A # 64").pad(32), Some(form("A # 32")));
    assert_eq!(form("A").pad(4), None);
    assert_eq!(form("A, B").split_at(512), Some((form("A"), form("B"))));
    assert_eq!(
        form("A, B").split_at(128),
        Some((form("A, B / 128"), form("B % 128")))
    );
    assert_eq!(form("A").split_at(3), None);
    assert!(form("A = 3").is_resize_of(&form("A")));
    assert!(form("B").is_resize_of(&form("A, B")));
    assert!(!form("A").is_resize_of(&form("A, B")));
    assert!(!form("A, B").is_resize_of(&form("B")));
    let names: Vec<String> = form("U, [Q, P] / 2, A # 16")
        .axis_names()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(names, ["A", "P", "Q"]);
    let strides: Vec<_> = form("A, D # 64, 1 # 2, B / 64")
        .terms_with_stride()
        .iter()
        .map(|t| (t.live, t.buffer_stride, t.extent))
        .collect();
    // The hole belongs to B / 64, which spans 16; D then steps over 16, A over 64 of those.
    assert_eq!(strides, [(8, 1, 16), (61, 16, 64), (8, 1024, 8)]);
}

#[test]
fn constructors_refuse_with_their_numbers() {
    let a = m("A");
    let (size, divisor) = (8, 3);
    assert_eq!(
        a.stride(3),
        Err(MappingError::StrideIndivisible { size, divisor })
    );
    assert_eq!(
        a.modulo(3),
        Err(MappingError::ModuloIndivisible { size, divisor })
    );
    assert_eq!(
        a.resize(9),
        Err(MappingError::ResizeGrows { size, resized: 9 })
    );
    assert_eq!(
        a.pad_to(7, crate::PaddingKind::Top),
        Err(MappingError::PaddingShrinks { size, padded: 7 })
    );
    assert_eq!(
        a.stride(0),
        Err(MappingError::ZeroDivisor { size: a.size() })
    );
    assert_eq!(
        a.modulo(0),
        Err(MappingError::ZeroDivisor { size: a.size() })
    );
    assert_eq!(a.resize(0), Err(MappingError::ZeroSize));
    assert_eq!(Mapping::broadcast(0), Err(MappingError::ZeroSize));
    let name = "Z".to_owned();
    assert_eq!(
        Axis::checked("Z", 0),
        Err(MappingError::AxisSizeZero { name })
    );
}
