//! Redistributions: chips and clusters take what others hold, or a part of an axis each.

use crate::items::Span;
use crate::kernel::{Collective, Level, OperationId, Parts, RedistributionStep};
use crate::mapping::{Cell, Mapping};

use super::cells::Copies;
use super::halt::{Halt, Step};
use super::machine::Machine;
use super::space::{Over, Space};

/// What one unit of the target takes.
struct Taken {
    /// The unit of each level that it takes from.
    units: Vec<(Level, u64)>,
    /// The position of each axis that it takes.
    windows: Vec<(Mapping, u64)>,
}

impl Machine<'_> {
    /// Carries out the steps of a redistribution, unit by unit.
    pub(super) fn redistribute(
        &mut self,
        id: OperationId,
        collective: &Collective,
        steps: &[RedistributionStep],
    ) -> Step<()> {
        let place = collective.span;
        let (Some(source), Some(target)) = (collective.sources.first(), collective.targets.first())
        else {
            return Err(Halt::refused(
                place,
                "the tensors of a redistribution are not known",
            ));
        };
        let source = self.source(*source)?;
        let (view, mut cells) = self.target(id, *target, place)?;
        let own;
        let from = match self.memory.store(source.root) {
            Some(from) => from,
            None => {
                own = cells.clone();
                &own
            }
        };
        let mut levels: Vec<Level> = steps.iter().map(|step| parts_of(step).level).collect();
        levels.sort_unstable();
        levels.dedup();
        for units in units_of(&view.space, &levels) {
            let taken = taken(steps, &units, place)?;
            let Some(to) = at_units(&view.space, &units) else {
                continue;
            };
            let part = at_units(&source.space, &taken.units);
            let mut part = part.ok_or_else(|| {
                Halt::refused(
                    place,
                    "a redistribution takes from a part that holds no data",
                )
            })?;
            for (index, position) in &taken.windows {
                part = at_position(&part, index, *position).ok_or_else(|| {
                    Halt::fault(
                        place,
                        format!("position {position} of `{index}` is not in the source"),
                    )
                })?;
            }
            self.move_cells((&to, &mut cells), (&part, from), Copies::Made, place)?;
        }
        self.put_back(&view, cells, (place, collective.method), &[source.root]);
        Ok(())
    }
}

const fn parts_of(step: &RedistributionStep) -> &Parts {
    match step {
        RedistributionStep::Shuffle(parts) | RedistributionStep::Slice { parts, .. } => parts,
    }
}

/// The units of some levels, each with its number.
fn units_of(space: &Space, levels: &[Level]) -> Vec<Vec<(Level, u64)>> {
    let mut all: Vec<Vec<(Level, u64)>> = vec![Vec::new()];
    for level in levels {
        let size = space
            .mapping(*level)
            .map_or(1, |mapping| mapping.form().size());
        all = all
            .iter()
            .flat_map(|units| {
                (0..size).map(move |number| {
                    let mut units = units.clone();
                    units.push((*level, number));
                    units
                })
            })
            .collect();
    }
    all
}

/// What a unit of the target takes, from the last step back to the first.
fn taken(steps: &[RedistributionStep], units: &[(Level, u64)], place: Span) -> Step<Taken> {
    let mut taken = Taken {
        units: units.to_vec(),
        windows: Vec::new(),
    };
    for step in steps.iter().rev() {
        let parts = parts_of(step);
        let unit = taken
            .units
            .iter_mut()
            .find(|(level, _)| *level == parts.level);
        let Some((_, unit)) = unit else {
            continue;
        };
        let pattern = parts.pattern.get();
        let at = usize::try_from(*unit).ok();
        let value = pattern
            .zip(at)
            .and_then(|(pattern, at)| pattern.get(at).copied().flatten());
        let value = value.ok_or_else(|| {
            Halt::refused(place, "what a part of a redistribution takes is not known")
        })?;
        match step {
            RedistributionStep::Shuffle(_) => *unit = value,
            RedistributionStep::Slice { index, .. } => {
                let index = index.get().ok_or_else(|| {
                    Halt::refused(place, "the axis of a redistribution is not known")
                })?;
                taken.windows.push((index.clone(), value));
            }
        }
    }
    Ok(taken)
}

/// The part of a space at some units; `None` where a unit holds no data.
fn at_units(space: &Space, units: &[(Level, u64)]) -> Option<Space> {
    let mut part = space.clone();
    for (wanted, number) in units {
        let at = part.levels.iter().position(|own| own.level == *wanted)?;
        let level = part.levels.get(at)?;
        if !matches!(level.mapping.form().cell_at(*number), Cell::Index(_)) {
            return None;
        }
        part.offset += usize::try_from(*number).ok()?.checked_mul(level.stride)?;
        part.places.retain(|place| place.level != at);
    }
    part.levels.clear();
    Some(part)
}

/// The part of a space at a position of an axis; `None` where it does not have it.
fn at_position(space: &Space, index: &Mapping, position: u64) -> Option<Space> {
    let Cell::Index(cell) = index.form().cell_at(position) else {
        return None;
    };
    let axes = index.form().axes();
    let mut part = space.clone();
    let mut offset = Some(part.offset);
    part.places.retain(|place| {
        let Over::Axis(number) = place.over else {
            return true;
        };
        let Some(axis) = space.axes.get(number).filter(|axis| axes.contains(*axis)) else {
            return true;
        };
        // A part of the axis that the index does not count stays.
        let is_counted = index.form().digits().iter().any(|digit| {
            digit.is_part_of(axis.name())
                && digit.term.as_ref().is_some_and(|term| {
                    let end = term.stride.saturating_mul(term.modulo);
                    term.stride <= place.step && place.step < end
                })
        });
        if !is_counted {
            return true;
        }
        let step = cell.value(axis.name()) / place.step % place.modulo;
        offset = offset.and_then(|offset| {
            let own = usize::try_from(step).ok().filter(|_| step < place.live)?;
            offset.checked_add(own.checked_mul(place.stride)?)
        });
        false
    });
    part.offset = offset?;
    part.levels.clear();
    Some(part)
}
