//! The page of an address: what is in that memory while the tensor there lives.
//!
//! Where the kernel has a schedule, things live beside each other that do so in some cycle; else those whose operations
//! are between each other's first and last in program order.

use crate::check::{body, function_derivation, function_simulation};
use crate::cost::rows::Names;
use crate::db::Db;
use crate::derivation::BodyDerivation;
use crate::derivation::conventions::Conventions;
use crate::derivation::memory::Lifetime;
use crate::derivation::memory::free::free_stretches;
use crate::items::{ItemId, Span};
use crate::kernel::{AddressValue, Body, Origin, Tensor, TensorId, Tier, TrfAddress};
use crate::numbers::thousands;
use crate::simulation::{BodySimulation, Occupancy};

use super::super::operations::bodies_with;
use super::page::{Page, code, counted, line_of, markdown_table};
use super::uses::{holder, memory_name};

/// Kernels of a helper that are told apart.
pub(super) const KERNELS: usize = 3;
/// Neighbours on each side that are shown.
const NEIGHBOURS: usize = 4;
/// Free places that are shown.
const HOLES: usize = 4;

/// The expression around an offset that is the address of some tensor, and its page.
pub(super) fn address_page(db: &dyn Db, item: ItemId, offset: u32) -> Option<(Span, String)> {
    let mut pages: Vec<String> = Vec::new();
    let mut place = None;
    for function in bodies_with(db, item, offset).into_iter().take(KERNELS) {
        let body = body(db, function);
        let mut here = body
            .tensors
            .iter()
            .filter(|tensor| is_addressed_at(&body, tensor, item, offset));
        let Some(first) = here.next() else { continue };
        let others: Vec<TensorId> = here.map(|tensor| tensor.id).collect();
        place.get_or_insert(first.address.span);
        let derivation = function_derivation(db, function);
        let simulation = function_simulation(db, function);
        let map = MemoryPages {
            db,
            body: &body,
            names: Names::of(&body, &derivation),
            derivation: &derivation,
            simulation: &simulation,
            reader: item,
        };
        pages.push(map.tensor_page(first, &others));
    }
    Some((place?, pages.join("\n\n---\n\n")))
}

/// Whether an expression around the offset is written as the tensor's address. Views have their base's, and where the
/// library chooses an address the method's name stands for it.
fn is_addressed_at(body: &Body, tensor: &Tensor, item: ItemId, offset: u32) -> bool {
    let span = tensor.address.span;
    if span.item != item || offset < span.start || offset >= span.end {
        return false;
    }
    let is_written = Conventions::of(body.dialect).is_addressed()
        || tensor.address.value != AddressValue::Unknown;
    if !is_written {
        return false;
    }
    if matches!(
        tensor.origin,
        Origin::View { .. } | Origin::Resized { .. } | Origin::Reshape { .. }
    ) {
        return false;
    }
    let method = match tensor.origin {
        Origin::Operation(operation) => body.operation(operation),
        _ => None,
    };
    let is_method = method.is_some_and(|operation| {
        super::super::operations::operation_methods(operation).any(|(method, _)| method == span)
    });
    !is_method && span != tensor.span
}

/// The number of the allocation that a tensor's bytes belong to, in the list of lifetimes.
pub(super) fn allocation_of(
    body: &Body,
    derivation: &BodyDerivation,
    id: TensorId,
) -> Option<usize> {
    let root = body.root(id);
    let lifetimes = &derivation.memory.lifetimes;
    lifetimes
        .iter()
        .position(|lifetime| lifetime.tensor == root)
}

/// Where a tensor is and how large it is: `` `0x2000..0x2400`, 1,024 bytes ``; `None` if neither is known.
pub(super) fn place_of(body: &Body, derivation: &BodyDerivation, id: TensorId) -> Option<String> {
    let number = allocation_of(body, derivation, id)?;
    let lifetime = derivation.memory.lifetimes.get(number)?;
    let size = format!(
        "{}{}",
        counted(lifetime.bytes?, "byte"),
        holder(lifetime.tier)
    );
    Some(match address_range(lifetime.address, lifetime.bytes) {
        Some(range) => format!("{}, {size}", range_code(range)),
        None => size,
    })
}

fn address_range(address: Option<u64>, bytes: Option<u64>) -> Option<(u64, u64)> {
    let address = address?;
    Some((address, address.checked_add(bytes?)?))
}

fn range_code((start, end): (u64, u64)) -> String {
    code(&format!("{start:#x}..{end:#x}"))
}

/// Something that is in the memory for some time.
struct Neighbour {
    number: usize,
    range: (u64, u64),
}

/// Pages about the memories of one body.
pub(super) struct MemoryPages<'a> {
    pub(super) db: &'a dyn Db,
    pub(super) body: &'a Body,
    pub(super) names: Names<'a>,
    pub(super) derivation: &'a BodyDerivation,
    pub(super) simulation: &'a BodySimulation,
    pub(super) reader: ItemId,
}

