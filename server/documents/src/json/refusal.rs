//! Why there is no answer, where JSON was asked for.

use schemars::JsonSchema;
use serde::Serialize;

/// An expression that is ill-formed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Refused {
    error: Reason,
}

/// Which rule refuses it.
#[derive(Debug, Serialize, JsonSchema)]
struct Reason {
    rule: String,
    message: String,
    /// Left out where no single place is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Place>,
}

/// The part of an expression that is refused.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Place {
    expr: String,
    /// Characters before it.
    start: usize,
    /// Characters up to its end; `start` at the end of the expression.
    end: usize,
}

/// A run that failed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunFailed {
    error: Failed,
}

/// Why.
#[derive(Debug, Serialize, JsonSchema)]
struct Failed {
    /// All of it.
    message: String,
    /// A line each, as on standard error.
    messages: Vec<String>,
}

impl Refused {
    /// What a rule says of an expression, and of which part.
    pub fn new(rule: &str, message: &str, at: Option<Place>) -> Self {
        Self {
            error: Reason {
                rule: rule.to_owned(),
                message: message.to_owned(),
                at,
            },
        }
    }
}

impl RunFailed {
    /// The lines that standard error got.
    pub fn of(messages: &[String]) -> Self {
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
    pub fn of(expr: &str, bytes: &std::ops::Range<usize>) -> Self {
        let characters = |byte: usize| expr.char_indices().take_while(|(at, _)| *at < byte).count();
        Self {
            expr: expr.to_owned(),
            start: characters(bytes.start),
            end: characters(bytes.end),
        }
    }

    /// The expression that the part is of.
    pub fn expression(&self) -> &str {
        &self.expr
    }

    /// `^^` below the part; one mark where nothing is there.
    pub fn underline(&self) -> String {
        let marks = self.end.saturating_sub(self.start).max(1);
        format!("{}{}", " ".repeat(self.start), "^".repeat(marks))
    }
}
