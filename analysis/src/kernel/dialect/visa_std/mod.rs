//! The book's library, `furiosa_visa_std`, release of April 2026, with what only the book has beside it
//! (`fetch_with_table`, `fetch_with_zero_point(s)`, trims and pads of a pair).

mod guide;
mod methods;
mod types;

use crate::kernel::{Context, Tier};

use super::{AssociatedFunction, Constructor, Dialect};

pub(super) use guide::GUIDE;
use methods::METHODS;
use types::TYPES;

/// `furiosa_visa_std`.
pub static VISA_STD: Dialect = Dialect {
    crate_name: "furiosa_visa_std",
    types: TYPES,
    methods: METHODS,
    associated: ASSOCIATED,
    context_fields: &[
        ("main", Context::Main),
        ("sub", Context::Sub),
        ("tdma", Context::TensorDma),
        ("pdma", Context::PcieDma),
    ],
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
