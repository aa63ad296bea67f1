//! The book's library, `furiosa_visa_std`, release of April 2026, with what only the book has beside it
//! (`fetch_with_table`, `fetch_with_zero_point(s)`, trims and pads of a pair).

mod guide;
mod methods;
mod types;
mod vector;
mod words;

use crate::hardware::Machine;
use crate::kernel::{Context, Level, Tier};
use crate::libraries::Library;

use super::{AssociatedFunction, Constructor, Release, Table};

use guide::GUIDE;
use types::TYPES;
use words::WORDS;

/// The one release: that of April 2026.
const RELEASE: Release = Release::new(0, 1);

/// `furiosa_visa_std`.
pub static VISA_STD: Table = Table {
    library: Library::VisaStd,
    editions: &[(RELEASE, "April 2026")],
    machine: Machine::RNGD,
    types: TYPES,
    methods: &[methods::METHODS, vector::METHODS],
    guide: GUIDE,
    level_words: &[
        (Level::Slice, "The slices of the result: 256."),
        (Level::Row, "The rows of the MAC array: 1, 2, 4 or 8."),
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

const ASSOCIATED: &[AssociatedFunction] = &[
    AssociatedFunction {
        name: "from_addr",
        tiers: &[Tier::Hbm, Tier::Dm, Tier::Trf, Tier::Vrf],
        constructor: Constructor::FromAddress,
    },
    contents("rand"),
    contents("from_buf"),
    contents("from_safetensors"),
    contents("zero"),
    contents("uninit"),
];

const fn contents(name: &'static str) -> AssociatedFunction {
    AssociatedFunction {
        name,
        tiers: &[Tier::Host],
        constructor: Constructor::Contents,
    }
}
