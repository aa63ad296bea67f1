//! A file a feature: the engine's answers in the protocol's types, and the list of features that the server announces.
//!
//! A feature is a function of a snapshot and a request's parameters. It turns the place into a byte, asks the engine, and
//! turns the bytes of the answer into places. It waits for nothing and decides nothing about kernels.
//!
//! The server announces only what the client can use: to one that pulls diagnostics it offers them, and pushes none.

pub(crate) mod call_hierarchy;
pub(crate) mod code_actions;
pub(crate) mod code_lens;
pub(crate) mod completion;
pub(crate) mod custom;
pub(crate) mod diagnostics;
mod edits;
pub(crate) mod explaining;
mod fix_all;
mod fixes;
pub(crate) mod folding;
pub(crate) mod highlights;
pub(crate) mod hover;
pub(crate) mod inlay_hints;
mod markup;
pub(crate) mod navigation;
mod places;
mod reports;
pub(crate) mod running;
pub(crate) mod selection;
pub(crate) mod semantic_tokens;
mod settings_file;
pub(crate) mod signature;
pub(crate) mod symbols;
pub(crate) mod view_file_text;

use tower_lsp::ls_types::{
    CallHierarchyServerCapability, CodeActionKind, CodeActionOptions, CodeActionProviderCapability,
    CodeLensOptions, CompletionOptions, CompletionOptionsCompletionItem, DiagnosticOptions,
    DiagnosticServerCapabilities, ExecuteCommandOptions, FoldingRangeProviderCapability,
    HoverProviderCapability, OneOf, RenameOptions, SaveOptions, SelectionRangeProviderCapability,
    SemanticTokensFullOptions, SemanticTokensOptions, SemanticTokensServerCapabilities,
    ServerCapabilities, SignatureHelpOptions, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkDoneProgressOptions,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

use super::abilities::ClientAbilities;
use super::positions::Encoding;

/// The features and other abilities that the server offers a client: only what the client can use.
pub(crate) fn server_capabilities(
    client: &ClientAbilities,
    encoding: Encoding,
) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(synchronisation())),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        diagnostic_provider: client.pulls_diagnostics.then(|| {
            DiagnosticServerCapabilities::Options(DiagnosticOptions {
                identifier: Some("visa".to_owned()),
                inter_file_dependencies: true,
                workspace_diagnostics: true,
                work_done_progress_options: WorkDoneProgressOptions::default(),
            })
        }),
        code_action_provider: Some(code_action_provider(client)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        completion_provider: Some(completion_options()),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(["<", ",", "("].map(str::to_owned).to_vec()),
            retrigger_characters: Some(vec![",".to_owned()]),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        semantic_tokens_provider: Some(SemanticTokensServerCapabilities::SemanticTokensOptions(
            SemanticTokensOptions {
                work_done_progress_options: WorkDoneProgressOptions::default(),
                legend: semantic_tokens::legend(),
                range: Some(true),
                full: Some(SemanticTokensFullOptions::Bool(true)),
            },
        )),
        execute_command_provider: client.code_action_literals.then(|| ExecuteCommandOptions {
            commands: vec![explaining::EXPLAIN.to_owned(), running::RUN.to_owned()],
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
        ..ServerCapabilities::default()
    }
}

fn synchronisation() -> TextDocumentSyncOptions {
    TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        will_save: None,
        will_save_wait_until: None,
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
            include_text: Some(false),
        })),
    }
}

fn code_action_provider(client: &ClientAbilities) -> CodeActionProviderCapability {
    if !client.code_action_literals {
        return CodeActionProviderCapability::Simple(true);
    }
    CodeActionProviderCapability::Options(CodeActionOptions {
        code_action_kinds: Some(vec![
            CodeActionKind::QUICKFIX,
            CodeActionKind::REFACTOR_EXTRACT,
            CodeActionKind::REFACTOR_INLINE,
            CodeActionKind::REFACTOR_REWRITE,
            code_actions::FIX_ALL,
        ]),
        work_done_progress_options: WorkDoneProgressOptions::default(),
        resolve_provider: Some(client.code_action_resolve),
    })
}

fn completion_options() -> CompletionOptions {
    CompletionOptions {
        resolve_provider: Some(false),
        trigger_characters: Some(
            [".", "[", "(", "<", ",", "/", "%", "#", "=", ":", " "]
                .map(str::to_owned)
                .to_vec(),
        ),
        all_commit_characters: None,
        work_done_progress_options: WorkDoneProgressOptions::default(),
        completion_item: Some(CompletionOptionsCompletionItem {
            label_details_support: Some(true),
        }),
    }
}
