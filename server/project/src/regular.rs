//! Reads files whole, if that is what they are: a pipe keeps its reader waiting for a writer, and a device such as `/dev/zero`
//! has no end.
//!
//! Everything that is read because it is found (sources of a folder, settings, manifests, what says which files to leave out, a
//! baseline) is read here. It knows nothing of what is in them.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;

use visa_analysis::thousands;

use super::paths::{not_utf8, system_reason};

/// The most bytes of a source that are read. What is worked out of it takes some sixty times as much.
pub const SOURCE_BYTES: u64 = 64 << 20;

/// The most bytes of a file that decides something that are read: settings, manifests, patterns.
pub const DECIDING_BYTES: u64 = 4 << 20;

/// The text of a regular file, or why there is none.
pub fn read_text(path: &Path, most: u64) -> Result<String, String> {
    let bytes = read_bytes(path, most)?;
    String::from_utf8(bytes).map_err(|error| not_utf8(&error))
}

/// The bytes of a regular file, or why there are none.
pub fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    bytes_of(open_regular(path, most)?, most)
}

/// A regular file of so many bytes at most, opened, or why it is not.
pub fn open_regular(path: &Path, most: u64) -> Result<File, String> {
    let metadata = std::fs::metadata(path).map_err(|error| system_reason(&error))?;
    match read_refusal(&metadata, most) {
        Some(why) => Err(why),
        None => File::open(path).map_err(|error| system_reason(&error)),
    }
}

/// The text of whatever a path names, up to its end: also of a pipe, which is waited for.
pub(crate) fn read_stream(path: &Path, most: u64) -> Result<String, String> {
    let file = File::open(path).map_err(|error| system_reason(&error))?;
    text_of(file, most)
}

/// The text of what can be read, up to its end.
pub(crate) fn text_of(input: impl Read, most: u64) -> Result<String, String> {
    let bytes = bytes_of(input, most)?;
    String::from_utf8(bytes).map_err(|error| not_utf8(&error))
}

fn bytes_of(input: impl Read, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut input = input.take(most.saturating_add(1));
    input
        .read_to_end(&mut bytes)
        .map_err(|error| system_reason(&error))?;
    if bytes.len() as u64 > most {
        let most = thousands(most);
        return Err(format!(
            "it has more than {most} bytes, the most that is read"
        ));
    }
    Ok(bytes)
}

/// Why a file that is there would not be read: it is none, or too large. None for what is not there and for folders, of which
/// others know what to say.
pub(crate) fn unfit(path: &Path, most: u64) -> Option<String> {
    let metadata = std::fs::metadata(path).ok()?;
    read_refusal(&metadata, most).filter(|_| !metadata.is_dir())
}

/// Whether something is at a path that is meant to be a file: not nothing, and no folder. What cannot be looked at counts.
pub fn is_meant(path: &Path) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    match std::fs::metadata(path) {
        Ok(metadata) => !metadata.is_dir(),
        Err(error) => {
            let link = std::fs::symlink_metadata(path).is_ok();
            link || !matches!(error.kind(), NotFound | NotADirectory)
        }
    }
}

fn read_refusal(metadata: &Metadata, most: u64) -> Option<String> {
    if !metadata.is_file() {
        return Some(format!("it is {}, not a regular file", file_kind(metadata)));
    }
    let bytes = metadata.len();
    (bytes > most).then(|| {
        let (bytes, most) = (thousands(bytes), thousands(most));
        format!("it has {bytes} bytes; the most that is read is {most}")
    })
}

#[cfg(unix)]
fn file_kind(metadata: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "a socket"
    }
}

#[cfg(not(unix))]
fn file_kind(metadata: &Metadata) -> &'static str {
    if metadata.is_dir() {
        "a directory"
    } else {
        "a device"
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{read_text, text_of, unfit};

    #[test]
    fn what_is_no_regular_file_is_named_and_not_read() {
        let folder = std::env::temp_dir();
        let refused = read_text(&folder, 10);
        assert_eq!(
            refused,
            Err("it is a directory, not a regular file".to_owned())
        );
        assert_eq!(unfit(&folder, 10), None);
        if cfg!(unix) {
            let zero = Path::new("/dev/zero");
            let refused = "it is a device, not a regular file".to_owned();
            assert_eq!(read_text(zero, 10), Err(refused.clone()));
            assert_eq!(unfit(zero, 10), Some(refused));
        }
    }

    #[test]
    fn what_is_longer_than_the_limit_is_refused_with_both_numbers() {
        let long = "12345".as_bytes();
        assert_eq!(text_of(long, 5).as_deref(), Ok("12345"));
        let refused = "it has more than 4 bytes, the most that is read".to_owned();
        assert_eq!(text_of(long, 4), Err(refused));
        assert_eq!(
            text_of(&b"ab\xff"[..], 5),
            Err("not UTF-8: invalid byte at offset 2".to_owned())
        );
    }
}
