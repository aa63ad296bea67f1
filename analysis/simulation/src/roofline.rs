//! What bounds a kernel from below: its bytes in HBM at the full bandwidth, its products at the peak, the busy time of each
//! context, the fixed cycles of its start and end, and its longest chain of operations that need each other's bytes.
//!
//! Knows the work of operations and the peaks of the machine; busy times are the schedule's. A figure of which a part is
//! unknown is unknown.

use std::sync::Arc;

use crate::derivation::BodyDerivation;
use crate::hardware::{ElementType, HBM_BYTES_A_CYCLE};
use crate::kernel::{
    Body, Collective, CollectiveWork, Level, Operation, OperationKind, Pass, StageKind,
    StreamShape, TensorId, Tier,
};
use crate::lanes::Lane;

use super::schedule::{fixed_cycles, longest_chain};
use super::{BodySimulation, OperationCost};

/// A more specific bound binds from so many percent of the general one on: no transfer reaches the whole bandwidth, and a
/// context that is busy for three quarters of a chain is what a shorter chain needs faster.
const BINDS_PERCENT: u64 = 75;

/// The bounds of a kernel, a chip at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roofline {
    /// Bytes that transfers read and write in HBM, as often as they do; `None` where a transfer's are unknown.
    pub hbm_bytes: Option<u64>,
    /// Products that the Contraction Engines add up, padding left out; `None` where a pass's are unknown.
    pub multiply_accumulates: Option<u64>,
    /// Cycles of the products at the peak of their element types.
    pub multiply_accumulate_cycles: Option<u64>,
    /// The element types that are multiplied, each with what the machine does in a cycle.
    pub peaks: Vec<(ElementType, u64)>,
    /// Cycles that each context is busy, in the order of the lanes.
    pub busy: [u64; Lane::VIRTUAL_ISA.len()],
    /// Cycles that pass before the first operation and behind the last one, whatever the kernel does; 0 by the book.
    pub fixed: u64,
    /// Cycles of the longest chain of operations of which each needs bytes of the one before.
    pub critical_path: u64,
    /// Cycles of the kernel.
    pub total: u64,
}

/// What decides how fast a kernel can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// The bandwidth of HBM.
    Hbm,
    /// The peak of the Contraction Engines.
    MultiplyAccumulates,
    /// The busy time of a context.
    Busy(Lane),
    /// The start and the end of every kernel.
    Fixed,
    /// Operations that need each other's bytes.
    CriticalPath,
}

impl Bound {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hbm => "hbm",
            Self::MultiplyAccumulates => "multiply_accumulates",
            Self::Busy(Lane::MAIN) => "main",
            Self::Busy(Lane::SUB) => "sub",
            Self::Busy(Lane::PCIE_DMA) => "pcie_dma",
            Self::Busy(_) => "tensor_dma",
            Self::Fixed => "fixed",
            Self::CriticalPath => "critical_path",
        }
    }
}

impl Roofline {
    /// Bytes of HBM that a chip moves in a cycle.
    pub const HBM_BYTES_A_CYCLE: u64 = HBM_BYTES_A_CYCLE;

    /// Cycles of the bytes at the full bandwidth.
    pub fn hbm_cycles(&self) -> Option<u64> {
        Some(self.hbm_bytes?.div_ceil(HBM_BYTES_A_CYCLE))
    }

    /// Cycles of a bound; `None` where a part is unknown.
    pub fn cycles(&self, bound: Bound) -> Option<u64> {
        match bound {
            Bound::Hbm => self.hbm_cycles(),
            Bound::MultiplyAccumulates => self.multiply_accumulate_cycles,
            Bound::Busy(lane) => self.busy.get(lane.number()).copied(),
            Bound::Fixed => Some(self.fixed),
            Bound::CriticalPath => Some(self.critical_path),
        }
    }

    /// The bounds in the order in which they are shown. The PCIe DMA and the fixed cycles are left out where they are 0.
    pub fn bounds(&self) -> impl Iterator<Item = Bound> {
        let is_shown = move |bound: &Bound| match bound {
            Bound::Busy(Lane::PCIE_DMA) | Bound::Fixed => self.cycles(*bound) != Some(0),
            _ => true,
        };
        [Bound::Hbm, Bound::MultiplyAccumulates]
            .into_iter()
            .chain(Lane::VIRTUAL_ISA.map(Bound::Busy))
            .chain([Bound::Fixed, Bound::CriticalPath])
            .filter(is_shown)
    }

