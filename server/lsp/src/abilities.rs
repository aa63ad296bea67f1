//! What the client can do, as it says in `initialize`.

use tower_lsp::ls_types::ClientCapabilities;

/// What the client can do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a capability of the protocol"
)]
pub(crate) struct ClientAbilities {
    /// Asks for the diagnostics of documents.
    pub(crate) pulls_diagnostics: bool,
    /// Takes what is said of other documents with the diagnostics of one.
    pub(crate) related_documents: bool,
    /// Can be told to pull diagnostics again.
    pub(crate) refreshes_diagnostics: bool,
    /// Can be told to ask for inlay hints again.
    pub(crate) refreshes_inlay_hints: bool,
    /// Can be told to ask for code lenses again.
    pub(crate) refreshes_code_lenses: bool,
    /// Can be told to ask for semantic tokens again.
    pub(crate) refreshes_semantic_tokens: bool,
    /// Shows related places of a pushed or pulled diagnostic.
    pub(crate) related_information: bool,
    /// Shows the link of a diagnostic's code.
    pub(crate) code_description: bool,
    /// Shows diagnostics with tags otherwise.
    pub(crate) diagnostic_tags: bool,
    /// Gives the `data` of a diagnostic back with a code action request.
    pub(crate) diagnostic_data: bool,
    /// Knows code actions, not only commands.
    pub(crate) code_action_literals: bool,
    /// Asks for the edit of a code action when it is chosen.
    pub(crate) code_action_resolve: bool,
    /// Applies edits of versioned documents.
    pub(crate) document_changes: bool,
    /// Makes files that an edit asks for.
    pub(crate) creates_files: bool,
    /// Opens documents that the server asks it to.
    pub(crate) shows_documents: bool,
    /// Shows whether there is anything for the server to do.
    pub(crate) shows_status: bool,
    /// Opens the pages of rules under addresses of this scheme: `scheme:/rule.md`.
    pub(crate) rule_scheme: Option<String>,
    /// Shows words beside the label of a completion.
    pub(crate) label_details: bool,
    /// Applies edits that the server asks for.
    pub(crate) apply_edit: bool,
    /// Watches files for the server.
    pub(crate) watches_files: bool,
    /// Answers `workspace/configuration`.
    pub(crate) configuration: bool,
    /// Registers for changes of the configuration at run time.
    pub(crate) registers_configuration: bool,
    /// Shows progress that the server begins.
    pub(crate) work_done_progress: bool,
    /// Shows hovers as Markdown.
    pub(crate) hover_markdown: bool,
    /// Shows the documentation of completions as Markdown.
    pub(crate) completion_markdown: bool,
    /// Shows the documentation of signatures as Markdown.
    pub(crate) signature_markdown: bool,
    /// Inserts snippets.
    pub(crate) snippets: bool,
    /// Takes a completion with what it inserts and what it replaces.
    pub(crate) insert_replace: bool,
    /// Takes parameters of a signature as offsets of its label.
    pub(crate) label_offsets: bool,
    /// Shows symbols as a tree.
    pub(crate) symbol_tree: bool,
    /// Takes definitions as links with the range of their origin.
    pub(crate) definition_links: bool,
    /// Folds whole lines only.
    pub(crate) folds_lines_only: bool,
    /// Takes that many foldings of a document at most.
    pub(crate) folding_limit: Option<u64>,
    /// Shows words in the place of what is folded.
    pub(crate) collapsed_text: bool,
}

impl ClientAbilities {
    /// Reads what a client says of itself.
    pub(crate) fn of(capabilities: &ClientCapabilities) -> Self {
        let tree = serde_json::to_value(capabilities).unwrap_or_default();
        let can =
            |path: &str| tree.pointer(path).and_then(serde_json::Value::as_bool) == Some(true);
        let has = |path: &str| tree.pointer(path).is_some_and(|value| !value.is_null());
        // Without a list of formats the client has not said that it shows Markdown; with one, it says so.
        let list = |path: &str, name: &str| {
            let names = tree.pointer(path).and_then(serde_json::Value::as_array);
            names.is_some_and(|names| names.iter().any(|one| one == name))
        };
        let markdown = |path: &str| list(path, "markdown");
        let diagnostics = |what: &str| {
            can(&format!("/textDocument/publishDiagnostics/{what}"))
                || can(&format!("/textDocument/diagnostic/{what}"))
        };
        Self {
            pulls_diagnostics: has("/textDocument/diagnostic"),
            related_documents: can("/textDocument/diagnostic/relatedDocumentSupport"),
            refreshes_diagnostics: can("/workspace/diagnostics/refreshSupport"),
            refreshes_inlay_hints: can("/workspace/inlayHint/refreshSupport"),
            refreshes_code_lenses: can("/workspace/codeLens/refreshSupport"),
            refreshes_semantic_tokens: can("/workspace/semanticTokens/refreshSupport"),
            related_information: diagnostics("relatedInformation"),
            code_description: diagnostics("codeDescriptionSupport"),
            diagnostic_tags: has("/textDocument/publishDiagnostics/tagSupport")
                || has("/textDocument/diagnostic/tagSupport"),
            diagnostic_data: diagnostics("dataSupport"),
            code_action_literals: has("/textDocument/codeAction/codeActionLiteralSupport"),
            code_action_resolve: list("/textDocument/codeAction/resolveSupport/properties", "edit"),
            document_changes: can("/workspace/workspaceEdit/documentChanges"),
            creates_files: list("/workspace/workspaceEdit/resourceOperations", "create"),
            shows_documents: can("/window/showDocument/support"),
            shows_status: can("/experimental/visaStatus"),
            rule_scheme: tree
                .pointer("/experimental/visaRulePages")
                .and_then(serde_json::Value::as_str)
                .map(str::to_owned),
            label_details: can("/textDocument/completion/completionItem/labelDetailsSupport"),
            apply_edit: can("/workspace/applyEdit"),
            watches_files: can("/workspace/didChangeWatchedFiles/dynamicRegistration"),
            configuration: can("/workspace/configuration"),
            registers_configuration: can("/workspace/didChangeConfiguration/dynamicRegistration"),
            work_done_progress: can("/window/workDoneProgress"),
            hover_markdown: markdown("/textDocument/hover/contentFormat"),
            completion_markdown: markdown(
                "/textDocument/completion/completionItem/documentationFormat",
            ),
            signature_markdown: markdown(
                "/textDocument/signatureHelp/signatureInformation/documentationFormat",
            ),
            snippets: can("/textDocument/completion/completionItem/snippetSupport"),
            insert_replace: can("/textDocument/completion/completionItem/insertReplaceSupport"),
            label_offsets: can(
                "/textDocument/signatureHelp/signatureInformation/parameterInformation/labelOffsetSupport",
            ),
            symbol_tree: can("/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            definition_links: can("/textDocument/definition/linkSupport"),
            folds_lines_only: can("/textDocument/foldingRange/lineFoldingOnly"),
            folding_limit: tree
                .pointer("/textDocument/foldingRange/rangeLimit")
                .and_then(serde_json::Value::as_u64),
            collapsed_text: can("/textDocument/foldingRange/foldingRange/collapsedText"),
        }
    }
}
