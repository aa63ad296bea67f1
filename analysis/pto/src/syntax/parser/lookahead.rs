//! What begins at a token: an alias, a label, an operation, a region or a dictionary. It looks ahead and changes nothing.

use super::super::{Kind, OperationId, ResultName};
use super::{Open, Parser};

impl Parser {
    /// Whether what is open at a `// -----` is closed between it and the next one: then it is a comment in a module.
    pub(super) fn is_closed_behind_split(&self) -> bool {
        let mut open = self.stack.len() - 1;
        for index in self.at + 1.. {
            match self.token(index).kind {
                Kind::End | Kind::Split => return false,
                Kind::Mark(b'{') => open += 1,
                Kind::Mark(b'}') => open -= 1,
                _ => {}
            }
            if open == 0 {
                return true;
            }
        }
        false
    }

    pub(super) fn begins_something(&self, at: u32) -> bool {
        self.operation_at(at).is_some() || self.label_at(at).is_some() || self.is_alias(at)
    }

    pub(super) fn is_alias(&self, at: u32) -> bool {
        matches!(self.token(at).kind, Kind::Type | Kind::Attribute)
            && self.token(at + 1).is_mark(b'=')
    }

    /// The token behind the colon of a label that begins here.
    pub(super) fn label_at(&self, at: u32) -> Option<u32> {
        if self.token(at).kind != Kind::Label {
            return None;
        }
        let mut end = at + 1;
        if self.token(end).is_mark(b'(') {
            let mut depth = 0_u32;
            loop {
                match self.token(end).kind {
                    Kind::Mark(b'(' | b'<' | b'[') => depth += 1,
                    Kind::Mark(b')' | b'>' | b']') => depth = depth.saturating_sub(1),
                    Kind::End | Kind::Split | Kind::Mark(b'{' | b'}') => return None,
                    _ => {}
                }
                end += 1;
                if depth == 0 {
                    break;
                }
            }
        }
        self.token(end).is_mark(b':').then_some(end + 1)
    }

    /// The token of the name of an operation that begins here, with its results before it.
    pub(super) fn operation_at(&self, at: u32) -> Option<u32> {
        let mut next = at;
        if self.token(at).kind == Kind::Value {
            loop {
                if self.token(next).kind != Kind::Value {
                    return None;
                }
                next = self.behind_result(next);
                if !self.token(next).is_mark(b',') {
                    break;
                }
                next += 1;
            }
            if !self.token(next).is_mark(b'=') {
                return None;
            }
            next += 1;
        }
        let is_name = self.is_name(next) || self.is_bare_name(next, next > at);
        is_name.then_some(next)
    }

    /// Whether a word without a dot is an operation: one of the function's own dialect, or any in a region of an operation
    /// that we do not know, whose dialect's names may be written so.
    fn is_bare_name(&self, at: u32, has_results: bool) -> bool {
        if self.token(at).kind != Kind::Word || !(has_results || self.token(at).begins_line) {
            return false;
        }
        match self.text(at) {
            "call" | "constant" => self.token(at + 1).kind == Kind::Symbol,
            "call_indirect" => self.token(at + 1).kind == Kind::Value,
            word => {
                let names = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
                has_results && word.bytes().all(names) && self.is_in_unknown_operation()
            }
        }
    }

    /// Whether the current region belongs to an operation of a dialect that we do not know.
    pub(super) fn is_in_unknown_operation(&self) -> bool {
        let region = self.stack.last().map(|frame| frame.region);
        let owner = region.and_then(|id| self.file.region(id).owner);
        owner.is_some_and(|owner| self.is_of_other_dialect(owner))
    }

    /// Whether regions of an operation may hold what is no operation with a full name.
    pub(super) fn is_of_other_dialect(&self, id: OperationId) -> bool {
        !self.file.is_of_read_dialect(id) && !self.file.is_module(id)
    }

    /// The token behind a result and its `:2`.
    fn behind_result(&self, at: u32) -> u32 {
        let counted = self.token(at + 1).is_mark(b':') && self.token(at + 2).kind == Kind::Number;
        at + if counted { 3 } else { 1 }
    }

