//! The parts of an operation: operands, groups, types; regions are passed over.

use super::{File, Kind, OperationId, Place, Token};

/// `%a`, or `%a#1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operand {
    /// The number of its token.
    pub token: u32,
    /// The name with its `%`, and the part with its `#` if there is one.
    pub place: Place,
}

/// Operands between commas, up to what is no operand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OperandList {
    /// The operands.
    pub operands: Vec<Operand>,
    /// From the first one to the last.
    pub place: Place,
}

/// Walks over the tokens of an operation behind its name, without those of its regions.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    /// The file.
    pub file: &'a File,
    at: u32,
    end: u32,
    regions: &'a [super::RegionId],
}

impl<'a> Cursor<'a> {
    /// At the first token behind an operation's name.
    pub fn new(file: &'a File, id: OperationId) -> Self {
        let operation = file.operation(id);
        let mut cursor = Self {
            file,
            at: operation.tokens.start,
            end: operation.tokens.end,
            regions: &operation.regions,
        };
        cursor.pass_regions();
        cursor
    }

    fn pass_regions(&mut self) {
        while let Some((&first, rest)) = self.regions.split_first() {
            let tokens = &self.file.region(first).tokens;
            if tokens.start > self.at {
                return;
            }
            self.regions = rest;
            self.at = self.at.max(tokens.end);
        }
    }

    /// The next token.
    pub fn peek(&self) -> Token {
        if self.at >= self.end {
            let last = self.file.token(self.end.saturating_sub(1)).place.end;
            return Token::end_at(last);
        }
        self.file.token(self.at)
    }

    /// The number of the next token.
    pub const fn index(&self) -> u32 {
        self.at
    }

    /// The text of the next token.
    pub fn text(&self) -> &'a str {
        self.file.text_at(self.peek().place)
    }

    /// Takes the next token.
    pub fn next(&mut self) -> Token {
        let token = self.peek();
        if token.kind != Kind::End {
            self.at += 1;
            self.pass_regions();
        }
        token
    }

    /// Takes the next token if it is a mark.
    pub fn eat(&mut self, mark: u8) -> bool {
        let found = self.peek().is_mark(mark);
        if found {
            self.next();
        }
        found
    }

    /// Takes an operand if there is one.
    pub fn operand(&mut self) -> Option<Operand> {
        let token = self.peek();
        if token.kind != Kind::Value {
            return None;
        }
        let index = self.at;
        self.next();
        let mut place = token.place;
        if self.peek().kind == Kind::Part {
            place = place.span_to(self.next().place);
        }
        Some(Operand {
            token: index,
            place,
        })
    }

    /// Takes operands with commas between them.
    pub fn operands(&mut self) -> OperandList {
        let mut list = OperandList {
            place: Place {
                start: self.peek().place.start,
                end: self.peek().place.start,
            },
            ..OperandList::default()
        };
        self.each_operand(|operand| {
            list.place.end = operand.place.end;
            list.operands.push(operand);
        });
        list
    }

    /// As [`Cursor::operands`], for who needs no list of them.
    pub fn each_operand(&mut self, mut take: impl FnMut(Operand)) {
        while let Some(operand) = self.operand() {
            take(operand);
            if !self.peek().is_mark(b',') {
                return;
            }
            let mut ahead = self.clone();
            ahead.next();
            if ahead.peek().kind != Kind::Value {
                return;
            }
            self.next();
        }
    }

    /// Takes a bracket with all that is in it, if the next token opens one.
    pub fn skip_brackets(&mut self) -> Option<Place> {
        let first = self.peek();
        let opens = |token: Token| matches!(token.kind, Kind::Mark(b'(' | b'[' | b'{' | b'<'));
        if !opens(first) {
            return None;
        }
        let mut depth = 0_u32;
        loop {
            let token = self.next();
            if opens(token) {
                depth += 1;
            } else if matches!(token.kind, Kind::Mark(b')' | b']' | b'}' | b'>')) {
                depth -= 1;
            }
            if depth == 0 || token.kind == Kind::End {
                return Some(first.place.span_to(token.place));
            }
        }
    }

    /// Takes the types behind a colon: places between commas outside of brackets, up to `->`, a dictionary or the end.
    pub fn types(&mut self) -> Vec<Place> {
        let mut types: Vec<Place> = Vec::new();
        let mut current: Option<Place> = None;
        loop {
            let token = self.peek();
            if token.kind == Kind::End
                || token.kind == Kind::Arrow
                || token.is_mark(b'{')
                || token.is_mark(b')')
                || (token.kind == Kind::Word && matches!(self.text(), "to" | "into"))
            {
                break;
            }
            if token.is_mark(b',') {
                self.next();
                types.extend(current.take());
                continue;
            }
            let place = match self.skip_brackets() {
                Some(place) => place,
                None => self.next().place,
            };
            current = Some(current.map_or(place, |before| before.span_to(place)));
        }
        types.extend(current);
        types
    }

    /// Goes on to a colon outside of brackets and takes it; whether there is one.
    pub fn pass_colon(&mut self) -> bool {
        loop {
            let token = self.peek();
            if token.kind == Kind::End {
                return false;
            }
            if self.skip_brackets().is_some() {
                continue;
            }
            self.next();
            if token.is_mark(b':') {
                return true;
            }
        }
    }
}
