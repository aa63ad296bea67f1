//! Questions about single expressions, as the commands `map` and `sequence` ask them.
//!
//! An expression is read as if it stood in a file that declares the axes, so that a command and a kernel cannot disagree
//! about what it means or why it is refused.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::check::item_findings;
use crate::db::AnalysisDatabase;
use crate::derivation::fetch::unaligned_bits;
use crate::derivation::sequencer::{self, SequenceRequest};
use crate::hardware::ElementType;
use crate::inputs::{Options, Project, SourceFile};
use crate::items::{Dialect, ItemKind, Span, alias_mapping, file_items, file_range, grammar_in};
use crate::kernel::Context;
use crate::mapping::{
    Answer, Cell, Factor, IndexFunction, Mapping, mappings_equal, parse_axes_in, parse_mapping_in,
};
use crate::rules::unaligned_packet;

pub use crate::derivation::sequencer::SequencerMode;

/// The path of the file that a question is read in.
const FILE: &str = "question.rs";

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionError {
    /// An expression that a kernel could not write either.
    IllFormed {
        /// The rule that refuses it.
        rule: String,
        /// Its words.
        message: String,
        /// Which of the question's expressions it is, by its place among them.
        which: usize,
        /// The expression without its wrapping, and the bytes of it that are refused; empty at its end. `None` where no single
        /// place is.
        at: Option<(String, std::ops::Range<usize>)>,
    },
    /// Something beside the expressions: axes, a type, a position.
    Option(String),
}

/// What one mapping says.
#[derive(Debug, Clone, Default)]
pub struct MappingQuestion<'a> {
    /// The expression, with or without `m![…]`.
    pub expression: &'a str,
    /// The axes, as in `axes![…]`.
    pub axes: &'a str,
    /// The element type's name.
    pub element_type: Option<&'a str>,
    /// Positions to show: from the first to before the second.
    pub positions: Option<(u64, u64)>,
    /// An expression to compare with.
    pub against: Option<&'a str>,
    /// How many positions a picture has room for.
    pub picture: u64,
    /// The library and release whose macro reads the expression.
    pub dialect: Dialect,
}

/// The tensor index of a position by axis; `None` for padding.
pub type PositionIndex = Option<BTreeMap<String, u64>>;

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappingAnswer {
    /// The expression without its wrapping.
    pub expression: String,
    /// Positions.
    pub size: u64,
    /// Bits of all positions, if a type was given.
    pub bits: Option<u128>,
    /// The shortest expression with the same meaning.
    pub normal_form: String,
    /// The factors of the normal form, outermost first.
    pub factors: Vec<Factor>,
    /// The positions asked for.
    pub index: Vec<PositionIndex>,
    /// The first positions.
    pub picture: Vec<PositionIndex>,
    /// Whether the two expressions mean the same, if another was given; `Some(None)` where that cannot be decided.
    pub equivalent: Option<Option<bool>>,
}

/// What one sequencer does.
#[derive(Debug, Clone)]
pub struct SequenceQuestion<'a> {
    /// The axes, as in `axes![…]`.
    pub axes: &'a str,
    /// The buffer's expression.
    pub buffer: &'a str,
    /// The expression of the stream's iterations.
    pub time: &'a str,
    /// The expression of one iteration.
    pub packet: &'a str,
    /// The element type's name.
    pub element_type: &'a str,
    /// The engine.
    pub mode: SequencerMode,
    /// Whether it runs in the sub context.
    pub sub_context: bool,
    /// The buffer's address in bytes.
    pub address: u64,
}

/// A loop of a sequencer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Entry")]
pub struct SequenceEntry {
    /// Iterations.
    pub size: u64,
    /// Elements between two iterations.
    pub stride: Option<i128>,
    /// The axis, if it is one.
    pub axis: Option<String>,
}

