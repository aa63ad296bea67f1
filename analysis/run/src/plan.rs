//! Moves as lists of wheels: which element of a source each element of a target takes.
//!
//! A plan has no values. Its wheels come from the digits of both mappings; where those do not part evenly, each element's place is
//! listed. Tests compare both with the index function.

use rustc_hash::FxHashMap;
use visa_arrays::Bits;

use crate::mapping::Axis;

use super::space::{Over, Place, Space};

/// Steps that two memories take together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wheel {
    /// How many.
    pub(super) count: usize,
    /// Elements of the target a step.
    pub(super) target: usize,
    /// Elements of the source a step; 0 where all take the same.
    pub(super) source: usize,
    /// Whether the steps are copies of an element that the source has once.
    pub(super) copies: bool,
}

/// One element of a target, and the one of the source that it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    /// The element of the target.
    pub(super) target: usize,
    /// The element of the source.
    pub(super) source: usize,
    /// Whether it is a copy of one that the source has once.
    pub(super) is_copy: bool,
}

/// A move.
#[derive(Debug, Clone)]
pub(super) enum Plan {
    /// Wheels, outermost first, from a first element of each side.
    Wheels {
        /// The first element of the target.
        target: usize,
        /// The first element of the source.
        source: usize,
        /// The wheels.
        wheels: Vec<Wheel>,
    },
    /// Each element by itself.
    Listed(Vec<Pair>),
}

/// The reason that a move has no plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoPlan {
    /// The target lacks an axis of the source: one copy of many would be chosen.
    LostAxis(Axis),
    /// The target names elements that the source lacks.
    Missing,
    /// More elements than a memory has.
    TooLarge,
}

/// A digit of a driver in parts, each with its step in other spaces.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// The number of the driver's digit that it is of.
    pub(super) place: usize,
    /// How many steps.
    pub(super) count: usize,
    /// Elements of the driver a step.
    pub(super) stride: usize,
    /// Elements of each other space a step; `None` where that space lacks it.
    pub(super) others: Vec<Option<usize>>,
}

/// The digits of an axis in a space.
fn digits_of<'a>(space: &'a Space, axis: &Axis) -> impl Iterator<Item = &'a Place> {
    let number = space.axis_number(axis);
    let own = space.places.iter();
    own.filter(move |place| number.is_some_and(|number| place.over == Over::Axis(number)))
}

/// The live positions of a driver in parts that lie in one digit of each other space; outermost first. `None` where digits do not
/// part evenly, so that each position needs a look of its own.
pub(super) fn parts(driver: &Space, others: &[&Space]) -> Option<Vec<Part>> {
    if driver.is_opaque || driver.is_ragged || others.iter().any(|other| other.is_opaque) {
        return None;
    }
    let mut parts = Vec::new();
    for (number, place) in driver.places.iter().enumerate() {
        let axis = match place.over {
            Over::Axis(axis) => driver.axes.get(axis)?,
            Over::Number => {
                parts.push(Part {
                    place: number,
                    count: usize::try_from(place.live).ok()?,
                    stride: place.stride,
                    others: vec![None; others.len()],
                });
                continue;
            }
            Over::Padding => continue,
        };
        split(number, place, axis, others, &mut parts)?;
    }
    Some(parts)
}

fn split(
    number: usize,
    place: &Place,
    axis: &Axis,
    others: &[&Space],
    parts: &mut Vec<Part>,
) -> Option<()> {
    let end = place.step.checked_mul(place.live)?;
    let mut cuts = vec![place.step, end];
    for other in others {
        for digit in digits_of(other, axis) {
            let whole = digit.step.checked_mul(digit.modulo)?;
            for cut in [digit.step, whole] {
                if cut > place.step && cut < end {
                    cuts.push(cut);
                }
            }
        }
    }
    cuts.sort_unstable();
    cuts.dedup();
    let mut own = Vec::new();
    for pair in cuts.windows(2) {
        let &[from, to] = pair else {
            return None;
        };
        if from % place.step != 0 || to % from != 0 {
            return None;
        }
        let mut steps = Vec::with_capacity(others.len());
        for other in others {
            steps.push(step_in(other, axis, from, to)?);
        }
        own.push(Part {
            place: number,
            count: usize::try_from(to / from).ok()?,
            stride: place
                .stride
                .checked_mul(usize::try_from(from / place.step).ok()?)?,
            others: steps,
        });
    }
    parts.extend(own.into_iter().rev());
    Some(())
}

