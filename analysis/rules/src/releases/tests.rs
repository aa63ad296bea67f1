//! Where each rule holds, written by hand from the releases themselves, against the declarations.
//!
//! A rule that holds everywhere, as most do, is in no row.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::*;
use crate::findings::{Confirmer, Group, Level};
use crate::items::Dialect;
use crate::libraries::{Library, Release};
use crate::{families::find, family_rules};

/// Whether a rule holds in the book's library, and in which releases `0.n` of the successor.
type Row = (bool, Option<RangeInclusive<u16>>, &'static str);

/// The newest release of the successor, `0.n`.
const NEWEST: u16 = Library::OptStd.newest().minor;

/// In the book's library and in all releases of the successor.
const ALL: (bool, Option<RangeInclusive<u16>>) = (true, Some(2..=NEWEST));
/// Only where tensors have addresses that a kernel writes.
const ADDRESSED: (bool, Option<RangeInclusive<u16>>) = (true, Some(2..=5));
/// Not in the successor.
const BOOK: (bool, Option<RangeInclusive<u16>>) = (true, None);

#[rustfmt::skip]
fn rows() -> Vec<Row> {
    let row = |(book, successor), names| (book, successor, names);
    vec![
        row(ADDRESSED, "dm_overlap trf_overlap vrf_overlap hbm_overlap stale_read element_alignment"),
        row(BOOK, "library_limit"),
        (true, Some(2..=6), "sequencer_packet"),
        (true, Some(4..=NEWEST), "fetch_zero_point_range"),
        row(BOOK, "fetch_mask_limit vcg_packet_not_innermost vcg_packet_shared vcg_slice_packet vcg_slice_order"),
        row(BOOK, "vcg_transposed_time vcg_dimensions"),
        row(BOOK, "align_tiling_not_in_trf"),
        row(BOOK, "accumulate_slices_data reduce_max_rows"),
        // Those that the successor alone has.
        (false, Some(2..=NEWEST), "runtime_panic kernel_language operand_not_constant live_slice_count"),
        (false, Some(3..=NEWEST), "device_grid"),
        (false, Some(4..=NEWEST), "reshape_size"),
        (false, Some(5..=NEWEST), "uninitialized_read"),
        (false, Some(6..=NEWEST), "pad_view"),
        (false, Some(2..=6), "dummy_cluster_pass sub_vector_store"),
        (false, Some(4..=6), "partial_load cluster_transfer"),
        (false, Some(8..=8), "tile_reshape"),
        (false, Some(8..=NEWEST), "slice_pattern slice_layout"),
        (false, Some(4..=NEWEST), "spm_capacity"),
        (false, Some(9..=NEWEST), "spm_pe_size gather_mapping scatter_mapping spm_index_placement"),
        (false, Some(2..=9), "register_store_from_main"),
        (false, Some(2..=NEWEST), "stage_unimplemented unfinished_pass"),
        (false, Some(5..=NEWEST), "context_restriction"),
        (false, Some(6..=NEWEST), "operand_slots"),
        (false, Some(7..=NEWEST), "fetch_packet_contiguity lift_placement lift_order"),
        (false, Some(7..=NEWEST), "operand_placement unzip_group"),
        (false, Some(2..=NEWEST), "reduce_padding vrf_element_mismatch"),
        (false, Some(2..=6), "generic_kernel"),
    ]
}

/// The book's library, then the releases of the successor.
fn dialects() -> Vec<(Dialect, Option<u16>)> {
    let book = (Dialect::newest(Library::VisaStd), None);
    let successor = (2..=NEWEST).map(|minor| {
        let dialect = Dialect {
            library: Library::OptStd,
            release: Release::new(0, minor),
        };
        (dialect, Some(minor))
    });
    std::iter::once(book).chain(successor).collect()
}

#[test]
fn every_rule_holds_where_the_table_says() {
    let mut known = BTreeMap::new();
    for (book, successor, names) in rows() {
        for name in names.split(' ') {
            assert!(find(name).is_some(), "{name} is no rule");
            let twice = known.insert(name, (book, successor.clone()));
            assert_eq!(twice, None, "{name} is in the table twice");
        }
    }
    for rule in family_rules() {
        let (book, successor) = known.get(rule.name).unwrap_or(&ALL);
        for (dialect, minor) in dialects() {
            let expected = match minor {
                None => *book,
                Some(minor) => successor.as_ref().is_some_and(|own| own.contains(&minor)),
            };
            assert_eq!(rule.holds_in(dialect), expected, "{}: {minor:?}", rule.name);
        }
    }
}

/// A rule, who finds what it finds in the book's library, and who does in releases `0.n` of the successor.
type ConfirmedRow = (&'static str, &'static str, &'static [(u16, &'static str)]);

