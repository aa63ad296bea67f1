//! Edits of lists in a text: only what differs is replaced, so that line breaks and remarks between the parts stay.

use ra_ap_syntax::{SyntaxElement, SyntaxKind, SyntaxNode, TextRange, TextSize};

use crate::items::{ItemText, Span};

use super::super::Edit;

/// The place of a range of an item's tree.
pub(super) fn range_span(text: &ItemText, range: TextRange) -> Span {
    text.span_of(range)
}

/// The edits that make one list of another. `open` is the bracket before the first part.
pub(super) fn of_list(
    text: &ItemText,
    open: TextRange,
    before: &[SyntaxNode],
    after: &[String],
) -> Vec<Edit> {
    let mut edits = Vec::new();
    // What is added before all others leaves them alone.
    let added = after
        .len()
        .checked_sub(before.len())
        .filter(|added| *added > 0);
    if let (Some(added), Some(first)) = (added, before.first()) {
        let (new, old) = after.split_at(added);
        let same = old
            .iter()
            .zip(before)
            .all(|(text, node)| node.text() == text.as_str());
        if same {
            let at = TextRange::empty(first.text_range().start());
            let new = format!("{}, ", new.join(", "));
            return vec![Edit::new(range_span(text, at), new)];
        }
    }
    for (at, (node, wanted)) in before.iter().zip(after).enumerate() {
        let is_last = at + 1 == before.len() && added.is_some();
        let same = node.text() == wanted.as_str();
        if is_last && !same {
            // With what is behind it: two edits would meet.
            let rest = after.get(at..).unwrap_or_default().join(", ");
            edits.push(Edit::new(range_span(text, node.text_range()), rest));
            return edits;
        }
        if !same {
            edits.push(Edit::new(
                range_span(text, node.text_range()),
                wanted.as_str(),
            ));
        }
    }
    let kept = before.len().min(after.len());
    let end = |count: usize| match count.checked_sub(1).and_then(|last| before.get(last)) {
        Some(node) => node.text_range().end(),
        None => open.end(),
    };
    if let Some(last) = before.last().filter(|_| before.len() > kept) {
        // Without any part a comma goes, too.
        let until = match comma_behind(last).filter(|_| kept == 0) {
            Some(comma) => comma,
            None => last.text_range().end(),
        };
        edits.push(Edit::new(
            range_span(text, TextRange::new(end(kept), until)),
            "",
        ));
    }
    let more = after.get(kept..).unwrap_or_default();
    if !more.is_empty() {
        let more = more.join(", ");
        let more = if kept == 0 { more } else { format!(", {more}") };
        let at = TextRange::empty(end(before.len()));
        edits.push(Edit::new(range_span(text, at), more));
    }
    edits
}

/// The end of the comma behind a part of a list.
fn comma_behind(node: &SyntaxNode) -> Option<TextSize> {
    let behind = node
        .siblings_with_tokens(ra_ap_syntax::Direction::Next)
        .skip(1);
    let mut tokens = behind.filter_map(SyntaxElement::into_token);
    let next = tokens.find(|token| !token.kind().is_trivia())?;
    (next.kind() == SyntaxKind::COMMA).then(|| next.text_range().end())
}
