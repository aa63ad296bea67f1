//! Text to tokens. Comments and blanks are between them; `// -----` is a token, since it ends a module.

use super::Place;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `%a`, without the `#0` behind it.
    Value,
    /// `#0` right behind a value: which of its results.
    Part,
    /// `^bb0`.
    Label,
    /// `!pto.ptr`.
    Type,
    /// `#pto.pipe`.
    Attribute,
    /// `@name`.
    Symbol,
    /// `"text"`.
    Text,
    /// `12`, `-1`, `0x1F`, `1.0e-3`.
    Number,
    /// `scf.for`, `i64`.
    Word,
    /// One character: a bracket, a comma, a colon.
    Mark(u8),
    /// `->`.
    Arrow,
    /// `<=`, `>=`, `==`, `::`, `...`.
    Sign,
    /// `// -----`.
    Split,
    /// A character that MLIR has no use for, or a text without an end.
    Unknown,
    /// The end of the file.
    End,
}

/// A token with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Whether it is the first one on its line.
    pub begins_line: bool,
    /// Where it is.
    pub place: Place,
}

impl Token {
    /// The end of a file.
    pub const fn end_at(offset: u32) -> Self {
        Self {
            kind: Kind::End,
            begins_line: true,
            place: Place {
                start: offset,
                end: offset,
            },
        }
    }

    /// Whether it is a mark.
    pub fn is_mark(self, mark: u8) -> bool {
        self.kind == Kind::Mark(mark)
    }
}

const fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

const fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.') || byte >= 0x80
}

/// What may follow `%`, `^`, `!`, `#`, `@`.
const fn is_in_marked_name(byte: u8) -> bool {
    is_in_name(byte) || byte == b'-'
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
    begins_line: bool,
}

/// The tokens of a text, without the end.
pub fn lex(text: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        bytes: text.as_bytes(),
        at: 0,
        tokens: Vec::with_capacity(text.len() / 5),
        begins_line: true,
    };
    if text.starts_with('\u{feff}') {
        lexer.at = 3;
    }
    while lexer.next() {}
    lexer.tokens
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.bytes.get(self.at).is_some_and(|&byte| wanted(byte)) {
            self.at += 1;
        }
    }

    fn push(&mut self, kind: Kind, start: usize) {
        let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        self.tokens.push(Token {
            kind,
            begins_line: self.begins_line,
            place: Place {
                start: offset(start),
                end: offset(self.at),
            },
        });
        self.begins_line = false;
    }

    /// Reads one token, blank or comment; whether there was one.
    fn next(&mut self) -> bool {
        let Some(&byte) = self.bytes.get(self.at) else {
            return false;
        };
        let start = self.at;
        match byte {
            b'\n' => {
                self.at += 1;
                self.begins_line = true;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
            b'/' if self.byte(1) == b'/' => self.comment(start),
            b'"' => self.text(start),
            b'%' | b'^' | b'!' | b'#' | b'@' => self.lex_marked(byte, start),
            b'0'..=b'9' => self.number(start),
            b'-' if self.byte(1).is_ascii_digit() => self.number(start),
            b'-' if self.byte(1) == b'>' => self.take_bytes(2, Kind::Arrow, start),
            b'<' | b'>' | b'=' if self.byte(1) == b'=' => self.take_bytes(2, Kind::Sign, start),
            b':' if self.byte(1) == b':' => self.take_bytes(2, Kind::Sign, start),
            b'.' if self.byte(1) == b'.' && self.byte(2) == b'.' => {
                self.take_bytes(3, Kind::Sign, start);
            }
            b'{' if self
                .bytes
                .get(start..)
                .is_some_and(|rest| rest.starts_with(b"{-#")) =>
            {
                self.resources();
            }
            byte if begins_name(byte) => {
                self.skip_while(is_in_name);
                self.push(Kind::Word, start);
            }
            b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b',' | b':' | b'=' | b'*'
            | b'+' | b'-' | b'?' | b'/' | b'|' | b'&' | b';' => {
                self.take_bytes(1, Kind::Mark(byte), start);
            }
            _ => self.take_bytes(1, Kind::Unknown, start),
        }
        true
    }

    fn take_bytes(&mut self, bytes: usize, kind: Kind, start: usize) {
        self.at += bytes;
        self.push(kind, start);
    }

    /// Only a line of exactly `// -----` splits: longer ones are ornaments, and one behind blanks is in a module.
    fn comment(&mut self, start: usize) {
        self.skip_while(|byte| byte != b'\n');
        let line = self.bytes.get(start..self.at).unwrap_or_default();
        let begins_line = start
            .checked_sub(1)
            .is_none_or(|before| self.bytes.get(before) == Some(&b'\n'));
        if begins_line && line.trim_ascii_end() == b"// -----" {
            self.push(Kind::Split, start);
        }
    }

    /// Data of resources behind a module is text for tools: `{-# … #-}`.
    fn resources(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = rest.windows(3).position(|three| three == b"#-}");
        self.at = end.map_or(self.bytes.len(), |end| self.at + end + 3);
    }

    fn text(&mut self, start: usize) {
        self.at += 1;
        loop {
            match self.byte(0) {
                b'"' => return self.take_bytes(1, Kind::Text, start),
                b'\\' if self.byte(1) != b'\n' && self.at + 1 < self.bytes.len() => self.at += 2,
                b'\n' => return self.push(Kind::Unknown, start),
                _ if self.at >= self.bytes.len() => return self.push(Kind::Unknown, start),
                _ => self.at += 1,
            }
        }
    }

    fn lex_marked(&mut self, mark: u8, start: usize) {
        self.at += 1;
        if mark == b'@' && self.byte(0) == b'"' {
            self.text(start);
            if let Some(last) = self
                .tokens
                .last_mut()
                .filter(|last| last.kind == Kind::Text)
            {
                last.kind = Kind::Symbol;
            }
            return;
        }
        self.skip_while(is_in_marked_name);
        // `-` belongs to a name, `->` does not.
        if self.byte(0) == b'>' && self.bytes.get(self.at - 1) == Some(&b'-') {
            self.at -= 1;
        }
        let previous = self.tokens.last().copied();
        let is_part = mark == b'#'
            && previous
                .is_some_and(|last| last.kind == Kind::Value && last.place.end as usize == start);
        let kind = match mark {
            _ if self.at == start + 1 => Kind::Unknown,
            b'%' => Kind::Value,
            b'^' => Kind::Label,
            b'!' => Kind::Type,
            b'@' => Kind::Symbol,
            _ if is_part => Kind::Part,
            _ => Kind::Attribute,
        };
        self.push(kind, start);
    }

    fn number(&mut self, start: usize) {
        self.at += 1;
        let hexadecimal = self.bytes.get(start) == Some(&b'0')
            && self.byte(0) == b'x'
            && self.byte(1).is_ascii_hexdigit();
        if hexadecimal {
            self.at += 1;
            self.skip_while(|byte| byte.is_ascii_hexdigit());
            return self.push(Kind::Number, start);
        }
        self.skip_while(|byte| byte.is_ascii_digit());
        if self.byte(0) == b'.' {
            self.at += 1;
            self.skip_while(|byte| byte.is_ascii_digit());
            if matches!(self.byte(0), b'e' | b'E') {
                let signed = matches!(self.byte(1), b'+' | b'-');
                if self.byte(1 + usize::from(signed)).is_ascii_digit() {
                    self.at += 1 + usize::from(signed);
                    self.skip_while(|byte| byte.is_ascii_digit());
                }
            }
        }
        self.push(Kind::Number, start);
    }
}
