//! Transposes: element types, the shapes that the hardware block takes, and modes.

use super::edits::{fix_of_edits, removing_edit, with_mode};
use super::releases::{Since, refused_before, refused_since};
use super::{Context, Found};
use crate::names::{Api, Mode};
use crate::symbols::Size;
use crate::transfers::{Kind, Transfer};
use crate::types::shape_text;
use visa_findings::{Alternative, Applicability, Finding, Rule, rule};

/// See the declaration.
pub static TRANSPOSE_DTYPE: Rule = rule!(
    Nki: "nki_transpose_dtype", Hardware, "hwdge — hardware DGE",
    "a transpose of elements that are not 2 bytes, or into another type",
    "The hardware block and the gathering transpose move elements of 2 bytes. No transpose converts: source and destination have one \
     type. View wider elements as pairs of 2 bytes, or transpose on the Tensor Engine.",
    alt
);

/// See the declaration.
pub static TRANSPOSE_SHAPE: Rule = rule!(
    Nki: "nki_transpose_shape", Hardware, "hwdge — hardware DGE",
    "a shape that hardware descriptors do not transpose in any release",
    "The block transposes 16 rows at a time, and columns in groups of 128. With three or four axes the first has 1, \
     2, 4, 8 or 16 rows, which times the second-last axis make a multiple of 16.",
    alt
);

/// See the declaration.
pub static TRANSPOSE_SHAPE_VERSION: Rule = rule!(
    Nki: "nki_transpose_shape_version", Toolchain, "hwdge — hardware DGE",
    "a shape that hardware descriptors transpose in some releases only",
    "Fewer than 16 rows and fewer than 128 columns are taken since release 0.6. More than 128 columns are described, but not listed \
     since release 0.3. \
     Where the release is not known, a shape that all of them take is safer."
);

/// See the declaration.
pub static TRANSPOSE_MODE: Rule = rule!(
    Nki: "nki_transpose_mode", Hardware, "swdge — software DGE",
    "a direct transpose with descriptors of the GpSimd Engine",
    "The GpSimd Engine transposes what it gathers. Without indices a transpose takes `unknown` or `hwdge`. \
     Name one of these, or give the source an access pattern with indices, which is what this mode is for.",
    fix
);

/// See the declaration.
pub static TRANSPOSE_MODE_VERSION: Rule = rule!(
    Nki: "nki_transpose_mode_version", Toolchain, "none — pre-computed descriptors in HBM",
    "a direct transpose with descriptors made before the run",
    "The current releases list `unknown` and `hwdge` for a transpose. Use `unknown` where the mode does not matter. \
     An earlier description allows `none` as well, so that kernels written by it still state it."
);

/// See the declaration.
pub static FOUR_AXES: Rule = rule!(
    Nki: "nki_transpose_four_axes", Hardware, "derived",
    "a transpose by DMA of other than 4 axes in release 0.2",
    "Release 0.2 takes a source of 4 axes and none with fewer, though its description names 2 and 3. Axes of one position make up the \
     rest: (rows, 1, 1, columns), whose first and last axis are swapped. Later releases take 2, 3 and 4 axes.",
    alt
);

/// Looks at a transfer.
pub fn check_transpose(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    if transfer.kind != Kind::Transpose {
        return;
    }
    element_types(transfer, found);
    four_axes(transfer, context, found);
    let mode = transfer.mode.known_value();
    if let Some((Mode::Hardware, _)) = mode
        && !transfer.may_be_indirect()
    {
        check_hardware(transfer, context, found);
    }
    if !transfer.is_direct() {
        return;
    }
    if let Some((Mode::Software, at)) = mode {
        let mut finding = Finding::new(
            &TRANSPOSE_MODE,
            at.value.into(),
            "a transpose without indices with `swdge`: the GpSimd Engine transposes only what it gathers",
        );
        let edit = with_mode(transfer, context.text, Mode::Unknown);
        finding.fixes.extend(edit.map(|edit| {
            fix_of_edits(
                Applicability::Machine,
                "Let the compiler choose the mode",
                vec![edit],
            )
        }));
        found.push(finding);
    }
    if let Some((Mode::Static, at)) = mode
        && transfer.api == Api::Current
        && context.release.is_none_or(|release| release >= (0, 2))
    {
        found.push(
            Finding::new(
                &TRANSPOSE_MODE_VERSION,
                at.value.into(),
                "a transpose with `none`: releases 0.2 and later allow `unknown` and `hwdge` only",
            )
            .help("write `unknown`"),
        );
    }
}

fn four_axes(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    let is_early = context.release.is_some_and(|release| release < (0, 3));
    let (Some(extents), Some(at)) = (
        transfer.source.tensor.shape.known_extents(),
        transfer.source.written,
    ) else {
        return;
    };
    let rank = extents.len();
    if !is_early || transfer.api != Api::Current || rank == 4 {
        return;
    }
    let mut finding = Finding::new(
        &FOUR_AXES,
        at.value.into(),
        format!("a transpose of {rank} axes; release 0.2 takes 4 axes and no others"),
    );
    if let [first, middle @ .., last] = extents
        && rank < 4
    {
        let mut axes = vec![first.clone()];
        axes.extend(middle.iter().cloned());
        axes.resize(3, Size::number(1));
        axes.push(last.clone());
        finding = finding.help(format!(
            "reshape the source to {}, and the destination likewise",
            shape_text(&axes)
        ));
    }
    found.push(finding);
}

