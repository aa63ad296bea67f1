//! From a folder to an exit code: the server on standard input and output.

use std::path::Path;

use rmcp::ServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;

use super::server::Tools;
use crate::project::Failure;
use crate::project::paths::system_reason;

/// The most bytes of one message. A text to check may have [`super::room::TEXT_BYTES`], and JSON may take six for one of them; what
/// is longer than this is passed over, since the whole of it is never held.
const MESSAGE_BYTES: usize = 64 << 20;

/// Serves the files of a folder until standard input ends.
pub fn run_on_stdio(folder: &Path) -> Result<(), Failure> {
    let root = folder.canonicalize().map_err(|error| {
        let (folder, reason) = (folder.display(), system_reason(&error));
        Failure::new(format!("cannot serve `{folder}`: {reason}"))
    })?;
    if !root.is_dir() {
        let folder = folder.display();
        return Err(Failure::new(format!(
            "cannot serve `{folder}`: it is not a folder"
        )));
    }
    if root.to_str().is_none() {
        let folder = folder.display();
        return Err(Failure::new(format!(
            "cannot serve `{folder}`: its path is not UTF-8"
        )));
    }
    let started = |error: std::io::Error| Failure::new(format!("cannot start the server: {error}"));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(started)?;
    let tools = Tools::start(&root).map_err(started)?;
    let ended = runtime.block_on(async move {
        let transport = AsyncRwTransport::new_server(tokio::io::stdin(), tokio::io::stdout())
            .with_max_line_length(MESSAGE_BYTES);
        let service = tools.serve(transport).await.map_err(|error| {
            Failure::new(format!(
                "the client did not begin as the protocol asks: {error}"
            ))
        })?;
        service
            .waiting()
            .await
            .map_err(|error| Failure::new(format!("a defect of visa-lint: {error}")))
    });
    // A thread of the runtime may wait for standard input: it must not keep the process.
    runtime.shutdown_background();
    ended.map(|_| ())
}
