//! What a kernel needs in SBUF or PSUM at once, and tensors that are put where the memory ends.
//!
//! A tensor is needed from an instruction that writes it to one that reads it. Tensors are needed at once where that overlaps in one
//! run: branches that may exclude each other are looked at one by one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::machine::{PARTITIONS, PSUM_BANKS, PSUM_PARTITION, sbuf_partition};
use super::{Context, Found, edits};
use crate::symbols::Size;
use crate::types::{Generation, Generations, Space, Span};
use crate::values::{Allocation, Followed, Loop, Use};
use visa_findings::{Finding, Rule, rule};

/// See the declaration.
pub static NEEDED_AT_ONCE: Rule = rule!(
    Nki: "nki_needed_at_once", Hardware, "derived",
    "tensors that are needed at the same time and do not fit the memory together",
    "Each of the tensors fits by itself, but an instruction still reads one when another is written. The compiler finds no place for \
     all of them and ends with an error of its allocation. Free one before the next begins, or loop over smaller tiles."
);

/// See the declaration.
pub static FIXED_ADDRESS: Rule = rule!(
    Nki: "nki_fixed_address", Hardware, "derived",
    "a tensor at a fixed address that reaches beyond the end of the memory",
    "A partition of SBUF has 192 KiB on trn1, 224 KiB on trn2 and 256 KiB on trn3; PSUM has 8 banks. Tiles that are \
     kept apart lie one after the other from the address on. Choose a lower address or fewer tiles."
);

/// So many uses and rounds of loops are looked at for the branches of a function; of more, those in no branch.
const MOST_LOOKS: usize = 1 << 21;

/// Looks at the allocations of a file.
pub fn check_lifetimes(context: &Context<'_>, found: &mut Vec<Found>) {
    let followed = context.followed;
    for allocation in &followed.allocations {
        fixed_address(allocation, found);
    }
    let mut functions: FxHashMap<Option<usize>, Vec<&Use>> = FxHashMap::default();
    for used in &followed.uses {
        functions.entry(used.function).or_default().push(used);
    }
    let mut functions: Vec<_> = functions.into_iter().collect();
    functions.sort_by_key(|(function, _)| *function);
    for (function, uses) in functions {
        let tensors = sized_tensors(followed, function);
        if tensors.len() > 1 {
            in_function(followed, &tensors, &uses, found);
        }
    }
}

/// A tensor with the bytes that it takes, as numbers.
struct Sized<'a> {
    allocation: &'a Allocation,
    space: Space,
    partitions: i64,
    /// Bytes of a partition.
    bytes: i64,
    at: Span,
}

impl Sized<'_> {
    /// Whether it has more than half of the partitions: such tensors have one in common wherever they are put.
    const fn is_wide(&self) -> bool {
        self.partitions > PARTITIONS / 2
    }
}

fn partition_limit(space: Space, generations: Generations) -> i64 {
    match space {
        Space::Psum => PSUM_PARTITION,
        _ => sbuf_partition(generations),
    }
}

/// The tensors of a function whose size is a number, by the call that declares them. One that alone is too large is left out.
fn sized_tensors(followed: &Followed, function: Option<usize>) -> FxHashMap<Span, Sized<'_>> {
    let own = followed
        .allocations
        .iter()
        .filter(|allocation| allocation.function == function && allocation.fixed.is_none());
    let sized = own.filter_map(|allocation| {
        let tensor = &allocation.tensor;
        let space = tensor.space.filter(|space| space.has_partitions())?;
        let partitions = tensor
            .shape
            .known_extents()?
            .get(tensor.partition_axis?)?
            .value()?;
        let bytes = tensor.partition_bytes()?.value()?;
        let fits = (1..=PARTITIONS).contains(&partitions)
            && (1..=partition_limit(space, allocation.generations)).contains(&bytes);
        let sized = Sized {
            allocation,
            space,
            partitions,
            bytes,
            at: tensor.shape_span.or(allocation.loaded_from)?,
        };
        fits.then_some((tensor.declared?, sized))
    });
    sized.collect()
}

/// A stretch of steps in which a tensor is needed.
struct Stretch<'a> {
    first: &'a Use,
    last: u32,
    tensor: &'a Sized<'a>,
}

