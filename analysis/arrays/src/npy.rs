//! Numpy's files: reading with what `ml_dtypes` writes, fitting to an element type, and writing.

use std::fmt;
use std::io::{self, Read, Write};

use npyz::{DType, Endianness, NpyHeader, Order, TypeChar};

use crate::bits::Bits;
use crate::casts::f32_to_bf16;
use crate::kind::ElementKind;
use crate::rules::Arithmetic;
use crate::values::Array;

/// Bytes of the longest header that is read. Numpy writes 118 for an array of a few dimensions.
const LONGEST_HEADER: usize = 1 << 16;

/// Brackets in a header, at most: its parser recurses at each.
const MOST_BRACKETS: usize = 64;

/// The reason that a file is no array that can be read.
#[derive(Debug)]
pub enum NpyError {
    /// It cannot be read.
    Io(io::Error),
    /// It does not begin as a numpy file does.
    NoNumpyFile,
    /// Its header is longer or more deeply nested than any that numpy writes.
    HugeHeader,
    /// Its header cannot be understood.
    BrokenHeader(String),
    /// Its elements are Python objects.
    Pickled,
    /// Its shape has more elements than the file or the limit of memory has bytes.
    TooLarge,
    /// The file ends before its last element.
    Short {
        /// Bytes that the header promises.
        expected: u64,
        /// Bytes that there are.
        found: u64,
    },
}

impl fmt::Display for NpyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(formatter, "it cannot be read: {error}"),
            Self::NoNumpyFile => formatter.write_str("it is not a numpy file"),
            Self::HugeHeader => formatter.write_str("its header is too long for a numpy file"),
            Self::BrokenHeader(why) => write!(formatter, "its header is broken: {why}"),
            Self::Pickled => formatter.write_str("it holds Python objects, which are not read"),
            Self::TooLarge => formatter.write_str("it holds more elements than memory may take"),
            Self::Short { expected, found } => write!(
                formatter,
                "it ends early: the header promises {expected} bytes, and {found} are there"
            ),
        }
    }
}

impl std::error::Error for NpyError {}

impl From<io::Error> for NpyError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The elements of a file in the type that the file names.
#[derive(Debug, Clone, PartialEq)]
pub enum FileValues {
    /// `float32`.
    F32(Vec<f32>),
    /// `int32`.
    I32(Vec<i32>),
    /// `int16`.
    I16(Vec<i16>),
    /// `int8`.
    I8(Vec<i8>),
    /// `uint16`, or two bytes without a type: bits of `bf16`.
    Words(Vec<u16>),
    /// `uint8`, or a byte without a type: codes of a small float, or packed 4-bit elements.
    Bytes(Vec<u8>),
    /// A byte of `ml_dtypes.float8_e5m2`, which alone keeps a type in a file.
    F8E5M2(Vec<u8>),
    /// A type that no parameter has, by numpy's name.
    Other(String),
}

impl FileValues {
    /// Numpy's name of the type.
    pub fn type_name(&self) -> &str {
        match self {
            Self::F32(_) => "float32",
            Self::I32(_) => "int32",
            Self::I16(_) => "int16",
            Self::I8(_) => "int8",
            Self::Words(_) => "uint16",
            Self::Bytes(_) => "uint8",
            Self::F8E5M2(_) => "float8_e5m2",
            Self::Other(name) => name,
        }
    }
}

/// An array as a file has it, in C order.
#[derive(Debug, Clone, PartialEq)]
pub struct FileArray {
    /// The size of each dimension, the outermost first.
    pub shape: Vec<usize>,
    /// The elements.
    pub values: FileValues,
}

/// An array of a file as elements of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The elements, in the order of the file.
    pub array: Array,
    /// Which of the shapes that were asked for the file has.
    pub shape: usize,
    /// Whether `float32` was rounded to `bf16`.
    pub was_rounded: bool,
}

/// The reason that an array of a file is not what a parameter takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misfit {
    /// Its type, and the types that are taken.
    Type {
        /// Numpy's name of the file's type.
        found: String,
        /// What is taken.
        taken: &'static str,
    },
    /// Its shape is none of those that are taken.
    Shape {
        /// The file's.
        found: Vec<usize>,
    },
    /// A number that the parameter's type does not hold.
    Range {
        /// The number.
        found: i64,
        /// The type.
        kind: ElementKind,
    },
}

