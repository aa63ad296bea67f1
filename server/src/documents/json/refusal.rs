//! Why there is no answer, where JSON was asked for.

use schemars::JsonSchema;
use serde::Serialize;

/// An expression that is ill-formed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Refused {
    pub(crate) error: Reason,
}

/// Which rule refuses it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reason {
    pub(crate) rule: String,
    pub(crate) message: String,
    /// Left out where no single place is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<Place>,
}

/// The part of an expression that is refused.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Place {
    pub(crate) expr: String,
    /// Characters before it.
    pub(crate) start: usize,
    /// Characters up to its end; `start` at the end of the expression.
    pub(crate) end: usize,
}

/// A run that failed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunFailed {
    pub(crate) error: Failed,
}

/// Why.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Failed {
    /// All of it.
    pub(crate) message: String,
    /// A line each, as on standard error.
    pub(crate) messages: Vec<String>,
}

impl RunFailed {
    pub(crate) fn of(messages: &[String]) -> Self {
        Self {
            error: Failed {
                message: messages.join("\n"),
                messages: messages.to_vec(),
            },
        }
    }
}

impl Place {
    /// The part of an expression that these bytes hold.
    pub(crate) fn of(expr: &str, bytes: &std::ops::Range<usize>) -> Self {
        let characters = |byte: usize| expr.char_indices().take_while(|(at, _)| *at < byte).count();
        Self {
            expr: expr.to_owned(),
            start: characters(bytes.start),
            end: characters(bytes.end),
        }
    }

    /// `^^` below the part; one mark where nothing is there.
    pub(crate) fn underline(&self) -> String {
        let marks = self.end.saturating_sub(self.start).max(1);
        format!("{}{}", " ".repeat(self.start), "^".repeat(marks))
    }
}
