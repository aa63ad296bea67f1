//! Axes in buffers: the published equalities and facts, and brute force over positions.

use crate::{
    Answer, Atom, Axis, Cell, FindAxisError, Form, Mapping, PaddingKind, WindowAxisError,
    find_axis, mappings_equal, remove_axis, slots, window_axis,
};

use super::random::{Random, Shape, divisor, repeats_axes};
use super::read;

const AXES: &[(&str, u64)] = &[
    ("A", 4),
    ("B", 6),
    ("D", 16),
    ("H", 4),
    ("I", 3),
    ("K", 8),
    ("P", 21),
    ("Q", 8),
    ("R", 19),
    ("T", 3),
    ("U", 10),
    ("W", 151_936),
    ("X", 512),
    ("Y", 64),
    ("Z", 24),
];

fn m(text: &str) -> Mapping {
    read::mapping(AXES, text)
}

fn find(buffer: &str, axis: &str) -> Result<u64, FindAxisError> {
    find_axis(m(buffer).form(), m(axis).form())
}

fn remove(buffer: &str, axis: &str) -> Result<Mapping, FindAxisError> {
    remove_axis(m(buffer).form(), m(axis).form()).map(|left| left.to_mapping())
}

#[track_caller]
fn same(one: &str, other: &str) {
    assert_eq!(
        mappings_equal(&m(one), &m(other)),
        Answer::Yes,
        "{one} and {other}"
    );
}

#[track_caller]
fn different(one: &str, other: &str) {
    assert_eq!(
        mappings_equal(&m(one), &m(other)),
        Answer::No,
        "{one} and {other}"
    );
}

#[test]
fn published_equalities() {
    same("[X / 4 % 128, X % 4]", "X % 512");
    same("[X / 4 % 128, X % 4]", "X");
    // Complementary: the halves are the whole again, in every kind.
    same("R # 24 / 4, R # 24 % 4", "R # 24");
    same("R #{0} 24 / 4, R #{0} 24 % 4", "R #{0} 24");
    same("R #{!} 24 / 4, R #{!} 24 % 4", "R #{!} 24");
    different("R #{0} 24 / 4, R #{0} 24 % 4", "R # 24");
    // One position of an axis is pure padding.
    same("I = 1 # 3", "1 # 3");
    same("I = 1 #{!} 3", "1 #{!} 3");
    same("Q / 8 # 3", "1 # 3");
}

#[test]
fn kinds_never_merge_and_never_compare_equal() {
    let kinds = ["#", "#{0}", "#{!}"];
    for (at, one) in kinds.iter().enumerate() {
        for (number, other) in kinds.iter().enumerate() {
            let (left, right) = (format!("A {one} 8, D"), format!("A {other} 8, D"));
            let expected = Answer::from(at == number);
            assert_eq!(
                mappings_equal(&m(&left), &m(&right)),
                expected,
                "{left} and {right}"
            );
            let twice = m(&format!("A {one} 6 {other} 8"));
            let digits = twice.form().digits();
            assert_eq!(digits[0].paddings().len(), if at == number { 1 } else { 2 });
            let pure = (format!("1 {one} 8"), format!("1 {other} 8"));
            assert_eq!(mappings_equal(&m(&pure.0), &m(&pure.1)), expected);
        }
    }
    same("A #{*} 8", "A # 8");
    same("A #{0} 6 #{0} 8", "A #{0} 8");
    different("A #{0} 6 # 8", "A #{0} 8");
    different("A #{0} 6 # 8", "A # 6 #{0} 8");
    // Padding outside of a digit is the digit's, and keeps its kind.
    same("1 #{0} 2, A", "A #{0} 8");
    same("1 #{!} 2, A # 8", "A # 8 #{!} 16");
    different("1 #{!} 2, A # 8", "A # 16");
    assert!(PaddingKind::Bottom < PaddingKind::Zero && PaddingKind::Zero < PaddingKind::Top);
}

