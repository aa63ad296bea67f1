//! Types of tiles and views, as text: `!pto.tile_buf<vec, 16x32xf32, valid=16x?>`, `!pto.tensor_view<?x32xf32>`.

use super::super::syntax::File;
use super::super::values::{Element, resolve_alias, type_parts};

/// Rows and columns, or the sizes of a view; `None` where one is `?`.
pub type Size = Option<u64>;

/// How a tile lies in its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileLayout {
    /// Rows one behind the other.
    Rows,
    /// Columns one behind the other.
    Columns,
    /// Boxes of a fixed size, as the matrix unit wants them.
    Boxes,
}

/// What is known of a tile's type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileType {
    /// Its memory, by the name that types give it: `vec`, `mat`, `acc`.
    pub memory: String,
    /// Bytes of an element.
    pub element: Option<u64>,
    /// Whether an element holds two numbers of four bits.
    pub is_packed: bool,
    /// Rows and columns.
    pub shape: [Size; 2],
    /// Those of them that hold something.
    pub valid: [Size; 2],
    /// How it lies there.
    pub layout: TileLayout,
}

impl TileType {
    /// Bytes that it takes.
    pub fn bytes(&self) -> Option<u64> {
        let [rows, columns] = self.shape;
        rows?.checked_mul(columns?)?.checked_mul(self.element?)
    }

    /// Bytes at whose multiples its address is, by the assembler.
    pub fn alignment(&self) -> Option<i64> {
        match self.memory.as_str() {
            "vec" | "ub" | "mat" | "bias" | "scaling" => Some(32),
            "left" | "right" | "acc" => Some(512),
            _ => None,
        }
    }

    /// Whether it is in the Unified Buffer.
    pub fn is_in_ub(&self) -> bool {
        matches!(self.memory.as_str(), "vec" | "ub")
    }
}

/// What is known of the type of a view of GM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewType {
    /// The size of each dimension.
    pub sizes: Vec<Size>,
    /// Bytes of an element.
    pub element: Option<u64>,
}

/// The tile that a type writes; `None` if it is none that we know.
pub fn tile_type(file: &File, text: &str) -> Option<TileType> {
    let inside = inside_of(file, text, &["!pto.tile_buf", ""])?;
    let mut tile = TileType {
        memory: String::new(),
        element: None,
        is_packed: false,
        shape: [None; 2],
        valid: [None; 2],
        layout: TileLayout::Rows,
    };
    let (mut of_columns, mut is_boxed) = (false, false);
    let mut valid = [None; 2];
    for (number, part) in type_parts(inside).map(str::trim).enumerate() {
        let Some((key, value)) = part.split_once('=') else {
            match number {
                0 => part.clone_into(&mut tile.memory),
                1 => tile.shaped(part)?,
                _ => {}
            }
            continue;
        };
        let value = value.trim();
        match key.trim() {
            "loc" => value.clone_into(&mut tile.memory),
            "dtype" => (tile.element, tile.is_packed) = element_bytes(value),
            "rows" => tile.shape[0] = parse_size(value)?,
            "cols" => tile.shape[1] = parse_size(value)?,
            "v_row" => valid[0] = Some(parse_size(value)?),
            "v_col" => valid[1] = Some(parse_size(value)?),
            "valid" => {
                let (rows, columns) = value.split_once('x')?;
                valid = [Some(parse_size(rows)?), Some(parse_size(columns)?)];
            }
            "blayout" => of_columns = value == "col_major",
            "slayout" => is_boxed = value != "none_box",
            _ => {}
        }
    }
    if tile.memory.is_empty() {
        return None;
    }
    let [rows, columns] = valid;
    tile.valid = [
        rows.unwrap_or(tile.shape[0]),
        columns.unwrap_or(tile.shape[1]),
    ];
    tile.layout = match (is_boxed, of_columns) {
        (true, _) => TileLayout::Boxes,
        (false, true) => TileLayout::Columns,
        (false, false) => TileLayout::Rows,
    };
    Some(tile)
}

impl TileType {
    /// Takes shape and element of `16x32xf32`.
    fn shaped(&mut self, text: &str) -> Option<()> {
        let (sizes, element) = sizes_of(text);
        self.shape = sizes.try_into().ok()?;
        (self.element, self.is_packed) = element_bytes(element);
        Some(())
    }
}

/// The view that a type writes; `None` if it is none that we know.
pub fn view_type(file: &File, text: &str) -> Option<ViewType> {
    let heads = ["!pto.partition_tensor_view", "!pto.tensor_view"];
    let inside = inside_of(file, text, &heads)?;
    let (sizes, element) = sizes_of(type_parts(inside).next()?.trim());
    if sizes.is_empty() {
        return None;
    }
    Some(ViewType {
        sizes,
        element: element_bytes(element).0,
    })
}

fn inside_of<'a>(file: &'a File, text: &'a str, heads: &[&str]) -> Option<&'a str> {
    let (head, rest) = resolve_alias(file, text).split_once('<')?;
    let inside = rest.trim_end().strip_suffix('>')?;
    heads.contains(&head.trim()).then_some(inside)
}

/// A size that is written: a number, or `?`.
fn parse_size(text: &str) -> Option<Size> {
    match text.trim() {
        "?" | "-1" => Some(None),
        number => number.parse().ok().map(Some),
    }
}

/// The sizes before the element of a shape, and the element.
fn sizes_of(text: &str) -> (Vec<Size>, &str) {
    let (mut sizes, mut rest) = (Vec::new(), text);
    while let Some((first, behind)) = rest.split_once('x') {
        let is_number = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number && first != "?" {
            break;
        }
        sizes.push(first.parse().ok());
        rest = behind;
    }
    (sizes, rest)
}

/// Bytes of an element, and whether it holds two numbers of four bits.
fn element_bytes(name: &str) -> (Option<u64>, bool) {
    let name = name.trim();
    let name = name.strip_prefix("!pto.").unwrap_or(name);
    if matches!(name, "f4E1M2x2" | "f4E2M1x2") {
        return (Some(1), true);
    }
    let is_byte = name.starts_with("f8") || name == "hif8";
    let known = Element::of(name).and_then(Element::bytes).map(u64::from);
    (known.or(is_byte.then_some(1)), false)
}