    /// What binds: what explains most of the total. A bound that names an engine is preferred to a longer one that does not.
    pub fn binds(&self) -> Bound {
        let cycles = |bound: &Bound| self.cycles(*bound).unwrap_or(0);
        let dearer = |one: Bound, other: Bound| {
            if cycles(&other) > cycles(&one) {
                other
            } else {
                one
            }
        };
        let is_near = |one: Bound, general: Bound| {
            let (one, general) = (cycles(&one), cycles(&general));
            one > 0 && u128::from(one) * 100 >= u128::from(general) * u128::from(BINDS_PERCENT)
        };
        let peak = dearer(Bound::Hbm, Bound::MultiplyAccumulates);
        let busiest = Lane::VIRTUAL_ISA
            .map(Bound::Busy)
            .into_iter()
            .fold(Bound::Busy(Lane::TENSOR_DMA), dearer);
        let longest = dearer(busiest, Bound::CriticalPath);
        if cycles(&longest) < self.fixed {
            Bound::Fixed
        } else if is_near(peak, longest) {
            peak
        } else if is_near(busiest, longest) {
            busiest
        } else {
            Bound::CriticalPath
        }
    }
}

/// The bounds of a body; `None` where it has no schedule.
pub fn derive_roofline(
    body: &Body,
    derivation: &BodyDerivation,
    simulation: &BodySimulation,
) -> Option<Roofline> {
    let total = simulation.total()?;
    let pairs = || body.operations.iter().zip(&simulation.operations);
    let hbm_bytes = pairs().try_fold(0_u64, |sum, (operation, cost)| {
        sum.checked_add(hbm_bytes(body, operation, cost)?)
    });
    let mut products: Vec<(ElementType, u64)> = Vec::new();
    let mut peaks: Vec<(ElementType, u64)> = Vec::new();
    let mut known = true;
    for (operation, _) in pairs() {
        let OperationKind::Pass(pass) = &operation.kind else {
            continue;
        };
        for shape in aligned_shapes(pass) {
            let Some((element_type, count)) = shape.element_type.value.zip(live_elements(shape))
            else {
                known = false;
                continue;
            };
            match products
                .iter_mut()
                .find(|(other, _)| *other == element_type)
            {
                Some((_, sum)) => *sum = sum.saturating_add(count),
                None => {
                    products.push((element_type, count));
                    let peak = pass.machine.multiply_accumulates_a_cycle(element_type);
                    peaks.push((element_type, peak));
                }
            }
        }
    }
    let sum = |counts: &mut dyn Iterator<Item = u64>| {
        let sum = counts.fold(0_u64, u64::saturating_add);
        known.then_some(sum)
    };
    let cycles = products.iter().zip(&peaks);
    Some(Roofline {
        hbm_bytes,
        multiply_accumulates: sum(&mut products.iter().map(|(_, count)| *count)),
        multiply_accumulate_cycles: sum(
            &mut cycles.map(|((_, count), (_, peak))| count.div_ceil((*peak).max(1)))
        ),
        peaks,
        busy: Lane::VIRTUAL_ISA.map(|lane| simulation.schedule.busy(lane)),
        fixed: fixed_cycles(body, simulation.model),
        critical_path: longest_chain(body, derivation, simulation),
        total,
    })
}

/// Bytes that an operation reads and writes in HBM of a chip.
fn hbm_bytes(body: &Body, operation: &Operation, cost: &Arc<OperationCost>) -> Option<u64> {
    if let Some(pattern) = &cost.dma {
        return Some(pattern.hbm_bytes);
    }
    match &operation.kind {
        OperationKind::Pass(_) => Some(0),
        OperationKind::Copy(copy) => {
            moved_hbm_bytes(body, &[copy.source], &[copy.target], copy.target)
        }
        OperationKind::Collective(collective) => {
            let Collective {
                sources, targets, ..
            } = &**collective;
            match collective.work {
                // The indices are read once, and of a table only the rows that they name.
                CollectiveWork::Gather | CollectiveWork::GatherRows(_) => {
                    let (table, indices) = sources.split_first()?;
                    let rows = moved_hbm_bytes(body, &[*table], targets, *targets.first()?)?;
                    rows.checked_add(read(body, indices)?)
                }
                CollectiveWork::Scatter { .. } | CollectiveWork::ScatterRows(_) => {
                    let (rows, indices) = sources.split_first()?;
                    let written = moved_hbm_bytes(body, &[*rows], targets, *rows)?;
                    written.checked_add(read(body, indices)?)
                }
                CollectiveWork::Fill { .. } => {
                    moved_hbm_bytes(body, &[], targets, *targets.first()?)
                }
                // What each part takes, for each tensor that one is made of.
                _ => {
                    let mut pairs = targets.iter().zip(sources.iter().cycle());
                    pairs.try_fold(0_u64, |sum, (target, source)| {
                        sum.checked_add(moved_hbm_bytes(body, &[*source], &[*target], *target)?)
                    })
                }
            }
        }
    }
}

fn in_hbm(body: &Body, id: TensorId) -> bool {
    body.tensor(id)
        .is_some_and(|tensor| tensor.tier == Tier::Hbm)
}