/// The step in a space of values of an axis from `from` below `to`: `Some(None)` where the space lacks them.
#[allow(
    clippy::option_option,
    reason = "the outer one says that there is no even step, the inner one that there is none at all"
)]
fn step_in(space: &Space, axis: &Axis, from: u64, to: u64) -> Option<Option<usize>> {
    for digit in digits_of(space, axis) {
        let end = digit.step.checked_mul(digit.modulo)?;
        if digit.step >= to || end <= from {
            continue;
        }
        if !from.is_multiple_of(digit.step) || digit.step > from || end < to {
            return None;
        }
        // What a tile cut off is not there.
        if to.div_ceil(digit.step) > digit.live.max(1) && digit.live < digit.modulo {
            return None;
        }
        let steps = usize::try_from(from / digit.step).ok()?;
        return Some(Some(digit.stride.checked_mul(steps)?));
    }
    Some(None)
}

/// The plan of a move: each element of the target takes the one of the source with the same coordinates.
///
/// # Errors
/// [`NoPlan`], where the elements of the source do not say what the target's are.
pub(super) fn plan(target: &Space, source: &Space) -> Result<Plan, NoPlan> {
    check_axes(target, source)?;
    let plan = match parts(target, &[source]) {
        Some(parts) => wheels(target, source, &parts),
        None => Plan::Listed(listed(target, source)?),
    };
    #[cfg(debug_assertions)]
    proof::prove(&plan, target, source);
    Ok(plan)
}

/// An axis of the source that the target lacks is an error.
fn check_axes(target: &Space, source: &Space) -> Result<(), NoPlan> {
    if source.is_opaque || target.is_opaque {
        return Ok(());
    }
    for place in &source.places {
        if let Over::Axis(axis) = place.over
            && place.live > 1
            && let Some(axis) = source.axes.get(axis)
            && digits_of(target, axis).next().is_none()
        {
            return Err(NoPlan::LostAxis(axis.clone()));
        }
    }
    Ok(())
}

/// The numbers of a space, to be matched with those of another one.
fn numbers(space: &Space) -> Vec<u64> {
    let own = space.places.iter();
    own.filter(|place| place.over == Over::Number)
        .map(|place| place.live)
        .collect()
}

fn wheels(target: &Space, source: &Space, parts: &[Part]) -> Plan {
    let mut known = numbers(source);
    let mut wheels: Vec<Wheel> = Vec::new();
    for part in parts.iter().filter(|part| part.count > 1) {
        let step = part.others.first().copied().flatten();
        let is_number = target
            .places
            .get(part.place)
            .is_some_and(|place| place.over == Over::Number);
        let mut is_known = || {
            let count = u64::try_from(part.count).unwrap_or(u64::MAX);
            let found = known.iter().position(|known| *known == count);
            found.map(|at| known.swap_remove(at)).is_some()
        };
        wheels.push(Wheel {
            count: part.count,
            target: part.stride,
            source: step.unwrap_or(0),
            copies: step.is_none() && !(is_number && is_known()),
        });
    }
    Plan::Wheels {
        target: target.offset,
        source: source.offset,
        wheels: joined(wheels),
    }
}

