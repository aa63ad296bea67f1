//! Tokens to operations.
//!
//! An operation has no terminator: it ends where the next one begins, which is where a list of results or a name with a dot
//! is at depth 0 and nothing before it asks for more. One loop over the tokens with a stack of its own.

mod lookahead;

use std::sync::Arc;

use super::{
    Alias, File, Kind, Label, Operation, OperationId, Place, Problem, Region, RegionId, Token, lex,
};

/// What the parser is in: a region, and the operation in it that is not complete.
struct Frame {
    region: RegionId,
    /// The token of the brace that opens it; the file has none.
    brace: Option<Place>,
    open: Option<Open>,
}

/// An operation that is not complete.
struct Open {
    id: OperationId,
    /// The brackets that are open in it.
    brackets: Vec<(u8, Place)>,
    /// Whether an `=` was met at depth 0.
    assigned: bool,
}

struct Parser {
    file: File,
    stack: Vec<Frame>,
    at: u32,
}

/// The operations of a text.
pub fn parse(text: &str) -> File {
    parse_shared(Arc::from(text))
}

/// As [`parse`], of a text that others have too.
pub fn parse_shared(text: Arc<str>) -> File {
    let mut parser = Parser {
        file: File {
            tokens: lex(&text),
            text,
            operations: Vec::new(),
            regions: Vec::new(),
            parts: Vec::new(),
            aliases: Vec::new(),
            outer_aliases: Arc::default(),
            problems: Vec::new(),
        },
        stack: Vec::new(),
        at: 0,
    };
    parser.begin_part();
    parser.run();
    parser.file
}

impl Parser {
    fn token(&self, index: u32) -> Token {
        self.file.token(index)
    }

    fn text(&self, index: u32) -> &str {
        self.file.text_at(self.token(index).place)
    }

    fn run(&mut self) {
        loop {
            let token = self.token(self.at);
            match token.kind {
                Kind::End => return self.end_part(token.place),
                Kind::Split if self.stack.len() > 1 && self.is_closed_behind_split() => {
                    self.at += 1;
                }
                Kind::Split => {
                    self.end_part(token.place);
                    self.at += 1;
                    self.begin_part();
                }
                _ => {
                    if self.stack.last().is_some_and(|frame| frame.open.is_some()) {
                        self.in_operation(token);
                    } else {
                        self.in_region(token);
                    }
                }
            }
        }
    }

    fn begin_region(&mut self, owner: Option<OperationId>, brace: Option<Place>) -> RegionId {
        let id = RegionId(saturating_length(self.file.regions.len()));
        self.file.regions.push(Region {
            owner,
            tokens: self.at..self.at,
            depth: saturating_length(self.stack.len()),
            end: id.0 + 1,
            ..Region::default()
        });
        self.stack.push(Frame {
            region: id,
            brace,
            open: None,
        });
        id
    }

    fn begin_part(&mut self) {
        let part = self.begin_region(None, None);
        self.file.parts.push(part);
    }

    /// Ends all that is open, with a word about each brace that is not closed (the innermost is enough).
    fn end_part(&mut self, place: Place) {
        if let Some(brace) = self.stack.last().and_then(|frame| frame.brace) {
            self.file.problems.push(Problem {
                place,
                message: "the file ends inside a region: `}` is missing".to_owned(),
                related: Some((brace, "the region starts here")),
            });
        }
        while !self.stack.is_empty() {
            self.end_operation();
            self.end_region();
        }
    }

    fn end_region(&mut self) {
        let Some(frame) = self.stack.pop() else {
            return;
        };
        let end = saturating_length(self.file.regions.len());
        if let Some(region) = self.file.regions.get_mut(frame.region.0 as usize) {
            region.tokens.end = self.at;
            region.end = end;
        }
    }

