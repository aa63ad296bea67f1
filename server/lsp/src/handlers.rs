//! The protocol's messages, each handed to who knows.
//!
//! Notifications run to their end within their first poll. Requests take their place in the engine's queue with their first
//! statement; a feature is a function of the snapshot and the parameters.

use std::sync::Arc;

use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;
use tower_lsp::{LanguageServer, LspServiceBuilder};

use super::early::{self, Part};
use super::features::{
    call_hierarchy, code_actions, code_lens, completion, custom, diagnostics, explaining, folding,
    highlights, hover, inlay_hints, navigation, running, selection, semantic_tokens, signature,
    symbols, view_file_text,
};
use super::state::{Server, Snapshot};
use super::{folders, lifecycle, open_documents, publishing, searching, uris};
use crate::project::engine::{Answer, Failure, Urgency};

/// The handlers of a server.
pub(crate) struct Handlers {
    server: Arc<Server>,
}

/// Adds the methods that are ours alone, and `$/setTrace`, which the library does not know.
pub(crate) fn with_custom_methods(
    builder: LspServiceBuilder<Handlers>,
) -> LspServiceBuilder<Handlers> {
    builder
        .custom_method("$/setTrace", Handlers::set_trace)
        .custom_method("visa/kernelCost", Handlers::kernel_cost)
        .custom_method("visa/kernelAdvice", Handlers::kernel_advice)
        .custom_method("visa/proposalEdit", Handlers::proposal_edit)
        .custom_method("visa/memoryMap", Handlers::memory_map)
        .custom_method("visa/stageTable", Handlers::stage_table)
        .custom_method("visa/dialect", Handlers::dialect)
        .custom_method("visa/rulePage", Handlers::rule_page)
        .custom_method("visa/viewFileText", Handlers::view_file_text)
}

impl Handlers {
    pub(crate) fn new(server: Server) -> Self {
        Self {
            server: Arc::new(server),
        }
    }

    pub(crate) const fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// Answers a request by a feature.
    async fn ask_feature<P: Send + Sync + 'static, T: Default + Send + 'static>(
        &self,
        params: P,
        feature: fn(&Snapshot, &P) -> Answer<T>,
    ) -> Result<T> {
        self.server
            .answer_request(move |snapshot| feature(snapshot, &params))
            .await
    }

    async fn set_trace(&self, params: SetTraceParams) {
        self.server.trace.set(params.value);
    }

    async fn kernel_cost(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<serde_json::Value>> {
        self.ask_feature(params, custom::kernel_cost).await
    }

    /// As [`Self::kernel_cost`], once a search of the kernel is at its end.
    async fn kernel_advice(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<serde_json::Value>> {
        match searching::search_kernel(&self.server, &params.text_document.uri, params.position)
            .await
        {
            Err(Failure::NoSuchFile) => Ok(None),
            Err(failure) => Err(self.server.error_of(failure)),
            Ok(()) => self.ask_feature(params, custom::kernel_cost).await,
        }
    }

    async fn proposal_edit(&self, params: custom::ProposalParams) -> Result<Option<WorkspaceEdit>> {
        self.ask_feature(params, custom::proposal_edit).await
    }

    async fn memory_map(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<serde_json::Value>> {
        self.ask_feature(params, custom::memory_map).await
    }

    async fn stage_table(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<serde_json::Value>> {
        self.ask_feature(params, custom::stage_table).await
    }
}

impl Handlers {
    async fn dialect(&self, params: TextDocumentIdentifier) -> Result<Option<serde_json::Value>> {
        self.ask_feature(params, custom::document_dialect).await
    }

    async fn rule_page(
        &self,
        params: explaining::RulePageParams,
    ) -> Result<Option<serde_json::Value>> {
        self.ask_feature(params, explaining::rule_page).await
    }

    async fn view_file_text(&self, params: TextDocumentIdentifier) -> Result<Option<String>> {
        self.ask_feature(params, view_file_text::view_file_text)
            .await
    }
}

impl LanguageServer for Handlers {
    // Lifecycle.

    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        Ok(lifecycle::initialize(&self.server, params))
    }

    async fn initialized(&self, _: InitializedParams) {
        folders::initialized(&self.server);
    }

    async fn shutdown(&self) -> Result<()> {
        self.server.lock().shut_down = true;
        Ok(())
    }

    // Documents.

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        let path = open_documents::open_document(
            &self.server,
            document.uri,
            document.version,
            document.text,
        );
        folders::document_opened(&self.server, &path);
        publishing::document_changed(&self.server, &path);
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let document = params.text_document;
        let changed = open_documents::change_document(
            &self.server,
            &document.uri,
            document.version,
            params.content_changes,
        );
        if let Some(path) = changed {
            publishing::document_changed(&self.server, &path);
        }
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        folders::saved(&self.server, &uris::path_of(&params.text_document.uri));
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        if let Some(path) = open_documents::close_document(&self.server, &params.text_document.uri)
        {
            folders::document_closed(&self.server, &path);
            publishing::document_changed(&self.server, &path);
        }
    }

    // The workspace.

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        folders::configuration_changed(&self.server, &params.settings);
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        let mut state = self.server.lock();
        for folder in params.event.removed {
            let path = uris::folder_of(&folder.uri);
            state.roots.retain(|root| **root != *path);
        }
        for folder in params.event.added {
            let path = uris::folder_of(&folder.uri);
            if !state.roots.iter().any(|root| **root == *path) {
                state.roots.push(path.into());
            }
        }
        drop(state);
        folders::folders_changed(&self.server);
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        let paths: Vec<String> = params
            .changes
            .iter()
            .map(|change| uris::path_of(&change.uri))
            .collect();
        folders::files_changed(&self.server, &paths);
    }

    async fn symbol(
        &self,
        params: WorkspaceSymbolParams,
    ) -> Result<Option<WorkspaceSymbolResponse>> {
        self.ask_feature(params, symbols::symbols_of_workspace)
            .await
    }

    // Diagnostics and code actions.

    async fn diagnostic(
        &self,
        params: DocumentDiagnosticParams,
    ) -> Result<DocumentDiagnosticReportResult> {
        // The place of the request, while what is on disk is read.
        let path = uris::path_of(&params.text_document.uri);
        let text = self.server.lock().view.text(&path).cloned();
        folders::wait_until_read(&self.server).await;
        let asked: Arc<str> = path.as_str().into();
        let question = move |snapshot: &Snapshot, part: Part| {
            if !snapshot.view.has_text(&path, text.as_ref())
                || snapshot.view.settings.awaits_document(&path)
            {
                return Err(Failure::Outdated);
            }
            diagnostics::document_diagnostics(snapshot, &params, part)
        };
        let answer = early::pulled(&self.server, asked, question).await;
        answer.map_err(|failure| self.pull_again(failure))
    }

    async fn workspace_diagnostic(
        &self,
        params: WorkspaceDiagnosticParams,
    ) -> Result<WorkspaceDiagnosticReportResult> {
        // The answer names the versions that it is about: it may be about later ones than those of its place.
        folders::wait_until_read(&self.server).await;
        let question = move |snapshot: &Snapshot| {
            if !snapshot.view.knows_documents() {
                return Err(Failure::Outdated);
            }
            diagnostics::workspace_diagnostics(snapshot, &params)
        };
        let answer = self.server.ask_engine(Urgency::Background, question).await;
        let (report, known) = answer.map_err(|failure| self.pull_again(failure))?;
        publishing::tell_status(&self.server, known).await;
        Ok(report)
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let (uri, place) = (&params.text_document.uri, params.range.start);
        // Where an editor asks by itself at each move of the cursor, it does not wait.
        if params.context.trigger_kind == Some(CodeActionTriggerKind::INVOKED) {
            searching::for_a_menu(&self.server, uri, place).await;
        } else {
            searching::looked_at(&self.server, uri, place);
        }
        self.ask_feature(params, code_actions::code_actions).await
    }

    async fn code_action_resolve(&self, action: CodeAction) -> Result<CodeAction> {
        self.ask_feature(action, code_actions::resolve_action).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        if params.command == running::RUN {
            running::run(&self.server, params.arguments).await?;
            publishing::everything_changed(&self.server);
        } else {
            explaining::show_page(&self.server, params).await?;
        }
        Ok(None)
    }

    // What is shown.

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let place = &params.text_document_position_params;
        searching::looked_at(&self.server, &place.text_document.uri, place.position);
        self.ask_feature(params, hover::hover).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        self.ask_feature(params, inlay_hints::inlay_hints).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        self.ask_feature(params, code_lens::code_lens).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        self.ask_feature(params, completion::completion).await
    }

