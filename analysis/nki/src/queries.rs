//! What is worked out of a file, a function at a time: an edit runs again what is about its own function.
//!
//! Imports and constants of the file's own level are one query, each function that stands in no other one is another, those of classes and
//! branches too. A function is known by its text, which begins at its first byte; one that is indented stands in a branch of our own there. What its callers pass is a query of its own, which mostly comes out as before; so is what a function of the file that
//! it calls is.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use ruff_python_ast::{Stmt, StmtFunctionDef};
use rustc_hash::{FxHashMap, FxHashSet};

use super::parts::{Cut, FunctionPart, cut_text};
use super::syntax::remarks::{self, Remarks};
use super::syntax::{self, Parsed, span_of};
use super::types::Generations;
use super::values::{
    self, FindPart, Followed, FollowedRest, Passes, Rest, Source, Value, Waiting, agreed_value,
    mentioned_names,
};
use super::{Analysed, analysed_of, file_generations, file_release, without_transfers};
use visa_base::db::Db;
use visa_findings::front_end::{FrontEndReport, Placing, TransferSite};
use visa_inputs::{self as inputs, SourceFile};

/// What follows the head of a function in the text of the rest.
const STUB: &str = " ...\n";
/// What stands before a function that is indented in its own text.
const AROUND: &str = "if 1:\n";

/// A function of a file, or what is in none.
#[salsa::tracked(debug)]
pub(super) struct Part<'db> {
    /// The file.
    #[returns(copy)]
    pub file: SourceFile,
    /// The name of the function; empty for what is in none.
    #[returns(ref)]
    pub name: Arc<str>,
    /// Its number; that of the rest is behind those of all functions.
    #[tracked]
    #[returns(copy)]
    pub place: usize,
    /// Its text.
    #[tracked]
    #[returns(ref)]
    pub text: Arc<str>,
    /// Whether nothing nests deeply in it.
    #[tracked]
    #[returns(copy)]
    pub is_shallow: bool,
}

/// Where a file is cut.
#[salsa::tracked(returns(clone))]
fn cut_of(db: &dyn Db, file: SourceFile) -> Arc<Cut> {
    Arc::new(cut_text(&file.text(db)))
}

/// The rest of a text: what is in no function, and of each function its head.
struct RestText {
    text: Arc<str>,
    placing: Placing,
    /// Where the heads of functions begin in it, with their numbers.
    heads: Vec<u32>,
}

#[salsa::tracked(returns(clone), no_eq)]
fn rest_of(db: &dyn Db, file: SourceFile) -> Arc<RestText> {
    let (text, cut) = (file.text(db), cut_of(db, file));
    let mut rest = String::new();
    let mut stretches = Vec::new();
    let mut heads = Vec::new();
    let mut at = 0;
    for function in &cut.functions {
        for range in [at..function.range.start, function.head.clone()] {
            let start = rest.len();
            rest.push_str(text.get(range.clone()).unwrap_or_default());
            if range == function.head {
                let start = start + function.indentation;
                heads.push(u32::try_from(start).unwrap_or(u32::MAX));
                rest.push_str(STUB);
            }
            stretches.push((rest.len() - start, range));
        }
        at = function.range.end;
    }
    let last = at..text.len();
    let own = text.get(last.clone()).unwrap_or_default();
    rest.push_str(own);
    stretches.push((own.len(), last));
    Arc::new(RestText {
        text: rest.into(),
        placing: Placing::with_lengths(stretches),
        heads,
    })
}

/// Where the heads of functions begin in the text of the rest: the same after an edit in a function.
#[salsa::tracked(returns(clone))]
fn function_heads(db: &dyn Db, file: SourceFile) -> Arc<[u32]> {
    rest_of(db, file).heads.as_slice().into()
}

/// Whether a function's text begins with [`AROUND`].
const fn is_in_branch(function: &FunctionPart) -> bool {
    function.indentation > 0
}

