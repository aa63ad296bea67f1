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

use std::sync::OnceLock;

use crate::hardware::{ElementType, Machine};
use crate::libraries::Library;
use crate::{Context, Level, Tier};

use super::common::guide::value_part;
use super::common::rows::contents_constructor;
use super::{
    AssociatedFunction, Constructor, Method, MethodIndex, Part, Release, Releases, Table, common,
};

use guide::{GENERIC_NAMES, GUIDE};
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
    machine: machine_of_release,
    types: &[common::types::TYPES, VECTORS, TYPES],
    methods: METHODS,
    index: &INDEX,
    guide: GUIDE,
    level_words: &[
        (Level::Slice, "The slices of the result: 64, 128 or 256."),
        (Level::Row, "The lanes of the MAC array: 1, 2, 4 or 8."),
    ],
    generic_names: GENERIC_NAMES,
    associated: ASSOCIATED,
    scalars: SCALARS,
    context_fields: &[
        ("main", Context::Main),
        ("sub", Context::Sub),
        ("tdma", Context::TensorDma),
        ("pdma", Context::PcieDma),
    ],
    context_names: &[
        (
            "ctx",
            Releases {
                until: Some(R7),
                ..Releases::ALL
            },
        ),
        ("device", Releases::since(R8)),
    ],
    words: &WORDS,
};

const METHODS: &[&[Method]] = &[
    methods::MEMORY,
    methods::TRANSFERS,
    collectives::METHODS,
    streams::METHODS,
    common::vector::METHODS,
    vector::METHODS,
];

static INDEX: OnceLock<MethodIndex> = OnceLock::new();

/// The sizes of slices and clusters that the releases take.
fn machine_of_release(release: Release) -> Machine {
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

/// The element types of the library. Those of a zero point and those of four bits came with 0.4.
const SCALARS: &[(ElementType, Releases)] = &[
    (ElementType::I4, Releases::ALL),
    (ElementType::I5, Releases::since(R4)),
    (ElementType::I8, Releases::ALL),
    (ElementType::I9, Releases::since(R4)),
    (ElementType::U8, Releases::ALL),
    (ElementType::I16, Releases::ALL),
    (ElementType::I32, Releases::ALL),
    (
        ElementType::F8,
        Releases {
            until: Some(R3),
            ..Releases::ALL
        },
    ),
    (ElementType::F4E2M1, Releases::since(R4)),
    (ElementType::F8E4M3, Releases::ALL),
    (ElementType::F8E5M2, Releases::since(R4)),
    (ElementType::Bf16, Releases::ALL),
    (ElementType::F32, Releases::ALL),
];

const ADDRESS: &[Part] = &[value_part(
    "address",
    "Address",
    "The first byte, in its slice or chip.",
)];
const REGION: &[Part] = &[value_part(
    "address",
    "TrfAddress",
    "Which part of each row.",
)];
const DEVICE: &[Part] = &[value_part("device", "&Device", "Whose memory it is.")];
const VALUES: &[Part] = &[value_part(
    "data",
    "impl IntoIterator<Item = D>",
    "The elements in the order of the mapping.",
)];

const ASSOCIATED: &[AssociatedFunction] = &[
    at_address(&[Tier::Dm], ADDRESS).until(R4),
    at_address(&[Tier::Hbm, Tier::Vrf], ADDRESS).until(R5),
    at_address(&[Tier::Trf], REGION).until(R5),
    fresh_tensor("new", &[Tier::Dm]).since(R5),
    fresh_tensor("new", &[Tier::Hbm]).since(R6),
    fresh_tensor("new", &[Tier::Trf, Tier::Vrf])
        .since(R6)
        .until(R6),
    fresh_tensor("zero", &[Tier::Trf, Tier::Vrf])
        .since(R7)
        .in_words("A register file that holds zeros.", &[]),
    fresh_tensor("alloc", &[Tier::Dm, Tier::Hbm])
        .since(R9)
        .in_words(
            "A tensor that stays on the device between launches.",
            DEVICE,
        ),
    contents_constructor("rand").in_words(
        "A tensor of random elements.",
        &[value_part("rng", "&mut impl Rng", "Where they come from.")],
    ),
    contents_constructor("from_buf")
        .until(R3)
        .in_words("A tensor of these elements.", VALUES),
    contents_constructor("from_buf").since(R4).in_words(
        "A tensor of packed bytes.",
        &[value_part("buf", "Vec<u8>", "The packed elements.")],
    ),
    contents_constructor("from_vec")
        .since(R4)
        .in_words("A tensor of these elements.", VALUES),
    contents_constructor("from_safetensors").in_words(
        "A tensor of a file's contents.",
        &[value_part("view", "&TensorView", "The tensor in the file.")],
    ),
    contents_constructor("zero").in_words("A tensor of zeros.", &[]),
    contents_constructor("uninit")
        .until(R3)
        .in_words("A tensor without contents.", &[]),
    // A method of a tensor: it moves one to memory that transfers read faster.
    contents_constructor("pinned").since(R8),
];

const fn at_address(tiers: &'static [Tier], arguments: &'static [Part]) -> AssociatedFunction {
    AssociatedFunction {
        name: "from_addr",
        tiers,
        constructor: Constructor::FromAddress,
        releases: Releases::since(R2),
        summary: "A tensor at an address; what is there is what it holds.",
        arguments,
    }
}

const fn fresh_tensor(name: &'static str, tiers: &'static [Tier]) -> AssociatedFunction {
    AssociatedFunction {
        name,
        tiers,
        constructor: Constructor::New,
        releases: Releases::since(R2),
        summary: "A tensor without contents; the compiler chooses its address.",
        arguments: &[],
    }
}
