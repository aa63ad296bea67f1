//! Races against all interleavings of small random programs.

use std::collections::HashSet;

use super::super::program::lower_file;
use super::super::registers::in_force;
use super::super::syntax::parse;
use super::super::transfers::{Copy, Derived, derive_copy};
use super::super::values::{Memory, Names};
use super::find_races;

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

const NAMES: [&str; 4] = ["PIPE_MTE2", "PIPE_V", "PIPE_MTE3", "PIPE_S"];

/// A small program. Buffers are 0 and 1; every access has a number, in the order of the text.
#[derive(Debug, Clone)]
enum Part {
    /// MTE2 writes.
    Load(usize, usize),
    /// V reads.
    Read(usize, usize),
    /// V writes.
    Write(usize, usize),
    /// MTE3 reads.
    Store(usize, usize),
    Set(usize, usize, usize),
    Wait(usize, usize, usize),
    All,
    If(Vec<Part>, Vec<Part>),
    Twice(Vec<Part>),
    /// A loop of which nobody knows how often it runs.
    Perhaps(Vec<Part>),
}

fn random(numbers: &mut Numbers, depth: u32, accesses: &mut usize) -> Vec<Part> {
    let count = 2 + numbers.below(if depth == 0 { 7 } else { 3 });
    // A wait for a flag that is never set would only end the program.
    let mut set = Vec::new();
    (0..count)
        .map(|_| {
            let (from, to) =
                [(0, 1), (1, 2), (0, 2), (0, 3), (3, 1), (1, 0)][numbers.below(6) as usize];
            let event = numbers.below(2) as usize;
            let buffer = numbers.below(2) as usize;
            let mut number = || {
                *accesses += 1;
                *accesses - 1
            };
            match numbers.below(if depth > 0 { 12 } else { 15 }) {
                0 | 1 => Part::Load(buffer, number()),
                2 | 3 => Part::Read(buffer, number()),
                4 => Part::Write(buffer, number()),
                5 => Part::Store(buffer, number()),
                6..=10 if set.is_empty() || numbers.below(2) == 0 => {
                    set.push((from, to, event));
                    Part::Set(from, to, event)
                }
                6..=10 => {
                    let (from, to, event) = set.remove(numbers.below(set.len() as u64) as usize);
                    Part::Wait(from, to, event)
                }
                11 => Part::All,
                12 => Part::If(random(numbers, 1, accesses), random(numbers, 1, accesses)),
                13 => Part::Twice(random(numbers, 1, accesses)),
                _ => Part::Perhaps(random(numbers, 1, accesses)),
            }
        })
        .collect()
}

fn write(parts: &[Part], text: &mut String) {
    for part in parts {
        let line = match part {
            Part::Load(buffer, number) => format!(
                "pto.copy_gm_to_ubuf %g, %u{buffer}, %c0, %c1, %c32, %c0, %c0, %f, %c0, %c32, %c32 {{n = {number}}} : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64, i1, i64, i64, i64\n"
            ),
            Part::Read(buffer, number) => format!(
                "%v{number} = pto.vlds %u{buffer}[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>\n"
            ),
            Part::Write(buffer, number) => format!(
                "pto.vsts %v, %u{buffer}[%c0], %m {{n = {number}}} : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask\n"
            ),
            Part::Store(buffer, number) => format!(
                "pto.copy_ubuf_to_gm %u{buffer}, %g, %c0, %c1, %c32, %c0, %c32, %c32 {{n = {number}}} : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64, i64, i64\n"
            ),
            Part::Set(from, to, event) => format!(
                "pto.set_flag[\"{}\", \"{}\", \"EVENT_ID{event}\"]\n",
                NAMES[*from], NAMES[*to]
            ),
            Part::Wait(from, to, event) => format!(
                "pto.wait_flag[<{}>, <{}>, <EVENT_ID{event}>]\n",
                NAMES[*from], NAMES[*to]
            ),
            Part::All => "pto.barrier #pto.pipe<PIPE_ALL>\n".to_owned(),
            Part::If(one, other) => {
                text.push_str("scf.if %t {\n");
                write(one, text);
                text.push_str("} else {\n");
                write(other, text);
                "}\n".to_owned()
            }
            Part::Twice(body) => {
                text.push_str("scf.for %i = %c0 to %c2 step %c1 {\n");
                write(body, text);
                "}\n".to_owned()
            }
            Part::Perhaps(body) => {
                text.push_str("scf.for %i = %c0 to %n step %c1 {\n");
                write(body, text);
                "}\n".to_owned()
            }
        };
        text.push_str(&line);
    }
}

