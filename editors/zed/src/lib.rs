//! The extension for Zed: starts `visa-lsp` for Rust and Python files, beside their own servers.
//!
//! The server is the one that the settings name, else that of the search path. It is not downloaded.

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{
    register_extension, serde_json, Command, Extension, LanguageServerId, Result, Worktree,
};

/// The program, and what people do where it is missing.
const PROGRAM: &str = "visa-lsp";
const MISSING: &str =
    "visa-lsp is not on the search path; `pip install visa-lint` puts it there";

struct Visa;

/// What the settings say of the server, below `lsp`.
fn settings(server: &LanguageServerId, worktree: &Worktree) -> Result<LspSettings> {
    LspSettings::for_worktree(server.as_ref(), worktree)
}

impl Extension for Visa {
    fn new() -> Self {
        Self
    }

    fn language_server_command(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let binary = settings(server, worktree)?.binary;
        let (path, arguments) = match binary {
            Some(binary) => (binary.path, binary.arguments),
            None => (None, None),
        };
        let command = path
            .or_else(|| worktree.which(PROGRAM))
            .ok_or_else(|| MISSING.to_owned())?;
        Ok(Command {
            command,
            args: arguments.unwrap_or_default(),
            env: worktree.shell_env(),
        })
    }

    fn language_server_initialization_options(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>> {
        Ok(settings(server, worktree)?.initialization_options)
    }

    fn language_server_workspace_configuration(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>> {
        Ok(settings(server, worktree)?.settings)
    }
}

register_extension!(Visa);
