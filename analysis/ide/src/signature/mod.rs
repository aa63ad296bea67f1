//! The generics and arguments of the method, or the generics of the tensor type, that the cursor is in.

use crate::db::Db;
use crate::inputs::SourceFile;
use crate::kernel::Level;
use crate::kernel::dialect::{Dialect, Guide, Method, TypeParameter};

use crate::completion::context::{Around, Bracket, Owner};
use crate::completion::made::{Names, made_mappings};
use crate::completion::place::{arguments_before_cursor, owned_tier};
use crate::completion::receiver::{Receiver, called_method};
use crate::numbers::one_of;
use crate::{SignatureHelp, SignatureParameter};

/// The method that the cursor is in the turbofish or arguments of.
pub(super) fn signature_help(db: &dyn Db, file: SourceFile, offset: u32) -> Option<SignatureHelp> {
    let around = Around::at(db, file, offset)?;
    if around.comment.is_some() {
        return None;
    }
    let mut in_mapping = false;
    for opener in &around.openers {
        match around.owner(*opener) {
            // A mapping in the generics.
            Owner::Macro(name) if name == "m" || name == "i" => in_mapping = true,
            Owner::Turbofish { name, dot } => {
                return method_signature_help(
                    db,
                    &around,
                    (&name, dot),
                    opener.commas,
                    (false, in_mapping),
                );
            }
            Owner::Arguments { name, dot } => {
                return method_signature_help(
                    db,
                    &around,
                    (&name, dot),
                    opener.commas,
                    (true, false),
                );
            }
            Owner::Type(name) => return tensor_type(around.dialect(db), &name, opener.commas),
            // The fields of a configuration, a group in a mapping, an array.
            Owner::Record(..) => {}
            Owner::Call(owner, name) => {
                return constructor(db, &around, (&owner, &name), opener.commas);
            }
            Owner::Other if opener.bracket != Bracket::Curly => {}
            Owner::Other | Owner::Macro(_) => return None,
        }
    }
    None
}

fn method_signature_help(
    db: &dyn Db,
    around: &Around,
    (name, dot): (&str, usize),
    commas: usize,
    (in_arguments, is_certain): (bool, bool),
) -> Option<SignatureHelp> {
    let (method, receiver) = called_method(db, around, (name, dot), is_certain)?;
    let mut guide = around.dialect(db).guide(method)?;
    let expected = if in_arguments {
        None
    } else {
        expected_mapping(db, around, (method, receiver.as_ref()), commas)
    };
    let context = receiver.and_then(|receiver| receiver.pass()?.context);
    let arguments = method.arguments_in(context);
    guide.arguments = arguments
        .filter_map(|(index, _)| guide.arguments.get(index).copied())
        .collect();
    let active = if in_arguments {
        (commas < guide.arguments.len()).then(|| guide.generics.len().saturating_add(commas))
    } else {
        (commas < guide.generics.len()).then_some(commas)
    };
    let mut help = written_signature(name, &guide, active);
    let parameter = active.and_then(|active| help.parameters.get_mut(active));
    if let (Some(parameter), Some(expected)) = (parameter, expected) {
        let words = parameter.documentation.take();
        let words = words.map_or_else(String::new, |words| format!("{words}\n\n"));
        parameter.documentation = Some(format!("{words}{expected}"));
    }
    Some(help)
}

/// Mappings that are named as expected at most.
const EXPECTED: usize = 3;

/// What the stage makes of its input where the generic of that number is a mapping, as Markdown; none where that is left open.
fn expected_mapping(
    db: &dyn Db,
    around: &Around,
    (method, receiver): (&Method, Option<&Receiver>),
    number: usize,
) -> Option<String> {
    let opener = around
        .openers
        .iter()
        .copied()
        .find(|opener| matches!(around.owner(*opener), Owner::Turbofish { .. }))?;
    let (item, end) = around.item_here(db)?;
    let names = Names::at(db, item, end, end);
    let mut before = arguments_before_cursor(around, opener);
    before.truncate(number.saturating_add(1));
    let found = made_mappings(receiver?, method, &before, &names).into_iter();
    let found = found.filter_map(|made| Some((names.text(&made.mapping)?, made.words)));
    let lines: Vec<String> = found
        .take(EXPECTED)
        .map(|(mapping, words)| format!("`m![{mapping}]`: {words}"))
        .collect();
    match lines.as_slice() {
        [] => None,
        [only] => Some(format!("Expected here: {only}.")),
        several => Some(format!("What fits here:\n\n- {}", several.join("\n- "))),
    }
}

