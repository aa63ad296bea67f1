//! Where tensors are assumed to be whose addresses the library chooses.
//!
//! In the order in which they come to life, each takes the first bytes that are free while it lives, as a linear-scan allocator
//! does. What the vendor's compiler does is not known beyond that it fits them in; nothing is judged by these places, they
//! are for pictures and for the search for a hole.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::hardware::COMMIT_UNIT_BYTES;

/// A tensor that wants a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Bytes.
    pub bytes: u64,
    /// First cycle.
    pub from: u64,
    /// Cycle after the last.
    pub to: u64,
}

/// A place for each tensor, in bytes from the beginning of the memory; `None` for what finds no room, and for what takes no
/// bytes or no time.
pub(super) fn place_tensors(wanted: &[Wanted], capacity: u64) -> Vec<Option<u64>> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|number| wanted.get(*number).map(|one| (one.from, *number)));
    let mut places = vec![None; wanted.len()];
    // First byte and byte after the last of what is alive, and when each of them ends.
    let mut alive: BTreeMap<u64, u64> = BTreeMap::new();
    let mut ends: BinaryHeap<Reverse<(u64, u64)>> = BinaryHeap::new();
    for number in order {
        let Some(one) = wanted
            .get(number)
            .filter(|one| one.bytes > 0 && one.from < one.to)
        else {
            continue;
        };
        while let Some(Reverse((to, address))) = ends.peek().copied()
            && to <= one.from
        {
            ends.pop();
            alive.remove(&address);
        }
        let Some(address) = first_gap(&alive, one.bytes, capacity) else {
            continue;
        };
        alive.insert(address, address.saturating_add(one.bytes));
        ends.push(Reverse((one.to, address)));
        if let Some(slot) = places.get_mut(number) {
            *slot = Some(address);
        }
    }
    places
}

/// The first bytes between those that are taken.
fn first_gap(alive: &BTreeMap<u64, u64>, bytes: u64, capacity: u64) -> Option<u64> {
    let mut start: u64 = 0;
    // No tensor begins inside of a word that the DM is written in.
    for (address, end) in alive {
        if address.saturating_sub(start) >= bytes && start < *address {
            break;
        }
        start = start.max(end.checked_next_multiple_of(COMMIT_UNIT_BYTES)?);
    }
    (start.checked_add(bytes)? <= capacity).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(bytes: u64, from: u64, to: u64) -> Wanted {
        Wanted { bytes, from, to }
    }

    #[test]
    fn bytes_are_used_again_when_their_tensor_is_dead() {
        let tensors = [
            tensor(100, 0, 10),
            tensor(50, 0, 30),
            tensor(104, 10, 20),
            tensor(40, 12, 20),
        ];
        // 100 bytes end in a word of 8, so that the second begins at 104. The first 104 bytes are free from cycle 10 on, and
        // behind the second, which ends at 154, the next word begins at 160.
        assert_eq!(
            place_tensors(&tensors, 4096),
            [Some(0), Some(104), Some(0), Some(160)]
        );
    }

    #[test]
    fn what_has_no_room_has_no_place() {
        let tensors = [
            tensor(64, 0, 10),
            tensor(64, 0, 10),
            tensor(64, 5, 10),
            tensor(64, 10, 11),
        ];
        assert_eq!(
            place_tensors(&tensors, 128),
            [Some(0), Some(64), None, Some(0)]
        );
        assert_eq!(
            place_tensors(&[tensor(0, 0, 1), tensor(8, 3, 3)], 128),
            [None, None]
        );
        assert_eq!(
            place_tensors(&[tensor(u64::MAX, 0, 1), tensor(8, 0, 1)], 128),
            [None, Some(0)]
        );
    }

    /// No two tensors that are alive together share a byte.
    #[test]
    fn random_tensors_share_nothing() {
        let mut state: u64 = 7;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..500 {
            let tensors: Vec<Wanted> = (0..12)
                .map(|_| {
                    let from = random(20);
                    tensor(1 + random(60), from, from + 1 + random(8))
                })
                .collect();
            let places = place_tensors(&tensors, 200);
            for (number, (one, at)) in tensors.iter().zip(&places).enumerate() {
                let Some(at) = at else { continue };
                assert!(at % 8 == 0 && at + one.bytes <= 200);
                for (other, there) in tensors.iter().zip(&places).skip(number + 1) {
                    let Some(there) = there else { continue };
                    let together = one.from < other.to && other.from < one.to;
                    let apart = at + one.bytes <= *there || there + other.bytes <= *at;
                    assert!(!together || apart, "{tensors:?} {places:?}");
                }
            }
        }
    }
}