/// The parts of a file: its functions in the order of the text, then the rest.
#[salsa::tracked(returns(deref))]
pub(super) fn file_parts(db: &dyn Db, file: SourceFile) -> Vec<Part<'_>> {
    let (text, cut) = (file.text(db), cut_of(db, file));
    let of = |range: &std::ops::Range<usize>| text.get(range.clone()).unwrap_or_default();
    let own = |function: &FunctionPart| -> Arc<str> {
        let own = of(&function.range);
        if is_in_branch(function) {
            return format!("{AROUND}{own}").into();
        }
        own.into()
    };
    let functions = cut.functions.iter();
    let mut parts: Vec<Part<'_>> = functions
        .enumerate()
        .map(|(place, function)| {
            let name = Arc::from(of(&function.name));
            Part::new(db, file, name, place, own(function), function.is_shallow)
        })
        .collect();
    let rest = Arc::clone(&rest_of(db, file).text);
    let place = cut.functions.len();
    parts.push(Part::new(
        db,
        file,
        Arc::from(""),
        place,
        rest,
        cut.is_shallow,
    ));
    parts
}

/// Where the parts of a file are in it, in their order.
pub(super) fn part_placings(db: &dyn Db, file: SourceFile) -> Vec<Placing> {
    let cut = cut_of(db, file);
    let own = cut.functions.iter().map(|function| {
        let before = if is_in_branch(function) { AROUND } else { "" };
        Placing::stretch_behind(before.len(), function.range.clone())
    });
    own.chain(std::iter::once(rest_of(db, file).placing.clone()))
        .collect()
}

/// A part's tree and its comments.
pub(super) struct Read {
    parsed: Parsed,
    remarks: Arc<Remarks>,
}

impl Read {
    /// The function that the part is.
    fn function(&self) -> Option<&StmtFunctionDef> {
        let body = match self.parsed.body() {
            [Stmt::If(around)] => &around.body,
            body => body,
        };
        body.iter().find_map(Stmt::as_function_def_stmt)
    }
}

#[salsa::tracked(returns(ref), no_eq)]
fn read<'db>(db: &'db dyn Db, part: Part<'db>) -> Read {
    let text = part.text(db);
    Read {
        parsed: if part.is_shallow(db) {
            syntax::parse_shallow(text)
        } else {
            syntax::parse(text)
        },
        remarks: Arc::new(remarks::read(text)),
    }
}

/// What a file says of itself: the generations that it is for, and the release.
#[salsa::tracked(returns(copy))]
fn stated_targets(db: &dyn Db, file: SourceFile) -> (Generations, Option<(u16, u16)>) {
    let (text, options) = (file.text(db), inputs::options(db, file).nki);
    // Most files say nothing.
    let remarks = if text.contains("visa-lint:") {
        remarks::read(&text)
    } else {
        Remarks::default()
    };
    (
        file_generations(&remarks, options),
        file_release(&remarks, options),
    )
}

/// The names that a part reads, sorted, each on a line of its own.
#[salsa::tracked(returns(clone))]
fn mentions<'db>(db: &'db dyn Db, part: Part<'db>) -> Arc<str> {
    let body = match read(db, part).function() {
        Some(function) if !part.name(db).is_empty() => &function.body[..],
        _ => read(db, part).parsed.body(),
    };
    let mut names: Vec<&str> = mentioned_names(body).into_iter().collect();
    names.sort_unstable();
    names.join("\n").into()
}

/// Who may call whom in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Callers {
    /// The functions that mention a function, by their numbers.
    callers: Vec<Vec<usize>>,
    /// Whether what is passed to a function is not waited for: it is in a circle of calls.
    is_free: Vec<bool>,
}

