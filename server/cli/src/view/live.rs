//! The live view: the files of a run, checked and costed whenever they change, and then searched for what would save cycles.
//!
//! A search holds up neither a check nor the next change: it runs on a thread of its own, on copies of what kernels are made of, and
//! the next change ends it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use visa_analysis::EditorQuestions as _;

use serde::Serialize;
use serde_json::Value;
use visa_analysis::{KernelCost, Searchable, Texts};

use super::feed::{Feed, Work};
use crate::arguments::ViewArguments;
use crate::cost::drawn::{self, Drawn, drawn_kernels, page_document};
use crate::format::json::{finding_json, unresolved_json};
use crate::project::Failure;
use crate::project::effort::shared_effort;
use crate::project::engine::STACK_BYTES;
use crate::project::files::StandardInput;
use crate::project::levels::Levels;
use crate::project::notes::write_error;
use crate::session::{Checked, Given, Session, show_paths_of_cost};
use crate::watch::{self, Follower, Subject};

/// How often a search that goes on shows what it has found.
const OFTEN: Duration = Duration::from_secs(2);

/// The files of the command line.
///
/// # Errors
///
/// None of them can be read, or the settings cannot be used.
pub(super) fn open_session(options: &ViewArguments) -> Result<Session<'_>, Failure> {
    watch::refuse_standard_input(&options.paths)?;
    let given = Given {
        paths: &options.paths,
        stdin: StandardInput::Text(None),
        settings: &options.settings,
        since: None,
        inline_allow: true,
        quiet: options.quiet,
    };
    let session = Session::open(given, &Levels::default())?;
    let messages: Vec<String> = session.unreadable().cloned().collect();
    if session.files() == 0 && !messages.is_empty() {
        return Err(Failure { messages });
    }
    session.say_unreadable();
    Ok(session)
}

/// Fills the feed until the program is interrupted.
pub(super) fn follow_changes(
    options: &ViewArguments,
    session: &mut Session<'_>,
    feed: Feed,
) -> Result<(), Failure> {
    let subject = Subject {
        paths: &options.paths,
        named: options.settings.config.iter().map(AsRef::as_ref).collect(),
    };
    let mut live = Live {
        effort: options.effort,
        feed,
        search: None,
        known: Vec::new(),
    };
    watch::run(subject, session, &mut live)
}

struct Live {
    /// Changes of a kernel that are tried; none where it is shared.
    effort: Option<usize>,
    feed: Feed,
    search: Option<Search>,
    /// What the last searches found.
    known: Vec<Found>,
}

/// A kernel that was searched, and what came of it.
struct Found {
    kernel: Searchable,
    effort: usize,
    /// Without one: it has no total.
    cost: Option<KernelCost>,
}

impl Follower for Live {
    fn pass(&mut self, session: &mut Session<'_>) -> bool {
        self.end_search();
        self.feed.say(Work::Checking);
        if let Err(failure) = self.publish_session(session) {
            self.is_stuck(&failure);
        }
        true
    }

    fn is_stuck(&mut self, failure: &Failure) {
        // It would take the words back.
        self.end_search();
        failure.say();
        let stuck = Page {
            stuck: failure.messages.clone(),
            ..Page::default()
        };
        self.feed.publish(stuck.text(&[]), Work::Done);
    }
}

impl Live {
    fn end_search(&mut self) {
        if let Some(search) = self.search.take() {
            self.known = search.stop_searching();
        }
    }

    /// Publishes what the files are now, and begins a search.
    fn publish_session(&mut self, session: &Session<'_>) -> Result<(), Failure> {
        let checked = session.check(true, None);
        let (costs, _) = session.costs(0.into(), None);
        let kernels = drawn_kernels(session, &costs)?;
        let page = Page::of(session, &checked)?;
        let effort = self
            .effort
            .unwrap_or_else(|| shared_effort(session.files()));
        let wanted = if effort == 0 {
            Vec::new()
        } else {
            searchable(session, &costs)
        };
        let work = if wanted.is_empty() {
            Work::Done
        } else {
            Work::Searching
        };
        self.feed.publish(page.text(&kernels), work);
        if work == Work::Searching {
            self.search = Some(Search::begin_search(Searching {
                effort,
                feed: self.feed.clone(),
                known: std::mem::take(&mut self.known),
                page,
                kernels,
                wanted,
                names: shown_paths(session),
                texts: session.shown_texts(),
            })?);
        }
        Ok(())
    }
}

/// The kernels with a total, by their numbers, with all that a search of them reads.
fn searchable(session: &Session<'_>, costs: &[KernelCost]) -> Vec<(usize, Searchable)> {
    let paths = session.reported_paths();
    let paths: BTreeMap<String, &str> =
        paths.map(|path| (session.shown_path(path), path)).collect();
    let analysis = session.workspace().analysis();
    let numbered = costs.iter().enumerate();
    let known = numbered.filter(|(_, cost)| cost.total.is_some());
    let wanted = known.filter_map(|(number, cost)| {
        let path = paths.get(&*cost.file)?;
        let kernel = analysis.searchable_at(path, cost.range.start.byte);
        Some((number, kernel.ok().flatten()?))
    });
    wanted.collect()
}