fn element_types(transfer: &Transfer, found: &mut Vec<Found>) {
    let (source, destination) = (&transfer.source, &transfer.destination);
    let Some(at) = source.written else { return };
    let by_block = matches!(transfer.mode.known_value(), Some((Mode::Hardware, _)));
    if let Some(dtype) = &source.tensor.dtype
        && let Some(bytes) = dtype.bytes()
        && bytes != 2
        && (by_block || source.tensor.gather.is_some())
    {
        let how = if by_block {
            "hardware descriptors transpose"
        } else {
            "an indirect transpose moves"
        };
        let help = if bytes > 2 {
            format!(
                "transpose a `.view` of 2-byte elements, {} to each, and join them again",
                bytes / 2
            )
        } else {
            "transpose a `.view` of 2-byte elements, each of them 2 of these".to_owned()
        };
        found.push(
            Finding::new(
                &TRANSPOSE_DTYPE,
                at.value.into(),
                format!("elements of {bytes} bytes ({dtype}): {how} elements of 2 bytes"),
            )
            .help(help),
        );
    } else if let (Some(from), Some(to)) = (&source.tensor.dtype, &destination.tensor.dtype)
        && from.is_same(to) == Some(false)
    {
        found.push(
            Finding::new(
                &TRANSPOSE_DTYPE,
                at.value.into(),
                format!("a transpose from {from} to {to}: it does not convert"),
            )
            .help(format!(
                "make the destination {from} and convert afterwards"
            )),
        );
    }
}

/// What hardware descriptors do not transpose, in words; `None` where nothing is known against it.
pub fn hardware_refusal(transfer: &Transfer) -> Option<String> {
    let bytes = transfer
        .source
        .tensor
        .dtype
        .as_ref()
        .and_then(crate::types::Dtype::bytes);
    if let Some(bytes) = bytes.filter(|bytes| *bytes != 2) {
        return Some(format!("it moves elements of 2 bytes, not {bytes}"));
    }
    refused_shape(transfer.source.tensor.shape.known_extents()?)
}

/// What of a shape no release takes.
fn refused_shape(extents: &[Size]) -> Option<String> {
    let (rows, columns) = (extents.first()?, extents.last()?);
    match extents.len() {
        2 => {
            if rows.is_equal(&Size::number(16)) == Some(false) {
                return Some(format!(
                    "{rows} rows; hardware descriptors transpose 16 at a time"
                ));
            }
        }
        3 | 4 => {
            if let Some(number) = rows.value() {
                if ![1, 2, 4, 8, 16].contains(&number) {
                    return Some(format!(
                        "{number} rows in the first axis, which takes 1, 2, 4, 8 or 16"
                    ));
                }
                let inner = extents.get(extents.len() - 2)?;
                let product = rows.times(inner)?;
                if product.is_multiple_of(16) == Some(false) {
                    return Some(format!(
                        "{rows} x {inner} = {product} rows are not a multiple of 16"
                    ));
                }
            } else if rows.exceeds(16) == Some(true) {
                return Some(format!("{rows} rows in the first axis, more than 16"));
            }
        }
        _ => return None,
    }
    (columns.exceeds(128) == Some(true) && columns.is_multiple_of(128) == Some(false))
        .then(|| format!("{columns} columns, more than 128 and not a multiple of 128"))
}

fn check_hardware(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    let Some(at) = transfer.source.written else {
        return;
    };
    let Some(extents) = transfer.source.tensor.shape.known_extents() else {
        return;
    };
    let shape = shape_text(extents);
    if let Some(problem) = refused_shape(extents) {
        let unknown = with_mode(transfer, context.text, Mode::Unknown).map(|edit| {
            let mut edits = vec![edit];
            let text = format!("`{}`", edits.first().map_or("", |edit| edit.text.as_str()));
            edits.extend(
                transfer
                    .engine
                    .written_place()
                    .map(|engine| removing_edit(engine, context.text)),
            );
            Alternative { text, edits }
        });
        let mut finding = Finding::new(
            &TRANSPOSE_SHAPE,
            at.value.into(),
            format!("a transpose of {shape}: {problem}"),
        );
        if let Some(split) = split_help(transfer, extents) {
            finding = finding.note(split);
        }
        found.push(
            finding
                .help("let the compiler choose the mode")
                .alternatives("write ", unknown),
        );
        return;
    }
    let (Some(rows), Some(columns)) = (extents.first(), extents.last()) else {
        return;
    };
    let number = columns.value();
    let (problem, words) = if let Some(rows) = rows.value().filter(|rows| *rows < 16) {
        (
            format!("{rows} rows"),
            refused_before(Since(0, 6), context.release),
        )
    } else if let Some(columns) = number.filter(|columns| *columns < 128) {
        (
            format!("{columns} columns"),
            refused_before(Since(0, 6), context.release),
        )
    } else if columns.exceeds(128) == Some(true) && transfer.api != Api::Older {
        (
            format!("{columns} columns"),
            refused_since(Since(0, 3), context.release),
        )
    } else {
        return;
    };
    if let Some(words) = words {
        found.push(Finding::new(
            &TRANSPOSE_SHAPE_VERSION,
            at.value.into(),
            format!("a transpose of {shape} by hardware descriptors: {problem}, which {words}"),
        ));
    }
}

/// How to transpose in pieces of 16 rows.
fn split_help(transfer: &Transfer, extents: &[Size]) -> Option<String> {
    let rows = extents.first()?.value()?;
    if extents.len() != 2 || rows % 16 != 0 || rows == 0 {
        return None;
    }
    let name = transfer.source.tensor.name.as_deref().unwrap_or("source");
    match rows / 16 {
        2 => Some(format!(
            "two transposes can do it: of {name}[0:16] and {name}[16:32]"
        )),
        count => Some(format!(
            "{count} transposes of 16 rows each can do it, in a loop"
        )),
    }
}
