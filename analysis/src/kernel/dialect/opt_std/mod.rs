//! The book library's successor, `furiosa_opt_std`: only what recognises it. Its tables come with its own reading.

use crate::hardware::Machine;
use crate::kernel::Context;
use crate::libraries::Library;

use super::{Table, TypeEntry, TypeShape, Words};

/// `furiosa_opt_std`.
pub static OPT_STD: Table = Table {
    library: Library::OptStd,
    editions: &[],
    machine: Machine {
        slice_counts: &[64, 128, 256],
        cluster_counts: &[1, 2],
        ..Machine::RNGD
    },
    types: &[
        context("Context", TypeShape::Device),
        context("Device", TypeShape::Device),
        context("TuContext", TypeShape::TensorUnit),
    ],
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
    words: &WORDS,
};

const fn context(name: &'static str, shape: TypeShape) -> TypeEntry {
    TypeEntry {
        name,
        shape,
        parameters: &[],
    }
}

static WORDS: Words = Words {
    host_functions: &["launch", "acquire"],
    ..Words::NONE
};