impl MemoryPages<'_> {
    /// The page of a tensor that is made there; the same text makes others in other runs or calls.
    fn tensor_page(&self, tensor: &Tensor, others: &[TensorId]) -> String {
        let name = code(&self.names.tensor(tensor.id));
        let memory = memory_name(tensor.tier);
        let number = allocation_of(self.body, self.derivation, tensor.id);
        let lifetime = number.and_then(|number| self.derivation.memory.lifetimes.get(number));
        let own = lifetime.and_then(|lifetime| address_range(lifetime.address, lifetime.bytes));
        let mut headline = format!("{name} in {memory}");
        if let Some(place) = place_of(self.body, self.derivation, tensor.id) {
            headline.push_str(&format!(": {place}"));
        }
        let mut page = Page::headed(format!(
            "**{}** {headline}",
            address_words(&tensor.address.value)
        ));
        let (Some(number), Some(lifetime)) = (number, lifetime) else {
            return page.into_markdown();
        };
        page.add(format!(
            "In {}, {}.",
            code(&self.body.name),
            self.life_text(number, lifetime)
        ));
        let Some(own) = own else {
            page.add("Its neighbours are not shown: the address is not a constant, or the size is not known.".to_owned());
            return page.into_markdown();
        };
        let (neighbours, unplaced) = self.memory_neighbours(number, lifetime);
        page.add(self.neighbour_table(number, own, &neighbours));
        page.add_list("Shares bytes with", &self.shared_ranges(own, &neighbours));
        page.add(self.free_ranges(lifetime.tier, own, &neighbours, &unplaced));
        page.add_list(
            "The same text makes, in other runs or calls:",
            &self.listed_tensors(others),
        );
        page.into_markdown()
    }

    /// Tensors with their places.
    fn listed_tensors(&self, tensors: &[TensorId]) -> Vec<String> {
        let listed = tensors.iter().take(NEIGHBOURS).map(|id| {
            let name = code(&self.names.tensor(*id));
            match place_of(self.body, self.derivation, *id) {
                Some(place) => format!("{name}: {place}"),
                None => name,
            }
        });
        let more = tensors.len().saturating_sub(NEIGHBOURS);
        listed
            .chain((more > 0).then(|| format!("and {more} more")))
            .collect()
    }

    /// When something is needed.
    fn life_text(&self, number: usize, lifetime: &Lifetime) -> String {
        lives_from(self.simulation, number, lifetime)
    }

    /// The stay in memory, where there is a schedule.
    fn occupancy(&self, number: usize) -> Option<&Occupancy> {
        occupancy_at(self.simulation, number)
    }

    /// What is in the same memory at the same time, by address; and what does so at an unknown place.
    fn memory_neighbours(&self, own: usize, lifetime: &Lifetime) -> (Vec<Neighbour>, Vec<usize>) {
        let (mut placed, mut unplaced) = (Vec::new(), Vec::new());
        for (number, other) in self.derivation.memory.lifetimes.iter().enumerate() {
            if number == own || other.tier != lifetime.tier {
                continue;
            }
            if !is_together(self.derivation, self.simulation, own, number) {
                continue;
            }
            match address_range(other.address, other.bytes) {
                Some(range) => placed.push(Neighbour { number, range }),
                None => unplaced.push(number),
            }
        }
        placed.sort_by_key(|neighbour| (neighbour.range, neighbour.number));
        (placed, unplaced)
    }

    fn name(&self, number: usize) -> String {
        let lifetime = self.derivation.memory.lifetimes.get(number);
        lifetime.map_or_else(String::new, |lifetime| self.names.tensor(lifetime.tensor))
    }

    fn neighbour_table(&self, number: usize, own: (u64, u64), neighbours: &[Neighbour]) -> String {
        let before = neighbours.iter().filter(|other| other.range < own).count();
        let first = before.saturating_sub(NEIGHBOURS);
        let last = neighbours.len().min(before + NEIGHBOURS);
        let shown_before = neighbours.get(first..before).unwrap_or_default();
        let behind = neighbours.get(before..last).unwrap_or_default();
        let mut rows: Vec<Vec<String>> = Vec::new();
        rows.extend(
            shown_before
                .iter()
                .map(|other| self.neighbour_row(other.number, other.range)),
        );
        let mut row = self.neighbour_row(number, own);
        if let Some(name) = row.get_mut(1) {
            *name = format!("**{name}**");
        }
        rows.push(row);
        rows.extend(
            behind
                .iter()
                .map(|other| self.neighbour_row(other.number, other.range)),
        );
        markdown_table(&["address", "tensor", "made", "needed", "bytes"], 4, &rows)
    }

    fn neighbour_row(&self, number: usize, (start, end): (u64, u64)) -> Vec<String> {
        let lifetime = self.derivation.memory.lifetimes.get(number);
        let made = lifetime
            .and_then(|lifetime| self.body.tensor(lifetime.tensor))
            .map(|tensor| line_of(self.db, tensor.span, self.reader.file(self.db)))
            .unwrap_or_default();
        let needed = match (self.occupancy(number), lifetime) {
            (Some(stay), _) => format!("cycles {} to {}", thousands(stay.from), thousands(stay.to)),
            (None, Some(lifetime)) => operations_text(lifetime),
            (None, None) => String::new(),
        };
        vec![
            range_code((start, end)),
            code(&self.name(number)),
            made,
            needed,
            thousands(end - start),
        ]
    }

    fn shared_ranges(&self, own: (u64, u64), neighbours: &[Neighbour]) -> Vec<String> {
        let shared = neighbours.iter().filter_map(|other| {
            let start = own.0.max(other.range.0);
            let end = own.1.min(other.range.1);
            (start < end).then(|| {
                format!(
                    "{}: {}",
                    code(&self.name(other.number)),
                    range_code((start, end))
                )
            })
        });
        shared.collect()
    }

    /// The places that stay free as long as the tensor is needed.
    fn free_ranges(
        &self,
        tier: Tier,
        own: (u64, u64),
        neighbours: &[Neighbour],
        unplaced: &[usize],
    ) -> Option<String> {
        let capacity = self.simulation.memory.capacity(tier)?;
        if !unplaced.is_empty() {
            let names: Vec<String> = unplaced
                .iter()
                .take(NEIGHBOURS)
                .map(|number| code(&self.name(*number)))
                .collect();
            return Some(format!(
                "Free places are not shown: it is unknown where {} is.",
                names.join(", ")
            ));
        }
        let taken = neighbours.iter().map(|other| other.range).chain([own]);
        let holes = free_stretches(taken, capacity);
        let more = holes.len().saturating_sub(HOLES);
        let words: Vec<String> = holes
            .into_iter()
            .take(HOLES)
            .map(|(start, end)| {
                format!(
                    "{} ({})",
                    range_code((start, end)),
                    counted(end - start, "byte")
                )
            })
            .collect();
        if words.is_empty() {
            return Some("Nothing is free meanwhile.".to_owned());
        }
        let rest = if more > 0 {
            format!(" and {more} more places")
        } else {
            String::new()
        };
        Some(format!("Free meanwhile: {}{rest}.", words.join(", ")))
    }
}

