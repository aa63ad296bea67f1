use super::*;
use crate::hardware::{ElementType, Machine};
use crate::kernel::{AddressValue, Level, Origin, TensorId, Tier, TrfAddress, Written};
use crate::testing::mapping;
use crate::testing_body::BodyBuilder;

const AXES: &[(&str, u64)] = &[
    ("A", 8),
    ("B", 512),
    ("S", 256),
    ("K", 32768),
    ("W", 131_072),
];

fn sizes(builder: &BodyBuilder<'_>) -> Vec<(Level, u64, u64)> {
    derive_tensors(&builder.body)
        .violations
        .iter()
        .filter_map(|violation| match violation {
            TensorsViolation::Size(found) => {
                Some((found.level, found.mapping.size(), found.expected))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn sizes_and_capacities_are_those_of_the_bodys_machine() {
    let mut builder = BodyBuilder::new(AXES);
    builder.body.machine = Machine {
        slices: 64,
        slice_counts: &[64, 128, 256],
        clusters: 1,
        cluster_counts: &[1, 2],
        dm_bytes: 1024,
        ..Machine::RNGD
    };
    let input = builder.input("A");
    builder.load(input, "S / 2", "A", 0);
    builder.load(input, "S / 4", "A", 64);
    assert_eq!(sizes(&builder), []);
    builder.load(input, "S / 8", "A", 128);
    assert_eq!(sizes(&builder), [(Level::Slice, 32, 64)]);
    // 512 numbers of 4 bytes are twice the 1,024 bytes of such a slice.
    builder.load(input, "S", "B", 256);
    let outgrown = derive_tensors(&builder.body)
        .violations
        .into_iter()
        .find_map(|found| match found {
            TensorsViolation::Capacity(CapacityViolation::Bytes { tensor, .. }) => Some(tensor),
            _ => None,
        });
    let outgrown = outgrown.expect("a tensor that does not fit");
    assert_eq!((outgrown.bytes, outgrown.capacity), (2048, 1024));
}

#[test]
fn levels_have_the_hardwares_sizes() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    let right = builder.load(input, "S", "A", 0);
    assert_eq!(sizes(&builder), []);
    let wrong = builder.load(input, "S / 2", "A", 64);
    assert_eq!(sizes(&builder), [(Level::Slice, 128, 256)]);
    // A pass keeps the slices of its tensor, which are already judged.
    builder.body.tensors[right.0 as usize].levels.cluster = Some(Written {
        value: Some(mapping("1", AXES)),
        ..builder.body.tensors[right.0 as usize]
            .levels
            .cluster
            .clone()
            .expect("a cluster")
    });
    builder.pass(
        wrong,
        &[],
        Tier::Dm,
        &["1 # 256", "A"],
        AddressValue::Bytes(128),
    );
    assert_eq!(
        sizes(&builder),
        [(Level::Cluster, 1, 2), (Level::Slice, 128, 256)]
    );
}

#[test]
fn chips_are_those_of_the_body() {
    let mut builder = BodyBuilder::new(AXES);
    builder.input("A");
    builder.body.chips = Some(4);
    assert_eq!(sizes(&builder), [(Level::Chip, 1, 4)]);
    builder.body.chips = None;
    assert_eq!(sizes(&builder), []);
}

#[test]
fn a_fault_in_an_alias_is_met_once() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    let first = builder.load(input, "S / 2", "A", 0);
    let second = builder.load(input, "S / 2", "A", 64);
    let alias = builder.body.tensors[first.0 as usize].levels.slice.clone();
    builder.body.tensors[second.0 as usize].levels.slice = alias.clone();
    builder.body.device = None;
    builder.body.reached_from_kernel = false;
    match derive_tensors(&builder.body).violations.as_slice() {
        [TensorsViolation::Size(found)] => {
            assert_eq!(Some(found.span), alias.map(|alias| alias.span));
            assert_eq!(found.uses.len(), 2);
            assert!(found.fragment);
        }
        other => panic!("{other:?}"),
    }
}

/// What one tensor violates.
fn one(tier: Tier, levels: &[&str], address: AddressValue) -> Vec<TensorsViolation> {
    let mut builder = BodyBuilder::new(AXES);
    builder.tensor(tier, levels, address, Origin::FromAddress);
    derive_tensors(&builder.body).violations
}

#[test]
fn addresses_are_multiples_of_the_element() {
    for (address, aligned) in [(0, true), (4, true), (6, false), (1 << 12, true)] {
        let violations = one(Tier::Dm, &["S", "A"], AddressValue::Bytes(address));
        assert_eq!(violations.is_empty(), aligned, "{address}: {violations:?}");
    }
    let mut builder = BodyBuilder::new(AXES);
    let tensor = builder.address("A", 1);
    builder.body.tensors[tensor.0 as usize].element_type.value = Some(ElementType::I4);
    assert_eq!(derive_tensors(&builder.body).violations, []);
    builder.body.tensors[tensor.0 as usize].element_type.value = Some(ElementType::Bf16);
    assert!(matches!(
        derive_tensors(&builder.body).violations.as_slice(),
        [TensorsViolation::Alignment(AlignmentViolation {
            address: 1,
            element_bytes: 2,
            ..
        })]
    ));
}

/// Whether a tensor of `i32` at an address is refused for its capacity.
fn outgrows(tier: Tier, levels: &[&str], address: AddressValue) -> bool {
    match one(tier, levels, address).as_slice() {
        [] => false,
        [TensorsViolation::Capacity(_)] => true,
        other => panic!("{other:?}"),
    }
}

#[test]
fn data_memory_holds_512_kib_a_slice() {
    assert!(
        !outgrows(Tier::Dm, &["S", "W"], AddressValue::Bytes(0)),
        "131072 i32 are 512 KiB"
    );
    assert!(outgrows(Tier::Dm, &["S", "W"], AddressValue::Bytes(4)));
    assert!(!outgrows(Tier::Dm, &["S", "W"], AddressValue::Unknown));
    assert!(outgrows(
        Tier::Dm,
        &["S", "W # 131073"],
        AddressValue::Unknown
    ));
    match one(Tier::Dm, &["A # 256", "W, A"], AddressValue::Unknown).as_slice() {
        [TensorsViolation::Capacity(CapacityViolation::Bytes { tensor, .. })] => {
            assert_eq!((tensor.bytes, tensor.capacity), (4 << 20, 512 << 10));
            assert_eq!((tensor.slices, tensor.clusters), (Some(8), Some(1)));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn register_files_hold_their_kib() {
    // 2048 i32 are 8 KiB.
    assert!(!outgrows(
        Tier::Vrf,
        &["S", "K % 2048"],
        AddressValue::Bytes(0)
    ));
    assert!(outgrows(
        Tier::Vrf,
        &["S", "K % 2048"],
        AddressValue::Bytes(4)
    ));
    assert!(outgrows(
        Tier::Vrf,
        &["S", "K % 4096"],
        AddressValue::Unknown
    ));
    let trf = |row: &str, element: &str, region| {
        outgrows(Tier::Trf, &["S", row, element], AddressValue::Trf(region))
    };
    // 64 KiB in eight rows of 2048 i32, or in one row of 16384.
    assert!(!trf("A", "K % 2048", TrfAddress::Full));
    assert!(!trf("1", "K % 16384", TrfAddress::Full));
    assert!(trf("A", "K % 2048", TrfAddress::FirstHalf));
    assert!(trf("A / 2", "K % 8192", TrfAddress::Full));
    assert!(!trf("A / 2", "K % 2048", TrfAddress::SecondHalf));
}

/// More rows than there are bank rows are a fault of their own; the bytes are judged as if the data lay in as many rows as
/// it needs.
#[test]
fn too_many_rows_are_no_question_of_capacity() {
    let trf = |row: &str, element: &str| {
        one(
            Tier::Trf,
            &["S", row, element],
            AddressValue::Trf(TrfAddress::Full),
        )
    };
    let rows = |found: &[TensorsViolation]| {
        matches!(
            found,
            [TensorsViolation::Rows(RowsViolation { rows: 16, .. }), ..]
        )
    };
    // 16 rows of 8 i32; 16 rows of 4 KiB are 64 KiB; 16 rows of 8 KiB are 128.
    for element in ["A", "K % 1024"] {
        let found = trf("B % 16", element);
        assert!(rows(&found) && found.len() == 1, "{element}: {found:?}");
    }
    let found = trf("B % 16", "K % 2048");
    assert!(
        matches!(
            found.as_slice(),
            [
                TensorsViolation::Rows(_),
                TensorsViolation::Capacity(CapacityViolation::Bytes { .. })
            ]
        ),
        "{found:?}"
    );
    // Eight rows of data fit; the padding of the rows goes with the wrong count.
    let padded = trf("A # 16", "K % 2048");
    assert!(rows(&padded) && padded.len() == 1, "{padded:?}");
}

#[test]
fn hbm_holds_48_gib_a_chip() {
    assert!(!outgrows(
        Tier::Hbm,
        &["W"],
        AddressValue::Bytes((48 << 30) - (512 << 10))
    ));
    assert!(outgrows(Tier::Hbm, &["W"], AddressValue::Bytes(48 << 30)));
    assert!(outgrows(
        Tier::Hbm,
        &["W"],
        AddressValue::Bytes(u64::MAX - 3)
    ));
}

/// The tile of a tensor over `A, B`.
fn tiled(index: &str, length: u64, start: u64, output: &str) -> Vec<TensorsViolation> {
    let mut builder = BodyBuilder::new(AXES);
    let tensor: TensorId = builder.address("A, B", 0);
    builder.tile(tensor, index, length, start, output);
    derive_tensors(&builder.body).violations
}

#[test]
fn tiles_keep_the_place_of_what_they_leave_out() {
    assert_eq!(tiled("B", 2, 0, "A, B = 2 # 512"), []);
    assert_eq!(tiled("B / 32", 2, 14, "A, B / 32 = 2 # 16, B % 32"), []);
    assert_eq!(tiled("A", 1, 7, "1 # 8, B"), []);
    assert_eq!(tiled("B", 512, 0, "A, B"), []);
    match tiled("B", 2, 0, "A, B = 2 # 4").as_slice() {
        [
            TensorsViolation::Tile(TileViolation::Output {
                expected: Some(expected),
                ..
            }),
        ] => {
            assert_eq!(expected.form(), mapping("A, B = 2 # 512", AXES).form());
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        tiled("S", 1, 0, "A, B").as_slice(),
        [TensorsViolation::Tile(TileViolation::Absent { .. })]
    ));
    assert!(matches!(
        tiled("B", 0, 0, "A, B").as_slice(),
        [TensorsViolation::Tile(TileViolation::Empty { .. })]
    ));
}

#[test]
fn tiles_lie_inside_of_their_index() {
    for (start, inside) in [(0, true), (14, true), (15, false), (u64::MAX, false)] {
        let violations = tiled("B / 32", 2, start, "A, B / 32 = 2 # 16, B % 32");
        assert_eq!(violations.is_empty(), inside, "{start}: {violations:?}");
    }
    assert!(matches!(
        tiled("A", 9, 0, "A, B").as_slice(),
        [TensorsViolation::Tile(TileViolation::TooLong {
            length: 9,
            ..
        })]
    ));
    let mut builder = BodyBuilder::new(AXES);
    let tensor = builder.address("A, B", 0);
    let tile = builder.tile(tensor, "A", 1, 0, "1 # 8, B");
    if let Origin::View {
        tile: Some(window), ..
    } = &mut builder.body.tensors[tile.0 as usize].origin
    {
        window.start.value = None;
        window.start_range = Some((0, 8));
    }
    assert!(matches!(
        derive_tensors(&builder.body).violations.as_slice(),
        [TensorsViolation::Tile(TileViolation::OutOfBounds {
            start: 8,
            length: 1,
            in_loop: true,
            ..
        })]
    ));
}
