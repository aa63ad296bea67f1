//! What pages listen to: the document of now, and what is still being worked out.

use std::sync::Arc;

use serde::Serialize;
use tokio::sync::watch;

/// What is being worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Work {
    /// Findings and costs.
    Checking,
    /// What would save cycles.
    Searching,
    /// Nothing: the document is whole.
    Done,
}

/// What pages show now.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// Which document it is; higher ones are newer, 0 is none.
    pub(super) number: u64,
    pub(super) work: Work,
    /// JSON; empty before the first one.
    pub(super) document: Arc<str>,
}

/// Where the states come from.
#[derive(Debug, Clone)]
pub(super) struct Feed {
    sender: Arc<watch::Sender<State>>,
}

/// Where they are read.
pub(super) type States = watch::Receiver<State>;

impl Feed {
    pub(super) fn new() -> (Self, States) {
        let (sender, states) = watch::channel(State {
            number: 0,
            work: Work::Checking,
            document: Arc::default(),
        });
        let sender = Arc::new(sender);
        (Self { sender }, states)
    }

    /// Says what is being worked out; the document stays.
    pub(super) fn say(&self, work: Work) {
        self.sender.send_modify(|state| state.work = work);
    }

    /// A new document.
    pub(super) fn publish(&self, document: String, work: Work) {
        self.sender.send_modify(|state| {
            *state = State {
                number: state.number + 1,
                work,
                document: document.into(),
            };
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{Feed, Work};

    #[test]
    fn the_newest_document_is_read_and_work_keeps_it() {
        let (feed, states) = Feed::new();
        assert_eq!(states.borrow().number, 0);
        feed.publish("{\"a\":1}".to_owned(), Work::Searching);
        feed.publish("{\"a\":2}".to_owned(), Work::Searching);
        feed.say(Work::Done);
        let state = states.borrow().clone();
        assert_eq!((state.number, state.work), (2, Work::Done));
        assert_eq!(&*state.document, "{\"a\":2}");
    }
}
