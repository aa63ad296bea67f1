//! A file cut into its functions, each of which is looked at by itself, and the rest.
//!
//! One pass over the bytes that knows braces, strings and comments; parses nothing. What it is not sure about it does not cut: then the
//! whole file is one part. A function's text says all that it means but for what [`Cut`] says of its surroundings.

use std::ops::Range;

/// A function of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionPart {
    /// Its text, from `func.func` to the brace that closes it.
    pub range: Range<usize>,
    /// Its name without the `@`; empty where it has none that is a plain word.
    pub name: Range<usize>,
    /// Whether its module is for the generation of machines before.
    pub is_before: bool,
}

/// A file's parts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cut {
    /// Its functions, in the order of the text. What is not in them is the rest.
    pub functions: Vec<FunctionPart>,
}

impl Cut {
    /// The parts of a text; no function where it cannot be cut.
    pub fn of(text: &str) -> Self {
        let mut scanner = Scanner {
            text,
            bytes: text.as_bytes(),
            at: 0,
            functions: Vec::new(),
        };
        let functions = scanner.file().map(|()| scanner.functions);
        Self {
            functions: functions.unwrap_or_default(),
        }
    }

    /// What is in no function, in the order of the text.
    pub fn ranges_outside_functions(&self, length: usize) -> impl Iterator<Item = Range<usize>> {
        let starts = std::iter::once(0).chain(self.functions.iter().map(|one| one.range.end));
        let ends = self.functions.iter().map(|one| one.range.start);
        starts
            .zip(ends.chain(std::iter::once(length)))
            .map(|(start, end)| start..end)
    }
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    functions: Vec<FunctionPart>,
}

const fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.') || byte >= 0x80
}

