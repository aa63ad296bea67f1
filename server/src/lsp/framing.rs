//! Frames of the base protocol: `Content-Length` headers and bodies, read from a stream that may be damaged.
//!
//! The reader never gives up on a bad message: what is no frame is reported once and skipped up to the next
//! `Content-Length`, so one malformed message costs itself and nothing behind it. A body larger than [`MAXIMUM_BODY_BYTES`]
//! ends the stream with a reason, before any memory is taken for it. Knows bytes only; JSON is the transport's business.

use std::ops::Range;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The largest body that is taken: larger than any source file.
pub(crate) const MAXIMUM_BODY_BYTES: usize = 64 << 20;

/// The longest block of headers that is taken.
const MAXIMUM_HEADER_BYTES: usize = 8 << 10;

/// How much is read at once.
const CHUNK_BYTES: usize = 64 << 10;

/// The header that opens a frame, in lower case: names of headers are compared without case.
const LENGTH_HEADER: &[u8] = b"content-length:";

/// What ends a block of headers.
const HEADER_END: &[u8] = b"\r\n\r\n";

/// What comes next on the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Frame {
    /// The body of a message.
    Body(Vec<u8>),
    /// Bytes that are no frame were skipped; the reason.
    Damaged(&'static str),
    /// The stream cannot go on: a body beyond the limit. Its length in bytes.
    TooLarge(u64),
    /// The other side closed the stream.
    End,
}

/// Reads frames.
pub(crate) struct FrameReader<R> {
    input: R,
    /// Bytes that were read; those before `start` are used up.
    buffer: Vec<u8>,
    start: usize,
    /// Whether we are looking for the next frame after a damaged one.
    lost: bool,
    /// Where the search for the end of the headers, or for the next frame, goes on: an offset from `start`.
    searched: usize,
    /// The place in the buffer of the last body that was handed out.
    last_body: Range<usize>,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    /// A reader of frames.
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            start: 0,
            lost: false,
            searched: 0,
            last_body: 0..0,
        }
    }

    /// The next frame, damage or the end. After [`Frame::TooLarge`] and [`Frame::End`] there is nothing more to ask.
    pub(crate) async fn next(&mut self) -> Frame {
        loop {
            if let Some(frame) = self.take() {
                return frame;
            }
            if !self.fill().await {
                let rest = self.buffer.len() > self.start;
                self.consume(self.buffer.len() - self.start);
                return if rest && !std::mem::replace(&mut self.lost, true) {
                    Frame::Damaged("the stream ended inside of a message")
                } else {
                    Frame::End
                };
            }
        }
    }

    /// Tells that the last body was no message: if a frame begins inside of it, its length was wrong, and reading goes on
    /// there.
    pub(crate) fn reject(&mut self) {
        let body = std::mem::replace(&mut self.last_body, 0..0);
        let inside = self.buffer.get(body.clone());
        if let Some(found) = inside.and_then(|bytes| find_length_header(bytes)) {
            self.start = body.start + found;
        }
        self.searched = 0;
        // What follows is a frame at once, or the rest of this one, which is not worth another complaint.
        self.lost = true;
    }

    /// The next frame of what was read, if it is whole.
    fn take(&mut self) -> Option<Frame> {
        if self.lost {
            self.skip_to_frame();
            if self.lost {
                return None;
            }
        }
        let rest = self.buffer.get(self.start..)?;
        let from = self.searched.saturating_sub(HEADER_END.len());
        let Some(end) = find(rest.get(from..)?, HEADER_END).map(|end| from + end) else {
            self.searched = rest.len();
            if rest.len() > MAXIMUM_HEADER_BYTES {
                return Some(self.damaged("the headers of a message are too long"));
            }
            return None;
        };
        let Some(length) = content_length(rest.get(..end)?) else {
            return Some(self.damaged("a message without a valid Content-Length"));
        };
        if length > MAXIMUM_BODY_BYTES as u64 {
            return Some(Frame::TooLarge(length));
        }
        let length = usize::try_from(length).ok()?;
        let body = self.start + end + HEADER_END.len();
        let whole = body..body.checked_add(length)?;
        let Some(bytes) = self.buffer.get(whole.clone()) else {
            // The search for the end of the headers starts over when more is there; it finds it at once.
            self.searched = 0;
            return None;
        };
        let bytes = bytes.to_vec();
        self.start = whole.end;
        self.searched = 0;
        self.last_body = whole;
        Some(Frame::Body(bytes))
    }

    /// Gives up on the frame at the start, and looks for the next one behind its first byte.
    fn damaged(&mut self, why: &'static str) -> Frame {
        self.consume(1);
        self.lost = true;
        Frame::Damaged(why)
    }

    /// Drops what is before the next frame; still lost if none begins in what was read.
    fn skip_to_frame(&mut self) {
        let rest = self.buffer.get(self.start..).unwrap_or_default();
        if let Some(found) = find_length_header(rest) {
            self.consume(found);
            self.lost = false;
        } else {
            // The beginning of the header may be what was read last.
            let keep = LENGTH_HEADER.len() - 1;
            self.consume(rest.len().saturating_sub(keep));
        }
    }

    fn consume(&mut self, bytes: usize) {
        self.start = (self.start + bytes).min(self.buffer.len());
        self.searched = 0;
    }

    /// Reads more; `false` at the end of the stream or where it fails.
    async fn fill(&mut self) -> bool {
        self.last_body = 0..0;
        self.buffer.drain(..self.start);
        self.start = 0;
        if self.buffer.is_empty() && self.buffer.capacity() > CHUNK_BYTES {
            // What one large message took is not kept.
            self.buffer.shrink_to(CHUNK_BYTES);
        }
        self.buffer.reserve(CHUNK_BYTES);
        matches!(self.input.read_buf(&mut self.buffer).await, Ok(1..))
    }
}

/// Writes the frame of a body and flushes it.
///
/// # Errors
///
/// Those of the stream.
pub(crate) async fn write_frame(
    output: &mut (impl AsyncWrite + Unpin),
    body: &[u8],
) -> std::io::Result<()> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    output.write_all(&frame).await?;
    output.flush().await
}

/// The length that a block of headers tells, if every line of it is a header and one of them is a valid length.
fn content_length(headers: &[u8]) -> Option<u64> {
    let mut length = None;
    for line in std::str::from_utf8(headers).ok()?.split("\r\n") {
        let (name, value) = line.split_once(':')?;
        let token = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if name.is_empty() || !name.bytes().all(token) {
            return None;
        }
        if name.eq_ignore_ascii_case("content-length") {
            let digits = value.trim();
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            // More digits than 64 bits hold are beyond every limit as well.
            length = Some(digits.parse().unwrap_or(u64::MAX));
        }
    }
    length
}

/// Where a header with a length begins.
fn find_length_header(bytes: &[u8]) -> Option<usize> {
    bytes
        .windows(LENGTH_HEADER.len())
        .position(|window| window.eq_ignore_ascii_case(LENGTH_HEADER))
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}
