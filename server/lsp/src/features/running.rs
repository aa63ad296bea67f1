//! Runs of kernels in the editor: the command behind the lens, what it finds, and what a hover adds.

use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{CodeLens, Command, MessageType, Range, Uri};
use visa_analysis::arrays::shape_text;
use visa_analysis::{RunRefusal, RunReport, RunRequest, TracedValue, counted, thousands};

use crate::state::{Server, Snapshot};

/// The command of the server that runs a kernel. Its arguments: the document and the name of the function.
pub(crate) const RUN: &str = "visa.runKernel";

/// The seed of runs in the editor.
const SEED: u64 = 0;

/// Bytes that the elements of a run's tensors may take in the editor.
const MEMORY: u64 = 1_000_000_000;

/// The lens that runs a function.
pub(super) fn lens(uri: &Uri, range: Range, function: &str) -> CodeLens {
    CodeLens {
        range,
        command: Some(Command {
            title: format!("Run (random inputs, seed {SEED})"),
            command: RUN.to_owned(),
            arguments: Some(vec![json!(uri), json!(function)]),
        }),
        data: None,
    }
}

/// `workspace/executeCommand`: runs a function, and shows what it finds.
pub(crate) async fn run(server: &Arc<Server>, arguments: Vec<Value>) -> Result<()> {
    let mut arguments = arguments.into_iter();
    let uri = arguments
        .next()
        .and_then(|uri| serde_json::from_value::<Uri>(uri).ok());
    let (Some(uri), Some(Value::String(function))) = (uri, arguments.next()) else {
        return Err(Error::invalid_params(
            "the arguments are a document and a function's name",
        ));
    };
    let said = server
        .answer_request(move |snapshot| Ok(Some(ran(snapshot, &uri, &function))))
        .await?;
    let Some((kind, words)) = said else {
        return Ok(());
    };
    let client = server.client.clone();
    server.spawn(async move { client.show_message(kind, words).await });
    Ok(())
}

/// Runs a function, keeps what it finds, and says it in a line.
fn ran(snapshot: &Snapshot, uri: &Uri, function: &str) -> (MessageType, String) {
    let request = RunRequest {
        function: Some(function.into()),
        seed: SEED,
        max_memory: MEMORY,
        summarises: true,
        ..RunRequest::default()
    };
    match snapshot.analysis.run(&snapshot.path(uri), &request) {
        Err(refusal) => (MessageType::WARNING, refused(function, &refusal)),
        Ok(report) => {
            let said = said(&report);
            snapshot.keep_run(report);
            said
        }
    }
}

fn refused(function: &str, refusal: &RunRefusal) -> String {
    let place = match &refusal.place {
        Some(place) => format!(" (line {})", place.range.start.line),
        None => String::new(),
    };
    let help = refusal.help.iter().map(|help| format!("; {help}"));
    let help: String = help.collect();
    format!("`{function}` did not run: {}{place}{help}", refusal.reason)
}

fn said(report: &RunReport) -> (MessageType, String) {
    let function = &report.function;
    match report.findings.as_slice() {
        [] => {
            let words = format!("`{function}` ran: all elements of all outputs are defined");
            (MessageType::INFO, words)
        }
        [first, ..] => {
            let count = counted(report.findings.len() as u64, "finding");
            let words = format!("`{function}` ran: {count}; {}", first.message);
            (MessageType::WARNING, words)
        }
    }
}

/// What a run says of the value at a place: shape, range, share of undefined elements. Nothing where no run holds.
pub(super) fn hover(snapshot: &Snapshot, path: &str, byte: u32) -> Option<String> {
    let reports = snapshot.ran();
    let values = reports.iter().flat_map(|report| &report.traced);
    let around = values.filter(|value| {
        let range = value.span.range;
        *value.span.file == *path && (range.start.byte..=range.end.byte).contains(&byte)
    });
    let nearest = around.min_by_key(|value| {
        let range = value.span.range;
        range.end.byte.saturating_sub(range.start.byte)
    })?;
    Some(words(nearest))
}

fn words(value: &TracedValue) -> String {
    let mut text = format!(
        "In the last run: {} {}",
        value.kind,
        shape_text(&value.shape)
    );
    if let Some((least, most)) = value.range_of_values {
        text.push_str(&format!(", from {least} to {most}"));
    }
    let of = thousands(value.live);
    if value.undefined == 0 {
        text.push_str(&format!(", all {of} elements defined"));
    } else {
        let undefined = thousands(value.undefined);
        text.push_str(&format!(", {undefined} of {of} elements undefined"));
    }
    text
}
