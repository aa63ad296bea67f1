//! A Python file cut into its functions, each of which is followed by itself, and the rest.
//!
//! One pass over the bytes that knows strings, brackets, comments and how far a line is indented; parses nothing. A file that it is not
//! sure about is not cut. Functions in classes, branches and `try` are cut as those of the file's own level are: they see the same names.
//! Functions in other functions stay where they are.

use std::ops::Range;

use super::syntax::nesting::{self, is_in_word};

/// A function that stands in no other one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionPart {
    /// Its text: from the line of the comments right above it, or of its first decorator, to the end of its last line.
    pub range: Range<usize>,
    /// The lines of its decorators and its head up to the colon: what the rest of the file sees of it.
    pub head: Range<usize>,
    /// How far it is indented: bytes of blanks that its head begins with.
    pub indentation: usize,
    /// Its name.
    pub name: Range<usize>,
    /// Whether each of its lines has so little in it that nothing nests deeply, see [`super::syntax::nesting`].
    pub is_shallow: bool,
}

/// The functions of a text, in the order of the text, and what is known of all of it; none where it cannot be cut.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cut {
    /// The functions.
    pub functions: Vec<FunctionPart>,
    /// Whether each line of the text has so little in it that nothing nests deeply.
    pub is_shallow: bool,
}

/// So many words and signs in a line that no bracket joins to another, and so many blanks before it, nest less deeply than any limit: a
/// word or sign is at most two operators.
const FEW_TOKENS: usize = nesting::MOST_OPERATORS / 2;
const FEW_BLANKS: usize = nesting::MOST_BLOCKS - 1;
const _: () = assert!(FEW_TOKENS <= nesting::MOST_BRACKETS);

/// Whether a word stands at the begin of a text.
fn is_word_of(text: &[u8], word: &[u8]) -> bool {
    let behind = text.strip_prefix(word);
    behind.is_some_and(|rest| !rest.first().is_some_and(|byte| is_in_word(*byte)))
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Words and signs of the line that is being passed; the most there are where that is not sure.
    tokens: usize,
}

/// Cuts a text.
pub fn cut_text(text: &str) -> Cut {
    let mut scanner = Scanner {
        text,
        bytes: text.as_bytes(),
        at: 0,
        tokens: 0,
    };
    scanner.file().unwrap_or_default()
}

/// What a line that stands in no function begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    /// Nothing: it is blank.
    Nothing,
    /// More of the function above it.
    Body,
    Comment,
    Decorator,
    Function,
    Other,
}

