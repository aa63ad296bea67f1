//! Operations that copy to their operands by role.
//!
//! The same copy exists in two forms. One takes all operands in a fixed order and its outer loops from registers that earlier operations
//! set; the other writes loops and padding in groups. Both come to one list of roles here, so that a rule about strides is written once.
//! The order of the first form differs by direction: the target's stride comes first on the way to GM, which is why a table and not the
//! position alone names the roles.

use super::super::syntax::{Cursor, File, Kind, Operand, OperandList, OperationId, Place};
use super::super::values::{Element, Known, Memory, Names, Pointer, Values, pointer_type};
use super::Field;
use visa_transfer::Side;

/// Which way registers of loops serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// GM to UB, the pipe MTE2.
    ToUb,
    /// UB to GM, the pipe MTE3.
    ToGm,
}

impl Direction {
    /// Both.
    pub const ALL: [Self; 2] = [Self::ToUb, Self::ToGm];

    /// The ending of the names of its registers.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::ToUb => "outtoub",
            Self::ToGm => "ubtoout",
        }
    }

    /// The other one.
    pub const fn other_direction(self) -> Self {
        match self {
            Self::ToUb => Self::ToGm,
            Self::ToGm => Self::ToUb,
        }
    }
}

/// From where to where a copy goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CopyKind {
    /// GM to UB.
    GmToUb,
    /// UB to GM.
    UbToGm,
    /// Within UB.
    UbToUb,
    /// GM to L1.
    GmToL1,
}

impl CopyKind {
    /// The memory of a side.
    pub const fn memory(self, side: Side) -> Memory {
        match (self, side) {
            (Self::GmToUb | Self::GmToL1, Side::Source) | (Self::UbToGm, Side::Target) => {
                Memory::Gm
            }
            (Self::GmToL1, Side::Target) => Memory::L1,
            _ => Memory::Ub,
        }
    }

    /// The direction of the registers that it reads.
    pub const fn direction(self) -> Option<Direction> {
        match self {
            Self::GmToUb => Some(Direction::ToUb),
            Self::UbToGm => Some(Direction::ToGm),
            Self::UbToUb | Self::GmToL1 => None,
        }
    }

    /// The pipe that runs it; that of a copy within UB is not known.
    pub const fn pipe(self) -> Option<&'static str> {
        match self {
            Self::GmToUb | Self::GmToL1 => Some("PIPE_MTE2"),
            Self::UbToGm => Some("PIPE_MTE3"),
            Self::UbToUb => None,
        }
    }

    /// From where to where, in tables.
    pub const fn direction_name(self) -> &'static str {
        match self {
            Self::GmToUb => "GM to UB",
            Self::UbToGm => "UB to GM",
            Self::UbToUb => "UB to UB",
            Self::GmToL1 => "GM to L1",
        }
    }

    /// The side that is in GM, if one is.
    pub const fn gm_side(self) -> Option<Side> {
        match self {
            Self::GmToUb | Self::GmToL1 => Some(Side::Source),
            Self::UbToGm => Some(Side::Target),
            Self::UbToUb => None,
        }
    }
}

/// A value that an operation was given, and where it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Given {
    /// The operand.
    pub operand: Operand,
    /// What is known of it; `None` if no definition is.
    pub known: Option<Known>,
}

impl Given {
    /// The number that it always is.
    pub fn number(&self) -> Option<i64> {
        self.known.as_ref().and_then(Known::number)
    }

    /// Where it is written.
    pub const fn place(&self) -> Place {
        self.operand.place
    }
}

/// A `loop(count, source step, target step)` of a grouped copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenLoop {
    /// Iterations.
    pub count: Given,
    /// The step of the source.
    pub source: Given,
    /// The step of the target.
    pub target: Given,
    /// The whole group.
    pub place: Place,
}

/// The `pad(value, left, right)` of a grouped copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Padding {
    /// What is filled in.
    pub value: Given,
    /// Its type, if it is written.
    pub element: Option<Element>,
    /// The whole group.
    pub place: Place,
}

