//! Kernels as text: axes, aliases, functions, declared tensors and method chains, found by brackets and names alone.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::mutations::mapping::{Expr, Names, read};

/// A kernel file.
#[derive(Clone)]
pub(crate) struct Source {
    /// Its text.
    pub(crate) file: String,
    /// Its text with comments blanked out; offsets are those of the file.
    pub(crate) text: String,
    /// Axes with their sizes.
    pub(crate) axes: BTreeMap<String, u64>,
    /// Aliases with their right sides.
    pub(crate) aliases: BTreeMap<String, String>,
    /// Its functions.
    pub(crate) functions: Vec<Function>,
}

/// A function.
#[derive(Clone)]
pub(crate) struct Function {
    /// The argument of `#[device(chip = ..)]`.
    pub(crate) chips: Option<u64>,
    /// Its whole text from `fn` on.
    pub(crate) range: Range<usize>,
    /// The declared tensors, in the order of their places.
    pub(crate) tensors: Vec<Declared>,
    /// The passes.
    pub(crate) chains: Vec<Chain>,
}

/// A tensor that a parameter, a `let` or a turbofish declares.
#[derive(Debug, Clone)]
pub(crate) struct Declared {
    /// The variable.
    pub(crate) name: String,
    /// From where on it is declared.
    pub(crate) at: usize,
    /// The type's name.
    pub(crate) head: String,
    /// The type's arguments.
    pub(crate) arguments: Vec<String>,
    /// The address that its initialiser ends in, with its place.
    pub(crate) address: Option<(u64, Range<usize>)>,
}

/// A method call of a chain.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The method.
    pub(crate) name: String,
    /// From the dot to the closing parenthesis.
    pub(crate) range: Range<usize>,
    /// Type arguments.
    pub(crate) generics: Vec<Range<usize>>,
    /// Arguments.
    pub(crate) arguments: Vec<Range<usize>>,
}

/// A pass.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    /// `main` or `sub`, with its place.
    pub(crate) context: Range<usize>,
    /// The calls from `begin` on.
    pub(crate) calls: Vec<Call>,
    /// The type of the tensor it makes: of the binding, or of what the function returns.
    pub(crate) result: Option<(String, Vec<String>)>,
}

impl Source {
    /// Reads a file; `None` where it has modules, or declares a name twice with different meanings.
    pub(crate) fn read(file: &str) -> Option<Self> {
        let text = without_comments(file);
        if text.contains("mod ") {
            return None;
        }
        let mut source = Self {
            axes: BTreeMap::new(),
            aliases: BTreeMap::new(),
            functions: Vec::new(),
            file: file.to_owned(),
            text,
        };
        source.declarations()?;
        let mut at = 0;
        while let Some(found) = source.text[at..].find("fn ") {
            let start = at + found;
            at = start + 3;
            let fresh = start == 0 || !is_word(source.text.as_bytes()[start - 1]);
            if let Some(function) = fresh.then(|| source.function(start)).flatten() {
                at = function.range.end;
                source.functions.push(function);
            }
        }
        Some(source)
    }

    /// Reads a mapping.
    pub(crate) fn mapping(&self, text: &str) -> Option<Expr> {
        let names = Names {
            axes: &self.axes,
            aliases: &self.aliases,
        };
        read(text, &names)
    }

    /// The text of a range.
    pub(crate) fn at(&self, range: &Range<usize>) -> &str {
        self.text[range.clone()].trim()
    }

    fn declarations(&mut self) -> Option<()> {
        let mut at = 0;
        while let Some(found) = self.text[at..].find("axes!") {
            let open = at + found + 5;
            let close = matching(&self.text, open)?;
            for axis in split(&self.text, open + 1..close, b',') {
                let (name, size) = self.text[axis].split_once('=')?;
                let name = name.trim().to_owned();
                let size = number(size)?;
                if self.axes.insert(name, size).is_some_and(|old| old != size) {
                    return None;
                }
            }
            at = close;
        }
        for line in self.text.clone().split(';') {
            let line = line.trim().trim_start_matches("pub ");
            if let Some((name, right)) = line
                .strip_prefix("type ")
                .and_then(|line| line.split_once('='))
            {
                let right = right.trim().to_owned();
                let old = self.aliases.insert(name.trim().to_owned(), right.clone());
                if old.is_some_and(|old| old != right) {
                    return None;
                }
            }
        }
        Some(())
    }

