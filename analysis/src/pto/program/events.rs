//! Pipes and events by name, in both spellings.

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

/// A name in a bracket, without quotation marks.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Named {
    /// The name.
    pub name: String,
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
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        self.from.name == other.from.name
            && self.to.name == other.to.name
            && self.event.name == other.event.name
    }

    /// As it is written in messages.
    #[must_use]
    pub fn shown(&self) -> String {
        format!("{}, {}, {}", self.from.name, self.to.name, self.event.name)
    }

    /// The number of its event.
    #[must_use]
    pub fn number(&self) -> Option<u32> {
        self.event.name.strip_prefix("EVENT_ID")?.parse().ok()
    }
}

/// The names in an operation: `"PIPE_V"`, `<PIPE_V>`, `#pto.pipe<PIPE_V>`, each without what is around it.
pub(super) fn names(file: &File, id: OperationId) -> Vec<Named> {
    let mut cursor = Cursor::new(file, id);
    let mut names = Vec::new();
    loop {
        let token = cursor.next();
        let mut place = token.place;
        match token.kind {
            Kind::End => return names,
            Kind::Text => {
                place.start += 1;
                place.end -= 1;
            }
            Kind::Word if !matches!(file.at(place), "pipe" | "event") => {}
            _ => continue,
        }
        names.push(Named {
            name: file.at(place).to_owned(),
            place,
        });
    }
}

/// The flag that an operation names, if it names one.
pub(super) fn flag(file: &File, id: OperationId) -> Option<Flag> {
    let mut names = names(file, id).into_iter();
    let flag = Flag {
        from: names.next()?,
        to: names.next()?,
        event: names.next()?,
    };
    names.next().is_none().then_some(flag)
}
