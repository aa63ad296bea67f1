//! Frames of the base protocol: `Content-Length` headers and bodies, read from a stream that may be damaged.
//!
//! The reader never gives up on a bad message: what is no frame is reported once and skipped up to the next
//! `Content-Length`, so one malformed message costs itself and nothing behind it. A body larger than [`MAXIMUM_BODY_BYTES`]
//! ends the stream with a reason, before any memory is taken for it. Knows bytes only; JSON is the transport's business.

use std::ops::Range;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The largest body that is taken: larger than any source file.
pub const MAXIMUM_BODY_BYTES: usize = 64 << 20;

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
pub enum Frame {
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
pub struct FrameReader<R> {
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
    pub fn new(input: R) -> Self {
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
    pub async fn next(&mut self) -> Frame {
        loop {
            if let Some(frame) = self.take_frame() {
                return frame;
            }
            if !self.fill_buffer().await {
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
        if let Some(found) = inside.and_then(find_length_header) {
            self.start = body.start + found;
        }
        self.searched = 0;
        // What follows is a frame at once, or the rest of this one, which is not worth another complaint.
        self.lost = true;
    }

    /// The next frame of what was read, if it is whole.
    fn take_frame(&mut self) -> Option<Frame> {
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
    async fn fill_buffer(&mut self) -> bool {
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
pub async fn write_frame(
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

#[cfg(test)]
mod tests {
    use super::{Frame, FrameReader, MAXIMUM_BODY_BYTES};

    /// What a reader says of bytes that come a few at a time. A body that is no JSON is rejected, as the transport does.
    async fn frames_by(bytes: &[u8], step: usize) -> Vec<Frame> {
        let (client, server) = tokio::io::duplex(step);
        let bytes = bytes.to_vec();
        tokio::spawn(async move {
            let mut client = client;
            let _ = tokio::io::AsyncWriteExt::write_all(&mut client, &bytes).await;
        });
        let mut reader = FrameReader::new(server);
        let mut frames = Vec::new();
        loop {
            let frame = reader.next().await;
            if let Frame::Body(body) = &frame
                && serde_json::from_slice::<serde_json::Value>(body).is_err()
            {
                reader.reject();
            }
            let last = matches!(frame, Frame::End | Frame::TooLarge(_));
            frames.push(frame);
            if last {
                return frames;
            }
        }
    }

    /// The bodies that a reader finds, and how often it complains, whatever the size of the pieces.
    fn read(bytes: &[u8]) -> (Vec<String>, usize, Frame) {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.unwrap_or_else(|error| unreachable!("{error}"));
        let found = [1, 2, 7, 1 << 16].map(|step| {
            let mut frames = runtime.block_on(frames_by(bytes, step));
            let last = frames.pop().unwrap_or(Frame::End);
            let bodies = frames.iter().filter_map(|frame| match frame {
                Frame::Body(body) => Some(String::from_utf8_lossy(body).into_owned()),
                _ => None,
            });
            let bodies: Vec<String> = bodies.collect();
            let complaints = frames.len() - bodies.len();
            (bodies, complaints, last)
        });
        assert!(
            found.iter().all(|one| one == &found[0]),
            "the pieces matter: {found:#?}"
        );
        let [one, ..] = found;
        one
    }

    fn frame(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    fn all(bodies: &[&str], complaints: usize) -> (Vec<String>, usize, Frame) {
        let bodies = bodies.iter().map(|body| (*body).to_owned()).collect();
        (bodies, complaints, Frame::End)
    }

    #[test]
    fn headers_may_come_in_any_case_and_order() {
        let text = frame("{}")
            + "content-type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH:4\r\n\r\n[1  ]"
            + "Content-Length: 0\r\n\r\n";
        // `]` is outside of the body of four bytes: the rest up to the next frame is skipped.
        let (bodies, ..) = read(text.as_bytes());
        assert_eq!(bodies, ["{}", "[1  ", ""]);
        let text = "Content-Type: x\r\nContent-Length: 2\r\n\r\n[]".to_owned() + &frame("{}");
        assert_eq!(read(text.as_bytes()), all(&["[]", "{}"], 0));
    }

    #[test]
    fn a_body_that_is_no_json_costs_itself_only() {
        let text = frame("{\"jsonrpc\":") + &frame("{}") + &frame("\u{e9}") + &frame("[]");
        assert_eq!(
            read(text.as_bytes()),
            all(&["{\"jsonrpc\":", "{}", "\u{e9}", "[]"], 0)
        );
        let mut bytes = b"Content-Length: 2\r\n\r\n\xff\xfe".to_vec();
        bytes.extend_from_slice(frame("{}").as_bytes());
        let (bodies, complaints, _) = read(&bytes);
        assert_eq!((bodies.len(), complaints), (2, 0));
        assert_eq!(bodies[1], "{}");
    }

    #[test]
    fn a_wrong_length_costs_itself_only() {
        // Too short: the rest of the body is skipped, without a complaint of its own.
        let short = "Content-Length: 3\r\n\r\n{\"a\":1}".to_owned() + &frame("{}");
        assert_eq!(read(short.as_bytes()), all(&["{\"a", "{}"], 0));
        // Too long by nine bytes: the body swallows the beginning of the next frame, which is found again in it.
        let long = "Content-Length: 16\r\n\r\n{\"a\":1}".to_owned() + &frame("[2]") + &frame("[3]");
        let (bodies, _, end) = read(long.as_bytes());
        assert_eq!(bodies[0], "{\"a\":1}Content-L");
        assert_eq!(bodies.last().map(String::as_str), Some("[3]"));
        assert_eq!(end, Frame::End);
        // Too long by all of the next frame: that one is found again as a whole.
        let long = "Content-Length: 29\r\n\r\n{\"a\":1}".to_owned() + &frame("[2]") + &frame("[3]");
        let (bodies, _, _) = read(long.as_bytes());
        assert_eq!(bodies[1..], ["[2]", "[3]"]);
    }

    #[test]
    fn bad_headers_are_one_complaint() {
        for bad in [
            "garbage\r\n\r\n",
            "Content-Length: x\r\n\r\n{}",
            "Content-Length: -1\r\n\r\n{}",
            "Content-Length\r\n\r\n{}",
            "Content-Type: y\r\n\r\n{}",
            "\r\n\r\n",
            "{\"jsonrpc\":\"2.0\"}",
        ] {
            let text = frame("[1]") + bad + &frame("{}");
            assert_eq!(read(text.as_bytes()), all(&["[1]", "{}"], 1), "{bad:?}");
        }
    }

    #[test]
    fn endless_headers_take_no_memory() {
        let text = "x".repeat(1 << 18) + &frame("{}");
        assert_eq!(read(text.as_bytes()), all(&["{}"], 1));
    }

    #[test]
    fn a_body_beyond_the_limit_ends_the_stream() {
        let lengths = [
            (MAXIMUM_BODY_BYTES + 1).to_string(),
            "99999999999999999999999".into(),
        ];
        let expected = [MAXIMUM_BODY_BYTES as u64 + 1, u64::MAX];
        for (length, expected) in lengths.iter().zip(expected) {
            let text = frame("{}") + &format!("Content-Length: {length}\r\n\r\n{{");
            let (bodies, complaints, end) = read(text.as_bytes());
            assert_eq!((bodies.len(), complaints), (1, 0));
            assert_eq!(end, Frame::TooLarge(expected));
        }
    }

    #[test]
    fn the_end_inside_of_a_message_is_a_complaint() {
        assert_eq!(read(b"Content-Length: 5\r\n\r\n{}"), all(&[], 1));
        assert_eq!(read(b"Content-Len"), all(&[], 1));
        assert_eq!(read(b""), all(&[], 0));
    }
}