/// The types of a file that a kind is made of, in words.
const fn taken_types(kind: ElementKind) -> &'static str {
    match kind {
        ElementKind::F32 => "float32",
        ElementKind::I32 => "int32",
        ElementKind::I16 | ElementKind::I9 => "int16",
        ElementKind::I8 | ElementKind::I5 => "int8",
        ElementKind::I4 => "int8, `ml_dtypes.int4`, or uint8 with two elements a byte",
        ElementKind::Bf16 => "`ml_dtypes.bfloat16`, uint16 bits, or float32",
        ElementKind::F8E4M3 => "`ml_dtypes.float8_e4m3fn` or uint8 codes",
        ElementKind::F8E5M2 => "`ml_dtypes.float8_e5m2` or uint8 codes",
        ElementKind::F4E2M1 => {
            "`ml_dtypes.float4_e2m1fn`, uint8 codes, or uint8 with two elements a byte"
        }
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type { found, taken } => {
                write!(formatter, "its elements are {found}, and {taken} is taken")
            }
            Self::Shape { found } => write!(formatter, "its shape is {}", shape_text(found)),
            Self::Range { found, kind } => {
                write!(formatter, "it holds {found}, which is no `{kind}`")
            }
        }
    }
}

/// A shape as numpy writes it.
pub fn shape_text(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => {
            let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
            format!("({})", sizes.join(", "))
        }
    }
}

/// The dimensions that have more than one place.
fn without_ones(shape: &[usize]) -> impl Iterator<Item = usize> + '_ {
    shape.iter().copied().filter(|size| *size != 1)
}

/// Which of some shapes one is; the first that is equal, or the only one that is equal without dimensions of size 1.
fn fitting_shape(found: &[usize], shapes: &[Vec<usize>]) -> Option<usize> {
    if let Some(exact) = shapes.iter().position(|shape| shape == found) {
        return Some(exact);
    }
    let mut fitting = (0..shapes.len()).filter(|number| {
        shapes
            .get(*number)
            .is_some_and(|shape| without_ones(shape).eq(without_ones(found)))
    });
    let first = fitting.next()?;
    // Two shapes that differ in dimensions of size 1 alone have the same elements in the same order.
    Some(first)
}

/// A shape whose innermost dimension holds half as many bytes as elements.
fn packed(shape: &[usize]) -> Option<Vec<usize>> {
    let (last, outer) = shape.split_last()?;
    (last % 2 == 0).then(|| outer.iter().copied().chain([last / 2]).collect())
}

/// Two elements a byte, the low nibble first.
fn unpacked(bytes: &[u8]) -> impl Iterator<Item = u8> + '_ {
    bytes.iter().flat_map(|byte| [byte & 15, byte >> 4])
}

const fn signed_nibble(nibble: u8) -> i8 {
    (nibble << 4).cast_signed() >> 4
}

impl FileArray {
    /// The array as elements of a kind, in one of some shapes.
    pub fn fitted(
        &self,
        kind: ElementKind,
        shapes: &[Vec<usize>],
        rules: Arithmetic,
    ) -> Result<Fitted, Misfit> {
        let found = &self.shape;
        if let (FileValues::Bytes(bytes), ElementKind::I4 | ElementKind::F4E2M1) =
            (&self.values, kind)
            && fitting_shape(found, shapes).is_none()
        {
            let halved: Vec<Vec<usize>> = shapes.iter().filter_map(|shape| packed(shape)).collect();
            if halved.len() == shapes.len()
                && let Some(shape) = fitting_shape(found, &halved)
            {
                let array = match kind {
                    ElementKind::I4 => Array::I4(unpacked(bytes).map(signed_nibble).collect()),
                    _ => Array::F4E2M1(unpacked(bytes).collect()),
                };
                return Ok(Fitted {
                    array,
                    shape,
                    was_rounded: false,
                });
            }
        }
        let was_rounded = matches!(
            (&self.values, kind),
            (FileValues::F32(_), ElementKind::Bf16)
        );
        let array = elements_of_kind(&self.values, kind, rules)?;
        let shape = fitting_shape(found, shapes).ok_or_else(|| Misfit::Shape {
            found: found.clone(),
        })?;
        Ok(Fitted {
            array,
            shape,
            was_rounded,
        })
    }
}

