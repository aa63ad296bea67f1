//! A guard in front of the recursive parser: does a text nest so deeply that the stack could overflow?
//!
//! One scan over the bytes, without a tree. It counts open brackets, and within each bracket the operators and keywords
//! since the last `;`, `,` or `}`, because chains of those (`a.b().c()`, `- - - x`, `else if`) nest in a tree as well.

/// Brackets inside each other that a file may have.
const MAXIMUM_BRACKETS: usize = 200;
/// Operators and keywords inside each other that a file may have, over all open brackets together.
const MAXIMUM_CHAIN: u32 = 1500;
/// Levels of a tree that may be dropped, which recurses.
pub(super) const MAXIMUM_TREE_DEPTH: usize = 4000;

/// Whether a word opens a nested expression, type or pattern.
fn opens_nesting(word: &str) -> bool {
    matches!(
        word,
        "as" | "async"
            | "await"
            | "box"
            | "break"
            | "const"
            | "do"
            | "dyn"
            | "else"
            | "fn"
            | "for"
            | "if"
            | "impl"
            | "in"
            | "let"
            | "loop"
            | "match"
            | "move"
            | "mut"
            | "ref"
            | "return"
            | "static"
            | "unsafe"
            | "where"
            | "while"
            | "yield"
    )
}

/// Whether the parser could overflow its stack on this text.
pub(super) fn is_too_deep(text: &str) -> bool {
    exceeds_nesting(text, MAXIMUM_BRACKETS, MAXIMUM_CHAIN)
}

/// Whether a part of a file nests so deeply that what is around it may decide whether the file is refused.
pub(super) fn is_deep(text: &str) -> bool {
    exceeds_nesting(text, MAXIMUM_BRACKETS / 4, MAXIMUM_CHAIN / 4)
}

fn exceeds_nesting(text: &str, brackets: usize, chain: u32) -> bool {
    let mut scan = Scan::new(text);
    while scan.position < scan.bytes.len() {
        scan.scan_step();
        if scan.levels.len() > brackets + 1 || scan.total > chain {
            return true;
        }
    }
    false
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    File,
    Round,
    Square,
    Curly,
    /// The arguments of a turbofish.
    Angle,
}