impl Scanner<'_> {
    fn byte(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn file(&mut self) -> Option<Cut> {
        if self.text.starts_with('\u{feff}') {
            self.at = 3;
        }
        let mut functions: Vec<FunctionPart> = Vec::new();
        let mut is_shallow = true;
        // Where comments and decorators that nothing has followed yet begin.
        let mut comments: Option<usize> = None;
        let mut decorators: Option<usize> = None;
        // Whether the lines of these decorators are shallow.
        let mut is_head_shallow = true;
        // A function whose body may go on: its text, its head and its name.
        let mut open: Option<FunctionPart> = None;
        while self.at < self.bytes.len() {
            let start = self.at;
            self.at += self.blanks();
            let indentation = self.at - start;
            self.tokens = 0;
            let begins = self.line_begins(indentation, open.as_ref())?;
            if matches!(begins, Begins::Decorator | Begins::Function | Begins::Other)
                && let Some(function) = open.take()
            {
                functions.push(function);
            }
            match begins {
                Begins::Nothing => {
                    comments = None;
                    self.line()?;
                }
                Begins::Body => {
                    comments = None;
                    self.line()?;
                    if let Some(function) = &mut open {
                        function.range.end = self.at;
                        function.is_shallow &= self.is_shallow(indentation);
                    }
                }
                Begins::Comment => {
                    comments.get_or_insert(start);
                    self.line()?;
                }
                Begins::Decorator => {
                    is_head_shallow |= decorators.is_none();
                    decorators.get_or_insert(start);
                    self.line()?;
                    is_head_shallow &= self.is_shallow(indentation);
                }
                Begins::Function => {
                    let is_head_shallow = decorators.is_none() || is_head_shallow;
                    let first = decorators.take().unwrap_or(start);
                    let above = comments.take().filter(|above| *above < first);
                    let (name, colon) = self.head()?;
                    self.line()?;
                    open = Some(FunctionPart {
                        range: above.unwrap_or(first)..self.at,
                        head: first..colon,
                        indentation,
                        name,
                        is_shallow: is_head_shallow && self.is_shallow(indentation),
                    });
                }
                Begins::Other => {
                    (comments, decorators) = (None, None);
                    self.line()?;
                }
            }
            is_shallow &= self.is_shallow(indentation);
        }
        functions.extend(open);
        Some(Cut {
            functions,
            is_shallow,
        })
    }

    /// Whether nothing nests deeply in the line that was passed.
    const fn is_shallow(&self, indentation: usize) -> bool {
        self.tokens <= FEW_TOKENS && indentation < FEW_BLANKS
    }

    /// Blanks at the begin of a line.
    fn blanks(&self) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
        blanks.count()
    }

    /// What begins behind the blanks of a line, where a function may be open; nothing where that is not sure.
    fn line_begins(&self, indentation: usize, open: Option<&FunctionPart>) -> Option<Begins> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        Some(match self.byte() {
            _ if rest.is_empty() => Begins::Nothing,
            b'\r' | b'\n' => Begins::Nothing,
            b'#' => Begins::Comment,
            // Indentation begins again behind a form feed, and a backslash joins the next line to none.
            0x0c | b'\\' => return None,
            _ if open.is_some_and(|open| open.indentation < indentation) => Begins::Body,
            b'@' => Begins::Decorator,
            b'd' if rest.starts_with(b"def ") => Begins::Function,
            b'a' if rest.starts_with(b"async def ") => Begins::Function,
            // One that other blanks stand in: what is in it must not be taken for the file's own.
            b'd' if is_word_of(rest, b"def") => return None,
            b'a' if is_word_of(rest, b"async") => return None,
            _ => Begins::Other,
        })
    }

    /// Goes to the begin of the next line that no bracket, string or backslash joins to this one.
    fn line(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            self.tokens = self.tokens.saturating_add(1);
            match self.byte() {
                _ if self.at >= self.bytes.len() => return (depth == 0).then_some(()),
                b'\n' => {
                    self.at += 1;
                    if depth == 0 {
                        return Some(());
                    }
                    continue;
                }
                // Alone it ends a line too, which none of this knows.
                b'\r' if self.bytes.get(self.at + 1) != Some(&b'\n') => return None,
                b' ' | b'\t' | b'\r' | 0x0c => {
                    self.at += 1;
                    continue;
                }
                b'#' => {
                    self.comment();
                    continue;
                }
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
                b'"' | b'\'' => {
                    self.string()?;
                    continue;
                }
                b'\\' => {
                    let behind = self.bytes.get(self.at + 1..).unwrap_or_default();
                    self.at += if behind.starts_with(b"\n") {
                        2
                    } else if behind.starts_with(b"\r\n") {
                        3
                    } else {
                        1
                    };
                    continue;
                }
                _ => {}
            }
            self.at += 1;
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            self.at += rest.iter().take_while(|byte| is_in_word(**byte)).count();
        }
    }

    /// Goes to the end of a comment.
    fn comment(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        self.at += length;
    }

    /// Goes behind a string; nothing where it does not end.
    fn string(&mut self) -> Option<()> {
        let quote = self.byte();
        let before = self.at.checked_sub(1).and_then(|at| self.bytes.get(at));
        if before.is_some_and(|byte| is_in_word(*byte)) {
            // One with expressions in it may hold anything.
            self.tokens = usize::MAX;
        }
        let is_long = self.bytes.get(self.at..self.at + 3) == Some(&[quote; 3]);
        self.at += if is_long { 3 } else { 1 };
        loop {
            let byte = *self.bytes.get(self.at)?;
            match byte {
                b'\\' => self.at += 2,
                b'\n' if !is_long => return None,
                _ if byte == quote => {
                    let ends =
                        !is_long || self.bytes.get(self.at..self.at + 3) == Some(&[quote; 3]);
                    self.at += if ends && is_long { 3 } else { 1 };
                    if ends {
                        return Some(());
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    /// From `def` on: the name, and behind the colon of the head.
    fn head(&mut self) -> Option<(Range<usize>, usize)> {
        let start = self.at;
        let rest = self.text.get(start..)?;
        let lead = rest.find("def ")? + "def ".len();
        let blanks = rest.get(lead..)?.bytes().take_while(|byte| *byte == b' ');
        let from = start + lead + blanks.count();
        self.at = from;
        while self
            .bytes
            .get(self.at)
            .is_some_and(|byte| is_in_word(*byte))
        {
            self.at += 1;
        }
        let name = from..self.at;
        let mut depth = 0_usize;
        while let Some(byte) = self.bytes.get(self.at) {
            self.tokens = self.tokens.saturating_add(usize::from(!is_in_word(*byte)));
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
                b'"' | b'\'' => {
                    self.string()?;
                    continue;
                }
                b'#' if depth > 0 => {
                    self.comment();
                    continue;
                }
                b'\r' if self.bytes.get(self.at + 1) != Some(&b'\n') => return None,
                b'\n' | b'#' if depth == 0 => return None,
                b':' if depth == 0 => {
                    self.at += 1;
                    return (!name.is_empty()).then_some((name, self.at));
                }
                _ => {}
            }
            self.at += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(&str, &str)> {
        let parts = cut_text(text).functions;
        let texts = parts.iter().map(|part| {
            let own = text.get(part.range.clone()).unwrap();
            let head = text.get(part.head.clone()).unwrap();
            assert!(own.contains(head) && head.ends_with(':'), "{own}");
            (text.get(part.name.clone()).unwrap(), own)
        });
        texts.collect()
    }

    #[test]
    fn functions_are_cut_with_what_stands_right_above_them() {
        let text = "\u{feff}import nki\n# of nobody\n\n# visa-lint: args(x: f[1])\n@nki.jit(\n  a=1)\ndef f(x, # :\n  y={'a': 1}) -> t[1]:\n    \"\"\"\ndef no():\n\"\"\"\n\
                    # in it\n    y = [1,\n2]\n\n    return y\n\nx = 1\nasync def g(): return 1\nclass C:\n    def h(self):\n        pass\nif x:\n    def i(): pass\n# end\n";
        assert_eq!(
            texts(text),
            [
                (
                    "f",
                    "# visa-lint: args(x: f[1])\n@nki.jit(\n  a=1)\ndef f(x, # :\n  y={'a': 1}) -> t[1]:\n    \"\"\"\ndef no():\n\"\"\"\n# in it\n    y = [1,\n2]\n\n    return y\n"
                ),
                ("g", "async def g(): return 1\n"),
                ("h", "    def h(self):\n        pass\n"),
                ("i", "    def i(): pass\n"),
            ]
        );
    }

    #[test]
    fn functions_in_classes_and_branches_are_cut_and_those_in_functions_are_not() {
        let text = "class C(B):\r\n    \"\"\"\r\n    def no():\r\n    \"\"\"\r\n    x = 1\r\n    # of a\r\n    @nki.jit\r\n    def a(self):\r\n        def inner():\r\n            pass\r\n\r\n  # left\r\n        return inner\r\n\r\n    # of b\r\n    def b(self): return 1\r\n    y = 2\r\n\
                    try:\r\n\tdef c():\r\n\t\tpass\r\nexcept E:\r\n\tif x:\r\n\t\tdef d():\r\n\t\t\treturn [\r\n1]\r\n\tdef e(): pass\r\n";
        assert_eq!(
            texts(text),
            [
                (
                    "a",
                    "    # of a\r\n    @nki.jit\r\n    def a(self):\r\n        def inner():\r\n            pass\r\n\r\n  # left\r\n        return inner\r\n"
                ),
                ("b", "    # of b\r\n    def b(self): return 1\r\n"),
                ("c", "\tdef c():\r\n\t\tpass\r\n"),
                ("d", "\t\tdef d():\r\n\t\t\treturn [\r\n1]\r\n"),
                ("e", "\tdef e(): pass\r\n"),
            ]
        );
        assert_eq!(cut_text(text).functions[3].indentation, 2);
    }

    #[test]
    fn nothing_nests_deeply_in_what_is_shallow() {
        let [mut shallow, mut deep] = [0, 0];
        for times in [1, 30, 66, 99, 100, 101, 150, 199, 200, 201, 399, 400, 401] {
            for (open, close) in [
                ("(", ")"),
                ("[1, ", "]"),
                ("f(", ")"),
                ("-", ""),
                ("-not ", ""),
                ("a.", ""),
                ("lambda:", ""),
                ("1 if b else ", ""),
                ("f'{", "}'"),
                ("rf\"{x['a'] + ", "}\""),
                ("g().", ""),
                ("(\n", ")"),
                ("- \\\n", ""),
            ] {
                let value = format!("{}x{}", open.repeat(times), close.repeat(times));
                let blocks: String = (1..=times)
                    .map(|depth| format!("{}if x:\n", " ".repeat(depth)))
                    .collect();
                for text in [
                    format!("def f():\n    y = {value}\n"),
                    format!("@{value}\ndef f():\n    pass\n"),
                    format!("def f(z={value}):\n    pass\n"),
                    format!("y = {value}\ndef f():\n    pass\n"),
                    format!("def f():\n{blocks}"),
                ] {
                    let found = cut_text(&text);
                    let parts = found.functions.iter();
                    let parts = parts.map(|part| (part.is_shallow, &text[part.range.clone()]));
                    for (is_shallow, text) in parts.chain([(found.is_shallow, &*text)]) {
                        let nests = nesting::too_deep(text).is_some();
                        assert!(!(is_shallow && nests), "{text}");
                        shallow += usize::from(is_shallow);
                        deep += usize::from(nests);
                    }
                }
            }
        }
        assert!(shallow > 300 && deep > 300, "{shallow} {deep}");
    }

    #[test]
    fn what_is_not_sure_is_not_cut() {
        assert_eq!(texts("def f():\r\n    pass\r\n").len(), 1);
        for text in [
            "def f(:\n    pass\n",
            "def f():\n    x = 'a\n",
            "def f():\n    x = \"\"\"a\n",
            "def f()\n    pass\n",
            "x = (\ndef f():\n    pass\n",
            "def (x):\n    pass\n",
            "x = 1)\ndef f():\n    pass\n",
            "def\tf():\n    def g():\n        pass\n",
            "async  def f():\n    def g():\n        pass\n",
            "def f():\r    pass\rx = 1\n",
            "x = 1\n\x0c    def f():\n        pass\n",
            "\\\n    def f():\n        pass\n",
        ] {
            assert_eq!(texts(text), [], "{text}");
        }
    }
}
