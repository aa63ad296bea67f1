//! What is removed when a signal ends the program: files that were written and have no name of their own yet.
//!
//! A signal that the program was started to ignore, as under `nohup`, stays ignored.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The files that are not in their places.
static UNPLACED: Mutex<Unplaced> = Mutex::new(Unplaced(BTreeSet::new()));

/// Paths of files that are not in their places. A signal waits while they are held.
pub(super) struct Unplaced(BTreeSet<PathBuf>);

impl Unplaced {
    pub(super) fn remember_path(&mut self, path: &Path) {
        self.0.insert(path.to_path_buf());
    }

    pub(super) fn forget_path(&mut self, path: &Path) {
        self.0.remove(path);
    }
}

/// The files that are not in their places, for as long as they are held.
pub(super) fn unplaced() -> MutexGuard<'static, Unplaced> {
    UNPLACED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on the files are removed where a signal ends the program.
#[cfg(unix)]
pub(super) fn watch_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let ignored = ignored_signals();
        let signals = [SIGHUP, SIGINT, SIGTERM]
            .into_iter()
            .filter(|signal| !ignored.contains(signal));
        let Ok(mut signals) = signal_hook::iterator::Signals::new(signals) else {
            return;
        };
        std::thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                let unplaced = unplaced();
                for path in &unplaced.0 {
                    let _ = std::fs::remove_file(path);
                }
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    });
}

/// The signals that the program was started to ignore, where the system tells.
#[cfg(unix)]
fn ignored_signals() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0);
    (1..=64)
        .filter(|signal| mask >> (signal - 1) & 1 == 1)
        .collect()
}

#[cfg(not(unix))]
pub(super) fn watch_signals() {}