/// Of two paddings at one position the left one decides.
#[test]
fn a_cell_looks_left_first() {
    use PaddingKind::{Bottom, Top, Zero};
    let mapping = m("A #{!} 6, T #{0} 4");
    for (position, kind) in [
        (3, PaddingKind::Zero),
        (16, PaddingKind::Bottom),
        (19, PaddingKind::Bottom),
        (23, PaddingKind::Bottom),
    ] {
        let cell = Cell::Padding(kind);
        assert_eq!(mapping.cell_at(position), cell, "{position}");
        assert_eq!(mapping.form().cell_at(position), cell, "{position}");
    }
    assert!(matches!(mapping.form().cell_at(14), Cell::Index(_)));
    assert_eq!(mapping.form().cell_at(24), Cell::OutOfBounds);
    let stacked = m("A # 6 #{0} 7 #{!} 9");
    let kinds: Vec<Cell> = (4..9).map(|at| stacked.form().cell_at(at)).collect();
    let kind = Cell::Padding;
    assert_eq!(
        kinds,
        [kind(Top), kind(Top), kind(Zero), kind(Bottom), kind(Bottom)]
    );
}

#[test]
fn a_broadcast_is_a_digit_without_an_axis() {
    same("[2, 3]", "6");
    same("6 / 2", "3");
    same("6 % 2", "2");
    different("2, A", "A, 2");
    different("2, A", "1 # 2, A");
    different("2", "1 # 2");
    for (text, expected) in [
        ("1", true),
        ("4", true),
        ("[2, 2], 3", true),
        ("A / 4", true),
        ("4 # 8", false),
        ("1 # 4", false),
        ("A", false),
        ("2, A", false),
    ] {
        assert_eq!(m(text).form().is_broadcast(), expected, "{text}");
    }
    let mapping = m("A, 2");
    assert_eq!(mapping.form().cell_at(4), mapping.form().cell_at(5));
}

#[test]
fn outermost_padding_is_removed_from_the_left() {
    let removed = |text: &str| m(text).form().remove_padding().to_mapping().to_string();
    assert_eq!(removed("A # 8 #{0} 16"), "A");
    assert_eq!(removed("1 # 4, A"), "A");
    assert_eq!(removed("1 # 4, A # 8, T #{!} 4"), "A, T #{!} 4");
    assert_eq!(removed("1 #{0} 4"), "1");
    assert_eq!(removed("2, A # 8"), "2, A # 8");
    assert_eq!(removed("A, 1 # 2"), "A, 1 # 2");
}

#[test]
fn padding_is_searched_as_it_is_written() {
    assert!(m("A, [B / 2, 4]").has_no_padding());
    assert!(!m("A # 4, B").has_no_padding());
    assert!(!m("A # 8 % 4").has_no_padding());
    assert!(m("[A, B #{!} 8 % 2] / 2").has_bottom_pad());
    assert!(!m("A # 8, B #{0} 8").has_bottom_pad());
}

#[test]
fn prefixes() {
    let is_resize = |one: &str, other: &str| m(one).form().is_resize_of(m(other).form());
    assert!(is_resize("A = 3", "A"));
    assert!(is_resize("A", "A # 8"));
    assert!(is_resize("A #{0} 6", "A #{0} 8"));
    assert!(!is_resize("A # 6", "A #{0} 8"));
    assert!(!is_resize("A # 8", "A"));
    assert_eq!(m("B").form().resizes(m("A").form()), Answer::No);
}

#[test]
fn published_strides() {
    // The extent is the axis's, padding included: three chunks hold rows, four exist.
    assert_eq!(find("Z # 32, H", "Z # 32 / 8"), Ok(32));
    // Live rows that are not three chunks of eight.
    assert_eq!(find("P # 24, H", "P # 24 / 8"), Ok(32));
    assert_eq!(find("W # 155648, Y", "W # 155648 / 8192"), Ok(8192 * 64));
    assert_eq!(find("A, Q, D", "Q / 2"), Ok(32));
    assert_eq!(find("A, Q, D", "Q / 4"), Ok(64));
    assert_eq!(find("A, B", "A, B / 2"), Ok(2));
    assert_eq!(find("Z, H", "Z / 8"), Ok(32));
    assert_eq!(find("A, B", "A, B"), Ok(1));
    assert_eq!(find("A # 8, H", "A"), Ok(4));
    assert_eq!(find("A # 8, H", "A # 8"), Ok(4));
    assert_eq!(find("A # 8", "A"), Ok(1));
    assert_eq!(find("A # 8", "A # 8"), Ok(1));
    assert_eq!(find("T # 8, H", "T"), Ok(4));
    assert_eq!(find("T # 8, H", "T # 8"), Ok(4));
    assert_eq!(find("U", "U # 12 % 4"), Ok(1));
    assert_eq!(find("Q, A, D", "A, D"), Ok(1));
    assert_eq!(find("P # 24, H", "[P # 24, H] / 3"), Ok(3));
    assert_eq!(find("K, D", "K"), Ok(16));
}