/// All straight lines that a program may run.
fn lines(parts: &[Part]) -> Vec<Vec<Part>> {
    let mut lines = vec![Vec::new()];
    for part in parts {
        let tails = match part {
            Part::If(one, other) => [lines_of(one), lines_of(other)].concat(),
            Part::Twice(body) => pairs(&lines_of(body)),
            Part::Perhaps(body) => {
                let once = lines_of(body);
                let mut all = vec![Vec::new()];
                all.extend(pairs(&once));
                all.extend(once);
                all
            }
            simple => vec![vec![simple.clone()]],
        };
        let all = lines.iter().flat_map(|line| {
            tails
                .iter()
                .map(move |tail| [line.clone(), tail.clone()].concat())
        });
        lines = all.take(200).collect();
    }
    lines
}

/// Two lines one behind the other, each of them any.
fn pairs(once: &[Vec<Part>]) -> Vec<Vec<Part>> {
    let pairs = once.iter().flat_map(|one| {
        once.iter()
            .map(move |two| [one.clone(), two.clone()].concat())
    });
    pairs.collect()
}

fn lines_of(parts: &[Part]) -> Vec<Vec<Part>> {
    lines(parts)
}

/// What a pipe is given.
#[derive(Clone, Copy)]
enum Given {
    Access {
        number: usize,
        buffer: usize,
        writes: bool,
    },
    Set(usize),
    Wait(usize),
    All,
}

/// Whether in some interleaving a read comes before an earlier write of another pipe to the same buffer; `read` and `write` are
/// the numbers of the accesses.
fn may_race(line: &[Part], write: usize, read: usize) -> bool {
    let flag = |from: usize, to: usize, event: usize| (from * 4 + to) * 2 + event;
    let given: Vec<(Option<usize>, Given)> = line
        .iter()
        .map(|part| match *part {
            Part::Load(buffer, number) => (
                Some(0),
                Given::Access {
                    number,
                    buffer,
                    writes: true,
                },
            ),
            Part::Read(buffer, number) => (
                Some(1),
                Given::Access {
                    number,
                    buffer,
                    writes: false,
                },
            ),
            Part::Write(buffer, number) => (
                Some(1),
                Given::Access {
                    number,
                    buffer,
                    writes: true,
                },
            ),
            Part::Store(buffer, number) => (
                Some(2),
                Given::Access {
                    number,
                    buffer,
                    writes: false,
                },
            ),
            Part::Set(from, to, event) => (Some(from), Given::Set(flag(from, to, event))),
            Part::Wait(from, to, event) => (Some(to), Given::Wait(flag(from, to, event))),
            _ => (None, Given::All),
        })
        .collect();
    // A state is how much of the line was issued, how much of each queue was run, and the flags. Issue stops at a wait of S and
    // at a barrier until these are done.
    let mut open = vec![(0_usize, vec![Vec::<usize>::new(); 3], [0_u8; 32], false)];
    let mut seen = HashSet::new();
    let run = |item: usize, flags: &mut [u8; 32]| match given[item].1 {
        Given::Set(flag) => {
            flags[flag] += 1;
            true
        }
        Given::Wait(flag) if flags[flag] == 0 => false,
        Given::Wait(flag) => {
            flags[flag] -= 1;
            true
        }
        _ => true,
    };
    while let Some((issued, queues, flags, read_done)) = open.pop() {
        if !seen.insert((issued, queues.clone(), flags, read_done)) || seen.len() > 20_000 {
            continue;
        }
        if let Some(&(pipe, what)) = given.get(issued) {
            let mut queues = queues.clone();
            let mut flags = flags;
            let goes_on = match (pipe, what) {
                (Some(3), _) => run(issued, &mut flags),
                (Some(pipe), _) => {
                    queues[pipe].push(issued);
                    true
                }
                (None, _) => queues.iter().all(Vec::is_empty),
            };
            if goes_on {
                open.push((issued + 1, queues, flags, read_done));
            }
        }
        for pipe in 0..3 {
            let Some(&item) = queues[pipe].first() else {
                continue;
            };
            let mut flags = flags;
            if !run(item, &mut flags) {
                continue;
            }
            if let Given::Access { number, .. } = given[item].1 {
                // The write is still to come although it comes before the read.
                let waits = queues.iter().flatten().any(|&other| {
                    matches!(given[other].1, Given::Access { number: of, .. } if of == write)
                        && other < item
                });
                if number == read && waits {
                    return true;
                }
            }
            let mut queues = queues.clone();
            queues[pipe].remove(0);
            open.push((issued, queues, flags, read_done));
        }
    }
    let _ = |given: Given| {
        matches!(
            given,
            Given::Access {
                buffer: 0,
                writes: true,
                ..
            }
        )
    };
    false
}