    fn end_operation(&mut self) {
        let Some(open) = self.stack.last_mut().and_then(|frame| frame.open.take()) else {
            return;
        };
        let unclosed = open
            .brackets
            .iter()
            .rev()
            .find(|(bracket, _)| *bracket != b'<');
        let end = self.at;
        let last = self.token(end.saturating_sub(1)).place.end;
        if let Some(&(bracket, place)) = unclosed {
            let bracket = char::from(bracket);
            let message = format!("`{bracket}` is not closed before the next operation");
            self.push_problem(open.id, place, message);
        }
        if let Some(operation) = self.file.operations.get_mut(open.id.0 as usize) {
            operation.tokens.end = end;
            operation.place.end = last.max(operation.name.end);
        }
    }

    /// A problem in an operation; the first one says enough.
    fn push_problem(&mut self, id: OperationId, place: Place, message: String) {
        let Some(operation) = self.file.operations.get_mut(id.0 as usize) else {
            return;
        };
        if !operation.broken {
            operation.broken = true;
            self.file.problems.push(Problem {
                place,
                message,
                related: None,
            });
        }
    }

    /// The next token where no operation is open.
    fn in_region(&mut self, token: Token) {
        if token.is_mark(b'}') {
            let has_brace = self.stack.last().is_some_and(|frame| frame.brace.is_some());
            self.at += 1;
            if has_brace {
                self.end_region();
            } else {
                self.stray(token.place, "`}` closes nothing");
            }
        } else if let Some(end) = self.label_at(self.at) {
            let label = Label {
                place: token.place,
                arguments: self.at + 1..end - 1,
            };
            if let Some(region) = self.current_region() {
                region.labels.push(label);
            }
            self.at = end;
        } else if self.is_alias(self.at) {
            self.alias();
        } else if let Some(name) = self.operation_at(self.at) {
            self.begin_operation(token, name);
        } else if token.kind == Kind::Word && self.is_in_unknown_operation() {
            self.begin_operation(token, self.at);
        } else {
            let from = self.at;
            self.skip_to_operation();
            let message = match token.kind {
                Kind::Unknown if self.text(from).starts_with('"') => {
                    "the string that starts here is not closed on its line"
                }
                Kind::Unknown => "MLIR does not use this character",
                Kind::Value => "no operation follows this value: expected `%x = dialect.name …`",
                _ => "expected an operation, which starts with a name with a dot or with `%x =`",
            };
            self.stray(token.place, message);
        }
    }

    fn stray(&mut self, place: Place, message: &str) {
        self.file.problems.push(Problem {
            place,
            message: message.to_owned(),
            related: None,
        });
    }

    fn current_region(&mut self) -> Option<&mut Region> {
        let id = self.stack.last()?.region;
        self.file.regions.get_mut(id.0 as usize)
    }

    /// Goes on to what may begin an operation, a label or end the region; at least one token.
    fn skip_to_operation(&mut self) {
        self.at += 1;
        loop {
            let token = self.token(self.at);
            let ends = matches!(token.kind, Kind::End | Kind::Split) || token.is_mark(b'}');
            if ends || (token.begins_line && self.begins_something(self.at)) {
                return;
            }
            self.at += 1;
        }
    }

