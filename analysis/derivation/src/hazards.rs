//! Forms of kernels that a release of the library takes and that went wrong on the machine, or that its compiler stopped at,
//! without a limit of any engine that would say why.
//!
//! Knows what was seen in which releases, as far as it shows in the source. Whether a later release is better is not known.

use crate::items::Span;
use crate::kernel::{
    Body, CanonicalStage, CollectiveWork, Context, Copy, Engine, Level, OperationId, OperationKind,
    Origin, Pass, PassEnd, PassSource, Tensor, TensorId, Tier,
};
use crate::mapping::{Answer, Digit, Form, Mapping, equal_forms};

use rustc_hash::FxHashSet;

use super::conventions::Conventions;
use super::forms;
use super::memory::{MemoryDerivation, Part};

/// Writes to tiles of an unrolled kernel, at most: what users report is a limit of about a thousand.
const TILE_WRITES: u64 = 1024;

/// One such form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hazard {
    /// Which.
    pub kind: HazardKind,
    /// Where it is written.
    pub span: Span,
    /// The other end, if there is one.
    pub other: Option<Span>,
}

/// What a kernel does that went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HazardKind {
    /// A pass over clusters of which one has nothing of its own: an axis of clusters that the loaded tensor lacks.
    DummyCluster {
        /// The level of clusters.
        cluster: Mapping,
    },
    /// A load from the HBM into a part of a tensor of which passes wrote another part.
    PartialLoad,
    /// A pass of the sub context that runs the Vector Engine and stores to its registers.
    VectorStore,
    /// A transfer inside of the data memory from clusters to other clusters.
    ClusterTransfer {
        /// The source's clusters.
        source: Mapping,
        /// The target's.
        target: Mapping,
    },
    /// A load of a part of each row of an axis, where the part does not divide the row.
    PartOfRows {
        /// The axis.
        axis: String,
        /// Values of the part.
        part: u64,
        /// Values of the row.
        row: u64,
        /// The largest smaller part that divides the row, where a row has only a few of it.
        largest: Option<u64>,
    },
    /// A change of type of a tile.
    TileReshape,
    /// A contraction in the sub context.
    SubContraction,
    /// More writes to tiles than a kernel has addresses for.
    TileWrites {
        /// How many.
        writes: u64,
    },
    /// A pass whose result nothing takes.
    Unfinished,
    /// A gather into copies.
    GatherCopies {
        /// An axis of the target that neither table nor list has.
        axis: String,
        /// The target's level.
        level: Level,
        /// Its positions.
        copies: u64,
    },
}

/// Derives the hazards of a body in its release.
pub fn derive_hazards(body: &Body, memory: &MemoryDerivation) -> Vec<Hazard> {
    let known = Conventions::of(body.dialect);
    let mut found = Vec::new();
    for operation in &body.operations {
        match &operation.kind {
            OperationKind::Pass(pass) => {
                if known.garbles_dummy_clusters() {
                    found.extend(dummy_cluster(body, pass));
                }
                if known.garbles_vector_stores() {
                    found.extend(vector_store(pass));
                }
                if known.contracts_on_main_alone() {
                    found.extend(sub_contraction(pass));
                }
            }
            OperationKind::Copy(copy) => {
                if known.garbles_partial_loads() {
                    found.extend(partial_load(body, memory, operation.id, copy));
                }
                if known.keeps_clusters_apart() {
                    found.extend(cluster_transfer(body, copy));
                }
                if known.loads_divisors_of_rows() {
                    found.extend(part_of_rows(body, copy));
                }
            }
            OperationKind::Collective(collective) => {
                if collective.work == CollectiveWork::Gather && known.is_successor() {
                    found.extend(gather_copies(body, collective));
                }
            }
        }
    }
    if known.is_successor() {
        found.extend(tile_writes(body));
        found.extend(unfinished(body));
    }
    if known.reshapes_no_tiles() {
        found.extend(
            body.tensors
                .iter()
                .filter_map(|tensor| tile_reshape(body, tensor)),
        );
    }
    found
}

/// Whether a tensor is a part of what it is a view of.
fn is_tile(body: &Body, id: TensorId) -> bool {
    let views = body.sharing(id).map(|tensor| &tensor.origin);
    views
        .take_while(|origin| !matches!(origin, Origin::Reshape { .. }))
        .any(|origin| matches!(origin, Origin::View { tile: Some(_), .. }))
}

/// The copy from the HBM that makes a tensor.
fn load_of<'a>(body: &'a Body, tensor: &Tensor) -> Option<(&'a Copy, &'a Tensor)> {
    let Origin::Operation(id) = tensor.origin else {
        return None;
    };
    let OperationKind::Copy(copy) = &body.operation(id)?.kind else {
        return None;
    };
    let source = body.tensor(copy.source)?;
    (source.tier == Tier::Hbm).then_some((copy, source))
}

