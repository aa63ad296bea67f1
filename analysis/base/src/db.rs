//! The salsa database itself: storage, snapshots, and a log of executed queries for tests.
//!
//! The ground floor: it imports nothing of ours, and knows neither what is put in (`inputs`) nor what is asked. Every query of every
//! room takes `&dyn Db`. Identifiers of salsa structs are plain data without a lifetime.

mod time;

use std::sync::{Arc, Mutex, PoisonError};

pub use self::time::Untimed;
pub use self::time::{FileTimes, OutOfTime};

use self::time::end_where_time_is_up;

/// The database as queries see it.
#[salsa::db]
pub trait Db: salsa::Database {
    /// Records work that is no query of its own, for tests of how much is done.
    fn note_work(&self, what: &'static str);

    /// Ends the work under way where a newer text overtakes it or its time is up. For the inside of what may take long.
    fn pause(&self);

    /// How long the work for files may take.
    fn file_times(&self) -> &FileTimes;
}

type EventLog = Arc<Mutex<Vec<String>>>;

/// The database. A clone is a snapshot for another thread; a write waits until all clones are dropped.
#[salsa::db]
#[derive(Clone)]
pub struct AnalysisDatabase {
    storage: salsa::Storage<Self>,
    log: Option<EventLog>,
    times: FileTimes,
}

#[salsa::db]
impl salsa::Database for AnalysisDatabase {}

#[salsa::db]
impl Db for AnalysisDatabase {
    fn note_work(&self, what: &'static str) {
        if let Some(log) = &self.log {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            log.push(what.to_owned());
        }
    }

    fn pause(&self) {
        salsa::Database::unwind_if_revision_cancelled(self);
        end_where_time_is_up();
    }

    fn file_times(&self) -> &FileTimes {
        &self.times
    }
}

impl Default for AnalysisDatabase {
    fn default() -> Self {
        Self {
            storage: salsa::Storage::new(None),
            log: None,
            times: FileTimes::default(),
        }
    }
}

impl AnalysisDatabase {
    /// A database that records which queries it executes, for tests of what an edit re-runs.
    pub fn with_event_log() -> Self {
        Self::logging(EventLog::default())
    }

    /// An empty database that goes on where this one recorded.
    pub fn emptied(&self) -> Self {
        let emptied = self.log.clone().map_or_else(Self::default, Self::logging);
        Self {
            times: self.times.clone(),
            ..emptied
        }
    }

    /// Limits what the work for one file may take, on all threads together: what takes longer is said and left out.
    pub fn set_time_limit(&mut self, limit: std::time::Duration) {
        self.times.set_limit(limit);
    }

    fn logging(log: EventLog) -> Self {
        let sink = Arc::clone(&log);
        let callback = move |event: salsa::Event| {
            if let salsa::EventKind::WillExecute { database_key } = event.kind {
                sink.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(format!("{database_key:?}"));
            }
        };
        Self {
            storage: salsa::Storage::new(Some(Box::new(callback))),
            log: Some(log),
            times: FileTimes::default(),
        }
    }

    /// The queries executed since the last call, as `name(Id(..))`, in order; empty without an event log.
    pub fn take_events(&self) -> Vec<String> {
        self.log.as_ref().map_or_else(Vec::new, |log| {
            std::mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }

    /// How many values the database keeps, of inputs, names and queries. Waits for all snapshots to be dropped.
    pub fn kept(&mut self) -> usize {
        let database: &mut dyn salsa::Database = self;
        let kept = database.memory_usage();
        let structs = kept.structs.iter().map(salsa::IngredientInfo::count);
        let values = kept.queries.values().map(salsa::IngredientInfo::count);
        structs.chain(values).sum()
    }
}
