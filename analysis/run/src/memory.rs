//! The tensors of a run: one store for each that has bytes of its own, and where views of it lie.

use rustc_hash::FxHashMap;
use visa_arrays::{Array, ElementKind};

use crate::hardware::ElementType;
use crate::items::Span;
use crate::kernel::{Body, Level, Origin, Tensor, TensorId, Tier, TileWindow};
use crate::mapping::Cell;

use super::cells::{Cells, OriginId};
use super::halt::{Halt, Step};
use super::request::OriginKind;
use super::space::{LevelPart, Over, Space, tensor_levels};

/// The kind of elements of a type, where a run computes with it.
pub(super) fn element_kind(element: ElementType) -> Option<ElementKind> {
    Some(match element {
        ElementType::I4 => ElementKind::I4,
        ElementType::I5 => ElementKind::I5,
        ElementType::I8 => ElementKind::I8,
        ElementType::I9 => ElementKind::I9,
        ElementType::I16 => ElementKind::I16,
        ElementType::I32 => ElementKind::I32,
        ElementType::F4E2M1 => ElementKind::F4E2M1,
        ElementType::F8E4M3 => ElementKind::F8E4M3,
        ElementType::F8E5M2 => ElementKind::F8E5M2,
        ElementType::Bf16 => ElementKind::Bf16,
        ElementType::F32 => ElementKind::F32,
        _ => return None,
    })
}

/// Where an undefined element comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OriginPlace {
    /// Why it is undefined.
    pub(super) kind: OriginKind,
    /// Where.
    pub(super) span: Span,
    /// The tensor that it belongs to, where one is new.
    pub(super) tensor: Option<TensorId>,
    /// What is there, in a clause.
    pub(super) what: String,
}

/// The origins of a run that keeps them; a run that does not has none.
#[derive(Debug, Default)]
pub(super) struct Origins {
    /// Whether they are kept.
    pub(super) kept: bool,
    /// By number less 1.
    pub(super) places: Vec<OriginPlace>,
}

impl Origins {
    /// The number of an origin; 0 where none is kept.
    pub(super) fn number(
        &mut self,
        kind: OriginKind,
        span: Span,
        tensor: Option<TensorId>,
        what: impl FnOnce() -> String,
    ) -> OriginId {
        if !self.kept {
            return 0;
        }
        let is_known = |known: &OriginPlace| {
            known.kind == kind && known.span == span && known.tensor == tensor
        };
        let known = self.places.iter().position(is_known);
        let number = known.unwrap_or_else(|| {
            self.places.push(OriginPlace {
                kind,
                span,
                tensor,
                what: what(),
            });
            self.places.len() - 1
        });
        OriginId::try_from(number + 1).unwrap_or(OriginId::MAX)
    }

    /// The origin of a number.
    pub(super) fn place(&self, number: OriginId) -> Option<&OriginPlace> {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        self.places.get(at)
    }
}

/// A tensor or view: the store that it is in, and where in it.
#[derive(Debug, Clone)]
pub(super) struct View {
    /// The tensor that has the bytes.
    pub(super) root: TensorId,
    /// Where its elements are.
    pub(super) space: Space,
    /// The kind of its elements.
    pub(super) kind: ElementKind,
    /// The memory.
    pub(super) tier: Tier,
}

/// Bytes of so many elements and their bits.
const fn bytes_of(kind: ElementKind, length: usize) -> u64 {
    let length = length as u64;
    length
        .saturating_mul(kind.held_bytes() as u64)
        .saturating_add(length / 8)
}

/// All stores.
#[derive(Debug, Default)]
pub(super) struct Memory {
    stores: FxHashMap<TensorId, Cells>,
    views: FxHashMap<TensorId, View>,
    /// Bytes that the elements of all stores may take.
    pub(super) limit: u64,
    bytes: u64,
    /// Tensors that something was written to since they were made.
    written: FxHashMap<TensorId, Vec<Span>>,
}

impl Memory {
    /// Stores that may take so many bytes.
    pub(super) fn new(limit: u64) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// Takes a new store in.
    pub(super) fn put(&mut self, id: TensorId, cells: Cells) {
        self.stores.insert(id, cells);
    }

    /// Counts the bytes of a store before it is made.
    ///
    /// # Errors
    /// The stores would take more than they may.
    pub(super) fn count(&mut self, kind: ElementKind, length: usize, place: Span) -> Step<()> {
        self.bytes = self.bytes.saturating_add(bytes_of(kind, length));
        self.check_limit(self.bytes, place)
    }

