//! Tile operations to their parts.
//!
//! The text of an operation is generic MLIR: operands by words, types behind a colon. A size may be in the type, in an operand, or in both,
//! and another operation may change it later. Rules must not choose between these, so each part is read once here, with a size that says
//! whether it is known. What is written in a way that we do not know makes the whole operation unread, and it is reported as such: a part
//! that is left out would look like a default.

use super::super::syntax::{Cursor, File, Kind, Operand, OperationId, Place};
use super::super::transfers::Given;
use super::super::values::{Names, Values};
use super::{Size, TileType, ViewType, tile_type, view_type};

/// What is known of a file where tile operations are read.
#[derive(Clone, Copy)]
pub struct TileFacts<'a> {
    /// Its operations.
    pub file: &'a File,
    /// Its names.
    pub names: &'a Names,
    /// What is known of its values.
    pub values: &'a Values,
    /// Whether something in it gives tiles another valid size than they were made with.
    pub resizes: bool,
}

/// `pto.alloc_tile addr = %a valid_row = %r valid_col = %c : type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    /// Its operation.
    pub operation: OperationId,
    /// The tile.
    pub tile: TileType,
    /// Where its type is written.
    pub type_place: Place,
    /// Its address, if that is written.
    pub address: Option<Given>,
    /// The operands that say how many rows and columns are valid.
    pub valid: [Option<Given>; 2],
}

impl Allocation {
    /// The valid rows and columns, by the type or the operands.
    pub fn valid_sizes(&self) -> [Size; 2] {
        [0, 1].map(|way: usize| {
            let written = self.tile.valid.get(way).copied().flatten();
            let given = self.valid.get(way).copied().flatten();
            written.or_else(|| non_negative_number(given))
        })
    }
}

/// `pto.make_tensor_view %p, shape = [..], strides = [..] : type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorView {
    /// Its operation.
    pub operation: OperationId,
    /// The type.
    pub view: ViewType,
    /// The sizes.
    pub shape: Vec<Given>,
    /// The steps in elements.
    pub strides: Vec<Given>,
}

impl TensorView {
    /// The size of a dimension, by the type or the operand.
    pub fn size(&self, dimension: usize) -> Size {
        let written = self.view.sizes.get(dimension).copied().flatten();
        written.or_else(|| non_negative_number(self.shape.get(dimension).copied()))
    }
}

/// `pto.partition_view %v, offsets = [..], sizes = [..] : type -> type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// Its operation.
    pub operation: OperationId,
    /// The view that it is a part of.
    pub source: Option<TensorView>,
    /// The types of the view and of the part.
    pub views: [ViewType; 2],
    /// Where it begins in each dimension.
    pub offsets: Vec<Given>,
    /// How much of each dimension it has.
    pub sizes: Vec<Given>,
}

impl Partition {
    /// The size of a dimension, by the type or the operand.
    pub fn size(&self, dimension: usize) -> Size {
        let [_, part] = &self.views;
        let given = non_negative_number(self.sizes.get(dimension).copied());
        given.or_else(|| part.sizes.get(dimension).copied().flatten())
    }
}

/// Which way a tile goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileMoveKind {
    /// From GM.
    Load,
    /// To GM.
    Store,
}

/// A load or a store of a tile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileMove {
    /// Its operation.
    pub operation: OperationId,
    /// Which way.
    pub kind: TileMoveKind,
    /// The tile, if its type is known.
    pub tile: Option<TileType>,
    /// Where the tile is named.
    pub tile_place: Place,
    /// The type of the view, if that is known.
    pub view: Option<ViewType>,
    /// Where the view is named.
    pub view_place: Place,
    /// The part of a view that it names.
    pub partition: Option<Partition>,
    /// Elements of the view, if its sizes are known.
    pub elements: Size,
    /// Valid rows and columns of the tile.
    pub valid: [Size; 2],
    /// Whether another operand says how elements are converted.
    pub converts: bool,
    /// The first thing that is not known.
    pub unknown: Option<String>,
}

/// A tile operation that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TileOperation {
    /// A tile is made.
    Allocation(Allocation),
    /// A view of GM is made.
    View(TensorView),
    /// A part of a view is named.
    Partition(Partition),
    /// A tile is moved.
    Move(TileMove),
}

/// The number of a value that is none below 0.
fn non_negative_number(given: Option<Given>) -> Size {
    u64::try_from(given?.number()?).ok()
}

