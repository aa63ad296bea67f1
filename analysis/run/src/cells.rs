//! The elements of a tensor or stream: values, which of them the device is sure to hold, and where undefined ones come from.

use visa_arrays::{Array, Bits, ElementKind, Stored, with_elements};

use super::plan::{Pair, Plan, Wheel, each_pair, joined};

/// The number of an origin; 0 is none.
pub(super) type OriginId = u32;

/// Elements in the order of their memory.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    /// The values as the library's CPU back end has them.
    pub(super) array: Array,
    /// Which elements the device is sure to hold; none where it is all.
    pub(super) defined: Option<Bits>,
    /// Where each undefined element comes from, in a run that keeps it.
    pub(super) origins: Option<Vec<OriginId>>,
    /// Whether a value follows from a function in which machines differ.
    pub(super) approximate: bool,
}

impl Cells {
    /// Zeros of which the device holds none. `origin` is kept where origins are.
    pub(super) fn undefined(kind: ElementKind, length: usize, origin: Option<OriginId>) -> Self {
        Self {
            array: Array::zeros(kind, length),
            defined: Some(Bits::all_clear(length)),
            origins: origin.map(|origin| vec![origin; length]),
            approximate: false,
        }
    }

    /// Values that the device holds.
    pub(super) fn defined(array: Array) -> Self {
        Self {
            array,
            defined: None,
            origins: None,
            approximate: false,
        }
    }

    /// Other values in the place of these.
    pub(super) fn with_array(&self, array: Array) -> Self {
        Self {
            array,
            defined: self.defined.clone(),
            origins: self.origins.clone(),
            approximate: self.approximate,
        }
    }

    /// How many elements there are.
    pub(super) fn len(&self) -> usize {
        self.array.len()
    }

    /// Whether the device is sure to hold an element.
    #[inline]
    pub(super) fn is_defined(&self, place: usize) -> bool {
        self.defined.as_ref().is_none_or(|bits| bits.is_set(place))
    }

    /// The origin of an undefined element.
    pub(super) fn origin(&self, place: usize) -> OriginId {
        let origins = self.origins.as_ref();
        origins
            .and_then(|origins| origins.get(place))
            .copied()
            .unwrap_or(0)
    }

    /// The bits, made where there are none.
    pub(super) fn bits_mut(&mut self) -> &mut Bits {
        let length = self.array.len();
        self.defined.get_or_insert_with(|| Bits::all_set(length))
    }

    /// Says that an element is undefined, with its origin where origins are kept.
    pub(super) fn undefine(&mut self, place: usize, origin: OriginId) {
        self.bits_mut().put(place, false);
        self.put_origin(place, origin);
    }

    /// Keeps the origin of an element, where origins are kept.
    pub(super) fn put_origin(&mut self, place: usize, origin: OriginId) {
        if origin == 0 {
            return;
        }
        let length = self.array.len();
        let origins = self.origins.get_or_insert_with(|| vec![0; length]);
        if let Some(own) = origins.get_mut(place) {
            *own = origin;
        }
    }

    /// Drops the bits where all are set.
    pub(super) fn settle(&mut self) {
        if self.defined.as_ref().is_some_and(Bits::is_all_set) {
            self.defined = None;
            self.origins = None;
        }
    }
}

/// What becomes of elements that only a claimed copy writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Copies {
    /// The device makes them.
    Made,
    /// It does not: what was there stays. The origins for what was undefined and for what was defined, where those are kept.
    Claimed {
        /// Of an element that held nothing.
        undefined: OriginId,
        /// Of an element that keeps an older value.
        stale: OriginId,
    },
}

/// The reason that a move cannot be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outside;

/// Whether a plan moves just what is there, in order, so that the elements are the same.
pub(super) fn is_identity(plan: &Plan, from: usize, to: usize) -> bool {
    match plan {
        Plan::Wheels {
            target: 0,
            source: 0,
            wheels,
        } => match wheels.as_slice() {
            [] => from == 1 && to == 1,
            [
                Wheel {
                    count,
                    target: 1,
                    source: 1,
                    ..
                },
            ] => *count == from && *count == to,
            _ => false,
        },
        _ => false,
    }
}

