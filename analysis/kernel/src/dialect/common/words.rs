//! Names that are no methods and no types and that both libraries have.

use crate::dialect::{SwitchWord, Words};
use crate::hardware::ElementType;
use crate::{
    AccumulationKind, Context, Position, SwitchParameter, SwitchTopology, TrfAddress, Way,
};

const SLICE1: (&str, SwitchParameter) = ("slice1", SwitchParameter::Slice1);
const SLICE0: (&str, SwitchParameter) = ("slice0", SwitchParameter::Slice0);
const TIME0: (&str, SwitchParameter) = ("time0", SwitchParameter::Time0);
const RING_SIZE: (&str, SwitchParameter) = ("ring_size", SwitchParameter::RingSize);

/// A topology.
pub(in crate::dialect) const fn switch_word(
    name: &'static str,
    topology: SwitchTopology,
    fields: &'static [(&'static str, SwitchParameter)],
) -> SwitchWord {
    SwitchWord {
        name,
        topology,
        fields,
    }
}

pub(in crate::dialect) const BROADCAST01: SwitchWord = switch_word(
    "Broadcast01",
    SwitchTopology::Broadcast01,
    &[SLICE1, SLICE0, TIME0],
);
pub(in crate::dialect) const BROADCAST1: SwitchWord =
    switch_word("Broadcast1", SwitchTopology::Broadcast1, &[SLICE1, SLICE0]);
pub(in crate::dialect) const TRANSPOSE: SwitchWord =
    switch_word("Transpose", SwitchTopology::Transpose, &[SLICE1, SLICE0]);
pub(in crate::dialect) const INTER_TRANSPOSE: SwitchWord = switch_word(
    "InterTranspose",
    SwitchTopology::InterTranspose,
    &[SLICE1, SLICE0, TIME0],
);
pub(in crate::dialect) const CUSTOM_BROADCAST: SwitchWord = switch_word(
    "CustomBroadcast",
    SwitchTopology::CustomBroadcast,
    &[RING_SIZE],
);
pub(in crate::dialect) const TRANSPOSED_BROADCAST1: SwitchWord = switch_word(
    "TransposedBroadcast1",
    SwitchTopology::TransposedBroadcast1,
    &[SLICE1, SLICE0],
);

/// What both libraries have; each says the rest.
pub(in crate::dialect) const WORDS: Words = Words {
    trf_type: "TrfAddress",
    trf_regions: &[
        ("FirstHalf", TrfAddress::FirstHalf),
        ("SecondHalf", TrfAddress::SecondHalf),
        ("Full", TrfAddress::Full),
    ],
    accumulations: &[
        ("Interleaved", AccumulationKind::Interleaved),
        ("Sequential", AccumulationKind::Sequential),
    ],
    switch_type: "SwitchConfig",
    comparison: "Comparison",
    comparisons: &[
        ("I32", "InputCmpI32", ElementType::I32),
        ("F32", "InputCmpF32", ElementType::F32),
    ],
    operand_type: "VeRhs",
    containers: &[("ArrayVec", &["new", "from"])],
    contexts: &[
        ("Tu", "Main", Context::Main),
        ("Tu", "Sub", Context::Sub),
        ("Dma", "Tensor", Context::TensorDma),
        ("Dma", "Pcie", Context::PcieDma),
    ],
    positions: &[
        ("Contraction", Position::Accumulate),
        ("Vector", Position::VectorFinal),
    ],
    position_prefix: "Position",
    stream_suffix: "Tensor",
    ways: &[("Way8", Way::Way8), ("Way4", Way::Way4)],
    context_words: "The context: `{ Tu::Main }` or `{ Tu::Sub }`.",
    row_name: "Row",
    way_words: "The lanes: `Way8` or `Way4`.",
    address_type: "Address",
    launch: "launch",
    host_functions: &["launch", "acquire"],
    ..Words::NONE
};