fn in_function(
    followed: &Followed,
    tensors: &FxHashMap<Span, Sized<'_>>,
    uses: &[&Use],
    found: &mut Vec<Found>,
) {
    let mut branches: Vec<usize> = uses.iter().map(|used| used.branch).collect();
    branches.sort_unstable();
    branches.dedup();
    let steps = uses.first().map_or(0, |used| used.at)..=uses.last().map_or(0, |used| used.at);
    let runs_again = |around: &&Loop| {
        let count = around.count.as_ref().and_then(Size::value);
        steps.contains(&around.begin) && count.is_some_and(|count| count > 1)
    };
    let mut again: Vec<&Loop> = followed.loops.iter().filter(runs_again).collect();
    if again.len().saturating_mul(tensors.len()) > MOST_LOOKS {
        again.clear();
    }
    let looks = again.len().saturating_mul(tensors.len()) + uses.len();
    if branches.len().saturating_mul(looks) > MOST_LOOKS {
        branches = vec![0];
    }
    let mut said = FxHashSet::default();
    for branch in branches {
        let around = with_outer(branch, &followed.branches);
        let mut by_tensor: FxHashMap<Span, Vec<&Use>> = FxHashMap::default();
        for used in uses.iter().filter(|used| around.contains(&used.branch)) {
            by_tensor.entry(used.declared).or_default().push(used);
        }
        let mut stretches = Vec::new();
        for (declared, uses) in &mut by_tensor {
            // An instruction reads before it writes.
            uses.sort_by_key(|used| (used.at, !used.reads));
            if let Some(tensor) = tensors.get(declared) {
                push_needed_stretches(tensor, uses, &again, &mut stretches);
            }
        }
        for space in [Space::Sbuf, Space::Psum] {
            if let Some((at, finding)) = too_much(space, &mut stretches)
                && said.insert(at)
            {
                found.push(finding);
            }
        }
    }
}

/// A branch and all that it is in.
fn with_outer(branch: usize, outer: &[usize]) -> FxHashSet<usize> {
    let mut all = FxHashSet::default();
    let mut at = branch;
    while all.insert(at) {
        at = outer.get(at).copied().unwrap_or(0);
    }
    all
}

/// The stretches in which a tensor is needed, by its uses in their order: up to each that reads it.
fn push_needed_stretches<'a>(
    tensor: &'a Sized<'a>,
    uses: &[&'a Use],
    again: &[&Loop],
    stretches: &mut Vec<Stretch<'a>>,
) {
    let mut open: Option<Stretch<'a>> = None;
    for used in uses {
        match &mut open {
            Some(stretch) if used.reads || used.at == stretch.last => stretch.last = used.at,
            _ => {
                let stretch = Stretch {
                    first: used,
                    last: used.at,
                    tensor,
                };
                stretches.extend(open.replace(stretch));
            }
        }
    }
    stretches.extend(open);
    // What a round of a loop reads before it writes it is needed in all rounds.
    let Some(first) = uses.first() else { return };
    for around in again
        .iter()
        .filter(|around| first.at <= around.begin && tensor.allocation.at <= around.begin)
    {
        let inside = |used: &&&Use| around.begin < used.at && used.at <= around.end;
        if let Some(read) = uses.iter().find(inside).filter(|used| used.reads) {
            stretches.push(Stretch {
                first: read,
                last: around.end,
                tensor,
            });
        }
    }
}

/// The tensors that are needed at a step, and how much that is.
#[derive(Default)]
struct AtOnce<'s, 'a> {
    stretches: FxHashMap<Span, &'s Stretch<'a>>,
    /// When stretches end, the first one first, with their tensors.
    ends: BinaryHeap<Reverse<(u32, Span)>>,
    /// Bytes a partition of the wide tensors.
    wide_bytes: i64,
    /// Bytes of all tensors in all of their partitions.
    bytes: i64,
    /// How many of the tensors each generation does not have.
    excluded: [i64; Generation::ALL.len()],
}

impl<'s, 'a> AtOnce<'s, 'a> {
    /// Adds a stretch, once those that ended before it are gone.
    fn add_stretch(&mut self, stretch: &'s Stretch<'a>) {
        while let Some(&Reverse((last, tensor))) = self.ends.peek()
            && last < stretch.first.at
        {
            self.ends.pop();
            // A longer stretch may have taken its place.
            if self
                .stretches
                .get(&tensor)
                .is_some_and(|one| one.last == last)
            {
                let ended = self.stretches.remove(&tensor);
                ended.into_iter().for_each(|one| self.count(one, -1));
            }
        }
        let tensor = stretch.tensor.at;
        let same = self.stretches.get(&tensor);
        if same.is_some_and(|same| same.last >= stretch.last) {
            return;
        }
        let replaced = self.stretches.insert(tensor, stretch);
        replaced.into_iter().for_each(|one| self.count(one, -1));
        self.count(stretch, 1);
        self.ends.push(Reverse((stretch.last, tensor)));
    }

    fn count(&mut self, stretch: &Stretch<'_>, times: i64) {
        let tensor = stretch.tensor;
        self.bytes += times * tensor.bytes * tensor.partitions;
        if tensor.is_wide() {
            self.wide_bytes += times * tensor.bytes;
        }
        for (generation, count) in Generation::ALL.into_iter().zip(&mut self.excluded) {
            let possible = tensor
                .allocation
                .generations
                .and(Generations::one(generation));
            *count += times * i64::from(possible.is_none());
        }
    }

    /// The generations that have all of the tensors.
    fn generations(&self) -> Generations {
        Generations::which(|generation| {
            let mut counts = Generation::ALL.iter().zip(self.excluded);
            counts.any(|(one, excluded)| *one == generation && excluded == 0)
        })
    }
}

