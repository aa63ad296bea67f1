//! The two nets for panics: one around a question, and one around a part of a query. A panic is a defect, and what it does not touch is
//! still answered.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::db::Db;
use crate::report::Problem;

/// The words of a panic, from the payload that a net caught.
pub fn panic_words(payload: &(dyn Any + Send)) -> String {
    let words = payload
        .downcast_ref::<&str>()
        .map(|words| (*words).to_owned());
    words
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without words".to_owned())
}

/// The answer to a question. A cancellation or a panic becomes a problem.
pub(crate) fn answer_or_problem<T>(ask: impl FnOnce() -> T) -> Result<T, Problem> {
    catch_unwind(AssertUnwindSafe(ask)).map_err(|payload| {
        if payload.is::<salsa::Cancelled>() {
            Problem::Cancelled
        } else {
            Problem::Internal(panic_words(&*payload))
        }
    })
}

/// What a part of a query gives, or what its panic carries. A cancellation goes on.
pub(crate) fn part_of_query<T>(
    db: &dyn Db,
    run: impl FnOnce() -> T,
) -> Result<T, Box<dyn Any + Send>> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        if payload.is::<salsa::Cancelled>() {
            resume_unwind(payload);
        }
        // What was read before it failed is not recorded: ask again after every change.
        db.report_untracked_read();
        payload
    })
}