    /// Checks that a stream fits beside the stores, before it is made from another one.
    ///
    /// # Errors
    /// Both and the stores would take more than they may.
    pub(super) fn check_stream(
        &self,
        (from_kind, from): (ElementKind, usize),
        (kind, length): (ElementKind, usize),
        place: Span,
    ) -> Step<()> {
        let both = bytes_of(from_kind, from).saturating_add(bytes_of(kind, length));
        self.check_limit(self.bytes.saturating_add(both), place)
    }

    fn check_limit(&self, bytes: u64, place: Span) -> Step<()> {
        if bytes <= self.limit {
            return Ok(());
        }
        Err(Halt::Refused {
            place: Some(place),
            reason: format!(
                "the tensors and streams of the run take more than {} bytes",
                self.limit
            ),
            help: Some("allow more memory (`--max-memory`), or run a smaller size".to_owned()),
        })
    }

    /// Drops a store that nothing reads any more.
    pub(super) fn drop_store(&mut self, id: TensorId) {
        if let Some(cells) = self.stores.remove(&id) {
            let own = bytes_of(cells.array.kind(), cells.len());
            self.bytes = self.bytes.saturating_sub(own);
        }
    }

    /// The elements of a store.
    pub(super) fn store(&self, id: TensorId) -> Option<&Cells> {
        self.stores.get(&id)
    }

    /// The tensors that have a store.
    pub(super) fn roots(&self) -> Vec<TensorId> {
        let mut roots: Vec<TensorId> = self.stores.keys().copied().collect();
        roots.sort_unstable();
        roots
    }

    /// Takes a store out, to be changed and put back.
    pub(super) fn take(&mut self, id: TensorId) -> Option<Cells> {
        self.stores.remove(&id)
    }

    /// Notes that something was written to a store.
    pub(super) fn note_write(&mut self, id: TensorId, place: Span) {
        let places = self.written.entry(id).or_default();
        if !places.contains(&place) {
            places.push(place);
        }
    }