    fn function(&self, start: usize) -> Option<Function> {
        let text = &self.text;
        let open = start + text[start..].find('(')?;
        let close = matching(text, open)?;
        let body_open = close + text[close..].find('{')?;
        let body_close = matching(text, body_open)?;
        let returns = text[close..body_open]
            .split_once("->")
            .map(|(_, kind)| kind);
        let before = &text[..start];
        let attributes = &before[before.rfind(['}', ';']).map_or(0, |at| at + 1)..];
        let chips = attributes
            .split_once("#[device(chip =")
            .and_then(|(_, rest)| number(rest.split(')').next()?));
        let mut tensors: Vec<Declared> = split(text, open + 1..close, b',')
            .into_iter()
            .filter_map(|parameter| {
                let (name, kind) = text[parameter.clone()].split_once(':')?;
                self.declared(name, kind, parameter.start)
            })
            .collect();
        tensors.extend(self.lets(body_open..body_close));
        let chains = self.chains(body_open..body_close, returns);
        Some(Function {
            chips,
            range: start..body_close + 1,
            tensors,
            chains,
        })
    }

    fn declared(&self, name: &str, kind: &str, at: usize) -> Option<Declared> {
        let (head, arguments) = self.kind(kind)?;
        Some(Declared {
            name: name.trim().trim_start_matches("mut ").trim().to_owned(),
            at,
            head,
            arguments,
            address: None,
        })
    }

    /// The name and the arguments of a type, its alias written out.
    pub(crate) fn kind(&self, text: &str) -> Option<(String, Vec<String>)> {
        let text = text
            .trim()
            .trim_start_matches('&')
            .trim_start_matches("'_ ")
            .trim_start_matches("mut ")
            .trim();
        let Some((head, rest)) = text.split_once('<') else {
            let right = self.aliases.get(text)?;
            return right.contains('<').then(|| self.kind(right)).flatten();
        };
        let end = rest.rfind('>')?;
        let arguments = split(rest, 0..end, b',')
            .into_iter()
            .map(|range| rest[range].trim().to_owned())
            .filter(|argument| !argument.starts_with('\''))
            .collect();
        Some((head.trim_end_matches("::").trim().to_owned(), arguments))
    }

    /// The tensors that `let` declares: by an annotation, or by the turbofish of `to_dm`.
    fn lets(&self, body: Range<usize>) -> Vec<Declared> {
        let text = &self.text;
        let mut found = Vec::new();
        let mut at = body.start;
        while let Some(next) = text[at..body.end].find("let ") {
            let start = at + next + 4;
            at = start;
            let Some(end) = end_of_statement(text, start, body.end) else {
                continue;
            };
            let statement = &text[start..end];
            let Some(equals) = equals_sign(statement) else {
                continue;
            };
            let (left, right) = (&statement[..equals], &statement[equals + 1..]);
            let address = address(text, start + equals + 1..end);
            let declared = match left.split_once(':') {
                Some((name, kind)) => self.declared(name, kind, end),
                None => self.copied(left, right, end, &found),
            };
            if let Some(declared) = declared {
                found.push(Declared {
                    address,
                    ..declared
                });
            }
        }
        found
    }

    /// `let name = other.to_dm::<Cluster, Slice, Element>(..)`: the type from the turbofish. The element type and the chips
    /// are not known here.
    fn copied(&self, name: &str, right: &str, at: usize, _known: &[Declared]) -> Option<Declared> {
        let (_, rest) = right.split_once(".to_dm::<")?;
        let end = rest.find(">(")?;
        let mut arguments = vec!["_".to_owned(), "_".to_owned()];
        arguments.extend(
            split(rest, 0..end, b',')
                .into_iter()
                .map(|range| rest[range].trim().to_owned()),
        );
        (arguments.len() == 5).then(|| Declared {
            name: name.trim().trim_start_matches("mut ").trim().to_owned(),
            at,
            head: "DmTensor".to_owned(),
            arguments,
            address: None,
        })
    }

    fn chains(&self, body: Range<usize>, returns: Option<&str>) -> Vec<Chain> {
        let text = &self.text;
        let mut chains = Vec::new();
        let mut at = body.start;
        while let Some(found) = text[at..body.end].find(".begin") {
            let start = at + found;
            at = start + 6;
            let before = text[..start].trim_end();
            let Some(dot) = before.rfind('.') else {
                continue;
            };
            let context = dot + 1..before.len();
            let calls = self.calls(start);
            let Some(last) = calls.last() else {
                continue;
            };
            at = last.range.end;
            chains.push(Chain {
                context,
                result: self.result(&body, start, last.range.end, returns),
                calls,
            });
        }
        chains
    }