/// Wheels of which the outer one goes on where the inner one ends are one.
pub(super) fn joined(wheels: Vec<Wheel>) -> Vec<Wheel> {
    let mut joined: Vec<Wheel> = Vec::with_capacity(wheels.len());
    for wheel in wheels {
        match joined.last_mut() {
            Some(outer)
                if outer.target == wheel.target * wheel.count
                    && outer.source == wheel.source * wheel.count
                    && outer.copies == wheel.copies =>
            {
                *outer = Wheel {
                    count: outer.count * wheel.count,
                    ..wheel
                };
            }
            _ => joined.push(wheel),
        }
    }
    joined
}

/// Positions that are listed one by one at most.
const MOST_LISTED: usize = 1 << 27;

/// Each element by itself: by the digits where those say what positions hold, else by the index function.
fn listed(target: &Space, source: &Space) -> Result<Vec<Pair>, NoPlan> {
    if target.positions() > MOST_LISTED || source.positions() > MOST_LISTED {
        return Err(NoPlan::TooLarge);
    }
    if target.is_opaque || source.is_opaque {
        return by_function(target, source);
    }
    let mut pairs = Vec::new();
    let lookup = Lookup::new(target, source);
    let mut is_missing = false;
    let mut known = numbers(source);
    let copies: Vec<bool> = target
        .places
        .iter()
        .map(|place| {
            let found = known.iter().position(|known| *known == place.live);
            let is_number = place.over == Over::Number;
            is_number && found.map(|at| known.swap_remove(at)).is_none()
        })
        .collect();
    each_live(target, |place, values, steps| match lookup.find(values) {
        Some((found, is_partial)) => {
            let is_number = copies
                .iter()
                .zip(steps)
                .any(|(copies, step)| *copies && *step > 0);
            pairs.push(Pair {
                target: place,
                source: found,
                is_copy: is_partial || is_number,
            });
        }
        None => is_missing = true,
    });
    if is_missing {
        return Err(NoPlan::Missing);
    }
    Ok(pairs)
}

/// The place in a space of coordinates that are numbered as another space's axes.
pub(super) struct Lookup {
    /// The other space's number of the axis, step, modulo, live positions, stride.
    digits: Vec<(Option<usize>, u64, u64, u64, usize)>,
    offset: usize,
    axes: Vec<Option<usize>>,
    axis_count: usize,
}

impl Lookup {
    /// Prepares a space for coordinates as `driver` numbers them.
    pub(super) fn new(driver: &Space, space: &Space) -> Self {
        let axes: Vec<Option<usize>> = space
            .axes
            .iter()
            .map(|axis| driver.axis_number(axis))
            .collect();
        let digits = space.places.iter().filter_map(|place| match place.over {
            Over::Axis(axis) => Some((
                axes.get(axis).copied().flatten(),
                place.step,
                place.modulo,
                place.live,
                place.stride,
            )),
            Over::Number | Over::Padding => None,
        });
        Self {
            digits: digits.collect(),
            offset: space.offset,
            axis_count: driver.axes.len(),
            axes,
        }
    }

    /// The place of the element with those coordinates, and whether coordinates are left that the space does not tell apart; `None`
    /// where it holds no such element.
    pub(super) fn find(&self, values: &[u64]) -> Option<(usize, bool)> {
        let mut place = self.offset;
        let mut told: [u64; 16] = [0; 16];
        for (axis, step, modulo, live, stride) in &self.digits {
            let Some(axis) = *axis else {
                continue;
            };
            let value = values.get(axis).copied().unwrap_or(0);
            let digit = value / step % modulo;
            if digit >= *live {
                return None;
            }
            place += usize::try_from(digit).ok()? * stride;
            if let Some(told) = told.get_mut(axis) {
                *told += digit * step;
            }
        }
        let is_partial = values.iter().zip(told).any(|(value, told)| *value != told)
            || self.axis_count > told.len()
            || self.axes.len() > told.len();
        Some((place, is_partial))
    }
}

