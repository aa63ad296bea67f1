//! The regular topologies: each fixes slices and time up to its broadcast positions (book: Broadcast01, Broadcast1,
//! Transpose, InterTranspose; library: `TransposedBroadcast1`).

use crate::conventions::Conventions;
use crate::forms;
use crate::mapping::Form;

use super::{Forms, Judgement, Parameters, SwitchPart, SwitchShape, SwitchViolation, copies};

/// Judges a configuration whose parameters divide slices and time. `None` where a form cannot be worked out, and for
/// the custom ring.
pub(super) fn judge_regular(
    config: &Parameters,
    forms: &Forms<'_>,
    conventions: Conventions,
) -> Option<Judgement> {
    let (slice, time) = match *config {
        Parameters::Broadcast01 {
            slice1,
            slice0,
            time0,
        } => broadcast01(forms, slice1, slice0, time0),
        Parameters::Broadcast1 { slice1, slice0 } => {
            broadcast1(forms, (slice1, slice0), Stays::Slice0)
        }
        Parameters::Transpose { slice1, slice0 } => transpose(forms, (slice1, slice0), conventions),
        Parameters::InterTranspose {
            slice1,
            slice0,
            time0,
        } => inter_transpose(forms, slice1, slice0, time0),
        Parameters::TransposedBroadcast1 { slice1, slice0 } => {
            broadcast1(forms, (slice1, slice0), Stays::Slice1)
        }
        Parameters::Forwarding => Some((
            vec![Part::Fixed {
                declared: forms.out_slice.clone(),
                expected: forms.slice.clone(),
            }],
            vec![(forms.out_time.clone(), forms.time.clone())],
        )),
        Parameters::Custom { .. } => None,
    }?;
    let mut judgement = assemble_judgement(forms, conventions, slice, &time)?;
    if !cuts_cleanly(*config, forms) {
        judgement.shape = None;
    }
    Some(judgement)
}

/// Whether the parts that the parameters cut out make up slices and time again. A cut through a digit that it does not
/// divide leaves parts that no expression can put elsewhere.
fn cuts_cleanly(config: Parameters, forms: &Forms<'_>) -> bool {
    let cut = |form: &Form, size: u64| {
        form.split_at(size)
            .and_then(|(outer, inner)| Form::multiply(&outer, &inner))
            .is_some_and(|whole| !forms::differ(&whole, form))
    };
    let (Some(slice1), Some(slice0), time0) = config.slice_time_parameters() else {
        return true;
    };
    let time0 = time0.unwrap_or(1);
    let (Some(ring), Some(moved)) = (slice1.checked_mul(slice0), slice1.checked_mul(time0)) else {
        return false;
    };
    let moves_time = matches!(config, Parameters::InterTranspose { .. });
    cut(forms.slice, slice0)
        && cut(forms.slice, ring)
        && cut(forms.time, time0)
        && (!moves_time || cut(forms.time, moved))
}

/// A part of the output slice: what it has to be, or that it is free for copies.
enum Part {
    /// The declared part and the one that the topology puts there.
    Fixed { declared: Form, expected: Form },
    /// The declared part of a broadcast position, and its size.
    Free { declared: Form, size: u64 },
}

/// The parts of the slice that a topology makes, and pairs of declared and expected parts of the time.
type Made = (Vec<Part>, Vec<(Form, Form)>);

/// Puts the parts of the slice and the time together and finds what differs first: fixed parts of the slice, then
/// copies, then the time. `time` holds pairs of declared and expected parts.
fn assemble_judgement(
    forms: &Forms<'_>,
    conventions: Conventions,
    parts: Vec<Part>,
    time: &[(Form, Form)],
) -> Option<Judgement> {
    let mut reused: Vec<String> = Vec::new();
    let mut unfit = None;
    let mut slice_differs = false;
    let mut slice_parts = Vec::new();
    for part in parts {
        match part {
            Part::Fixed { declared, expected } => {
                slice_differs |= forms::differ(&declared, &expected);
                slice_parts.push(expected);
            }
            Part::Free { declared, size } => {
                let again = if size > 1 {
                    copies::reused_copy_axes(forms, &declared, conventions)
                } else {
                    Vec::new()
                };
                if size > 1 && unfit.is_none() {
                    unfit = unfit_copies(&declared, conventions);
                }
                slice_parts.push(if again.is_empty() {
                    declared
                } else {
                    forms::hole_form(size)?
                });
                reused.extend(again);
            }
        }
    }
    reused.sort();
    reused.dedup();
    let time_differs = time
        .iter()
        .any(|(declared, expected)| forms::differ(declared, expected));
    let violation = if slice_differs {
        Some(SwitchViolation::Topology {
            part: SwitchPart::Slice,
        })
    } else if !reused.is_empty() {
        Some(SwitchViolation::BroadcastAxisReused { axes: reused })
    } else if unfit.is_some() {
        unfit
    } else if time_differs {
        Some(SwitchViolation::Topology {
            part: SwitchPart::Time,
        })
    } else {
        None
    };
    let expected_time: Vec<&Form> = time.iter().map(|(_, expected)| expected).collect();
    Some(Judgement {
        shape: Some(SwitchShape {
            slice: forms::join(&slice_parts.iter().collect::<Vec<_>>())?.to_mapping(),
            time: forms::join(&expected_time)?.to_mapping(),
        }),
        violation,
    })
}

