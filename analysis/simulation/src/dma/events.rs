//! A second, slow model of a transfer, request by request in time, and its agreement with the first one.
//!
//! It shares nothing with the model but the list of loops: addresses are taken apart bit by bit, engines, channels and DMNs
//! are queues in one run of events. Engines that share channels take turns whole, as the book's examples add them up.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::*;
use crate::transfer::Loop;

/// Thirds of a cycle.
type Time = u64;

/// Slice and byte on each side.
type Places = [(u64, u64); 2];

/// Where a request goes, and how long it takes there.
#[derive(Debug, Clone)]
struct Visit {
    /// The channel, or the DMN.
    server: u64,
    /// Bank and row in HBM.
    place: Option<(Vec<bool>, Vec<bool>)>,
    service: Time,
}

/// A request: what the engine spends on it, and where it goes.
#[derive(Debug, Clone)]
struct Request {
    issue: Time,
    visits: Vec<Visit>,
}

fn address_bits(address: u64, which: &[u32]) -> Vec<bool> {
    which.iter().map(|bit| address >> bit & 1 == 1).collect()
}

fn visit_hbm(unit: u64, service: Time) -> Visit {
    let mut server = address_bit(unit, 8) * 16;
    for bit in 0..4 {
        let folded = (0..5).fold(0, |sum, turn| sum ^ address_bit(unit, 9 + bit + 4 * turn));
        server += folded << bit;
    }
    let mut row: Vec<u32> = (21..=33).collect();
    row.push(35);
    Visit {
        server,
        place: Some((
            address_bits(unit, &[13, 17, 18, 19, 20, 34]),
            address_bits(unit, &row),
        )),
        service,
    }
}

fn address_bit(address: u64, bit: u64) -> u64 {
    address >> bit & 1
}

/// The requests of a packet in HBM.
fn hbm_requests(half: Side, address: u64, bytes: u64) -> Vec<Request> {
    let mut requests = Vec::new();
    for start in (0..bytes).step_by(256) {
        let (from, to) = (address + start, address + bytes.min(start + 256));
        let units: Vec<u64> = (from / 256..=(to - 1) / 256)
            .map(|unit| unit * 256)
            .collect();
        let full = units.len() == 1 && to - from == 256;
        let count = units.len() as u64;
        let (issue, service) = match half {
            Side::Source => (3 * count, 16),
            Side::Target if full => (3, 16),
            Side::Target => (150, 800 / count),
        };
        let visits = units
            .into_iter()
            .map(|unit| visit_hbm(unit, service))
            .collect();
        requests.push(Request { issue, visits });
    }
    requests
}

fn dm_requests(slice: u64, bytes: u64) -> Vec<Request> {
    let lengths = (0..bytes)
        .step_by(256)
        .map(|start| (bytes - start).min(256));
    let request = |length: u64| Request {
        issue: 3,
        visits: vec![Visit {
            server: slice / 32,
            place: None,
            service: length.div_ceil(128) * 3,
        }],
    };
    lengths.map(request).collect()
}

/// All packets of a transfer in the order of the stream, by engine: slice and byte on each side.
fn packets_by_engine(transfer: &Transfer) -> BTreeMap<u64, Vec<Places>> {
    let mut all: Vec<(Vec<u64>, Places)> = vec![(vec![], [(0, 0), (0, 0)])];
    for entry in &transfer.loops {
        let mut next = Vec::new();
        for (turns, [read, write]) in &all {
            for turn in 0..entry.count {
                let mut turns = turns.clone();
                turns.push(turn);
                let moved = |place: (u64, u64), step: Step| {
                    (place.0 + turn * step.slices, place.1 + turn * step.bytes)
                };
                next.push((
                    turns,
                    [moved(*read, entry.source), moved(*write, entry.target)],
                ));
            }
        }
        all = next;
    }
    // The loops over slices come innermost: slices, then DMNs; everything else keeps its order.
    let spatial = |entry: &Loop<Step>| entry.source.slices + entry.target.slices > 0;
    let mut keyed: Vec<_> = all
        .into_iter()
        .flat_map(|(turns, [read, write])| {
            (0..transfer.packets).map(move |packet| {
                let offset = packet * transfer.packet_bytes;
                let places = [(read.0, read.1 + offset), (write.0, write.1 + offset)];
                (turns.clone(), packet, places)
            })
        })
        .map(|(turns, packet, places)| {
            let outer: Vec<u64> = turns
                .iter()
                .zip(&transfer.loops)
                .filter(|(_, entry)| !spatial(entry))
                .map(|(turn, _)| *turn)
                .collect();
            let slice = places[0].0.max(places[1].0);
            ((slice / 64, outer, packet, slice % 32, slice / 32), places)
        })
        .collect();
    keyed.sort();
    let mut engines = BTreeMap::<u64, Vec<_>>::new();
    for ((engine, ..), places) in keyed {
        engines.entry(engine).or_default().push(places);
    }
    engines
}