/// Visits the live positions of a space in order: the place in memory, the value of each axis, the step of each digit.
pub(super) fn each_live(space: &Space, mut visit: impl FnMut(usize, &[u64], &[u64])) {
    let places = &space.places;
    let mut steps = vec![0_u64; places.len()];
    let mut values = vec![0_u64; space.axes.len()];
    let mut place = space.offset;
    loop {
        let inside = values
            .iter()
            .zip(&space.axes)
            .all(|(value, axis)| *value < axis.size());
        if inside {
            visit(place, &values, &steps);
        }
        // The innermost digit that has a step left goes on, those inside of it begin again.
        let mut at = places.len();
        loop {
            let Some(before) = at.checked_sub(1) else {
                return;
            };
            at = before;
            let (Some(digit), Some(step)) = (places.get(at), steps.get_mut(at)) else {
                return;
            };
            let value = match digit.over {
                Over::Axis(axis) => values.get_mut(axis),
                Over::Number | Over::Padding => None,
            };
            if *step + 1 < digit.live {
                *step += 1;
                place += digit.stride;
                if let Some(value) = value {
                    *value += digit.step;
                }
                break;
            }
            place -= usize::try_from(*step).unwrap_or(0) * digit.stride;
            if let Some(value) = value {
                *value -= *step * digit.step;
            }
            *step = 0;
        }
    }
}

/// Which elements of a memory of so many are live positions of a space.
pub(super) fn live_places(space: &Space, length: usize) -> Bits {
    let mut live = Bits::all_clear(length);
    match space.places.last() {
        Some(last) if last.stride == 1 && !space.is_ragged => {
            let run = usize::try_from(last.live).unwrap_or(usize::MAX);
            each_live(&space.without_innermost(), |at, _, _| {
                live.put_run(at, run, true);
            });
        }
        _ => each_live(space, |at, _, _| live.put(at, true)),
    }
    live
}

/// Each element by the index function of both sides.
fn by_function(target: &Space, source: &Space) -> Result<Vec<Pair>, NoPlan> {
    let (Some(to), Some(from)) = (target.function(), source.function()) else {
        return Err(NoPlan::TooLarge);
    };
    let mut places: FxHashMap<Vec<u64>, usize> = FxHashMap::default();
    for position in 0..source.positions() {
        if let Some(values) = from.values(position) {
            places
                .entry(values)
                .or_insert_with(|| source.memory_place(position));
        }
    }
    let numbers: Vec<Option<usize>> = from
        .axes
        .iter()
        .map(|axis| to.axes.iter().position(|own| own == axis))
        .collect();
    let lost = from
        .axes
        .iter()
        .zip(&numbers)
        .find(|(_, number)| number.is_none());
    if let Some((axis, _)) = lost {
        return Err(NoPlan::LostAxis(axis.clone()));
    }
    let mut pairs = Vec::new();
    let mut first_use: FxHashMap<usize, ()> = FxHashMap::default();
    for position in 0..target.positions() {
        let Some(values) = to.values(position) else {
            continue;
        };
        let asked: Vec<u64> = numbers
            .iter()
            .map(|number| {
                number
                    .and_then(|number| values.get(number))
                    .copied()
                    .unwrap_or(0)
            })
            .collect();
        let place = places.get(&asked).ok_or(NoPlan::Missing)?;
        pairs.push(Pair {
            target: target.memory_place(position),
            source: *place,
            is_copy: first_use.insert(*place, ()).is_some(),
        });
    }
    Ok(pairs)
}

/// The proof of a plan: the index function says the same of each element.
#[cfg(debug_assertions)]
mod proof {
    use super::{Lookup, Plan, Space, each_live};

    use std::cell::RefCell;
    use std::hash::{Hash, Hasher};

    use rustc_hash::{FxHashSet, FxHasher};

    /// Elements that are looked at.
    const MOST: usize = 4_096;

    thread_local! {
        /// Pairs of spaces that were proven before.
        static PROVEN: RefCell<FxHashSet<u64>> = RefCell::default();
    }

