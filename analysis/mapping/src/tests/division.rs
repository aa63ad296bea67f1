//! Division against the index functions of both sides.

use crate::{
    Answer, Cell, Digit, Division, DivisionMode, Form, Mapping, PaddingKind, divide, divide_span,
    holds_every_element,
};

use super::random::{Random, Shape, is_clear, repeats_axes};
use super::read;

const LAYOUTS: Shape = Shape {
    axes: &[("A", 8), ("B", 12), ("C", 13), ("D", 4)],
    size_limit: 2048,
    composites: true,
    kinds: true,
};

/// A selection of one axis or a small group, as layouts have them.
fn part(random: &mut Random) -> Mapping {
    use PaddingKind::{Bottom, Top, Zero};
    let kind = random.pick(&[Top, Top, Top, Zero, Bottom]);
    match random.below(6) {
        0 => LAYOUTS.expression(random, 3),
        1 => LAYOUTS.axis(random),
        _ => {
            let axis = LAYOUTS.axis(random);
            let axis = if random.below(4) == 0 {
                let padded = axis.size().next_multiple_of(4);
                axis.pad_to(padded, kind).unwrap()
            } else {
                axis
            };
            let outer = super::random::divisor(random, axis.size());
            let strided = axis.stride(outer).unwrap();
            let inner = super::random::divisor(random, strided.size());
            let taken = strided.modulo(inner).unwrap();
            match random.below(4) {
                0 => taken.resize(1 + random.below(taken.size())).unwrap(),
                1 => taken.pad_to(taken.size() + random.below(8), kind).unwrap(),
                _ => taken,
            }
        }
    }
}

fn layout(random: &mut Random) -> Mapping {
    loop {
        let parts: Vec<Mapping> = (0..1 + random.below(4)).map(|_| part(random)).collect();
        let layout = Mapping::product(&parts).unwrap();
        if layout.size() <= LAYOUTS.size_limit && is_clear(&layout) {
            return layout;
        }
    }
}

/// Every combination of steps of the matches, as positions of the dividend and of the divisor.
fn steps(division: &Division) -> Vec<(u64, u64)> {
    let mut steps = vec![(0, 0)];
    for found in &division.matches {
        steps = steps
            .into_iter()
            .flat_map(|(left, right)| {
                (0..found.count).map(move |step| {
                    (
                        left + step * found.dividend_stride,
                        right + step * found.divisor_stride,
                    )
                })
            })
            .collect();
    }
    steps
}

#[test]
fn matches_hold_the_same_elements_on_both_sides() {
    let mut random = Random::new(0x1357_9BDF_0246_8ACE);
    let (mut exact, mut matched) = (0, 0);
    for _ in 0..20_000 {
        let (dividend, divisor) = (layout(&mut random), layout(&mut random));
        let division = divide(dividend.form(), divisor.form(), DivisionMode::Relaxed);
        let strides: Vec<u64> = division.matches.iter().map(|m| m.dividend_stride).collect();
        assert!(
            strides.is_sorted_by(|a, b| a >= b),
            "{dividend:?} by {divisor:?}"
        );
        for (left, right) in steps(&division) {
            assert_eq!(
                dividend.cell_at(left),
                divisor.cell_at(right),
                "{dividend:?} at {left}, {divisor:?} at {right}: {division:#?}"
            );
        }
        matched += division.matches.len();
        if division.exact() {
            exact += 1;
            let held = holds_every_element(dividend.form(), divisor.form());
            assert_eq!(held, Answer::Yes, "{dividend:?} by {divisor:?}");
        }
        assert_eq!(division.dividend_residue.size(), dividend.size());
        assert_eq!(division.divisor_residue.size(), divisor.size());
    }
    assert!(exact > 2_000, "only {exact} exact");
    assert!(matched > 5_000, "only {matched} matches");
}

fn without_matches(form: &Form, mapping: &Mapping) {
    let function = form.function();
    for at in 0..mapping.size() {
        if let Cell::Index(index) = function.cell_at(at) {
            assert_eq!(
                Cell::Index(index),
                mapping.cell_at(at),
                "{mapping:?} at {at}"
            );
        }
    }
}

/// What was there before keeps its kind, and a hole is never accessed.
fn holes_are_marked(residue: &Form, mapping: &Mapping) {
    if repeats_axes(mapping.form()) {
        return;
    }
    let function = residue.function();
    for at in 0..mapping.size() {
        let Cell::Padding(kind) = function.cell_at(at) else {
            continue;
        };
        let known = mapping.cells_at(at).contains(&Cell::Padding(kind));
        assert!(
            known || kind == PaddingKind::Bottom,
            "{mapping:?} at {at}: {kind:?}"
        );
    }
}

#[test]
fn residues_hold_what_did_not_match() {
    let mut random = Random::new(0x0BAD_CAFE_1234_4321);
    for _ in 0..10_000 {
        let (dividend, divisor) = (layout(&mut random), layout(&mut random));
        let division = divide(dividend.form(), divisor.form(), DivisionMode::Strict);
        without_matches(&division.dividend_residue, &dividend);
        without_matches(&division.divisor_residue, &divisor);
        let live = |form: &Form| form.digits().iter().map(|d| d.live).product::<u64>();
        let counts: u64 = division.matches.iter().map(|m| m.count).product();
        let composites = [
            dividend.form(),
            divisor.form(),
            &division.dividend_residue,
            &division.divisor_residue,
        ]
        .iter()
        .any(|form| form.has_composites());
        if !composites {
            holes_are_marked(&division.dividend_residue, &dividend);
            holes_are_marked(&division.divisor_residue, &divisor);
            // Holes take exactly the matched steps away from the divisor.
            assert_eq!(
                live(&division.divisor_residue) * counts,
                live(divisor.form()),
                "{dividend:?} by {divisor:?}"
            );
        }
        let relaxed = divide(dividend.form(), divisor.form(), DivisionMode::Relaxed);
        for residue in [&relaxed.dividend_residue, &relaxed.divisor_residue] {
            let mut paddings = residue.digits().iter().flat_map(Digit::paddings);
            let top = paddings.all(|padding| padding.kind == PaddingKind::Top);
            assert!(top || composites, "{dividend:?} by {divisor:?}");
        }
        // Nothing is left to match.
        let again = divide(
            &division.dividend_residue,
            &division.divisor_residue,
            DivisionMode::Relaxed,
        );
        if !composites {
            assert_eq!(again.matches, [], "{dividend:?} by {divisor:?}");
        }
    }
}

