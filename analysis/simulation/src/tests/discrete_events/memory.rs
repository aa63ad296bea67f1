//! Fetch and commit: every element's address, access by access.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::Engine;

use super::{Case, Part, compare, coordinates, random_parts, shuffled, size, written};

/// A tensor's layout in a slice's DM: parts, outermost first, with the size each is padded to.
struct Buffer {
    parts: Vec<(Part, u64)>,
}

impl Buffer {
    fn written(&self) -> String {
        let texts: Vec<String> = self
            .parts
            .iter()
            .map(|(part, padded)| {
                if *padded == part.size {
                    part.text.clone()
                } else {
                    format!("{} # {padded}", part.text)
                }
            })
            .collect();
        texts.join(", ")
    }

    /// The position of the element with those coordinates.
    fn position(&self, coordinates: &[u64]) -> u64 {
        let mut position = 0;
        for (part, padded) in &self.parts {
            position = position * padded + coordinates[part.axis] / part.weight % part.size;
        }
        position
    }
}

/// A type with its bytes.
const TYPES: [(&str, u64); 3] = [("i8", 1), ("bf16", 2), ("i32", 4)];

/// The largest of the sizes such that every access of each packet moves bytes side by side; `None` if none does.
fn access_size(packets: &[Vec<u64>], element: u64, sizes: &[u64]) -> Option<u64> {
    let fits = |bytes: u64| {
        if !bytes.is_multiple_of(element) {
            // Less than an element: its bytes are side by side.
            return element.is_multiple_of(bytes);
        }
        let elements = usize::try_from(bytes / element).unwrap_or(1);
        packets.iter().all(|packet| {
            packet.len() % elements == 0
                && packet
                    .chunks(elements)
                    .all(|access| access.windows(2).all(|pair| pair[1] == pair[0] + 1))
        })
    };
    sizes.iter().copied().filter(|bytes| fits(*bytes)).max()
}

/// Issues one access a cycle until all packets are moved.
fn walk(packets: &[Vec<u64>], element: u64, access: u64) -> u64 {
    let mut cycles = 0;
    for packet in packets {
        let mut moved = 0;
        let bytes = u64::try_from(packet.len()).unwrap_or(0) * element;
        while moved < bytes {
            moved += access;
            cycles += 1;
        }
    }
    cycles
}

/// The flits that a packet of that many bytes fills, byte by byte.
fn flits(bytes: u64) -> u64 {
    let (mut flits, mut room) = (0, 0);
    for _ in 0..bytes {
        if room == 0 {
            flits += 1;
            room = 32;
        }
        room -= 1;
    }
    flits
}

/// The buffer positions of each packet of a stream.
fn packets(buffer: &Buffer, time: &[Part], packet: &[Part], axes: usize) -> Vec<Vec<u64>> {
    (0..size(time))
        .map(|step| {
            (0..size(packet))
                .map(|element| {
                    let mut at = vec![0; axes];
                    coordinates(time, step, &mut at);
                    coordinates(packet, element, &mut at);
                    buffer.position(&at)
                })
                .collect()
        })
        .collect()
}

fn random_buffer(random: &mut StdRng, parts: &[Part], unit: u64) -> Buffer {
    let parts = shuffled(random, parts.to_vec())
        .into_iter()
        .map(|part| {
            let padded = match random.random_range(0..6) {
                0 => part.size + random.random_range(0..4),
                1 => part.size.next_multiple_of(unit),
                _ => part.size,
            };
            (part, padded)
        })
        .collect();
    Buffer { parts }
}