impl Scanner<'_> {
    fn byte(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn is_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Goes over blanks and comments; nothing where a comment may split the file and something is open.
    fn skip_blanks(&mut self, may_split: bool) -> Option<()> {
        loop {
            match self.byte() {
                b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c => self.at += 1,
                b'/' if self.bytes.get(self.at + 1) == Some(&b'/') => self.comment(may_split)?,
                _ => return Some(()),
            }
        }
    }

    fn comment(&mut self, may_split: bool) -> Option<()> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest.get(..length).unwrap_or_default();
        let splits = line.trim_ascii_end() == b"// -----";
        self.at += length;
        (may_split || !splits).then_some(())
    }

    /// Goes over a string, which ends with its line at the latest.
    fn string(&mut self) {
        self.at += 1;
        loop {
            match self.byte() {
                b'"' => {
                    self.at += 1;
                    return;
                }
                b'\n' => return,
                b'\\'
                    if self
                        .bytes
                        .get(self.at + 1)
                        .is_some_and(|&next| next != b'\n') =>
                {
                    self.at += 2;
                }
                _ if self.is_end() => return,
                _ => self.at += 1,
            }
        }
    }

    fn take_word(&mut self) -> &str {
        let start = self.at;
        while self
            .bytes
            .get(self.at)
            .is_some_and(|&byte| is_in_word(byte))
        {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Goes behind the bracket that closes the one here.
    fn skip_brackets(&mut self, open: u8, close: u8) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            if depth > 0 {
                let says_something =
                    |byte: u8| byte == open || byte == close || matches!(byte, b'"' | b'/' | b'{');
                let rest = self.bytes.get(self.at..)?;
                self.at += rest.iter().position(|&byte| says_something(byte))?;
            }
            let byte = self.byte();
            match byte {
                b'"' => {
                    self.string();
                    continue;
                }
                b'/' if self.bytes.get(self.at + 1) == Some(&b'/') => {
                    self.comment(false)?;
                    continue;
                }
                b'{' if self.bytes.get(self.at..)?.starts_with(b"{-#") => return None,
                _ if byte == open => depth += 1,
                _ if byte == close => depth = depth.checked_sub(1)?,
                _ if self.is_end() => return None,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// The file's own level and those of its modules.
    fn file(&mut self) -> Option<()> {
        if self.text.starts_with('\u{feff}') {
            self.at = 3;
        }
        // For each open module whether it is for the generation before.
        let mut modules: Vec<bool> = Vec::new();
        let mut line_begins = true;
        let mut asks_for_more = false;
        loop {
            let before = self.at;
            self.skip_blanks(modules.is_empty())?;
            let gap = self.bytes.get(before..self.at).unwrap_or_default();
            line_begins |= memchr::memchr(b'\n', gap).is_some();
            let byte = self.byte();
            let begins = line_begins && !asks_for_more;
            line_begins = false;
            asks_for_more = matches!(byte, b':' | b',' | b'=' | b'(' | b'[' | b'<' | b'>' | b'-');
            match byte {
                _ if self.is_end() => return modules.is_empty().then_some(()),
                b'}' => {
                    modules.pop()?;
                    self.at += 1;
                }
                b'{' => self.skip_brackets(b'{', b'}')?,
                b'"' => self.string(),
                // Names of the file's own level are seen in functions.
                b'%' => return None,
                _ if is_in_word(byte) => {
                    let start = self.at;
                    let is_before = modules.last().copied().unwrap_or(false);
                    match self.take_word() {
                        "module" | "builtin.module" if begins => {
                            let of_module = self.module(start, is_before)?;
                            modules.push(of_module);
                        }
                        "func.func" if begins => self.function(start, is_before)?,
                        // A function in another place is not looked for.
                        "func.func" => return None,
                        "attributes" | "to" | "step" | "in" => asks_for_more = true,
                        _ => {}
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    /// From behind `module` to behind its brace; whether it is for the generation before.
    fn module(&mut self, start: usize, around: bool) -> Option<bool> {
        loop {
            self.skip_blanks(false)?;
            match self.byte() {
                b'@' => {
                    self.at += 1;
                    if self.byte() == b'"' {
                        return None;
                    }
                    self.take_word();
                }
                b'{' => break,
                byte if is_in_word(byte) => {
                    if self.take_word() != "attributes" {
                        return None;
                    }
                    self.skip_blanks(false)?;
                    if self.byte() != b'{' {
                        return None;
                    }
                    self.skip_brackets(b'{', b'}')?;
                }
                _ => return None,
            }
        }
        let header = self.text.get(start..self.at)?;
        self.opens_region()?;
        self.at += 1;
        Some(generation_before(header).unwrap_or(around))
    }

    /// Whether what the brace here opens cannot be taken for a dictionary.
    fn opens_region(&mut self) -> Option<()> {
        let start = self.at;
        self.at += 1;
        self.skip_blanks(false)?;
        // One operation without operands, or none, is a region of a function or a module.
        let mut is_operation = true;
        match self.byte() {
            b'"' => {
                self.string();
                is_operation = false;
            }
            _ => {
                let word = self.take_word();
                is_operation &= word.is_empty() || word == "return" || word.contains('.');
            }
        }
        self.skip_blanks(false)?;
        let may_be_dictionary = match self.byte() {
            b'=' | b',' => true,
            b'}' => !is_operation,
            _ => false,
        };
        self.at = start;
        (!may_be_dictionary).then_some(())
    }

    /// From behind `func.func` to behind its body. One without a body is part of the rest.
    fn function(&mut self, start: usize, is_before: bool) -> Option<()> {
        let mut name = self.at..self.at;
        let mut said = b' ';
        loop {
            let before = self.at;
            self.skip_blanks(false)?;
            let gap = self.bytes.get(before..self.at).unwrap_or_default();
            let begins_line = memchr::memchr(b'\n', gap).is_some();
            let byte = self.byte();
            match byte {
                b'@' if name.is_empty() => {
                    self.at += 1;
                    let from = self.at;
                    self.take_word();
                    name = from..self.at;
                    // A name that is no plain word, or goes on with what words do not have.
                    if name.is_empty() || self.byte() == b'-' {
                        return None;
                    }
                }
                b'(' => self.skip_brackets(b'(', b')')?,
                b'[' => self.skip_brackets(b'[', b']')?,
                b'"' => self.string(),
                b'{' => break,
                b'}' | b'%' | b'^' => {
                    // The line is begun again by who goes on.
                    self.at = before;
                    return Some(());
                }
                _ if self.is_end() => return Some(()),
                _ if is_in_word(byte) => {
                    let word = self.take_word();
                    let is_operation =
                        word == "module" || word == "return" || (begins_line && word.contains('.'));
                    if is_operation && !matches!(said, b':' | b',' | b'>' | b'<') {
                        self.at = before;
                        return Some(());
                    }
                    if word == "attributes" {
                        self.skip_blanks(false)?;
                        if self.byte() != b'{' {
                            return None;
                        }
                        self.skip_brackets(b'{', b'}')?;
                    }
                }
                _ => self.at += 1,
            }
            said = byte;
        }
        if name.is_empty() || matches!(said, b'<' | b',' | b'=' | b':' | b'-') {
            return None;
        }
        self.opens_region()?;
        self.skip_brackets(b'{', b'}')?;
        let mut end = self.at;
        while matches!(self.byte(), b' ' | b'\t') {
            self.at += 1;
        }
        if self.text.get(self.at..)?.starts_with("loc(") {
            self.at += 3;
            self.skip_brackets(b'(', b')')?;
            end = self.at;
        } else {
            self.at = end;
        }
        self.functions.push(FunctionPart {
            range: start..end,
            name,
            is_before,
        });
        let rest = self.text.get(end..)?.trim_start_matches([' ', '\t', '\r']);
        let is_alone = rest.is_empty() || rest.starts_with(['\n', '}']) || rest.starts_with("//");
        is_alone.then_some(())
    }
}

/// Whether the attributes of a module say that it is for the generation before; nothing where they do not say.
fn generation_before(header: &str) -> Option<bool> {
    let (_, rest) = header.split_once("pto.target_arch")?;
    let rest = rest.trim_start_matches('"').trim_start();
    let value = rest.strip_prefix('=')?.trim_start().strip_prefix('"')?;
    let (arch, _) = value.split_once('"')?;
    Some(matches!(arch, "a2" | "a3" | "a2a3"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(&str, bool)> {
        let functions = Cut::of(text).functions;
        let names = functions.iter().map(|one| {
            let own = text.get(one.range.clone()).unwrap();
            assert!(
                own.starts_with("func.func") && own.ends_with(['}', ')']),
                "{own}"
            );
            (text.get(one.name.clone()).unwrap(), one.is_before)
        });
        names.collect()
    }

    #[test]
    fn functions_are_cut_out_of_modules() {
        let text = "// }\nmodule attributes {pto.target_arch = \"a3\", x = {}} {\n  func.func private @d(i32)\n  \
                    func.func @f(%a: i32) -> (i32 {u.v}) attributes {pto.kernel} {\n    x.y \"}\" // }\n    return\n  } loc(#l)\n}\n// -----\n\
                    func.func @g() {\n  pto.barrier\n}\nmodule @m {\n  func.func @h() {\n    return }\n}\n";
        assert_eq!(names(text), [("f", true), ("g", false), ("h", false)]);
        let cut = Cut::of(text);
        let rest: String = cut
            .ranges_outside_functions(text.len())
            .map(|range| &text[range])
            .collect();
        assert!(rest.contains("private @d(i32)") && !rest.contains("@f"));
    }

    #[test]
    fn what_is_not_sure_is_not_cut() {
        let right = "func.func @f() {\n  pto.barrier\n}\n";
        assert_eq!(names(right).len(), 1);
        for text in [
            // A name of the file's own level, which functions see.
            format!("%c = arith.constant 1 : i64\n{right}"),
            format!("module {{\n{right}"),
            format!("{right}}}\n"),
            format!("x.y :\n{right}"),
            format!("module {{\n// -----\n{right}}}\n"),
            "func.func @f() {\n// -----\n  pto.barrier\n}\n".to_owned(),
            "func.func @f() {\n  pto.barrier\n".to_owned(),
            "func.func @f() {\n  pto.barrier\n} pto.barrier\n".to_owned(),
            "x.y func.func @f() {\n  pto.barrier\n}\n".to_owned(),
        ] {
            assert_eq!(names(&text), [], "{text}");
        }
    }
}
