use std::collections::BTreeSet;

use super::*;
use crate::kernel::{
    AddressValue, BranchArm, Launch, OperationId, Origin, TensorId, Tier, TrfAddress,
};
use crate::testing::span;
use crate::testing_body::BodyBuilder;

const AXES: &[(&str, u64)] = &[("A", 8), ("B", 4), ("K", 2048), ("L", 1024)];

/// `(kind, tensor that is needed, tensor that is written)`.
fn conflicts(builder: &BodyBuilder<'_>) -> Vec<(ConflictKind, TensorId, TensorId)> {
    derive_memory(&builder.body)
        .violations
        .iter()
        .filter_map(|violation| match violation {
            MemoryViolation::Conflict {
                kind,
                needed,
                written,
                ..
            } => Some((*kind, needed.tensor, written.tensor)),
            MemoryViolation::Sum(_) => None,
        })
        .collect()
}

#[test]
fn a_write_over_what_is_read_later_is_an_overlap() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    let first = builder.load(input, "1 # 256", "A", 0);
    let second = builder.load(input, "1 # 256", "A", 16);
    builder.read(first);
    builder.read(second);
    assert_eq!(
        conflicts(&builder),
        [(ConflictKind::Overlap, first, second)]
    );
    match derive_memory(&builder.body).violations.as_slice() {
        [
            MemoryViolation::Conflict {
                needed,
                written,
                write,
                read,
                elsewhere,
                ..
            },
        ] => {
            assert_eq!((needed.range, written.range), ((0, 32), (16, 48)));
            assert_eq!((*write, *read), (OperationId(1), Some(OperationId(2))));
            assert_eq!(
                *elsewhere,
                Elsewhere::Addresses(vec![32]),
                "the first bytes behind the first tensor"
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn neighbours_and_dead_tensors_do_not_meet() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    let first = builder.load(input, "1 # 256", "A", 0);
    let beside = builder.load(input, "1 # 256", "A", 32);
    builder.read(first);
    let later = builder.load(input, "1 # 256", "A", 0);
    builder.read(beside);
    builder.read(later);
    assert_eq!(conflicts(&builder), []);
}

#[test]
fn a_last_read_may_be_written_over_in_place() {
    let in_place = |read_again: bool| {
        let mut builder = BodyBuilder::new(AXES);
        let input = builder.input("A");
        let first = builder.load(input, "1 # 256", "A", 0);
        let result = builder.pass(
            first,
            &[],
            Tier::Dm,
            &["1 # 256", "A"],
            AddressValue::Bytes(0),
        );
        if read_again {
            builder.read(first);
        }
        builder.read(result);
        conflicts(&builder).len()
    };
    assert_eq!(in_place(false), 0);
    assert_eq!(in_place(true), 1);
}

#[test]
fn arms_of_one_branching_never_meet() {
    let overlapping = |same_arm: bool| {
        let arm = |arm| vec![BranchArm { span: span(9), arm }];
        let mut builder = BodyBuilder::new(AXES);
        let input = builder.input("A");
        let first = builder.address("A", 0);
        let second = builder.address("A", 16);
        builder.copy_in(input, first, arm(0));
        builder.copy_in(input, second, arm(u32::from(!same_arm)));
        builder.read(first);
        builder.read(second);
        conflicts(&builder).len()
    };
    assert_eq!(overlapping(true), 1);
    assert_eq!(overlapping(false), 0);
}

#[test]
fn what_an_address_names_is_read_stale() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    let kept = builder.address("A", 0);
    let fresh = builder.load(input, "1 # 256", "A", 16);
    let read = builder.read(kept);
    builder.read(fresh);
    assert_eq!(
        conflicts(&builder),
        [(ConflictKind::StaleRead, kept, fresh)]
    );
    let reader = builder.body.operation(read).map(|operation| operation.span);
    match derive_memory(&builder.body).violations.as_slice() {
        [MemoryViolation::Conflict { span, .. }] => assert_eq!(Some(*span), reader),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_address_that_is_never_written_lives_to_the_end() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    let kept = builder.address("A", 0);
    builder.read(kept);
    let fresh = builder.load(input, "1 # 256", "A", 16);
    builder.read(fresh);
    assert_eq!(conflicts(&builder), [(ConflictKind::Overlap, kept, fresh)]);
}

#[test]
fn a_dropped_transfer_fills_the_place_that_an_address_names() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    let named = builder.address("A", 0);
    let filling = builder.load(input, "1 # 256", "A", 0);
    builder.body.tensors[filling.0 as usize].name = None;
    builder.read(named);
    assert_eq!(conflicts(&builder), []);
}

#[test]
fn a_buffer_that_is_written_again_is_free_meanwhile() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    let buffer = builder.address("A", 0);
    for _ in 0..2 {
        builder.copy(input, buffer);
        builder.read(buffer);
        let between = builder.load(input, "1 # 256", "A", 0);
        builder.read(between);
    }
    assert_eq!(conflicts(&builder), []);
}