struct Level {
    bracket: Bracket,
    chain: u32,
    /// Inside a macro's arguments the tree is flat but for brackets.
    tokens: bool,
}

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    position: usize,
    levels: Vec<Level>,
    total: u32,
    /// The last token was `}`: what follows decides whether the chain goes on.
    after_block: bool,
    /// The last tokens were a name and `!`, perhaps with another name after it: a bracket opens a macro's arguments.
    macro_call: bool,
    after_name: bool,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str) -> Self {
        let file = Level {
            bracket: Bracket::File,
            chain: 0,
            tokens: false,
        };
        Self {
            text,
            bytes: text.as_bytes(),
            position: 0,
            levels: vec![file],
            total: 0,
            after_block: false,
            macro_call: false,
            after_name: false,
        }
    }

    fn byte_ahead(&self, ahead: usize) -> u8 {
        self.bytes.get(self.position + ahead).copied().unwrap_or(0)
    }

    fn scan_step(&mut self) {
        let byte = self.byte_ahead(0);
        match byte {
            b'/' if self.byte_ahead(1) == b'/' => self.skip_line(),
            b'/' if self.byte_ahead(1) == b'*' => self.skip_block_comment(),
            b' ' | b'\t' | b'\r' | b'\n' => self.position += 1,
            b'"' => self.string(),
            b'\'' => self.quote(),
            b'0'..=b'9' => self.number(),
            b'_' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => self.scan_word(),
            _ => self.punctuation(byte),
        }
    }

    fn skip_line(&mut self) {
        while self.position < self.bytes.len() && self.byte_ahead(0) != b'\n' {
            self.position += 1;
        }
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0_usize;
        while self.position < self.bytes.len() {
            match (self.byte_ahead(0), self.byte_ahead(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    self.position += 2;
                }
                (b'*', b'/') => {
                    depth = depth.saturating_sub(1);
                    self.position += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.position += 1,
            }
        }
    }

    fn string(&mut self) {
        self.operand();
        self.position += 1;
        while self.position < self.bytes.len() {
            match self.byte_ahead(0) {
                b'\\' => self.position += 2,
                b'"' => {
                    self.position += 1;
                    return;
                }
                _ => self.position += 1,
            }
        }
    }

    /// Skips `r##"…"##` whose hashes or quote begin at the position; false if it is none.
    fn raw_string(&mut self) -> bool {
        let mut hashes = 0;
        while self.byte_ahead(hashes) == b'#' {
            hashes += 1;
        }
        if self.byte_ahead(hashes) != b'"' {
            return false;
        }
        self.position += hashes + 1;
        while self.position < self.bytes.len() {
            if self.byte_ahead(0) == b'"'
                && (1..=hashes).all(|ahead| self.byte_ahead(ahead) == b'#')
            {
                self.position += hashes + 1;
                return true;
            }
            self.position += 1;
        }
        true
    }

    /// A character or a lifetime.
    fn quote(&mut self) {
        self.operand();
        let rest = self.text.get(self.position + 1..).unwrap_or("");
        let mut characters = rest.chars();
        match characters.next() {
            Some('\\') => {
                self.position += 3;
                while self.position < self.bytes.len()
                    && !matches!(self.byte_ahead(0), b'\'' | b'\n')
                {
                    self.position += 1;
                }
                self.position += 1;
            }
            Some(character) if characters.next() == Some('\'') => {
                self.position += 2 + character.len_utf8();
            }
            _ => self.position += 1,
        }
    }

    fn number(&mut self) {
        self.operand();
        while matches!(self.byte_ahead(0), b'0'..=b'9' | b'_' | b'a'..=b'z' | b'A'..=b'Z') {
            self.position += 1;
        }
    }

    fn scan_word(&mut self) {
        let start = self.position;
        while matches!(self.byte_ahead(0), b'0'..=b'9' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | 0x80..)
        {
            self.position += 1;
        }
        let word = self.text.get(start..self.position).unwrap_or("");
        if matches!(word, "r" | "br" | "cr")
            && matches!(self.byte_ahead(0), b'#' | b'"')
            && self.raw_string()
        {
            self.operand();
            return;
        }
        let keyword = opens_nesting(word);
        if self.after_block && word != "else" && word != "as" {
            self.reset();
        }
        self.after_block = false;
        if keyword {
            self.count(1);
        }
        self.after_name = !keyword;
    }

    fn operand(&mut self) {
        if self.after_block {
            self.reset();
        }
        self.after_block = false;
        self.after_name = false;
        self.macro_call = false;
    }

    fn punctuation(&mut self, byte: u8) {
        self.position += 1;
        let after_name = std::mem::take(&mut self.after_name);
        let macro_call = std::mem::take(&mut self.macro_call);
        let after_block = std::mem::take(&mut self.after_block);
        match byte {
            b'(' => self.open_bracket(Bracket::Round, macro_call, after_block),
            b'[' => self.open_bracket(Bracket::Square, macro_call, after_block),
            b'{' => self.open_bracket(Bracket::Curly, macro_call, after_block),
            b')' => self.close_bracket(Bracket::Round),
            b']' => self.close_bracket(Bracket::Square),
            b'}' => {
                self.close_bracket(Bracket::Curly);
                self.after_block = true;
            }
            b';' | b',' => self.reset(),
            b':' if self.byte_ahead(0) == b':' && self.byte_ahead(1) == b'<' => {
                self.position += 2;
                self.open_bracket(Bracket::Angle, false, false);
            }
            b'>' if self
                .levels
                .last()
                .is_some_and(|level| level.bracket == Bracket::Angle) =>
            {
                let arrow = self
                    .position
                    .checked_sub(2)
                    .and_then(|index| self.bytes.get(index))
                    .is_some_and(|before| matches!(before, b'-' | b'='));
                if !arrow {
                    self.pop();
                }
            }
            b'#' => {
                if after_block {
                    self.reset();
                }
                self.macro_call = true;
                self.count(1);
            }
            b'!' => {
                self.macro_call = after_name || macro_call;
                self.count(1);
            }
            _ => self.count(1),
        }
    }

    fn count(&mut self, weight: u32) {
        if let Some(level) = self.levels.last_mut()
            && !level.tokens
        {
            level.chain += weight;
            self.total += weight;
        }
    }

    fn reset(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            self.total -= level.chain;
            level.chain = 0;
        }
    }

    fn open_bracket(&mut self, bracket: Bracket, macro_call: bool, after_block: bool) {
        if after_block {
            self.reset();
        }
        let inherited = self.levels.last().is_some_and(|level| level.tokens);
        self.levels.push(Level {
            bracket,
            chain: 0,
            tokens: macro_call || inherited,
        });
    }

    fn close_bracket(&mut self, bracket: Bracket) {
        while self
            .levels
            .last()
            .is_some_and(|level| level.bracket == Bracket::Angle)
        {
            self.pop();
        }
        if self
            .levels
            .last()
            .is_some_and(|level| level.bracket == bracket)
        {
            self.pop();
        }
    }

    fn pop(&mut self) {
        if self.levels.len() > 1
            && let Some(level) = self.levels.pop()
        {
            self.total -= level.chain;
        }
    }
}
