//! Mapping expressions, read on their own by the grammar of the book's chapter on them. Shares nothing with the program
//! that is tested.

use std::collections::BTreeMap;

/// An expression with its axes' sizes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expr {
    /// That many positions that hold the empty index.
    Copies(u64),
    /// An axis and its size.
    Axis(String, u64),
    /// Every `n`-th position.
    Stride(Box<Expr>, u64),
    /// The first `n` positions, over and over.
    Modulo(Box<Expr>, u64),
    /// The first `n` positions.
    Resize(Box<Expr>, u64),
    /// Filled up to `n` positions.
    Pad(Box<Expr>, u64),
    /// Beside each other, outermost first.
    Pair(Vec<Expr>),
}

impl Expr {
    /// The number of positions, if it fits.
    pub(crate) fn size(&self) -> Option<u64> {
        match self {
            Self::Copies(n) | Self::Axis(_, n) => Some(*n),
            Self::Stride(inner, n) => inner.size()?.checked_div(*n),
            Self::Modulo(_, n) | Self::Resize(_, n) | Self::Pad(_, n) => Some(*n),
            Self::Pair(parts) => parts
                .iter()
                .try_fold(1_u64, |size, part| size.checked_mul(part.size()?)),
        }
    }

    /// What is ill-formed in it: a division that leaves a rest, a padding below the size, a resize above it.
    pub(crate) fn fault(&self) -> Option<String> {
        match self {
            Self::Copies(n) | Self::Axis(_, n) => (*n == 0).then(|| "no position".to_owned()),
            Self::Stride(inner, n) | Self::Modulo(inner, n) => inner.fault().or_else(|| {
                let size = inner.size()?;
                (*n == 0 || size % n != 0).then(|| format!("{size} is not a multiple of {n}"))
            }),
            Self::Resize(inner, n) => inner.fault().or_else(|| {
                let size = inner.size()?;
                (*n == 0 || *n > size).then(|| format!("{size} is resized to {n}"))
            }),
            Self::Pad(inner, n) => inner.fault().or_else(|| {
                let size = inner.size()?;
                (*n < size).then(|| format!("{size} is padded to {n}"))
            }),
            Self::Pair(parts) => parts.iter().find_map(Self::fault),
        }
    }

    /// The axes that it names.
    pub(crate) fn axes(&self) -> Vec<String> {
        match self {
            Self::Copies(_) => Vec::new(),
            Self::Axis(name, _) => vec![name.clone()],
            Self::Stride(inner, _)
            | Self::Modulo(inner, _)
            | Self::Resize(inner, _)
            | Self::Pad(inner, _) => inner.axes(),
            Self::Pair(parts) => parts.iter().flat_map(Self::axes).collect(),
        }
    }

    /// Two beside each other.
    pub(crate) fn pair(outer: &Self, inner: &Self) -> Self {
        Self::Pair(vec![outer.clone(), inner.clone()])
    }
}

/// Names that an expression may use.
pub(crate) struct Names<'a> {
    /// Axes with their sizes.
    pub(crate) axes: &'a BTreeMap<String, u64>,
    /// Aliases with their right sides.
    pub(crate) aliases: &'a BTreeMap<String, String>,
}

/// Reads a type argument: `m![..]`, or an alias of one.
pub(crate) fn read(text: &str, names: &Names<'_>) -> Option<Expr> {
    read_at(text, names, 0)
}

fn read_at(text: &str, names: &Names<'_>, depth: u32) -> Option<Expr> {
    if depth > 8 {
        return None;
    }
    let text = text.trim();
    let Some(inner) = text
        .strip_prefix("m![")
        .and_then(|text| text.strip_suffix(']'))
    else {
        return read_at(names.aliases.get(text)?, names, depth + 1);
    };
    let mut reader = Reader {
        tokens: tokens(inner)?,
        at: 0,
        names,
        depth,
    };
    let read = reader.pair()?;
    (reader.at == reader.tokens.len()).then_some(read)
}

fn tokens(text: &str) -> Option<Vec<String>> {
    let mut tokens = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_whitespace() {
            continue;
        }
        let mut token = letter.to_string();
        if letter.is_alphanumeric() || letter == '_' {
            while let Some(next) = letters.next_if(|next| next.is_alphanumeric() || *next == '_') {
                token.push(next);
            }
        } else if !"/%=#,()[]{}".contains(letter) {
            return None;
        }
        tokens.push(token);
    }
    Some(tokens)
}

struct Reader<'a> {
    tokens: Vec<String>,
    at: usize,
    names: &'a Names<'a>,
    depth: u32,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<String> {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned()
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|next| next == token);
        self.at += usize::from(found);
        found
    }

    fn pair(&mut self) -> Option<Expr> {
        let mut parts = vec![self.unary()?];
        while self.eat(",") {
            parts.push(self.unary()?);
        }
        Some(if parts.len() == 1 {
            parts.remove(0)
        } else {
            Expr::Pair(parts)
        })
    }

    fn unary(&mut self) -> Option<Expr> {
        let mut read = self.primary()?;
        while let Some(operator) = self.tokens.get(self.at).cloned() {
            let make = match operator.as_str() {
                "/" => Expr::Stride,
                "%" => Expr::Modulo,
                "=" => Expr::Resize,
                "#" => Expr::Pad,
                _ => break,
            };
            self.at += 1;
            let number = self.next()?.parse().ok()?;
            read = make(Box::new(read), number);
        }
        Some(read)
    }

    fn primary(&mut self) -> Option<Expr> {
        let token = self.next()?;
        match token.as_str() {
            "(" | "[" => {
                let inner = self.pair()?;
                (self.eat(")") || self.eat("]")).then_some(inner)
            }
            "{" => {
                let name = self.next()?;
                let inner = read_at(&name, self.names, self.depth + 1)?;
                self.eat("}").then_some(inner)
            }
            _ => match token.parse::<u64>() {
                Ok(count) => Some(Expr::Copies(count)),
                Err(_) => {
                    let size = *self.names.axes.get(&token)?;
                    Some(Expr::Axis(token, size))
                }
            },
        }
    }
}
