//! Valid counts: which elements of a reduced axis's flits hold data, and whether the generator can say so.
//!
//! The Valid Count Generator tags every 8-lane flit at the Vector Engine's input with the number of its lanes that the
//! intra-slice reduce takes in. [`place_axis`] asks for one axis and the forms of slice, time and packet; [`place_axes`]
//! for several at once. Both give the setting that does it or the reason why there is none. What they do not know is
//! how the compiler spells a setting, and what masks or paddings with neutral elements could do instead.

mod alternative;
mod answer;
mod decide;
mod digits;
mod fewest;
mod gate;
mod outer_part;
mod setting;
mod stretches;
mod strides;
#[cfg(test)]
mod tests;

use crate::forms::known_form;
use crate::items::Span;
use crate::kernel::{Pass, PassSource, Position, StageKind, StreamShape, VectorStage};
use crate::mapping::{Atom, Cell, Form};

pub use alternative::{Alternative, alternative_placement};
#[cfg(test)]
pub use answer::CountConflict;
pub use answer::{Refusal, SliceSteps};
#[cfg(test)]
pub use setting::Gate;
pub use setting::{COUNTERS, Counter, Dimension, GATES, LANES, Setting};

use answer::{AxisAnswer, AxisSetting, Question};
use decide::decide;
use digits::{AxisDigit, Digits};
use fewest::Fewest;

/// Whether the generator can tell the valid elements of a placement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// Every flit is full of data: nothing has to be counted.
    Unneeded,
    /// The generator can, with this setting.
    Supported(Setting),
    /// It cannot.
    Refused(Refusal),
}

/// Decides one reduced axis over the forms of the 8-lane flit. `None` where the placement is none that this knows how
/// to decide (a packet of another size, more than 256 slices, the axis inside a group that a size cuts across).
pub fn place_axis(slice: &Form, time: &Form, packet: &Form, axis: &str) -> Option<Placement> {
    place_axes(slice, time, packet, &[axis])
}

/// Decides several padded axes at once: one packet count and three gates serve them all, with eight counters.
pub fn place_axes(slice: &Form, time: &Form, packet: &Form, axes: &[&str]) -> Option<Placement> {
    let mut settings = Vec::new();
    for axis in axes {
        match decide(&placement_question(slice, time, packet, axis)?)? {
            AxisAnswer::Unneeded => {}
            AxisAnswer::Supported(setting) => settings.push(setting),
            AxisAnswer::Refused(refusal) => return Some(Placement::Refused(refusal)),
        }
    }
    if settings.is_empty() {
        return Some(Placement::Unneeded);
    }
    combine(&settings, time.size())
}

/// Puts the parts of several axes together.
///
/// Counters that follow the digits are enough for most placements. Where they are more than there are, one axis may do with
/// fewer; of several together that is not known, unless one of them alone takes too many.
fn combine(parts: &[AxisSetting], time_steps: u64) -> Option<Placement> {
    let setting = assemble_setting(parts, time_steps)?;
    let gates = parts.iter().filter(|part| part.gate.is_some()).count();
    let packets = parts.iter().filter(|part| part.packet.is_some()).count();
    let refused = |counters| {
        Some(Placement::Refused(Refusal::Dimensions {
            gates,
            packets,
            counters,
        }))
    };
    if gates > GATES || packets > 1 {
        return refused(0);
    }
    if setting.counters.len() <= COUNTERS {
        return Some(Placement::Supported(setting));
    }
    for part in parts {
        match fewest::counters(&part.wanted, time_steps, COUNTERS) {
            Fewest::TooMany(at_least) => return refused(at_least),
            Fewest::Counters { counters, valid } if parts.len() == 1 => {
                let fewer = part.clone().with_counters(counters, valid);
                return assemble_setting(&[fewer], time_steps)
                    .filter(|setting| setting.counters.len() <= COUNTERS)
                    .map(Placement::Supported);
            }
            Fewest::Counters { .. } | Fewest::Unknown => {}
        }
    }
    None
}

