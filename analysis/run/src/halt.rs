//! The reasons that end a run before its end.

use crate::items::Span;

/// What ended a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Halt {
    /// Something is not executed: nothing is known of the results.
    Refused {
        /// Where; none where an input is at fault.
        place: Option<Span>,
        /// Why, in a sentence without its full stop.
        reason: String,
        /// What to do.
        help: Option<String>,
    },
    /// The device cannot do it with these values.
    Fault {
        /// Where.
        place: Span,
        /// What is wrong, in a sentence without its full stop.
        reason: String,
    },
}

impl Halt {
    /// Something that is not executed, at a place.
    pub(super) fn refused(place: Span, reason: impl Into<String>) -> Self {
        Self::Refused {
            place: Some(place),
            reason: reason.into(),
            help: None,
        }
    }

    /// An input that does not fit.
    pub(super) fn input(reason: impl Into<String>, help: Option<&str>) -> Self {
        Self::Refused {
            place: None,
            reason: reason.into(),
            help: help.map(str::to_owned),
        }
    }

    /// What the device cannot do with the values that it has.
    pub(super) fn fault(place: Span, reason: impl Into<String>) -> Self {
        Self::Fault {
            place,
            reason: reason.into(),
        }
    }
}

/// A step of a run.
pub(super) type Step<T> = Result<T, Halt>;