/// A copy with its operands by role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    /// Its operation.
    pub operation: OperationId,
    /// From where to where.
    pub kind: CopyKind,
    /// Whether it is written in groups, and reads no registers.
    pub grouped: bool,
    /// Its operands by role.
    pub fields: Vec<(Field, Given)>,
    /// The types of source and target.
    pub pointers: [Option<Pointer>; 2],
    /// Loops of a grouped copy, the inner one first.
    pub loops: Vec<GivenLoop>,
    /// The padding of a grouped copy.
    pub padding: Option<Padding>,
    /// Where its types are written.
    pub types: Vec<Place>,
}

impl Copy {
    /// A field.
    pub fn given_field(&self, field: Field) -> Option<&Given> {
        self.fields
            .iter()
            .find(|(of, _)| *of == field)
            .map(|(_, given)| given)
    }

    /// The number of a field, if it is known.
    pub fn number(&self, field: Field) -> Option<i64> {
        self.given_field(field)?.number()
    }

    /// The address of a side.
    pub fn base_address(&self, side: Side) -> Option<&Given> {
        self.given_field(match side {
            Side::Source => Field::Source,
            Side::Target => Field::Target,
        })
    }

    /// The type of a side.
    pub fn pointer(&self, side: Side) -> Option<Pointer> {
        match side {
            Side::Source => self.pointers[0],
            Side::Target => self.pointers[1],
        }
    }

    /// Whether rows are filled up to their stride; `None` if that is not known.
    pub fn fills(&self) -> Option<bool> {
        if self.kind != CopyKind::GmToUb {
            return Some(false);
        }
        if self.grouped {
            return Some(self.padding.is_some());
        }
        self.number(Field::Select).map(|bit| bit != 0)
    }
}

/// A fault in the operands of a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperandFault {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub message: String,
}

struct Shape {
    name: &'static str,
    kind: CopyKind,
    grouped: bool,
    fields: &'static [Field],
}

const SOURCE_STRIDE: Field = Field::Stride(Side::Source);
const TARGET_STRIDE: Field = Field::Stride(Side::Target);

/// The copies with their operands in order, up to the first group.
const SHAPES: [Shape; 7] = [
    Shape {
        name: "pto.copy_gm_to_ubuf",
        kind: CopyKind::GmToUb,
        grouped: false,
        fields: &[
            Field::Source,
            Field::Target,
            Field::Stream,
            Field::Rows,
            Field::Length,
            Field::LeftPadding,
            Field::RightPadding,
            Field::Select,
            Field::CacheControl,
            SOURCE_STRIDE,
            TARGET_STRIDE,
        ],
    },
    Shape {
        name: "pto.copy_ubuf_to_gm",
        kind: CopyKind::UbToGm,
        grouped: false,
        // The stride of the target comes first (book: pto.copy_ubuf_to_gm).
        fields: &[
            Field::Source,
            Field::Target,
            Field::Stream,
            Field::Rows,
            Field::Length,
            Field::Reserved,
            TARGET_STRIDE,
            SOURCE_STRIDE,
        ],
    },
    Shape {
        name: "pto.copy_ubuf_to_ubuf",
        kind: CopyKind::UbToUb,
        grouped: false,
        fields: &[
            Field::Source,
            Field::Target,
            Field::Stream,
            Field::Rows,
            Field::Length,
            SOURCE_STRIDE,
            TARGET_STRIDE,
        ],
    },
    Shape {
        name: "pto.mte_gm_ub",
        kind: CopyKind::GmToUb,
        grouped: true,
        fields: &[
            Field::Source,
            Field::Target,
            Field::CacheControl,
            Field::Length,
        ],
    },
    Shape {
        name: "pto.mte_ub_gm",
        kind: CopyKind::UbToGm,
        grouped: true,
        fields: &[Field::Source, Field::Target, Field::Length],
    },
    Shape {
        name: "pto.mte_ub_ub",
        kind: CopyKind::UbToUb,
        grouped: true,
        fields: &[Field::Source, Field::Target, Field::Length],
    },
    Shape {
        name: "pto.mte_gm_l1",
        kind: CopyKind::GmToL1,
        grouped: true,
        fields: &[Field::Source, Field::Target, Field::Length],
    },
];

