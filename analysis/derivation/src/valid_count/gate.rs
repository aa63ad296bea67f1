//! Which gate opens which slices at which time steps.

use super::setting::Gate;

/// What a slice needs of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Class {
    /// Open at every time step.
    Open,
    /// Open while the index is below this value, which some time step has.
    Below(u64),
    /// Closed at every time step.
    Closed,
}

/// Why there is no gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum GateRefusal {
    /// No mask puts the slices in an order in which one threshold parts them.
    NoThreshold,
}

/// A gate that gives each slice what it needs; `None` if all are open anyway.
///
/// A gate is a function of the masked slice number, so its mask has to hold every bit on which the need depends; and
/// a bit on which it does not depend can always be left out: with it fixed, the rest of the mask does as well. So
/// the mask is exactly the bits that matter, and what is left to see is whether the needs in the order of the masked
/// numbers are open, boundary, closed (standard) or open, boundary (transposed).
///
/// # Errors
///
/// [`GateRefusal::NoThreshold`] if no gate does.
pub(super) fn decide_gate(needs: &[Class]) -> Result<Option<Gate>, GateRefusal> {
    let mask = bits_that_matter(needs);
    let mut by_number: Vec<(u64, Class)> = (0_u64..)
        .zip(needs)
        .map(|(slice, &need)| (slice & mask, need))
        .collect();
    by_number.sort_by_key(|&(number, _)| number);
    by_number.dedup();
    if by_number
        .windows(2)
        .any(|pair| matches!(pair, [first, second] if first.0 == second.0))
    {
        return Err(GateRefusal::NoThreshold);
    }
    let mut rest = by_number
        .into_iter()
        .skip_while(|(_, need)| *need == Class::Open);
    let Some((threshold, boundary)) = rest.next() else {
        return Ok(None);
    };
    let valid = match boundary {
        Class::Below(valid) => valid,
        Class::Open | Class::Closed => 0,
    };
    let above: Vec<Class> = rest.map(|(_, need)| need).collect();
    if above.iter().all(|need| *need == Class::Closed) {
        Ok(Some(Gate {
            mask,
            threshold,
            valid,
            transposed: false,
        }))
    } else if above.iter().all(|need| *need == boundary) {
        Ok(Some(Gate {
            mask,
            threshold,
            valid,
            transposed: true,
        }))
    } else {
        Err(GateRefusal::NoThreshold)
    }
}

/// Bits of the slice number that change some slice's need.
fn bits_that_matter(needs: &[Class]) -> u64 {
    let mut mask = 0_u64;
    for (slice, need) in (0_u64..).zip(needs) {
        for bit in (0..8)
            .map(|bit| 1_u64 << bit)
            .filter(|bit| slice & bit == 0)
        {
            let neighbour = usize::try_from(slice | bit)
                .ok()
                .and_then(|index| needs.get(index));
            if neighbour.is_some_and(|neighbour| neighbour != need) {
                mask |= bit;
            }
        }
    }
    mask
}