/// A tile operation with its parts; nothing where its types are none that we know.
pub fn read_tile_operation(facts: TileFacts<'_>, id: OperationId) -> Option<TileOperation> {
    match facts.file.name(id) {
        "pto.alloc_tile" => facts.allocation(id).map(TileOperation::Allocation),
        "pto.make_tensor_view" => facts.tensor_view(id).map(TileOperation::View),
        "pto.partition_view" => facts.partition(id).map(TileOperation::Partition),
        "pto.tstore" => Some(TileOperation::Move(
            facts.tile_move(id, TileMoveKind::Store),
        )),
        _ => Some(TileOperation::Move(facts.tile_move(id, TileMoveKind::Load))),
    }
}

impl<'a> TileFacts<'a> {
    fn given_operand(self, operand: Operand) -> Given {
        Given {
            operand,
            known: self.values.operand(self.names, operand),
        }
    }

    /// The operand behind `word =`.
    fn named_operand(self, id: OperationId, word: &str) -> Option<Given> {
        let mut cursor = self.cursor_behind(id, word)?;
        cursor.operand().map(|operand| self.given_operand(operand))
    }

    /// The operands behind `word = [`.
    fn listed_operands(self, id: OperationId, word: &str) -> Option<Vec<Given>> {
        let mut cursor = self.cursor_behind(id, word)?;
        if !cursor.eat(b'[') {
            return None;
        }
        let operands = cursor.operands().operands;
        // What is written in another way than by names is not read.
        let all = operands
            .into_iter()
            .map(|operand| self.given_operand(operand));
        cursor.eat(b']').then(|| all.collect())
    }

