//! Names for findings that outlive edits elsewhere: what a baseline, SARIF and GitLab compare between two runs.
//!
//! A fingerprint knows the rule, the file, the function around the finding and the tokens that the finding covers. It does
//! not know lines, white space, comments or commas, so that moved, reformatted and newly suppressed code keeps it. Of
//! findings that agree in all of that the ordinal tells which one in the file it is.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;

use visa_analysis::is_word_letter;
use visa_analysis::{Diagnostic, Range};

use super::outline::{Finding, Texts};

/// What a finding is known by between runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fingerprint {
    /// 32 hexadecimal digits, equal for findings that only their place tells apart.
    pub(crate) hash: String,
    /// Which of those it is in the order of the report, from 1.
    pub(crate) ordinal: u64,
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.hash, self.ordinal)
    }
}

/// The fingerprints of findings, in their order. Each text is read once.
pub(crate) fn fingerprints(findings: &[Finding], texts: &Texts<'_>) -> Vec<Fingerprint> {
    fingerprints_by(findings, texts, &portable_path)
}

/// The same with other names for files than those that reports for other programs use.
pub(crate) fn fingerprints_by(
    findings: &[Finding],
    texts: &Texts<'_>,
    name: &dyn Fn(&str) -> String,
) -> Vec<Fingerprint> {
    let mut outlines = HashMap::new();
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    let mut fingerprints = Vec::with_capacity(findings.len());
    for finding in findings {
        let diagnostic = &finding.diagnostic;
        let file: &str = &diagnostic.file;
        let outline = outlines.entry(file).or_insert_with(|| {
            let text = texts.get(file).copied().unwrap_or("");
            CodeOutline::of(text)
        });
        let hash = hash(diagnostic, &name(file), outline);
        let count = seen.entry(hash.clone()).or_default();
        *count = count.saturating_add(1);
        fingerprints.push(Fingerprint {
            hash,
            ordinal: *count,
        });
    }
    fingerprints
}

/// The path that a report for other programs names: below the current folder it is relative, so that it is the same on
/// every machine; anything else stays as people gave it.
pub(crate) fn portable_path(path: &str) -> String {
    let relative = std::env::current_dir().ok().and_then(|here| {
        let relative = Path::new(path).strip_prefix(here).ok()?;
        Some(relative.to_str()?.replace('\\', "/"))
    });
    relative.unwrap_or_else(|| path.to_owned())
}

fn hash(diagnostic: &Diagnostic, file: &str, outline: &CodeOutline<'_>) -> String {
    let mut hasher = Hasher::new();
    hasher.add(diagnostic.rule);
    hasher.add(file);
    hasher.add(outline.function_at(diagnostic.range.start.byte as usize));
    let mut tokens = outline.tokens_in(diagnostic.range).peekable();
    if tokens.peek().is_none() {
        // A finding in a comment.
        hasher.add(outline.words_in(diagnostic.range).as_str());
    }
    for token in tokens {
        hasher.add(token);
    }
    format!("{:032x}", hasher.state)
}

/// FNV-1a of 128 bits: the same on every machine and in every release, which the standard library's hasher is not.
struct Hasher {
    state: u128,
}

impl Hasher {
    const PRIME: u128 = (1 << 88) + 0x13b;

    const fn new() -> Self {
        Self {
            state: 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d,
        }
    }

    /// Adds a text and its end, so that `ab`, `c` and `a`, `bc` differ.
    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.state = (self.state ^ u128::from(byte)).wrapping_mul(Self::PRIME);
        }
    }
}

/// What a fingerprint needs of a file: its tokens, and which functions are where.
struct CodeOutline<'a> {
    text: &'a str,
    /// The tokens that count with the bytes they start at.
    tokens: Vec<(usize, &'a str)>,
    /// From the `fn` to the closing brace, with the name; in the order of their starts.
    functions: Vec<Function<'a>>,
}

/// A function of a file.
struct Function<'a> {
    name: &'a str,
    bytes: std::ops::Range<usize>,
    /// The index of the function around it.
    around: Option<usize>,
}

