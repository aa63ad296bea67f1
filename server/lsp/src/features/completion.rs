//! Proposals at the cursor.

use tower_lsp::ls_types::{
    CompletionItem, CompletionItemKind, CompletionItemLabelDetails, CompletionParams,
    CompletionResponse, CompletionTextEdit, InsertReplaceEdit, InsertTextFormat, TextEdit,
};
use visa_analysis::EditorQuestions as _;
use visa_analysis::{ByteRange, Completion, CompletionKind};

use super::markup::Format;
use super::places::resolve_position;
use crate::positions::FileText;
use crate::project::engine::Answer;
use crate::state::Snapshot;

/// `textDocument/completion`
pub(crate) fn completion(
    snapshot: &Snapshot,
    params: &CompletionParams,
) -> Answer<Option<CompletionResponse>> {
    let (path, file, offset) = resolve_position(snapshot, &params.text_document_position)?;
    let proposals = snapshot.analysis.completions(&path, offset)?;
    // A whole declaration without places to fill in would be in the way.
    let snippets = snapshot.view.client.snippets;
    let methods = snapshot.view.settings.client.methods;
    let items = proposals
        .into_iter()
        .filter(|proposal| match proposal.kind {
            CompletionKind::Snippet => snippets,
            CompletionKind::Method | CompletionKind::Variant => methods,
            _ => true,
        })
        .enumerate()
        .map(|(index, proposal)| completion_item(snapshot, &file, offset, index, proposal));
    Ok(Some(CompletionResponse::Array(items.collect())))
}

fn completion_item(
    snapshot: &Snapshot,
    file: &FileText,
    offset: u32,
    index: usize,
    proposal: Completion,
) -> CompletionItem {
    let client = &snapshot.view.client;
    let snippet = proposal.snippet && client.snippets;
    let text = if proposal.snippet && !snippet {
        without_places(&proposal.insert)
    } else {
        proposal.insert
    };
    let replace = file.range(proposal.replace);
    let edit = if client.insert_replace {
        let before = ByteRange {
            start: proposal.replace.start,
            end: offset.clamp(proposal.replace.start, proposal.replace.end),
        };
        CompletionTextEdit::InsertAndReplace(InsertReplaceEdit {
            new_text: text,
            insert: file.range(before),
            replace,
        })
    } else {
        CompletionTextEdit::Edit(TextEdit {
            range: replace,
            new_text: text,
        })
    };
    let format = Format::of(client.completion_markdown);
    let documentation = proposal.documentation;
    let details = proposal.detail.as_ref().filter(|_| client.label_details);
    CompletionItem {
        label_details: details.map(|words| label_details(proposal.kind, words)),
        label: proposal.label,
        kind: Some(item_kind(proposal.kind)),
        detail: proposal.detail,
        documentation: documentation.map(|words| format.documentation(&words)),
        sort_text: Some(format!("{:010}{index:06}", proposal.rank)),
        insert_text_format: snippet.then_some(InsertTextFormat::SNIPPET),
        text_edit: Some(edit),
        ..CompletionItem::default()
    }
}

/// The words beside a label, in every row of the list: a signature directly behind it, all else at the row's end.
fn label_details(kind: CompletionKind, words: &str) -> CompletionItemLabelDetails {
    let words = Some(words.to_owned());
    match kind {
        CompletionKind::Method => CompletionItemLabelDetails {
            detail: words,
            description: None,
        },
        _ => CompletionItemLabelDetails {
            detail: None,
            description: words,
        },
    }
}

const fn item_kind(kind: CompletionKind) -> CompletionItemKind {
    match kind {
        CompletionKind::Axis => CompletionItemKind::TYPE_PARAMETER,
        CompletionKind::Alias => CompletionItemKind::INTERFACE,
        CompletionKind::Value => CompletionItemKind::VALUE,
        CompletionKind::Keyword => CompletionItemKind::KEYWORD,
        CompletionKind::Method => CompletionItemKind::METHOD,
        CompletionKind::Variant => CompletionItemKind::ENUM_MEMBER,
        CompletionKind::Field => CompletionItemKind::FIELD,
        CompletionKind::Snippet => CompletionItemKind::SNIPPET,
    }
}

/// A snippet as plain text: of `${1:words}` the words stay, of `$1` nothing.
fn without_places(snippet: &str) -> String {
    let mut text = String::with_capacity(snippet.len());
    let mut open = 0_usize;
    let mut letters = snippet.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => text.extend(letters.next()),
            '}' if open > 0 => open -= 1,
            '$' => {
                let braced = letters.next_if_eq(&'{').is_some();
                while letters.next_if(char::is_ascii_digit).is_some() {}
                if braced && letters.next_if_eq(&':').is_some() {
                    open += 1;
                } else if braced {
                    letters.next_if_eq(&'}');
                }
            }
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::without_places;

    #[test]
    fn a_snippet_without_its_places_is_what_it_would_insert() {
        let snippet = "fetch::<${1:i8}, m![$2], m![${3:B # ${4:64}}]>()$0 \\$1 \\}";
        assert_eq!(
            without_places(snippet),
            "fetch::<i8, m![], m![B # 64]>() $1 }"
        );
    }
}