#[test]
fn a_form_divides_itself_and_its_reorderings() {
    let mut random = Random::new(0xFEDC_BA98_7654_3210);
    for _ in 0..10_000 {
        let parts: Vec<Mapping> = (0..1 + random.below(4))
            .map(|_| part(&mut random))
            .collect();
        let whole = Mapping::product(&parts).unwrap();
        let own = divide(whole.form(), whole.form(), DivisionMode::Relaxed);
        assert!(own.exact(), "{whole:?}: {own:#?}");
    }
}

#[test]
fn a_span_keeps_the_first_values_of_its_index() {
    let axes = [("A", 8), ("B", 512), ("C", 6)];
    let read = |text: &str| read::mapping(&axes, text);
    let tile = |of: &str, index: &str, len: u64| {
        let division = divide_span(read(of).form(), read(index).form(), len).unwrap();
        assert!(division.exact(), "{of} by {index}");
        division.dividend_residue
    };
    assert_eq!(&tile("A, B", "B", 2), read("A, B = 2 # 512").form());
    assert_eq!(
        &tile("A, B", "B / 32", 2),
        read("A, B / 32 = 2 # 16, B % 32").form()
    );
    assert_eq!(&tile("A, B", "B / 32", 1), read("A, 1 # 16, B % 32").form());
    assert_eq!(&tile("A, B", "A", 1), read("1 # 8, B").form());
    assert_eq!(&tile("A, B", "A", 8), read("A, B").form());
    assert_eq!(&tile("A, C, B", "C, A", 16), read("A, C = 2 # 6, B").form());
    assert_eq!(
        &tile("A, C, B", "C, A", 4),
        read("A = 4 # 8, 1 # 6, B").form()
    );
    assert_eq!(&tile("A, C, B", "C", 5), read("A, C = 5 # 6, B").form());
    let span =
        |of: &str, index: &str, len: u64| divide_span(read(of).form(), read(index).form(), len);
    assert!(span("A, C", "C, A", 12).is_none(), "12 cuts across A");
    assert!(span("A", "1", 2).is_none());
    assert!(span("A", "A", 0).is_none() && span("A", "A", 9).is_none());
    assert!(span("A", "1", 1).is_some_and(|division| division.exact()));
    assert!(span("A", "C", 2).is_some_and(|division| !division.exact()));
}

#[test]
fn worked_divisions() {
    let axes = [("A", 64), ("F", 15), ("N", 4), ("C", 3), ("H", 8)];
    let read = |text: &str| read::mapping(&axes, text);
    let exact = |dividend: &str, divisor: &str| {
        divide(
            read(dividend).form(),
            read(divisor).form(),
            DivisionMode::Relaxed,
        )
        .exact()
    };
    // Splittings with a common refinement divide each other; a base of 5 and one of 3 do not.
    assert!(exact("A / 8, A % 8", "A / 4, A % 4"));
    assert!(exact("A / 4, A % 4", "A % 8, A / 8"));
    assert!(!exact("F % 5, F / 5", "F % 3, F / 3"));
    // Truncation: the whole axis holds a part of it, a part does not hold the whole.
    assert!(exact("A", "A = 5"));
    assert!(exact("A = 5", "A = 5") && exact("A = 5", "A = 3"));
    assert!(!exact("A = 3", "A = 5") && !exact("A = 5", "A"));
    // Padding never blocks; an empty divisor is always found.
    assert!(exact("A # 128, N", "N # 16, A # 100"));
    assert!(exact("A", "1") && exact("1", "1 # 4"));
    assert!(!exact("1", "A"));
    // Copies that only the divisor has lose nothing.
    assert!(exact("A", "A, 4"));

    let division = divide(
        read("N, C, H").form(),
        read("H / 2, N").form(),
        DivisionMode::Relaxed,
    );
    let found: Vec<_> = division
        .matches
        .iter()
        .map(|m| (m.dividend_stride, m.divisor_stride, m.count))
        .collect();
    // N steps over 3 * 8 positions and is innermost in the divisor; H / 2 steps over two and over the four of N.
    assert_eq!(found, [(24, 1, 4), (2, 4, 4)]);
    assert_eq!(
        &division.dividend_residue,
        read("1 # 4, C, 1 # 4, H % 2").form()
    );
    assert_eq!(&division.divisor_residue, read("1 # 16").form());

    let strict = divide(
        read("N, H # 16").form(),
        read("H").form(),
        DivisionMode::Strict,
    );
    let digit = &strict.dividend_residue.digits()[0];
    let kinds: Vec<_> = digit
        .paddings()
        .iter()
        .map(|p| (p.extent, p.kind))
        .collect();
    assert_eq!(kinds, [(8, PaddingKind::Bottom), (16, PaddingKind::Top)]);
}