impl<'a> CodeOutline<'a> {
    fn of(text: &'a str) -> Self {
        let tokens = split_tokens(text);
        let functions = token_functions(&tokens, text.len());
        Self {
            text,
            tokens,
            functions,
        }
    }

    /// The name of the innermost function around a byte, or nothing.
    fn function_at(&self, byte: usize) -> &'a str {
        let after = self
            .functions
            .partition_point(|function| function.bytes.start <= byte);
        let mut candidate = after.checked_sub(1);
        while let Some(function) = candidate.and_then(|index| self.functions.get(index)) {
            if function.bytes.contains(&byte) {
                return function.name;
            }
            candidate = function.around;
        }
        ""
    }

    /// The tokens that start in a range, commas left out: formatting adds and removes them.
    fn tokens_in(&self, range: Range) -> impl Iterator<Item = &'a str> {
        let (start, end) = (range.start.byte as usize, range.end.byte as usize);
        let first = self.tokens.partition_point(|(at, _)| *at < start);
        self.tokens
            .iter()
            .skip(first)
            .take_while(move |(at, _)| *at < end)
            .map(|(_, token)| *token)
            .filter(|token| *token != ",")
    }

    /// The text in a range without its white space.
    fn words_in(&self, range: Range) -> String {
        let (start, end) = (range.start.byte as usize, range.end.byte as usize);
        let text = self.text.get(start..end).unwrap_or("");
        text.split_whitespace().collect()
    }
}

/// The functions among tokens. A function without a body ends at its semicolon.
fn token_functions<'a>(tokens: &[(usize, &'a str)], length: usize) -> Vec<Function<'a>> {
    let mut functions: Vec<Function<'a>> = Vec::new();
    // Whether an open brace is a function's, and which functions are open.
    let mut braces: Vec<bool> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut pending: Option<usize> = None;
    let mut depth = 0_usize;
    for (index, (at, token)) in tokens.iter().enumerate() {
        let ended = match *token {
            "fn" => {
                let name = tokens.get(index + 1).map_or("", |(_, name)| *name);
                if name.starts_with(is_word_letter) {
                    pending = Some(functions.len());
                    depth = 0;
                    functions.push(Function {
                        name,
                        bytes: *at..length,
                        around: open.last().copied(),
                    });
                }
                None
            }
            // Inside brackets of a signature neither a brace nor a semicolon begins or ends the body.
            "(" | "[" if pending.is_some() => {
                depth = depth.saturating_add(1);
                None
            }
            ")" | "]" if pending.is_some() => {
                depth = depth.saturating_sub(1);
                None
            }
            "{" => {
                let body = if depth == 0 { pending.take() } else { None };
                braces.push(body.is_some());
                open.extend(body);
                None
            }
            "}" => match braces.pop() {
                Some(true) => open.pop(),
                _ => None,
            },
            ";" if depth == 0 => pending.take(),
            _ => None,
        };
        if let Some(function) = ended.and_then(|ended| functions.get_mut(ended)) {
            function.bytes.end = at + 1;
        }
    }
    functions
}

/// Splits a text into words, literals and single marks, leaving out white space and comments. It takes any text: what is no
/// Rust gives some tokens too.
fn split_tokens(text: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let (length, counts) = first_token(rest);
        let length = length.clamp(1, rest.len());
        if counts && let Some(token) = rest.get(..length) {
            tokens.push((at, token));
        }
        at += length;
    }
    tokens
}

/// The length in bytes of what a text starts with, and whether it is a token at all.
fn first_token(text: &str) -> (usize, bool) {
    let Some(first) = text.chars().next() else {
        return (0, false);
    };
    if first.is_whitespace() || first == '\u{feff}' {
        return (first.len_utf8(), false);
    }
    if text.starts_with("//") {
        return (text.find('\n').unwrap_or(text.len()), false);
    }
    if text.starts_with("/*") {
        return (block_comment(text), false);
    }
    let length = match first {
        '"' => quoted_length(text, 1),
        '\'' => character(text),
        _ if is_word_letter(first) => {
            let word = text
                .find(|character| !is_word_letter(character))
                .unwrap_or(text.len());
            let rest = text.get(word..).unwrap_or("");
            match text.get(..word) {
                Some("r" | "br" | "cr") => raw(rest).map_or(word, |length| word + length),
                _ => word,
            }
        }
        _ => first.len_utf8(),
    };
    (length, true)
}

