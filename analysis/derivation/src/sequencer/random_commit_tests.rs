//! Random commits in the stream's own order, and random fetches of groups that are cut across, position by position: no
//! commit leaves the tensor, none of them is refused, and each element comes from and arrives in its place.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::*;
use crate::hardware::ElementType::{Bf16, F32, I8};
use crate::mapping::{Cell, PaddingKind};
use crate::testing::mapping;

const AXES: &[(&str, u64)] = &[
    ("A", 3),
    ("B", 5),
    ("C", 4),
    ("D", 7),
    ("E", 6),
    ("F", 10),
    ("O", 1),
];

/// Parts of a stream's time, outermost first, and the packet's elements: what the element holds in the same order.
struct Stream {
    time: Vec<Mapping>,
    packet: Mapping,
}

fn padded(part: &Mapping, positions: u64) -> Mapping {
    part.pad_to(positions, PaddingKind::Top).expect("it grows")
}

/// Axes, padded or not, steps without data, and now and then a group cut across its axes, of which the packet is the
/// innermost part.
fn draw(random: &mut StdRng, lanes: u64, unit: u64) -> Option<Stream> {
    let mut names: Vec<&str> = vec!["A", "B", "C", "D", "E", "F"];
    let mut axis = |random: &mut StdRng| {
        let name = names.swap_remove(random.random_range(0..names.len()));
        mapping(name, AXES)
    };
    let packet_positions = unit * random.random_range(1..=lanes / unit);
    let (group, packet) = if random.random_bool(0.5) {
        let group = axis(random).pair(&axis(random)).expect("small");
        let size = group.size().next_multiple_of(packet_positions);
        let size = size + packet_positions * random.random_range(0..2);
        let group = padded(&group, size);
        let packet = group.modulo(packet_positions).expect("a divisor");
        (
            Some(group.stride(packet_positions).expect("a divisor")),
            packet,
        )
    } else {
        let live = random.random_range(1..=packet_positions);
        let lane = [("K", live)];
        (None, padded(&mapping("K", &lane), packet_positions))
    };
    let mut time = Vec::new();
    for _ in 0..random.random_range(0..=3) {
        let part = match random.random_range(0..5) {
            0 => padded(&Mapping::identity(), random.random_range(2..=4)),
            1 => padded(&mapping("O", AXES), random.random_range(2..=4)),
            2 => {
                let part = axis(random);
                let more = random.random_range(0..4);
                padded(&part, part.size() + more)
            }
            _ => axis(random),
        };
        time.push(part);
    }
    if let Some(group) = group {
        // The rest of the group in one or two parts, anywhere in time.
        let divisors: Vec<u64> = (1..=group.size())
            .filter(|n| group.size().is_multiple_of(*n))
            .collect();
        let n = divisors[random.random_range(0..divisors.len())];
        let parts = [group.stride(n).ok()?, group.modulo(n).ok()?];
        for part in parts {
            let at = random.random_range(0..=time.len());
            time.insert(at, part);
        }
    }
    Some(Stream { time, packet })
}

#[test]
fn commits_in_the_order_of_the_stream_stay_inside() {
    let mut random = StdRng::seed_from_u64(0xC0_331);
    let (mut judged, mut cut, mut grouped) = (0, 0, 0);
    while judged < 5_000 {
        let (element_type, lanes) = [(I8, 32), (Bf16, 16), (F32, 8)][random.random_range(0..3)];
        let Some(stream) = draw(&mut random, lanes, lanes / 4) else {
            continue;
        };
        let time = Mapping::product(&stream.time).expect("small");
        let buffer = time.pair(&stream.packet).expect("small");
        if buffer.size() > 4_000 {
            continue;
        }
        judged += 1;
        cut += u32::from(stream.packet.size() < lanes);
        grouped += u32::from(buffer.form().has_composites() || time.form().has_composites());
        let flit = padded(&stream.packet, lanes);
        let request = SequenceRequest::new(
            buffer.clone(),
            time.clone(),
            flit.clone(),
            element_type,
            SequencerMode::Commit,
        );
        let report = sequence_report(&request);
        let refused: Vec<_> = report
            .violations
            .iter()
            .filter(|violation| !matches!(violation, SequencerViolation::Entries { .. }))
            .collect();
        assert!(
            refused.is_empty(),
            "{time:?}, {flit:?} to {buffer:?}: {refused:?}"
        );
        if report.entries.is_empty() {
            continue;
        }
        arrives(&report, &time.pair(&flit).expect("small"), &request);
    }
    assert!(cut > 1_000 && grouped > 500, "{cut} cut, {grouped} grouped");
}

