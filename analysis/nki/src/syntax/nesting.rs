//! How deep a Python text nests, found without a tree.
//!
//! A tree is as deep as its brackets, blocks and chains of operators together, and a walk or a drop of it takes stack for each level.
//! So a text is looked at once before it is parsed. What is counted is never less than the depth of the tree.

use super::super::types::Span;

/// The most brackets in one another: Python's own limit.
pub const MOST_BRACKETS: usize = 200;
/// The most blocks in one another: Python's own limit.
pub const MOST_BLOCKS: usize = 100;
/// The most operators, calls and brackets in one another.
pub const MOST_OPERATORS: usize = 400;

/// What nests too deeply, and from which byte on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooDeep {
    /// Where the limit is passed.
    pub span: Span,
    /// What nests.
    pub what: What,
}

/// What may nest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// `(`, `[` and `{`.
    Brackets,
    /// Indented blocks.
    Blocks,
    /// Operators and calls in one another.
    Operators,
}

impl What {
    /// The limit that is passed.
    pub const fn limit(self) -> usize {
        match self {
            Self::Brackets => MOST_BRACKETS,
            Self::Blocks => MOST_BLOCKS,
            Self::Operators => MOST_OPERATORS,
        }
    }

    /// As a message names them.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Brackets => "brackets",
            Self::Blocks => "blocks",
            Self::Operators => "operators",
        }
    }
}

/// A bracket or a string with expressions in it that is still open.
enum Open {
    Bracket { operators: usize },
    Text { quote: u8, is_triple: bool },
}

struct Scan<'a> {
    bytes: &'a [u8],
    place: usize,
    open: Vec<Open>,
    /// Operators of the statement outside of brackets.
    operators: usize,
    /// Operators of all that is open, and outside.
    depth: usize,
    blocks: Vec<usize>,
}

/// Whether a byte is one of a word: a letter, a digit, `_`, or a part of a letter beyond ASCII. A table, since each byte of a text is
/// asked about.
static IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = byte >= 0x80 || byte == b'_' as usize || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    table
};

/// Whether a byte is one of a name, a keyword or a number of Python.
pub const fn is_in_word(byte: u8) -> bool {
    IN_WORD[byte as usize]
}

/// Finds the first place where a text nests deeper than the limits.
pub fn too_deep(text: &str) -> Option<TooDeep> {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        place: 0,
        open: Vec::new(),
        operators: 0,
        depth: 0,
        blocks: vec![0],
    };
    scan.indentation();
    while scan.place < scan.bytes.len() {
        while matches!(scan.byte_at(scan.place), b' ' | b'\t' | b'0'..=b'9') {
            scan.place += 1;
        }
        let start = scan.place;
        scan.scan_step();
        if let Some(what) = scan.exceeded() {
            let place = |byte| u32::try_from(byte).unwrap_or(u32::MAX);
            return Some(TooDeep {
                span: Span {
                    start: place(start),
                    end: place(start + 1),
                },
                what,
            });
        }
    }
    None
}

