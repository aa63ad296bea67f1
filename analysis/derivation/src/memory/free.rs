//! What taken stretches leave free of a memory.

/// The stretches below `capacity` that none of the taken ones reaches into, by their addresses, each with its first byte and
/// the byte after its last.
pub fn free_stretches(
    taken: impl IntoIterator<Item = (u64, u64)>,
    capacity: u64,
) -> Vec<(u64, u64)> {
    let mut taken: Vec<(u64, u64)> = taken
        .into_iter()
        .filter(|(start, end)| start < end)
        .collect();
    taken.sort_unstable();
    let mut gaps = Vec::new();
    let mut free = 0;
    for (start, end) in taken.into_iter().chain([(capacity, capacity)]) {
        let start = start.min(capacity);
        if free < start {
            gaps.push((free, start));
        }
        free = free.max(end);
    }
    gaps
}

/// The lowest multiple of `alignment` from `start` on in each stretch that leaves room for `bytes` behind it.
pub fn free_addresses(
    gaps: &[(u64, u64)],
    bytes: u64,
    start: u64,
    alignment: u64,
) -> impl Iterator<Item = u64> {
    gaps.iter().filter_map(move |(from, to)| {
        let address = (*from).max(start).checked_next_multiple_of(alignment)?;
        let end = address.checked_add(bytes)?;
        (end <= *to).then_some(address)
    })
}

#[cfg(test)]
mod tests {
    use super::{free_addresses, free_stretches};

    #[test]
    fn what_is_left_is_what_no_byte_is_taken_of() {
        let taken = [(40, 50), (0, 10), (45, 47), (10, 12), (60, 60), (90, 200)];
        let free = free_stretches(taken, 100);
        let by_byte = |byte: u64| {
            !taken
                .iter()
                .any(|(start, end)| *start <= byte && byte < *end)
        };
        for byte in 0..100 {
            let inside = free
                .iter()
                .any(|(start, end)| *start <= byte && byte < *end);
            assert_eq!(inside, by_byte(byte), "{byte}");
        }
        assert_eq!(free, [(12, 40), (50, 90)]);
        assert_eq!(free_stretches([], 8), [(0, 8)]);
        assert_eq!(free_stretches([(0, u64::MAX)], 8), []);
    }

    #[test]
    fn places_are_aligned_and_large_enough() {
        let free = [(12, 40), (50, 90)];
        let found = |bytes, start| free_addresses(&free, bytes, start, 16).collect::<Vec<_>>();
        assert_eq!(found(8, 0), [16, 64]);
        assert_eq!(found(26, 0), [64]);
        assert_eq!(found(8, 20), [32, 64]);
        assert_eq!(found(27, 0), [0_u64; 0]);
    }
}
