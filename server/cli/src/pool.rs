//! Threads for a command's work.

use crate::project::Failure;

/// Stack of a checking thread in bytes: generous, because recursion over a file's nesting is bounded but deep.
const STACK_BYTES: usize = 64 << 20;

/// Runs something on threads with a stack that suits the engine.
pub(crate) fn in_pool<T: Send>(
    jobs: Option<u16>,
    run: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let mut pool = rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES);
    if let Some(jobs) = jobs {
        pool = pool.num_threads(usize::from(jobs));
    }
    let pool = pool
        .build()
        .map_err(|error| Failure::new(format!("cannot start threads: {error}")))?;
    pool.install(run)
}
