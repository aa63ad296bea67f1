//! What is worked out of a file, a function at a time: an edit runs again what is about its own function.
//!
//! A function is known by its text, which begins at its first byte, so that an edit above it changes nothing. What it takes from its
//! surroundings (aliases, who calls it) mostly comes out as before. Flags that other functions set only decide which of its findings hold.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::analysis::{Analysis, Around, mentioned_names};
use super::parts::Cut;
use super::report_of;
use super::rules::Checked;
use super::syntax::parse;
use visa_base::db::Db;
use visa_findings::TextSpan;
use visa_findings::front_end::{Placing, TransferSite};
use visa_inputs::SourceFile;

/// A function of a file, or what is in none.
#[salsa::tracked(debug)]
pub(super) struct Part<'db> {
    /// The file.
    #[returns(copy)]
    pub file: SourceFile,
    /// The name of the function, or nothing.
    #[returns(ref)]
    pub name: Arc<str>,
    /// Its text.
    #[tracked]
    #[returns(ref)]
    pub text: Arc<str>,
    /// Whether its module is for the generation of machines before.
    #[tracked]
    #[returns(copy)]
    pub is_before: bool,
    /// Whether something in its file may call it.
    #[tracked]
    #[returns(copy)]
    pub is_called: bool,
}

/// Where a file is cut.
#[salsa::tracked(returns(clone))]
fn cut_of_file(db: &dyn Db, file: SourceFile) -> Arc<Cut> {
    Arc::new(Cut::of(&file.text(db)))
}

/// The functions of a file that something in it may call.
#[salsa::tracked(returns(clone))]
fn called_names(db: &dyn Db, file: SourceFile) -> Arc<FxHashSet<String>> {
    Arc::new(mentioned_names(&file.text(db)))
}

/// The parts of a file: its functions in the order of the text, then what is in none.
#[salsa::tracked(returns(deref))]
pub(super) fn file_parts(db: &dyn Db, file: SourceFile) -> Vec<Part<'_>> {
    let (text, cut, called) = (file.text(db), cut_of_file(db, file), called_names(db, file));
    let of = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
    let functions = cut.functions.iter().map(|function| {
        let (name, own) = (of(function.name.clone()), of(function.range.clone()));
        let is_called = called.contains(name);
        let (name, own) = (Arc::from(name), Arc::from(own));
        Part::new(db, file, name, own, function.is_before, is_called)
    });
    let mut parts: Vec<Part<'_>> = functions.collect();
    let rest: String = cut.ranges_outside_functions(text.len()).map(of).collect();
    let (name, rest) = (Arc::from(""), Arc::from(rest));
    parts.push(Part::new(db, file, name, rest, false, false));
    parts
}

/// Where the parts of a file are in it, in their order.
pub(super) fn part_placings(db: &dyn Db, file: SourceFile) -> Vec<Placing> {
    let (text, cut) = (file.text(db), cut_of_file(db, file));
    let functions = cut.functions.iter();
    let functions = functions.map(|function| Placing::of([function.range.clone()]));
    let rest = Placing::of(cut.ranges_outside_functions(text.len()));
    functions.chain(std::iter::once(rest)).collect()
}

/// The aliases of a file, as far as they are in no function.
#[salsa::tracked(returns(clone))]
fn aliases(db: &dyn Db, file: SourceFile) -> Arc<[(String, String)]> {
    let parts = file_parts(db, file);
    let (Some(rest), true) = (parts.last(), parts.len() > 1) else {
        return Arc::default();
    };
    let text = rest.text(db);
    if !text.contains(['!', '#']) {
        return Arc::default();
    }
    let file = parse(text);
    let aliases = file.aliases.iter().map(|alias| {
        let at = |place| file.text_at(place).to_owned();
        (at(alias.name), at(alias.value))
    });
    aliases.collect()
}

fn derived(db: &dyn Db, part: Part<'_>) -> Analysis {
    let (file, name) = (part.file(db), part.name(db));
    let around = if name.is_empty() {
        Around {
            is_before: part.is_before(db),
            aliases: Arc::default(),
            // What is not cut may hold any of them.
            called: called_names(db, file),
        }
    } else {
        let own = part.is_called(db).then(|| name.to_string());
        Around {
            is_before: part.is_before(db),
            aliases: aliases(db, file),
            called: Arc::new(own.into_iter().collect()),
        }
    };
    Analysis::of_part(Arc::clone(part.text(db)), &around)
}

/// What is derived of a part, for who asks about places in it: a check keeps what it found and no more.
#[salsa::tracked(returns(clone))]
pub(super) fn analysed(db: &dyn Db, part: Part<'_>) -> Arc<Analysis> {
    Arc::new(derived(db, part))
}

/// What is known of a part without the rest of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartReport {
    /// What its rules find.
    pub checked: Checked,
    /// Its first operation of the dialect that makes no tile and no view, and the name of it.
    pub first_operation: Option<(TextSpan, String)>,
    /// Its transfers.
    pub transfers: Vec<TransferSite>,
    /// Its functions with transfers.
    pub kernels: u64,
    /// Its errors of syntax.
    pub syntax_errors: u64,
}

/// What is found in a part.
#[salsa::tracked(returns(ref))]
pub(super) fn checked(db: &dyn Db, part: Part<'_>) -> PartReport {
    report_of(&derived(db, part))
}
