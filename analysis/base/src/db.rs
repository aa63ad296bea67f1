//! The database as queries see it, and the time that they may take.
//!
//! The ground floor: it imports nothing of ours, and knows neither what is put in (`inputs`, which has the database itself) nor what is
//! asked. Every query of every room takes `&dyn Db`. Identifiers of salsa structs are plain data without a lifetime.

mod time;

pub use self::time::{Clock, FileTimes, OutOfTime, Untimed, end_where_time_is_up};

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
