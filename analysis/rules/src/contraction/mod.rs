//! Rules of the Contraction Engine: declarations. The words are in `operands` (TRF loads and alignment) and
//! `reduction` (contract and accumulate).

mod operands;
mod reduction;

use crate::derivation::{EndDerivation, StageDerivation};

pub(super) use reduction::word_time;

use super::{Checked, Finding, Rule, rule, wording};

pub(crate) static CONTRACTION_TYPE: Rule = rule!(
    "contraction_type",
    Hardware,
    Contraction,
    "Reducer: Constraints",
    "an operand type that the Contraction Engine does not multiply, or operands of different types",
    "The multipliers of a row take `i4`, `i8`, 8-bit floats and `bf16`, and both operands in the same format. \
     Products are widened to `i32` or `f32` on the way down the tree. Other types are multiplied by the Vector \
     Engine, or cast before they are stored.",
    alt;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static TRF_ROW_COUNT: Rule = rule!(
    "trf_row_count",
    Hardware,
    Contraction,
    "Rows",
    "the rows are not 1, 2, 4 or 8, or they do not divide the collected time",
    "A row of the MAC array reads its own bank row of the TRF. The three address bits that select it are used in \
     whole powers of two. A load fills the rows one after the other from equal shares of the collected time, so the \
     row count has to divide that time as well. Padding the outermost axis in the fetch makes it fit.",
    alt;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static TRF_ROW_MISMATCH: Rule = rule!(
    "trf_row_mismatch",
    Hardware,
    Contraction,
    "to_trf",
    "the rows are not the outermost factors of the collected time",
    "A load writes flits in the order they arrive. The first share of the time goes to row 0, the next to row 1, and \
     so on. What distinguishes rows is thus the outermost part of the time. To spread another axis over the rows, \
     fetch it outermost. The compiler of the current library cuts rows in steps out of a padded axis (`S # 16 / 2`) \
     with 4, 8 or 16 values. It refuses other counts.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static TRF_ELEMENT_MISMATCH: Rule = rule!(
    "trf_element_mismatch",
    Hardware,
    Contraction,
    "to_trf",
    "the element of a TRF tensor is not the rest of the collected time followed by the packet",
    "Within a row the flits of a load are one after the other, padding of the last flit included. The element's \
     mapping is the time without its row part, then the packet. A different order or packing would make the TRF \
     Sequencer read the wrong weights.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static ALIGN_PACKET_SIZE: Rule = rule!(
    "align_packet_size",
    Hardware,
    Contraction,
    "Stream Adapter: Specifications",
    "the aligned packet is not 64 bytes",
    "A row multiplies 64 bytes a cycle. The Stream Adapter fills them with one flit and zeros, or with two flits that it \
     collects from the innermost time. The aligned packet spells all 64 bytes, padding included.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static ALIGN_PACKET_MISMATCH: Rule = rule!(
    "align_packet_mismatch",
    Hardware,
    Contraction,
    "Flit Buffer",
    "the aligned packet is not one or two collected flits of the stream, zero-padded",
    "The flit buffer keeps flits as they arrive. Its 64 bytes are the current flit, with the other half zero, or two \
     flits that follow each other, the later one outside. It neither reorders elements inside a flit nor repeats a \
     flit in the second half.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static ALIGN_TIME_MISMATCH: Rule = rule!(
    "align_time_mismatch",
    Hardware,
    Contraction,
    "Time Broadcast",
    "the aligned time is not the stream's time with repetitions innermost",
    "Flits come in the order of the collected time, and each is used up before the next. The aligned time goes \
     through the stream's time in order, without the flits that are part of the packet. Axes that only the weights \
     have repeat the current packet, so they are innermost.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static ALIGN_TILING_NOT_IN_TRF: Rule = rule!(
    "align_tiling_not_in_trf",
    Hardware,
    Contraction,
    "Time Broadcast",
    "a tiling axis of the aligned time that the TRF tensor does not hold",
    "The Stream Adapter repeats a packet for axes that only the other operand has. An axis that neither the stream nor the \
     element of the TRF tensor holds has no source: each repetition would multiply the same numbers again.";
    holds: Holds::BOOK,
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static ALIGN_OPERAND_MISMATCH: Rule = rule!(
    "align_operand_mismatch",
    Hardware,
    Contraction,
    "Contraction Engine: Constraints",
    "the computation mappings of stream and TRF tensor differ",
    "Both operands get one computation mapping and are multiplied position by position. Chips, clusters and slices \
     have to be the same on both sides. The aligned time or packet has to go through all that a row of the TRF tensor \
     holds. What is left out would never be multiplied.",
);

pub(crate) static TRF_SEQUENCER: Rule = rule!(
    "trf_sequencer",
    Hardware,
    Contraction,
    "Sequencer Configuration",
    "the TRF Sequencer cannot read the weights in the order of the aligned time and packet",
    "Each cycle the TRF Sequencer reads up to 64 contiguous bytes and repeats them over the row's 64. Its eight \
     entries of up to 65,536 iterations move the read as time goes on, by signed 32-bit strides. A read of all 64 \
     bytes spans both bank columns, so every stride has to keep it on a 64-byte boundary.",
);

pub(crate) static CONTRACT_PACKET_MISMATCH: Rule = rule!(
    "contract_packet_mismatch",
    Hardware,
    Contraction,
    "Spatial Reduction",
    "the contracted packet is not the aligned packet divided by a power of two within the tree's depth",
    "The reduction tree adds neighbours: each level halves the packet from the inside, seven levels for `i4`, six for 8-bit \
     types, five for `bf16`. What is left are the outer positions of the packet, `packet / 2^n`. An outer axis is \
     not summed while an inner one stays: place the axis to reduce innermost in the packet.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static CONTRACT_OUTPUT_LIMIT: Rule = rule!(
    "contract_output_limit",
    Hardware,
    Contraction,
    "Reducer: Constraints",
    "more than 32 elements leave the reduction tree",
    "After the tree each row feeds 32 columns of the accumulator. Products of a narrow type that are not summed at \
     all would need 64 or 128; all but 32 would be cut off. One more level of the tree, or a wider type, makes them \
     fit.";
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static ACCUMULATE_LAYOUT: Rule = rule!(
    "accumulate_layout",
    Hardware,
    Contraction,
    "Interleaved Mode",
    "the accumulated time or packet is not the layout of the chosen kind",
    "The accumulator's bus carries eight values a beat. Interleaved, these are the rows (padded to 8), and the \
     columns follow each other in time. Sequential, these are eight columns of one row, and rows and further columns \
     follow each other. In both, the kept axes of the input time come first, in their order and with their padding.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static ACCUMULATE_SLICES_DATA: Rule = rule!(
    "accumulate_slices_data",
    Silent,
    Contraction,
    "Interleaved Mode",
    "interleaved accumulation cuts off packet positions that hold data",
    "Interleaved, the accumulator takes only as many columns as the output spells. Cutting padding saves slots; cutting \
     columns that hold partial results drops these results without a word. Reduce the packet further in the tree, or spell \
     all of it in the output time.";
    holds: Holds::BOOK,
    instead: &["accumulate_layout"],
);

pub(crate) static ACCUMULATOR_CAPACITY: Rule = rule!(
    "accumulator_capacity",
    Hardware,
    Contraction,
    "Reducer: Constraints",
    "more positions inside the outermost reduced axis than the accumulator has slots",
    "While an outer axis is summed, every position inside it waits in a slot of its own. The accumulator has 8 rows \
     of 32 columns with 4 registers. These are 128 positions interleaved (all 8 rows are taken, whatever the row \
     count), 32 sequential (all 32 columns are). Move the reduced axis inward, or split what is inside.",
    alt;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static REDUCE_MAX_ROWS: Rule = rule!(
    "reduce_max_rows",
    Hardware,
    Contraction,
    "Reducer: Constraints",
    "a max reduction over more than row 0",
    "The comparators that make the tree take maxima exist in row 0 only; sums use all eight rows. A maximum runs with one row, \
     the other rows' weights going through time. No release of the library has a method for it yet: `{largest}` \
     is read as a `{contract}` that compares.";
    holds: Holds::BOOK,
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &CONTRACTION_TYPE,
    &TRF_ROW_COUNT,
    &TRF_ROW_MISMATCH,
    &TRF_ELEMENT_MISMATCH,
    &ALIGN_PACKET_SIZE,
    &ALIGN_PACKET_MISMATCH,
    &ALIGN_TIME_MISMATCH,
    &ALIGN_TILING_NOT_IN_TRF,
    &ALIGN_OPERAND_MISMATCH,
    &TRF_SEQUENCER,
    &CONTRACT_PACKET_MISMATCH,
    &CONTRACT_OUTPUT_LIMIT,
    &ACCUMULATE_LAYOUT,
    &ACCUMULATE_SLICES_DATA,
    &ACCUMULATOR_CAPACITY,
    &REDUCE_MAX_ROWS,
];

/// Turns the violations of this family into findings.
pub(super) fn check_contraction(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for of in wording::judged_stages(checked) {
        let mut met = Vec::new();
        match of.derived {
            StageDerivation::Align(derived) => {
                operands::word_align_violations(checked, &of, derived, &mut met);
            }
            StageDerivation::Contract(derived) => {
                reduction::word_contract_violations(&of, derived, &mut met);
            }
            StageDerivation::Accumulate(derived) => {
                reduction::word_accumulate_violations(&of, derived, &mut met);
            }
            _ => {}
        }
        let mappings = || wording::declared_mappings(of.stage);
        findings.extend(
            met.into_iter()
                .map(|finding| wording::link_use(finding, mappings())),
        );
    }
    for (pass, derived) in wording::judged_passes(checked) {
        if let EndDerivation::Trf(derived) = &derived.end {
            operands::trf_load(checked, pass, derived, findings);
        }
    }
}
