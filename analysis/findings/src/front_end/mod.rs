//! What a front end of another language than Rust answers: the contract between a language's own room and those that are shared.
//!
//! A front end has one query a file that gives a [`FrontEndReport`]; the other questions have empty answers until it has its
//! own. Places are bytes of the file's text, its byte-order mark included. Nothing here knows a language.

mod placing;

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::answers::{
    Assist, ByteRange, Completion, Folding, Highlight, HintLevel, Hover, InlayHint, Lens, Place,
    RenameProblem, SignatureHelp, Symbol,
};
use crate::report::FileEdit;
use crate::{Finding, Rule, TextSpan};
use visa_base::db::Db;
use visa_base::lanes::Lane;
use visa_inputs::SourceFile;

pub use placing::{Placing, part_at, parts_with_places};

/// What is known of one file, at places in its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontEndReport {
    /// What the rules found, in any order; each place and rule once.
    pub findings: Vec<Finding<TextSpan>>,
    /// The transfers that were followed, and those that were not.
    pub transfers: Vec<TransferSite>,
    /// Kernels: functions with transfers.
    pub kernels: u64,
    /// Errors of syntax, each of which is a finding as well.
    pub syntax_errors: u64,
    /// Of a file that takes part and in which no transfer is recognised: a place that stands for it, and why.
    pub not_followed: Option<(TextSpan, Unresolved)>,
    /// Why the file could not be read in whole, in a clause: brackets that nest too deeply.
    pub not_analysed: Option<String>,
}

/// A transfer of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferSite {
    /// The operation or the call.
    pub span: TextSpan,
    /// For one of which not all is known.
    pub unresolved: Option<Unresolved>,
}

/// A transfer of which not all is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved {
    /// Its name as it is written.
    pub what: String,
    /// Why, in a clause. Reasons are counted, so that equal ones are written alike.
    pub reason: String,
}

/// A number that is known, or one in symbols. In documents it is a number, a text, or null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Quantity")]
pub enum Amount {
    /// A number.
    Known(u64),
    /// A product or sum of names and numbers, as a person would write it: `P * F * 2`.
    Symbolic(String),
    /// Nothing is known of it.
    Unknown,
}

impl Amount {
    /// The number, where it is known.
    pub const fn known(&self) -> Option<u64> {
        match self {
            Self::Known(number) => Some(*number),
            Self::Symbolic(_) | Self::Unknown => None,
        }
    }
}

/// A transfer's bytes and rows, and the least time that it takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TransferRow {
    /// The operation or the call.
    #[serde(skip)]
    pub span: TextSpan,
    /// Its name as it is written.
    pub what: String,
    /// From where to where: `GM to UB`, `HBM to SBUF`.
    pub direction: String,
    /// Who makes its addresses or carries it out, where that is known: a pipe, an engine, a mode.
    pub by: Option<String>,
    /// The lane that it runs in, where that is known.
    #[schemars(with = "Option<&'static str>")]
    pub lane: Option<Lane>,
    /// How often it runs in its function.
    pub times: Amount,
    /// Rows of a transfer, all its loops multiplied.
    pub rows: Amount,
    /// Bytes in a line of a row.
    pub run: Amount,
    /// Bytes that a transfer reads.
    pub bytes: Amount,
    /// Bytes that it writes, padding included.
    pub written: Amount,
    /// Time of one transfer in the unit of its function, at least; none without figures.
    pub time: Option<u64>,
    /// What the figures leave out, or why there are none.
    pub notes: Vec<String>,
}

/// The unit of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Cycles, by figures of the settings.
    Cycles,
    /// Nanoseconds, by the vendor's published figures.
    Nanoseconds,
}

impl TimeUnit {
    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Nanoseconds => "ns",
        }
    }
}

/// A flag that holds a lane up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SlotWait")]
pub struct LaneWait {
    /// What is waited for, as messages write it.
    pub cause: String,
    /// The lane that ends the wait, if it has one.
    #[schemars(with = "Option<&'static str>")]
    pub lane: Option<Lane>,
    /// When that is.
    pub until: u64,
}

/// One run of a transfer, in the unit of its function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Slot")]
pub struct TransferSlot {
    /// The number of its row, from 0.
    #[serde(rename = "transfer")]
    pub row: usize,
    /// Where it runs.
    #[schemars(with = "&'static str")]
    pub lane: Lane,
    /// When it starts.
    pub start: u64,
    /// When it has ended.
    pub end: u64,
    /// What its lane waited for before it, beyond the end of the transfer before.
    pub waits: Vec<LaneWait>,
}

/// When the transfers of a function run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Schedule")]
pub struct TransferSchedule {
    /// The end of the last.
    pub total: u64,
    /// All runs, in the order in which the function asks for them.
    pub slots: Vec<TransferSlot>,
}