/// The first step at which more is needed than a memory has, as a finding at the tensor that was allocated last.
fn too_much(space: Space, stretches: &mut [Stretch<'_>]) -> Option<(Span, Found)> {
    stretches.sort_by_key(|stretch| (stretch.first.at, stretch.tensor.at, stretch.last));
    let mut now = AtOnce::default();
    for stretch in stretches
        .iter()
        .filter(|stretch| stretch.tensor.space == space)
    {
        now.add_stretch(stretch);
        let generations = now.generations();
        if generations.is_none() {
            continue;
        }
        let limit = partition_limit(space, generations);
        let whole = limit.checked_mul(PARTITIONS)?;
        if now.wide_bytes <= limit && now.bytes <= whole {
            continue;
        }
        let is_whole = now.wide_bytes <= limit;
        let open = now.stretches.values().map(|one| one.tensor);
        let open = open.filter(|tensor| is_whole || tensor.is_wide()).collect();
        let sums = if is_whole {
            (now.bytes, whole)
        } else {
            (now.wide_bytes, limit)
        };
        return Some(overfull_finding(space, open, stretch, sums, is_whole));
    }
    None
}

fn overfull_finding(
    space: Space,
    mut tensors: Vec<&Sized<'_>>,
    last: &Stretch<'_>,
    (sum, limit): (i64, i64),
    is_whole: bool,
) -> (Span, Found) {
    tensors.sort_by_key(|tensor| (tensor.allocation.at, tensor.at));
    let bytes = |tensor: &Sized<'_>| {
        if is_whole {
            tensor.bytes.saturating_mul(tensor.partitions)
        } else {
            tensor.bytes
        }
    };
    let per = if is_whole { "" } else { " per partition" };
    let count = tensors.len();
    let at = tensors
        .last()
        .map_or_else(Span::default, |tensor| tensor.at);
    let owner = if is_whole { "it" } else { "a partition" };
    let mut finding = Finding::new(
        &NEEDED_AT_ONCE,
        at.into(),
        format!(
            "{count} tensors that are needed at once take {sum} bytes{per} of {}; {owner} has {limit}",
            space.name()
        ),
    )
    .related(last.first.span.into(), "all of them are needed here");
    for tensor in tensors.iter().rev().skip(1).take(4) {
        finding = finding.related(
            tensor.at.into(),
            format!("{} bytes{per} are for this one", bytes(tensor)),
        );
    }
    if count > 5 {
        let names = tensors.iter().take(count - 5);
        let names: Vec<String> = names
            .map(|tensor| tensor.allocation.tensor.describe())
            .collect();
        finding = finding.note(format!("the others are {}", edits::words_list(&names)));
    }
    let finding = finding.help("cut the tensors into tiles, and loop over these");
    (at, finding)
}

/// A tensor at a fixed address that ends beyond its memory.
fn fixed_address(allocation: &Allocation, found: &mut Vec<Found>) {
    let tensor = &allocation.tensor;
    let (Some(fixed), Some(space)) = (&allocation.fixed, tensor.space) else {
        return;
    };
    if allocation.generations.is_none() || !space.has_partitions() || fixed.base < 0 {
        return;
    }
    let Some(tiles) = tiles_apart(allocation, &fixed.tiles) else {
        return;
    };
    let bytes = tensor.partition_bytes().and_then(|bytes| bytes.value());
    let (unit, size, limit) = if fixed.in_banks {
        ("banks", Some(1), PSUM_BANKS)
    } else {
        (
            "bytes",
            bytes,
            partition_limit(space, allocation.generations),
        )
    };
    let end = size.and_then(|size| tiles.checked_mul(size)?.checked_add(fixed.base));
    let (Some(size), Some(end)) = (size, end.filter(|end| *end > limit)) else {
        return;
    };
    let what = match (fixed.in_banks, tiles) {
        (true, 1) => "a tile of a bank".to_owned(),
        (true, _) => format!("{tiles} tiles of a bank each"),
        (false, 1) => format!("a tile of {size} bytes"),
        (false, _) => format!("{tiles} tiles of {size} bytes"),
    };
    let place = if fixed.in_banks { "bank" } else { "address" };
    let mut finding = Finding::new(
        &FIXED_ADDRESS,
        fixed.at.into(),
        format!(
            "{what} from {place} {} on {} at {end}; {} has {limit} {unit}{}",
            fixed.base,
            if tiles == 1 { "ends" } else { "end" },
            space.name(),
            if fixed.in_banks { "" } else { " per partition" }
        ),
    );
    if let Some(shape) = tensor.shape_span {
        finding = finding.related(shape.into(), "the tile's shape is stated here");
    }
    found.push(finding.help("choose a lower address, or keep fewer tiles"));
}

/// How many tiles lie behind one another: those that are kept along each axis before the partition, and no more than there are.
fn tiles_apart(allocation: &Allocation, kept: &[i64]) -> Option<i64> {
    let tensor = &allocation.tensor;
    let blocks = tensor
        .shape
        .known_extents()?
        .get(..tensor.partition_axis?)?;
    if kept.is_empty() {
        return Some(1);
    }
    if kept.len() != blocks.len() {
        return None;
    }
    let mut last = 0_i64;
    for (kept, blocks) in kept.iter().zip(blocks) {
        let there = blocks.value()?.min(*kept);
        last = last
            .checked_mul(*kept)?
            .checked_add(there.checked_sub(1)?)?;
    }
    last.checked_add(1)
}