/// The bytes of a transfer that moves as much as one of its tensors holds: once for each side that is in HBM.
fn moved_hbm_bytes(
    body: &Body,
    sources: &[TensorId],
    targets: &[TensorId],
    all: TensorId,
) -> Option<u64> {
    let sides = sources.iter().chain(targets);
    let sides = sides.filter(|id| in_hbm(body, **id)).count();
    match sides {
        0 => Some(0),
        sides => bytes_of(body, all)?.checked_mul(u64::try_from(sides).ok()?),
    }
}

/// The bytes of tensors that are read whole, of those in HBM.
fn read(body: &Body, tensors: &[TensorId]) -> Option<u64> {
    let mut own = tensors.iter().filter(|id| in_hbm(body, **id));
    own.try_fold(0_u64, |sum, id| sum.checked_add(bytes_of(body, *id)?))
}

/// Bytes that a chip holds of a tensor, padding left out.
fn bytes_of(body: &Body, id: TensorId) -> Option<u64> {
    let tensor = body.tensor(id)?;
    let mut elements: u64 = 1;
    for (level, mapping) in tensor.levels.iter() {
        if level != Level::Chip {
            elements = elements.checked_mul(mapping.value.as_ref()?.form().elements())?;
        }
    }
    let bits = elements.checked_mul(tensor.element_type.value?.bits())?;
    Some(bits.div_ceil(8))
}

/// The shapes in which a pass multiplies: stream and rows of the operand side by side.
fn aligned_shapes(pass: &Pass) -> impl Iterator<Item = &StreamShape> {
    pass.stages
        .iter()
        .filter(|stage| matches!(stage.kind, StageKind::Align { .. }))
        .map(|stage| &stage.output)
}

/// Elements of a shape on one chip, padding left out.
fn live_elements(shape: &StreamShape) -> Option<u64> {
    let levels = [&shape.cluster, &shape.slice, &shape.time, &shape.packet];
    let mut count: u64 = 1;
    for mapping in levels.into_iter().chain(&shape.row) {
        count = count.checked_mul(mapping.value.as_ref()?.form().live_size())?;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roofline_of(hbm_bytes: u64, products: u64, critical_path: u64) -> Roofline {
        Roofline {
            hbm_bytes: Some(hbm_bytes),
            multiply_accumulates: Some(products),
            multiply_accumulate_cycles: Some(products / 131_072),
            peaks: vec![(ElementType::Bf16, 131_072)],
            busy: [0; 4],
            fixed: 0,
            critical_path,
            total: critical_path,
        }
    }

    #[test]
    fn the_bound_that_is_near_the_chain_binds() {
        // 1,536 bytes a cycle: 1,000 cycles.
        assert_eq!(roofline_of(1_536_000, 0, 1_300).hbm_cycles(), Some(1_000));
        assert_eq!(roofline_of(1_536_000, 0, 1_300).binds(), Bound::Hbm);
        assert_eq!(
            roofline_of(1_536_000, 0, 1_334).binds(),
            Bound::CriticalPath
        );
        assert_eq!(roofline_of(1_536_001, 0, 1).hbm_cycles(), Some(1_001));
        let dense = roofline_of(1_536_000, 1_001 * 131_072, 1_300);
        assert_eq!(dense.binds(), Bound::MultiplyAccumulates);
        assert_eq!(roofline_of(0, 0, 0).binds(), Bound::CriticalPath);
        let unknown = Roofline {
            hbm_bytes: None,
            ..roofline_of(0, 0, 10)
        };
        assert_eq!(unknown.binds(), Bound::CriticalPath);
    }

    #[test]
    fn the_context_that_explains_most_binds_before_the_chain() {
        let with = |busy, fixed| Roofline {
            busy,
            fixed,
            ..roofline_of(0, 0, 1_000)
        };
        let (main, dma) = (Bound::Busy(Lane::MAIN), Bound::Busy(Lane::TENSOR_DMA));
        // From three quarters of the chain on.
        assert_eq!(with([100, 0, 750, 0], 0).binds(), dma);
        assert_eq!(with([100, 0, 749, 0], 0).binds(), Bound::CriticalPath);
        assert_eq!(with([900, 0, 750, 0], 0).binds(), main);
        assert_eq!(with([0, 0, 0, 2_000], 0).binds().name(), "pcie_dma");
        // The start and the end bind where nothing else is as long.
        assert_eq!(with([900, 0, 0, 0], 1_001).binds(), Bound::Fixed);
        assert_eq!(with([900, 0, 0, 0], 1_000).binds(), main);
        // What is 0 in most kernels has no row.
        let names: Vec<_> = with([1, 2, 3, 0], 0).bounds().map(Bound::name).collect();
        assert_eq!(
            names,
            [
                "hbm",
                "multiply_accumulates",
                "main",
                "sub",
                "tensor_dma",
                "critical_path"
            ]
        );
        assert_eq!(with([1, 2, 3, 4], 5).bounds().count(), 8);
    }
}
