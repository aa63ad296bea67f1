//! The beginning and the end: what the client tells in `initialize`, how the process ends, and whether the client lives.

use std::sync::Arc;
use std::time::Duration;

use tower_lsp::ls_types::{InitializeParams, InitializeResult, ServerInfo};

use super::abilities::ClientAbilities;
use super::features;
use super::positions::Encoding;
use super::state::Server;
use super::uris;

/// How often the client's process is looked for.
const WATCH_EVERY: Duration = Duration::from_secs(3);

/// Takes in what the client tells, and answers what the server offers. Reads no file.
pub(crate) fn initialize(server: &Server, params: InitializeParams) -> InitializeResult {
    let offered = params
        .capabilities
        .general
        .as_ref()
        .and_then(|general| general.position_encodings.as_deref());
    let encoding = Encoding::negotiate(offered);
    let client = Arc::new(ClientAbilities::of(&params.capabilities));
    let capabilities = features::server_capabilities(&client, encoding);
    if let Some(process) = params.process_id {
        server.set_client_process(process);
    }
    server.trace.set(params.trace.unwrap_or_default());
    let mut state = server.lock();
    state.roots = workspace_roots(&params);
    state.options = params.initialization_options;
    let view = state.view_mut();
    view.encoding = encoding;
    view.client = client;
    InitializeResult {
        capabilities,
        server_info: Some(ServerInfo {
            name: "visa-lsp".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        ..InitializeResult::default()
    }
}

/// The folders of the workspace, as paths of the engine: those of old clients too, which know one folder only.
fn workspace_roots(params: &InitializeParams) -> Vec<Arc<str>> {
    #[expect(deprecated, reason = "old clients send nothing else")]
    let root = params.root_uri.as_ref();
    match params.workspace_folders.as_deref() {
        Some(folders) => folders
            .iter()
            .map(|folder| uris::folder_of(&folder.uri).into())
            .collect(),
        None => root
            .map(|root| uris::folder_of(root).into())
            .into_iter()
            .collect(),
    }
}

/// Returns when a process is gone.
pub(crate) async fn process_gone(process: u32) {
    while alive(process).await {
        tokio::time::sleep(WATCH_EVERY).await;
    }
}

/// Whether a process lives; `true` where that cannot be found out.
async fn alive(process: u32) -> bool {
    tokio::task::spawn_blocking(move || is_process_alive(process))
        .await
        .unwrap_or(true)
}

#[cfg(target_os = "linux")]
fn is_process_alive(process: u32) -> bool {
    match std::fs::read_to_string(format!("/proc/{process}/stat")) {
        // The state follows the name, which is in parentheses and may hold any character. A zombie has ended.
        Ok(status) => status
            .rsplit_once(')')
            .is_none_or(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X'])),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
fn is_process_alive(process: u32) -> bool {
    let mut command = std::process::Command::new("ps");
    command.args(["-o", "state=", "-p", &process.to_string()]);
    command.stdin(std::process::Stdio::null());
    match command.output() {
        Ok(output) if output.status.success() => !String::from_utf8_lossy(&output.stdout)
            .trim_start()
            .starts_with('Z'),
        Ok(output) => !output.stderr.is_empty(),
        Err(_) => true,
    }
}

#[cfg(windows)]
fn is_process_alive(process: u32) -> bool {
    let mut command = std::process::Command::new("tasklist");
    let filter = format!("PID eq {process}");
    command.args(["/NH", "/FO", "CSV", "/FI", &filter]);
    command.stdin(std::process::Stdio::null());
    match command.output() {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).contains(&format!("\"{process}\""))
        }
        _ => true,
    }
}

#[cfg(not(any(unix, windows)))]
fn is_process_alive(_process: u32) -> bool {
    true
}