#[salsa::tracked(returns(clone))]
fn callers(db: &dyn Db, file: SourceFile) -> Arc<Callers> {
    let parts = file_parts(db, file);
    let functions = parts.get(..parts.len() - 1).unwrap_or_default();
    let all: Vec<Arc<str>> = functions.iter().map(|part| mentions(db, *part)).collect();
    let mut named: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (place, part) in functions.iter().enumerate() {
        named.entry(part.name(db)).or_default().push(place);
    }
    let mut waiting = Waiting::default();
    let mut callers = vec![Vec::new(); functions.len()];
    for (place, (part, mentions)) in functions.iter().zip(&all).enumerate() {
        let ours: FxHashSet<&str> = mentions
            .lines()
            .filter(|name| named.contains_key(name))
            .collect();
        for other in ours.iter().filter_map(|name| named.get(name)).flatten() {
            if *other != place
                && let Some(of_other) = callers.get_mut(*other)
            {
                of_other.push(place);
            }
        }
        waiting.add_named(part.name(db), ours);
    }
    let mut is_free = vec![false; functions.len()];
    while let Some((place, is_called)) = waiting.next() {
        if let Some(free) = is_free.get_mut(place) {
            *free = is_called;
        }
    }
    Arc::new(Callers { callers, is_free })
}

/// Names of functions of the rest that parts mention: of a file that is not cut.
#[salsa::tracked(returns(clone))]
fn mentioned_of_rest(db: &dyn Db, file: SourceFile) -> Arc<FxHashSet<String>> {
    let parts = file_parts(db, file);
    let Some((rest, functions)) = parts.split_last() else {
        return Arc::default();
    };
    let own = values::defined_functions(read(db, *rest).parsed.body());
    let heads: FxHashSet<&str> = functions.iter().map(|part| &**part.name(db)).collect();
    let names = own.into_iter().map(|function| function.name.as_str());
    let inner: FxHashSet<&str> = names.filter(|name| !heads.contains(name)).collect();
    let mut found = FxHashSet::default();
    if inner.is_empty() {
        return Arc::new(found);
    }
    for part in functions {
        let mentions = mentions(db, *part);
        let ours = mentions.lines().filter(|name| inner.contains(name));
        found.extend(ours.map(str::to_owned));
    }
    Arc::new(found)
}

/// The functions of a file as others ask for them.
fn finder<'db>(db: &'db dyn Db, parts: &'db [Part<'db>]) -> FindPart<'db> {
    Box::new(move |place| {
        let part = *parts.get(place)?;
        let read = read(db, part);
        let source = Source {
            text: part.text(db),
            remarks: &read.remarks,
        };
        Some((read.function()?, source))
    })
}

/// The file's own level: imports, constants, and what classes and branches say of their functions.
#[salsa::tracked(returns(clone))]
fn followed_rest(db: &dyn Db, file: SourceFile) -> Arc<FollowedRest> {
    let parts = file_parts(db, file);
    let heads = function_heads(db, file);
    let Some(last) = parts.last().copied() else {
        return Arc::default();
    };
    let read = read(db, last);
    // A function begins with its `def`, behind its decorators, or with the first of these.
    let stubs = values::defined_functions(read.parsed.body()).into_iter();
    let stubs = stubs.filter_map(|stub| {
        let start = span_of(stub).start;
        let place = heads.binary_search(&start).ok()?;
        Some((start, place))
    });
    let rest = Rest {
        source: Source {
            text: last.text(db),
            remarks: &read.remarks,
        },
        body: read.parsed.body(),
        count: heads.len(),
        heads: stubs.collect(),
        mentioned: mentioned_of_rest(db, file),
    };
    let find = || finder(db, parts);
    Arc::new(values::follow_rest(
        &rest,
        &find,
        stated_targets(db, file).0,
    ))
}

/// The functions that the file's own level gives other names: who calls them is not seen.
#[salsa::tracked(returns(clone))]
fn aliased_functions(db: &dyn Db, file: SourceFile) -> Arc<FxHashSet<usize>> {
    let parts = file_parts(db, file);
    let name = |place: usize| parts.get(place).map(|part| &**part.name(db));
    let globals = &followed_rest(db, file).globals;
    Arc::new(globals.functions_by_other_names(&name))
}