#[rustfmt::skip]
const CONFIRMED: &[ConfirmedRow] = &[
    ("stride_indivisible", "library", &[(2, "library"), (10, "library")]),
    ("tile_out_of_bounds", "model", &[(9, "model"), (10, "library")]),
    ("chip_size", "model", &[(2, "compiler"), (10, "compiler")]),
    ("slice_size", "library", &[(2, "library"), (10, "library")]),
    ("dm_capacity", "model", &[(2, "compiler"), (10, "compiler")]),
    ("vrf_capacity", "model", &[(5, "compiler"), (6, "library")]),
    ("sequencer_entries", "model", &[(2, "model"), (3, "library")]),
    ("fetch_sub_context_size", "model", &[(4, "compiler"), (8, "compiler")]),
    ("fetch_sub_context_adapter", "model", &[(4, "model"), (5, "library")]),
    ("fetch_zero_point_range", "model", &[(4, "library")]),
    ("operand_mapping", "model", &[(6, "model"), (7, "library")]),
    ("intra_reduce_slots", "model", &[(6, "model"), (7, "library")]),
    ("spm_capacity", "model", &[(4, "compiler"), (8, "compiler"), (9, "library")]),
    ("slice_layout", "model", &[(8, "library"), (10, "library")]),
    ("gather_mapping", "model", &[(9, "library"), (10, "library")]),
    ("pad_view", "model", &[(6, "library"), (10, "library")]),
    ("lift_order", "library", &[(7, "library")]),
    ("operand_placement", "library", &[(7, "library")]),
    ("unzip_group", "library", &[(7, "library")]),
    ("reduce_padding", "model", &[(2, "compiler"), (10, "compiler")]),
    ("dma_alignment", "model", &[(2, "library"), (10, "library")]),
    ("transpose_columns", "library", &[(2, "model"), (10, "model")]),
    ("alu_reuse", "library", &[(2, "library"), (10, "library")]),
    // The library sums over whatever the target lacks, and checks no order.
    ("inter_reduce_mapping", "library", &[(2, "model"), (10, "model")]),
    ("bank_starvation", "model", &[(2, "model"), (10, "model")]),
    ("idle_cluster", "model", &[(2, "model"), (10, "model")]),
    ("claimed_replication", "model", &[(2, "model"), (10, "model")]),
];

#[test]
fn who_confirms_a_rule_depends_on_the_release() {
    for (name, book, successor) in CONFIRMED {
        let rule = find(name).unwrap_or_else(|| panic!("{name} is no rule"));
        let by = |dialect| rule.confirmed_by(dialect).map(Confirmer::name);
        assert_eq!(by(Dialect::newest(Library::VisaStd)), Some(*book), "{name}");
        for (minor, who) in *successor {
            let dialect = Dialect {
                library: Library::OptStd,
                release: Release::new(0, *minor),
            };
            assert_eq!(by(dialect), Some(*who), "{name} in 0.{minor}");
        }
    }
    // Rules that are of another group in later releases.
    let ring = find("switch_ring_too_large").expect("a rule");
    let groups = dialects()
        .into_iter()
        .map(|(dialect, _)| ring.graver_in(dialect));
    let expected = [None; 4]
        .into_iter()
        .chain([Some(Group::Hardware); NEWEST as usize - 4]);
    assert!(groups.eq(expected));
    let own = find("unused_suppression").and_then(|rule| rule.confirmed_by(Dialect::default()));
    assert_eq!(own, None);
}