/// A fetch, and the collect behind it.
fn fetch(random: &mut StdRng) -> Case {
    let (axes, parts) = random_parts(random, &[2, 3, 4, 5, 8], 3);
    let buffer = random_buffer(random, &parts, 8);
    let mut stream = shuffled(random, parts);
    let packet = stream.split_off(random.random_range(0..stream.len()));
    let (kind, element) = TYPES[random.random_range(0..TYPES.len())];
    // Integers widen on their way now and then: a fetch delivers at most 32 bytes.
    let widens = element < 4 && kind != "bf16" && random.random_bool(0.3);
    let (delivered, factor) = if widens {
        ("i32", 4 / element)
    } else {
        (kind, 1)
    };
    let sub = random.random_bool(0.25);
    let sizes: Vec<u64> = [1, 2, 4, 8, 16, 32]
        .into_iter()
        .filter(|bytes| bytes * factor <= 32 && (!sub || *bytes == 8))
        .collect();
    let moved = packets(&buffer, &stream, &packet, 3);
    let cycles = access_size(&moved, element, &sizes).map(|access| walk(&moved, element, access));
    let bytes = size(&packet) * element * factor;
    let collected = flits(bytes) * size(&stream);
    let per_flit = 32 / (element * factor);
    let padded = size(&packet).next_multiple_of(per_flit);
    let context = if sub { "sub" } else { "main" };
    let function = format!(
        "fn f(ctx: &mut Context, x: &DmTensor<{kind}, m![1], m![1 # 2], m![1 # 256], m![{buffer}]>) {{
            ctx.{context}.begin(x.view()).fetch::<{delivered}, m![{time}], m![{packet}]>()
                .collect::<m![{time}, [{packet}] # {padded} / {per_flit}], m![[{packet}] # {padded} % {per_flit}]>();
         }}",
        buffer = buffer.written(),
        time = written(&stream),
        packet = written(&packet),
    );
    Case {
        function,
        axes,
        walked: vec![(Engine::Fetch, cycles), (Engine::Collect, Some(collected))],
    }
}

/// A commit of whole or padded flits into a tensor in another order.
fn commit(random: &mut StdRng) -> Case {
    let (kind, element) = TYPES[random.random_range(0..TYPES.len())];
    // The innermost part of the packet is 8, 16, 24 or 32 bytes.
    let inner = [8, 16, 24, 32][random.random_range(0..4)] / element;
    let (mut axes, parts) = random_parts(random, &[2, 3, 4], 2);
    let whole = Part {
        text: "C".to_owned(),
        axis: 2,
        size: inner,
        weight: 1,
    };
    axes.push(("C".to_owned(), inner));
    let mut stream = shuffled(random, parts.clone());
    let mut packet = vec![whole.clone()];
    // A second part of the packet, if it fills the flit with it.
    if let Some(last) = stream.pop_if(|last| last.size * inner * element == 32) {
        packet.insert(0, last);
    }
    let unit = 8 / element;
    let mut buffer = random_buffer(random, &parts, 1);
    buffer
        .parts
        .iter_mut()
        .for_each(|(part, padded)| *padded = part.size);
    let padded = inner + unit * random.random_range(0..3);
    buffer.parts.push((whole, padded));
    let moved = packets(&buffer, &stream, &packet, 3);
    let cycles =
        access_size(&moved, element, &[8, 16, 24, 32]).map(|access| walk(&moved, element, access));
    let lanes = 32 / element;
    let committed = if packet.len() == 1 && inner < lanes {
        format!("C # {lanes}")
    } else {
        written(&packet)
    };
    let function = format!(
        "fn f<'l, const T: Tu>(x: CastTensor<'l, T, {kind}, m![1], m![1 # 2], m![1 # 256], m![{time}], m![{committed}]>)
            -> DmTensor<{kind}, m![1], m![1 # 2], m![1 # 256], m![{buffer}]> {{ x.commit(0) }}",
        time = written(&stream),
        buffer = buffer.written(),
    );
    Case {
        function,
        axes,
        walked: vec![(Engine::Commit, cycles)],
    }
}

#[test]
fn fetches_and_collects_take_the_cycles_that_walking_them_takes() {
    let mut random = StdRng::seed_from_u64(0x0f37_c400);
    let cases: Vec<Case> = (0..500).map(|_| fetch(&mut random)).collect();
    let possible = |case: &&Case| case.walked[0].1.is_some();
    assert!(cases.iter().filter(possible).count() > 350);
    assert_eq!(compare(&cases), 1_000);
}

#[test]
fn commits_take_the_cycles_that_walking_them_takes() {
    let mut random = StdRng::seed_from_u64(0x00c0_3317);
    let cases: Vec<Case> = (0..400).map(|_| commit(&mut random)).collect();
    let split = cases
        .iter()
        .filter(|case| case.function.contains(", C]>)"))
        .count();
    assert!(split > 30, "{split} packets of two parts");
    assert_eq!(compare(&cases), 400);
}
