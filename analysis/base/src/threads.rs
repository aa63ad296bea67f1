//! Two things at once, for what one question about a large kernel has to work out.
//!
//! Files and items are spread over a pool of threads by those who ask about many of them; this is for the inside of one answer.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Operations of a body from which on a further thread is worth its start.
pub const PARALLEL_THRESHOLD: usize = 200;

/// Items that a thread takes at a time.
const PART: usize = 16;

/// Stack of the further thread, as large as those of the pools: mappings nest.
const STACK_BYTES: usize = 64 << 20;

/// Does two things at once, or where there is no further thread one after the other. Not on the pool of threads: a thread of it
/// that waits takes up other work, which may wait for what it is itself in the middle of.
pub fn join<One, Other: Send>(
    mut one: impl FnMut() -> One,
    mut other: impl FnMut() -> Other + Send,
) -> (One, Other) {
    let both = std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
        let thread = builder.spawn_scoped(scope, &mut other).ok()?;
        let one = one();
        match thread.join() {
            Ok(other) => Some((one, other)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    both.unwrap_or_else(|| (one(), other()))
}

/// What `of` says of each item, in their order, worked out on two threads where there are many. `pause` is called before
/// each item that falls to the caller's thread and may unwind; the other thread then soon stops, too.
pub fn par_map<Item: Sync, T: Send>(
    items: &[Item],
    pause: &dyn Fn(),
    of: impl Fn(&Item) -> T + Sync,
) -> Vec<T> {
    let paused = |item: &Item| {
        pause();
        of(item)
    };
    if items.len() < PARALLEL_THRESHOLD {
        return items.iter().map(paused).collect();
    }
    let next = AtomicUsize::new(0);
    let (mut parts, other) = join(
        || {
            let _stop = Stop(&next);
            compute_parts(&next, items, &paused)
        },
        || compute_parts(&next, items, &of),
    );
    parts.extend(other);
    parts.sort_unstable_by_key(|(number, _)| *number);
    parts.into_iter().flat_map(|(_, part)| part).collect()
}

/// Works out parts of the items until none is left; each with its number.
fn compute_parts<Item, T>(
    next: &AtomicUsize,
    items: &[Item],
    of: &impl Fn(&Item) -> T,
) -> Vec<(usize, Vec<T>)> {
    let mut parts = Vec::new();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(part) = items.chunks(PART).nth(number) else {
            return parts;
        };
        parts.push((number, part.iter().map(of).collect()));
    }
}

/// Leaves no part to anybody when a thread has none left, or unwinds.
struct Stop<'a>(&'a AtomicUsize);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        // Behind the last part, and far from the number's end, since the other thread adds one more.
        self.0.store(usize::MAX / 2, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{PARALLEL_THRESHOLD, join, par_map};

    #[test]
    fn all_numbers_come_in_their_order() {
        for count in [0, 1, PARALLEL_THRESHOLD - 1, PARALLEL_THRESHOLD, 1_003] {
            let numbers: Vec<usize> = (0..count).collect();
            let squares: Vec<usize> = (0..count).map(|number| number * number).collect();
            assert_eq!(par_map(&numbers, &|| (), |number| number * number), squares);
        }
    }

    #[test]
    fn a_pause_that_unwinds_ends_both_threads() {
        let (asked, met) = (AtomicUsize::new(0), Cell::new(0));
        let pause = || {
            met.set(met.get() + 1);
            if met.get() == 2 {
                resume_unwind(Box::new("withdrawn"));
            }
        };
        let of = |_: &()| {
            asked.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(std::time::Duration::from_micros(100));
        };
        let all = vec![(); 100_000];
        let unwound = catch_unwind(AssertUnwindSafe(|| par_map(&all, &pause, of)));
        let payload = unwound.map_err(|payload| payload.downcast_ref() == Some(&"withdrawn"));
        assert_eq!(payload.err(), Some(true));
        assert!(asked.into_inner() < all.len() / 10);
    }

    #[test]
    fn a_panic_of_either_thread_is_the_callers() {
        let number = |fails: bool| if fails { panic!("a defect") } else { 1 };
        for (one, other) in [(true, false), (false, true)] {
            let run = || join(|| number(one), || number(other));
            let unwound = catch_unwind(AssertUnwindSafe(run));
            let words = unwound.map_err(|payload| payload.downcast_ref() == Some(&"a defect"));
            assert_eq!(words.err(), Some(true));
        }
        assert_eq!(join(|| 1, || 2), (1, 2));
    }
}