/// A digit of a level with several positions of which the elsewhere-held mapping has no axis.
fn foreign_digit(level: &Form, held: &[&Form]) -> Option<(String, u64)> {
    level.digits().iter().find_map(|digit| {
        let axis = digit.term.as_ref()?.atom.axis()?;
        let known = held.iter().any(|form| form.contains_axis(axis.name()));
        (digit.live > 1 && !known).then(|| (axis.name().to_owned(), digit.live))
    })
}

/// The passes of a kernel that neither a commit nor a register ends. Nothing is said where something was not followed: it may end
/// them; and a stream that a helper gives back is its caller's to end.
fn unfinished(body: &Body) -> Vec<Hazard> {
    if body.device.is_none() || !body.unresolved.is_empty() {
        return Vec::new();
    }
    let open = body.operations.iter().filter_map(|operation| {
        let OperationKind::Pass(pass) = &operation.kind else {
            return None;
        };
        (pass.end == PassEnd::Open).then(|| Hazard {
            kind: HazardKind::Unfinished,
            span: pass
                .stages
                .last()
                .map_or(operation.span, |stage| stage.span),
            other: None,
        })
    });
    open.collect()
}

fn dummy_cluster(body: &Body, pass: &Pass) -> Option<Hazard> {
    let PassSource::Tensor(id) = pass.source else {
        return None;
    };
    let tensor = body.tensor(body.root(id))?;
    let (copy, source) = load_of(body, tensor)?;
    let cluster = tensor.levels.cluster.as_ref()?;
    let held = source.levels.full_mapping()?;
    if held.is_opaque() {
        return None;
    }
    let (axis, _) = foreign_digit(forms::known_form(cluster)?, &[held.form()])?;
    // An axis of other loaded data divides work: this tensor is an operand that both halves need.
    let divides_work = |tensor: &Tensor| {
        let levels = tensor.levels.full_mapping();
        tensor.tier == Tier::Hbm
            && matches!(tensor.origin, Origin::Parameter)
            && levels.is_none_or(|levels| levels.form().contains_axis(&axis))
    };
    if body.tensors.iter().any(divides_work) {
        return None;
    }
    let fetch = pass.stages.first()?;
    Some(Hazard {
        kind: HazardKind::DummyCluster {
            cluster: cluster.get()?.clone(),
        },
        span: fetch.span,
        other: Some(copy.span),
    })
}

fn partial_load(
    body: &Body,
    memory: &MemoryDerivation,
    id: OperationId,
    copy: &Copy,
) -> Option<Hazard> {
    let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
    if source.tier != Tier::Hbm || target.tier != Tier::Dm || !is_tile(body, copy.target) {
        return None;
    }
    let own = memory.touches.get(id.0 as usize)?;
    let own = own.iter().find(|touch| touch.writes)?;
    let earlier = body.operations.iter().zip(&memory.touches);
    let mut earlier = earlier.take(id.0 as usize).filter(|(operation, touched)| {
        matches!(operation.kind, OperationKind::Pass(_))
            && touched.iter().any(|touch| {
                let windows = matches!(
                    (&touch.part, &own.part),
                    (Part::Window { .. }, Part::Window { .. })
                );
                touch.writes
                    && touch.allocation == own.allocation
                    && windows
                    && touch.part.is_apart_from(&own.part)
            })
    });
    let (before, _) = earlier.next()?;
    Some(Hazard {
        kind: HazardKind::PartialLoad,
        span: copy.span,
        other: Some(before.span),
    })
}

/// Writes to tiles that are not at the same place in each run, over all runs of the loops around them.
fn tile_writes(body: &Body) -> Option<Hazard> {
    body.device.as_ref()?;
    let mut writes = 0_u64;
    let mut first = None;
    let mut seen: FxHashSet<Vec<Span>> = FxHashSet::default();
    for operation in &body.operations {
        let target = match &operation.kind {
            OperationKind::Copy(copy) => Some(copy.target),
            OperationKind::Pass(pass) => match pass.end {
                PassEnd::CommitView { target, .. } => Some(target),
                _ => None,
            },
            OperationKind::Collective(_) => None,
        };
        let Some(origin) = target
            .and_then(|id| body.tensor(id))
            .map(|view| &view.origin)
        else {
            continue;
        };
        let Origin::View {
            tile: Some(window), ..
        } = origin
        else {
            continue;
        };
        let moves = window
            .start_range
            .is_some_and(|(least, most)| least != most);
        let mut place: Vec<Span> = operation.loops.iter().map(|frame| frame.span).collect();
        place.extend(&operation.calls);
        place.push(operation.span);
        // Loops may be shortened: one run stands for all, whose number is known.
        if !moves || operation.loops.is_empty() || !seen.insert(place) {
            continue;
        }
        let mut runs = operation.loops.iter().map(|frame| frame.count);
        let runs = runs.try_fold(1_u64, |all, count| all.checked_mul(count?))?;
        writes = writes.checked_add(runs)?;
        first.get_or_insert(operation.span);
    }
    (writes > TILE_WRITES).then(|| Hazard {
        kind: HazardKind::TileWrites { writes },
        span: first.unwrap_or(body.span),
        other: None,
    })
}