/// The answer. Fields are null where there is no configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Sequence")]
pub struct SequenceAnswer {
    /// Loops as the mappings are written, outermost first.
    pub entries: Vec<SequenceEntry>,
    /// Loops after merging, outermost first; no axis counts them.
    #[serde(serialize_with = "merged")]
    #[schemars(with = "Vec<MergedEntry>")]
    pub merged: Vec<SequenceEntry>,
    /// Bytes of the packet.
    pub packet_bytes: Option<u64>,
    /// Bytes that are in a line.
    pub contiguous_bytes: Option<u64>,
    /// Bytes that one access moves.
    pub access_bytes: Option<u64>,
    /// Accesses altogether.
    pub accesses: Option<u64>,
    /// Cycles that they take.
    pub cycles: Option<u64>,
    /// The largest number of consecutive accesses to one bank.
    pub longest_bank_run: Option<u64>,
    /// The rule of the first limit broken.
    pub error: Option<String>,
    /// What an engine refuses anyway; left out where there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<SequenceRefusal>,
}

/// A loop after merging, as documents have it.
#[derive(Serialize, JsonSchema)]
struct MergedEntry {
    /// Iterations.
    size: u64,
    /// Elements between two iterations.
    stride: Option<i128>,
}

fn merged<S: Serializer>(entries: &[SequenceEntry], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(entries.iter().map(|entry| MergedEntry {
        size: entry.size,
        stride: entry.stride,
    }))
}

/// Something that an engine refuses of a stream that its sequencer has a configuration for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Refusal")]
pub struct SequenceRefusal {
    /// The rule.
    pub rule: &'static str,
    /// Its words.
    pub message: String,
}

/// Evaluates one mapping.
///
/// # Errors
///
/// An ill-formed expression; axes, a type or positions that make no sense.
pub fn evaluate_mapping(question: &MappingQuestion<'_>) -> Result<MappingAnswer, QuestionError> {
    let expressions: Vec<&str> = [Some(question.expression), question.against]
        .into_iter()
        .flatten()
        .collect();
    let mappings = read(question.axes, &expressions, question.dialect)?;
    let [mapping, rest @ ..] = mappings.as_slice() else {
        return Err(no_value(question.expression, 0));
    };
    let element_type = question.element_type.map(element_type).transpose()?;
    let size = mapping.size();
    let function = mapping.form().function();
    let index = match question.positions {
        Some((_, end)) if end > size => {
            return Err(QuestionError::Option(format!(
                "position {} is outside: there are {size}",
                end - 1
            )));
        }
        Some((start, end)) => (start..end)
            .map(|position| cell(mapping, &function, position))
            .collect(),
        None => Vec::new(),
    };
    let form = mapping.form();
    Ok(MappingAnswer {
        expression: without_mapping_macro(question.expression).to_owned(),
        size,
        bits: element_type.map(|element| u128::from(size) * u128::from(element.bits())),
        normal_form: form.to_mapping().to_string(),
        factors: form.factors(),
        index,
        picture: (0..question.picture.min(size))
            .map(|position| cell(mapping, &function, position))
            .collect(),
        equivalent: rest
            .first()
            .map(|other| match mappings_equal(mapping, other) {
                Answer::Yes => Some(true),
                Answer::No => Some(false),
                Answer::Unknown => None,
            }),
    })
}

/// Derives one sequencer.
///
/// # Errors
///
/// An ill-formed expression; axes or a type that make no sense. A sequencer that the hardware does not have is an answer.
pub fn derive_sequence(question: &SequenceQuestion<'_>) -> Result<SequenceAnswer, QuestionError> {
    let mappings = read(
        question.axes,
        &[question.buffer, question.time, question.packet],
        Dialect::default(),
    )?;
    let [buffer, time, packet] = mappings.as_slice() else {
        return Err(no_value(question.buffer, 0));
    };
    let element = element_type(question.element_type)?;
    let mut request = SequenceRequest::new(
        buffer.clone(),
        time.clone(),
        packet.clone(),
        element,
        question.mode,
    );
    request.context = Some(if question.sub_context {
        Context::Sub
    } else {
        Context::Main
    });
    request.address = Some(question.address);
    let report = sequencer::sequence_report(&request);
    let plain = |entry: &sequencer::Entry| SequenceEntry {
        size: entry.size,
        stride: entry.stride,
        axis: entry.axis.as_deref().map(str::to_owned),
    };
    Ok(SequenceAnswer {
        entries: report.entries.iter().map(plain).collect(),
        merged: report.merged.iter().map(plain).collect(),
        packet_bytes: report.packet_bytes,
        contiguous_bytes: report.contiguous_bytes,
        access_bytes: report.access_bytes,
        accesses: report.accesses,
        cycles: report.cycles,
        longest_bank_run: report.longest_bank_run,
        error: report.error().map(str::to_owned),
        refusals: packet_refusals(question.mode, element, packet),
    })
}