#[test]
fn published_refusals() {
    use FindAxisError::{NotInMapping, Scattered, SpanDoesNotDivide};
    assert_eq!(find("A, D", "Q / 2"), Err(NotInMapping));
    assert_eq!(find("A, Q, D", "A, D"), Err(Scattered));
    assert_eq!(find("A, D", "B, D"), Err(NotInMapping));
    assert_eq!(find("A, D", "A, B"), Err(NotInMapping));
    assert_eq!(find("K / 2, D, K % 2", "K"), Err(Scattered));
    assert_eq!(find("K / 2, D", "K"), Err(NotInMapping));
    assert_eq!(find("K, D", "1 # 64"), Err(NotInMapping));
    let beyond = |size, span| Err(SpanDoesNotDivide { size, span });
    assert_eq!(find("A, H", "A # 8"), beyond(16, 32));
    assert_eq!(find("A", "A # 8"), beyond(4, 8));
    assert_eq!(find("U", "U # 12"), beyond(10, 12));
    assert_eq!(find("Z # 32, H", "Z # 32 / 8 # 8"), beyond(128, 256));
    // Known gaps: divided out of a product and divided again.
    assert_eq!(find("A, B", "[A, B / 2] / 2"), Err(NotInMapping));
    assert_eq!(find("A, B", "[A, B] / 8"), Err(NotInMapping));
    assert_eq!(find("P # 24, H", "[P # 24, H] / 6"), Err(NotInMapping));
    // Kinds agree.
    let kinds = ["#", "#{0}", "#{!}"];
    for (declared, one) in kinds.iter().enumerate() {
        for (asked, other) in kinds.iter().enumerate() {
            let found = find(&format!("Z {one} 32, H"), &format!("Z {other} 32 / 8"));
            assert_eq!(
                found == Ok(32),
                declared == asked,
                "{one} {other}: {found:?}"
            );
            let found = find(&format!("A {one} 8, D"), &format!("A {other} 8"));
            assert_eq!(
                found == Ok(16),
                declared == asked,
                "{one} {other}: {found:?}"
            );
        }
    }
    // Neighbours of four, in every choice of them.
    let terms = ["A", "Q", "D", "T"];
    for subset in 1..16_u32 {
        let picked: Vec<usize> = (0..4).filter(|at| subset >> at & 1 == 1).collect();
        let axis: Vec<&str> = picked.iter().map(|at| terms[*at]).collect();
        let found = find("A, Q, D, T", &axis.join(", "));
        if picked.windows(2).all(|pair| pair[1] == pair[0] + 1) {
            assert!(found.is_ok(), "{axis:?}: {found:?}");
        } else {
            assert_eq!(found, Err(Scattered), "{axis:?}");
        }
    }
}

#[test]
fn published_removals() {
    use FindAxisError::{NotInMapping, Scattered, SpanDoesNotDivide};
    let text = |buffer: &str, axis: &str| remove(buffer, axis).map(|left| left.to_string());
    assert_eq!(text("K, D", "K").as_deref(), Ok("D"));
    assert_eq!(text("1 # 64, K, D", "K").as_deref(), Ok("D # 1024"));
    same("1 # 64, D", "D # 1024");
    assert_eq!(text("K, D", "1").as_deref(), Ok("K, D"));
    assert_eq!(remove("A, D", "K"), Err(NotInMapping));
    assert_eq!(remove("K / 2, D, K % 2", "K"), Err(Scattered));
    assert!(remove("K / 2, D", "K").is_err());
    let beyond = Err(SpanDoesNotDivide { size: 10, span: 4 });
    assert_eq!(remove("U", "U # 12 % 4"), beyond);
    let beyond = Err(SpanDoesNotDivide { size: 10, span: 12 });
    assert_eq!(remove("U", "U # 12"), beyond);
}