    async fn signature_help(&self, params: SignatureHelpParams) -> Result<Option<SignatureHelp>> {
        self.ask_feature(params, signature::signature_help).await
    }

    async fn document_symbol(
        &self,
        params: DocumentSymbolParams,
    ) -> Result<Option<DocumentSymbolResponse>> {
        self.ask_feature(params, symbols::symbols_of_document).await
    }

    async fn document_highlight(
        &self,
        params: DocumentHighlightParams,
    ) -> Result<Option<Vec<DocumentHighlight>>> {
        self.ask_feature(params, highlights::document_highlights)
            .await
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        self.ask_feature(params, folding::folding_ranges).await
    }

    async fn selection_range(
        &self,
        params: SelectionRangeParams,
    ) -> Result<Option<Vec<SelectionRange>>> {
        self.ask_feature(params, selection::selection_ranges).await
    }

    async fn semantic_tokens_full(
        &self,
        params: SemanticTokensParams,
    ) -> Result<Option<SemanticTokensResult>> {
        self.ask_feature(params, semantic_tokens::full_tokens).await
    }

    async fn semantic_tokens_range(
        &self,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        self.ask_feature(params, semantic_tokens::range_tokens)
            .await
    }

    // Names.

    async fn goto_definition(
        &self,
        params: GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>> {
        self.ask_feature(params, navigation::definition).await
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        self.ask_feature(params, navigation::references).await
    }

    async fn prepare_rename(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<PrepareRenameResponse>> {
        self.ask_feature(params, navigation::prepare_rename).await
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        self.ask_feature(params, navigation::rename).await
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        self.ask_feature(params, call_hierarchy::prepare_call_hierarchy)
            .await
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        self.ask_feature(params, call_hierarchy::incoming_calls)
            .await
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        self.ask_feature(params, call_hierarchy::outgoing_calls)
            .await
    }
}

impl Handlers {
    /// The error of a pull for diagnostics: a client asks again for what was overtaken.
    fn pull_again(&self, failure: Failure) -> tower_lsp::jsonrpc::Error {
        let overtaken = matches!(failure, Failure::Overtaken | Failure::Outdated);
        let mut error = self.server.error_of(failure);
        if overtaken {
            error.code = tower_lsp::jsonrpc::ErrorCode::ServerError(SERVER_CANCELLED);
            error.data = Some(serde_json::json!({ "retriggerRequest": true }));
        }
        error
    }
}

/// `ServerCancelled` of the protocol.
const SERVER_CANCELLED: i64 = -32802;
