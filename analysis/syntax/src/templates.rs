//! Files of templates, in which `{{ name }}` stands for a text that a generator of projects fills in.

use ra_ap_syntax::{SyntaxKind, SyntaxNode, SyntaxToken};

/// What a placeholder begins with.
pub const PLACEHOLDER_START: &str = "{{";

/// Whether a tree has a placeholder as generators of projects write them: `{{ crate_name }}`, `{{ name | snake_case }}`. What is in a
/// string or a remark is none. Blocks in blocks look alike, but there a text parses.
pub fn has_placeholder(root: &SyntaxNode) -> bool {
    let tokens = root.descendants_with_tokens();
    tokens
        .filter_map(ra_ap_syntax::NodeOrToken::into_token)
        .any(|token| is_placeholder(&token))
}

/// Whether a token begins a placeholder: two braces in a row, a name, perhaps filters, and two braces in a row.
fn is_placeholder(first: &SyntaxToken) -> bool {
    if first.kind() != SyntaxKind::L_CURLY {
        return false;
    }
    let Some(second) = first
        .next_token()
        .filter(|next| next.kind() == SyntaxKind::L_CURLY)
    else {
        return false;
    };
    let mut inside = std::iter::successors(second.next_token(), SyntaxToken::next_token)
        .filter(|token| !token.kind().is_trivia());
    let is_name = inside
        .next()
        .is_some_and(|name| name.kind() == SyntaxKind::IDENT);
    let mut behind = inside.take(FILTER_TOKENS).peekable();
    let ends_or_filters = behind.peek().is_some_and(|token| {
        matches!(
            token.kind(),
            SyntaxKind::R_CURLY | SyntaxKind::PIPE | SyntaxKind::MINUS
        )
    });
    let close = behind.find(|token| token.kind() == SyntaxKind::R_CURLY);
    let is_closed = close
        .and_then(|close| close.next_token())
        .is_some_and(|next| next.kind() == SyntaxKind::R_CURLY);
    is_name && ends_or_filters && is_closed
}

/// Tokens of the filters of a placeholder that are looked at.
const FILTER_TOKENS: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_text;

    #[test]
    fn placeholders_are_told_from_blocks_and_strings() {
        let has = |text: &str| has_placeholder(&parse_text(text).unwrap().syntax_node());
        for text in [
            "use {{ crate_name }}::Row;",
            "use {{crate_name}}::Row;",
            "use {{project-name}}::Row;",
            "axes![K = {{ size }}];",
            "pub fn {{ name | snake_case }}() {}",
        ] {
            assert!(has(text), "{text}");
        }
        for text in [
            "fn f() { println!(\"{{ name }}\"); }",
            "// use {{ crate_name }}::Row;\nfn f() {}",
            "fn f() { { x } }",
            "fn f() {{ let x = 1; }}",
            "fn f() {{}}",
        ] {
            assert!(!has(text), "{text}");
        }
    }
}