/// What callers pass to a function, where all agree.
#[salsa::tracked(returns(clone))]
fn passed_values<'db>(db: &'db dyn Db, part: Part<'db>) -> Option<Vec<Option<Value>>> {
    let file = part.file(db);
    let (place, callers) = (part.place(db), callers(db, file));
    let rest = followed_rest(db, file);
    let is_free = callers.is_free.get(place).copied().unwrap_or(true);
    if is_free || aliased_functions(db, file).contains(&place) {
        return None;
    }
    let mut all = rest.passes.get(&place).cloned();
    for caller in callers.callers.get(place).into_iter().flatten() {
        let caller = *file_parts(db, file).get(*caller)?;
        let Some(values) = passed_on(db, caller).get(&place).cloned() else {
            continue;
        };
        all = Some(match all {
            None => values,
            Some(before) => before
                .into_iter()
                .zip(&values)
                .map(|(one, other)| agreed_value(one?, other.as_ref()?))
                .collect(),
        });
    }
    all
}

/// What is met in a part.
struct Met {
    followed: Arc<Followed>,
    /// The same without what comments and docstrings say, where they say something.
    proven: Option<Arc<Followed>>,
    /// What is passed to others for sure.
    passes: Arc<Passes>,
}

/// What is met in a part, with what names mean where that is asked for.
fn followed<'db>(db: &'db dyn Db, part: Part<'db>, keeps_names: bool) -> Met {
    let file = part.file(db);
    let rest = followed_rest(db, file);
    if part.name(db).is_empty() {
        return Met {
            followed: Arc::clone(&rest.followed),
            proven: rest.proven.clone(),
            passes: Arc::default(),
        };
    }
    let parts = file_parts(db, file);
    let read = read(db, part);
    let once = |reads_descriptions| {
        let definition = read.function()?;
        let own = values::Part {
            source: Source {
                text: part.text(db),
                remarks: &read.remarks,
            },
            definition,
            place: part.place(db),
            passed: passed_values(db, part),
            keeps_names,
            reads_descriptions,
        };
        Some(values::follow_part(own, finder(db, parts), &rest))
    };
    let (followed, mut passes) = once(true).unwrap_or_default();
    let mut proven = None;
    if followed.has_descriptions {
        let sure = once(false).unwrap_or_default();
        proven = Some(Arc::new(sure.0));
        passes = sure.1;
    }
    Met {
        followed: Arc::new(followed),
        proven,
        passes: Arc::new(passes),
    }
}

fn analysed_from(db: &dyn Db, part: Part<'_>, met: &Met) -> Analysed {
    let read = read(db, part);
    analysed_of(
        Arc::clone(part.text(db)),
        (Arc::clone(&met.followed), met.proven.as_deref()),
        Arc::clone(&read.remarks),
        &read.parsed.errors,
        stated_targets(db, part.file(db)).1,
    )
}

/// What a check keeps of a part: its report, and what it passes to others.
pub(super) struct Judged {
    /// What is found in it, at places in its own text.
    pub report: FrontEndReport,
    /// Its kernels, to be named where the file has no transfer.
    pub kernels: Vec<TransferSite>,
    passes: Arc<Passes>,
}

/// What is found in a part.
#[salsa::tracked(returns(ref), no_eq)]
pub(super) fn judged<'db>(db: &'db dyn Db, part: Part<'db>) -> Judged {
    let met = followed(db, part, false);
    Judged {
        report: analysed_from(db, part, &met).report,
        kernels: without_transfers(part.text(db), &met.followed),
        passes: met.passes,
    }
}

/// What a function passes to others: mostly the same after an edit.
#[salsa::tracked(returns(clone))]
fn passed_on<'db>(db: &'db dyn Db, part: Part<'db>) -> Arc<Passes> {
    Arc::clone(&judged(db, part).passes)
}

/// All that is known of a part, for who asks about places in it.
#[salsa::tracked(returns(clone), no_eq)]
pub(super) fn analysed<'db>(db: &'db dyn Db, part: Part<'db>) -> Arc<Analysed> {
    Arc::new(analysed_from(db, part, &followed(db, part, true)))
}
