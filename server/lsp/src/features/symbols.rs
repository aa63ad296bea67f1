//! The outline of a file, and declarations of all files by their names.

use tower_lsp::ls_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, OneOf,
    SymbolInformation, SymbolKind, Uri, WorkspaceSymbol, WorkspaceSymbolParams,
    WorkspaceSymbolResponse,
};
use visa_analysis::EditorQuestions as _;
use visa_analysis::Symbol;

use super::places::client_location;
use crate::positions::FileText;
use crate::project::engine::Answer;
use crate::state::Snapshot;

/// Declarations that are listed at most for a query: more are not read.
const LISTED: usize = 1000;

/// `textDocument/documentSymbol`
pub(crate) fn symbols_of_document(
    snapshot: &Snapshot,
    params: &DocumentSymbolParams,
) -> Answer<Option<DocumentSymbolResponse>> {
    let path = snapshot.path(&params.text_document.uri);
    let file = snapshot.file(&path)?;
    let symbols = snapshot.analysis.document_symbols(&path)?;
    if snapshot.view.client.symbol_tree {
        let symbols = symbols
            .into_iter()
            .map(|symbol| nested_symbol(&file, symbol));
        return Ok(Some(DocumentSymbolResponse::Nested(symbols.collect())));
    }
    let mut list = Vec::new();
    flatten(&file, &params.text_document.uri, None, symbols, &mut list);
    Ok(Some(DocumentSymbolResponse::Flat(list)))
}

/// `workspace/symbol`
pub(crate) fn symbols_of_workspace(
    snapshot: &Snapshot,
    params: &WorkspaceSymbolParams,
) -> Answer<Option<WorkspaceSymbolResponse>> {
    let symbols = snapshot.analysis.workspace_symbols(&params.query)?;
    let symbols = symbols.into_iter().take(LISTED).map(|symbol| {
        Ok(WorkspaceSymbol {
            name: symbol.name,
            kind: symbol_kind(symbol.kind),
            tags: None,
            container_name: symbol.container,
            location: OneOf::Left(client_location(snapshot, &symbol.place)?),
            data: None,
        })
    });
    let symbols = symbols.collect::<Answer<Vec<_>>>()?;
    Ok(Some(WorkspaceSymbolResponse::Nested(symbols)))
}

#[expect(deprecated, reason = "the field has no other way to stay empty")]
fn nested_symbol(file: &FileText, symbol: Symbol) -> DocumentSymbol {
    let children = symbol
        .children
        .into_iter()
        .map(|child| nested_symbol(file, child));
    let children: Vec<_> = children.collect();
    DocumentSymbol {
        name: symbol.name,
        detail: symbol.detail,
        kind: symbol_kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: file.range(symbol.range),
        selection_range: file.range(symbol.selection),
        children: (!children.is_empty()).then_some(children),
    }
}

#[expect(deprecated, reason = "the field has no other way to stay empty")]
fn flatten(
    file: &FileText,
    uri: &Uri,
    container: Option<&str>,
    symbols: Vec<Symbol>,
    list: &mut Vec<SymbolInformation>,
) {
    for symbol in symbols {
        list.push(SymbolInformation {
            name: symbol.name.clone(),
            kind: symbol_kind(symbol.kind),
            tags: None,
            deprecated: None,
            location: Location {
                uri: uri.clone(),
                range: file.range(symbol.range),
            },
            container_name: container.map(str::to_owned),
        });
        flatten(file, uri, Some(&symbol.name), symbol.children, list);
    }
}

/// The kind of a declaration.
pub(super) const fn symbol_kind(kind: visa_analysis::SymbolKind) -> SymbolKind {
    use visa_analysis::SymbolKind as Kind;
    match kind {
        Kind::Kernel | Kind::Function => SymbolKind::FUNCTION,
        Kind::Axis => SymbolKind::TYPE_PARAMETER,
        Kind::Alias => SymbolKind::INTERFACE,
        Kind::Constant => SymbolKind::CONSTANT,
        Kind::Module => SymbolKind::MODULE,
        Kind::Operation => SymbolKind::EVENT,
    }
}
