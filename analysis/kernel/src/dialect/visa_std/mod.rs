//! The book's library, `furiosa_visa_std`, release of April 2026, with what only the book has beside it
//! (`fetch_with_table`, `fetch_with_zero_point(s)`, trims and pads of a pair).

mod guide;
mod methods;
mod types;
mod vector;
mod words;

use std::sync::OnceLock;

use crate::hardware::{ElementType, Machine};
use crate::libraries::Library;
use crate::{Context, Level, Tier};

use super::common::rows::contents_constructor;
use super::{
    AssociatedFunction, Constructor, Method, MethodIndex, Release, Releases, Table, common,
};

use guide::GUIDE;
use types::{TYPES, VECTORS};
use words::WORDS;

/// The one release: that of April 2026.
const RELEASE: Release = Release::new(0, 1);

/// `furiosa_visa_std`.
pub static VISA_STD: Table = Table {
    library: Library::VisaStd,
    editions: &[(RELEASE, "April 2026")],
    machine: |_| Machine::RNGD,
    types: &[common::types::TYPES, VECTORS, TYPES],
    methods: METHODS,
    index: &INDEX,
    guide: GUIDE,
    level_words: &[
        (Level::Slice, "The slices of the result: 256."),
        (Level::Row, "The rows of the MAC array: 1, 2, 4 or 8."),
    ],
    generic_names: &[],
    associated: ASSOCIATED,
    scalars: SCALARS,
    context_fields: &[
        ("main", Context::Main),
        ("sub", Context::Sub),
        ("tdma", Context::TensorDma),
        ("pdma", Context::PcieDma),
    ],
    context_names: &[("ctx", Releases::ALL)],
    words: &WORDS,
};

const METHODS: &[&[Method]] = &[methods::METHODS, common::vector::METHODS, vector::METHODS];

static INDEX: OnceLock<MethodIndex> = OnceLock::new();

const SCALARS: &[(ElementType, Releases)] = &[
    (ElementType::I4, Releases::ALL),
    (ElementType::I8, Releases::ALL),
    (ElementType::U8, Releases::ALL),
    (ElementType::I16, Releases::ALL),
    (ElementType::I32, Releases::ALL),
    (ElementType::F8, Releases::ALL),
    (ElementType::F8E4M3, Releases::ALL),
    (ElementType::Bf16, Releases::ALL),
    (ElementType::F32, Releases::ALL),
];

const ASSOCIATED: &[AssociatedFunction] = &[
    AssociatedFunction {
        name: "from_addr",
        tiers: &[Tier::Hbm, Tier::Dm, Tier::Trf, Tier::Vrf],
        constructor: Constructor::FromAddress,
        releases: Releases::ALL,
        summary: "",
        arguments: &[],
    },
    contents_constructor("rand"),
    contents_constructor("from_buf"),
    contents_constructor("from_safetensors"),
    contents_constructor("zero"),
    contents_constructor("uninit"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::libraries::is_prelude_name;

    /// Names are looked up by one list and understood by another: neither has one that the other lacks.
    #[test]
    fn what_is_understood_is_in_scope() {
        let has = |enumeration: &str, variant: &str| {
            let known = Library::VisaStd.variants(enumeration);
            assert!(
                known.is_some_and(|variants| variants.contains(&variant)),
                "{enumeration}::{variant}"
            );
        };
        for (region, _) in WORDS.trf_regions {
            has(WORDS.trf_type, region);
        }
        for switch in WORDS.switches {
            has(WORDS.switch_type, switch.name);
        }
        for mode in WORDS.modes_with_body() {
            has(WORDS.branch_type, mode);
        }
        for (variant, owner, _) in WORDS.comparisons {
            has(WORDS.comparison_type, variant);
            assert!(is_prelude_name(owner), "{owner}");
        }
        for (owner, variant, _) in WORDS.contexts {
            has(owner, variant);
        }
        let operations = VISA_STD.operations();
        for (choice, _) in operations.choices {
            has(operations.choice, choice);
        }
        let enums = operations.enums.iter().map(|known| known.name);
        let types = TYPES.iter().map(|entry| entry.name);
        for name in enums
            .chain(types)
            .chain(WORDS.operand_owners.iter().copied())
        {
            assert!(is_prelude_name(name), "{name}");
        }
    }
}
