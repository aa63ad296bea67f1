//! The current library, `furiosa_opt_std`, releases 0.2 to 0.10.
//!
//! Each row says in which releases it is there. Of 0.2 and 0.3, which have addresses, only what differs from the book's
//! library is told apart.

mod collectives;
mod guide;
mod methods;
mod streams;
mod types;
mod vector;
mod words;

use crate::hardware::Machine;
use crate::kernel::{Context, Level, Tier};
use crate::libraries::Library;

use super::common::rows::contents;
use super::{AssociatedFunction, Constructor, Release, Releases, Table, common};

use guide::GUIDE;
use types::{TYPES, VECTORS};
use words::WORDS;

pub(super) const R2: Release = Release::new(0, 2);
pub(super) const R3: Release = Release::new(0, 3);
pub(super) const R4: Release = Release::new(0, 4);
pub(super) const R5: Release = Release::new(0, 5);
pub(super) const R6: Release = Release::new(0, 6);
pub(super) const R7: Release = Release::new(0, 7);
pub(super) const R8: Release = Release::new(0, 8);
pub(super) const R9: Release = Release::new(0, 9);
pub(super) const R10: Release = Release::new(0, 10);

/// `furiosa_opt_std`.
pub static OPT_STD: Table = Table {
    library: Library::OptStd,
    editions: &[
        (R2, "May 2026"),
        (R3, "June 2026"),
        (R4, "July 2026"),
        (R5, "July 2026"),
        (R6, "August 2026"),
        (R7, "September 2026"),
        (R8, "September 2026"),
        (R9, "October 2026"),
        (R10, "October 2026"),
    ],
    machine,
    types: &[common::types::TYPES, VECTORS, TYPES],
    methods: &[
        methods::MEMORY,
        methods::TRANSFERS,
        collectives::METHODS,
        streams::METHODS,
        common::vector::METHODS,
        vector::METHODS,
    ],
    guide: GUIDE,
    level_words: &[
        (Level::Slice, "The slices of the result: 64, 128 or 256."),
        (Level::Row, "The lanes of the MAC array: 1, 2, 4 or 8."),
    ],
    associated: ASSOCIATED,
    context_fields: &[
        ("main", Context::Main),
        ("sub", Context::Sub),
        ("tdma", Context::TensorDma),
        ("pdma", Context::PcieDma),
    ],
    words: &WORDS,
};

/// The sizes of slices and clusters that the releases take.
fn machine(release: Release) -> Machine {
    let (slice_counts, cluster_counts): (&[u64], &[u64]) = if release < R3 {
        (&[256], &[2])
    } else if release < R4 {
        (&[64, 128, 192, 256], &[1, 2])
    } else {
        (&[64, 128, 256], &[1, 2])
    };
    Machine {
        slice_counts,
        cluster_counts,
        ..Machine::RNGD
    }
}

const ASSOCIATED: &[AssociatedFunction] = &[
    at_address(
        "from_addr",
        &[Tier::Dm],
        Releases {
            since: R2,
            until: Some(R4),
        },
    ),
    at_address(
        "from_addr",
        &[Tier::Hbm, Tier::Trf, Tier::Vrf],
        Releases {
            since: R2,
            until: Some(R5),
        },
    ),
    fresh("new", &[Tier::Dm], Releases::since(R5)),
    fresh("new", &[Tier::Hbm], Releases::since(R6)),
    fresh(
        "new",
        &[Tier::Trf, Tier::Vrf],
        Releases {
            since: R6,
            until: Some(R6),
        },
    ),
    fresh("zero", &[Tier::Trf, Tier::Vrf], Releases::since(R7)),
    fresh("alloc", &[Tier::Dm, Tier::Hbm], Releases::since(R9)),
    contents("rand"),
    contents("from_buf"),
    contents("from_vec"),
    contents("from_safetensors"),
    contents("zero"),
    contents("uninit"),
    contents("pinned"),
];

const fn at_address(
    name: &'static str,
    tiers: &'static [Tier],
    releases: Releases,
) -> AssociatedFunction {
    AssociatedFunction {
        name,
        tiers,
        constructor: Constructor::FromAddress,
        releases,
    }
}

const fn fresh(
    name: &'static str,
    tiers: &'static [Tier],
    releases: Releases,
) -> AssociatedFunction {
    AssociatedFunction {
        name,
        tiers,
        constructor: Constructor::New,
        releases,
    }
}
