//! The Switch Engine's topologies: which packet each slice holds at each step, written out.

use crate::mutations::mapping::Expr;
use crate::mutations::source::number;
use crate::mutations::table::Axes;

/// What is wrong with a switch from slices and time to others, if that is proven.
pub(crate) fn fault(
    axes: &mut Axes,
    config: &str,
    from: &(Expr, Expr),
    to: (&Expr, &Expr),
) -> Option<String> {
    let parameter = |name: &str| {
        let (_, rest) = config.split_once(&format!("{name}:"))?;
        number(rest.split([',', '}']).next()?).and_then(|value| usize::try_from(value).ok())
    };
    if let Some(ring) = parameter("ring_size") {
        let known = ring.is_power_of_two() && ring <= 256;
        return (!known).then(|| format!("a ring of {ring}"));
    }
    let topology = config.split_once("::")?.1.split([' ', '{']).next()?;
    let (slice1, slice0) = (parameter("slice1")?, parameter("slice0")?);
    let time0 = parameter("time0").unwrap_or(1);
    let (slices, steps) = (axes.table(&from.0)?, axes.table(&from.1)?);
    if slice1 * slice0 * time0 == 0 || slices.len() % (slice1 * slice0) != 0 {
        return Some(format!("{slice1} * {slice0} slices"));
    }
    let exchanged = if topology == "InterTranspose" {
        slice1 * time0
    } else {
        time0
    };
    if steps.len() % exchanged != 0 {
        return Some(format!("{exchanged} steps of {}", steps.len()));
    }
    let (out_slices, out_steps) = (axes.table(to.0)?, axes.table(to.1)?);
    let mask = axes.mask(&Expr::pair(&from.0, &from.1));
    // The slice and the step that a slice gets its packet of a step from.
    let source = |slice: usize, step: usize| -> (usize, usize) {
        let (s2, s1, s0) = (
            slice / (slice1 * slice0),
            slice / slice0 % slice1,
            slice % slice0,
        );
        match topology {
            "Broadcast01" => {
                let (t, moved0) = (step / slice0, step % slice0);
                let (inner, rest) = (t % time0, t / time0);
                let (moved1, outer) = (rest % slice1, rest / slice1);
                (
                    (s2 * slice1 + moved1) * slice0 + moved0,
                    outer * time0 + inner,
                )
            }
            "Broadcast1" => ((s2 * slice1 + step % slice1) * slice0 + s0, step / slice1),
            "TransposedBroadcast1" => {
                // Slices `[s2, new, s1]`: the inner part of the output is the outer one of the input.
                let kept = slice % slice1;
                ((s2 * slice1 + kept) * slice0 + step % slice0, step / slice0)
            }
            "Transpose" => {
                // Slices `[s2, s0, s1]`.
                let (outer, inner) = (slice / slice1 % slice0, slice % slice1);
                ((s2 * slice1 + inner) * slice0 + outer, step)
            }
            _ => {
                let (moved, t) = (step % slice1, step / slice1);
                let (inner, outer) = (t % time0, t / time0);
                let from = (outer * slice1 + s1) * time0 + inner;
                ((s2 * slice1 + moved) * slice0 + s0, from)
            }
        }
    };
    let made = match topology {
        "Broadcast01" => steps.len() * slice1 * slice0,
        "Broadcast1" => steps.len() * slice1,
        "TransposedBroadcast1" => steps.len() * slice0,
        _ => steps.len(),
    };
    if made != out_steps.len() {
        return Some(format!(
            "{made} steps leave, {} are declared",
            out_steps.len()
        ));
    }
    let wrong = |slice: usize, step: usize| {
        let (own, at) = source(slice, step);
        let given = axes.join(slices[own], steps[at]);
        let declared = axes
            .join(out_slices[slice], out_steps[step])
            .map(|cell| cell & mask);
        declared.is_some() && given.is_some() && declared != given
    };
    let stride = (made * slices.len() / (1 << 14)).max(1) | 1;
    (0..made * slices.len())
        .step_by(stride)
        .any(|at| wrong(at / made, at % made))
        .then(|| format!("{topology} makes other slices or another time"))
}
