//! What several findings come from, as rules declare it. What becomes of findings of one cause is the engine's business.

/// What a finding comes from: the kind of fault and what is at fault.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cause {
    /// The kind of fault.
    pub fault: &'static str,
    /// The name or value at fault.
    pub subject: String,
    /// Whether places in other items of the file belong to it.
    pub everywhere: bool,
}

impl Cause {
    /// A cause that places of one item share: what is right in one function may be wrong in another.
    pub fn in_item(fault: &'static str, subject: impl Into<String>) -> Self {
        Self {
            fault,
            subject: subject.into(),
            everywhere: false,
        }
    }

    /// A cause that all places of a file share: a fault of what an axis is declared as.
    pub fn in_file(fault: &'static str, subject: impl Into<String>) -> Self {
        Self {
            everywhere: true,
            ..Self::in_item(fault, subject)
        }
    }
}