    /// Whether a pair of spaces is met for the first time on this thread.
    fn is_new(target: &Space, source: &Space) -> bool {
        let mut hasher = FxHasher::default();
        format!("{target:?} {source:?}").hash(&mut hasher);
        PROVEN.with_borrow_mut(|proven| proven.insert(hasher.finish()))
    }

    /// Compares a plan with the digits' own function where the plan is made of wheels.
    pub(super) fn prove(plan: &Plan, target: &Space, source: &Space) {
        let Plan::Wheels { .. } = plan else {
            return;
        };
        if target.positions() > MOST || !is_new(target, source) {
            return;
        }
        let mut planned = Vec::new();
        super::each_pair(plan, |pair| planned.push((pair.target, pair.source)));
        planned.sort_unstable();
        let lookup = Lookup::new(target, source);
        let mut looked_up = Vec::new();
        each_live(target, |place, values, _| {
            looked_up.extend(lookup.find(values).map(|(found, _)| (place, found)));
        });
        looked_up.sort_unstable();
        assert_eq!(planned, looked_up, "a plan of wheels and its digits differ");
        by_function(target, &planned, source);
    }

    fn by_function(target: &Space, planned: &[(usize, usize)], source: &Space) {
        if target.levels.is_empty() || source.levels.is_empty() {
            return;
        }
        let Some(cells) = target.function() else {
            return;
        };
        let live: std::collections::BTreeSet<usize> = (0..target.positions())
            .filter(|position| cells.values(*position).is_some())
            .map(|position| target.memory_place(position))
            .collect();
        let places: std::collections::BTreeSet<usize> =
            planned.iter().map(|(place, _)| *place).collect();
        assert_eq!(live, places, "a plan and the index function differ");
        let (Some(from), true) = (source.function(), source.positions() <= MOST) else {
            return;
        };
        let by_place: rustc_hash::FxHashMap<usize, Vec<u64>> = (0..source.positions())
            .filter_map(|position| Some((source.memory_place(position), from.values(position)?)))
            .collect();
        let to: rustc_hash::FxHashMap<usize, Vec<u64>> = (0..target.positions())
            .filter_map(|position| Some((target.memory_place(position), cells.values(position)?)))
            .collect();
        for (place, taken) in planned {
            let (Some(wanted), Some(found)) = (to.get(place), by_place.get(taken)) else {
                continue;
            };
            for (axis, value) in from.axes.iter().zip(found) {
                let at = cells.axes.iter().position(|own| own == axis);
                let asked = at.and_then(|at| wanted.get(at)).copied().unwrap_or(0);
                // A source that has a part of an axis tells that part only.
                assert!(*value <= asked, "an element is taken from another place");
            }
        }
    }
}

/// Visits the pairs of a plan.
pub(super) fn each_pair(plan: &Plan, mut visit: impl FnMut(Pair)) {
    match plan {
        Plan::Listed(pairs) => pairs.iter().copied().for_each(visit),
        Plan::Wheels {
            target,
            source,
            wheels,
        } => {
            let mut steps = vec![0_usize; wheels.len()];
            let mut pair = Pair {
                target: *target,
                source: *source,
                is_copy: false,
            };
            loop {
                pair.is_copy = wheels
                    .iter()
                    .zip(&steps)
                    .any(|(wheel, step)| wheel.copies && *step > 0);
                visit(pair);
                let mut at = wheels.len();
                loop {
                    let Some(before) = at.checked_sub(1) else {
                        return;
                    };
                    at = before;
                    let (wheel, step) = (wheels[at], &mut steps[at]);
                    if *step + 1 < wheel.count {
                        *step += 1;
                        pair.target += wheel.target;
                        pair.source += wheel.source;
                        break;
                    }
                    pair.target -= *step * wheel.target;
                    pair.source -= *step * wheel.source;
                    *step = 0;
                }
            }
        }
    }
}