    fn alias(&mut self) {
        let name = self.token(self.at).place;
        self.at += 2;
        let first = self.token(self.at).place;
        let mut depth = 0_u32;
        loop {
            let token = self.token(self.at);
            match token.kind {
                Kind::End | Kind::Split => break,
                _ if depth == 0 && token.begins_line && self.begins_something(self.at) => break,
                Kind::Mark(b'(' | b'[' | b'{' | b'<') => depth += 1,
                Kind::Mark(b')' | b']' | b'}' | b'>') => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
        let value = first.span_to(self.token(self.at.saturating_sub(1)).place);
        self.file.aliases.push(Alias { name, value });
    }

    fn begin_operation(&mut self, token: Token, name: u32) {
        let results = self.results(self.at, name);
        let id = OperationId(saturating_length(self.file.operations.len()));
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        frame.open = Some(Open {
            id,
            brackets: Vec::new(),
            assigned: false,
        });
        let region = frame.region;
        let name_place = self.token(name).place;
        if let Some(region) = self.current_region() {
            region.operations.push(id);
        }
        self.file.operations.push(Operation {
            name: name_place,
            results,
            tokens: name + 1..name + 1,
            regions: Vec::new(),
            region,
            place: token.place.span_to(name_place),
            broken: false,
        });
        self.at = name + 1;
    }

    /// The next token of an operation.
    fn in_operation(&mut self, token: Token) {
        let Some(open) = self.stack.last().and_then(|frame| frame.open.as_ref()) else {
            return;
        };
        let ends = match open.brackets.last() {
            None => token.is_mark(b'}') || self.next_begins(self.at, open),
            Some(_) => self.breaks_out(self.at),
        };
        if ends {
            return self.end_operation();
        }
        match token.kind {
            Kind::Mark(b'{') => self.brace(token),
            Kind::Mark(bracket @ (b'(' | b'[' | b'<')) => self.push_bracket(bracket, token.place),
            Kind::Mark(bracket @ (b')' | b']' | b'}' | b'>')) => self.close_bracket(bracket, token),
            // The body of a type or an attribute of a dialect may hold any character.
            Kind::Unknown
                if open.brackets.last().is_some_and(|last| last.0 == b'<')
                    && !self.text(self.at).starts_with('"') =>
            {
                self.at += 1;
            }
            Kind::Unknown => {
                let id = open.id;
                let message = if self.text(self.at).starts_with('"') {
                    "the string that starts here is not closed on its line"
                } else {
                    "MLIR does not use this character"
                };
                self.push_problem(id, token.place, message.to_owned());
                self.at += 1;
            }
            _ => {
                let assigned = token.is_mark(b'=') && open.brackets.is_empty();
                if let Some(open) = self.innermost_open() {
                    open.assigned |= assigned;
                }
                self.at += 1;
            }
        }
    }

    fn innermost_open(&mut self) -> Option<&mut Open> {
        self.stack.last_mut()?.open.as_mut()
    }

    fn push_bracket(&mut self, bracket: u8, place: Place) {
        if let Some(open) = self.innermost_open() {
            open.brackets.push((bracket, place));
        }
        self.at += 1;
    }

    fn close_bracket(&mut self, bracket: u8, token: Token) {
        let opening = match bracket {
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            _ => b'<',
        };
        let Some(open) = self.innermost_open() else {
            return;
        };
        let id = open.id;
        if bracket == b'>' {
            // Elsewhere it compares.
            if open.brackets.last().is_some_and(|last| last.0 == b'<') {
                open.brackets.pop();
            }
            self.at += 1;
            return;
        }
        let wanted = open.brackets.iter().rposition(|last| last.0 != b'<');
        match wanted.and_then(|index| open.brackets.get(index).copied().zip(Some(index))) {
            Some(((last, _), index)) if last == opening => {
                open.brackets.truncate(index);
                self.at += 1;
            }
            // The end of the region: what is open in the operation is said there.
            Some(_) if bracket == b'}' => self.end_operation(),
            None if bracket == b'}' => {
                open.brackets.clear();
            }
            _ => {
                let message = format!("`{}` closes nothing", char::from(bracket));
                self.push_problem(id, token.place, message);
                self.at += 1;
            }
        }
    }

    /// `{` opens a dictionary or a region.
    fn brace(&mut self, token: Token) {
        let Some(open) = self.stack.last().and_then(|frame| frame.open.as_ref()) else {
            return;
        };
        let (id, inside) = (open.id, open.brackets.last().map(|last| last.0));
        // In parentheses the generic form has regions, `"scf.if"(%c) ({ … }, { … })`, and some of other dialects.
        let is_region = match inside {
            None => !self.is_dictionary(self.at, id),
            Some(b'(') if self.file.is_generic(id) => true,
            Some(b'(') => self.is_of_other_dialect(id) && self.begins_something(self.at + 1),
            Some(_) => false,
        };
        if !is_region {
            return self.push_bracket(b'{', token.place);
        }
        let region = self.begin_region(Some(id), Some(token.place));
        if let Some(operation) = self.file.operations.get_mut(id.0 as usize) {
            operation.regions.push(region);
        }
        self.at += 1;
    }
}

fn saturating_length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
