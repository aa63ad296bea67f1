//! The book library's successor, `furiosa_opt_std`: only what recognises it. Its tables come with its own reading.

use crate::hardware::Machine;
use crate::kernel::Context;

use super::{Dialect, Words};

/// `furiosa_opt_std`.
pub static OPT_STD: Dialect = Dialect {
    crate_name: "furiosa_opt_std",
    machine: Machine {
        slice_counts: &[64, 128, 256],
        cluster_counts: &[1, 2],
        ..Machine::RNGD
    },
    types: &[],
    methods: &[],
    guide: &[],
    level_words: &[],
    associated: &[],
    context_fields: &[
        ("main", Context::Main),
        ("sub", Context::Sub),
        ("tdma", Context::TensorDma),
        ("pdma", Context::PcieDma),
    ],
    words: &Words::NONE,
};