/// When something is needed: cycles where there is a schedule, else operations.
pub(super) fn lives_from(
    simulation: &BodySimulation,
    number: usize,
    lifetime: &Lifetime,
) -> String {
    let mut words = match occupancy_at(simulation, number) {
        Some(stay) => format!(
            "needed from cycle {} to {}",
            thousands(stay.from),
            thousands(stay.to)
        ),
        None => format!("needed by {}", operations_text(lifetime)),
    };
    if lifetime.outlives_body {
        words.push_str(" and beyond the kernel");
    }
    words
}

fn occupancy_at(simulation: &BodySimulation, number: usize) -> Option<&Occupancy> {
    simulation.total()?;
    simulation.memory.occupancies.get(number)
}

/// The first moment at which something is needed and the one behind the last: cycles where there is a schedule, else the
/// operations' numbers.
pub(super) fn moments(
    derivation: &BodyDerivation,
    simulation: &BodySimulation,
    number: usize,
) -> Option<(u64, u64)> {
    if simulation.total().is_some() {
        let stay = simulation.memory.occupancies.get(number)?;
        return Some((stay.from, stay.to));
    }
    let lifetime = derivation.memory.lifetimes.get(number)?;
    let last = u64::from(lifetime.to.0);
    Some((u64::from(lifetime.from.0), last.saturating_add(1)))
}

/// Whether two things are needed at one moment.
pub(super) fn is_together(
    derivation: &BodyDerivation,
    simulation: &BodySimulation,
    one: usize,
    other: usize,
) -> bool {
    let moments = |number| moments(derivation, simulation, number);
    match (moments(one), moments(other)) {
        (Some(one), Some(other)) => one.0 < other.1 && other.0 < one.1,
        _ => false,
    }
}

/// The operations between which something is needed, in program order.
fn operations_text(lifetime: &Lifetime) -> String {
    let (from, to) = (lifetime.from.0, lifetime.to.0);
    if from == to {
        format!("operation {from}")
    } else {
        format!("operations {from} to {to}")
    }
}

fn address_words(value: &AddressValue) -> String {
    match value {
        AddressValue::Bytes(bytes) => code(&format!("{bytes:#x}")),
        AddressValue::Trf(TrfAddress::FirstHalf) => "first half".to_owned(),
        AddressValue::Trf(TrfAddress::SecondHalf) => "second half".to_owned(),
        AddressValue::Trf(TrfAddress::Full) => "all".to_owned(),
        AddressValue::Unknown => "an unknown address".to_owned(),
    }
}