/// A function of a tensor's type that makes one, where the library's table has words for it.
fn constructor(
    db: &dyn Db,
    around: &Around,
    (owner, name): (&str, &str),
    commas: usize,
) -> Option<SignatureHelp> {
    let tier = owned_tier(db, around, owner)?;
    let function = around.dialect(db).associated_function(tier, name)?;
    if function.summary.is_empty() {
        return None;
    }
    let guide = Guide {
        summary: function.summary.to_owned(),
        generics: Vec::new(),
        arguments: function.arguments.to_vec(),
        turbofish: false,
        order: 0,
    };
    let active = (commas < guide.arguments.len()).then_some(commas);
    Some(written_signature(
        &format!("{owner}::{name}"),
        &guide,
        active,
    ))
}

/// A signature with the places of its parameters.
struct Label {
    text: String,
    parameters: Vec<SignatureParameter>,
}

impl Label {
    fn parameter(&mut self, text: &str, words: &str) {
        let start = self.length();
        self.text.push_str(text);
        self.parameters.push(SignatureParameter {
            label: (start, self.length()),
            documentation: (!words.is_empty()).then(|| words.to_owned()),
        });
    }

    fn length(&self) -> u32 {
        u32::try_from(self.text.len()).unwrap_or(u32::MAX)
    }
}

fn written_signature(name: &str, guide: &Guide, active: Option<usize>) -> SignatureHelp {
    let mut label = Label {
        text: name.to_owned(),
        parameters: Vec::new(),
    };
    if !guide.generics.is_empty() {
        label.text.push_str("::<");
        for (index, part) in guide.generics.iter().enumerate() {
            if index > 0 {
                label.text.push_str(", ");
            }
            label.parameter(part.name, part.meaning);
        }
        label.text.push('>');
    }
    label.text.push('(');
    for (index, part) in guide.arguments.iter().enumerate() {
        if index > 0 {
            label.text.push_str(", ");
        }
        label.parameter(&format!("{}: {}", part.name, part.ty), part.meaning);
    }
    label.text.push(')');
    SignatureHelp {
        label: label.text,
        documentation: Some(guide.summary.clone()),
        parameters: label.parameters,
        active: active.and_then(|active| u32::try_from(active).ok()),
    }
}

/// The generics of a type of the library. Lifetimes are before them and are not counted.
fn tensor_type(dialect: Dialect, name: &str, commas: usize) -> Option<SignatureHelp> {
    let entry = dialect.type_entry(name)?;
    let mut label = Label {
        text: format!("{name}<"),
        parameters: Vec::new(),
    };
    let is_plain = |parameter: &TypeParameter| *parameter == TypeParameter::Other;
    if entry.parameters.iter().all(is_plain) {
        return None;
    }
    for (index, parameter) in entry.parameters.iter().enumerate() {
        if index > 0 {
            label.text.push_str(", ");
        }
        let (name, words) = parameter_words(dialect, *parameter);
        label.parameter(name, &words);
    }
    label.text.push('>');
    let active = (commas < entry.parameters.len()).then_some(commas);
    Some(SignatureHelp {
        label: label.text,
        documentation: None,
        parameters: label.parameters,
        active: active.and_then(|active| u32::try_from(active).ok()),
    })
}

fn parameter_words(dialect: Dialect, parameter: TypeParameter) -> (&'static str, String) {
    let machine = dialect.machine();
    let (name, words) = match parameter {
        TypeParameter::Scalar => ("D", "The element type."),
        TypeParameter::Context => ("T", dialect.words.context_words),
        TypeParameter::Position => ("P", "The position in the pipeline."),
        TypeParameter::Stage => ("S", "The stage of the Vector Engine."),
        TypeParameter::Way => ("W", dialect.words.way_words),
        TypeParameter::Other => ("_", ""),
        TypeParameter::Level(level) => match level {
            Level::Chip => ("Chip", "The chips."),
            Level::Cluster => {
                let counts = one_of(machine.cluster_counts);
                return ("Cluster", format!("The clusters of a chip: {counts}."));
            }
            Level::Slice => {
                let counts = one_of(machine.slice_counts);
                return ("Slice", format!("The slices of a cluster: {counts}."));
            }
            Level::Pe => {
                let counts = one_of(machine.pe_counts);
                return (
                    "Pe",
                    format!("The processing elements of a cluster: {counts}."),
                );
            }
            Level::Row => {
                let counts: Vec<u64> = machine.row_counts().collect();
                let counts = one_of(&counts);
                let words = format!("The rows of the MAC array: {counts}.");
                return (dialect.words.row_name, words);
            }
            Level::Element => (
                "Element",
                "The positions that each slice, row or chip holds.",
            ),
            Level::Time => ("Time", "The iterations."),
            Level::Packet => ("Packet", "The elements of one iteration."),
        },
    };
    (name, words.to_owned())
}

#[cfg(test)]
mod release_tests;
#[cfg(test)]
mod tests;
