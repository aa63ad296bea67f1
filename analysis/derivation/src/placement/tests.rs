//! Grids, counts and reads of bodies that are built by hand.

use super::*;
use crate::items::Dialect;
use crate::kernel::AddressValue;
use crate::libraries::{Library, Release};
use crate::testing_body::BodyBuilder;

const AXES: &[(&str, u64)] = &[("Q", 896), ("S", 256), ("H", 1920), ("K", 32), ("P", 15)];

fn with_slices(slices: &[&str], pes: Option<u64>) -> Body {
    let mut builder = BodyBuilder::new(AXES);
    for slice in slices {
        let levels = [*slice, "K"];
        builder.tensor(Tier::Dm, &levels, AddressValue::Unknown, Origin::Parameter);
    }
    let mut body = builder.body;
    body.dialect = Dialect {
        library: Library::OptStd,
        release: Release::new(0, 8),
    };
    let table = crate::kernel::dialect::dialect_in_release(body.dialect);
    body.machine = (table.machine)(body.dialect.release);
    if let Some(device) = &mut body.device {
        device.pes = pes;
    }
    body
}

#[test]
fn a_level_has_the_size_of_the_grid() {
    let found = |slice, pes| {
        let violations = grid_violations(&with_slices(&[slice], pes));
        let words = violations.iter();
        words
            .map(|one| (one.level, one.mapping.size(), one.expected))
            .collect::<Vec<_>>()
    };
    // The builder's tensors are on one of two clusters.
    assert_eq!(found("S", None), []);
    assert_eq!(found("S", Some(8)), []);
    assert_eq!(found("S", Some(4)), [(Level::Cluster, 2, 1)]);
    assert_eq!(found("1 # 128", None), [(Level::Slice, 128, 256)]);
    let both = [(Level::Cluster, 2, 1), (Level::Slice, 256, 64)];
    assert_eq!(found("S", Some(1)), both);
    // No kernel runs on three, and no level has 32 slices at all.
    assert_eq!(found("S", Some(3)), []);
    assert_eq!(found("K", None), []);
}

#[test]
fn live_counts_are_powers_of_two() {
    let found = |slice| {
        let counts = live_counts(&with_slices(&[slice], None));
        let counts = counts.iter();
        counts
            .map(|one| (one.live, one.extent, one.counts.clone()))
            .collect::<Vec<_>>()
    };
    // 896 is 7 times 128.
    assert_eq!(found("Q / 128 # 8, K"), [(7, 8, vec![2, 4, 8])]);
    assert_eq!(found("P # 16, 1 # 16"), [(15, 16, vec![])]);
    // 1,920 is 15 times 128: 240 of 256.
    let powers = vec![2, 4, 8, 16, 32, 64, 128];
    assert_eq!(found("H / 8 # 256"), [(240, 256, powers)]);
    for fine in [
        "S",
        "H / 120 # 256",
        "H / 120, 1 # 16",
        "1 # 2, S % 4, 1 # 32",
        "1 # 256",
        "Q / 112, K",
    ] {
        assert_eq!(found(fine), [], "{fine}");
    }
    // One place is judged once, a fragment not at all.
    let mut body = with_slices(&["Q / 128 # 8, K", "Q / 128 # 8, K"], None);
    assert_eq!(live_counts(&body).len(), 2);
    body.device = None;
    assert_eq!(live_counts(&body).len(), 0);
}

#[test]
fn what_is_new_is_written_before_it_is_read() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("S, K");
    let levels = ["S", "K"];
    let fresh = builder.tensor(Tier::Dm, &levels, AddressValue::Unknown, Origin::New);
    let written = builder.tensor(Tier::Dm, &levels, AddressValue::Unknown, Origin::New);
    builder.copy(input, written);
    builder.read(fresh);
    builder.read(written);
    builder.copy(input, fresh);
    let mut body = builder.body;
    let reads = |body: &Body| unwritten_reads(body, &super::super::memory::derive_memory(body));
    let found = reads(&body);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].tensor, fresh);
    assert_eq!(found[0].span, body.operations[1].span);
    // What is not known may have written it.
    let place = body.span;
    let reason = crate::kernel::UnresolvedReason::GenericMapping;
    body.unresolved
        .push(crate::kernel::Unresolved::at(reason, place));
    assert_eq!(reads(&body), []);
}