    /// The results between a token and that of a name.
    pub(super) fn results(&self, from: u32, name: u32) -> Vec<ResultName> {
        let mut results = Vec::new();
        let mut next = from;
        while next < name && self.token(next).kind == Kind::Value {
            let behind = self.behind_result(next);
            let count = if behind == next + 3 {
                self.text(next + 2).parse().unwrap_or(1)
            } else {
                1
            };
            results.push(ResultName {
                place: self.token(next).place,
                count,
            });
            next = behind + 1;
        }
        results
    }

    fn is_name(&self, at: u32) -> bool {
        match self.token(at).kind {
            Kind::Word => {
                let word = self.text(at);
                matches!(word, "module" | "return")
                    || word
                        .split_once('.')
                        .is_some_and(|(dialect, rest)| !dialect.is_empty() && !rest.is_empty())
            }
            Kind::Text => self.token(at + 1).is_mark(b'('),
            _ => false,
        }
    }

    /// Whether the token before another one asks for more.
    fn asks_for_more(&self, at: u32) -> bool {
        let Some(before) = at.checked_sub(1) else {
            return false;
        };
        match self.token(before).kind {
            Kind::Mark(b':' | b',' | b'=' | b'(' | b'[' | b'{' | b'<') | Kind::Arrow => true,
            Kind::Word => matches!(self.text(before), "attributes" | "to" | "step" | "in"),
            _ => false,
        }
    }

    /// Whether the next operation begins here although brackets are open: what is never written inside of brackets.
    pub(super) fn breaks_out(&self, at: u32) -> bool {
        let token = self.token(at);
        if !token.begins_line || self.asks_for_more(at) {
            return false;
        }
        match self.operation_at(at) {
            Some(name) => {
                let word = self.text(name);
                name > at
                    || ["pto.", "scf.", "arith.", "func.", "memref."]
                        .iter()
                        .any(|dialect| word.starts_with(dialect))
            }
            None => false,
        }
    }

    /// Whether an operation, a label or an alias begins here, at depth 0 of the one before.
    pub(super) fn next_begins(&self, at: u32, open: &Open) -> bool {
        if self.asks_for_more(at) {
            return false;
        }
        let first = self.file.operation(open.id).tokens.start == at;
        match self.token(at).kind {
            Kind::Label => self.label_at(at).is_some(),
            Kind::Type | Kind::Attribute => {
                !first && self.token(at).begins_line && self.is_alias(at)
            }
            Kind::Value => {
                let defines_variable = !open.assigned && self.file.name(open.id).ends_with(".for");
                !defines_variable && self.operation_at(at).is_some()
            }
            _ => self.is_name(at) || self.is_bare_name(at, false),
        }
    }

    pub(super) fn is_dictionary(&self, at: u32, id: OperationId) -> bool {
        let before = at.saturating_sub(1);
        let follows_attributes =
            self.token(before).kind == Kind::Word && self.text(before) == "attributes";
        let first = self.token(at + 1);
        if follows_attributes {
            return true;
        }
        let name = self.file.name(id);
        let holds_operations =
            name.starts_with("scf.") || matches!(name, "func.func" | "module" | "builtin.module");
        match first.kind {
            // An empty branch is one too.
            Kind::Mark(b'}') => !holds_operations,
            Kind::Word | Kind::Text => {
                let second = self.token(at + 2);
                if second.is_mark(b'}') && first.kind == Kind::Word {
                    // One operation without operands, as in `{ scf.yield }`.
                    let word = self.text(at + 1);
                    let yields =
                        word == "return" || word.ends_with(".yield") || word.ends_with(".return");
                    let may_be = holds_operations || first.begins_line;
                    return !(yields || (may_be && word.contains('.')));
                }
                second.is_mark(b'=') || second.is_mark(b',') || second.is_mark(b'}')
            }
            Kind::Value | Kind::Label | Kind::Type | Kind::Attribute => false,
            // As in `ops{["linalg.matmul"]}`.
            _ => !holds_operations,
        }
    }
}
