//! The rules of the Vector Engine, declared.

use super::super::{Group, Level, Rule, rule};

pub(crate) static VECTOR_TYPE: Rule = rule!(
    "vector_type",
    Hardware,
    Vector,
    "Vector Engine",
    "a stream of another type than `i32` or `f32` enters the Vector Engine",
    "Every ALU of the Vector Engine is 32 bits wide: a flit is eight lanes of `i32` or `f32`. Narrower types have to \
     be widened before. The fetch converts while it reads, and the accumulators of the Contraction Engine are 32 bits \
     wide.",
    alt;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static VECTOR_PACKET: Rule = rule!(
    "vector_packet",
    Hardware,
    Vector,
    "Vector Engine",
    "the stream enters the Vector Engine with a packet of other than 8 elements",
    "The engine takes one flit of 32 bytes a cycle, eight lanes of 32 bits. A shorter packet is spelled with its padding \
     (`# 8`); a longer one is several steps of time.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static VECTOR_STAGE_ORDER: Rule = rule!(
    "vector_stage_order",
    Hardware,
    Vector,
    "Stages",
    "a stage of the Vector Engine is entered after a later one",
    "The stages are laid out one after the other and data passes them once: Branch, Logic, Fxp, FxpToFp, Narrow, Fp, \
     IntraSliceReduce, FpDiv, Widen, FpToFxp, Clip. Any of them can be left out, and none can be entered from a later \
     one. Only Logic, Fxp, Fp and Clip hold several ALUs to pass one after another. What does not fit into one pass \
     takes a second one, with the result in between in data memory.",
    alt;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static VECTOR_WAY: Rule = rule!(
    "vector_way",
    Hardware,
    Vector,
    "Narrow, Widen",
    "a stage that works on four lanes meets a stream of eight, or the reverse",
    "The float stages, the intra-slice reduce and the divider have four lanes; all others have eight. `{split}` and \
     `{trim}` lead from eight lanes to four, `{concat}` and `{pad}` back. Nothing widens or \
     narrows by itself.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static VECTOR_OP_TYPE: Rule = rule!(
    "vector_op_type",
    Hardware,
    Vector,
    "Stage Details",
    "an operation that the stage does not have for the stream's type",
    "Each stage runs its own operations, most of them on one type only. It runs fixed point on `i32`, the float \
     stages on `f32`, Logic and Clip on both but with different operations. `{fxp_to_fp}` and `{fp_to_fxp}` change \
     the type between the stages.",
    alt;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static ALU_REUSE: Rule = rule!(
    "alu_reuse",
    Hardware,
    Vector,
    "ALU single-use",
    "an ALU is used twice in one pass",
    "An operation configures its ALU for the whole pass, and each flit passes each ALU once. A second operation on \
     the same ALU would need another configuration. Even a root and a hyperbolic tangent exclude each other if one \
     unit computes both. Both groups of a pair share one set of ALUs. A reduction across slices starts a new set.",
    alt;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static NARROW_DROPS_DATA: Rule = rule!(
    "narrow_drops_data",
    Silent,
    Vector,
    "Downstream: 4-Way Operations",
    "`{trim}` drops four lanes that can hold data",
    "Trimming keeps lanes 0 to 3 of a flit and forgets the others; it is meant for packets whose upper half is padding. \
     If the mapping puts elements there, they are lost without a word. `{split}` keeps both halves as two steps of \
     time.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static WAY_SHAPE: Rule = rule!(
    "way_shape",
    Hardware,
    Vector,
    "Shape semantics",
    "the mappings of a split, trim, concat, pad or unzip are not what the operation makes of them",
    "Narrowing and widening do not reorder. A split appends the packet's upper half to time, and a concat takes the \
     innermost two steps of time into the packet. Trim and pad remove and add four lanes of padding. The mapping has \
     to say just that, since all later stages read the stream by it.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static STASH_STAGE: Rule = rule!(
    "stash_stage",
    Hardware,
    Vector,
    "Stash",
    "a stash that the stage cannot take, or that is read when it is not there",
    "The stash is one register of the pipeline. It can be written after Branch, Logic, Fxp, Narrow, Fp, FpDiv and \
     Clip, holds one value of one type, and is gone once an operation has read it. It is read in as many lanes as it \
     was stored in. So the stream is neither split nor joined between a stash and its reader, which the current \
     library refuses from release 0.6 on. Two groups have no stash.";
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static TWO_GROUP_UNAVAILABLE: Rule = rule!(
    "two_group_unavailable",
    Hardware,
    Vector,
    "Two-Group Mode",
    "a stash or filter on two groups, or groups by an axis that does not have size 2",
    "In two-group mode the lanes that tag the groups need the place of stash and filter. The merged stream keeps them \
     until the pass ends. The two groups are the two values of one axis in time; an axis of another size makes no two \
     groups.";
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static OPERAND_MAPPING: Rule = rule!(
    "operand_mapping",
    Hardware,
    Vector,
    "Operands",
    "an operand whose mapping does not fit the stream",
    "An operand is read in the stream's order and repeated over the axes that it lacks. So the stream has to run over \
     every axis of the operand. An element that the stream never visits has no time step. An operand in the VRF is \
     read a packet at a time, either as one address for all lanes or as a run of consecutive cells.";
    refused: Refusal::since(7),
);

pub(crate) static OPERAND_PLACEMENT: Rule = rule!(
    "operand_placement",
    Hardware,
    Vector,
    "library",
    "an operand in the VRF of other chips, clusters or slices than the stream's",
    "Each slice reads its own VRF: nothing carries an operand from one slice to another. The register and the stream \
     have to be on the same chips, clusters and slices. Otherwise the operation reads another part of the tensor. The \
     library compares the types of the three levels; where the same data is meant, the register is reshaped.";
    holds: Holds::SUCCESSOR.since(7),
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static UNZIP_GROUP: Rule = rule!(
    "unzip_group",
    Hardware,
    Vector,
    "library",
    "two groups by an axis that the stream lacks, that has not two values, or that has too much inside it",
    "The two groups of a pass are the two values of one axis of the stream. The elements of the first group wait in a cache of \
     1 KiB, 256 elements of 32 bits, until those of the second arrive. All that is inside the axis, padding \
     included, is therefore at most 256 elements: an axis further inside of the time makes smaller groups.";
    holds: Holds::SUCCESSOR.since(7),
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static REDUCE_PADDING: Rule = Rule {
    level: Some(Level::Deny),
    ..rule!(
        "reduce_padding",
        Toolchain,
        Vector,
        "library",
        "an intra-slice reduction over an axis with padding",
        "A reduction reads every position of its axis. No mask leaves padding out, and what it holds is not known, so the \
         compiler takes no padded axis. Reduce an axis whose size fits the packet. Or fill the padding with the neutral \
         value of the operation, and declare an axis of the padded size.";
        holds: Holds::SUCCESSOR,
        refused: Refusal::BY_COMPILER,
    )
};

pub(crate) static OPERAND_TYPE: Rule = rule!(
    "operand_type",
    Hardware,
    Vector,
    "Operands",
    "an operand of another type than the stream",
    "An ALU computes on two values of one type; nothing converts an operand on its way in. A constant is written in the \
     stream's type, a tensor is loaded into the VRF in it.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static INTRA_REDUCE_MAPPING: Rule = rule!(
    "intra_reduce_mapping",
    Hardware,
    Vector,
    "Intra-Slice Reduce",
    "the output of an intra-slice reduce is not its input without the reduced axis",
    "The reduce takes every part of the axis out of time and packet and leaves the rest in its order. If the axis is \
     in the packet, the tree folds all four lanes into one and the packet is `1 # 4`. A packet without it passes as \
     it is.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static INTRA_REDUCE_SLOTS: Rule = rule!(
    "intra_reduce_slots",
    Hardware,
    Vector,
    "Accumulator Slot Limit",
    "an intra-slice reduce needs more than 8 accumulator slots",
    "Inside the outermost reduced factor, each step of time that is not reduced keeps its own sum until the reduced \
     axis has run. Each sum occupies one of eight accumulator slots. With the reduced axis innermost in time one slot \
     is enough.",
    alt;
    refused: Refusal::since(7),
);

pub(crate) static INTER_REDUCE_STAGE: Rule = rule!(
    "inter_reduce_stage",
    Hardware,
    Vector,
    "Inter-Slice Block",
    "a reduction across slices from a 4-lane stage, or a second one in a pass",
    "There is one inter-slice block, in the 8-lane part of the pipeline. It comes before the first stage or after \
     Branch, Logic, Fxp, FxpToFp, Widen, FpToFxp and Clip. A 4-lane stream has to be widened first; a second \
     reduction takes a second pass.";
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static INTER_REDUCE_MAPPING: Rule = Rule {
    // Padding inside of the reduced axis may be taken.
    lesser: Some(Group::Suspicious),
    ..rule!(
        "inter_reduce_mapping",
        Hardware,
        Vector,
        "Output Mapping Rule",
        "the output of a reduction across slices is not one that the block makes",
        "One of three things fills the place of the reduced axis in the slice. A new axis gives every slice of the group \
         the result, `1 # n` leaves it empty, or an axis moves up from time. Packet, the other slices and the order of \
         time stay as they are. The compiler of the current library reduces the innermost part of the slice alone: axes \
         that stay, and padding, are outside of it.",
        fix;
        refused: Refusal::BY_BOOK,
    )
};

/// The family's rules, in the catalogue's order.
pub(super) const RULES: &[&Rule] = &[
    &VECTOR_TYPE,
    &VECTOR_PACKET,
    &VECTOR_STAGE_ORDER,
    &VECTOR_WAY,
    &VECTOR_OP_TYPE,
    &ALU_REUSE,
    &NARROW_DROPS_DATA,
    &WAY_SHAPE,
    &STASH_STAGE,
    &TWO_GROUP_UNAVAILABLE,
    &OPERAND_MAPPING,
    &OPERAND_PLACEMENT,
    &UNZIP_GROUP,
    &OPERAND_TYPE,
    &INTRA_REDUCE_MAPPING,
    &INTRA_REDUCE_SLOTS,
    &REDUCE_PADDING,
    &INTER_REDUCE_STAGE,
    &INTER_REDUCE_MAPPING,
];