/// Carries out a move into elements that exist: values, bits and origins.
///
/// # Errors
/// The plan names elements beyond one of the two.
pub(super) fn carry_out(
    plan: &Plan,
    target: &mut Cells,
    source: &Cells,
    copies: Copies,
) -> Result<(), Outside> {
    let (last_target, last_source) = ends(plan);
    if last_target >= target.len() || last_source >= source.len() {
        return Err(Outside);
    }
    target.approximate |= source.approximate;
    with_elements!(&mut target.array, elements => {
        move_values(plan, elements, &source.array);
    });
    move_bits(plan, target, source, copies);
    Ok(())
}

/// The elements that a move makes of a source: those of a new target of so many elements, of which the ones that the move leaves out are
/// undefined. `origin` is kept for these where origins are.
///
/// # Errors
/// The plan names elements beyond one of the two.
pub(super) fn moved_elements(
    plan: &Plan,
    source: &Cells,
    length: usize,
    origin: Option<OriginId>,
) -> Result<Cells, Outside> {
    if let Some(cells) = whole_move(plan, source, length) {
        return Ok(cells);
    }
    let mut cells = Cells::undefined(source.array.kind(), length, origin);
    carry_out(plan, &mut cells, source, Copies::Made)?;
    cells.settle();
    Ok(cells)
}

/// The elements of a move that writes every element of its target in order, from a source that is defined as a whole: nothing has to be
/// there before. `None` for other moves.
pub(super) fn whole_move(plan: &Plan, source: &Cells, length: usize) -> Option<Cells> {
    let Plan::Wheels {
        target: 0,
        source: first,
        wheels,
    } = plan
    else {
        return None;
    };
    if source.defined.is_some() || source.origins.is_some() || ends(plan).1 >= source.len() {
        return None;
    }
    let mut strides: Vec<(usize, usize)> = wheels
        .iter()
        .map(|wheel| (wheel.target, wheel.count))
        .collect();
    strides.sort_unstable();
    let mut next = 1_usize;
    for (stride, count) in strides {
        if stride != next {
            return None;
        }
        next = next.checked_mul(count)?;
    }
    if next != length {
        return None;
    }
    let mut array = Array::zeros(source.array.kind(), 0);
    with_elements!(&mut array, elements => {
        elements.reserve_exact(length);
        append_moved(elements, wheels, *first, &source.array);
    });
    Some(Cells {
        approximate: source.approximate,
        ..Cells::defined(array)
    })
}

fn append_moved<T: Stored>(target: &mut Vec<T>, wheels: &[Wheel], first: usize, source: &Array) {
    let Some(source) = source.elements::<T>() else {
        return;
    };
    turn(wheels, (0, first), &mut |run: Run| {
        let Run { wheel, around, .. } = run;
        let mut from = run.source;
        for _ in 0..around.count {
            match wheel.source {
                1 => target.extend_from_slice(&source[from..from + wheel.count]),
                0 => target.extend(std::iter::repeat_n(source[from], wheel.count)),
                step => target.extend(source[from..].iter().step_by(step).take(wheel.count)),
            }
            from += around.source;
        }
    });
}

/// The last element of each side that a plan names: target, source.
pub(super) fn ends(plan: &Plan) -> (usize, usize) {
    match plan {
        Plan::Listed(pairs) => {
            let targets = pairs.iter().map(|pair| pair.target);
            let sources = pairs.iter().map(|pair| pair.source);
            (targets.max().unwrap_or(0), sources.max().unwrap_or(0))
        }
        Plan::Wheels {
            target,
            source,
            wheels,
        } => wheels.iter().fold((*target, *source), |(to, from), wheel| {
            let steps = wheel.count.saturating_sub(1);
            (to + steps * wheel.target, from + steps * wheel.source)
        }),
    }
}