    /// A cursor behind `word =`.
    fn cursor_behind(self, id: OperationId, word: &str) -> Option<Cursor<'a>> {
        let mut cursor = Cursor::new(self.file, id);
        loop {
            let token = cursor.peek();
            if token.kind == Kind::End || token.is_mark(b':') {
                return None;
            }
            let found = token.kind == Kind::Word && cursor.text() == word;
            cursor.next();
            if found && cursor.eat(b'=') {
                return Some(cursor);
            }
        }
    }

    /// The types behind the colon, and those behind the arrow.
    fn types(self, id: OperationId) -> Vec<Place> {
        let mut cursor = Cursor::new(self.file, id);
        if !cursor.pass_colon() {
            return Vec::new();
        }
        let mut types = cursor.types();
        if cursor.peek().kind == Kind::Arrow {
            cursor.next();
            types.extend(cursor.types());
        }
        types
    }

    /// The operation that defines a value.
    fn definition(self, operand: Operand, name: &str) -> Option<OperationId> {
        let value = self.names.value(operand.token)?;
        let (_, definition) = self.names.definition(value)?;
        let id = definition.operation?;
        (self.file.name(id) == name).then_some(id)
    }

    fn allocation(self, id: OperationId) -> Option<Allocation> {
        let type_place = *self.types(id).last()?;
        Some(Allocation {
            operation: id,
            tile: tile_type(self.file, self.file.text_at(type_place))?,
            type_place,
            address: self.named_operand(id, "addr"),
            valid: [
                self.named_operand(id, "valid_row"),
                self.named_operand(id, "valid_col"),
            ],
        })
    }

    fn tensor_view(self, id: OperationId) -> Option<TensorView> {
        let written = *self.types(id).last()?;
        Some(TensorView {
            operation: id,
            view: view_type(self.file, self.file.text_at(written))?,
            shape: self.listed_operands(id, "shape")?,
            strides: self.listed_operands(id, "strides")?,
        })
    }

    fn partition(self, id: OperationId) -> Option<Partition> {
        let [source, part] = self.types(id)[..] else {
            return None;
        };
        let view = |place: Place| view_type(self.file, self.file.text_at(place));
        let whole = Cursor::new(self.file, id).operand()?;
        let made = self.definition(whole, "pto.make_tensor_view");
        Some(Partition {
            operation: id,
            source: made.and_then(|id| self.tensor_view(id)),
            views: [view(source)?, view(part)?],
            offsets: self.listed_operands(id, "offsets")?,
            sizes: self.listed_operands(id, "sizes")?,
        })
    }

    /// The first operand behind `word (`, and its type.
    fn side(self, id: OperationId, word: &str) -> Option<(Operand, Place)> {
        let mut cursor = self.cursor_inside(id, word)?;
        let operand = cursor.operand()?;
        while !cursor.peek().is_mark(b':') {
            if cursor.next().kind == Kind::End {
                return None;
            }
        }
        cursor.next();
        Some((operand, *cursor.types().first()?))
    }

    /// A cursor behind `word (`.
    fn cursor_inside(self, id: OperationId, word: &str) -> Option<Cursor<'a>> {
        let mut cursor = Cursor::new(self.file, id);
        while cursor.text() != word {
            if cursor.next().kind == Kind::End {
                return None;
            }
        }
        cursor.next();
        cursor.eat(b'(').then_some(cursor)
    }

    /// Whether a store is given factors beside its tile: behind a comma, or as `fp %factors` behind the tile's type.
    fn has_factors(self, id: OperationId) -> bool {
        let Some(mut cursor) = self.cursor_inside(id, "ins") else {
            return false;
        };
        if cursor.operand().is_some() && cursor.peek().is_mark(b',') {
            return true;
        }
        while cursor.text() != "outs" {
            if cursor.text() == "fp" {
                return true;
            }
            if cursor.next().kind == Kind::End {
                return false;
            }
        }
        false
    }

    fn tile_move(self, id: OperationId, kind: TileMoveKind) -> TileMove {
        let (from, to) = (self.side(id, "ins"), self.side(id, "outs"));
        let (tile, view) = match kind {
            TileMoveKind::Load => (to, from),
            TileMoveKind::Store => (from, to),
        };
        let name = self.file.operation(id).name;
        let typed =
            |side: Option<(Operand, Place)>| side.map(|(_, place)| self.file.text_at(place));
        let place = |side: Option<(Operand, Place)>| side.map_or(name, |(one, _)| one.place);
        let made = tile.and_then(|(one, _)| self.definition(one, "pto.alloc_tile"));
        let allocation = made.and_then(|id| self.allocation(id));
        let part = view.and_then(|(one, _)| self.definition(one, "pto.partition_view"));
        let mut moved = TileMove {
            operation: id,
            kind,
            tile: typed(tile).and_then(|text| tile_type(self.file, text)),
            tile_place: place(tile),
            view: typed(view).and_then(|text| view_type(self.file, text)),
            view_place: place(view),
            partition: part.and_then(|id| self.partition(id)),
            elements: None,
            valid: [None; 2],
            converts: self.has_factors(id),
            unknown: None,
        };
        moved.elements = moved_elements(&moved);
        let written = moved.tile.as_ref().map_or([None; 2], |tile| tile.valid);
        let allocation = allocation.filter(|_| !self.resizes);
        let given = allocation.map_or([None; 2], |made| made.valid_sizes());
        for ((valid, written), given) in moved.valid.iter_mut().zip(written).zip(given) {
            *valid = written.or(given);
        }
        moved.unknown = unknown_clause(&moved);
        moved
    }
}

fn moved_elements(moved: &TileMove) -> Size {
    let view = moved.view.as_ref()?;
    let size = |dimension: usize| {
        let written = view.sizes.get(dimension).copied().flatten();
        written.or_else(|| moved.partition.as_ref()?.size(dimension))
    };
    (0..view.sizes.len()).try_fold(1_u64, |all, dimension| all.checked_mul(size(dimension)?))
}

/// What is not known of a move, in a clause.
fn unknown_clause(moved: &TileMove) -> Option<String> {
    let Some(tile) = &moved.tile else {
        return Some("the type of the tile is not known".to_owned());
    };
    let Some(view) = &moved.view else {
        return Some("the type of the view is not known".to_owned());
    };
    if !tile.is_in_ub() {
        let memory = &tile.memory;
        return Some(format!(
            "of a tile in `{memory}` only sizes and widths are checked, not its layout"
        ));
    }
    if tile.element.is_none() || view.element.is_none() {
        return Some("the width of an element is not known".to_owned());
    }
    if moved.elements.is_none() {
        return Some("the sizes of the view are not known".to_owned());
    }
    let source = moved
        .partition
        .as_ref()
        .and_then(|part| part.source.as_ref());
    let Some(source) = source else {
        return Some("where the view is made is not known".to_owned());
    };
    if source
        .strides
        .iter()
        .any(|stride| stride.number().is_none())
    {
        return Some("the strides of the view are not known".to_owned());
    }
    let is_known = moved.valid.iter().all(Option::is_some);
    (!is_known).then(|| "the valid size of the tile is not known".to_owned())
}
