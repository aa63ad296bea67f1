//! `map` and `sequence`: one mapping, and the configuration of one sequencer, without any file.

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use visa_analysis::{
    MappingQuestion, QuestionError, SequenceAnswer, SequenceQuestion, SequencerMode,
    derive_sequence, evaluate_mapping,
};

use super::server::Tools;
use crate::documents::json::expressions::Mapping;
use crate::project::folder_dialects::dialect_in;
use crate::project::settings::Dialect;

/// Positions that are shown at once.
const POSITIONS: u64 = 256;

/// The arguments of `map` that are expressions, in the question's order.
const EXPRESSIONS: [&str; 2] = ["expr", "against"];

/// Those of `sequence`.
const MAPPINGS: [&str; 3] = ["buffer", "time", "packet"];

/// Positions that are shown where only the first is given.
const SHOWN: u64 = 16;

/// What `map` is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MapInput {
    /// The mapping expression, with or without `m![…]`.
    expr: String,
    /// The axes and their sizes: `A = 8, B = 512`.
    #[serde(default)]
    axes: String,
    /// The element type, for the size in bits.
    element_type: Option<String>,
    /// The first of the positions whose index is shown.
    from: Option<u64>,
    /// How many positions are shown, at most 256; 16 by default where `from` is given.
    positions: Option<u64>,
    /// Another expression: are the two equivalent?
    against: Option<String>,
    /// The library whose macro reads the expression, as `opt-std@0.8`; by default that of the workspace.
    dialect: Option<Dialect>,
}

/// What `sequence` is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SequenceInput {
    /// The axes and their sizes: `A = 8, B = 512`.
    #[serde(default)]
    axes: String,
    /// The mapping of the buffer.
    buffer: String,
    /// The mapping of the stream's iterations; `1` by default.
    time: Option<String>,
    /// The mapping of one iteration's elements; `1` by default.
    packet: Option<String>,
    /// The element type; `i8` by default.
    element_type: Option<String>,
    /// What the sequencer is for; `fetch` by default.
    #[serde(default)]
    mode: Mode,
    /// Whether it runs in the sub context.
    #[serde(default)]
    sub_context: bool,
    /// The buffer's address in bytes.
    #[serde(default)]
    address: u64,
}

/// What a sequencer is for.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// DM to the Tensor Unit.
    #[default]
    Fetch,
    /// The Tensor Unit to DM.
    Commit,
    /// One side of a DMA transfer.
    Dma,
}

#[tool_router(router = expressions_router, vis = "pub(super)")]
impl Tools {
    /// Evaluate a mapping expression: size, normal form, factors, index of positions, equivalence to another.
    #[tool(annotations(
        title = "Evaluate a mapping",
        read_only_hint = true,
        open_world_hint = false
    ))]
    async fn map(&self, Parameters(input): Parameters<MapInput>) -> Result<Json<Mapping>, String> {
        let root = self.room.root.path().to_path_buf();
        let work = move || {
            let mut question = MappingQuestion {
                expression: &input.expr,
                axes: &input.axes,
                element_type: input.element_type.as_deref(),
                positions: None,
                against: input.against.as_deref(),
                picture: 0,
                dialect: dialect_in(&root, input.dialect.unwrap_or_default()),
            };
            let mut answer =
                evaluate_mapping(&question).map_err(|error| refusal_words(&error, &EXPRESSIONS))?;
            if let Some(from) = input.from.or(input.positions.map(|_| 0)) {
                let count = input.positions.unwrap_or(SHOWN);
                if count > POSITIONS {
                    return Err(format!("at most {POSITIONS} positions at once"));
                }
                if from >= answer.size {
                    return Err(format!(
                        "position {from} is outside: there are {}",
                        answer.size
                    ));
                }
                question.positions = Some((from, from.saturating_add(count).min(answer.size)));
                answer = evaluate_mapping(&question)
                    .map_err(|error| refusal_words(&error, &EXPRESSIONS))?;
            }
            if answer.bits.is_some_and(|bits| u64::try_from(bits).is_err()) {
                return Err(
                    "the tensor has more than 2^64 bits; leave `element_type` out".to_owned(),
                );
            }
            Ok(Mapping::of(&answer))
        };
        deep(work).await.map(Json)
    }

    /// Derive the configuration of one sequencer: entries, access size, accesses, cycles, bank runs, and what an engine refuses.
    #[tool(annotations(
        title = "Derive a sequencer",
        read_only_hint = true,
        open_world_hint = false
    ))]
    async fn sequence(
        &self,
        Parameters(input): Parameters<SequenceInput>,
    ) -> Result<Json<SequenceAnswer>, String> {
        let work = move || {
            let answer = derive_sequence(&SequenceQuestion {
                axes: &input.axes,
                buffer: &input.buffer,
                time: input.time.as_deref().unwrap_or("1"),
                packet: input.packet.as_deref().unwrap_or("1"),
                element_type: input.element_type.as_deref().unwrap_or("i8"),
                mode: match input.mode {
                    Mode::Fetch => SequencerMode::Fetch,
                    Mode::Commit => SequencerMode::Commit,
                    Mode::Dma => SequencerMode::Dma,
                },
                sub_context: input.sub_context,
                address: input.address,
            });
            let answer = answer.map_err(|error| refusal_words(&error, &MAPPINGS))?;
            let strides = answer.entries.iter().chain(&answer.merged);
            let mut strides = strides.filter_map(|entry| entry.stride);
            if strides.any(|stride| i64::try_from(stride).is_err()) {
                return Err("a stride is beyond 64 bits".to_owned());
            }
            Ok(answer)
        };
        deep(work).await.map(Json)
    }
}

/// Work on expressions, which may be nested deeply, where there is stack for it.
async fn deep<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let thread = std::thread::Builder::new().stack_size(crate::project::engine::STACK_BYTES);
    let started = thread.spawn(move || {
        // The client may have gone.
        let _ = sender.send(work());
    });
    started.map_err(|error| format!("the system gives no thread: {error}"))?;
    receiver
        .await
        .map_err(|_| "a defect of visa-lint in this question".to_owned())?
}

/// Words for a caller about an expression that is refused, given by one of these arguments.
fn refusal_words(error: &QuestionError, arguments: &[&str]) -> String {
    match error {
        QuestionError::Option(words) => words.clone(),
        QuestionError::IllFormed {
            rule,
            message,
            which,
            at,
        } => {
            let argument = arguments.get(*which).copied().unwrap_or_default();
            let part = at.as_ref().and_then(|(text, span)| text.get(span.clone()));
            let part = part.filter(|part| !part.is_empty());
            // Words about syntax name the place themselves.
            let part = part.filter(|part| !message.ends_with(&format!("`{part}`")));
            let place = part.map_or_else(String::new, |part| format!(" (at `{part}`)"));
            format!("`{argument}`: {rule}: {message}{place}; for details: `explain` `{rule}`")
        }
    }
}