/// The setting that all parts make, with as many gates and counters as it takes.
fn assemble_setting(parts: &[AxisSetting], time_steps: u64) -> Option<Setting> {
    let mut setting = Setting::default();
    let mut assigned = Vec::new();
    for part in parts {
        let dimension = part.dimension(setting.gates.len());
        assigned.extend(part.counters.iter().map(|counter| (*counter, dimension)));
        setting.gates.extend(part.gate);
        if part.packet.is_some() {
            setting.packet = part.packet;
        }
    }
    assigned.sort_by_key(|(counter, _)| counter.position_stride);
    let mut position = 1_u64;
    let mut innermost_packet = None;
    for (counter, dimension) in assigned {
        pass_time(
            &mut setting.counters,
            &mut position,
            counter.position_stride,
        )?;
        position = position.checked_mul(counter.limit)?;
        if dimension == Dimension::Packet && innermost_packet.is_none() {
            innermost_packet = Some(counter.stride);
        }
        setting.counters.push(Counter {
            limit: counter.limit,
            stride: counter.stride,
            dimension,
        });
    }
    pass_time(&mut setting.counters, &mut position, time_steps)?;
    if let Some(packet) = setting
        .packet
        .filter(|packet| innermost_packet != Some(packet.cap))
    {
        // The cap is the stride of the innermost counter of the packet count: one that never steps carries it.
        setting.counters.insert(
            0,
            Counter {
                limit: 1,
                stride: packet.cap,
                dimension: Dimension::Packet,
            },
        );
    }
    Some(setting)
}

/// Adds the counter that passes the time steps between `position` and `up_to`, if there are any.
fn pass_time(counters: &mut Vec<Counter>, position: &mut u64, up_to: u64) -> Option<()> {
    if up_to > *position {
        if !up_to.is_multiple_of(*position) {
            return None;
        }
        counters.push(Counter {
            limit: up_to / *position,
            stride: 0,
            dimension: Dimension::Unassigned,
        });
        *position = up_to;
    }
    (*position == up_to).then_some(())
}

fn placement_question(slice: &Form, time: &Form, packet: &Form, axis: &str) -> Option<Question> {
    if packet.size() != LANES {
        return None;
    }
    let mut size = 1;
    let mut parts = [slice, time, packet].map(|form| {
        let (digits, axis_size) = digits_of(form, axis)?;
        if let Some(axis_size) = axis_size {
            size = axis_size;
        }
        Some(digits)
    });
    let [slice_digits, time_digits, packet_digits] =
        [parts[0].take()?, parts[1].take()?, parts[2].take()?];
    let lanes = (0..LANES)
        .map(|lane| match packet.cell_at(lane) {
            Cell::Index(_) => packet_digits.value_at(lane),
            Cell::Padding(_) | Cell::OutOfBounds => None,
        })
        .collect();
    let others = packet
        .axis_names()
        .iter()
        .filter(|name| ***name != *axis)
        .map(ToString::to_string)
        .collect();
    Some(Question {
        size,
        slice: slice_digits,
        slices: slice.size(),
        time: time_digits,
        steps: time.size(),
        packet: packet_digits,
        lanes,
        others,
    })
}

/// The digits of an axis in a form, and the axis's size if it occurs; `None` where it occurs inside a composite.
fn digits_of(form: &Form, axis: &str) -> Option<(Digits, Option<u64>)> {
    let mut digits = Vec::new();
    let mut size = None;
    for placed in form.terms_with_stride() {
        match &placed.term.atom {
            Atom::Axis(own) | Atom::PaddedRun(own) if own.name() == axis => {
                size = Some(own.size());
                digits.push(AxisDigit {
                    stride: placed.term.stride,
                    count: placed.live,
                    extent: placed.extent,
                    position_stride: placed.buffer_stride,
                });
            }
            Atom::Composite(inner) if inner.contains_axis(axis) => return None,
            Atom::Axis(_) | Atom::PaddedRun(_) | Atom::Broadcast | Atom::Composite(_) => {}
        }
    }
    Some((Digits::new(digits), size))
}

