//! Pipes and events by name, in both spellings.

use std::borrow::Cow;

use super::super::syntax::{Cursor, File, Kind, OperationId, Place};

/// The pipes of a core, by name.
pub const PIPES: [&str; 15] = [
    "PIPE_S",
    "PIPE_V",
    "PIPE_M",
    "PIPE_MTE1",
    "PIPE_MTE2",
    "PIPE_MTE3",
    "PIPE_MTE4",
    "PIPE_MTE5",
    "PIPE_V2",
    "PIPE_FIX",
    "PIPE_ALL",
    "PIPE_NUM",
    "PIPE_UNASSIGNED",
    "VIRTUAL_PIPE_MTE2_L1A",
    "VIRTUAL_PIPE_MTE2_L1B",
];

/// Events between two pipes (current manual).
pub const EVENTS: u32 = 8;

/// The events by name.
pub const EVENT_NAMES: [&str; EVENTS as usize] = [
    "EVENT_ID0",
    "EVENT_ID1",
    "EVENT_ID2",
    "EVENT_ID3",
    "EVENT_ID4",
    "EVENT_ID5",
    "EVENT_ID6",
    "EVENT_ID7",
];

/// A name as it is kept: those of the core's pipes and events take no memory of their own.
pub type Name = Cow<'static, str>;

fn kept_name(text: &str) -> Name {
    let mut known = PIPES.iter().chain(&EVENT_NAMES);
    match known.find(|name| **name == text) {
        Some(name) => Cow::Borrowed(name),
        None => Cow::Owned(text.to_owned()),
    }
}

/// A name in a bracket, without quotation marks.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Named {
    /// The name.
    pub name: Name,
    /// Where it is written.
    pub place: Place,
}

/// `[from, to, event]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Flag {
    /// The pipe that sets it.
    pub from: Named,
    /// The pipe that waits for it.
    pub to: Named,
    /// Which one it is.
    pub event: Named,
}

impl Flag {
    /// Whether two are the same flag.
    pub fn is_same_flag(&self, other: &Self) -> bool {
        self.from.name == other.from.name
            && self.to.name == other.to.name
            && self.event.name == other.event.name
    }

    /// As it is written in messages.
    pub fn flag_text(&self) -> String {
        format!("{}, {}, {}", self.from.name, self.to.name, self.event.name)
    }

    /// The number of its event.
    pub fn number(&self) -> Option<u32> {
        self.event.name.strip_prefix("EVENT_ID")?.parse().ok()
    }
}

/// The names in an operation: `"PIPE_V"`, `<PIPE_V>`, `#pto.pipe<PIPE_V>`, each without what is around it.
fn names_in_operation(file: &File, id: OperationId) -> impl Iterator<Item = Named> {
    let mut cursor = Cursor::new(file, id);
    std::iter::from_fn(move || {
        loop {
            let token = cursor.next();
            let mut place = token.place;
            match token.kind {
                Kind::End => return None,
                Kind::Text => {
                    place.start += 1;
                    place.end -= 1;
                }
                Kind::Word if !matches!(file.text_at(place), "pipe" | "event") => {}
                _ => continue,
            }
            return Some(Named {
                name: kept_name(file.text_at(place)),
                place,
            });
        }
    })
}

/// The first name in an operation.
pub(super) fn first_name(file: &File, id: OperationId) -> Option<Named> {
    names_in_operation(file, id).next()
}

/// The flag that an operation names, if it names one.
pub(super) fn flag(file: &File, id: OperationId) -> Option<Flag> {
    let mut names = names_in_operation(file, id);
    let flag = Flag {
        from: names.next()?,
        to: names.next()?,
        event: names.next()?,
    };
    names.next().is_none().then_some(flag)
}
