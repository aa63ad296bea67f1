//! The salsa database itself: storage, snapshots, and a log of executed queries for tests.
//!
//! It knows nothing of what is asked. What is put in is set by the methods beside it.

use std::sync::{Arc, Mutex, PoisonError};

use visa_base::db::{Db, FileTimes, end_where_time_is_up};

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