/// What the engine refuses of the packet as such.
fn packet_refusals(
    mode: SequencerMode,
    element: ElementType,
    packet: &Mapping,
) -> Vec<SequenceRefusal> {
    if mode != SequencerMode::Fetch {
        return Vec::new();
    }
    let refusal = |bits| SequenceRefusal {
        rule: "fetch_packet_alignment",
        message: unaligned_packet(bits),
    };
    unaligned_bits(element, packet)
        .map(refusal)
        .into_iter()
        .collect()
}

/// Reads expressions over the axes, as aliases of one small file. A size may be arithmetic: here it need not compile.
fn read(axes: &str, expressions: &[&str], dialect: Dialect) -> Result<Vec<Mapping>, QuestionError> {
    let grammar = grammar_in(dialect);
    let written = axes.trim().trim_end_matches(';');
    let axes = without_macro(written, "axes!")
        .map_err(|(words, _)| QuestionError::Option(format!("axes `{written}`: {words}")))?;
    let (declared, errors) = parse_axes_in(axes, grammar);
    let mut faults = errors.iter().filter(|error| error.instead.is_none());
    if let Some(error) = faults.next().filter(|_| !axes.trim().is_empty()) {
        return Err(QuestionError::Option(format!(
            "axes `{axes}`: {}",
            error.message
        )));
    }
    let library = dialect.library.crate_name();
    let mut text = format!("use {library}::prelude::*;\n");
    if !axes.trim().is_empty() {
        let sizes = declared
            .iter()
            .filter_map(|axis| Some(format!("{} = {}", axis.name, axis.size?)));
        let sizes: Vec<String> = sizes.collect();
        text.push_str(&format!("axes![{}];\n", sizes.join(", ")));
    }
    // Where each expression begins in the text.
    let mut places: Vec<usize> = Vec::new();
    for (number, expression) in expressions.iter().enumerate() {
        let refuse = |message: String, expression: &str, span| QuestionError::IllFormed {
            rule: "mapping_syntax".to_owned(),
            message,
            which: number,
            at: Some((expression.to_owned(), span)),
        };
        let expression = without_macro(expression, "m!")
            .map_err(|(words, span)| refuse(words, expression.trim(), span))?;
        // Only what has its brackets in pairs may be put between others.
        if let Some(error) = parse_mapping_in(expression, grammar).1.first() {
            let message = format!(
                "{}, at {}",
                error.message,
                place_text(expression, &error.span)
            );
            return Err(refuse(message, expression, error.span.clone()));
        }
        text.push_str(&format!("type Question{number} = m!["));
        places.push(text.len());
        text.push_str(&format!("{expression}\n];\n"));
    }
    let mut db = AnalysisDatabase::default();
    let options = Options {
        library: Some(dialect.library),
        release: Some(dialect.release),
        ..Options::default()
    };
    db.set_project([(FILE, text.as_str())], Vec::new(), options);
    let file = db
        .file(FILE)
        .or_else(|| first_file(&db))
        .ok_or_else(|| no_value(axes, 0))?;
    let mut mappings = Vec::new();
    for item in file_items(&db, file).items.iter().copied() {
        let found = item_findings(&db, item);
        if let Some(finding) = found
            .findings
            .iter()
            .find(|finding| is_fatal(finding.rule.name))
        {
            return Err(match item.kind(&db) {
                ItemKind::Alias => QuestionError::IllFormed {
                    rule: finding.rule.name.to_owned(),
                    message: with_help(&finding.message, finding.advice().as_deref()),
                    which: mappings.len(),
                    at: refused_part(&db, finding.span, (expressions, &places), mappings.len()),
                },
                _ => QuestionError::Option(format!("axes `{axes}`: {}", finding.message)),
            });
        }
        if item.kind(&db) == ItemKind::Alias {
            let number = mappings.len();
            let expression = expressions.get(number).copied().unwrap_or_default();
            let mapping = alias_mapping(&db, item)
                .mapping
                .clone()
                .ok_or_else(|| no_value(expression, number))?;
            mappings.push(mapping);
        }
    }
    Ok(mappings)
}

