//! Builders for unit tests of this crate and of those above: stream shapes, and what tests of items build.
//!
//! Each crate compiles this file by its path. A crate of builders would need a second copy of this crate for its own tests, and a
//! feature would build every crate above twice: with it for tests, and without.

#![allow(
    dead_code,
    unused_imports,
    reason = "several crates compile this file, and none of them needs all"
)]

use visa_hardware::ElementType;
use visa_kernel::{Position, StreamShape, Written};
use visa_mapping::Mapping;

#[path = "../../items/src/testing.rs"]
mod items_testing;

pub(crate) use items_testing::{mapping, span};

/// A value at an arbitrary place.
pub(crate) fn written<T>(value: T) -> Written<T> {
    Written::new(value, span(0))
}

/// A stream on one chip and one of two clusters with those slices, time and packet.
pub(crate) fn stream(
    position: Position,
    element_type: ElementType,
    slice: &str,
    time: &str,
    packet: &str,
    axes: &[(&str, u64)],
) -> StreamShape {
    StreamShape {
        position,
        element_type: written(element_type),
        chip: written(Mapping::identity()),
        cluster: written(mapping("1 # 2", &[])),
        slice: written(mapping(slice, axes)),
        row: None,
        time: written(mapping(time, axes)),
        packet: written(mapping(packet, axes)),
        way: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builders_read_what_the_grammar_reads() {
        assert_eq!(mapping("[A, B] # 64 / 8", &[("A", 4), ("B", 10)]).size(), 8);
        assert_ne!(span(0), span(1));
        let shape = stream(
            Position::Fetch,
            ElementType::Bf16,
            "S",
            "1",
            "A % 8",
            &[("S", 256), ("A", 16)],
        );
        assert_eq!(shape.packet_bytes(), Some(16));
    }
}