impl Scan<'_> {
    fn byte_at(&self, place: usize) -> u8 {
        self.bytes.get(place).copied().unwrap_or(0)
    }

    fn exceeded(&self) -> Option<What> {
        if self.open.len() > MOST_BRACKETS {
            Some(What::Brackets)
        } else if self.blocks.len() > MOST_BLOCKS {
            Some(What::Blocks)
        } else {
            (self.depth > MOST_OPERATORS).then_some(What::Operators)
        }
    }

    fn scan_step(&mut self) {
        if let Some(Open::Text { quote, is_triple }) = self.open.last() {
            let (quote, is_triple) = (*quote, *is_triple);
            self.in_text(quote, is_triple);
            return;
        }
        let byte = self.byte_at(self.place);
        match byte {
            b'#' => self.skip_line(),
            b'\\' => self.place += 2,
            b'\n' | b'\r' => {
                self.place += 1;
                if self.open.is_empty() {
                    self.end_of_statement();
                    self.indentation();
                }
            }
            b'(' | b'[' | b'{' => {
                // A call, an index and a display are a level of their own.
                self.add_operator();
                self.open.push(Open::Bracket { operators: 0 });
                self.place += 1;
            }
            b')' | b']' | b'}' => {
                if let Some(Open::Bracket { operators }) = self.open.pop() {
                    self.depth = self.depth.saturating_sub(operators);
                }
                self.place += 1;
            }
            b',' => {
                self.end_of_part();
                self.place += 1;
            }
            b';' if self.open.is_empty() => {
                self.end_of_statement();
                self.place += 1;
            }
            b'"' | b'\'' => self.text(false),
            b'+' | b'-' | b'*' | b'/' | b'%' | b'@' | b'&' | b'|' | b'^' | b'~' | b'<' | b'>'
            | b'=' | b'.' | b'!' | b':' => {
                self.add_operator();
                self.place += 1;
            }
            _ if byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80 => self.scan_word(),
            _ => self.place += 1,
        }
    }

    fn add_operator(&mut self) {
        self.depth += 1;
        match self.open.last_mut() {
            Some(Open::Bracket { operators }) => *operators += 1,
            _ => self.operators += 1,
        }
    }

    fn end_of_part(&mut self) {
        let operators = match self.open.last_mut() {
            Some(Open::Bracket { operators }) => operators,
            Some(Open::Text { .. }) => return,
            None => &mut self.operators,
        };
        self.depth = self.depth.saturating_sub(*operators);
        *operators = 0;
    }

    fn end_of_statement(&mut self) {
        self.operators = 0;
        self.depth = 0;
    }

    fn scan_word(&mut self) {
        let start = self.place;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| is_in_word(**byte)).count();
        self.place += length;
        let word = rest.get(..length).unwrap_or_default();
        let quote = self.byte_at(self.place);
        if matches!(quote, b'"' | b'\'')
            && word.len() <= 2
            && word.iter().all(|byte| b"rRbBuUfFtT".contains(byte))
        {
            let has_expressions = word.iter().any(|byte| b"fFtT".contains(byte));
            self.text(has_expressions);
            return;
        }
        if !(2..=6).contains(&length) {
            return;
        }
        let nests = matches!(
            word,
            b"not"
                | b"lambda"
                | b"if"
                | b"else"
                | b"await"
                | b"yield"
                | b"and"
                | b"or"
                | b"in"
                | b"is"
                | b"for"
                | b"from"
        );
        if nests {
            self.add_operator();
        }
    }

    /// A string begins. One without expressions is passed over.
    fn text(&mut self, has_expressions: bool) {
        let quote = self.byte_at(self.place);
        let is_triple =
            self.byte_at(self.place + 1) == quote && self.byte_at(self.place + 2) == quote;
        self.place += if is_triple { 3 } else { 1 };
        if has_expressions {
            // As deep as a bracket is.
            self.add_operator();
            self.open.push(Open::Text { quote, is_triple });
            return;
        }
        while self.place < self.bytes.len() {
            if self.ends_text(quote, is_triple) {
                return;
            }
        }
    }

    /// Passes a byte of a string; whether it ended.
    fn ends_text(&mut self, quote: u8, is_triple: bool) -> bool {
        let byte = self.byte_at(self.place);
        if byte == b'\\' {
            self.place += 2;
            return false;
        }
        if byte == b'\n' && !is_triple {
            return true;
        }
        if byte != quote {
            self.place += 1;
            return false;
        }
        if !is_triple {
            self.place += 1;
            return true;
        }
        if self.byte_at(self.place + 1) == quote && self.byte_at(self.place + 2) == quote {
            self.place += 3;
            return true;
        }
        self.place += 1;
        false
    }

    fn in_text(&mut self, quote: u8, is_triple: bool) {
        if self.byte_at(self.place) == b'{' {
            if self.byte_at(self.place + 1) == b'{' {
                self.place += 2;
                return;
            }
            self.open.push(Open::Bracket { operators: 0 });
            self.place += 1;
            return;
        }
        if self.ends_text(quote, is_triple) {
            self.open.pop();
        }
    }

    fn skip_line(&mut self) {
        while self.place < self.bytes.len() && !matches!(self.byte_at(self.place), b'\n' | b'\r') {
            self.place += 1;
        }
    }

    /// At the start of a line outside of brackets: how far it is indented.
    fn indentation(&mut self) {
        let start = self.place;
        while matches!(self.byte_at(self.place), b' ' | b'\t' | 0x0c) {
            self.place += 1;
        }
        if self.place >= self.bytes.len()
            || matches!(self.byte_at(self.place), b'\n' | b'\r' | b'#')
        {
            return;
        }
        let width = self.place - start;
        while self.blocks.last().is_some_and(|outer| *outer > width) {
            self.blocks.pop();
        }
        if self.blocks.last().is_none_or(|outer| *outer < width) {
            self.blocks.push(width);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(text: &str) -> Option<What> {
        too_deep(text).map(|found| found.what)
    }

    #[test]
    fn depth_is_counted_where_the_tree_is_deep() {
        let deep = |open: &str, times: usize| format!("x = {}1", open.repeat(times));
        assert_eq!(what(&deep("(", 201)), Some(What::Brackets));
        assert_eq!(
            what(&format!("x = {}1{}", "(".repeat(200), ")".repeat(200))),
            None
        );
        for operator in [
            "1 + ",
            "not ",
            "-",
            "a.",
            "lambda: ",
            "1 if b else ",
            "f().",
        ] {
            assert_eq!(
                what(&deep(operator, 401)),
                Some(What::Operators),
                "{operator}"
            );
        }
        let blocks: String = (0..101)
            .map(|depth| format!("{}if x:\n", " ".repeat(depth)))
            .collect();
        assert_eq!(what(&blocks), Some(What::Blocks));
        let strings = "f'{".repeat(150);
        assert!(what(&format!("x = {strings}")).is_some());
    }

    #[test]
    fn wide_texts_are_not_deep() {
        let list = format!("x = [{}]", "-1.5, ".repeat(100_000));
        assert_eq!(what(&list), None);
        let smileys = format!(
            "'''{}'''\n# {}\n\"{}\"\n",
            ":(".repeat(500),
            "((".repeat(500),
            "[(".repeat(300)
        );
        assert_eq!(what(&smileys), None);
        assert_eq!(what(&"x = a.b(c)[d] + 1\n".repeat(10_000)), None);
        assert_eq!(what(&"if a:\n    b\n".repeat(1_000)), None);
    }
}
