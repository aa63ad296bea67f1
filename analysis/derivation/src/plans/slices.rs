//! Redistributions between chips and clusters: whole clusters that change places, and one value of an axis for each of them.

use crate::hardware::DMA_ALIGNMENT_BYTES;
use crate::items::Span;
use crate::kernel::{
    Body, Collective, Level, Levels, Origin, Parts, RedistributionStep, Tensor, Written,
};
use crate::mapping::{Answer, Cell, Form, Mapping, PaddingKind, equal_forms};

use super::regions::{Region, RegionFault, region_without_axis};
use super::{PlanFault, level_size};

/// Chips of a redistribution that are looked at one by one: more are in no machine.
const CHIPS: u64 = 64;

/// What is wrong with the elements that a slice leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutFault {
    /// The axis is no run of the element.
    Axis {
        /// The axis.
        axis: Mapping,
        /// The element that it is taken out of.
        element: Mapping,
        /// Why.
        fault: RegionFault,
    },
    /// An earlier step of the plan took the axis, or a part of it.
    Overlap {
        /// The axis.
        axis: Mapping,
        /// The element of the tensor that the plan began with.
        element: Mapping,
    },
    /// The axis is not the outermost one of the element.
    NotOutermost {
        /// The axis.
        axis: Mapping,
        /// What is outside of it.
        outer: Mapping,
    },
    /// What is inside of the axis has padding that must not be written.
    Hole {
        /// What is inside.
        inner: Mapping,
    },
    /// The declared element is not what is left.
    Output {
        /// What is left.
        expected: Mapping,
        /// As declared.
        declared: Mapping,
        /// The axis that was taken; `None` where the plan's last method declares the element again.
        axis: Option<Mapping>,
    },
}

/// What is wrong with who takes what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternFault {
    /// Another number of values than there are parts.
    Count {
        /// The level.
        level: Level,
        /// Values in the pattern.
        given: u64,
        /// Parts of the level.
        parts: u64,
    },
    /// A value of an axis that is not there.
    Value {
        /// The value.
        value: u64,
        /// The part that takes it.
        part: u64,
        /// The level.
        level: Level,
        /// The axis.
        axis: Mapping,
    },
    /// A part that is not there.
    Source {
        /// The part that is taken.
        source: u64,
        /// Who takes it.
        part: u64,
        /// The level.
        level: Level,
        /// Parts of the level.
        parts: u64,
    },
    /// A part that several take.
    Repeated {
        /// The part that is taken.
        source: u64,
        /// The level.
        level: Level,
    },
    /// A swap of clusters where there are not two.
    Clusters {
        /// How many there are.
        clusters: u64,
    },
    /// A part that holds data takes one that holds none.
    Padded {
        /// The chip and cluster that take.
        target: (u64, u64),
        /// The chip and cluster that are taken.
        source: (u64, u64),
    },
}

/// Whom each part takes from, so far in a plan: for each chip, and for each cluster of it.
struct Sources {
    chips: Vec<u64>,
    swapped: bool,
}

pub(super) fn judge_redistribution(
    body: &Body,
    collective: &Collective,
    steps: &[RedistributionStep],
    asymmetric: bool,
    add: &mut impl FnMut(PlanFault, Span),
) {
    let Some(source) = (collective.sources.first()).and_then(|id| body.tensor(*id)) else {
        return;
    };
    let mut element = source.levels.element.get().cloned();
    let mut taken: Vec<Mapping> = Vec::new();
    let chips = level_size(&source.levels, Level::Chip);
    let mut sources = chips.filter(|chips| *chips <= CHIPS).map(|chips| Sources {
        chips: (0..chips).collect(),
        swapped: false,
    });
    let mut place = None;
    for step in steps {
        match step {
            RedistributionStep::Shuffle(parts) => {
                place.get_or_insert(parts.pattern.span);
                if let Some(fault) = shuffle_fault(&source.levels, parts) {
                    add(PlanFault::Pattern(fault), parts.pattern.span);
                    sources = None;
                } else {
                    sources = sources.and_then(|sources| sources.shuffled(parts));
                }
            }
            RedistributionStep::Slice {
                parts,
                index,
                element: declared,
            } => {
                let Some(axis) = index.get() else {
                    element = declared.get().cloned();
                    continue;
                };
                if let Some(fault) = pattern_fault(&source.levels, parts, axis) {
                    add(PlanFault::Pattern(fault), parts.pattern.span);
                }
                let mut left = declared.get().cloned();
                if let Some(whole) = &element {
                    let step = Slice {
                        source,
                        whole,
                        taken: &taken,
                        axis,
                        declared,
                        asymmetric,
                    };
                    if let Some((fault, at_axis)) = step.find_fault() {
                        // What follows is judged as if this were mended.
                        if let PlanFault::Layout(LayoutFault::Output { expected, .. }) = &fault {
                            left = Some(expected.clone());
                        }
                        add(fault, if at_axis { index.span } else { declared.span });
                    }
                }
                taken.push(axis.clone());
                element = left;
            }
        }
    }
    if let (Some(sources), Some(place)) = (sources, place)
        && let Some(fault) = sources.padded_source_fault(&source.levels)
    {
        add(PlanFault::Pattern(fault), place);
    }
    if let Some((fault, span)) = redeclared_fault(body, collective, element.as_ref(), asymmetric) {
        add(fault, span);
    }
}