/// Rules that a library or its compiler refuses in some release, and that are no errors there. The book's hardware takes what `library_limit`
/// finds, and the book is what kernels in its dialect are written by.
const REFUSED_AND_NO_ERROR: &[&str] = &["library_limit"];

#[test]
fn what_a_release_refuses_is_an_error_in_it() {
    let refusers = [Some(Confirmer::Library), Some(Confirmer::Compiler)];
    let mut lenient = Vec::new();
    for rule in family_rules() {
        let held = dialects().into_iter().map(|(dialect, _)| dialect);
        let mut held = held.filter(|dialect| rule.holds_in(*dialect));
        let is_lenient = held.any(|dialect| {
            let graver = rule.graver_in(dialect).map(Group::default_level);
            let level = graver.unwrap_or_else(|| rule.default_level());
            refusers.contains(&rule.confirmed_by(dialect)) && level != Level::Deny
        });
        if is_lenient {
            lenient.push(rule.name);
        }
    }
    assert_eq!(lenient, REFUSED_AND_NO_ERROR);
}

#[test]
fn what_is_said_of_rules_names_rules() {
    for rule in family_rules() {
        for name in rule.instead {
            let other = find(name).unwrap_or_else(|| panic!("{}: {name} is no rule", rule.name));
            let where_not = dialects().into_iter().map(|(dialect, _)| dialect);
            let missing: Vec<_> = where_not.filter(|one| !rule.holds_in(*one)).collect();
            let says = missing.iter().any(|dialect| other.holds_in(*dialect));
            assert!(says, "{}: {name} says it nowhere else", rule.name);
        }
        for alias in rule.aliases {
            let owners = family_rules()
                .filter(|other| other.is_called(alias))
                .count();
            assert_eq!(owners, 1, "{alias}");
        }
    }
}

#[test]
fn texts_are_those_of_rules() {
    for library in Library::ALL {
        for name in library.rules_with_errors() {
            assert!(find(name).is_some(), "{name}");
            assert!(!library.errors_of(name).is_empty(), "{name}");
        }
    }
}

#[test]
fn every_known_text_finds_its_rule() {
    for rule in family_rules() {
        for said in rule.texts() {
            let found = foreseeing(&said.words.replace('…', "(A / 8, 12)"));
            let named = found.iter().any(|one| one.rule == rule && !one.alike);
            assert!(named, "{}: {}", rule.name, said.words);
        }
    }
}

/// Texts as they are printed, with the rules that foresee them, the best first.
const PRINTED: &[(&str, &[&str])] = &[
    (
        "error: failed to translate vISA to IR: BeamSearch failed",
        &["dm_capacity"],
    ),
    ("BeamSearch failed", &["dm_capacity"]),
    (
        "Cannot find evict target for Vrf (E17, size: 3932160)",
        &["vrf_capacity"],
    ),
    (
        "thread 'main' panicked at /home/me/.cargo/registry/src/furiosa-opt-std-0.8.0/src/a.rs:12:9:\n\
         Switch ring size mismatch: the slot sweep computed 16, but 32 was asserted",
        &["switch_ring_too_small", "switch_ring_too_large"],
    ),
    (
        "Collect packet mismatch. Expected: A % 32, got: A % 16 # 32",
        &["collect_packet_mismatch"],
    ),
    (
        "in-slice element extent is 30 B, not a multiple of the SRAM access width 8",
        &["commit_packet_size", "dma_alignment"],
    ),
    (
        "evaluation panicked: Slice::SIZE must be 64, 128, or 256",
        &["slice_size"],
    ),
    ("Slice size must be 256, got 128", &["slice_size"]),
    ("MulF is already in use", &["alu_reuse"]),
    ("12 34", &[]),
    ("expected `;`, found `}`", &[]),
];

#[test]
fn a_printed_text_finds_its_rules() {
    for (text, expected) in PRINTED {
        let found: Vec<&str> = foreseeing(text).iter().map(|one| one.rule.name).collect();
        assert_eq!(&found, expected, "{text}");
    }
}