    /// Where something was written to a store, in order.
    pub(super) fn writes(&self, id: TensorId) -> &[Span] {
        self.written.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The tensors that something was written to, those whose store is dropped included.
    pub(super) fn written_roots(&self) -> Vec<TensorId> {
        let mut roots: Vec<TensorId> = self.written.keys().copied().collect();
        roots.sort_unstable();
        roots
    }

    /// A tensor or view of a body.
    ///
    /// # Errors
    /// Its mapping is unknown, or a tile of it lies outside.
    pub(super) fn view(&mut self, body: &Body, id: TensorId) -> Step<View> {
        if let Some(known) = self.views.get(&id) {
            return Ok(known.clone());
        }
        let mut chain: Vec<&Tensor> = body.sharing(id).collect();
        let Some(root) = chain.pop() else {
            return Err(Halt::refused(body.span, "a tensor is not known"));
        };
        let mut view = root_view(root)?;
        for tensor in chain.into_iter().rev() {
            view = view_of(body, &view, tensor)?;
        }
        self.views.insert(id, view.clone());
        Ok(view)
    }

    /// A tensor of a body that has bytes of its own, made where it is not there.
    ///
    /// # Errors
    /// It comes from outside and was not given.
    pub(super) fn ensure(&mut self, body: &Body, id: TensorId, origins: &mut Origins) -> Step<()> {
        if self.stores.contains_key(&id) {
            return Ok(());
        }
        let Some(tensor) = body.tensor(id) else {
            return Err(Halt::refused(body.span, "a tensor is not known"));
        };
        let view = root_view(tensor)?;
        let length = view.space.positions();
        self.count(view.kind, length, tensor.span)?;
        let cells = match &tensor.origin {
            Origin::New if tensor.is_zeroed => Cells::defined(Array::zeros(view.kind, length)),
            Origin::New | Origin::FromAddress => {
                let origin =
                    origins.number(OriginKind::NeverWritten, tensor.span, Some(id), || {
                        format!("{} is new and holds nothing", tensor_name(tensor))
                    });
                Cells::undefined(view.kind, length, origins.kept.then_some(origin))
            }
            _ => {
                return Err(Halt::refused(
                    tensor.span,
                    format!(
                        "{} comes from where a run does not look",
                        tensor_name(tensor)
                    ),
                ));
            }
        };
        self.stores.insert(id, cells);
        Ok(())
    }
}

/// What messages call a tensor.
pub(super) fn tensor_name(tensor: &Tensor) -> String {
    match &tensor.name {
        Some(name) => format!("`{name}`"),
        None => "a tensor without a name".to_owned(),
    }
}

/// The kind of the elements of a tensor.
fn kind_of(tensor: &Tensor) -> Step<ElementKind> {
    let element = tensor.element_type.get().copied();
    element.and_then(element_kind).ok_or_else(|| {
        let what = element.map_or("an unknown type".to_owned(), |element| {
            format!("`{}`", element.name())
        });
        Halt::refused(
            tensor.span,
            format!(
                "{} has elements of {what}, with which a run does not compute",
                tensor_name(tensor)
            ),
        )
    })
}

/// A tensor that has bytes of its own.
fn root_view(tensor: &Tensor) -> Step<View> {
    let levels = tensor_levels(&tensor.levels);
    let levels = levels.ok_or_else(|| unknown_mapping(tensor))?;
    let space = Space::dense(levels).ok_or_else(|| too_large(tensor))?;
    Ok(View {
        root: tensor.id,
        space,
        kind: kind_of(tensor)?,
        tier: tensor.tier,
    })
}

fn unknown_mapping(tensor: &Tensor) -> Halt {
    let what = format!("the mapping of {} is not known", tensor_name(tensor));
    Halt::refused(tensor.span, what)
}

fn too_large(tensor: &Tensor) -> Halt {
    let what = format!("{} has more elements than a memory", tensor_name(tensor));
    Halt::refused(tensor.span, what)
}

/// A view of a view.
fn view_of(body: &Body, base: &View, tensor: &Tensor) -> Step<View> {
    let levels = tensor_levels(&tensor.levels).ok_or_else(|| unknown_mapping(tensor))?;
    let mut offset = base.space.offset;
    let mut parts = Vec::with_capacity(levels.len());
    let same_levels = levels.len() == base.space.levels.len();
    for ((level, mapping), own) in levels.iter().zip(&base.space.levels) {
        if *level != own.level {
            return Err(unfit(tensor));
        }
        parts.push(LevelPart {
            level: *level,
            mapping: mapping.clone(),
            stride: own.stride,
        });
    }
    match &tensor.origin {
        _ if !same_levels => return Err(unfit(tensor)),
        Origin::View {
            tile: Some(tile), ..
        } => offset += tile_offset(body, base, tile)?,
        Origin::Reshape { .. } => {
            let sizes = levels.iter().zip(&base.space.levels);
            let keeps = sizes
                .clone()
                .all(|((_, mapping), own)| mapping.form().size() == own.mapping.form().size());
            if !keeps {
                return Err(unfit(tensor));
            }
        }
        _ => {}
    }
    Ok(View {
        root: base.root,
        space: Space::new(parts, offset),
        kind: kind_of(tensor)?,
        tier: tensor.tier,
    })
}

fn unfit(tensor: &Tensor) -> Halt {
    Halt::refused(
        tensor.span,
        format!(
            "{} has levels of other sizes than the tensor whose bytes it shares",
            tensor_name(tensor)
        ),
    )
}

/// The first element of a tile in its base, in elements of memory.
fn tile_offset(body: &Body, base: &View, tile: &TileWindow) -> Step<usize> {
    let (Some(index), Some(start), Some(length)) =
        (tile.index.get(), tile.start.get(), tile.length.get())
    else {
        return Err(Halt::refused(
            tile.span,
            "the index, start or length of a tile is not known",
        ));
    };
    let form = index.form();
    let end = start.saturating_add(*length);
    if end > form.size() && (body.dialect.release.minor >= 10 || *start >= form.size()) {
        return Err(Halt::fault(
            tile.span,
            format!(
                "the tile ends at {end} of `{index}`, which has {} positions",
                form.size()
            ),
        ));
    }
    let Cell::Index(first) = form.cell_at(*start) else {
        return Err(Halt::fault(
            tile.span,
            format!("the tile begins at {start} of `{index}`, which is padding"),
        ));
    };
    let mut offset = 0_usize;
    for place in &base.space.places {
        let part = base.space.levels.get(place.level);
        if part.is_none_or(|part| part.level != tile.level) {
            continue;
        }
        let Over::Axis(axis) = place.over else {
            continue;
        };
        let name = base
            .space
            .axes
            .get(axis)
            .map_or("", crate::mapping::Axis::name);
        let digit = first.value(name) / place.step % place.modulo;
        offset += usize::try_from(digit)
            .unwrap_or(usize::MAX)
            .saturating_mul(place.stride);
    }
    if base.space.is_opaque {
        return Err(Halt::refused(
            tile.span,
            "a tile of a mapping that a size cuts across is not executed",
        ));
    }
    Ok(offset)
}

/// Whether a tensor is spread over a level that has positions without data.
pub(super) fn idle_level(space: &Space, wanted: &[Level]) -> bool {
    space.places.iter().any(|place| {
        let level = space.levels.get(place.level).map(|part| part.level);
        level.is_some_and(|level| wanted.contains(&level)) && place.extent > place.live
    })
}
