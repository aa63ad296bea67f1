//! The methods of a library in a release, as a list to read: on what, how they are called, what they do.

use crate::cost::tier_name;
use crate::items;
use crate::kernel::dialect::{self, Guide, PlanKind, Receiver};

/// A method of a library.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MethodEntry {
    /// What it is called on: `a tensor in dm`, `a stream`.
    pub receiver: String,
    /// Its name with generics and arguments: `fetch::<TIME, PACKET>()`.
    pub signature: String,
    /// What it does.
    pub summary: String,
}

/// The methods that a library has in a release, in the order of its table, each once.
pub fn methods_of(library: items::Dialect) -> Vec<MethodEntry> {
    let dialect = dialect::dialect_in_release(library);
    let mut entries: Vec<MethodEntry> = Vec::new();
    for method in dialect.every_method() {
        let Some(guide) = dialect.guide(method) else {
            continue;
        };
        let entry = MethodEntry {
            receiver: receiver(method.receiver),
            signature: signature_text(method.name, &guide),
            summary: guide.summary,
        };
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    entries
}

fn receiver(receiver: Receiver) -> String {
    match receiver {
        Receiver::Tensor(tier, _) => format!("a tensor in {}", tier_name(tier)),
        Receiver::TensorUnit => "a context of the Tensor Unit".to_owned(),
        Receiver::DmaEngine => "a context of a DMA engine".to_owned(),
        Receiver::Stream => "a stream".to_owned(),
        Receiver::Single => "a single stream in the Vector Engine".to_owned(),
        Receiver::Pair => "two groups in the Vector Engine".to_owned(),
        Receiver::Plan(PlanKind::Redistribution) => "a plan of a redistribution".to_owned(),
        Receiver::Plan(PlanKind::Gather) => "a plan of a gather".to_owned(),
        Receiver::Plan(PlanKind::Scatter) => "a plan of a scatter".to_owned(),
        Receiver::RunTimeValue => "a value in hbm".to_owned(),
    }
}

fn signature_text(name: &str, guide: &Guide) -> String {
    let generics: Vec<&str> = guide.generics.iter().map(|part| part.name).collect();
    let arguments = guide.arguments.iter();
    let arguments: Vec<String> = arguments
        .map(|part| format!("{}: {}", part.name, part.ty))
        .collect();
    let generics = match (guide.turbofish, generics.is_empty()) {
        (true, false) => format!("::<{}>", generics.join(", ")),
        _ => String::new(),
    };
    format!("{name}{generics}({})", arguments.join(", "))
}
