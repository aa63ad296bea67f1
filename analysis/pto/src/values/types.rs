//! Types of pointers, as text: their element and the memory that they point to.

use super::super::syntax::File;

/// A memory that a pointer may point to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Memory {
    /// Global memory.
    Gm,
    /// The Unified Buffer.
    Ub,
    /// L1, from which the matrix unit is fed.
    L1,
    /// Another memory of the core, which vector copies do not reach.
    Other,
}

impl Memory {
    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gm => "GM",
            Self::Ub => "UB",
            Self::L1 => "L1",
            Self::Other => "another memory",
        }
    }
}

/// A type of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Element {
    /// As it is written.
    pub name: &'static str,
    /// Its width.
    pub bits: u32,
}

/// The elements whose width is known.
const ELEMENTS: [Element; 25] = [
    element("i1", 1),
    element("i8", 8),
    element("si8", 8),
    element("ui8", 8),
    element("i16", 16),
    element("si16", 16),
    element("ui16", 16),
    element("i32", 32),
    element("si32", 32),
    element("ui32", 32),
    element("i64", 64),
    element("si64", 64),
    element("ui64", 64),
    element("f16", 16),
    element("bf16", 16),
    element("f32", 32),
    element("f64", 64),
    element("f8E4M3FN", 8),
    element("f8E4M3", 8),
    element("f8E5M2", 8),
    element("f8e4m3", 8),
    element("f8e5m2", 8),
    element("hif8", 8),
    element("f8E8M0FNU", 8),
    element("index", 64),
];

const fn element(name: &'static str, bits: u32) -> Element {
    Element { name, bits }
}

impl Element {
    /// The element of a name.
    pub fn of(name: &str) -> Option<Self> {
        ELEMENTS.into_iter().find(|element| element.name == name)
    }

    /// Its width in whole bytes.
    pub const fn bytes(self) -> Option<u32> {
        if self.bits.is_multiple_of(8) {
            Some(self.bits / 8)
        } else {
            None
        }
    }
}

/// What is known of a pointer's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Pointer {
    /// Its element.
    pub element: Option<Element>,
    /// Its memory.
    pub memory: Option<Memory>,
}

/// What a type stands for: another text where it is an alias.
pub fn resolve_alias<'a>(file: &'a File, text: &'a str) -> &'a str {
    let mut text = text.trim();
    // An alias of an alias is legal; a circle is not, and ends.
    for _ in 0..8 {
        // What has a bracket is no name of an alias.
        if text.contains('<') {
            break;
        }
        let own = file.aliases.iter();
        let own = own.map(|alias| (file.text_at(alias.name), file.text_at(alias.value)));
        let outer = file.outer_aliases.iter();
        let outer = outer.map(|(name, value)| (name.as_str(), value.as_str()));
        match own.chain(outer).find(|(name, _)| *name == text) {
            Some((_, value)) => text = value.trim(),
            None => break,
        }
    }
    text
}

/// The pointer that a type writes; `None` if it is no pointer that we know.
pub fn pointer_type(file: &File, text: &str) -> Option<Pointer> {
    let text = resolve_alias(file, text);
    let (head, rest) = text.split_once('<')?;
    let inside = rest.trim_end().strip_suffix('>')?;
    let head = head.trim();
    let mut parts = type_parts(inside);
    match head {
        "!pto.ptr" | "" => {
            let element = Element::of(parts.next()?.trim());
            let memory = parts.next().map_or(Some(Memory::Gm), memory_space);
            Some(Pointer { element, memory })
        }
        "memref" => {
            let shape = parts.next()?.trim();
            let element = Element::of(shape.rsplit('x').next().unwrap_or(shape));
            let memory =
                parts.find_map(|part| part.contains("address_space").then(|| memory_space(part)));
            Some(Pointer {
                element,
                memory: memory.flatten(),
            })
        }
        _ => None,
    }
}

/// The memory that a space is: `gm`, or `#pto.address_space<vec>`.
fn memory_space(text: &str) -> Option<Memory> {
    let text = text.trim();
    let name = match text.split_once('<') {
        Some((_, inside)) => inside.trim_end_matches('>').trim(),
        None => text,
    };
    match name {
        "gm" => Some(Memory::Gm),
        "ub" | "vec" => Some(Memory::Ub),
        "mat" | "l1" | "cbuf" => Some(Memory::L1),
        "left" | "right" | "acc" | "bias" | "scaling" => Some(Memory::Other),
        _ => None,
    }
}

/// The parts of a text between commas that are in no bracket.
pub fn type_parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    text.split(move |letter| {
        match letter {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0
    })
}
