//! Which program asks: another build of it may find something else.

use std::hash::Hash;

use super::key::{ContentHasher, KEY_BYTES};
use super::{Cache, Kind};
use crate::project::regular::read_bytes;

/// The most bytes of a program that are read to know it by.
const PROGRAM_BYTES: u64 = 1 << 30;

/// A hasher that knows the bytes of the program that runs, and nothing else yet. None where they cannot be read.
///
/// To read them takes longer than the rest of a check whose reports are kept. So their hash is kept too, by the place of the
/// program, its length and the time when it was written.
pub(crate) fn program_hasher(cache: &Cache) -> Option<ContentHasher> {
    let path = std::env::current_exe().ok()?;
    let metadata = std::fs::metadata(&path).ok()?;
    let mut place = ContentHasher::default();
    (&path, metadata.len(), metadata.modified().ok()?).hash(&mut place);
    let place = place.key();
    let known = cache.kept(Kind::Program, &place);
    let content = match known.filter(|known| known.len() == KEY_BYTES) {
        Some(known) => known,
        None => {
            let read = read_bytes(&path, PROGRAM_BYTES).ok()?;
            let content = blake3::hash(&read).as_bytes().to_vec();
            cache.keep(Kind::Program, &place, &content);
            content
        }
    };
    let mut hasher = ContentHasher::default();
    content.hash(&mut hasher);
    Some(hasher)
}