fn move_values<T: Stored>(plan: &Plan, target: &mut [T], source: &Array) {
    let Some(source) = source.elements::<T>() else {
        return;
    };
    match plan {
        Plan::Listed(pairs) => {
            for pair in pairs {
                target[pair.target] = source[pair.source];
            }
        }
        Plan::Wheels {
            target: to,
            source: from,
            wheels,
        } => turn(wheels, (*to, *from), &mut |run: Run| {
            move_run(run, target, source);
        }),
    }
}

/// Elements of both sides with one step each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    target: usize,
    source: usize,
    wheel: Wheel,
    /// A second wheel around it.
    around: Wheel,
}

/// A wheel of one step.
const STILL: Wheel = Wheel {
    count: 1,
    target: 0,
    source: 0,
    copies: false,
};

/// Turns all wheels but the two innermost ones, and visits those.
fn turn(wheels: &[Wheel], start: (usize, usize), visit: &mut impl FnMut(Run)) {
    // The order is free: the target is written in order of its memory.
    let mut wheels = wheels.to_vec();
    wheels.sort_by_key(|wheel| std::cmp::Reverse(wheel.target));
    let wheel = wheels.pop().unwrap_or(STILL);
    let around = wheels.pop().unwrap_or(STILL);
    let mut steps = vec![0_usize; wheels.len()];
    let (mut target, mut source) = start;
    loop {
        visit(Run {
            target,
            source,
            wheel,
            around,
        });
        let mut at = wheels.len();
        loop {
            let Some(before) = at.checked_sub(1) else {
                return;
            };
            at = before;
            let wheel = wheels[at];
            if steps[at] + 1 < wheel.count {
                steps[at] += 1;
                target += wheel.target;
                source += wheel.source;
                break;
            }
            target -= steps[at] * wheel.target;
            source -= steps[at] * wheel.source;
            steps[at] = 0;
        }
    }
}

fn move_run<T: Copy>(run: Run, target: &mut [T], source: &[T]) {
    let Run { wheel, around, .. } = run;
    let (mut to, mut from) = (run.target, run.source);
    for _ in 0..around.count {
        match (wheel.target, wheel.source) {
            (1, 1) => {
                target[to..to + wheel.count].copy_from_slice(&source[from..from + wheel.count]);
            }
            (1, 0) => target[to..to + wheel.count].fill(source[from]),
            (1, step) => {
                let taken = source[from..].iter().step_by(step);
                for (own, taken) in target[to..to + wheel.count].iter_mut().zip(taken) {
                    *own = *taken;
                }
            }
            (own_step, step) => {
                for number in 0..wheel.count {
                    target[to + number * own_step] = source[from + number * step];
                }
            }
        }
        to += around.target;
        from += around.source;
    }
}

fn move_bits(plan: &Plan, target: &mut Cells, source: &Cells, copies: Copies) {
    let claims = match copies {
        Copies::Made => false,
        Copies::Claimed { .. } => has_copies(plan),
    };
    if claims || source.origins.is_some() || target.origins.is_some() {
        each_pair(plan, |pair| move_bit(pair, target, source, copies));
        return;
    }
    if source.defined.is_none() && target.defined.is_none() {
        return;
    }
    let bits = target.bits_mut();
    match plan {
        Plan::Listed(pairs) => {
            for pair in pairs {
                bits.put(pair.target, source.is_defined(pair.source));
            }
        }
        Plan::Wheels {
            target: to,
            source: from,
            wheels,
        } => turn(wheels, (*to, *from), &mut |run: Run| {
            move_bit_run(run, bits, source.defined.as_ref());
        }),
    }
}

