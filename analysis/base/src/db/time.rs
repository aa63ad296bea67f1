//! How long the work for one file may take: the last net, behind limits that are counted in steps and the same on every machine.
//!
//! It knows times, and nothing of what is worked out. Who does long work asks now and then whether its time is up; what is then
//! thrown passes through the queries under way, which keep nothing, to the caller that started the clock.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

/// How work ends that takes longer than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfTime;

thread_local! {
    /// When the work under way on this thread has to end.
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// The time of files, shared by all snapshots of a database.
#[derive(Debug, Clone, Default)]
pub struct FileTimes {
    /// What the work for one file may take, all threads together.
    limit: Option<Duration>,
    /// What it took so far since a revision, by the file.
    spent: Arc<Mutex<FxHashMap<u64, (salsa::Revision, Duration)>>>,
    /// Whether any work was ended because its time was up.
    ended_some: Arc<AtomicBool>,
}

impl FileTimes {
    /// Limits what the work for one file may take from now on.
    pub fn set_limit(&mut self, limit: Duration) {
        self.limit = Some(limit);
    }

    /// Remembers that work was ended because its time was up.
    pub fn note_ended(&self) {
        self.ended_some.store(true, Ordering::Relaxed);
    }

    /// Whether any work was ended so: another run may come further.
    pub fn ended_some(&self) -> bool {
        self.ended_some.load(Ordering::Relaxed)
    }

    /// Starts the clock for a file on this thread. Work inside of other work ends with it.
    pub fn start(&self, file: u64, revision: salsa::Revision) -> Clock<'_> {
        let outer = DEADLINE.get();
        let own = self.limit.map(|limit| {
            let spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
            let spent = spent.get(&file).filter(|(since, _)| *since == revision);
            let spent = spent.map_or(Duration::ZERO, |(_, spent)| *spent);
            Instant::now() + limit.saturating_sub(spent)
        });
        DEADLINE.set(match (outer, own) {
            (Some(outer), Some(own)) => Some(outer.min(own)),
            (outer, own) => outer.or(own),
        });
        Clock {
            times: self,
            key: (file, revision),
            started: Instant::now(),
            outer,
        }
    }
}

/// The clock of a file while work for it is under way.
pub struct Clock<'a> {
    times: &'a FileTimes,
    key: (u64, salsa::Revision),
    started: Instant,
    outer: Option<Instant>,
}

impl Drop for Clock<'_> {
    fn drop(&mut self) {
        DEADLINE.set(self.outer);
        // What runs inside of other work counts there.
        if self.outer.is_none() && self.times.limit.is_some() {
            let (file, revision) = self.key;
            let spent = self.times.spent.lock();
            let mut spent = spent.unwrap_or_else(PoisonError::into_inner);
            let entry = spent.entry(file).or_insert((revision, Duration::ZERO));
            if entry.0 != revision {
                *entry = (revision, Duration::ZERO);
            }
            entry.1 += self.started.elapsed();
        }
    }
}

/// Stops all clocks of this thread while it lives. Queries that answer cycles end by themselves: salsa takes what unwinds through one
/// for a defect of all that asks for it.
pub struct Untimed {
    outer: Option<Instant>,
}

impl Untimed {
    /// Stops them until it is dropped.
    pub fn begin() -> Self {
        Self {
            outer: DEADLINE.take(),
        }
    }
}

impl Drop for Untimed {
    fn drop(&mut self) {
        DEADLINE.set(self.outer);
    }
}

/// Ends the work under way on this thread where its time is up.
pub fn end_where_time_is_up() {
    if DEADLINE
        .get()
        .is_some_and(|deadline| Instant::now() >= deadline)
    {
        std::panic::resume_unwind(Box::new(OutOfTime));
    }
}