fn elements_of_kind(
    values: &FileValues,
    kind: ElementKind,
    rules: Arithmetic,
) -> Result<Array, Misfit> {
    let range = |found: i64| Misfit::Range { found, kind };
    match (values, kind) {
        (FileValues::F32(values), ElementKind::F32) => Ok(Array::F32(values.clone())),
        (FileValues::F32(values), ElementKind::Bf16) => Ok(Array::Bf16(
            values
                .iter()
                .map(|value| f32_to_bf16(*value, rules))
                .collect(),
        )),
        (FileValues::I32(values), ElementKind::I32) => Ok(Array::I32(values.clone())),
        (FileValues::I16(values), ElementKind::I16) => Ok(Array::I16(values.clone())),
        (FileValues::I8(values), ElementKind::I8) => Ok(Array::I8(values.clone())),
        (FileValues::I8(values), ElementKind::I4) => {
            match values.iter().find(|value| !(-8..=7).contains(*value)) {
                Some(value) => Err(range(i64::from(*value))),
                None => Ok(Array::I4(values.clone())),
            }
        }
        // A byte of `ml_dtypes.int4`: its upper half repeats the sign, or is zero.
        (FileValues::Bytes(values), ElementKind::I4) => {
            match values
                .iter()
                .find(|value| !matches!(**value, 0..=15 | 0xf8..))
            {
                Some(value) => Err(range(i64::from(value.cast_signed()))),
                None => Ok(Array::I4(
                    values
                        .iter()
                        .map(|value| signed_nibble(value & 15))
                        .collect(),
                )),
            }
        }
        (FileValues::Words(values), ElementKind::Bf16) => Ok(Array::Bf16(values.clone())),
        (FileValues::Bytes(values), ElementKind::F8E4M3) => Ok(Array::F8E4M3(values.clone())),
        (FileValues::Bytes(values) | FileValues::F8E5M2(values), ElementKind::F8E5M2) => {
            Ok(Array::F8E5M2(values.clone()))
        }
        (FileValues::Bytes(values), ElementKind::F4E2M1) => {
            match values.iter().find(|value| **value > 15) {
                Some(value) => Err(range(i64::from(*value))),
                None => Ok(Array::F4E2M1(values.clone())),
            }
        }
        (values, _) => Err(Misfit::Type {
            found: values.type_name().to_owned(),
            taken: taken_types(kind),
        }),
    }
}

/// The bytes before an array's elements, looked at before they are parsed.
///
/// The parser multiplies the numbers of a shape without looking, and recurses at brackets.
fn screened_header(reader: &mut impl Read) -> Result<Vec<u8>, NpyError> {
    let mut header = Vec::new();
    reader.by_ref().take(10).read_to_end(&mut header)?;
    let (&[major, _minor, low, high], true) = (
        header
            .get(6..10)
            .and_then(|bytes| bytes.first_chunk::<4>())
            .ok_or(NpyError::NoNumpyFile)?,
        header.starts_with(b"\x93NUMPY"),
    ) else {
        return Err(NpyError::NoNumpyFile);
    };
    let mut length = usize::from(u16::from_le_bytes([low, high]));
    if major >= 2 {
        let mut rest = [0; 2];
        reader.read_exact(&mut rest)?;
        header.extend(rest);
        length |= usize::from(u16::from_le_bytes(rest)) << 16;
    }
    if length > LONGEST_HEADER {
        return Err(NpyError::HugeHeader);
    }
    let start = header.len();
    reader
        .by_ref()
        .take(length as u64)
        .read_to_end(&mut header)?;
    let text = header.get(start..).unwrap_or_default();
    if text.len() < length {
        return Err(NpyError::BrokenHeader("it ends early".to_owned()));
    }
    let brackets = text.iter().filter(|byte| b"([{".contains(byte)).count();
    if brackets > MOST_BRACKETS {
        return Err(NpyError::HugeHeader);
    }
    let numbers = text.split(|byte| !byte.is_ascii_digit());
    let product = numbers
        .filter(|digits| !digits.is_empty())
        .try_fold(1u64, |product, digits| {
            let number: u64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
            product.checked_mul(number.max(1))
        });
    if product.is_none() {
        return Err(NpyError::TooLarge);
    }
    Ok(header)
}

/// Replaces the type of `ml_dtypes.float8_e5m2`, a float of one byte, by one that numpy itself has; whether it did.
fn replaces_small_float(header: &mut [u8]) -> bool {
    for name in [b"'<f1'", b"'|f1'", b"'=f1'"] {
        if let Some(place) = header.windows(5).position(|part| part == name) {
            header[place..place + 5].copy_from_slice(b"'|u1'");
            return true;
        }
    }
    false
}

