use super::*;
use crate::mapping::positions_looked_at;
use crate::testing::mapping;

use ElementType::{Bf16, F8, F32, I4, I8, I32};

type Axes<'a> = &'a [(&'a str, u64)];

fn request(
    axes: Axes,
    buffer: &str,
    time: &str,
    packet: &str,
    kind: ElementType,
    mode: SequencerMode,
) -> SequenceRequest {
    SequenceRequest::new(
        mapping(buffer, axes),
        mapping(time, axes),
        mapping(packet, axes),
        kind,
        mode,
    )
}

fn fetch(axes: Axes, buffer: &str, time: &str, packet: &str, kind: ElementType) -> SequenceReport {
    sequence_report(&request(
        axes,
        buffer,
        time,
        packet,
        kind,
        SequencerMode::Fetch,
    ))
}

fn commit(axes: Axes, buffer: &str, time: &str, packet: &str, kind: ElementType) -> SequenceReport {
    sequence_report(&request(
        axes,
        buffer,
        time,
        packet,
        kind,
        SequencerMode::Commit,
    ))
}

fn dma(axes: Axes, buffer: &str, time: &str, packet: &str) -> SequenceReport {
    sequence_report(&request(axes, buffer, time, packet, I8, SequencerMode::Dma))
}

fn entries(report: &SequenceReport) -> String {
    configuration_text(&report.entries)
}

fn merged(report: &SequenceReport) -> String {
    configuration_text(&report.merged)
}

const ABC: Axes = &[("A", 8), ("B", 8), ("C", 8)];
const NCHW: Axes = &[("N", 4), ("C", 3), ("H", 8), ("W", 8)];
const SMALL: Axes = &[("A", 3), ("B", 5), ("C", 2)];

#[test]
fn figure_s1_rearranging_all_axes() {
    let report = fetch(NCHW, "N, C, H, W", "W, H, C, N", "1", Bf16);
    assert_eq!(entries(&report), "[8:1, 8:8, 3:64, 4:192]");
    assert_eq!(report.packet_elements, Some(1));
    assert_eq!(report.access_bytes, Some(2));
    assert_eq!(report.error(), None);
}

#[test]
fn figure_s2_padding_inside_the_buffer_and_the_packet() {
    let report = fetch(ABC, "A, B, C # 32", "B, A", "C # 16", I8);
    assert_eq!(entries(&report), "[8:32, 8:256, 16:1]");
    assert_eq!(report.access_bytes, Some(16));
    assert_eq!(report.error(), None);
}

#[test]
fn figure_s3_splitting_axes() {
    let axes = &[("A", 8), ("B", 8), ("C", 4)];
    let report = fetch(
        axes,
        "A, B, C # 8",
        "A % 2, B % 4, A / 2, B / 4",
        "C # 32",
        I8,
    );
    assert_eq!(entries(&report), "[2:64, 4:8, 4:128, 2:32, 32:1]");
    assert_eq!(report.access_bytes, Some(32));
    assert_eq!(report.error(), None);
}

#[test]
fn figure_s4_slicing_axes() {
    let axes = &[("A", 16), ("B", 8), ("C", 8)];
    let report = fetch(
        axes,
        "A, B, C",
        "A / 4, A % 4 = 3, B / 4, B % 4 = 2",
        "C",
        I8,
    );
    assert_eq!(entries(&report), "[4:256, 3:64, 2:32, 2:8, 8:1]");
    assert_eq!(report.access_bytes, Some(8));
    let names: Vec<_> = report
        .entries
        .iter()
        .map(|entry| entry.axis.as_deref())
        .collect();
    assert_eq!(
        names,
        [Some("A"), Some("A"), Some("B"), Some("B"), Some("C")]
    );
}

#[test]
fn figure_s5_broadcasting_in_time_and_packet() {
    let axes = &[("A", 16), ("T", 4), ("P", 4)];
    let report = fetch(axes, "A", "T, A", "P", I8);
    assert_eq!(entries(&report), "[4:0, 16:1, 4:0]");
    assert_eq!(report.access_bytes, Some(4));
    // Each element is read once a packet; eight neighbours share a bank.
    assert_eq!(report.longest_bank_run, Some(8));
    assert_eq!(report.error(), None);
    assert_eq!(
        commit(axes, "A", "T, A", "1 # 32", I8).error(),
        Some("commit_packet_size")
    );
    assert_eq!(
        commit(axes, "A, 1 # 8", "T, A", "1 # 32", I8).error(),
        Some("sequencer_write_broadcast")
    );
}

#[test]
fn figure_s6_nine_entries_merge_to_six() {
    let axes = &[("N", 8), ("C", 8), ("H", 8), ("W", 32)];
    let time = "W / 16, H % 2, H / 2, C / 2, C % 2, N / 2, N % 2, W / 8 % 2";
    let report = fetch(axes, "N, C, H, W", time, "W % 8", I8);
    assert_eq!(
        entries(&report),
        "[2:16, 2:32, 4:64, 4:512, 2:256, 4:4096, 2:2048, 2:8, 8:1]"
    );
    assert_eq!(merged(&report), "[2:16, 2:32, 4:64, 8:256, 8:2048, 16:1]");
    assert_eq!(report.error(), None);
}

#[test]
fn figure_s7_the_buffer_holds_only_part_of_the_axis() {
    let report = fetch(&[("N", 2048)], "N % 512", "N / 512", "N % 512", I8);
    assert_eq!(report.error(), Some("sequencer_insufficient_input"));
    let needed = Misfit::Insufficient {
        axis: Arc::from("N"),
        step: 512,
        needed: 4,
        held: 1,
    };
    assert_eq!(report.violations, [SequencerViolation::Misfit(needed)]);
}

#[test]
fn figure_s8_digits_to_different_bases() {
    let report = fetch(&[("A", 15)], "A % 5, A / 5", "1", "A % 3, A / 3", I8);
    assert_eq!(report.error(), Some("sequencer_incompatible"));
}

const FETCHED: Axes = &[("N", 4), ("C", 3), ("H", 4), ("W", 8)];

fn contiguity(time: &str, packet: &str) -> (Option<u64>, Option<u64>, Option<u64>) {
    let report = fetch(FETCHED, "N, C, H, W", time, packet, I8);
    assert_eq!(report.error(), None);
    (report.contiguous_bytes, report.access_bytes, report.cycles)
}

#[test]
fn figures_f1_to_f6_contiguity_decides_the_fetch_size() {
    assert_eq!(
        contiguity("N, C, H", "W"),
        (Some(384), Some(8), Some(48)),
        "F1"
    );
    // 3 packets of 128 bytes in fetches of 32.
    assert_eq!(
        contiguity("C", "N, H, W"),
        (Some(32), Some(32), Some(12)),
        "F2"
    );
    // One packet of 384 bytes in fetches of 8.
    assert_eq!(
        contiguity("1", "N, H, C, W"),
        (Some(8), Some(8), Some(48)),
        "F3"
    );
    assert_eq!(
        contiguity("N, C, H / 2", "H % 2, W"),
        (Some(384), Some(16), Some(24)),
        "F4"
    );
    assert_eq!(
        contiguity("N, C", "H, W"),
        (Some(384), Some(32), Some(12)),
        "F5"
    );
    assert_eq!(
        contiguity("N", "C, H, W"),
        (Some(384), Some(32), Some(12)),
        "F6"
    );
}

#[test]
fn figures_f7_to_f9_padded_packets_are_fetched_faster() {
    let seven = fetch(SMALL, "A, B, C", "A, B", "C", F8);
    assert_eq!((seven.packet_bytes, seven.cycles), (Some(2), Some(15)));
    let eight = fetch(SMALL, "A, B, C", "A", "[B, C] # 16", F8);
    assert_eq!(
        (eight.access_bytes, eight.cycles, eight.error()),
        (Some(16), Some(3), None)
    );
    let nine = fetch(SMALL, "A, B, C", "1", "[A, B, C] # 32", F8);
    assert_eq!(
        (nine.access_bytes, nine.cycles, nine.error()),
        (Some(32), Some(1), None)
    );
}

const COMMITTED: Axes = &[("M", 4), ("K", 2), ("W", 8), ("N", 16)];

#[test]
fn figures_c1_to_c4_contiguity_decides_the_commit_size() {
    let one = commit(COMMITTED, "M, K, W", "M, K", "W # 32", I8);
    assert_eq!(
        (one.contiguous_bytes, one.packet_bytes, one.access_bytes),
        (Some(64), Some(8), Some(8))
    );
    assert_eq!(entries(&one), "[4:16, 2:8, 8:1]");
    let two = commit(COMMITTED, "K, M, W", "M, K", "W", F32);
    assert_eq!(
        (two.contiguous_bytes, two.access_bytes),
        (Some(32), Some(32))
    );
    assert_eq!(entries(&two), "[4:8, 2:32, 8:1]");
    let three = commit(COMMITTED, "K, M, N = 8", "M, K", "N", Bf16);
    assert_eq!(
        (
            three.contiguous_bytes,
            three.packet_bytes,
            three.access_bytes
        ),
        (Some(16), Some(16), Some(16))
    );
    assert_eq!(entries(&three), "[4:8, 2:32, 8:1]");
    let four = commit(COMMITTED, "K, M, W # 16", "K", "M, W", I8);
    assert_eq!(
        (four.contiguous_bytes, four.packet_bytes, four.access_bytes),
        (Some(8), Some(32), Some(8))
    );
    assert_eq!(entries(&four), "[2:64, 4:16, 8:1]");
    // Two packets, each in four writes.
    assert_eq!((four.accesses, four.cycles), (Some(8), Some(8)));
    for report in [one, two, three, four] {
        assert_eq!(report.error(), None);
    }
}

#[test]
fn figures_c5_and_c6_permutation_and_full_flits() {
    let five = commit(SMALL, "B, A, C # 8", "A, B", "C # 32", F8);
    assert_eq!(entries(&five), "[3:8, 5:24, 8:1]");
    assert_eq!(
        (five.access_bytes, five.cycles, five.error()),
        (Some(8), Some(15), None)
    );
    let six = commit(SMALL, "A, [B, C] # 32", "A", "[B, C] # 32", F8);
    assert_eq!(entries(&six), "[3:32, 32:1]");
    assert_eq!(
        (six.access_bytes, six.cycles, six.error()),
        (Some(32), Some(3), None)
    );
}

#[test]
fn figure_c7_tail_padding_decides_the_commit_size() {
    let axes = &[("A", 65), ("B", 2)];
    for (row, packet, expected, size, cycles) in [
        (72, 24, "[2:72, 3:24, 24:1]", 24, 6),
        (80, 16, "[2:80, 5:16, 16:1]", 16, 10),
        (88, 8, "[2:88, 11:8, 8:1]", 8, 22),
        (96, 32, "[2:96, 3:32, 32:1]", 32, 6),
    ] {
        let time = format!("B, A # {row} / {packet}");
        let flit = format!("A # {row} % {packet} # 32");
        let report = commit(axes, &format!("B, A # {row}"), &time, &flit, F8);
        assert_eq!(entries(&report), expected);
        assert_eq!(
            (report.access_bytes, report.cycles, report.error()),
            (Some(size), Some(cycles), None)
        );
    }
    // Rows of 88 bytes cannot be written in whole flits: the last flit of the second row ends at 88 + 96.
    let beyond = commit(axes, "B, A # 88", "B, A # 96 / 32", "A # 96 % 32", F8);
    assert_eq!(
        beyond.violations,
        [SequencerViolation::WriteBounds {
            end: 184,
            size: 176
        }]
    );
    // Reading as much is overfetch.
    assert_eq!(
        fetch(axes, "B, A # 88", "B, A # 96 / 32", "A # 96 % 32", F8).error(),
        None
    );
}

#[test]
fn figure_d10_both_sequencers_of_a_transfer() {
    let read = dma(NCHW, "N, C, H, W", "H, C, N", "W");
    assert_eq!(entries(&read), "[8:8, 3:64, 4:192, 8:1]");
    let write = dma(NCHW, "H, C, N, W", "H, C, N", "W");
    assert_eq!(entries(&write), "[8:96, 3:32, 4:8, 8:1]");
    assert_eq!((read.access_bytes, read.accesses), (Some(8), Some(96)));
}

#[test]
fn figure_d8_requests_of_a_dma_packet() {
    let one = dma(&[("X", 4095)], "X", "1", "X");
    assert_eq!((one.access_bytes, one.cycles), (Some(4095), Some(16)));
    let prime = dma(&[("X", 4099)], "X", "1", "X");
    assert_eq!(
        (prime.access_bytes, prime.accesses, prime.error()),
        (Some(1), Some(4099), None)
    );
}

#[test]
fn entries_are_counted_after_merging() {
    let axes: Vec<(String, u64)> = (0..9).map(|index| (format!("A{index}"), 2)).collect();
    let axes: Vec<(&str, u64)> = axes
        .iter()
        .map(|(name, size)| (name.as_str(), *size))
        .collect();
    let names: Vec<&str> = axes.iter().map(|(name, _)| *name).collect();
    let buffer = format!("{}, 1 # 8", names.join(", "));
    let forward = fetch(&axes, &buffer, &names.join(", "), "1 # 8", I8);
    assert_eq!(
        (
            forward.entries.len(),
            merged(&forward).as_str(),
            forward.error()
        ),
        (10, "[4096:1]", None)
    );
    let reversed: Vec<&str> = names.iter().rev().copied().collect();
    let backward = fetch(&axes, &buffer, &reversed.join(", "), "1 # 8", I8);
    assert_eq!(
        backward.violations,
        [SequencerViolation::Entries { count: 10 }]
    );
}

#[test]
fn iterations_are_limited_where_no_splitting_helps() {
    // A million elements in a line are legal, and so is a long loop with a stride that splits.
    let axes = &[("A", 1_000_000), ("P", 65_537), ("B", 8)];
    assert_eq!(fetch(axes, "A, B", "A", "B", I8).error(), None);
    assert_eq!(fetch(axes, "A, B # 16", "A", "B", I8).error(), None);
    assert_eq!(
        fetch(axes, "P, B # 16", "P", "B", I8).violations,
        [SequencerViolation::Iterations { size: 65_537 }]
    );
    // In a line the packet's 8 elements join the loop, and the prime factor stays.
    assert_eq!(
        fetch(axes, "P, B", "P", "B", I8).violations,
        [SequencerViolation::Iterations { size: 524_296 }]
    );
}

#[test]
fn ragged_digits_walk_like_the_axis_they_cut() {
    let axes = &[("R", 13), ("C", 8)];
    let report = fetch(axes, "R, C", "R # 16 / 4, R # 16 % 4", "C", I8);
    assert_eq!(
        (entries(&report).as_str(), merged(&report).as_str()),
        ("[4:32, 4:8, 8:1]", "[128:1]")
    );
    assert_eq!(report.error(), None);
    // In a buffer cut the same way and turned around, each part is where it is cut.
    let turned = fetch(axes, "R # 16 % 4, R # 16 / 4, C", "R # 16", "C", I8);
    assert_eq!(entries(&turned), "[4:8, 4:32, 8:1]");
    // Thirteen iterations are no multiple of four.
    assert_eq!(
        fetch(axes, "R # 16 % 4, R # 16 / 4, C", "R", "C", I8).error(),
        Some("sequencer_incompatible")
    );
}

#[test]
fn shortened_digits_hold_only_what_they_keep() {
    let axes = &[("A", 16), ("C", 8)];
    assert_eq!(fetch(axes, "A = 10, C", "A = 10", "C", I8).error(), None);
    let report = fetch(axes, "A = 10, C", "A", "C", I8);
    let needed = Misfit::Insufficient {
        axis: Arc::from("A"),
        step: 1,
        needed: 16,
        held: 10,
    };
    assert_eq!(report.violations, [SequencerViolation::Misfit(needed)]);
    // A tile's hole is walked over, not through.
    assert_eq!(
        entries(&fetch(axes, "A = 2 # 16, C", "A = 2", "C", I8)),
        "[2:8, 8:1]"
    );
}

#[test]
fn groups_that_a_size_cuts_across_are_walked_where_they_lie_in_a_line() {
    let axes = &[("A", 3), ("B", 10), ("C", 2)];
    assert_eq!(
        entries(&fetch(axes, "C, A, B", "C", "[A, B] # 32", I8)),
        "[2:30, 32:1]"
    );
    assert_eq!(
        entries(&fetch(axes, "C, [A, B] # 32", "A, B", "C # 8", I8)),
        "[3:10, 10:1, 8:32]"
    );
    // Thirty elements across two strides and two of padding: no loop steps from the one to the other.
    assert_eq!(
        fetch(axes, "C, B, A", "C", "[A, B] # 32", I8).error(),
        Some("sequencer_incompatible")
    );
}

#[test]
fn four_bit_elements_need_two_in_a_line() {
    let axes = &[("A", 8), ("B", 8)];
    let report = fetch(axes, "B, A", "1", "A, B", I4);
    assert_eq!(
        report.violations,
        [SequencerViolation::Packet {
            contiguous_bits: 4,
            packet_bits: 256
        }]
    );
    assert_eq!(fetch(axes, "A, B", "1", "A, B", I4).access_bytes, Some(32));
    assert_eq!(fetch(axes, "B, A", "1", "A, B", I8).access_bytes, Some(1));
}

#[test]
fn the_sub_context_has_one_fetch_size() {
    let axes = &[("A", 16), ("B", 16)];
    let ask = |packet: &str, buffer: &str, from: ElementType, to: ElementType| {
        let mut question = request(axes, buffer, "1", packet, from, SequencerMode::Fetch);
        question.context = Some(Context::Sub);
        question.delivered_type = to;
        let report = sequence_report(&question);
        (report.access_bytes, report.error())
    };
    assert_eq!(ask("A, B", "A, B", I8, I8), (Some(8), None));
    assert_eq!(ask("A, B", "A, B", I4, I32), (Some(4), None));
    assert_eq!(
        ask("A, B % 4", "A, B", I8, I8),
        (None, Some("fetch_sub_context_size"))
    );
    assert_eq!(ask("A, B % 8", "A, B", I4, I32), (Some(4), None));
    assert_eq!(
        ask("A, B % 4", "A, B", I4, I32),
        (None, Some("fetch_sub_context_size"))
    );
}

#[test]
fn a_conversion_bounds_the_main_contexts_fetch_size() {
    let axes = &[("A", 256)];
    let ask = |from: ElementType, to: ElementType| {
        let mut question = request(axes, "A", "1", "A", from, SequencerMode::Fetch);
        question.delivered_type = to;
        sequence_report(&question).access_bytes
    };
    assert_eq!(ask(I8, I8), Some(32));
    assert_eq!(ask(I8, I32), Some(8));
    assert_eq!(ask(I4, I32), Some(4));
    assert_eq!(ask(F32, Bf16), Some(32));
}

#[test]
fn the_committed_part_follows_the_buffers_padding() {
    let axes = &[("A", 4), ("C", 10), ("D", 8)];
    let bytes =
        |buffer: &str, packet: &str, kind| commit(axes, buffer, "A", packet, kind).packet_bytes;
    assert_eq!(bytes("A, C # 16", "C # 32", I8), Some(16));
    assert_eq!(bytes("A, C # 64", "C # 32", I8), Some(32));
    assert_eq!(bytes("A, C", "C # 32", I8), Some(10));
    assert_eq!(bytes("A, D", "D", F32), Some(32));
    assert_eq!(bytes("A, 1 # 2", "1 # 8", I32), Some(8));
    assert_eq!(bytes("A", "1 # 8", I32), Some(4));
    assert_eq!(bytes("D", "1 # 8", I32), Some(4));
    // A tile of 8 in rows of 32: the rest of a row is another tile's.
    let mut tile = request(
        &[("A", 4), ("E", 32)],
        "A, E = 8 # 32",
        "A",
        "E = 8 # 32",
        I8,
        SequencerMode::Commit,
    );
    tile.tiled = vec![Arc::from("E")];
    assert_eq!(sequence_report(&tile).packet_bytes, Some(8));
}

#[test]
fn writes_keep_to_units_of_eight_bytes() {
    let axes = &[("A", 4), ("B", 2), ("C", 8)];
    let report = commit(axes, "A, [B, C] # 20", "A, B", "C # 32", I8);
    assert_eq!(
        report.violations,
        [SequencerViolation::WriteStride {
            axis: Some(Arc::from("A")),
            bits: 160
        }]
    );
    let scattered = commit(&[("A", 4), ("C", 32)], "C, A", "A", "C", I8);
    assert_eq!(
        scattered.violations,
        [SequencerViolation::CommitSize {
            contiguous_bits: 8,
            packet_bytes: 32
        }]
    );
}

#[test]
fn one_bank_starves_where_every_access_returns_to_it() {
    let axes = &[("R", 64), ("C", 256)];
    // Rows of 128 bytes: the same banks again.
    assert_eq!(
        fetch(axes, "R, C = 32 # 128", "R", "C = 32", I8).longest_bank_run,
        Some(64)
    );
    // Rows of 160 bytes move on by four banks.
    assert_eq!(
        fetch(axes, "R, C = 32 # 160", "R", "C = 32", I8).longest_bank_run,
        Some(1)
    );
    // A broadcast stays where it is.
    assert_eq!(
        fetch(axes, "C % 32", "R", "C % 32", I8).longest_bank_run,
        Some(64)
    );
}

#[test]
fn axes_of_any_size_take_no_longer() {
    let axes = &[("A", 1 << 40), ("B", 1 << 12)];
    let before = positions_looked_at();
    let report = fetch(axes, "A, B", "B / 64, A", "B % 64", I8);
    assert_eq!(merged(&report), "[64:64, 1099511627776:4096, 64:1]");
    assert_eq!(report.error(), None);
    assert_eq!(report.longest_bank_run, Some(1));
    let positions = positions_looked_at() - before;
    assert!(positions < 10_000, "{positions} positions of 2^52");
}