#[test]
fn tiles_that_cover_the_read_restore_it() {
    let restored = |tiles: u64| {
        let mut builder = BodyBuilder::new(AXES);
        let input = builder.input("A");
        let buffer = builder.address("B, A", 0);
        builder.copy(input, buffer);
        let other = builder.load(input, "1 # 256", "A", 0);
        builder.read(other);
        for start in 0..tiles {
            let tile = builder.tile(buffer, "B", 1, start, "1 # 4, A");
            builder.copy(input, tile);
        }
        builder.read(buffer);
        conflicts(&builder).is_empty()
    };
    assert!(restored(4));
    assert!(!restored(3));
}

#[test]
fn unknown_addresses_are_silent() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    let first = builder.load(input, "1 # 256", "A", 0);
    let second = builder.load(input, "1 # 256", "A", 0);
    builder.body.tensors[second.0 as usize].address.value = AddressValue::Unknown;
    builder.read(first);
    builder.read(second);
    assert_eq!(conflicts(&builder), []);
}

#[test]
fn what_is_returned_is_needed_after_the_body() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    let returned = builder.load(input, "1 # 256", "A", 0);
    let later = builder.load(input, "1 # 256", "A", 0);
    builder.read(later);
    assert_eq!(conflicts(&builder), []);
    builder.body.escaping.push(returned);
    assert_eq!(
        conflicts(&builder),
        [(ConflictKind::Overlap, returned, later)]
    );
}

#[test]
fn a_launch_needs_the_tensors_that_it_is_given() {
    let launched = |second: u64| {
        let mut builder = BodyBuilder::new(AXES);
        let host = builder.tensor(Tier::Host, &["A"], AddressValue::Unknown, Origin::Parameter);
        let stored: Vec<TensorId> = [0, second]
            .into_iter()
            .map(|address| {
                let origin = Origin::Operation(OperationId(builder.operations()));
                let stored =
                    builder.tensor(Tier::Hbm, &["A"], AddressValue::Bytes(address), origin);
                builder.copy(host, stored);
                stored
            })
            .collect();
        builder.body.launches.push(Launch {
            before: OperationId(2),
            tensors: stored,
            span: span(8),
        });
        derive_memory(&builder.body).violations
    };
    assert_eq!(launched(32), []);
    match launched(16).as_slice() {
        [
            MemoryViolation::Conflict {
                tier: Tier::Hbm,
                read_span,
                ..
            },
        ] => assert_eq!(*read_span, Some(span(8))),
        other => panic!("{other:?}"),
    }
}

#[test]
fn regions_of_the_tensor_register_file() {
    use TrfAddress::{FirstHalf, Full, SecondHalf};
    let meeting = |one: TrfAddress, two: TrfAddress| {
        let mut builder = BodyBuilder::new(AXES);
        let input = builder.input("A");
        let data = builder.load(input, "1 # 256", "A", 0);
        let first = builder.pass(
            data,
            &[],
            Tier::Trf,
            &["1 # 256", "1", "A"],
            AddressValue::Trf(one),
        );
        let second = builder.pass(
            data,
            &[],
            Tier::Trf,
            &["1 # 256", "1", "A"],
            AddressValue::Trf(two),
        );
        let out = builder.pass(
            data,
            &[first],
            Tier::Dm,
            &["1 # 256", "A"],
            AddressValue::Bytes(64),
        );
        let other = builder.pass(
            data,
            &[second],
            Tier::Dm,
            &["1 # 256", "A"],
            AddressValue::Bytes(96),
        );
        builder.read(out);
        builder.read(other);
        derive_memory(&builder.body)
            .violations
            .iter()
            .find_map(|violation| match violation {
                MemoryViolation::Conflict { elsewhere, .. } => Some(elsewhere.clone()),
                MemoryViolation::Sum(_) => None,
            })
    };
    assert_eq!(meeting(FirstHalf, SecondHalf), None);
    assert_eq!(
        meeting(FirstHalf, FirstHalf),
        Some(Elsewhere::Half(SecondHalf))
    );
    assert_eq!(meeting(SecondHalf, Full), Some(Elsewhere::Half(FirstHalf)));
    assert_eq!(meeting(Full, FirstHalf), Some(Elsewhere::Nowhere));
}