fn vector_store(pass: &Pass) -> Option<Hazard> {
    let PassEnd::ToVrf { span, .. } = pass.end else {
        return None;
    };
    let vector =
        |stage: &crate::kernel::Stage| stage.kind.canonical().row().engine == Engine::Vector;
    let runs = pass.context == Some(Context::Sub) && pass.stages.iter().any(vector);
    runs.then_some(Hazard {
        kind: HazardKind::VectorStore,
        span,
        other: None,
    })
}

fn sub_contraction(pass: &Pass) -> Option<Hazard> {
    let contracts = |stage: &&crate::kernel::Stage| stage.kind.canonical() == CanonicalStage::Align;
    let stage = pass.stages.iter().find(contracts)?;
    (pass.context == Some(Context::Sub)).then_some(Hazard {
        kind: HazardKind::SubContraction,
        span: stage.span,
        other: None,
    })
}

fn cluster_transfer(body: &Body, copy: &Copy) -> Option<Hazard> {
    let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
    if (source.tier, target.tier) != (Tier::Dm, Tier::Dm) {
        return None;
    }
    let (from, to) = (
        source.levels.cluster.as_ref()?,
        target.levels.cluster.as_ref()?,
    );
    let (one, other) = (forms::known_form(from)?, forms::known_form(to)?);
    // Clusters without an axis hold nothing that could change places.
    let both = one.has_terms() && other.has_terms();
    (both && equal_forms(one, other) == Answer::No).then(|| Hazard {
        kind: HazardKind::ClusterTransfer {
            source: one.to_mapping(),
            target: other.to_mapping(),
        },
        span: copy.span,
        other: None,
    })
}

/// Parts of a row that are looked through for one that divides it.
const PARTS_OF_ROW: u64 = 1_024;

/// The largest part of a row, smaller than another one, that divides it.
fn largest_part(row: u64, part: u64) -> Option<u64> {
    let fewest = row.div_ceil(part);
    let mut counts = fewest..=fewest.saturating_add(PARTS_OF_ROW).min(row);
    let count = counts.find(|count| row.is_multiple_of(*count))?;
    Some(row / count)
}

/// A load that takes as many values of each row of an axis as divide no row: source and target then cut the axis at places that have no
/// common refinement. A part of the axis's outermost digit is one run, and is no such load.
fn part_of_rows(body: &Body, copy: &Copy) -> Option<Hazard> {
    let target = body.tensor(copy.target)?;
    if body.tensor(copy.source)?.tier != Tier::Hbm || target.tier != Tier::Dm {
        return None;
    }
    let held = target.levels.full_mapping()?;
    body.sharing(copy.source).find_map(|view| {
        let Origin::View {
            tile: Some(window), ..
        } = &view.origin
        else {
            return None;
        };
        let [digit] = window.index.get()?.form().digits() else {
            return None;
        };
        let term = digit.term.as_ref()?;
        let axis = term.atom.axis()?;
        let (part, row) = (window.length.value?, digit.live);
        let above = term.stride.checked_mul(row)?;
        let is_outer = |other: &Digit| {
            let outer = other.term.as_ref().map_or(0, |term| term.stride);
            other.is_part_of(axis.name()) && other.live > 1 && outer >= above
        };
        let cuts = part > 0 && part < row && !row.is_multiple_of(part);
        (cuts && held.form().digits().iter().any(is_outer)).then(|| Hazard {
            kind: HazardKind::PartOfRows {
                axis: axis.name().to_owned(),
                part,
                row,
                largest: largest_part(row, part),
            },
            span: copy.span,
            other: Some(window.span),
        })
    })
}

fn tile_reshape(body: &Body, tensor: &Tensor) -> Option<Hazard> {
    let Origin::Reshape { of } = tensor.origin else {
        return None;
    };
    is_tile(body, of).then_some(Hazard {
        kind: HazardKind::TileReshape,
        span: tensor.span,
        other: body.tensor(of).map(|view| view.span),
    })
}

fn gather_copies(body: &Body, collective: &crate::kernel::Collective) -> Option<Hazard> {
    let target = body.tensor(*collective.targets.first()?)?;
    let sources = collective.sources.iter().map(|id| body.tensor(*id));
    let held: Vec<Mapping> = sources
        .map(|tensor| tensor.and_then(|tensor| tensor.levels.full_mapping()))
        .collect::<Option<_>>()?;
    if held.len() < 2 || held.iter().any(Mapping::is_opaque) {
        return None;
    }
    let held: Vec<&Form> = held.iter().map(Mapping::form).collect();
    let levels = [Level::Cluster, Level::Slice, Level::Element];
    levels.into_iter().find_map(|level| {
        let mut own = target.levels.iter();
        let (_, written) = own.find(|(candidate, _)| *candidate == level)?;
        let (axis, copies) = foreign_digit(forms::known_form(written)?, &held)?;
        Some(Hazard {
            kind: HazardKind::GatherCopies {
                axis,
                level,
                copies,
            },
            span: written.span,
            other: Some(collective.span),
        })
    })
}