/// The element that the plan's last method declares for the tensor that it makes.
fn redeclared_fault(
    body: &Body,
    collective: &Collective,
    left: Option<&Mapping>,
    asymmetric: bool,
) -> Option<(PlanFault, Span)> {
    let target = body.tensor(*collective.targets.first()?)?;
    let made = matches!(target.origin, Origin::Operation(_));
    let (left, declared) = (left?, target.levels.element.get()?);
    if asymmetric || !made || left.is_opaque() || declared.is_opaque() {
        return None;
    }
    let differs = equal_forms(left.form(), declared.form()) == Answer::No;
    let fault = LayoutFault::Output {
        expected: left.clone(),
        declared: declared.clone(),
        axis: None,
    };
    differs.then(|| (PlanFault::Layout(fault), target.levels.element.span))
}

/// One slice of a plan.
struct Slice<'a> {
    /// The tensor that the plan began with.
    source: &'a Tensor,
    /// The element that is left so far.
    whole: &'a Mapping,
    /// The axes that earlier steps took.
    taken: &'a [Mapping],
    axis: &'a Mapping,
    declared: &'a Written<Mapping>,
    asymmetric: bool,
}

impl Slice<'_> {
    /// What is wrong, and whether the axis is at fault; else the declared element is.
    fn find_fault(&self) -> Option<(PlanFault, bool)> {
        let found = match region_without_axis(self.whole, self.axis)? {
            Ok(found) => found,
            Err(fault) => return Some((PlanFault::Layout(self.misplaced(fault)), true)),
        };
        if let Some(bits) = self.misaligned(&found) {
            let axis = self.axis.clone();
            return Some((PlanFault::Stride { axis, bits }, true));
        }
        if let Some(declared) = self.declared.get().filter(|declared| !declared.is_opaque())
            && equal_forms(&found.left, declared.form()) == Answer::No
        {
            let fault = LayoutFault::Output {
                expected: found.left.to_mapping(),
                declared: declared.clone(),
                axis: Some(self.axis.clone()),
            };
            return Some((PlanFault::Layout(fault), false));
        }
        if !self.asymmetric {
            return None;
        }
        if equal_forms(&found.outer, &Form::identity()) == Answer::No {
            let fault = LayoutFault::NotOutermost {
                axis: self.axis.clone(),
                outer: found.outer.to_mapping(),
            };
            return Some((PlanFault::Layout(fault), true));
        }
        has_hole(&found.inner).then(|| {
            let inner = found.inner.to_mapping();
            (PlanFault::Layout(LayoutFault::Hole { inner }), true)
        })
    }

    /// Why the axis cannot be taken: an earlier step may have taken it.
    fn misplaced(&self, fault: RegionFault) -> LayoutFault {
        let original = self.source.levels.element.get();
        let was_there = original
            .and_then(|original| region_without_axis(original, self.axis))
            .is_some_and(|found| found.is_ok());
        match original {
            Some(original) if was_there && !self.taken.is_empty() => LayoutFault::Overlap {
                axis: self.axis.clone(),
                element: original.clone(),
            },
            _ => LayoutFault::Axis {
                axis: self.axis.clone(),
                element: self.whole.clone(),
                fault,
            },
        }
    }

    /// Bits from one position of the axis to the next in the tensor that the plan began with, if they are no multiple of
    /// what the memory writes.
    fn misaligned(&self, found: &Region) -> Option<u64> {
        let stride = if self.taken.is_empty() {
            found.stride
        } else {
            let original = self.source.levels.element.get()?;
            region_without_axis(original, self.axis)?.ok()?.stride
        };
        let bits = stride.checked_mul(self.source.element_type.value?.bits())?;
        (!bits.is_multiple_of(DMA_ALIGNMENT_BYTES * 8)).then_some(bits)
    }
}

