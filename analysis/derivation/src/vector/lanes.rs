//! Eight lanes and four: what splitting, trimming, concatenating and padding make of time and packet, what a reduction between
//! them leaves, and how a block that narrows and widens goes on from another flit.
//!
//! Knows shapes only. What a kernel declares instead is a violation of [`super::shapes`] or an edit of the repair.

use crate::forms::{form_without_axis, join, known_form};
use crate::kernel::{Pass, Position, Stage, StageKind, StreamShape, VectorStage, Way};
use crate::mapping::{Form, Mapping, PaddingKind};

use super::stages::way_into;

/// Lanes of half a flit.
const HALF: u64 = Way::Way4.lanes();
/// Lanes of a flit.
const FULL: u64 = Way::Way8.lanes();

/// Time and packet of a stream.
pub type Shape = (Form, Form);

/// The elements of a packet that a change of lanes takes; `None` for another stage.
pub(super) const fn taken_elements(kind: &StageKind) -> Option<u64> {
    match kind {
        StageKind::VectorSplit | StageKind::VectorTrim => Some(FULL),
        StageKind::VectorConcat | StageKind::VectorPad => Some(HALF),
        _ => None,
    }
}

/// Whether a stage makes eight lanes of four.
pub const fn widens(stage: &Stage) -> bool {
    matches!(stage.kind, StageKind::VectorConcat | StageKind::VectorPad)
}

/// The lanes that a stage takes; `None` where it takes both.
pub fn lanes_taken(stage: &Stage) -> Option<Way> {
    match (&stage.kind, stage.output.position) {
        (StageKind::VectorStash, _) => None,
        (StageKind::VectorFinal, _) => Some(Way::Way8),
        (_, Position::Vector(entered) | Position::VectorPair(entered)) => Some(way_into(entered)),
        _ => Some(Way::Way8),
    }
}

/// Whether a stage leaves eight lanes of four behind it, by its position.
pub const fn is_widened(stage: &Stage) -> bool {
    matches!(
        stage.output.position,
        Position::Vector(VectorStage::Widen) | Position::VectorPair(VectorStage::Widen)
    )
}

/// Whether the four lanes before a stage come from a split.
pub fn came_by_split(pass: &Pass, index: usize) -> bool {
    let narrowing = pass
        .stages
        .iter()
        .take(index)
        .rev()
        .find(|stage| matches!(stage.kind, StageKind::VectorSplit | StageKind::VectorTrim));
    narrowing.is_some_and(|stage| matches!(stage.kind, StageKind::VectorSplit))
}

/// The upper four of eight lanes, and the lower four.
pub fn halves(packet: &Form) -> Option<(Form, Form)> {
    packet.split_at(HALF)
}

/// Time and packet behind a change of lanes; what a trim drops is not looked at.
pub(super) fn changed_shape(time: &Form, packet: &Form, kind: &StageKind) -> Option<Shape> {
    Some(match kind {
        StageKind::VectorSplit => {
            let (upper, lower) = halves(packet)?;
            (join(&[time, &upper])?, lower)
        }
        StageKind::VectorTrim => (time.clone(), halves(packet)?.1),
        StageKind::VectorConcat => {
            let (outer, inner) = time.split_at(FULL / HALF)?;
            (outer, join(&[&inner, packet])?)
        }
        _ => (time.clone(), packet.pad(FULL)?),
    })
}

/// What a split, trim, concat or pad makes of time and packet; `None` where they are unknown, have other lanes than the
/// stage takes, or where a trim would drop data.
pub fn lanes_made(input: &StreamShape, kind: &StageKind) -> Option<(Mapping, Mapping)> {
    let (time, packet) = (known_form(&input.time)?, known_form(&input.packet)?);
    let drops = matches!(kind, StageKind::VectorTrim)
        && halves(packet).is_some_and(|(upper, _)| upper.has_terms());
    if packet.size() != taken_elements(kind)? || drops {
        return None;
    }
    let (time, packet) = changed_shape(time, packet, kind)?;
    Some((time.to_mapping(), packet.to_mapping()))
}

