//! The book's figures for DMA and HBM, by the names that the catalogue of figures gives them.

use super::hbm::{Direction, Stream, Stride};
use super::*;
use crate::hardware::ElementType;
use crate::kernel::{AddressValue, OperationId, OperationKind, Origin, TensorId};
use crate::testing::{mapping, written};
use crate::testing_body::BodyBuilder;

type Axes<'a> = &'a [(&'a str, u64)];

/// A transfer of bytes between tensors in HBM (an element) or DM (slice and element), at these addresses.
fn transfer(axes: Axes, source: &[&str], target: &[&str], addresses: (u64, u64)) -> OperationCost {
    let mut builder = BodyBuilder::new(axes);
    let tier = |levels: &[&str]| {
        if levels.len() == 1 {
            Tier::Hbm
        } else {
            Tier::Dm
        }
    };
    let read = builder.tensor(
        tier(source),
        source,
        AddressValue::Bytes(addresses.0),
        Origin::Parameter,
    );
    let write = builder.tensor(
        tier(target),
        target,
        AddressValue::Bytes(addresses.1),
        Origin::Operation(OperationId(0)),
    );
    builder.copy(read, write);
    costed(builder)
}

fn costed(mut builder: BodyBuilder<'_>) -> OperationCost {
    for tensor in &mut builder.body.tensors {
        tensor.element_type.value = Some(ElementType::I8);
    }
    let OperationKind::Copy(copy) = &builder.body.operations[0].kind else {
        panic!("a copy")
    };
    let derivation = crate::derivation::dma::derive_dma(&builder.body, copy);
    transfer_cost(
        &builder.body,
        copy,
        &derivation,
        crate::hardware::Model::Book,
    )
}

fn busy(cost: &OperationCost, engine: Engine) -> Option<u64> {
    let stage = cost.stages.iter().find(|stage| stage.engine == engine)?;
    stage.busy
}

fn detail(cost: &OperationCost, engine: Engine) -> &str {
    let stage = cost.stages.iter().find(|stage| stage.engine == engine);
    stage.map_or("", |stage| stage.detail.as_str())
}

#[test]
fn d1_one_engine_from_hbm_to_hbm() {
    let axes = &[("A", 8), ("B", 8), ("C", 256)];
    let cost = transfer(axes, &["A, B, C"], &["B, A, C"], (0, 16_384));
    assert_eq!(
        detail(&cost, Engine::DmaRead),
        "[8:2048, 8:256, 256:1]:256 @0"
    );
    assert_eq!(
        detail(&cost, Engine::DmaWrite),
        "[8:256, 8:2048, 256:1]:256 @16384"
    );
    assert_eq!(busy(&cost, Engine::DmaRead), Some(64));
    assert_eq!(busy(&cost, Engine::DmaWrite), Some(64));
    assert_eq!(cost.cycles, Some(64 + 64 + 500));
    assert_eq!(cost.gaps, []);
}

#[test]
fn d2_one_engine_from_hbm_to_dm() {
    let axes = &[("A", 256), ("B", 256), ("C", 256)];
    let cost = transfer(axes, &["B, A, C"], &["A / 4", "A % 4, B, C"], (0, 0));
    assert_eq!(
        detail(&cost, Engine::DmaRead),
        "[256:65536, 4:256, 32:1024, 2:32768, 256:1]:256 @0"
    );
    assert_eq!(
        detail(&cost, Engine::DmaWrite),
        "[256:256, 4:65536, 32:slice_stride, 2:DMN_stride, 256:1]:256 @0"
    );
    assert_eq!(busy(&cost, Engine::DmaRead), Some(65_536));
    assert_eq!(busy(&cost, Engine::DmaWrite), Some(65_536));
    assert_eq!(cost.cycles, Some(66_036));
    let pattern = cost.dma.expect("a pattern");
    assert_eq!((pattern.engines, pattern.commands), (1, 1));
}

#[test]
fn d3_one_engine_from_dm_to_dm() {
    let axes = &[("A", 256), ("B", 256), ("C", 256)];
    let cost = transfer(
        axes,
        &["A / 4", "A % 4, B, C"],
        &["A / 4", "B, A % 4, C"],
        (0, 4 * 256 * 256),
    );
    assert_eq!(cost.cycles, Some(65_536 + 65_536 + 500));
    assert_eq!(
        detail(&cost, Engine::DmaWrite),
        "[256:1024, 4:256, 32:slice_stride, 2:DMN_stride, 256:1]:256 @262144"
    );
}

/// The stream of example 4: two clusters of four engines, each with its own base.
fn example_4() -> Stream {
    let engines = (0..2_u64).flat_map(|cluster| (0..4_u64).map(move |dmn| (cluster, dmn)));
    let points = engines.map(|(cluster, dmn)| {
        let slices = (0..32_u64).flat_map(|slice| (0..2_u64).map(move |dmn| (slice, dmn)));
        let place = |(slice, half): (u64, u64)| {
            (cluster << 20) + (dmn << 18) + (slice << 21) + (half << 26)
        };
        slices.map(place).collect()
    });
    Stream {
        direction: Direction::Read,
        base: 0,
        loops: vec![
            Stride {
                size: 256,
                bytes: 1024,
            },
            Stride {
                size: 4,
                bytes: 256,
            },
        ],
        points: points.collect(),
        spread: vec![
            Stride {
                size: 2,
                bytes: 1 << 20,
            },
            Stride {
                size: 4,
                bytes: 1 << 18,
            },
            Stride {
                size: 32,
                bytes: 1 << 21,
            },
            Stride {
                size: 2,
                bytes: 1 << 26,
            },
        ],
        packet_bytes: 256,
    }
}

#[test]
fn d4_row_conflicts_of_eight_engines() {
    let pattern = example_4().pattern().expect("a pattern");
    assert_eq!(pattern.requests, 524_288);
    assert_eq!(pattern.channels, 32);
    assert_eq!(pattern.row_switches, 524_288);
    assert_eq!(pattern.channel_cycles, 655_360);
    assert_eq!(pattern.cycles() + START_CYCLES, 655_860);
}

#[test]
fn d5_an_idle_stack_of_eight_engines() {
    let axes = &[("A", 8), ("B", 64), ("C", 8), ("D", 512)];
    let mut builder = BodyBuilder::new(axes);
    let source = builder.tensor(
        Tier::Hbm,
        &["A, B, C, D"],
        AddressValue::Bytes(0),
        Origin::Parameter,
    );
    let target = builder.tensor(
        Tier::Dm,
        &["A % 4, B", "C, D % 256"],
        AddressValue::Bytes(0),
        Origin::Operation(OperationId(0)),
    );
    let TensorId(number) = target;
    builder.body.tensors[number as usize].levels.cluster = Some(written(mapping("A / 4", axes)));
    // What is left out of the target is a view's other half: the loops are those of a source without it.
    let source_levels = &mut builder.body.tensors[source.0 as usize].levels;
    source_levels.element = written(mapping("A, B, C, D % 256 # 512", axes));
    builder.copy(source, target);
    let cost = costed(builder);
    let pattern = cost.dma.expect("a pattern");
    assert_eq!(pattern.engines, 8);
    let SidePattern::Hbm(hbm) = &pattern.read else {
        panic!("a read from HBM")
    };
    assert_eq!((hbm.requests, hbm.channels, hbm.stacks), (4096, 16, 1));
    // 256 requests a channel at 16/3 cycles; the book rounds 5.33 to 5.3.
    assert_eq!(hbm.channel_cycles, 1366);
    let book = 1357 + 500;
    assert!(cost.cycles.expect("cycles").abs_diff(book) * 100 < book);
    assert_eq!(pattern.write.cycles(), 512);
}

#[test]
fn d6_segments_of_a_shape_that_does_not_divide() {
    let axes = &[("A", 15), ("B", 32), ("C", 256), ("D", 8)];
    let mut builder = BodyBuilder::new(axes);
    let source = builder.tensor(
        Tier::Dm,
        &["A # 16 / 4, A # 16 / 2 % 2, B", "A # 16 % 2, C"],
        AddressValue::Bytes(0),
        Origin::Parameter,
    );
    let target = builder.tensor(
        Tier::Hbm,
        &["D % 2, B, A, C"],
        AddressValue::Bytes(0),
        Origin::Operation(OperationId(0)),
    );
    for tensor in [source, target] {
        builder.body.tensors[tensor.0 as usize].levels.chip = Some(written(mapping("D / 2", axes)));
    }
    builder.body.tensors[source.0 as usize].levels.cluster = Some(written(mapping("D % 2", axes)));
    builder.copy(source, target);
    let cost = costed(builder);
    let pattern = cost.dma.expect("a pattern");
    assert_eq!(pattern.commands, 2);
    // The other engines: 128 requests a side.
    assert_eq!(pattern.read.engine_cycles(), 128);
    assert_eq!(pattern.write.engine_cycles(), 128);
    assert_eq!(cost.cycles, Some(192 + 1_000));
}

#[test]
fn d7_a_descriptor_of_256_times_256_packets() {
    let axes = &[("A", 256), ("B", 256), ("C", 256)];
    let cost = transfer(axes, &["A, B, C"], &["B, A, C"], (0, 1 << 24));
    assert_eq!(
        detail(&cost, Engine::DmaRead),
        "[256:65536, 256:256, 256:1]:256 @0"
    );
    assert_eq!(
        detail(&cost, Engine::DmaWrite),
        "[256:256, 256:65536, 256:1]:256 @16777216"
    );
    // The book's line counts one side: both are in HBM, and each takes as long.
    assert_eq!(busy(&cost, Engine::DmaRead), Some(256 * 256));
}

#[test]
fn d8_requests_of_odd_packets() {
    let requests = |bytes: u64| {
        let axes = &[("X", bytes), ("N", 2)];
        let cost = transfer(axes, &["N, X"], &["N, X # 5000"], (0, 1 << 20));
        cost.dma
            .map(|pattern| (pattern.packet_bytes, pattern.read_requests / 2))
    };
    assert_eq!(requests(4_095), Some((4_095, 16)));
    assert_eq!(requests(4_099), Some((1, 4_099)));
}

#[test]
fn d9_a_packet_that_ends_within_a_unit() {
    let axes = &[("X", 2_800)];
    let cost = transfer(axes, &["1 # 256", "X"], &["X"], (0, 0));
    let pattern = cost.dma.expect("a pattern");
    let SidePattern::Hbm(hbm) = &pattern.write else {
        panic!("a write to HBM")
    };
    assert_eq!((hbm.requests, hbm.partial_writes), (11, 1));
}

#[test]
fn d10_the_basic_layout() {
    let axes = &[("N", 4), ("C", 3), ("H", 8), ("W", 8)];
    let cost = transfer(axes, &["N, C, H, W"], &["H, C, N, W"], (1024, 2048));
    assert_eq!(
        detail(&cost, Engine::DmaRead),
        "[8:8, 3:64, 4:192, 8:1]:8 @1024"
    );
    assert_eq!(
        detail(&cost, Engine::DmaWrite),
        "[8:96, 3:32, 4:8, 8:1]:8 @2048"
    );
}

#[test]
fn b3_bandwidths() {
    // 256 bytes a cycle over two DMNs, 128 over one.
    let cycles = |slice: &str| {
        let axes = &[("S", 64), ("T", 32), ("C", 256), ("N", 4)];
        let target = [slice, "N, C"];
        let source = if slice.starts_with('S') {
            "N, S, C"
        } else {
            "N, T, C"
        };
        let cost = transfer(axes, &[source], &target, (0, 0));
        busy(&cost, Engine::DmaWrite)
    };
    assert_eq!(cycles("S # 256"), Some(64 * 4));
    assert_eq!(cycles("T # 256"), Some(32 * 4 * 2));
    // A link between chips moves 30 bytes a cycle.
    assert_eq!(PCIE_BYTES, 30);
    // 32 channels of 256 bytes in 16/3 cycles.
    assert_eq!(hbm::CHANNELS as u64 * 3 / hbm::TRANSFER_THIRDS, 6);
}

#[test]
fn b4_channels_fold_the_address() {
    for bit in 0..4_u32 {
        for address_bit in (9 + bit..=28).step_by(4) {
            assert_eq!(
                hbm::channel(1 << address_bit),
                1 << bit,
                "bit {address_bit}"
            );
        }
    }
    assert_eq!(hbm::channel(1 << 8), 16);
    for bit in (0..8).chain(29..36) {
        assert_eq!(hbm::channel(1 << bit), 0, "bit {bit}");
    }
    assert_eq!(hbm::channel(1 << 9 | 1 << 13), 0);
}

#[test]
fn b5_a_row_switch_takes_40_cycles() {
    // Two rows of one bank and channel in turn: bit 21 moves the row and the channel's first bit, bit 9 moves it back.
    let rows = Stream {
        direction: Direction::Read,
        base: 0,
        loops: vec![Stride {
            size: 100,
            bytes: 0,
        }],
        points: vec![vec![0, 1 << 21 | 1 << 9]],
        spread: vec![],
        packet_bytes: 256,
    };
    let pattern = rows.pattern().expect("a pattern");
    // The first row opens unseen.
    assert_eq!(pattern.row_switches, 199);
    assert_eq!(pattern.channel_cycles, (16 + 199 * 120_u64).div_ceil(3));
    // In banks of their own both rows stay open: bit 17 moves bank and channel's first bit.
    let banks = Stream {
        points: vec![vec![0, 1 << 17 | 1 << 9]],
        ..rows
    };
    let pattern = banks.pattern().expect("a pattern");
    assert_eq!(pattern.row_switches, 0);
    assert_eq!(pattern.channel_cycles, (200 * 16_u64).div_ceil(3));
}
