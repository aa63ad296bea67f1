//! The book library's successor, `furiosa_opt_std`: only what recognises it. Its tables come with its own reading.

use crate::kernel::Context;

use super::{Dialect, Words};

/// `furiosa_opt_std`.
pub static OPT_STD: Dialect = Dialect {
    crate_name: "furiosa_opt_std",
    types: &[],
    methods: &[],
    guide: &[],
    associated: &[],
    context_fields: &[
        ("main", Context::Main),
        ("sub", Context::Sub),
        ("tdma", Context::TensorDma),
        ("pdma", Context::PcieDma),
    ],
    words: &Words::NONE,
};
