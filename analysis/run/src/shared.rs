//! Memory that tensors share by the addresses that a kernel gives them: a write takes the bytes of others that lie there.

use visa_arrays::Bits;

use crate::derivation::conventions::Conventions;
use crate::derivation::provenance::derive_provenance;
use crate::items::Span;
use crate::kernel::{Level, OperationKind, Origin, TensorId, Tier};

use super::halt::{Halt, Step};
use super::machine::Machine;
use super::memory::{View, tensor_name};
use super::request::OriginKind;
use super::space::Space;

/// A tensor's bytes in each chip, cluster and slice that it is in.
struct Region {
    /// How many chips, clusters and slices.
    units: [usize; 3],
    /// Elements in each of them.
    elements: usize,
    /// Bits of an element.
    bits: usize,
    /// The first byte.
    start: usize,
}

impl Region {
    fn new(space: &Space, bits: u64, start: u64) -> Option<Self> {
        let size = |wanted: Level| {
            let part = space.levels.iter().find(|part| part.level == wanted);
            part.map_or(1, super::space::LevelPart::size)
        };
        let units = [Level::Chip, Level::Cluster, Level::Slice].map(size);
        let all = units.iter().product::<usize>();
        Some(Self {
            units,
            elements: space.positions().checked_div(all)?,
            bits: usize::try_from(bits).ok()?,
            start: usize::try_from(start).ok()?,
        })
    }

    fn bytes(&self) -> usize {
        (self.elements * self.bits).div_ceil(8)
    }

    /// The unit of an element by its numbers of chip, cluster and slice, and the element's bytes in memory.
    fn place(&self, element: usize) -> ([usize; 3], std::ops::Range<usize>) {
        let (mut unit, at) = (
            element / self.elements.max(1),
            element % self.elements.max(1),
        );
        let mut numbers = [0; 3];
        for (number, count) in numbers.iter_mut().zip(self.units).rev() {
            *number = unit % count.max(1);
            unit /= count.max(1);
        }
        let first = self.start + at * self.bits / 8;
        let end = self.start + ((at + 1) * self.bits).div_ceil(8);
        (numbers, first..end)
    }

    /// The number of a unit; `None` where the tensor is not in it.
    fn unit(&self, numbers: [usize; 3]) -> Option<usize> {
        let mut both = numbers.iter().zip(self.units);
        both.try_fold(0, |all, (number, count)| {
            (*number < count).then_some(all * count + number)
        })
    }

    fn meets(&self, other: &Self) -> bool {
        self.start < other.start + other.bytes() && other.start < self.start + self.bytes()
    }
}

impl Machine<'_> {
    /// What a write to a tensor leaves of others whose bytes it takes: they hold something else now.
    pub(super) fn overwrite_others(&mut self, view: &View, place: Span) {
        if !matches!(view.tier, Tier::Dm | Tier::Vrf | Tier::Hbm) || view.space.is_opaque {
            return;
        }
        let Some(own) = self.region(view.root) else {
            return;
        };
        let mut others: Vec<(TensorId, Region)> = Vec::new();
        for id in self.memory.roots() {
            let tier = self.body.tensor(id).map(|tensor| tensor.tier);
            if id == view.root || tier != Some(view.tier) {
                continue;
            }
            let region = self.region(id).filter(|other| own.meets(other));
            others.extend(region.map(|region| (id, region)));
        }
        if others.is_empty() {
            return;
        }
        let bytes = own.bytes();
        let mut written = Bits::all_clear(own.units.iter().product::<usize>() * bytes);
        super::plan::each_live(&view.space, |at, _, _| {
            let (unit, range) = own.place(at);
            if let Some(unit) = own.unit(unit) {
                for byte in range {
                    written.put(unit * bytes + (byte - own.start), true);
                }
            }
        });
        for (id, other) in others {
            self.overwrite(id, (&own, &other), &written, place);
        }
    }

    /// Refuses to read what this execution does not follow: copies that a broadcast left in empty positions, and bytes that
    /// another tensor wrote. Their elements would count as never written, which they are not.
    pub(super) fn refuse_unfollowed_bytes(&mut self, id: TensorId, root: TensorId) -> Step<()> {
        let body = self.body;
        let mut reshaped = body
            .sharing(id)
            .filter(|tensor| matches!(tensor.origin, Origin::Reshape { .. }))
            .peekable();
        if reshaped.peek().is_some() {
            let provenance = self.provenance.get_or_init(|| derive_provenance(body));
            if let Some(tensor) = reshaped.find(|tensor| provenance.names_copies(tensor)) {
                let what = "the copies that a broadcast leaves in empty positions are not followed";
                return Err(Halt::refused(tensor.span, what));
            }
        }
        let named = body
            .tensor(root)
            .filter(|tensor| tensor.origin == Origin::FromAddress);
        let Some(tensor) = named.filter(|_| self.memory.writes(root).is_empty()) else {
            return Ok(());
        };
        let Some(own) = self.region(root) else {
            return Ok(());
        };
        for other in self.memory.written_roots() {
            let is_beside = other != root
                && body
                    .tensor(other)
                    .is_some_and(|one| one.tier == tensor.tier);
            if is_beside && self.region(other).is_some_and(|other| own.meets(&other)) {
                let what = format!(
                    "{} names bytes that another tensor wrote, which is not followed",
                    tensor_name(tensor)
                );
                return Err(Halt::refused(tensor.span, what));
            }
        }
        Ok(())
    }

    /// The bytes of a tensor that the kernel gives an address.
    fn region(&mut self, id: TensorId) -> Option<Region> {
        let tensor = self.body.tensor(id)?;
        let start = tensor.address.bytes()?;
        // Where addresses are no matter of the kernel, those of shuffles and parallel copies say nothing.
        let is_collective = match tensor.origin {
            Origin::Operation(id) => self
                .body
                .operation(id)
                .is_some_and(|operation| matches!(operation.kind, OperationKind::Collective(_))),
            _ => false,
        };
        if is_collective && !Conventions::of(self.body.dialect).is_addressed() {
            return None;
        }
        let view = self.memory.view(self.body, id).ok()?;
        Region::new(&view.space, view.kind.bits(), start)
    }

    fn overwrite(
        &mut self,
        id: TensorId,
        (own, other): (&Region, &Region),
        written: &Bits,
        place: Span,
    ) {
        let Some(mut cells) = self.memory.take(id) else {
            return;
        };
        let bytes = own.bytes();
        let is_taken = |element: usize| {
            let (unit, mut range) = other.place(element);
            let unit = own.unit(unit);
            unit.is_some_and(|unit| {
                range.any(|byte| {
                    let at = byte.checked_sub(own.start).filter(|at| *at < bytes);
                    at.is_some_and(|at| written.is_set(unit * bytes + at))
                })
            })
        };
        let taken: Vec<usize> = (0..cells.len())
            .filter(|element| cells.is_defined(*element) && is_taken(*element))
            .collect();
        if !taken.is_empty() {
            let name = self.body.tensor(id).map(tensor_name).unwrap_or_default();
            let origin = self
                .origins
                .number(OriginKind::Overwritten, place, Some(id), || {
                    format!("the write lies over bytes of {name}")
                });
            for element in taken {
                cells.undefine(element, origin);
            }
            self.fill_with_junk(&mut cells);
        }
        self.memory.put(id, cells);
    }
}
