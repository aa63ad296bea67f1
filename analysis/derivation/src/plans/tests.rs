//! Regions by hand, and against a walk over all positions.

use crate::mapping::{Cell, Mapping};
use crate::testing::mapping;

use super::regions::{RegionFault, region_without_axis};

const AXES: &[(&str, u64)] = &[("A", 2), ("K", 4), ("D", 2), ("W", 10)];

fn taken(whole: &str, axis: &str) -> Result<(String, u64), RegionFault> {
    let (whole, axis) = (mapping(whole, AXES), mapping(axis, AXES));
    let found = region_without_axis(&whole, &axis).expect("decided");
    found.map(|found| (found.left.to_mapping().to_string(), found.stride))
}

#[test]
fn an_axis_is_taken_out_with_its_stride() {
    let left = |text: &str, stride| Ok((text.to_owned(), stride));
    assert_eq!(taken("A, K, D", "K"), left("A, D", 2));
    assert_eq!(taken("A # 8, K, D", "K"), left("A # 8, D", 2));
    assert_eq!(taken("1 # 64, K, D", "K"), left("D # 128", 2));
    assert_eq!(taken("A, K, D", "A, K"), left("D", 2));
    assert_eq!(taken("K, D", "K / 2"), left("K % 2, D", 4));
    assert_eq!(taken("K # 8, D", "K # 8"), left("D", 2));
}

#[test]
fn what_is_no_region_is_not_taken() {
    assert_eq!(taken("K / 2, D, K % 2", "K"), Err(RegionFault::Scattered));
    assert_eq!(taken("A, D", "K"), Err(RegionFault::Absent));
    assert_eq!(taken("A, K / 2", "K"), Err(RegionFault::Absent));
    assert_eq!(taken("W", "W # 12 % 4"), Err(RegionFault::Mixed));
}

/// What a position of a mapping holds of the axes other than those of another one, and what of those.
fn cells(whole: &Mapping, axis: &Mapping) -> Vec<(u64, Vec<(String, u64)>)> {
    let own = axis.form().axis_names();
    let positions = 0..whole.size();
    let cells = positions.map(|position| match whole.form().cell_at(position) {
        Cell::Index(index) => {
            let mut value = 0;
            let mut rest = Vec::new();
            for (other, at) in index.entries() {
                if own.contains(other.name()) {
                    value += at;
                } else {
                    rest.push((other.name().to_owned(), at));
                }
            }
            (value, rest)
        }
        Cell::Padding(_) | Cell::OutOfBounds => (u64::MAX, Vec::new()),
    });
    cells.collect()
}

#[test]
fn a_region_is_that_of_a_walk() {
    let wholes = ["A, K, D", "K, A, D", "A, D, K", "K # 8, D", "A # 4, K, D"];
    for whole in wholes {
        for axis in ["A", "K", "D"] {
            let (mapping_of, axis_of) = (mapping(whole, AXES), mapping(axis, AXES));
            let Some(Ok(found)) = region_without_axis(&mapping_of, &axis_of) else {
                assert!(!whole.contains(axis), "{axis} in {whole}");
                continue;
            };
            let all = cells(&mapping_of, &axis_of);
            let left = found.left.to_mapping();
            let kept = cells(&left, &axis_of);
            // Value 1 of the axis is as many positions behind value 0 as the stride says, with everything else alike.
            let first: Vec<_> = all.iter().filter(|(value, _)| *value == 0).collect();
            let live: Vec<_> = kept.iter().filter(|(value, _)| *value == 0).collect();
            assert_eq!(first, live, "{axis} in {whole}");
            let stride = usize::try_from(found.stride).expect("small");
            for (position, (value, rest)) in all.iter().enumerate() {
                if *value == 0 {
                    assert_eq!(
                        all[position + stride],
                        (1, rest.clone()),
                        "{axis} in {whole}"
                    );
                }
            }
        }
    }
}
