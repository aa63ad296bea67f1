//! The tool that a crate registers for attributes of its kernels: `#![register_tool(tcp)]`, `#[allow(tcp::rule)]`.
//!
//! Inner attributes are part of no item, so that this looks at a file's own tree. It is asked by migration, and
//! by no check: an attribute of another tool changes nothing that a kernel does.

use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxToken};

use crate::db::Db;
use crate::inputs::{SourceFile, parse, shown_path};
use crate::items::dialect;
use crate::libraries::Library;
use crate::report::{DiagnosticFix, FileEdit};
use crate::rules::Applicability;
use crate::suppression::tool_of;

/// The edits that give attributes of a file the tool of its library.
pub(crate) fn tool_fixes(db: &dyn Db, file: SourceFile) -> Vec<DiagnosticFix> {
    let own = dialect(db, file).library;
    if own == Library::VisaStd {
        return Vec::new();
    }
    let own = tool_of(own);
    let other = tool_of(Library::VisaStd);
    let parsed = parse(db, file);
    let Some(tree) = parsed.tree() else {
        return Vec::new();
    };
    let attributes = tree.syntax().descendants().filter_map(ast::Attr::cast);
    let mut places: Vec<SyntaxToken> = Vec::new();
    for attribute in attributes {
        let tokens = attribute.syntax().descendants_with_tokens();
        let tokens: Vec<SyntaxToken> = tokens
            .filter_map(NodeOrToken::into_token)
            .filter(|token| !token.kind().is_trivia())
            .collect();
        let registers = tokens.iter().any(|token| token.text() == "register_tool");
        for (at, token) in tokens.iter().enumerate() {
            let next = tokens.get(at + 1).map(SyntaxToken::kind);
            let is_path = matches!(next, Some(SyntaxKind::COLON2 | SyntaxKind::COLON));
            let named = token.text() == other;
            if named && (registers || is_path) {
                places.push(token.clone());
            }
        }
    }
    let path = shown_path(db, file);
    let offset = parsed.offset();
    let edits = places.into_iter().map(|token| {
        let range = token.text_range();
        FileEdit {
            file: std::sync::Arc::clone(&path),
            start_byte: offset.saturating_add(range.start().into()),
            end_byte: offset.saturating_add(range.end().into()),
            text: own.to_owned(),
        }
    });
    let edits: Vec<FileEdit> = edits.collect();
    if edits.is_empty() {
        return Vec::new();
    }
    vec![DiagnosticFix {
        title: format!("Register the tool `{own}`"),
        applicability: Applicability::Machine,
        edits,
        cost: None,
    }]
}
