//! What is shown at a call, at a tensor's name, and at a mode.
//!
//! Knows Markdown; derives nothing.

use std::fmt::Write as _;

use crate::Analysed;
use crate::cost::{amount, least_time};
use crate::names::Mode;
use crate::rules::legal_modes;
use crate::rules::machine::{
    FULL_PAYLOAD, GENERATION_NS, GOOD_PAYLOAD, PSUM_PARTITION, SMALL_PAYLOAD, bandwidth,
    sbuf_partition,
};
use crate::transfers::{End, Kind, Transfer};
use crate::types::{Generations, Shape, Space, Span, Tensor, shape_text};
use visa_base::markdown::{code_span, prose};
use visa_base::numbers::thousands;
use visa_findings::answers::Hover;
use visa_findings::front_end::Amount;

/// What to show at an offset: the smallest thing there.
pub fn hover_at(analysed: &Analysed, offset: u32) -> Option<Hover> {
    let transfers = &analysed.followed.transfers;
    let at_mode = transfers.iter().find_map(|transfer| {
        let (mode, written) = transfer.mode.known_value()?;
        written
            .value
            .touches_byte(offset)
            .then_some((mode, written.value, transfer))
    });
    if let Some((mode, span, transfer)) = at_mode {
        return Some(hover_over(span, mode_text(mode, transfer)));
    }
    let mut named = analysed.followed.named.iter();
    if let Some(named) = named.find(|named| named.span.touches_byte(offset)) {
        let around = transfers
            .iter()
            .find(|transfer| transfer.span.touches_byte(offset));
        let generations = around.map_or(Generations::ANY, |transfer| transfer.generations);
        let name = named.span.text_in(&analysed.text);
        return Some(hover_over(
            named.span,
            tensor_text(name, &named.tensor, generations),
        ));
    }
    let transfer = transfers
        .iter()
        .find(|transfer| transfer.callee.touches_byte(offset))?;
    Some(hover_over(
        transfer.callee,
        transfer_text(analysed, transfer),
    ))
}

fn hover_over(span: Span, markdown: String) -> Hover {
    Hover {
        range: span.into(),
        markdown,
    }
}

fn amount_text(amount: &Amount) -> String {
    match amount {
        Amount::Known(number) => thousands(*number),
        Amount::Symbolic(text) => prose(text),
        Amount::Unknown => "unknown".to_owned(),
    }
}

fn mode_text(mode: Mode, transfer: &Transfer) -> String {
    let row = match mode {
        Mode::Unknown => "any core; the compiler weighs target, shapes and the instructions around",
        Mode::Static => {
            "any core; addresses known before the run; no gather; one descriptor per instance stays in HBM"
        }
        Mode::Software => {
            "any core, indirect transposes from generation 3; uses time of the GpSimd Engine; gathers and scatters"
        }
        Mode::Hardware => "generation 3 and later; about 600 ns per instruction; no gather",
    };
    let mut text = format!("`dge_mode.{}`: {}\n\n{row}\n", mode.name(), mode.maker());
    let refusal = legal_modes(transfer)
        .into_iter()
        .find(|(known, _)| *known == mode);
    if let Some((_, Some(reason))) = refusal {
        let _ = write!(text, "\nNot legal here: {}.\n", prose(&reason));
    }
    text
}

fn tensor_text(name: &str, tensor: &Tensor, generations: Generations) -> String {
    let mut text = format!("{}: {}\n", code_span(name), prose(&tensor.describe()));
    if let Some(bytes) = tensor.bytes() {
        let _ = write!(text, "\n{} bytes", amount_text(&amount(Some(&bytes))));
    }
    let limit = match tensor.space {
        Some(Space::Sbuf) => Some(sbuf_partition(generations)),
        Some(Space::Psum) => Some(PSUM_PARTITION),
        _ => None,
    };
    if let Some((limit, bytes)) = limit.zip(tensor.partition_bytes()) {
        let _ = write!(text, "\n\n{bytes} of {limit} bytes per partition");
    }
    if let Shape::Unknown(reason) = &tensor.shape {
        let _ = write!(text, "\n\nshape unknown: {}", prose(reason.text()));
    }
    if tensor.gather.is_some() {
        text.push_str("\n\nrows chosen at run time");
    }
    if tensor.is_dynamic {
        text.push_str("\n\naddress computed at run time");
    }
    text
}