/// The narrowing that keeps all data, with what it makes: a split where the upper four lanes hold some, else a trim.
/// `None` for a packet that is no flit.
pub fn narrow_lanes((time, packet): &Shape) -> Option<(StageKind, Shape)> {
    if packet.size() != FULL {
        return None;
    }
    let (upper, _) = halves(packet)?;
    let kind = if upper.has_terms() {
        StageKind::VectorSplit
    } else {
        StageKind::VectorTrim
    };
    let shape = changed_shape(time, packet, &kind)?;
    Some((kind, shape))
}

/// The widening of four lanes, with what it makes: two steps of time side by side where a split parted them, else padding.
/// `None` for a packet of other lanes.
pub fn widen_lanes((time, packet): &Shape, came_by_split: bool) -> Option<(StageKind, Shape)> {
    if packet.size() != HALF {
        return None;
    }
    if came_by_split
        && packet.has_terms()
        && let Some(shape) = changed_shape(time, packet, &StageKind::VectorConcat)
    {
        return Some((StageKind::VectorConcat, shape));
    }
    let shape = changed_shape(time, packet, &StageKind::VectorPad)?;
    Some((StageKind::VectorPad, shape))
}

/// What a reduction inside a slice leaves on four lanes: time without the axis, and one lane where the packet held it.
/// `None` where a group in time holds the axis.
pub fn reduced_shape((time, packet): &Shape, axis: &str) -> Option<Shape> {
    let packet = if packet.contains_axis(axis) {
        one_lane()?
    } else {
        packet.clone()
    };
    Some((form_without_axis(time, axis, false)?, packet))
}

/// One element in four lanes.
fn one_lane() -> Option<Form> {
    let lane = Mapping::identity().pad_to(HALF, PaddingKind::Top).ok()?;
    Some(lane.form().clone())
}

/// Time and packet of 8 elements that hold what a packet of another size holds.
pub(super) fn packet_of_eight(time: &Form, packet: &Form) -> Option<(Mapping, Mapping)> {
    if packet.size() < FULL {
        return Some((time.to_mapping(), packet.pad(FULL)?.to_mapping()));
    }
    let (outer, inner) = packet.split_at(FULL)?;
    Some((join(&[time, &outer])?.to_mapping(), inner.to_mapping()))
}

/// A stage of a block that was followed.
pub struct Followed {
    /// The stage, counted from the first that was followed.
    pub stage: usize,
    /// The narrowing or widening that it has to be now; `None` where it is a reduction.
    pub change: Option<StageKind>,
    /// Time and packet behind it.
    pub shape: Shape,
}

/// Goes through a block with another flit up to its widening, which is the last of the answer: each narrowing, reduction and
/// widening with what it makes then. `None` where a stage cannot be followed or there is no widening.
pub fn follow_block(stages: &[Stage], mut shape: Shape) -> Option<Vec<Followed>> {
    let mut followed = Vec::new();
    let mut split = false;
    for (stage, of) in stages.iter().enumerate() {
        let (change, made) = match &of.kind {
            StageKind::VectorAlu(_) | StageKind::VectorConvert { .. } | StageKind::VectorStash => {
                continue;
            }
            StageKind::VectorSplit | StageKind::VectorTrim => {
                let (kind, made) = narrow_lanes(&shape)?;
                split = matches!(kind, StageKind::VectorSplit);
                (Some(kind), made)
            }
            StageKind::VectorIntraReduce { axis, .. } => {
                (None, reduced_shape(&shape, axis.get()?.name())?)
            }
            StageKind::VectorConcat | StageKind::VectorPad => {
                let (kind, made) = widen_lanes(&shape, split)?;
                // Halves that a split parted have to come together again.
                if split && shape.1.has_terms() && !matches!(kind, StageKind::VectorConcat) {
                    return None;
                }
                (Some(kind), made)
            }
            _ => return None,
        };
        shape = made.clone();
        followed.push(Followed {
            stage,
            change,
            shape: made,
        });
        if widens(of) {
            return Some(followed);
        }
    }
    None
}
