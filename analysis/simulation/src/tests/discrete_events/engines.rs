//! Switch and transpose: flits on a ring, and flits through two buffers, cycle by cycle.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::Engine;

use super::{Case, compare};

/// Lets packets of that many flits go round rings of that many slices. A slice sends a flit once its last one has come back
/// to it, so that every slice of the ring has seen it.
fn ring(slices: usize, packets: u64, flits: u64) -> u64 {
    let mut left = vec![packets * flits; slices];
    // The flit in each router: who sent it. All rings do the same; one is walked.
    let mut routers: Vec<Option<usize>> = vec![None; slices];
    let mut seen = vec![0_u64; slices];
    let mut cycles = 0;
    loop {
        for slice in 0..slices {
            if routers[slice] == Some(slice) {
                routers[slice] = None;
            }
            if routers[slice].is_none() && left[slice] > 0 {
                left[slice] -= 1;
                routers[slice] = Some(slice);
            }
        }
        if routers.iter().all(Option::is_none) {
            break;
        }
        for slice in 0..slices {
            seen[slice] += u64::from(routers[slice].is_some());
        }
        routers.rotate_right(1);
        cycles += 1;
    }
    // Every slice has seen every flit of its ring once.
    let all = packets * flits * u64::try_from(slices).unwrap_or(0);
    assert!(seen.iter().all(|seen| *seen == all));
    cycles
}

fn power(random: &mut StdRng, most: u32) -> u64 {
    1 << random.random_range(0..=most)
}

fn switch(random: &mut StdRng) -> Case {
    let (slice1, slice0) = (power(random, 3), power(random, 3));
    let outer = 256 / (slice1 * slice0);
    let (time1, time0) = (power(random, 2), power(random, 2));
    let bytes = 8 * random.random_range(1..=12_u64);
    let exchanged = random.random_range(0..6);
    // Time is cut by the exchange of slices and time into three.
    let time2 = if exchanged == 3 { slice1 } else { 1 };
    let mut axes: Vec<(String, u64)> = [
        ("O", outer),
        ("P", slice1),
        ("Q", slice0),
        ("X", slice1),
        ("Y", slice0),
        ("U", time2),
        ("T", time1),
        ("V", time0),
        ("E", bytes),
    ]
    .map(|(name, size)| (name.to_owned(), size))
    .to_vec();
    axes.sort();
    let parts = format!("slice1: {slice1}, slice0: {slice0}");
    let (time, config, out_slice, out_time) = match exchanged {
        0 => (
            "T, V",
            format!("Broadcast01 {{ {parts}, time0: {time0} }}"),
            "O, X, Y",
            "T, P, V, Q",
        ),
        1 => (
            "T, V",
            format!("Broadcast1 {{ {parts} }}"),
            "O, X, Q",
            "T, V, P",
        ),
        2 => (
            "T, V",
            format!("Transpose {{ {parts} }}"),
            "O, Q, P",
            "T, V",
        ),
        3 => (
            "T, U, V",
            format!("InterTranspose {{ {parts}, time0: {time0} }}"),
            "O, U, Q",
            "T, V, P",
        ),
        4 => (
            "T, V",
            format!("TransposedBroadcast1 {{ {parts} }}"),
            "O, Y, P",
            "T, V, Q",
        ),
        _ => (
            "T, V",
            format!("CustomBroadcast {{ ring_size: {} }}", slice1 * slice0),
            "O, X, Y",
            "T, V, P, Q",
        ),
    };
    let function = format!(
        "fn f<'l, const T: Tu>(x: FetchTensor<'l, T, i8, m![1], m![1 # 2], m![O, P, Q], m![{time}], m![E]>)
            -> SwitchTensor<'l, T, i8, m![1], m![1 # 2], m![{out_slice}], m![{out_time}], m![E]> {{
            x.switch(SwitchConfig::{config})
         }}"
    );
    let slices = usize::try_from(slice1 * slice0).unwrap_or(1);
    let cycles = ring(slices, time2 * time1 * time0, bytes.div_ceil(32));
    Case {
        function,
        axes,
        walked: vec![(Engine::Switch, Some(cycles))],
    }
}

/// Turns matrices: a flit a cycle fills a free buffer, a flit a cycle leaves a full one.
fn turn(buffers: usize, matrices: u64, in_flits: u64, out_flits: u64) -> u64 {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        Filling(u64),
        Draining(u64),
    }
    let mut states = vec![State::Filling(0); buffers];
    let (mut input, mut output) = (0, 0);
    let (mut filled, mut drained) = (0, 0);
    let mut cycles = 0;
    while drained < matrices {
        // What this cycle starts with decides what both sides do.
        let (filling, draining) = (states[input], states[output]);
        if let State::Filling(flits) = filling
            && filled < matrices
        {
            states[input] = State::Filling(flits + 1);
            if flits + 1 == in_flits {
                states[input] = State::Draining(0);
                filled += 1;
                input = (input + 1) % buffers;
            }
        }
        if let State::Draining(flits) = draining {
            states[output] = State::Draining(flits + 1);
            if flits + 1 == out_flits {
                states[output] = State::Filling(0);
                drained += 1;
                output = (output + 1) % buffers;
            }
        }
        cycles += 1;
    }
    cycles
}

fn transpose(random: &mut StdRng) -> Case {
    let (kind, lanes, most) =
        [("i8", 32, 8), ("bf16", 16, 4), ("i32", 8, 2)][random.random_range(0..3)];
    // One row is no matrix: it may as well be as many matrices as it has packets.
    let rows = random.random_range(2..=most);
    let matrices = random.random_range(1..=9_u64);
    // Rows of one packet may be cut to those that hold data; rows of more packets are full.
    let packets = power(random, 2);
    let columns = if packets == 1 {
        random.random_range(1..=8)
    } else {
        8
    };
    let axes = [("N", matrices), ("R", rows), ("G", packets), ("D", columns)]
        .map(|(name, size)| (name.to_owned(), size))
        .to_vec();
    let function = format!(
        "fn f<'l, const T: Tu>(x: CollectTensor<'l, T, {kind}, m![1], m![1 # 2], m![1 # 256], m![N, R, G], m![D # {lanes}]>)
            -> TransposeTensor<'l, T, {kind}, m![1], m![1 # 2], m![1 # 256], m![N, G, D], m![R # {lanes}]> {{ x.transpose() }}"
    );
    // Two buffers of 16 columns: wider rows take both.
    let buffers = if packets * 8 <= 16 { 2 } else { 1 };
    let cycles = turn(buffers, matrices, rows * packets, packets * columns);
    Case {
        function,
        axes,
        walked: vec![(Engine::Transpose, Some(cycles))],
    }
}

#[test]
fn switches_take_the_cycles_that_their_rings_take() {
    let mut random = StdRng::seed_from_u64(0x0051_71c4);
    let cases: Vec<Case> = (0..300).map(|_| switch(&mut random)).collect();
    assert_eq!(compare(&cases), 300);
}

#[test]
fn transposes_take_the_cycles_that_their_buffers_take() {
    let mut random = StdRng::seed_from_u64(0x007a_2590);
    let cases: Vec<Case> = (0..300).map(|_| transpose(&mut random)).collect();
    assert_eq!(compare(&cases), 300);
}