/// Whether an operation copies between memories.
pub fn is_copy(name: &str) -> bool {
    SHAPES.iter().any(|shape| shape.name == name)
}

/// From where to where the copy of a name goes.
pub fn kind_of(name: &str) -> Option<CopyKind> {
    let shape = SHAPES.iter().find(|shape| shape.name == name)?;
    Some(shape.kind)
}

/// The operands of a copy in order, up to its first group.
pub fn fields_of(name: &str) -> &'static [Field] {
    let shape = SHAPES.iter().find(|shape| shape.name == name);
    shape.map_or(&[], |shape| shape.fields)
}

/// `word(%a, %b)` behind the operands of a grouped copy.
struct Group {
    name: String,
    place: Place,
    list: OperandList,
}

/// A copy with its operands by role, or what is wrong with them.
///
/// # Errors
///
/// Where operands, groups or types are not as many as the operation has.
pub fn read(
    file: &File,
    names: &Names,
    values: &Values,
    id: OperationId,
) -> Result<Copy, OperandFault> {
    let name = file.name(id);
    let shape = SHAPES.iter().find(|shape| shape.name == name);
    let Some(shape) = shape else {
        return Err(OperandFault {
            place: file.operation(id).name,
            message: format!("`{name}` is not a copy"),
        });
    };
    let mut cursor = Cursor::new(file, id);
    if file.is_generic(id) {
        cursor.eat(b'(');
    }
    let list = cursor.operands();
    let given = |operand: Operand| Given {
        operand,
        known: values.operand(names, operand),
    };
    expect_operands(file, id, shape, &list)?;
    let mut fields: Vec<(Field, Given)> = shape
        .fields
        .iter()
        .copied()
        .zip(list.operands.iter().copied().map(given))
        .collect();
    let mut loops = Vec::new();
    let mut padding = None;
    if shape.grouped && !file.is_generic(id) {
        let groups = read_groups(&mut cursor);
        expect_groups(file, id, shape, &groups)?;
        for group in &groups {
            let operands = &group.list.operands;
            match (group.name.as_str(), &operands[..]) {
                ("nburst", &[rows, source, target]) => {
                    fields.push((Field::Rows, given(rows)));
                    fields.push((SOURCE_STRIDE, given(source)));
                    fields.push((TARGET_STRIDE, given(target)));
                }
                ("l2_cache_ctl", &[control]) => {
                    fields.push((Field::CacheControl, given(control)));
                }
                ("pad", &[value, ref sides @ ..]) => {
                    padding = Some(Padding {
                        value: given(value),
                        element: None,
                        place: group.place,
                    });
                    if let &[left, right] = sides {
                        fields.push((Field::LeftPadding, given(left)));
                        fields.push((Field::RightPadding, given(right)));
                    }
                }
                (_, &[count, source, target]) => loops.push(GivenLoop {
                    count: given(count),
                    source: given(source),
                    target: given(target),
                    place: group.place,
                }),
                _ => {}
            }
        }
    }
    let types = if cursor.pass_colon() {
        cursor.eat(b'(');
        cursor.types()
    } else {
        Vec::new()
    };
    expect_types(file, id, shape, &fields, &loops, padding.is_some(), &types)?;
    if let Some(padding) = &mut padding {
        padding.element = pad_type(file, &types);
    }
    let pointer = |index: usize, field: Field| {
        let written = types
            .get(index)
            .and_then(|&place| pointer_type(file, file.text_at(place)));
        let known = fields
            .iter()
            .find(|(of, _)| *of == field)
            .and_then(|(_, given)| given.known?.pointer);
        written.or(known)
    };
    let pointers = [pointer(0, Field::Source), pointer(1, Field::Target)];
    Ok(Copy {
        operation: id,
        kind: shape.kind,
        grouped: shape.grouped,
        fields,
        pointers,
        loops,
        padding,
        types,
    })
}