fn end_row(text: &mut String, what: &str, end: &End) {
    let tensor = &end.tensor;
    let unknown = || "unknown".to_owned();
    let line = tensor
        .line_bytes()
        .map_or_else(unknown, |bytes| bytes.to_string());
    let dtype = tensor
        .dtype
        .as_ref()
        .map_or_else(unknown, ToString::to_string);
    let space = tensor.space.map_or("unknown", Space::name);
    let bytes = amount_text(&amount(tensor.bytes().as_ref()));
    let _ = writeln!(
        text,
        "| {what} | {space} | {} | {dtype} | {bytes} | {line} |",
        prose(&tensor.shape.to_string())
    );
}

fn transfer_text(analysed: &Analysed, transfer: &Transfer) -> String {
    let mut text = format!("{}\n\n", code_span(transfer.callee.text_in(&analysed.text)));
    text.push_str("| | memory | shape | type | bytes | contiguous bytes |\n| --- | --- | --- | --- | --- | --- |\n");
    end_row(&mut text, "from", &transfer.source);
    end_row(&mut text, "to", &transfer.destination);
    if let Some((bytes, space)) = transfer.payload() {
        let verdict = match bytes {
            bytes if bytes < SMALL_PAYLOAD => {
                format!("below {SMALL_PAYLOAD}, the overhead outweighs the bytes")
            }
            bytes if bytes < GOOD_PAYLOAD => format!("below the recommended {GOOD_PAYLOAD}"),
            bytes if bytes < FULL_PAYLOAD => format!("the bandwidth is reached at {FULL_PAYLOAD}"),
            _ => "enough for the bandwidth".to_owned(),
        };
        let _ = write!(
            text,
            "\n{bytes} contiguous bytes, limited by {}: {verdict}.\n",
            space.name()
        );
    }
    let times = transfer.times(&analysed.followed.loops);
    let _ = write!(
        text,
        "\nInstructions: {}.\n",
        amount_text(&amount(times.as_ref()))
    );
    if transfer.kind == Kind::Transpose {
        transpose_text(&mut text, transfer);
    }
    modes_text(&mut text, transfer);
    if let Some(time) = least_time(transfer) {
        let rate = bandwidth(transfer.generations);
        let time = thousands(time);
        let _ = write!(
            text,
            "\nAt least {time} ns: the start, and the bytes at {rate} bytes/ns per engine, 16 engines per core.\n"
        );
    }
    if let Some(reason) = transfer.unresolved() {
        let _ = write!(text, "\nNot fully known: {}.\n", prose(reason.text()));
    }
    text
}

fn transpose_text(text: &mut String, transfer: &Transfer) {
    if let Some(axes) = transfer.permutation() {
        let axes: Vec<String> = axes.iter().map(i64::to_string).collect();
        let _ = write!(text, "\nPermutation ({})", axes.join(", "));
        if let Some(shape) = transfer.permuted() {
            let _ = write!(text, ", result {}", shape_text(&shape));
        }
        text.push_str(".\n");
    }
    if transfer.is_indirect() {
        text.push_str(
            "\nBy gathering: rows of up to 128 elements of 2 bytes, in groups of 16, on generation 3 and later.\n",
        );
    } else if matches!(transfer.mode.known_value(), Some((Mode::Hardware, _))) {
        text.push_str("\nBy the hardware block: 16 rows at a time, elements of 2 bytes, columns in groups of 128.\n");
    }
}

fn modes_text(text: &mut String, transfer: &Transfer) {
    let stated = transfer
        .mode
        .known_value()
        .map_or(Mode::Unknown, |(mode, _)| mode);
    let _ = write!(text, "\nMode `{}`: {}", stated.name(), stated.maker());
    text.push_str(&match stated {
        Mode::Hardware => format!(", about {GENERATION_NS} ns per instruction.\n"),
        Mode::Software => ", in time of the GpSimd Engine.\n".to_owned(),
        Mode::Static => ", one per instance.\n".to_owned(),
        Mode::Unknown => ".\n".to_owned(),
    });
    for (mode, refusal) in legal_modes(transfer) {
        if mode != stated {
            let verdict = refusal.map_or_else(
                || "legal here".to_owned(),
                |reason| format!("not here: {}", prose(&reason)),
            );
            let _ = write!(text, "\n- `{}`: {verdict}", mode.name());
        }
    }
    text.push('\n');
}