/// A server's state.
#[derive(Debug, Default)]
struct Server {
    queue: VecDeque<Time>,
    free: Time,
    worked: Time,
    banks: BTreeMap<Vec<bool>, (Vec<bool>, Time)>,
}

/// Runs one engine's requests alone: when all are issued and served, and how long each server worked.
fn run(requests: &[Request], depth: usize) -> (Time, BTreeMap<u64, Time>) {
    let mut servers = BTreeMap::<u64, Server>::new();
    let mut events = BinaryHeap::from([Reverse((0, 0, 0))]);
    let mut last = 0;
    while let Some(Reverse((now, number, part))) = events.pop() {
        let Some(request) = requests.get(number) else {
            last = last.max(now);
            continue;
        };
        let Some(visit) = request.visits.get(part) else {
            events.push(Reverse((now + request.issue, number + 1, 0)));
            continue;
        };
        let server = servers.entry(visit.server).or_default();
        while server.queue.front().is_some_and(|end| *end <= now) {
            server.queue.pop_front();
        }
        if server.queue.len() >= depth {
            let room = server.queue[0];
            events.push(Reverse((room, number, part)));
            continue;
        }
        let start = server.free.max(now);
        let mut end = start + visit.service;
        if let Some((bank, row)) = &visit.place {
            if let Some((open, free)) = server.banks.get(bank)
                && open != row
            {
                end = end.max(free + 120);
            }
            server.banks.insert(bank.clone(), (row.clone(), end));
        }
        server.worked += end - start;
        server.free = end;
        server.queue.push_back(end);
        last = last.max(end.saturating_sub(16));
        events.push(Reverse((now, number, part + 1)));
    }
    let worked = servers
        .into_iter()
        .map(|(name, server)| (name, server.worked));
    (last, worked.collect())
}

/// Cycles of one side.
fn side_cycles(transfer: &Transfer, half: Side) -> u64 {
    let number = usize::from(half == Side::Target);
    let place = transfer.place(half);
    let mut worked = BTreeMap::<u64, Time>::new();
    let mut slowest = 0;
    for packets in packets_by_engine(transfer).into_values() {
        let requests: Vec<Request> = packets
            .iter()
            .flat_map(|places| {
                let (slice, byte) = places[number];
                match place.tier {
                    Tier::Hbm => {
                        hbm_requests(half, place.base.unwrap_or(0) + byte, transfer.packet_bytes)
                    }
                    _ => dm_requests(slice, transfer.packet_bytes),
                }
            })
            .collect();
        let depth = if place.tier == Tier::Hbm {
            64
        } else {
            usize::MAX
        };
        let (time, servers) = run(&requests, depth);
        slowest = slowest.max(time);
        for (server, time) in servers {
            *worked.entry(server).or_default() += time;
        }
    }
    slowest
        .max(worked.into_values().max().unwrap_or(0))
        .div_ceil(3)
}

fn simulated_cycles(transfer: &Transfer) -> u64 {
    let (read, write) = (
        side_cycles(transfer, Side::Source),
        side_cycles(transfer, Side::Target),
    );
    let both = if transfer.source.tier == transfer.target.tier {
        read + write
    } else {
        read.max(write)
    };
    both + 500
}

