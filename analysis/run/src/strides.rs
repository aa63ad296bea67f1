//! Places that counted strides reach, and the width of the loops over them. Sums and folds both stand on it.

/// Results side by side, so that the compiler makes vectors of their sums and folds.
pub(super) const SIDE_BY_SIDE: usize = 16;

/// The places that parts reach in several spaces at once, in the order of the parts, the first part outermost. A part is a count and its
/// stride in each space.
pub(super) fn reached_places<const SPACES: usize>(
    parts: &[(usize, [usize; SPACES])],
) -> Vec<[usize; SPACES]> {
    let mut places = vec![[0_usize; SPACES]];
    for (count, strides) in parts {
        let mut next = Vec::with_capacity(places.len() * count);
        for place in &places {
            next.extend((0..*count).map(|step| {
                let mut own = *place;
                for (own, stride) in own.iter_mut().zip(strides) {
                    *own += step * stride;
                }
                own
            }));
        }
        places = next;
    }
    places
}