/// What is wrong with the copies of one position, whatever the input is.
fn unfit_copies(declared: &Form, conventions: Conventions) -> Option<SwitchViolation> {
    if !conventions.compares_switch_frames() {
        return None;
    }
    copies::claimed_twice(declared)
        .map(|axis| SwitchViolation::CopiesTwice { axis })
        .or_else(|| copies::on_padding(declared, false, conventions))
}

/// `[s2, s1, s0]` becomes `[s2, copies]`, `[t1, t0]` becomes `[t1, s1, t0, s0]`.
fn broadcast01(forms: &Forms<'_>, slice1: u64, slice0: u64, time0: u64) -> Option<Made> {
    let ring = slice1.checked_mul(slice0)?;
    let expected_time = forms::join(&[
        &forms.time.stride(time0)?,
        &forms.slice.stride(slice0)?.modulo(slice1)?,
        &forms.time.modulo(time0)?,
        &forms.slice.modulo(slice0)?,
    ])?;
    Some((
        vec![
            Part::Fixed {
                declared: forms.out_slice.stride(ring)?,
                expected: forms.slice.stride(ring)?,
            },
            Part::Free {
                declared: forms.out_slice.modulo(ring)?,
                size: ring,
            },
        ],
        vec![(forms.out_time.clone(), expected_time)],
    ))
}

/// The inner part of the slice that a broadcast leaves in the slice; the other one goes into the time, and copies are in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stays {
    /// `[s2, s1, s0]` becomes `[s2, copies, s0]`, `[t]` becomes `[t, s1]`.
    Slice0,
    /// `[s2, s1, s0]` becomes `[s2, copies, s1]`, `[t]` becomes `[t, s0]`.
    Slice1,
}

fn broadcast1(forms: &Forms<'_>, (slice1, slice0): (u64, u64), stays: Stays) -> Option<Made> {
    let ring = slice1.checked_mul(slice0)?;
    let part1 = (forms.slice.stride(slice0)?.modulo(slice1)?, slice1);
    let part0 = (forms.slice.modulo(slice0)?, slice0);
    let ((moved, copies), (kept, kept_size)) = match stays {
        Stays::Slice0 => (part1, part0),
        Stays::Slice1 => (part0, part1),
    };
    let expected_time = forms::join(&[forms.time, &moved])?;
    Some((
        vec![
            Part::Fixed {
                declared: forms.out_slice.stride(ring)?,
                expected: forms.slice.stride(ring)?,
            },
            Part::Free {
                declared: forms.out_slice.stride(kept_size)?.modulo(copies)?,
                size: copies,
            },
            Part::Fixed {
                declared: forms.out_slice.modulo(kept_size)?,
                expected: kept,
            },
        ],
        vec![(forms.out_time.clone(), expected_time)],
    ))
}

/// `[s2, s1, s0]` becomes `[s2, s0, s1]`; the time stays. Until frames were compared, its padding could be elsewhere.
fn transpose(
    forms: &Forms<'_>,
    (slice1, slice0): (u64, u64),
    conventions: Conventions,
) -> Option<Made> {
    let ring = slice1.checked_mul(slice0)?;
    let expected = forms::join(&[
        &forms.slice.stride(ring)?,
        &forms.slice.modulo(slice0)?,
        &forms.slice.stride(slice0)?.modulo(slice1)?,
    ])?;
    let same_time = !conventions.compares_switch_frames()
        && forms.time.size() == forms.out_time.size()
        && !forms::differ(
            &forms.time.remove_padding(),
            &forms.out_time.remove_padding(),
        );
    let declared_time = if same_time {
        forms.time
    } else {
        forms.out_time
    };
    Some((
        vec![Part::Fixed {
            declared: forms.out_slice.clone(),
            expected,
        }],
        vec![(declared_time.clone(), forms.time.clone())],
    ))
}

/// `[s2, s1, s0]` becomes `[s2, t1, s0]`, `[t2, t1, t0]` becomes `[t2, t0, s1]`, where `t1` is as large as `s1`.
fn inter_transpose(forms: &Forms<'_>, slice1: u64, slice0: u64, time0: u64) -> Option<Made> {
    let ring = slice1.checked_mul(slice0)?;
    let moved = slice1.checked_mul(time0)?;
    let slice = vec![
        Part::Fixed {
            declared: forms.out_slice.stride(ring)?,
            expected: forms.slice.stride(ring)?,
        },
        Part::Fixed {
            declared: forms.out_slice.stride(slice0)?.modulo(slice1)?,
            expected: forms.time.stride(time0)?.modulo(slice1)?,
        },
        Part::Fixed {
            declared: forms.out_slice.modulo(slice0)?,
            expected: forms.slice.modulo(slice0)?,
        },
    ];
    let expected = [
        forms.time.stride(moved)?,
        forms.time.modulo(time0)?,
        forms.slice.stride(slice0)?.modulo(slice1)?,
    ];
    // Time of another size cannot be cut at the same places: it is compared as a whole.
    let time = if forms.out_time.size() == forms.time.size() {
        let [time2, time0_part, slice1_part] = expected;
        vec![
            (forms.out_time.stride(moved)?, time2),
            (forms.out_time.stride(slice1)?.modulo(time0)?, time0_part),
            (forms.out_time.modulo(slice1)?, slice1_part),
        ]
    } else {
        let [time2, time0_part, slice1_part] = &expected;
        vec![(
            forms.out_time.clone(),
            forms::join(&[time2, time0_part, slice1_part])?,
        )]
    };
    Some((slice, time))
}