/// The paths that people see, by the engine's.
fn shown_paths(session: &Session<'_>) -> BTreeMap<String, String> {
    let paths = session.loaded_paths();
    paths
        .map(|path| (path.to_owned(), session.shown_path(path)))
        .collect()
}

/// What a page shows beside its kernels.
#[derive(Default, Serialize)]
struct Page {
    /// Files that were checked.
    files: u64,
    /// As in `visa-lint --format json`, the suppressed ones left out.
    findings: Vec<Value>,
    /// As there.
    unresolved: Vec<Value>,
    /// What could not be read or checked.
    errors: Vec<String>,
    /// Why nothing could be looked at: what was shown before stays.
    stuck: Vec<String>,
}

#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    page: &'a Page,
    #[serde(flatten)]
    document: drawn::Document<'a>,
}

impl Page {
    fn of(session: &Session<'_>, checked: &Checked) -> Result<Self, Failure> {
        let failed = |error| Failure::new(format!("cannot write the page: {error}"));
        let findings = checked
            .unsuppressed_findings()
            .map(|one| serde_json::to_value(finding_json(one)));
        let places = checked.unresolved.iter();
        let places = places.map(|one| serde_json::to_value(unresolved_json(one)));
        Ok(Self {
            files: checked.files,
            findings: findings.collect::<Result<_, _>>().map_err(failed)?,
            unresolved: places.collect::<Result<_, _>>().map_err(failed)?,
            errors: session
                .unreadable()
                .chain(&checked.problems)
                .cloned()
                .collect(),
            stuck: Vec::new(),
        })
    }

    /// With its kernels as JSON.
    fn text(&self, kernels: &[Drawn]) -> String {
        let whole = Whole {
            page: self,
            document: page_document(kernels),
        };
        // Plain data cannot fail.
        serde_json::to_string(&whole).unwrap_or_default()
    }
}

/// A search of kernels on a thread of its own.
struct Search {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Vec<Found>>,
}

impl Search {
    fn begin_search(searching: Searching) -> Result<Self, Failure> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name("visa-search".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || searching.run(&|| stopped.load(Ordering::SeqCst)))
            .map_err(|error| Failure::new(format!("cannot start a search: {error}")))?;
        Ok(Self { stop, thread })
    }

    /// Ends it within a candidate; what it found.
    fn stop_searching(self) -> Vec<Found> {
        self.stop.store(true, Ordering::SeqCst);
        // A panic was said where it happened.
        self.thread.join().unwrap_or_default()
    }
}

/// All that a search needs: nothing of the session, whose files may change meanwhile.
struct Searching {
    effort: usize,
    feed: Feed,
    /// What searches found before: a kernel that did not change is not searched again.
    known: Vec<Found>,
    page: Page,
    kernels: Vec<Drawn>,
    wanted: Vec<(usize, Searchable)>,
    names: BTreeMap<String, String>,
    texts: Texts,
}

impl Searching {
    /// Searches the kernels one after the other, and publishes what was found. All that is known then.
    fn run(mut self, stop: &dyn Fn() -> bool) -> Vec<Found> {
        let mut found = Vec::new();
        let mut shown = Instant::now();
        for (number, kernel) in std::mem::take(&mut self.wanted) {
            let Some(one) = self.known_or_searched(kernel, stop) else {
                continue;
            };
            if let Some(cost) = &one.cost
                && let Some(kernel) = self.kernels.get_mut(number)
                && let Err(failure) = kernel.update_kernel(cost, &self.texts)
            {
                failure.say();
            }
            found.push(one);
            if shown.elapsed() > OFTEN && !stop() {
                let text = self.page.text(&self.kernels);
                self.feed.publish(text, Work::Searching);
                shown = Instant::now();
            }
        }
        if stop() {
            // Of the kernels that were not come to, what was known before may still hold.
            found.append(&mut self.known);
        } else {
            self.feed.publish(self.page.text(&self.kernels), Work::Done);
        }
        found
    }

    /// What is known of a kernel, or what a search of it finds; none where that was ended or failed.
    fn known_or_searched(&mut self, kernel: Searchable, stop: &dyn Fn() -> bool) -> Option<Found> {
        let same = |one: &Found| one.effort == self.effort && one.kernel == kernel;
        match self.known.iter().position(same) {
            Some(at) => Some(self.known.swap_remove(at)),
            None if stop() => None,
            None => self.searched(kernel, stop),
        }
    }

    /// Searches a kernel; none where that was ended or failed.
    fn searched(&self, kernel: Searchable, stop: &dyn Fn() -> bool) -> Option<Found> {
        match kernel.search(self.effort, stop) {
            Ok(mut cost) => {
                let shown = |path: &str| {
                    let known = self.names.get(path).cloned();
                    known.unwrap_or_else(|| path.to_owned())
                };
                if let Some(cost) = &mut cost {
                    show_paths_of_cost(cost, &shown);
                }
                Some(Found {
                    kernel,
                    effort: self.effort,
                    cost,
                })
            }
            Err(problem) => {
                if !stop() {
                    write_error(&format!("a search failed: {problem}"));
                }
                None
            }
        }
    }
}