#[test]
fn vector_registers_have_to_fit_together() {
    // Two operands of 2048 and 1024 elements take 8 and 4 KiB.
    let sum = |second: &str, one: AddressValue, two: AddressValue| {
        let mut builder = BodyBuilder::new(AXES);
        let input = builder.input("K");
        let data = builder.load(input, "1 # 256", "K", 0);
        let first = builder.pass(data, &[], Tier::Vrf, &["1 # 256", "L"], one);
        let second = builder.pass(data, &[], Tier::Vrf, &["1 # 256", second], two);
        let out = builder.pass(
            data,
            &[first, second],
            Tier::Dm,
            &["1 # 256", "A"],
            AddressValue::Bytes(16384),
        );
        builder.read(out);
        derive_memory(&builder.body).violations
    };
    assert_eq!(sum("L", AddressValue::Unknown, AddressValue::Unknown), []);
    for two in [AddressValue::Unknown, AddressValue::Bytes(0)] {
        match sum("K", AddressValue::Bytes(0), two).as_slice() {
            [MemoryViolation::Sum(sum)] => {
                assert_eq!(
                    (sum.bytes, sum.last.1, sum.others[0].1),
                    (12288, 8192, 4096)
                );
            }
            other => panic!("{other:?}"),
        }
    }
    let halves = sum("L", AddressValue::Bytes(0), AddressValue::Bytes(4095));
    assert!(matches!(
        halves.as_slice(),
        [MemoryViolation::Conflict {
            tier: Tier::Vrf,
            ..
        }]
    ));
}

#[test]
fn lifetimes_run_from_the_first_write_to_the_last_read() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    let first = builder.load(input, "1 # 256", "A", 64);
    let buffer = builder.address("A", 0);
    builder.copy(input, buffer);
    builder.read(first);
    builder.read(input);
    builder.body.escaping.push(buffer);
    let derived = derive_memory(&builder.body);
    let of = |tensor| {
        derived
            .lifetimes
            .iter()
            .find(|lifetime| lifetime.tensor == tensor)
            .expect("a lifetime")
    };
    let lifetime = of(first);
    assert_eq!((lifetime.address, lifetime.bytes), (Some(64), Some(32)));
    assert_eq!(
        (lifetime.from, lifetime.to, lifetime.outlives_body),
        (OperationId(0), OperationId(2), false)
    );
    let lifetime = of(buffer);
    assert_eq!(
        (lifetime.from, lifetime.to, lifetime.outlives_body),
        (OperationId(1), OperationId(3), true)
    );
    let lifetime = of(input);
    assert_eq!(
        (lifetime.address, lifetime.from, lifetime.to),
        (None, OperationId(0), OperationId(3))
    );
}

/// Random numbers that are the same every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Runs random programs on bytes that remember who wrote them: a tensor is in the way of another one exactly if it wrote
/// over bytes that the other one reads before it is written again.
#[test]
fn conflicts_agree_with_running_the_program() {
    let mut random = Random(5);
    let mut met = 0;
    for _ in 0..2000 {
        let mut builder = BodyBuilder::new(AXES);
        let input = builder.input("A");
        let mut tensors: Vec<(TensorId, u64)> = Vec::new();
        // For each tensor, who wrote over it since it was last written.
        let mut clobbered: Vec<BTreeSet<TensorId>> = Vec::new();
        let mut expected: BTreeSet<(TensorId, TensorId)> = BTreeSet::new();
        for _ in 0..random.below(12) + 2 {
            let pick = usize::try_from(random.below(tensors.len().max(1) as u64)).expect("small");
            let choice = if tensors.is_empty() {
                0
            } else {
                random.below(4)
            };
            let reads = matches!(choice, 1 | 2).then_some(pick);
            if let Some(at) = reads {
                let (tensor, _) = tensors[at];
                expected.extend(
                    clobbered[at]
                        .iter()
                        .map(|&by| (tensor.min(by), tensor.max(by))),
                );
            }
            let written = match choice {
                // A new tensor from outside, or from one that is there.
                0 | 1 => {
                    let address = random.below(8) * 16;
                    let source = reads.map_or(input, |at| tensors[at].0);
                    tensors.push((builder.load(source, "1 # 256", "A", address), address));
                    clobbered.push(BTreeSet::new());
                    Some(tensors.len() - 1)
                }
                2 => {
                    builder.read(tensors[pick].0);
                    None
                }
                _ => {
                    builder.copy(input, tensors[pick].0);
                    Some(pick)
                }
            };
            if let Some(at) = written {
                let (tensor, address) = tensors[at];
                clobbered[at].clear();
                for (other, &(_, start)) in tensors.iter().enumerate() {
                    if other != at && start < address + 32 && address < start + 32 {
                        clobbered[other].insert(tensor);
                    }
                }
            }
        }
        let found: BTreeSet<(TensorId, TensorId)> = conflicts(&builder)
            .into_iter()
            .map(|(_, one, two)| (one.min(two), one.max(two)))
            .collect();
        met += expected.len();
        assert_eq!(found, expected, "{:#?}", builder.body.operations);
    }
    assert!(met > 1000, "the programs meet often enough: {met}");
}