#[test]
fn published_windows() {
    let window = |text: &str, stride, size, window, kind| {
        window_axis(m(text).form(), stride, size, window, kind)
    };
    let top = PaddingKind::Top;
    let form = |text: &str| m(text).form().clone();
    assert_eq!(
        window("Z # 32, H", 32, 4, 1, top),
        Ok(form("1 # 4, Z # 32 % 8, H"))
    );
    assert_eq!(window("T # 8, H", 4, 8, 1, top), Ok(form("H # 32")));
    assert_eq!(
        window("T # 8, H", 4, 3, 1, top),
        Err(WindowAxisError::SpanDoesNotDivide {
            stride: 4,
            size: 3,
            cells: 32
        })
    );
    for length in [0, 5] {
        assert_eq!(
            window("Z # 32, H", 32, 4, length, top),
            Err(WindowAxisError::WindowExceedsAxis {
                window: length,
                size: 4
            })
        );
    }
    assert_eq!(
        window("Z # 32, H", 32, 8, 1, top),
        Err(WindowAxisError::SpanDoesNotDivide {
            stride: 32,
            size: 8,
            cells: 128
        })
    );
    assert_eq!(
        window("A", u64::MAX, u64::MAX, 1, top),
        Err(WindowAxisError::SpanDoesNotDivide {
            stride: u64::MAX,
            size: u64::MAX,
            cells: 4
        })
    );
    // Tiles: the hole of a shared and of a mutable view, and older padding spelled.
    assert_eq!(window("I, Q", 8, 3, 1, top), Ok(form("I = 1 # 3, Q")));
    assert_eq!(
        window("I, Q", 8, 3, 2, PaddingKind::Bottom),
        Ok(form("I = 2 #{!} 3, Q"))
    );
    assert_eq!(
        window("Z # 32, H", 4, 32, 24, PaddingKind::Bottom),
        Ok(form("Z #{!} 32, H"))
    );
    assert_eq!(
        window("Z # 32, H", 4, 32, 32, PaddingKind::Bottom),
        Ok(form("Z # 32, H"))
    );
}

#[test]
fn slots_are_of_two_positions() {
    let cut = |text: &str| -> Option<Vec<String>> {
        let slots = slots(m(text).form())?;
        Some(
            slots
                .iter()
                .map(|slot| slot.to_mapping().to_string())
                .collect(),
        )
    };
    let of = |texts: &[&str]| Some(texts.iter().map(ToString::to_string).collect());
    assert_eq!(cut("Q"), of(&["Q / 4", "Q / 2 % 2", "Q % 2"]));
    assert_eq!(cut("1"), of(&[]));
    assert_eq!(cut("1 # 4, A"), of(&["1 # 2", "1 # 2", "A / 2", "A % 2"]));
    assert_eq!(cut("A #{0} 8"), of(&["1 #{0} 2", "A / 2", "A % 2"]));
    assert_eq!(cut("4, A / 2"), of(&["2", "2", "A / 2"]));
    assert_eq!(cut("B"), None);
}

/// An axis of two to four values, with or without padding of a kind.
fn padded_axis(random: &mut Random, name: &str) -> Mapping {
    let size = 2 + random.below(3);
    let axis = Mapping::axis(Axis::new(name, size));
    let kinds = [PaddingKind::Top, PaddingKind::Bottom, PaddingKind::Zero];
    match random.below(2) {
        0 => axis,
        _ => axis.pad_to(size + 1, random.pick(&kinds)).unwrap(),
    }
}

/// Every stride at which the buffer holds what the axis does.
fn enumerated(buffer: &Mapping, axis: &Mapping) -> Vec<u64> {
    let cells: Vec<Cell> = (0..axis.size()).map(|at| axis.cell_at(at)).collect();
    let holds = |stride: &u64| {
        (0..)
            .zip(&cells)
            .all(|(at, cell)| buffer.cells_at(at * stride).contains(cell))
    };
    (1..=buffer.size() / axis.size()).filter(holds).collect()
}

