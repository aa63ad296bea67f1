//! Proposals at a cursor: operations, pipes and events, values by the field that they would be.

use super::super::analysis::Analysis;
use super::super::program::{EVENTS, PIPES};
use super::super::syntax::{Cursor, OperationId, Place};
use super::super::transfers::{fields_of, kind_of};
use super::super::values::Known;
use super::{byte_range, operation_at};
use visa_findings::answers::{Completion, CompletionKind};

/// The operations that rules here know, with a few words each.
const OPERATIONS: [(&str, &str); 20] = [
    (
        "pto.copy_gm_to_ubuf",
        "copy from GM to UB, loops by registers",
    ),
    (
        "pto.copy_ubuf_to_gm",
        "copy from UB to GM, loops by registers",
    ),
    ("pto.copy_ubuf_to_ubuf", "copy within UB"),
    ("pto.mte_gm_ub", "copy from GM to UB, loops in groups"),
    ("pto.mte_ub_gm", "copy from UB to GM, loops in groups"),
    ("pto.mte_ub_ub", "copy within UB"),
    (
        "pto.set_loop_size_outtoub",
        "counts of loop1 and loop2, GM to UB",
    ),
    ("pto.set_loop1_stride_outtoub", "steps of loop1, GM to UB"),
    ("pto.set_loop2_stride_outtoub", "steps of loop2, GM to UB"),
    (
        "pto.set_loop_size_ubtoout",
        "counts of loop1 and loop2, UB to GM",
    ),
    ("pto.set_loop1_stride_ubtoout", "steps of loop1, UB to GM"),
    ("pto.set_loop2_stride_ubtoout", "steps of loop2, UB to GM"),
    ("pto.set_mov_pad_val", "the padding value"),
    ("pto.set_flag", "sets a flag for another pipe"),
    ("pto.wait_flag", "waits for the flag of another pipe"),
    ("pto.barrier", "waits until a pipe, or all pipes, are idle"),
    (
        "pto.castptr",
        "an address as a pointer, or a pointer as another type",
    ),
    ("pto.addptr", "a pointer plus a number of elements"),
    ("pto.vlds", "loads a vector from UB"),
    ("pto.vsts", "stores a vector to UB"),
];

const fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

/// The proposals at an offset, the best first.
pub(in super::super) fn completions_at(analysis: &Analysis, offset: u32) -> Vec<Completion> {
    let bytes = analysis.file.text.as_bytes();
    let Some(before) = bytes.get(..offset as usize) else {
        return Vec::new();
    };
    let line = before
        .rsplit(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default();
    if line.windows(2).any(|two| two == b"//") {
        return Vec::new();
    }
    let word = before
        .iter()
        .rev()
        .take_while(|&&byte| is_in_word(byte))
        .count();
    let is_value = before
        .len()
        .checked_sub(word + 1)
        .and_then(|at| before.get(at))
        == Some(&b'%');
    let length = u32::try_from(word + usize::from(is_value)).unwrap_or(0);
    let replace = Place {
        start: offset.saturating_sub(length),
        end: offset,
    };
    let typed = analysis.file.text_at(replace);
    let rest = line
        .get(..line.len().saturating_sub(length as usize))
        .unwrap_or_default();
    let begins = rest.iter().all(u8::is_ascii_whitespace) || rest.trim_ascii_end().ends_with(b"=");
    let operation = operation_at(analysis, replace.start.saturating_sub(1));
    if is_value {
        return value_completions(analysis, operation, replace, typed);
    }
    if typed.starts_with("pto.") || (begins && "pto.".starts_with(typed)) {
        return operation_completions(replace, typed);
    }
    let Some(id) = operation else {
        return Vec::new();
    };
    match analysis.file.name(id) {
        "pto.set_flag" | "pto.wait_flag" | "pto.barrier" | "pto.pipe_barrier" => {
            flag_completions(analysis, id, replace, typed)
        }
        name if kind_of(name).is_some() && typed.is_empty() => {
            value_completions(analysis, operation, replace, "")
        }
        _ => Vec::new(),
    }
}

fn new_completion(
    label: &str,
    detail: Option<String>,
    kind: CompletionKind,
    replace: Place,
    rank: usize,
) -> Completion {
    Completion {
        label: label.to_owned(),
        kind,
        detail,
        documentation: None,
        replace: byte_range(replace),
        insert: label.to_owned(),
        snippet: false,
        rank: u32::try_from(rank).unwrap_or(u32::MAX),
    }
}

fn operation_completions(replace: Place, typed: &str) -> Vec<Completion> {
    let found = OPERATIONS
        .iter()
        .filter(|(name, _)| name.starts_with(typed));
    found
        .enumerate()
        .map(|(rank, (name, words))| {
            let detail = Some((*words).to_owned());
            new_completion(name, detail, CompletionKind::Method, replace, rank)
        })
        .collect()
}

fn flag_completions(
    analysis: &Analysis,
    id: OperationId,
    replace: Place,
    typed: &str,
) -> Vec<Completion> {
    // The event comes after two commas.
    let from = analysis.file.operation(id).name.end;
    let between = analysis.file.text_at(Place {
        start: from,
        end: replace.start,
    });
    let names: Vec<String> = if between.matches(',').count() >= 2 {
        (0..EVENTS)
            .map(|number| format!("EVENT_ID{number}"))
            .collect()
    } else {
        PIPES.iter().take(11).map(|&pipe| pipe.to_owned()).collect()
    };
    let found = names.iter().filter(|name| name.starts_with(typed));
    found
        .enumerate()
        .map(|(rank, name)| new_completion(name, None, CompletionKind::Variant, replace, rank))
        .collect()
}

fn value_completions(
    analysis: &Analysis,
    operation: Option<OperationId>,
    replace: Place,
    typed: &str,
) -> Vec<Completion> {
    let file = &analysis.file;
    let field = operation.and_then(|id| field_at(analysis, id, replace.start));
    let Some(region) = operation.map(|id| file.operation(id).region) else {
        return Vec::new();
    };
    let seen =
        analysis.names.definitions.iter().filter(|known| {
            known.place.end <= replace.start && file.is_within(region, known.region)
        });
    let found = seen.filter(|known| file.text_at(known.place).starts_with(typed));
    found
        .enumerate()
        .map(|(rank, known)| {
            let number = analysis
                .program
                .values
                .get(known.value)
                .and_then(Known::number);
            let number = number.map(|number| format!("= {number}"));
            let detail = match (&field, number) {
                (Some(field), Some(number)) => Some(format!("{field} {number}")),
                (Some(field), None) => Some(field.clone()),
                (None, number) => number,
            };
            new_completion(
                file.text_at(known.place),
                detail,
                CompletionKind::Value,
                replace,
                rank,
            )
        })
        .collect()
}

/// The field of a copy that an operand at an offset would be.
fn field_at(analysis: &Analysis, id: OperationId, offset: u32) -> Option<String> {
    let name = analysis.file.name(id);
    let kind = kind_of(name)?;
    let mut cursor = Cursor::new(&analysis.file, id);
    let mut commas = 0;
    while cursor.peek().place.start < offset
        && cursor.peek().kind != super::super::syntax::Kind::End
    {
        let token = cursor.next();
        if token.is_mark(b':') || token.is_mark(b'(') {
            return None;
        }
        commas += usize::from(token.is_mark(b','));
    }
    let field = fields_of(name).get(commas)?;
    Some(field.name(kind))
}
