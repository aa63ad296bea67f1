//! Fetch sizes of converted packets against a walk over all sizes, ten thousand packets.

use crate::hardware::ElementType;
use crate::kernel::Context;
use crate::testing::mapping;

use super::{SequenceRequest, SequencerMode, sequence_report};

/// The largest fetch that serves `count` elements in a row: whole elements, at most 32 bytes delivered, words of 8 bytes delivered
/// where it reads less, and a divisor of the packet.
fn largest(context: Context, from: u64, to: u64, count: u64) -> Option<u64> {
    let sizes = (1..=32_u64).filter(|size| match context {
        Context::Sub if from == 4 && to == 32 => *size == 4,
        Context::Sub => *size == 8,
        _ => size.is_power_of_two(),
    });
    let serves = |size: &u64| {
        let bits = size * 8;
        let elements = bits / from;
        let delivered = elements * to;
        bits.is_multiple_of(from)
            && (1..=256).contains(&delivered)
            && (*size >= 8 || delivered.is_multiple_of(64))
            && count.is_multiple_of(elements)
    };
    sizes.filter(serves).max()
}

#[test]
fn fetch_sizes_are_those_of_a_walk() {
    use ElementType::{Bf16, F32, I4, I8, I32};
    const CONVERSIONS: [(ElementType, ElementType); 7] = [
        (I4, I32),
        (I4, I8),
        (I8, I32),
        (I8, Bf16),
        (Bf16, F32),
        (F32, Bf16),
        (I32, I8),
    ];
    let mut state = 3_u64;
    let mut below = |limit: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % limit as u64) as usize
    };
    let (mut served, mut refused) = (0, 0);
    for _ in 0..10_000 {
        let (from, to) = CONVERSIONS[below(CONVERSIONS.len())];
        let context = [Context::Main, Context::Sub][below(2)];
        let count = match below(2) {
            0 => 1 + below(96) as u64,
            _ => 4 * (1 + below(32)) as u64,
        };
        let steps = 1 + below(4) as u64;
        let axes = &[("T", steps), ("V", count)];
        let read = |text| mapping(text, axes);
        let mut request = SequenceRequest::new(
            read("T, V"),
            read("T"),
            read("V"),
            from,
            SequencerMode::Fetch,
        );
        request.delivered_type = to;
        request.context = Some(context);
        request.whole_words = true;
        let report = sequence_report(&request);
        let expected = largest(context, from.bits(), to.bits(), count);
        let said = format!(
            "{count} of {from} to {to} in {context:?}: {:?}",
            report.violations
        );
        assert_eq!(report.access_bytes, expected, "{said}");
        assert_eq!(report.violations.is_empty(), expected.is_some(), "{said}");
        if expected.is_some() {
            served += 1;
        } else {
            refused += 1;
        }
    }
    assert!(served > 3000 && refused > 1500, "{served} {refused}");
}