/// Judges one search; whether it was decided.
fn judge(buffer: &Mapping, axis: &Mapping) -> bool {
    let found = find_axis(buffer.form(), axis.form());
    let expected = enumerated(buffer, axis);
    match (found, expected.as_slice()) {
        (Err(FindAxisError::Undecided), _) => return false,
        (Ok(found), [stride]) => assert_eq!(found, *stride, "{axis:?} in {buffer:?}"),
        // What is found although the library does not is a group that was divided again.
        (Err(error), [_]) => assert!(
            error == FindAxisError::NotInMapping && axis.form().has_composites(),
            "{axis:?} in {buffer:?}: {error:?}, and it is at {expected:?}"
        ),
        // A step among copies holds the same.
        (Ok(stride), several) if several.contains(&stride) => {
            let mut terms = buffer.form().digits().iter().flat_map(|digit| &digit.term);
            let copies = terms.any(|term| term.atom == Atom::Broadcast);
            assert!(copies, "{axis:?} in {buffer:?}");
        }
        (Ok(stride), _) => panic!("{axis:?} in {buffer:?} at {stride}, not {expected:?}"),
        (Err(_), _) => {}
    }
    true
}

#[test]
fn axes_are_found_where_enumeration_finds_them() {
    let mut random = Random::new(0x8DB2_12F3_A93C_6D77);
    let mut found = 0;
    for _ in 0..10_000 {
        let rank = 2 + random.below(3);
        let names = ["A", "B", "C", "D"];
        let mut parts: Vec<Mapping> = (0..rank)
            .map(|at| padded_axis(&mut random, names[usize::try_from(at).unwrap()]))
            .collect();
        if random.below(4) == 0 {
            let at = usize::try_from(random.below(rank)).unwrap();
            parts.insert(at, Mapping::broadcast(2).unwrap());
        }
        let buffer = Mapping::product(&parts).unwrap();
        let begin = usize::try_from(random.below(rank)).unwrap();
        let rest = parts.len() - begin;
        let end = begin + 1 + usize::try_from(random.below(rest as u64)).unwrap();
        let axis = Mapping::product(&parts[begin..end]).unwrap();
        if !axis.axes().is_empty() && axis.size() > 1 {
            assert!(judge(&buffer, &axis), "{axis:?} in {buffer:?}");
            found += u32::from(find_axis(buffer.form(), axis.form()).is_ok());
        }
        for own in buffer.axes() {
            assert!(judge(&buffer, &Mapping::axis(own)), "{buffer:?}");
        }
    }
    assert!(found > 8_000, "only {found} were found");
}

/// The buffer cut at a divisor and joined again, and axes that are not in it, in another order, or with other padding.
#[test]
fn axes_are_found_in_cut_and_foreign_layouts() {
    let mut random = Random::new(0xF527_6A21_05DE_C8BB);
    let (mut found, mut undecided, mut missing) = (0, 0, 0);
    for _ in 0..10_000 {
        let rank = 2 + random.below(3);
        let names = ["A", "B", "C", "D"];
        let parts: Vec<Mapping> = (0..rank)
            .map(|at| padded_axis(&mut random, names[usize::try_from(at).unwrap()]))
            .collect();
        let base = Mapping::product(&parts).unwrap();
        let cut = divisor(&mut random, base.size());
        let buffer = base
            .stride(cut)
            .unwrap()
            .pair(&base.modulo(cut).unwrap())
            .unwrap();
        let at = usize::try_from(random.below(rank)).unwrap();
        let mut picked = vec![parts[at].clone()];
        match random.below(5) {
            0 => picked.extend(parts.get(at + 1).cloned()),
            1 => picked.extend(parts.get(at + 2).cloned()),
            2 => picked = vec![padded_axis(&mut random, "Z")],
            3 => picked = vec![padded_axis(&mut random, names[at])],
            _ => {}
        }
        if random.below(5) == 0 {
            picked.reverse();
        }
        let axis = Mapping::product(&picked).unwrap();
        if judge(&buffer, &axis) {
            let is_found = find_axis(buffer.form(), axis.form()).is_ok();
            found += u32::from(is_found);
            missing += u32::from(!is_found);
        } else {
            undecided += 1;
        }
    }
    assert!(
        found > 3_000 && missing > 1_000 && undecided < 500,
        "{found} found, {missing} missing, {undecided} withheld"
    );
}

const LAYOUTS: Shape = Shape {
    axes: &[("A", 8), ("B", 3), ("C", 4), ("D", 6)],
    size_limit: 512,
    composites: false,
    kinds: true,
};

fn positions(form: &Form) -> Vec<Cell> {
    let function = form.function();
    (0..form.size()).map(|at| function.cell_at(at)).collect()
}