/// The valid counts of one intra-slice reduce.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReduceCounts {
    /// The stage that reduces.
    pub stage: usize,
    /// The reduced axis.
    pub axis: String,
    /// The reduce's method.
    pub span: Span,
    /// Where the slice, time and packet of the 8-lane flit are written.
    pub places: FlitPlaces,
    /// Whether the generator can tell the valid elements.
    pub placement: Placement,
    /// Another placement that works, where it cannot.
    pub alternative: Option<Alternative>,
}

/// Where the mappings of a flit are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlitPlaces {
    /// The slice.
    pub slice: Span,
    /// The time.
    pub time: Span,
    /// The packet.
    pub packet: Span,
}

/// What was derived of a pass's reductions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValidCountsDerivation {
    /// One entry an intra-slice reduce whose placement is known.
    pub reduces: Vec<ReduceCounts>,
    /// Reduces of which it is not known although all mappings are: their axis and place, and why.
    pub undecided: Vec<Undecided>,
}

/// A reduce whose valid counts are not decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecided {
    /// The reduced axis.
    pub axis: String,
    /// The reduce's method.
    pub span: Span,
    /// Whether the axis is in a group that a size cuts across.
    pub grouped: bool,
}

impl ValidCountsDerivation {
    /// Whether the placement of the reduce at a stage is refused.
    pub fn refuses(&self, stage: usize) -> bool {
        self.reduces.iter().any(|reduce| {
            reduce.stage == stage && matches!(reduce.placement, Placement::Refused(_))
        })
    }
}

/// Derives the valid counts of every intra-slice reduce of a pass, over the flits that enter the Vector Engine.
pub fn derive_valid_counts(pass: &Pass) -> ValidCountsDerivation {
    let mut derived = ValidCountsDerivation::default();
    for index in 0..pass.stages.len() {
        match reduce_at(pass, index) {
            Some(Ok(reduce)) => derived.reduces.push(reduce),
            Some(Err(undecided)) => derived.undecided.push(undecided),
            None => {}
        }
    }
    derived
}

/// The reduce at a stage; `None` where there is none, or a mapping is not known, or no flit of that shape is counted.
fn reduce_at(pass: &Pass, index: usize) -> Option<Result<ReduceCounts, Undecided>> {
    let stage = pass.stages.get(index)?;
    let StageKind::VectorIntraReduce { axis, .. } = &stage.kind else {
        return None;
    };
    let flit = entering_flit(pass, index)?;
    let axis = axis.value.as_ref()?;
    let forms = (
        known_form(&flit.slice)?,
        known_form(&flit.time)?,
        known_form(&flit.packet)?,
    );
    let Some(placement) = place_axis(forms.0, forms.1, forms.2, axis.name()) else {
        // Of other flits another rule speaks.
        let counted = forms.2.size() == LANES && forms.0.size() <= decide::MOST_SLICES;
        let grouped = |form: &Form| digits_of(form, axis.name()).is_none();
        return counted.then(|| {
            Err(Undecided {
                axis: axis.name().to_owned(),
                span: stage.span,
                grouped: [forms.0, forms.1, forms.2].into_iter().any(grouped),
            })
        });
    };
    let alternative = match &placement {
        Placement::Refused(refusal) => alternative_placement(forms, axis.name(), refusal),
        Placement::Unneeded | Placement::Supported(_) => None,
    };
    Some(Ok(ReduceCounts {
        stage: index,
        axis: axis.name().to_owned(),
        span: stage.span,
        places: FlitPlaces {
            slice: flit.slice.span,
            time: flit.time.span,
            packet: flit.packet.span,
        },
        placement,
        alternative,
    }))
}

/// The 8-lane flit that the generator tags: the input of the block that the stage belongs to.
fn entering_flit(pass: &Pass, index: usize) -> Option<&StreamShape> {
    let entry = (0..index).rev().find(|&before| {
        pass.stages.get(before).is_some_and(|stage| {
            matches!(
                stage.kind,
                StageKind::VectorBranch(_) | StageKind::VectorUnzip { .. }
            )
        })
    });
    match (entry, &pass.source) {
        (Some(entry), _) => Some(pass.input_of(entry)),
        (
            None,
            PassSource::Parameter {
                position: Position::Vector(VectorStage::Branch),
            },
        ) => Some(&pass.begin),
        (None, _) => None,
    }
}