fn move_bit_run(run: Run, bits: &mut Bits, source: Option<&Bits>) {
    let Run { wheel, around, .. } = run;
    let (mut to, mut from) = (run.target, run.source);
    for _ in 0..around.count {
        match (wheel.target, wheel.source, source) {
            (1, _, None) => bits.put_run(to, wheel.count, true),
            (1, 1, Some(source)) => bits.copy_run(to, source, from, wheel.count),
            (1, 0, Some(source)) => bits.put_run(to, wheel.count, source.is_set(from)),
            (own_step, step, source) => {
                for number in 0..wheel.count {
                    let set = source.is_none_or(|source| source.is_set(from + number * step));
                    bits.put(to + number * own_step, set);
                }
            }
        }
        to += around.target;
        from += around.source;
    }
}

/// Whether the device is sure to hold every element of the source that a plan takes.
pub(super) fn takes_only_defined(plan: &Plan, source: &Cells) -> bool {
    let Some(bits) = &source.defined else {
        return true;
    };
    let Plan::Wheels {
        source: first,
        wheels,
        ..
    } = plan
    else {
        let mut all = true;
        each_pair(plan, |pair| all &= bits.is_set(pair.source));
        return all;
    };
    // Each element once, in the order of the source.
    let taken = wheels.iter().filter(|wheel| wheel.source > 0);
    let mut taken: Vec<Wheel> = taken
        .map(|wheel| Wheel {
            target: wheel.source,
            copies: false,
            ..*wheel
        })
        .collect();
    taken.sort_by_key(|wheel| std::cmp::Reverse(wheel.source));
    let mut all = true;
    turn(&joined(taken), (0, *first), &mut |run: Run| {
        let Run { wheel, around, .. } = run;
        for number in 0..around.count {
            let from = run.source + number * around.source;
            all = all
                && match wheel.source {
                    1 => bits.is_run_set(from, wheel.count),
                    step => (0..wheel.count).all(|number| bits.is_set(from + number * step)),
                };
        }
    });
    all
}

/// Whether a plan has copies of elements that its source has once.
pub(super) fn has_copies(plan: &Plan) -> bool {
    match plan {
        Plan::Listed(pairs) => pairs.iter().any(|pair| pair.is_copy),
        Plan::Wheels { wheels, .. } => wheels.iter().any(|wheel| wheel.copies),
    }
}