#[test]
fn windows_keep_the_first_positions_of_their_axis() {
    let mut random = Random::new(0x1357_2468_ACE0_BDF9);
    let mut judged = 0;
    while judged < 10_000 {
        let depth = 1 + random.below(3);
        let mapping = LAYOUTS.clear_expression(&mut random, depth);
        let stride = divisor(&mut random, mapping.size());
        let size = divisor(&mut random, mapping.size() / stride);
        let length = 1 + random.below(size);
        let kinds = [PaddingKind::Top, PaddingKind::Bottom, PaddingKind::Zero];
        let kind = random.pick(&kinds);
        let windowed = window_axis(mapping.form(), stride, size, length, kind).unwrap();
        assert_eq!(windowed.size(), mapping.size());
        let (above, inside) = mapping.form().split_at(stride * size).unwrap();
        let (axis, below) = inside.split_at(stride).unwrap();
        // Where the parts of a group meet again, nothing says which of them is padding.
        if [&windowed, &above, &axis, &below]
            .iter()
            .any(|form| form.has_composites())
        {
            continue;
        }
        if repeats_axes(mapping.form()) {
            continue;
        }
        judged += 1;
        let (above, axis, below) = (positions(&above), positions(&axis), positions(&below));
        let found = positions(&windowed);
        for (at, cell) in (0_u64..).zip(&found) {
            let part = |cells: &[Cell], at: u64| cells[usize::try_from(at).unwrap()].clone();
            let place = at / stride % size;
            let middle = if place < length {
                part(&axis, place)
            } else {
                Cell::Padding(kind)
            };
            let parts = [
                part(&above, at / (stride * size)),
                middle,
                part(&below, at % stride),
            ];
            // Left first.
            match parts.iter().find(|part| matches!(part, Cell::Padding(_))) {
                Some(padding) => assert_eq!(cell, padding, "{mapping:?} at {at}"),
                None if place < length => {
                    assert_eq!(*cell, mapping.cell_at(at), "{mapping:?} at {at}");
                }
                None => panic!("{mapping:?} at {at}"),
            }
        }
    }
}

#[test]
fn what_is_left_without_an_axis_is_the_buffer_at_its_first_value() {
    let mut random = Random::new(0x0246_8ACE_1357_9BDF);
    let mut judged = 0;
    while judged < 10_000 {
        let parts: Vec<Mapping> = ["A", "B", "C", "D"]
            .into_iter()
            .take(2 + usize::try_from(random.below(3)).unwrap())
            .map(|name| padded_axis(&mut random, name))
            .collect();
        let buffer = Mapping::product(&parts).unwrap();
        let axis = random.pick(&parts);
        let Ok(stride) = find_axis(buffer.form(), axis.form()) else {
            panic!("{axis:?} in {buffer:?}");
        };
        let left = remove_axis(buffer.form(), axis.form()).unwrap();
        assert_eq!(left.size(), buffer.size() / axis.size());
        for (at, cell) in (0_u64..).zip(positions(&left)) {
            let (outer, inner) = (at / stride, at % stride);
            let place = outer * stride * axis.size() + inner;
            assert_eq!(
                cell,
                buffer.cell_at(place),
                "{axis:?} of {buffer:?} at {at}"
            );
        }
        judged += 1;
    }
}

#[test]
fn slots_hold_the_positions_of_their_mapping() {
    let mut random = Random::new(0x1111_2222_3333_4444);
    let mut judged = 0;
    while judged < 10_000 {
        let depth = 1 + random.below(4);
        let mapping = LAYOUTS.clear_expression(&mut random, depth);
        let Some(slots) = slots(mapping.form()) else {
            assert!(!mapping.size().is_power_of_two());
            continue;
        };
        judged += 1;
        assert_eq!(1 << slots.len(), mapping.size());
        for (at, slot) in slots.iter().rev().enumerate() {
            assert_eq!(slot.size(), 2);
            for step in 0..2 {
                let possible = mapping.cells_at(step << at);
                assert!(possible.contains(&slot.cell_at(step)), "{mapping:?}: {at}");
            }
        }
        let copies = (0..mapping.size()).all(|at| mapping.cell_at(at) == mapping.cell_at(0));
        assert_eq!(mapping.form().is_broadcast(), copies, "{mapping:?}");
    }
}