/// What the transfers of one function move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferCost {
    /// The function.
    pub name: String,
    /// Its name's place.
    pub span: TextSpan,
    /// Its transfers, in the order of the text.
    pub rows: Vec<TransferRow>,
    /// Bytes by direction, all runs of all transfers together.
    pub totals: BTreeMap<String, Amount>,
    /// The most bytes that are in use at once, by memory.
    pub peaks: BTreeMap<String, u64>,
    /// The unit of times, where there are any.
    pub unit: Option<TimeUnit>,
    /// The sum of all times, at least; `None` where one is not known.
    pub time: Option<u64>,
    /// When each of them runs, where figures and every step are known.
    pub schedule: Option<TransferSchedule>,
    /// Where the figures are from, and what is assumed.
    pub notes: Vec<String>,
}

impl TransferCost {
    /// The lanes that its transfers run in, in the order in which they are shown.
    pub fn lanes(&self) -> Vec<Lane> {
        let mut lanes: Vec<Lane> = self.rows.iter().filter_map(|row| row.lane).collect();
        lanes.sort_unstable();
        lanes.dedup();
        lanes
    }

    /// Bytes that one lane moves, all runs of its transfers together; unknown where one is, or how often it runs.
    pub fn bytes_of(&self, lane: Lane) -> Amount {
        let own = self.rows.iter().filter(|row| row.lane == Some(lane));
        own.map(|row| row.bytes.known()?.checked_mul(row.times.known()?))
            .try_fold(0_u64, |sum, bytes| sum.checked_add(bytes?))
            .map_or(Amount::Unknown, Amount::Known)
    }
}

/// What an editor asks of a language: Rust answers it as the others do. Offsets are bytes of the file; one behind the end is the end.
pub trait EditorAnswers: Sync {
    /// What to show beside the pointer.
    fn hover(&self, _db: &dyn Db, _file: SourceFile, _offset: u32) -> Option<Hover> {
        None
    }

    /// The hints whose places are in a range, in the order of their places.
    fn inlay_hints(
        &self,
        _db: &dyn Db,
        _file: SourceFile,
        _range: ByteRange,
        _level: HintLevel,
    ) -> Vec<InlayHint> {
        Vec::new()
    }

    /// The lines above the functions of a file.
    fn lenses(&self, _db: &dyn Db, _file: SourceFile) -> Vec<Lens> {
        Vec::new()
    }

    /// Proposals at a cursor, the best first.
    fn completions(&self, _db: &dyn Db, _file: SourceFile, _offset: u32) -> Vec<Completion> {
        Vec::new()
    }

    /// The parameters of the call that the cursor is in.
    fn signature_help(
        &self,
        _db: &dyn Db,
        _file: SourceFile,
        _offset: u32,
    ) -> Option<SignatureHelp> {
        None
    }

    /// Where the name at a cursor is defined.
    fn definition(&self, _db: &dyn Db, _file: SourceFile, _offset: u32) -> Vec<Place> {
        Vec::new()
    }

    /// Where the name at a cursor is used, in the order of the text.
    fn references(
        &self,
        _db: &dyn Db,
        _file: SourceFile,
        _offset: u32,
        _with_declaration: bool,
    ) -> Vec<Place> {
        Vec::new()
    }

    /// Where the name at a cursor is in its own file.
    fn highlights(&self, _db: &dyn Db, _file: SourceFile, _offset: u32) -> Vec<Highlight> {
        Vec::new()
    }

    /// The name at a cursor, if it can be changed.
    ///
    /// # Errors
    ///
    /// It cannot; the words say why.
    fn prepare_rename(
        &self,
        _db: &dyn Db,
        _file: SourceFile,
        _offset: u32,
    ) -> Result<(ByteRange, String), RenameProblem> {
        Err(RenameProblem("there is no name to change here".to_owned()))
    }

    /// The edits that give the name at a cursor another one everywhere.
    ///
    /// # Errors
    ///
    /// It cannot be changed, or the other name is none; the words say why.
    fn rename(
        &self,
        _db: &dyn Db,
        _file: SourceFile,
        _offset: u32,
        _name: &str,
    ) -> Result<Vec<FileEdit>, RenameProblem> {
        Err(RenameProblem("there is no name to change here".to_owned()))
    }

    /// The outline of a file.
    fn symbols(&self, _db: &dyn Db, _file: SourceFile) -> Vec<Symbol> {
        Vec::new()
    }

    /// What can be hidden in a file.
    fn folding_ranges(&self, _db: &dyn Db, _file: SourceFile) -> Vec<Folding> {
        Vec::new()
    }

    /// The refactorings that are possible at a selection.
    fn assists(&self, _db: &dyn Db, _file: SourceFile, _selection: ByteRange) -> Vec<Assist> {
        Vec::new()
    }
}

/// The front end of a language beside Rust.
pub trait FrontEnd: EditorAnswers {
    /// Its rules, in the catalogue's order.
    fn rules(&self) -> &'static [&'static Rule];

    /// What is known of a file. A query, so that it is worked out once.
    fn report(&self, db: &dyn Db, file: SourceFile) -> Arc<FrontEndReport>;

    /// What the functions of a file move, in the order of the file.
    fn costs(&self, _db: &dyn Db, _file: SourceFile) -> Vec<TransferCost> {
        Vec::new()
    }
}
