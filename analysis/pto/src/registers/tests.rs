//! The flow of registers against an interpreter that runs random programs path by path.

use rustc_hash::FxHashMap;

use super::super::program::{Program, lower_file};
use super::super::syntax::{File, OperationId, parse};
use super::super::transfers::Copy;
use super::super::values::Names;
use super::{InForce, Presence, in_force};

/// Numbers that look random and are the same in every run (xorshift).
pub(in super::super) struct Numbers(pub u64);

impl Numbers {
    pub(in super::super) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// A random program, for the interpreter and as text.
#[derive(Debug)]
enum Part {
    Size(i64),
    Copy(usize),
    Grouped,
    Call,
    If(Vec<Part>, Vec<Part>),
    For(Vec<Part>),
}

fn random(numbers: &mut Numbers, depth: u32, copies: &mut usize) -> Vec<Part> {
    let count = 1 + numbers.below(4);
    (0..count)
        .map(|_| match numbers.below(if depth > 2 { 8 } else { 12 }) {
            0..=2 => Part::Size(1 + numbers.below(3) as i64),
            3..=5 => {
                *copies += 1;
                Part::Copy(*copies - 1)
            }
            6 if numbers.below(4) == 0 => Part::Grouped,
            7 if numbers.below(4) == 0 => Part::Call,
            6 | 7 => Part::Size(4),
            8 | 9 => Part::If(
                random(numbers, depth + 1, copies),
                if numbers.below(3) == 0 {
                    Vec::new()
                } else {
                    random(numbers, depth + 1, copies)
                },
            ),
            _ => Part::For(random(numbers, depth + 1, copies)),
        })
        .collect()
}

fn write(parts: &[Part], text: &mut String) {
    for part in parts {
        match part {
            Part::Size(count) => text.push_str(&format!("pto.set_loop_size_outtoub %c{count}, %c1 : i64, i64\n")),
            Part::Copy(index) => text.push_str(&format!(
                "pto.copy_gm_to_ubuf %g, %u, %c0, %c1, %c32, %c0, %c0, %f, %c0, %c32, %c32 {{index = {index}}} : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64, i1, i64, i64, i64\n"
            )),
            Part::Grouped => text.push_str(
                "pto.mte_gm_ub %g, %u, %c0, %c32 nburst(%c1, %c32, %c32) loop(%c2, %c32, %c32) : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64\n",
            ),
            Part::Call => text.push_str("func.call @g() : () -> ()\n"),
            Part::If(one, other) => {
                text.push_str("scf.if %t {\n");
                write(one, text);
                text.push_str("} else {\n");
                write(other, text);
                text.push_str("}\n");
            }
            Part::For(body) => {
                text.push_str("scf.for %i = %n to %n step %n {\n");
                write(body, text);
                text.push_str("}\n");
            }
        }
    }
}

/// What a run finds at the copies: the count that was set last, `Some(None)` where a call may have set it.
type Met = FxHashMap<usize, Vec<Option<Option<i64>>>>;

fn run(parts: &[Part], numbers: &mut Numbers, state: &mut Option<Option<i64>>, met: &mut Met) {
    for part in parts {
        match part {
            Part::Size(count) => *state = Some(Some(*count)),
            Part::Copy(index) => met.entry(*index).or_default().push(*state),
            Part::Grouped => *state = Some(Some(1)),
            Part::Call => *state = Some(None),
            Part::If(one, other) => {
                let taken = if numbers.below(2) == 0 { one } else { other };
                run(taken, numbers, state, met);
            }
            Part::For(body) => {
                for _ in 0..numbers.below(4) {
                    run(body, numbers, state, met);
                }
            }
        }
    }
}

fn program(text: &str) -> (File, Program) {
    let file = parse(text);
    assert_eq!(file.problems, [], "{text}");
    let program = lower_file(&file, &Names::of(&file), false);
    assert_eq!(program.faults, [], "{text}");
    (file, program)
}

/// What each copy of a text's only function finds, in the order of the text.
fn found(text: &str) -> Vec<(OperationId, InForce)> {
    let (_, program) = program(text);
    let function = &program.functions[0];
    let about = |copy: &Copy| Some((copy.operation, copy.kind.direction()?, copy.grouped));
    let found = in_force(&function.steps, false, &|index| {
        about(function.copies.get(index)?)
    });
    let mut found: Vec<_> = found
        .into_iter()
        .filter(|(id, _)| {
            function
                .copies
                .iter()
                .any(|copy| copy.operation == *id && !copy.grouped)
        })
        .collect();
    found.sort_by_key(|(id, _)| *id);
    found
}

#[test]
fn what_copies_find_is_what_runs_of_random_programs_find() {
    let mut numbers = Numbers(0x5eed_1001);
    let mut seen = [0; 4];
    for _ in 0..10_000 {
        let mut copies = 0;
        let parts = random(&mut numbers, 0, &mut copies);
        let mut text = String::from(
            "func.func @f(%g: !pto.ptr<f32, gm>, %u: !pto.ptr<f32, ub>, %t: i1, %n: index, %f: i1) {\n",
        );
        for constant in [0, 1, 2, 3, 4, 32] {
            text.push_str(&format!("%c{constant} = arith.constant {constant} : i64\n"));
        }
        write(&parts, &mut text);
        text.push_str("return\n}\n");
        let mut met = Met::default();
        for _ in 0..12 {
            run(&parts, &mut numbers, &mut None, &mut met);
        }
        let found = found(&text);
        assert_eq!(found.len(), copies);
        for (index, (_, registers)) in found.iter().enumerate() {
            let Some(states) = met.get(&index) else {
                continue;
            };
            let size = &registers.size;
            seen[size.presence as usize] += 1;
            match size.presence {
                Presence::Always => assert!(states.iter().all(Option::is_some), "{text}"),
                Presence::Never => assert!(states.iter().all(Option::is_none), "{text}"),
                Presence::Sometimes => assert!(!states.contains(&Some(None)), "{text}"),
                Presence::Unknown => {}
            }
            if let (Presence::Always, Some(value)) = (size.presence, size.value(0)) {
                assert!(
                    states.iter().all(|&state| state == Some(Some(value))),
                    "{text}"
                );
            }
        }
    }
    // Each answer comes up, and often.
    assert!(seen.iter().all(|&count| count > 1_000), "{seen:?}");
}

#[test]
fn a_branch_joins_and_a_loop_sees_its_own_end() {
    let around = |body: &str| {
        let copy = "pto.copy_gm_to_ubuf %g, %u, %c1, %c1, %c1, %c1, %c1, %t, %c1, %c1, %c1 : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64, i1, i64, i64, i64";
        let body = body
            .replace("COPY", copy)
            .replace("SET", "pto.set_loop_size_outtoub");
        let text = format!(
            "func.func @f(%g: !pto.ptr<f32, gm>, %u: !pto.ptr<f32, ub>, %t: i1, %n: index) {{\n%c1 = arith.constant 1 : i64\n%c2 = arith.constant 2 : i64\n{body}\nreturn\n}}"
        );
        found(&text)
            .into_iter()
            .map(|(_, found)| (found.size.presence, found.size.value(0)))
            .collect::<Vec<_>>()
    };
    assert_eq!(around("COPY"), [(Presence::Never, None)]);
    assert_eq!(
        around("SET %c2, %c1 : i64, i64\nCOPY"),
        [(Presence::Always, Some(2))]
    );
    let one = "scf.if %t { SET %c2, %c1 : i64, i64 }\nCOPY";
    assert_eq!(around(one), [(Presence::Sometimes, Some(2))]);
    let both = "scf.if %t { SET %c2, %c1 : i64, i64 } else { SET %c1, %c1 : i64, i64 }\nCOPY";
    assert_eq!(around(both), [(Presence::Always, None)]);
    let behind = "scf.for %i = %n to %n step %n {\nCOPY\nSET %c2, %c1 : i64, i64\n}";
    assert_eq!(around(behind), [(Presence::Sometimes, Some(2))]);
    let dead = "%f = arith.constant false\nscf.if %f { SET %c2, %c1 : i64, i64 }\nCOPY";
    assert_eq!(around(dead), [(Presence::Never, None)]);
}