/// Whether a digit has padding that must not be written.
fn has_hole(form: &Form) -> bool {
    form.digits().iter().any(|digit| {
        let mut paddings = digit.paddings().iter();
        paddings.any(|padding| padding.kind == PaddingKind::Bottom)
    })
}

fn shuffle_fault(levels: &Levels, parts: &Parts) -> Option<PatternFault> {
    let level = parts.level;
    let count = level_size(levels, level)?;
    if level == Level::Cluster && parts.dimension.is_none() {
        return (count != 2).then_some(PatternFault::Clusters { clusters: count });
    }
    let pattern = parts.pattern.get()?;
    if let Some(fault) = pattern_count_fault(pattern, level, count) {
        return Some(fault);
    }
    let mut seen: Vec<u64> = Vec::new();
    for (part, source) in (0..count).zip(pattern) {
        let Some(source) = *source else { continue };
        if source >= count {
            return Some(PatternFault::Source {
                source,
                part,
                level,
                parts: count,
            });
        }
        if seen.contains(&source) {
            return Some(PatternFault::Repeated { source, level });
        }
        seen.push(source);
    }
    None
}

fn pattern_count_fault(pattern: &[Option<u64>], level: Level, parts: u64) -> Option<PatternFault> {
    let given = pattern.len() as u64;
    (given != parts).then_some(PatternFault::Count {
        level,
        given,
        parts,
    })
}

fn pattern_fault(levels: &Levels, parts: &Parts, axis: &Mapping) -> Option<PatternFault> {
    let level = parts.level;
    let count = level_size(levels, level)?;
    let pattern = parts.pattern.get()?;
    pattern_count_fault(pattern, level, count).or_else(|| {
        let mut taken = (0..count).zip(pattern);
        taken.find_map(|(part, value)| {
            let value = (*value)?;
            (value >= axis.size()).then(|| PatternFault::Value {
                value,
                part,
                level,
                axis: axis.clone(),
            })
        })
    })
}

impl Sources {
    /// After one more shuffle; `None` where it is not known.
    fn shuffled(mut self, parts: &Parts) -> Option<Self> {
        if parts.level == Level::Cluster {
            self.swapped = !self.swapped;
            return Some(self);
        }
        let pattern = parts.pattern.get()?.iter().copied();
        let pattern: Vec<u64> = pattern.collect::<Option<_>>()?;
        let composed = pattern.iter().map(|source| {
            let source = usize::try_from(*source).ok()?;
            self.chips.get(source).copied()
        });
        self.chips = composed.collect::<Option<_>>()?;
        Some(self)
    }

    /// The first part with data that takes from one without.
    fn padded_source_fault(&self, levels: &Levels) -> Option<PatternFault> {
        let chip = levels.chip.as_ref()?.get()?;
        let one = Mapping::identity();
        let cluster = levels.cluster.as_ref().map_or(Some(&one), Written::get)?;
        if chip.is_opaque() || cluster.is_opaque() {
            return None;
        }
        let live =
            |mapping: &Mapping, part: u64| matches!(mapping.form().cell_at(part), Cell::Index(_));
        for (target_chip, source_chip) in (0..).zip(&self.chips) {
            for target_cluster in 0..cluster.size().min(2) {
                let source_cluster = target_cluster ^ u64::from(self.swapped);
                let holds = live(chip, target_chip) && live(cluster, target_cluster);
                let held = live(chip, *source_chip) && live(cluster, source_cluster);
                if holds && !held {
                    return Some(PatternFault::Padded {
                        target: (target_chip, target_cluster),
                        source: (*source_chip, source_cluster),
                    });
                }
            }
        }
        None
    }
}