/// The expression of a number, and the part of it that a span of the file is.
fn refused_part(
    db: &AnalysisDatabase,
    span: Span,
    (expressions, places): (&[&str], &[usize]),
    number: usize,
) -> Option<(String, std::ops::Range<usize>)> {
    let expression = without_mapping_macro(expressions.get(number)?);
    let begins = *places.get(number)?;
    let (_, start, end) = file_range(db, span);
    let start = (start as usize).checked_sub(begins)?;
    let end = (end as usize).checked_sub(begins)?.min(expression.len());
    expression.get(start..end)?;
    Some((expression.to_owned(), start..end))
}

/// A finding that leaves an expression without a meaning; others are opinions.
fn is_fatal(rule: &str) -> bool {
    crate::catalogue::find(rule).is_some_and(|rule| rule.group == crate::rules::Group::Mapping)
}

fn first_file(db: &AnalysisDatabase) -> Option<SourceFile> {
    Project::try_get(db)?.files(db).values().next().copied()
}

fn no_value(expression: &str, which: usize) -> QuestionError {
    QuestionError::IllFormed {
        rule: "unknown_axis".to_owned(),
        message: format!("`{expression}` names something that is not an axis"),
        which,
        at: None,
    }
}

fn with_help(message: &str, help: Option<&str>) -> String {
    help.map_or_else(|| message.to_owned(), |help| format!("{message}; {help}"))
}

/// The text of an error, or the end of the expression.
fn place_text(expression: &str, span: &std::ops::Range<usize>) -> String {
    expression
        .get(span.clone())
        .filter(|text| !text.is_empty())
        .map_or_else(|| "the end".to_owned(), |text| format!("`{text}`"))
}

/// The expression without `m![…]`, where that could be read.
fn without_mapping_macro(expression: &str) -> &str {
    without_macro(expression, "m!").unwrap_or(expression)
}

/// What is in the brackets of a macro's call; a text that is no such call as it is. A call that does not end where the text ends is refused
/// with the bytes of the trimmed text where that is seen.
fn without_macro<'a>(
    text: &'a str,
    name: &str,
) -> Result<&'a str, (String, std::ops::Range<usize>)> {
    let text = text.trim();
    let Some(call) = text.strip_prefix(name) else {
        return Ok(text);
    };
    let begins = text.len() - call.trim_start().len();
    let Some(open) = call
        .trim_start()
        .chars()
        .next()
        .filter(|letter| "[({".contains(*letter))
    else {
        let words = format!("the call of `{name}` has no brackets: `{name}[…]`");
        return Err((words, 0..name.len()));
    };
    let mut depth = 0_usize;
    for (at, letter) in call.trim_start().char_indices() {
        match letter {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > 0 {
            continue;
        }
        let end = begins + at;
        if !matches!((open, letter), ('[', ']') | ('(', ')') | ('{', '}')) {
            return Err((format!("`{open}` is closed by `{letter}`"), end..end + 1));
        }
        let behind = text.get(end + 1..).unwrap_or_default().trim();
        if !behind.is_empty() {
            let words = format!("the call of `{name}` ends before `{behind}`");
            return Err((words, text.len() - behind.len()..text.len()));
        }
        return Ok(text.get(begins + 1..end).unwrap_or_default().trim());
    }
    let words = format!("`{open}` is never closed");
    Err((words, begins..begins + 1))
}

fn element_type(name: &str) -> Result<ElementType, QuestionError> {
    ElementType::from_name(name).ok_or_else(|| {
        let known = ElementType::ALL.map(|kind| format!("`{}`", kind.name()));
        let known = known.join(", ");
        QuestionError::Option(format!(
            "`{name}` is not an element type; there are: {known}"
        ))
    })
}

/// The index of a position, zeros of the mapping's axes included.
fn cell(mapping: &Mapping, function: &IndexFunction, position: u64) -> PositionIndex {
    match function.cell_at(position) {
        Cell::Index(index) => {
            let axes = mapping.axes();
            Some(
                axes.iter()
                    .map(|axis| (axis.name().to_owned(), index.value(axis.name())))
                    .collect(),
            )
        }
        Cell::Padding(_) | Cell::OutOfBounds => None,
    }
}

#[cfg(test)]
mod tests;