/// The length of a comment that may hold others.
fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth = depth.saturating_sub(1);
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// The length of a literal that ends with the quote it starts with, from where its content starts.
fn quoted_length(text: &str, content: usize) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().filter(|(at, _)| *at >= content) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a character literal, or 1 for the mark of a lifetime or label.
fn character(text: &str) -> usize {
    let mut characters = text.char_indices().skip(1);
    match (characters.next(), characters.next()) {
        (Some((_, '\\')), Some((escaped, character))) => {
            let after = escaped + character.len_utf8();
            let rest = text.get(after..).unwrap_or("");
            rest.find('\'').map_or(1, |quote| after + quote + 1)
        }
        (Some(_), Some((quote, '\''))) => quote + 1,
        _ => 1,
    }
}

/// The length of a raw string after its prefix, if it is one.
fn raw(text: &str) -> Option<usize> {
    let hashes = text.len() - text.trim_start_matches('#').len();
    let content = text.get(hashes..)?.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = content
        .find(&end)
        .map_or(content.len(), |at| at + end.len());
    Some(hashes + 1 + length)
}

#[cfg(test)]
mod tests {
    use super::{CodeOutline, Hasher, split_tokens};

    fn words(text: &str) -> Vec<&str> {
        split_tokens(text)
            .into_iter()
            .map(|(_, token)| token)
            .collect()
    }

    #[test]
    fn white_space_and_comments_are_no_tokens() {
        assert_eq!(
            words("\u{feff}a . /* x /* y */ z */ b(1_024) // c\r\n\t§"),
            ["a", ".", "b", "(", "1_024", ")", "§"]
        );
    }

    #[test]
    fn literals_are_one_token() {
        assert_eq!(
            words(r####"f("a { \" b", '{', '\'', '\u{7b}', 'a, r#"}"{"#, r#fn, b"}")"####),
            [
                "f",
                "(",
                r#""a { \" b""#,
                ",",
                "'{'",
                ",",
                r"'\''",
                ",",
                r"'\u{7b}'",
                ",",
                "'",
                "a",
                ",",
                r###"r#"}"{"#"###,
                ",",
                "r",
                "#",
                "fn",
                ",",
                "b",
                "\"}\"",
                ")"
            ]
        );
        assert_eq!(words("\"open"), ["\"open"]);
        assert_eq!(words("r##\"open\"#"), ["r##\"open\"#"]);
        assert_eq!(words("'"), ["'"]);
        assert!(words("/* open /*").is_empty());
    }

    #[test]
    fn the_innermost_function_counts() {
        let text = "axes![A = 8];\nfn one(x: m![{N}]) { fn two() { 1 } 2 }\n\
                    trait T { fn three(x: [u8; 4]); }\nconst F: fn() = 3;\n";
        let outline = CodeOutline::of(text);
        let at = |word: &str| outline.function_at(text.find(word).unwrap());
        assert_eq!(at("8]"), "");
        assert_eq!(at("N}"), "one");
        assert_eq!(at("1 }"), "two");
        assert_eq!(at("2 }"), "one");
        assert_eq!(at("4]"), "three");
        assert_eq!(at("3;"), "");
    }

    #[test]
    fn the_hash_is_the_published_one() {
        // The reference value of FNV-1a with 128 bits for `foobar`, and one more round for the end of the text.
        let mut hasher = Hasher::new();
        hasher.add("foobar");
        let reference: u128 = 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18;
        assert_eq!(hasher.state, reference.wrapping_mul((1 << 88) + 0x13b));
    }
}
