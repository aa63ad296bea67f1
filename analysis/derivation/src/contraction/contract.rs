//! Spatial reduction: the tree that sums neighbouring products of a packet (book: Spatial Reduction).

use crate::conventions::Conventions;
use crate::forms;
use crate::hardware::{ElementType, contraction_type};
use crate::kernel::{Pass, StageKind};
use crate::mapping::{Form, Mapping};

use super::MAC_BYTES;

/// Elements of a row that enter the accumulator at most (book: Resize).
pub(super) const OUTPUT_LIMIT: u64 = 32;

/// Levels of the reduction tree for that input type; `None` for types that the Contraction Engine does not take.
pub fn tree_depth(element_type: ElementType) -> Option<u32> {
    contraction_type(element_type).map(|found| found.tree_depth)
}

/// Whether the Contraction Engine multiplies that type.
pub fn is_operand_type(element_type: ElementType) -> bool {
    contraction_type(element_type).is_some()
}

/// What the reduction tree makes of one stage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContractDerivation {
    /// Levels of the tree that run: each halves the packet. The stage's latency in cycles.
    pub depth: Option<u32>,
    /// Levels that the tree has for the type.
    pub depth_limit: Option<u32>,
    /// Packets that the tree can make of this one, by depth, without padding; only those of at most 32 elements.
    pub possible_packets: Vec<Mapping>,
    /// What the tree cannot do.
    pub violations: Vec<ContractViolation>,
}

/// What the reduction tree cannot do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContractViolation {
    /// The stream that the pass is given has a type that the engine does not multiply.
    Type {
        /// The type.
        element_type: ElementType,
    },
    /// The aligned packet that the pass is given is not 64 bytes.
    AlignedPacketSize {
        /// Bits of the packet.
        bits: u64,
    },
    /// More elements leave the tree than the accumulator takes.
    OutputLimit {
        /// Elements that leave.
        elements: u64,
    },
    /// The output packet is not the input packet divided by a power of two within the tree's depth.
    PacketMismatch,
    /// A maximum over more than row 0.
    MaximumRows {
        /// Rows of the operand.
        rows: u64,
    },
}

/// Derives the contract stage `index` of a pass.
pub fn derive_contract(pass: &Pass, index: usize) -> ContractDerivation {
    let mut derived = ContractDerivation::default();
    let Some(stage) = pass.stages.get(index) else {
        return derived;
    };
    let input = pass.input_of(index);
    if stage.kind == StageKind::ContractMax
        && let Some(rows) = input
            .row
            .as_ref()
            .and_then(|row| row.get())
            .map(Mapping::size)
        && rows > 1
    {
        derived
            .violations
            .push(ContractViolation::MaximumRows { rows });
    }
    let Some(&element_type) = input.element_type.get() else {
        return derived;
    };
    derived.depth_limit = tree_depth(element_type);
    let Some(depth_limit) = derived.depth_limit else {
        // Behind `align` this is the alignment's violation.
        if index == 0 {
            derived
                .violations
                .push(ContractViolation::Type { element_type });
        }
        return derived;
    };
    let Some(bits) = input
        .packet
        .get()
        .and_then(|packet| packet.size().checked_mul(element_type.bits()))
    else {
        return derived;
    };
    let single = Conventions::of(pass.dialect).takes_single_flits() && bits == MAC_BYTES * 8 / 2;
    if bits != MAC_BYTES * 8 && !single {
        if index == 0 {
            derived
                .violations
                .push(ContractViolation::AlignedPacketSize { bits });
        }
        return derived;
    }
    let Some(elements) = stage.output.packet.get().map(Mapping::size) else {
        return derived;
    };
    let Some(packet) = forms::known_form(&input.packet) else {
        return derived;
    };
    let reduced = reductions(packet, depth_limit);
    derived.possible_packets = reduced
        .iter()
        .flatten()
        .filter(|packet| packet.size() <= OUTPUT_LIMIT)
        .map(Form::to_mapping)
        .collect();
    if elements > OUTPUT_LIMIT {
        derived
            .violations
            .push(ContractViolation::OutputLimit { elements });
    } else if let Some(declared) = forms::known_form(&stage.output.packet) {
        find_depth(declared, &reduced, &mut derived);
    }
    derived
}

/// What each depth of the tree leaves, without outer padding; nothing where that cannot be worked out.
fn reductions(packet: &Form, depth_limit: u32) -> Vec<Option<Form>> {
    (0..=depth_limit)
        .map(|depth| Some(packet.stride(1 << depth)?.remove_padding()))
        .collect()
}

/// Finds the depth whose output is the declared packet, up to outer padding.
fn find_depth(declared: &Form, reduced: &[Option<Form>], derived: &mut ContractDerivation) {
    let live = declared.remove_padding();
    derived.depth = (0_u32..)
        .zip(reduced)
        .find(|(_, reduced)| {
            reduced
                .as_ref()
                .is_some_and(|reduced| !forms::differ(reduced, &live))
        })
        .map(|(depth, _)| depth);
    let refused = derived.depth.is_none() && reduced.iter().all(Option::is_some);
    if refused || !declared.size().is_power_of_two() {
        derived.violations.push(ContractViolation::PacketMismatch);
    }
}