#[test]
fn a_race_is_one_in_some_interleaving() {
    let mut numbers = Numbers(0x5eed_2001);
    let (mut raced, mut quiet) = (0, 0);
    let (mut partly, mut through_gm) = (0, 0);
    for _ in 0..5_000 {
        let mut accesses = 0;
        let parts = random(&mut numbers, 0, &mut accesses);
        let mut text = String::from(
            "func.func @f(%g: !pto.ptr<f32, gm>, %t: i1, %f: i1, %n: i64, %v: !pto.vreg<64xf32>, %m: !pto.mask) {\n",
        );
        for constant in [0, 1, 2, 32, 4096] {
            text.push_str(&format!("%c{constant} = arith.constant {constant} : i64\n"));
        }
        text.push_str("%false = arith.constant false\n%u0 = pto.castptr %c0 : i64 -> !pto.ptr<f32, ub>\n%u1 = pto.castptr %c4096 : i64 -> !pto.ptr<f32, ub>\n");
        write(&parts, &mut text);
        text.push_str("return\n}\n");
        let text = text.replace("%c0, %f, %c0", "%c0, %false, %c0");
        let file = parse(&text);
        assert_eq!(file.problems, []);
        let program = lower_file(&file, &Names::of(&file), false);
        assert_eq!(program.faults, []);
        let function = &program.functions[0];
        let about = |copy: &Copy| Some((copy.operation, copy.kind.direction()?, copy.grouped));
        let found = in_force(&function.steps, false, &|index| {
            about(function.copies.get(index)?)
        });
        let derived: Vec<Derived> = function
            .copies
            .iter()
            .map(|copy| {
                derive_copy(
                    copy,
                    found.get(&copy.operation).cloned().unwrap_or_default(),
                )
            })
            .collect();
        let races = find_races(function, &|index| derived.get(index));
        // The accesses by operation: both are in the order of the text.
        let mut operations = Vec::new();
        for id in file.ids() {
            let accesses = [
                "pto.copy_gm_to_ubuf",
                "pto.copy_ubuf_to_gm",
                "pto.vlds",
                "pto.vsts",
            ];
            if accesses.contains(&file.name(id)) {
                operations.push(id);
            }
        }
        assert_eq!(operations.len(), accesses);
        let lines = lines(&parts);
        quiet += usize::from(races.is_empty());
        for race in races {
            let number = |id| operations.iter().position(|&one| one == id).unwrap();
            let (write, read) = (number(race.write), number(race.read));
            raced += 1;
            partly += usize::from(race.ordered_by.is_some());
            through_gm += usize::from(race.memory == Memory::Gm);
            assert!(
                lines.iter().any(|line| may_race(line, write, read)),
                "{race:?}\n{text}"
            );
        }
    }
    assert!(
        raced > 1_000 && quiet > 1_000,
        "{raced} races, {quiet} programs without"
    );
    assert!(
        partly > 50 && through_gm > 50,
        "{partly} on some paths, {through_gm} through GM"
    );
}