/// Every element of the stream is written where the buffer holds it, and nothing outside of the buffer.
fn arrives(report: &SequenceReport, stream: &Mapping, request: &SequenceRequest) {
    let written: u64 = report.entries.iter().map(|entry| entry.size).product();
    let steps = request.time.size();
    let (held, moved) = (request.buffer.form().function(), stream.form().function());
    let lanes = written / steps;
    assert_eq!(lanes * steps, written, "{request:?}");
    for position in 0..written {
        let mut rest = position;
        let mut address = 0;
        for entry in report.entries.iter().rev() {
            address += i128::from(rest % entry.size) * entry.stride.expect("a stride");
            rest /= entry.size;
        }
        let address = u64::try_from(address).expect("forward");
        assert!(
            address < request.buffer.size(),
            "{request:?} writes {address}"
        );
        let asked = position / lanes * request.packet.size() + position % lanes;
        if let Cell::Index(index) = moved.cell_at(asked) {
            assert_eq!(
                held.cell_at(address),
                Cell::Index(index),
                "{request:?}: {asked} goes to {address}, {:?}",
                report.entries
            );
        }
    }
}

/// A buffer that holds a group in a line, read in parts of the group in any order: every element is found where it is.
#[test]
fn fetches_of_a_group_in_parts_read_what_the_stream_asks_for() {
    let mut random = StdRng::seed_from_u64(0xFE7C4);
    let (mut judged, mut across) = (0, 0);
    while judged < 2_000 {
        let names = ["A", "B", "C", "D", "E", "F"];
        let first = random.random_range(0..4);
        let part = |at: usize| mapping(names[at], AXES);
        let whole = part(first).pair(&part(first + 1)).expect("small");
        let whole = match random.random_range(0..3) {
            0 => part(first + 2 - 6 * usize::from(first + 2 > 5))
                .pair(&whole)
                .expect("small"),
            _ => whole,
        };
        let size = whole.size().next_multiple_of(random.random_range(1..=12));
        let group = padded(&whole, size);
        let divisors: Vec<u64> = (1..=size).filter(|n| size.is_multiple_of(*n)).collect();
        let n = divisors[random.random_range(0..divisors.len())];
        let inner: Vec<u64> = divisors
            .iter()
            .copied()
            .filter(|m| n.is_multiple_of(*m))
            .collect();
        let m = inner[random.random_range(0..inner.len())];
        let other = mapping("X", &[("X", 3)]);
        let mut time = vec![
            group.stride(n).expect("a divisor"),
            group
                .modulo(n)
                .and_then(|part| part.stride(m))
                .expect("a divisor"),
            other.clone(),
        ];
        let turn = random.random_range(0..3);
        time.rotate_left(turn);
        if random.random_bool(0.5) {
            time.swap(0, 1);
        }
        let time = Mapping::product(&time).expect("small");
        let packet = group.modulo(m).expect("a divisor");
        let buffer = if random.random_bool(0.5) {
            other.pair(&group)
        } else {
            group.pair(&other)
        };
        let buffer = buffer.expect("small");
        if buffer.size() > 2_000 || whole.axes().iter().any(|axis| axis.name() == "X") {
            continue;
        }
        judged += 1;
        let stream = time.pair(&packet).expect("small");
        across += u32::from(stream.form().has_composites());
        let request = SequenceRequest::new(buffer, time, packet, I8, SequencerMode::Fetch);
        let report = sequence_report(&request);
        let misfit = report
            .violations
            .iter()
            .find(|violation| matches!(violation, SequencerViolation::Misfit(_)));
        assert_eq!(misfit, None, "{request:?}");
        let (held, asked) = (request.buffer.form().function(), stream.form().function());
        let read: u64 = report.entries.iter().map(|entry| entry.size).product();
        assert_eq!(read, stream.size(), "{request:?}: {:?}", report.entries);
        for position in 0..read {
            let Cell::Index(index) = asked.cell_at(position) else {
                continue;
            };
            let mut rest = position;
            let mut address = 0;
            for entry in report.entries.iter().rev() {
                address += i128::from(rest % entry.size) * entry.stride.expect("a stride");
                rest /= entry.size;
            }
            let address = u64::try_from(address).expect("forward");
            assert_eq!(
                held.cell_at(address),
                Cell::Index(index),
                "{request:?}: {position} reads {address}, {:?}",
                report.entries
            );
        }
    }
    assert!(across > 500, "{across} cut across");
}
