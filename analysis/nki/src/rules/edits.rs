//! Texts that fixes write: another member of an enumeration, an argument more or less.
//!
//! Knows how a call is written, nothing of what is legal.

use crate::names::Mode;
use crate::transfers::{Transfer, Written};
use crate::types::Span;
use visa_findings::{Applicability, Edit, Fix, TextSpan};

/// A fix of several edits.
pub fn fix_of_edits(
    applicability: Applicability,
    title: impl Into<String>,
    edits: Vec<Edit<TextSpan>>,
) -> Fix<TextSpan> {
    Fix {
        title: title.into(),
        applicability,
        edits,
        cost: None,
    }
}

/// An edit.
pub fn replace_edit(span: Span, with: impl Into<String>) -> Edit<TextSpan> {
    Edit::new(span.into(), with.into())
}

/// A member of an enumeration as the call would write it: `nisa.dge_mode.swdge`. `None` where the text does not say how the
/// enumeration is called here.
pub fn member_as_written(
    transfer: &Transfer,
    text: &str,
    enumeration: &str,
    member: &str,
) -> Option<String> {
    let written = transfer.keyword(enumeration).or_else(|| {
        transfer
            .keyword("dge_mode")
            .filter(|_| enumeration == "dge_mode")
    });
    let stated = written.map(|written| written.value.text_in(text));
    if let Some((prefix, _)) = stated.and_then(|stated| stated.rsplit_once('.'))
        && prefix.ends_with(enumeration)
    {
        return Some(format!("{prefix}.{member}"));
    }
    let module = transfer.module.as_ref()?;
    Some(format!("{module}{enumeration}.{member}"))
}

/// The edit that states a mode: another value, or an argument more behind the last one.
pub fn with_mode(transfer: &Transfer, text: &str, mode: Mode) -> Option<Edit<TextSpan>> {
    let written = member_as_written(transfer, text, "dge_mode", mode.name())?;
    match transfer.mode.written_place() {
        Some(stated) => Some(replace_edit(stated.value, written)),
        None => {
            let (_, last) = transfer.keywords.last()?;
            let at = Span {
                start: last.whole.end,
                end: last.whole.end,
            };
            Some(replace_edit(at, format!(", dge_mode={written}")))
        }
    }
}

/// The edit that leaves out an argument, with the comma before it, or the one behind it where it is the first.
pub fn removing_edit(written: Written, text: &str) -> Edit<TextSpan> {
    let Span { start, end } = written.whole;
    let before = text.get(..start as usize).unwrap_or_default().trim_end();
    if before.ends_with(',') {
        let start = u32::try_from(before.len() - 1).unwrap_or(start);
        return replace_edit(Span { start, end }, "");
    }
    let behind = text.get(end as usize..).unwrap_or_default();
    let rest = behind.trim_start();
    let end = match rest.strip_prefix(',') {
        Some(rest) => {
            let gap = rest.len() - rest.trim_start_matches(' ').len();
            let length = behind.len() - rest.len() + gap;
            end + u32::try_from(length).unwrap_or(0)
        }
        None => end,
    };
    replace_edit(Span { start, end }, "")
}

/// `a, b and c`.
pub fn words_list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