    /// The type of what a chain makes: the annotation of its `let`, or the function's where it ends the body.
    fn result(
        &self,
        body: &Range<usize>,
        start: usize,
        end: usize,
        returns: Option<&str>,
    ) -> Option<(String, Vec<String>)> {
        let text = &self.text;
        let statement = text[body.start..start]
            .rfind([';', '{', '}'])
            .map_or(body.start, |at| body.start + at + 1);
        let head = text[statement..start].trim();
        if let Some(binding) = head.strip_prefix("let ") {
            let left = &binding[..equals_sign(binding)?];
            return self.kind(left.split_once(':')?.1);
        }
        let last = text[end..body.end].trim().is_empty();
        (last && head.starts_with("ctx"))
            .then(|| self.kind(returns?))
            .flatten()
    }

    /// The calls from a dot on.
    fn calls(&self, start: usize) -> Vec<Call> {
        let text = &self.text;
        let bytes = text.as_bytes();
        let skip = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
                at += 1;
            }
            at
        };
        let mut calls = Vec::new();
        let mut at = skip(start);
        while bytes.get(at) == Some(&b'.') {
            let dot = at;
            let name_start = skip(at + 1);
            let mut name_end = name_start;
            while bytes.get(name_end).copied().is_some_and(is_word) {
                name_end += 1;
            }
            at = name_end;
            let mut generics = Vec::new();
            if text[at..].starts_with("::<") {
                let Some(close) = matching(text, at + 2) else {
                    break;
                };
                generics = split(text, at + 3..close, b',');
                at = close + 1;
            }
            if bytes.get(at) != Some(&b'(') {
                break;
            }
            let Some(close) = matching(text, at) else {
                break;
            };
            calls.push(Call {
                name: text[name_start..name_end].to_owned(),
                range: dot..close + 1,
                generics,
                arguments: split(text, at + 1..close, b','),
            });
            at = skip(close + 1);
        }
        calls
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// A number as a literal, a product or a shift of literals.
pub(crate) fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Some((left, right)) = text.split_once("<<") {
        return number(left)?.checked_shl(u32::try_from(number(right)?).ok()?);
    }
    if let Some((left, right)) = text.split_once('*') {
        return number(left)?.checked_mul(number(right)?);
    }
    let digits: String = text.chars().filter(|letter| *letter != '_').collect();
    let digits = digits.trim_end_matches("usize").trim_end_matches("u64");
    match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// The bracket that closes the one at an offset.
pub(crate) fn matching(text: &str, open: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_i32;
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b'<' if bytes[open] == b'<' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b'>' if bytes[open] == b'<' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The parts of a range between separators outside of all brackets; empty parts are left out.
pub(crate) fn split(text: &str, range: Range<usize>, separator: u8) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_i32, range.start);
    for at in range.clone() {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b'<' if bytes.get(at + 1) != Some(&b'<') && at > 0 && bytes[at - 1] != b'<' => {
                depth += 1;
            }
            b')' | b']' | b'}' => depth -= 1,
            b'>' if at > 0 && !matches!(bytes[at - 1], b'-' | b'=') => depth -= 1,
            byte if byte == separator && depth == 0 => {
                parts.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(start..range.end);
    parts.retain(|part| !text[part.clone()].trim().is_empty());
    parts
}

/// The text with comments blanked out.
fn without_comments(file: &str) -> String {
    let mut lines = Vec::new();
    for line in file.split('\n') {
        match line.find("//") {
            Some(at) => {
                let comment: String = line[at..].chars().map(|_| ' ').collect();
                let missing = line[at..].len() - comment.len();
                lines.push(format!("{}{comment}{}", &line[..at], " ".repeat(missing)));
            }
            None => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

fn end_of_statement(text: &str, start: usize, limit: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, byte) in text.bytes().enumerate().take(limit).skip(start) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b';' if depth == 0 => return Some(at),
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

/// The `=` of a `let` outside of all brackets.
fn equals_sign(statement: &str) -> Option<usize> {
    let bytes = statement.as_bytes();
    let mut depth = 0_i32;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth -= 1,
            b'=' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// The address that an initialiser ends in: the last argument of its last call, if that is a number.
fn address(text: &str, range: Range<usize>) -> Option<(u64, Range<usize>)> {
    let statement = &text[range.clone()];
    let end = range.start + statement.trim_end().trim_end_matches(['}', ' ']).len();
    if text.as_bytes().get(end.checked_sub(1)?) != Some(&b')') {
        return None;
    }
    let mut open = end - 1;
    let mut depth = 0_i32;
    loop {
        match text.as_bytes()[open] {
            b')' | b']' => depth += 1,
            b'(' | b'[' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        open = open.checked_sub(1)?;
    }
    let argument = split(text, open + 1..end - 1, b',').pop()?;
    let trimmed = &text[argument.clone()];
    let start = argument.start + (trimmed.len() - trimmed.trim_start().len());
    let place = start..start + trimmed.trim().len();
    Some((number(&text[place.clone()])?, place))
}