/// Reads an array. `most_bytes` limits what its elements may take.
pub fn read_npy(mut reader: impl Read, most_bytes: u64) -> Result<FileArray, NpyError> {
    let mut header = screened_header(&mut reader)?;
    let is_small_float = replaces_small_float(&mut header);
    let header = NpyHeader::from_reader(header.as_slice())
        .map_err(|error| NpyError::BrokenHeader(error.to_string()))?;
    if header.uses_pickled_array() {
        return Err(NpyError::Pickled);
    }
    let shape: Option<Vec<usize>> = header
        .shape()
        .iter()
        .map(|size| usize::try_from(*size).ok())
        .collect();
    let shape = shape.ok_or(NpyError::TooLarge)?;
    let DType::Plain(kind) = header.dtype() else {
        return Ok(FileArray {
            shape,
            values: FileValues::Other("a record".to_owned()),
        });
    };
    let width = kind.num_bytes().ok_or(NpyError::Pickled)?;
    let expected = header
        .len()
        .checked_mul(width as u64)
        .filter(|bytes| *bytes <= most_bytes)
        .ok_or(NpyError::TooLarge)?;
    let mut bytes = Vec::new();
    reader.take(expected).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != expected {
        return Err(NpyError::Short {
            expected,
            found: bytes.len() as u64,
        });
    }
    if header.order() == Order::Fortran && shape.len() > 1 {
        bytes = in_c_order(&bytes, &shape, width);
    }
    let big = kind.endianness() == Endianness::Big;
    let values = match (kind.type_char(), width) {
        (TypeChar::Float, 4) => FileValues::F32(floats(&bytes, big)),
        (TypeChar::Int, 4) => FileValues::I32(numbers(&bytes, big, i32::from_le_bytes)),
        (TypeChar::Int, 2) => FileValues::I16(numbers(&bytes, big, i16::from_le_bytes)),
        (TypeChar::Int, 1) => FileValues::I8(numbers(&bytes, big, i8::from_le_bytes)),
        (TypeChar::Uint | TypeChar::RawData, 2) => {
            FileValues::Words(numbers(&bytes, big, u16::from_le_bytes))
        }
        (TypeChar::Uint, 1) if is_small_float => FileValues::F8E5M2(bytes),
        (TypeChar::Uint | TypeChar::RawData, 1) => FileValues::Bytes(bytes),
        (other, _) => FileValues::Other(name_of_type(other, width)),
    };
    Ok(FileArray { shape, values })
}

/// Numpy's name of a type that no parameter has.
fn name_of_type(kind: TypeChar, width: usize) -> String {
    let bits = width * 8;
    match kind {
        TypeChar::Bool => "bool".to_owned(),
        TypeChar::Int => format!("int{bits}"),
        TypeChar::Uint => format!("uint{bits}"),
        TypeChar::Float => format!("float{bits}"),
        TypeChar::Complex => format!("complex{bits}"),
        TypeChar::ByteStr | TypeChar::UnicodeStr => "text".to_owned(),
        _ => format!("of {width} bytes without a type"),
    }
}

fn floats(bytes: &[u8], big: bool) -> Vec<f32> {
    numbers(bytes, big, f32::from_le_bytes)
}

fn numbers<T, const WIDTH: usize>(
    bytes: &[u8],
    big: bool,
    number: impl Fn([u8; WIDTH]) -> T,
) -> Vec<T> {
    let (parts, _) = bytes.as_chunks::<WIDTH>();
    parts
        .iter()
        .map(|part| {
            let mut part = *part;
            if big {
                part.reverse();
            }
            number(part)
        })
        .collect()
}

/// Elements whose first dimension is the innermost, with the last one innermost.
fn in_c_order(bytes: &[u8], shape: &[usize], width: usize) -> Vec<u8> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = width;
    for size in shape {
        strides.push(stride);
        stride = stride.saturating_mul(*size);
    }
    let mut ordered = Vec::with_capacity(bytes.len());
    let mut place = vec![0usize; shape.len()];
    let mut at = 0usize;
    while ordered.len() < bytes.len() {
        ordered.extend_from_slice(bytes.get(at..at + width).unwrap_or_default());
        for ((place, size), stride) in place.iter_mut().zip(shape).zip(&strides).rev() {
            *place += 1;
            at += stride;
            if *place < *size {
                break;
            }
            at -= stride * size;
            *place = 0;
        }
    }
    ordered
}

fn written<T: npyz::AutoSerialize + Copy>(
    writer: impl Write,
    shape: &[usize],
    elements: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    use npyz::WriterBuilder;
    let sizes: Vec<u64> = shape.iter().map(|size| *size as u64).collect();
    let mut file = npyz::WriteOptions::new()
        .default_dtype()
        .shape(&sizes)
        .writer(writer)
        .begin_nd()?;
    file.extend(elements)?;
    file.finish()
}

/// Writes an array: 4-bit elements a byte each, `bf16` as its bits, small floats as their codes.
pub fn written_npy(writer: impl Write, shape: &[usize], array: &Array) -> io::Result<()> {
    crate::with_elements!(array, elements => written(writer, shape, elements.iter().copied()))
}

/// Writes bits as an array of booleans.
pub fn written_bits(writer: impl Write, shape: &[usize], bits: &Bits) -> io::Result<()> {
    let elements = (0..bits.len()).map(|place| bits.is_set(place));
    written(writer, shape, elements)
}