fn expect_operands(
    file: &File,
    id: OperationId,
    shape: &Shape,
    list: &OperandList,
) -> Result<(), OperandFault> {
    let (wanted, found) = (shape.fields.len(), list.operands.len());
    if file.operation(id).broken || (file.is_generic(id) && shape.grouped) || wanted == found {
        return Ok(());
    }
    let name = |field: &Field| field.name(shape.kind);
    let tail = if found < wanted {
        let missing: Vec<String> = shape.fields.iter().skip(found).map(name).collect();
        format!("{} missing", missing.join(", "))
    } else {
        let all: Vec<String> = shape.fields.iter().map(name).collect();
        format!("it has {}", all.join(", "))
    };
    Err(OperandFault {
        place: if found == 0 {
            file.operation(id).name
        } else {
            list.place
        },
        message: format!(
            "`{}` has {wanted} operands{}, and {found} are given: {tail}",
            shape.name,
            if shape.grouped {
                " before its groups"
            } else {
                ""
            },
        ),
    })
}

fn read_groups(cursor: &mut Cursor<'_>) -> Vec<Group> {
    let mut groups = Vec::new();
    loop {
        cursor.eat(b',');
        let token = cursor.peek();
        if token.kind != Kind::Word {
            return groups;
        }
        let name = cursor.text().to_owned();
        cursor.next();
        if !cursor.eat(b'(') {
            return groups;
        }
        let list = cursor.operands();
        let end = cursor.peek().place;
        while cursor.peek().kind != Kind::End && !cursor.eat(b')') {
            cursor.next();
        }
        groups.push(Group {
            name,
            place: token.place.span_to(end),
            list,
        });
    }
}

fn expect_groups(
    file: &File,
    id: OperationId,
    shape: &Shape,
    groups: &[Group],
) -> Result<(), OperandFault> {
    if file.operation(id).broken {
        return Ok(());
    }
    for group in groups {
        let found = group.list.operands.len();
        let wanted: &[usize] = match group.name.as_str() {
            "pad" => &[1, 3],
            "l2_cache_ctl" => &[1],
            "nburst" | "loop" | "loop1" | "loop2" => &[3],
            // A group of a later manual.
            _ => continue,
        };
        if !wanted.contains(&found) {
            let meaning = match group.name.as_str() {
                "pad" => "1 operand (the value) or 3 (the value, left and right bytes)",
                "l2_cache_ctl" => "1 operand",
                "nburst" => "3 operands (rows, stride of the source, stride of the target)",
                _ => "3 operands (iterations, step of the source, step of the target)",
            };
            return Err(OperandFault {
                place: group.place,
                message: format!("`{}` has {meaning}, and {found} are given", group.name),
            });
        }
    }
    if groups.iter().any(|group| group.name == "nburst") {
        return Ok(());
    }
    Err(OperandFault {
        place: file.operation(id).name,
        message: format!(
            "`{}` has no `nburst(rows, source, target)`: nothing says how many rows it moves",
            shape.name
        ),
    })
}

/// The number of types, where every operand has one. Which operands in groups have a written type is not settled, so
/// that with groups only too many are a fault.
fn expect_types(
    file: &File,
    id: OperationId,
    shape: &Shape,
    fields: &[(Field, Given)],
    loops: &[GivenLoop],
    padded: bool,
    types: &[Place],
) -> Result<(), OperandFault> {
    if file.operation(id).broken || file.is_generic(id) {
        return Ok(());
    }
    let operands = fields.len() + 3 * loops.len() + usize::from(padded);
    let found = types.len();
    let right = if shape.grouped {
        found >= 2 && found <= operands
    } else {
        found == operands
    };
    if right {
        return Ok(());
    }
    let place = match (types.first(), types.last()) {
        (Some(first), Some(last)) => first.span_to(*last),
        _ => file.operation(id).name,
    };
    Err(OperandFault {
        place,
        message: format!("`{}` has {operands} operands and {found} types", shape.name),
    })
}

/// The type behind the word `pad`.
fn pad_type(file: &File, types: &[Place]) -> Option<Element> {
    let found = types.iter().map(|&place| file.text_at(place));
    let written = found.filter_map(|text| text.strip_prefix("pad")).next()?;
    Element::of(written.trim())
}