fn move_bit(pair: Pair, target: &mut Cells, source: &Cells, copies: Copies) {
    let claimed = match copies {
        Copies::Claimed { undefined, stale } if pair.is_copy => Some((undefined, stale)),
        _ => None,
    };
    match claimed {
        Some((undefined, stale)) => {
            let origin = if target.is_defined(pair.target) {
                stale
            } else {
                undefined
            };
            target.undefine(pair.target, origin);
        }
        None if source.is_defined(pair.source) => {
            if target.defined.is_some() {
                target.bits_mut().put(pair.target, true);
            }
        }
        None => target.undefine(pair.target, source.origin(pair.source)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wheel(count: usize, target: usize, source: usize) -> Wheel {
        Wheel {
            count,
            target,
            source,
            copies: false,
        }
    }

    /// The same move one element at a time.
    fn one_by_one(plan: &Plan, target: &mut Cells, source: &Cells) {
        each_pair(plan, |pair| {
            if let (Array::I32(to), Array::I32(from)) = (&mut target.array, &source.array) {
                to[pair.target] = from[pair.source];
            }
            let set = source.is_defined(pair.source);
            target.bits_mut().put(pair.target, set);
        });
    }

    #[test]
    fn runs_move_what_single_elements_move() {
        let plans = [
            vec![wheel(6, 8, 1), wheel(8, 1, 6)],
            vec![wheel(3, 16, 4), wheel(4, 4, 1), wheel(4, 1, 0)],
            vec![wheel(5, 9, 9), wheel(7, 1, 1)],
            vec![wheel(2, 1, 3), wheel(3, 2, 1)],
            vec![],
        ];
        for wheels in plans {
            let plan = Plan::Wheels {
                target: 1,
                source: 2,
                wheels,
            };
            let mut source = Cells::defined(Array::I32((0..64).collect()));
            for place in (0..64).step_by(3) {
                source.undefine(place, 0);
            }
            let mut fast = Cells::undefined(ElementKind::I32, 64, None);
            let mut slow = fast.clone();
            assert_eq!(carry_out(&plan, &mut fast, &source, Copies::Made), Ok(()));
            one_by_one(&plan, &mut slow, &source);
            assert_eq!(fast.array, slow.array);
            assert_eq!(fast.defined, slow.defined);
        }
    }

    #[test]
    fn a_move_of_a_whole_target_makes_what_single_elements_make() {
        // A transposition, a copy of each element, every second element, one element, and a target with a hole.
        let moves = [
            (48, vec![wheel(6, 8, 1), wheel(8, 1, 6)], true),
            (12, vec![wheel(3, 4, 5), wheel(4, 1, 0)], true),
            (12, vec![wheel(2, 6, 20), wheel(6, 1, 2)], true),
            (1, vec![], true),
            (9, vec![wheel(2, 5, 4), wheel(4, 1, 1)], false),
        ];
        let source = Cells::defined(Array::I32((0..64).collect()));
        for (length, wheels, is_whole) in moves {
            let plan = Plan::Wheels {
                target: 0,
                source: 2,
                wheels,
            };
            let mut slow = Cells::undefined(ElementKind::I32, length, None);
            one_by_one(&plan, &mut slow, &source);
            slow.settle();
            assert_eq!(whole_move(&plan, &source, length).is_some(), is_whole);
            let moved = moved_elements(&plan, &source, length, None).unwrap();
            assert_eq!((moved.array, moved.defined), (slow.array, slow.defined));
        }
    }

    #[test]
    fn only_the_elements_that_a_plan_takes_have_to_be_defined() {
        // Rows of 16 of which the first 12 are taken, every second element, copies of one element, and one element.
        let plans = [
            vec![wheel(3, 12, 16), wheel(12, 1, 1)],
            vec![wheel(4, 4, 16), wheel(4, 1, 2)],
            vec![wheel(8, 1, 0)],
            vec![],
        ];
        for wheels in plans {
            let plan = Plan::Wheels {
                target: 0,
                source: 2,
                wheels,
            };
            for undefined in 0..64 {
                let mut source = Cells::defined(Array::I32(vec![0; 64]));
                source.undefine(undefined, 0);
                let mut takes = false;
                each_pair(&plan, |pair| takes |= pair.source == undefined);
                assert_eq!(takes_only_defined(&plan, &source), !takes, "{undefined}");
            }
        }
    }

    #[test]
    fn a_plan_beyond_an_end_moves_nothing() {
        let plan = Plan::Wheels {
            target: 0,
            source: 0,
            wheels: vec![wheel(4, 1, 1)],
        };
        let source = Cells::defined(Array::I32(vec![7; 3]));
        let mut target = Cells::undefined(ElementKind::I32, 4, None);
        let moved = carry_out(&plan, &mut target, &source, Copies::Made);
        assert_eq!(moved, Err(Outside));
        assert_eq!(target.array, Array::I32(vec![0; 4]));
    }

    #[test]
    fn a_claimed_copy_leaves_what_was_there() {
        let plan = Plan::Wheels {
            target: 0,
            source: 0,
            wheels: vec![Wheel {
                copies: true,
                ..wheel(3, 1, 0)
            }],
        };
        let source = Cells::defined(Array::I32(vec![7]));
        let mut target = Cells::undefined(ElementKind::I32, 3, Some(1));
        target.bits_mut().put(2, true);
        let claimed = Copies::Claimed {
            undefined: 4,
            stale: 5,
        };
        assert_eq!(carry_out(&plan, &mut target, &source, claimed), Ok(()));
        assert_eq!(target.array, Array::I32(vec![7; 3]));
        assert!(target.is_defined(0) && !target.is_defined(1) && !target.is_defined(2));
        assert_eq!((target.origin(1), target.origin(2)), (4, 5));
    }
}