/// A random transfer of at most `limit` packets. Sizes and strides are mixed, not only powers of two.
fn random(random: &mut StdRng, limit: u64) -> Transfer {
    let tiers = [
        (Tier::Hbm, Tier::Dm),
        (Tier::Dm, Tier::Hbm),
        (Tier::Hbm, Tier::Hbm),
        (Tier::Dm, Tier::Dm),
    ];
    let (source, target) = tiers[random.random_range(0..tiers.len())];
    let packet_bytes =
        [8, 64, 100, 128, 256, 256, 256, 320, 512, 768, 1024][random.random_range(0..11)];
    let in_dm = source == Tier::Dm || target == Tier::Dm;
    let slice_size = [1, 2, 7, 32, 48, 64, 100, 128, 256][random.random_range(0..9)];
    let mut packets = if in_dm { slice_size } else { 1 };
    let mut sizes = Vec::new();
    for _ in 0..random.random_range(1..4) {
        let most = if random.random() { 8 } else { 64 };
        let size = random.random_range(2..=most);
        if packets * size <= limit {
            packets *= size;
            sizes.push(size);
        }
    }
    let stride = |random: &mut StdRng| {
        let step: u64 = [1, 1, 1, 2, 3, 4, 5, 8, 16, 64, 480, 1 << 13][random.random_range(0..12)];
        let unit = if random.random_ratio(1, 8) { 64 } else { 256 };
        let large = if random.random_ratio(1, 6) { 21 } else { 0 };
        (step * unit) << large
    };
    let mut loops: Vec<Loop<Step>> = sizes
        .into_iter()
        .map(|size| {
            let mut step = || Step {
                bytes: stride(random),
                ..Step::default()
            };
            Loop {
                count: size,
                source: step(),
                target: step(),
            }
        })
        .collect();
    if in_dm {
        let mut step = |tier| match tier {
            Tier::Dm => Step {
                slices: 1,
                ..Step::default()
            },
            _ => Step {
                bytes: stride(random),
                ..Step::default()
            },
        };
        let (read, write) = (step(source), step(target));
        loops.push(Loop {
            count: slice_size,
            source: read,
            target: write,
        });
    }
    let mut place = |tier| Place {
        tier,
        base: Some(random.random_range(0..64) * [64, 256, 256, 4096][random.random_range(0..4)]),
    };
    Transfer {
        source: place(source),
        target: place(target),
        loops,
        packets: 1,
        packet_bytes,
        run_bytes: packet_bytes,
        segments: None,
        whole_bytes: None,
        calibration: None,
    }
}

#[test]
fn the_model_agrees_with_a_run_of_events() {
    let mut generator = StdRng::seed_from_u64(20_261_121);
    let (mut tried, mut bound_by_memory) = (0, 0);
    while tried < 1_200 {
        let transfer = random(&mut generator, 1_200);
        let cost = transfer.cost().expect("a cost");
        let expected = simulated_cycles(&transfer);
        assert!(
            cost.cycles.abs_diff(expected) * 50 <= expected,
            "{} is not {expected}: {transfer:?}",
            cost.cycles
        );
        tried += 1;
        let requests = cost.read.engine_cycles().max(cost.write.engine_cycles());
        bound_by_memory += u64::from(cost.cycles > requests * 2 + 600);
    }
    assert!(bound_by_memory > 100, "{bound_by_memory}");
}

#[test]
fn windows_agree_with_a_run_of_events() {
    let mut generator = StdRng::seed_from_u64(4);
    let (mut tried, mut close) = (0, 0);
    while tried < 20 {
        let transfer = random(&mut generator, 20_000);
        let cost = transfer.cost().expect("a cost");
        let sampled = [&cost.read, &cost.write]
            .into_iter()
            .any(|side| matches!(side, SidePattern::Hbm(hbm) if hbm.walked < hbm.requests));
        if !sampled {
            continue;
        }
        tried += 1;
        let expected = simulated_cycles(&transfer);
        close += u64::from(cost.cycles.abs_diff(expected) * 10 <= expected);
    }
    assert!(close >= 18, "{close} of {tried}");
}
