//! What is to the left of the cursor: the word under it, the tokens before it, and the brackets that are open there.
//!
//! Works on tokens, not on the tree, because half-typed code has no tree worth the name. Knows brackets, commas and names;
//! does not know what a name means.

use ra_ap_syntax::{SyntaxKind, SyntaxToken};

use crate::ByteRange;
use crate::cursor::Cursor;
use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::ItemId;
use crate::kernel::dialect::{self, Dialect};

/// Tokens that are looked at, at most.
const TOKEN_LIMIT: usize = 1_500;
/// Open brackets that are looked at, at most: mappings may nest 64 deep.
const OPENER_LIMIT: usize = 80;

/// The surroundings of a cursor.
pub(crate) struct Around {
    /// The cursor, in bytes of the file.
    pub(crate) offset: u32,
    /// The word or number under the cursor; empty at the cursor if there is none.
    pub(crate) replace: ByteRange,
    /// That word or number.
    pub(crate) word: String,
    /// Whether a word or number touches the cursor from the left.
    pub(crate) has_word: bool,
    /// The tokens before that word, nearest first, without white space and comments.
    pub(crate) before: Vec<SyntaxToken>,
    /// The brackets that are open at the cursor, innermost first.
    pub(crate) openers: Vec<Opener>,
    /// The token behind the word under the cursor.
    behind: Option<SyntaxToken>,
    /// The comment that the cursor is in.
    pub(crate) comment: Option<SyntaxToken>,
    /// The cursor is in text that is no code: a string, a character, a lifetime.
    pub(crate) in_text: bool,
    /// The cursor is between two dots.
    between_dots: bool,
    place: Cursor,
    file: SourceFile,
}

/// An open bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Opener {
    /// Which.
    pub(crate) bracket: Bracket,
    /// Its place in [`Around::before`].
    pub(crate) index: usize,
    /// Commas between it and the cursor, those inside of other brackets and those behind lifetimes left out.
    pub(crate) commas: usize,
}

/// Kinds of brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bracket {
    /// `(`.
    Round,
    /// `[`.
    Square,
    /// `{`.
    Curly,
    /// `<` of generic arguments.
    Angle,
}

/// What a bracket belongs to, by the tokens before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Owner {
    /// `name!`.
    Macro(String),
    /// `.name::<`: the generic arguments of a method, with the place of the dot.
    Turbofish {
        /// The method.
        name: String,
        /// Place of the dot in [`Around::before`].
        dot: usize,
    },
    /// `.name(` or `.name::<…>(`.
    Arguments {
        /// The method.
        name: String,
        /// Place of the dot in [`Around::before`].
        dot: usize,
    },
    /// `Name<` or `Name::<`.
    Type(String),
    /// `Name::Variant {`.
    Record(String, String),
    /// `Name::variant(`, or `name(` with an empty first word.
    Call(String, String),
    /// Something else.
    Other,
}

impl Around {
    /// The surroundings of a byte; none in a file that is not analysed.
    pub(crate) fn at(db: &dyn Db, file: SourceFile, offset: u32) -> Option<Self> {
        let place = Cursor::at(db, file, offset)?;
        let start = |token: &SyntaxToken| place.range_of(token).start;
        let mut touching = place.tokens.iter();
        let left = touching.find(|token| start(token) < offset).cloned();
        let mut around = Self {
            offset,
            replace: ByteRange {
                start: offset,
                end: offset,
            },
            word: String::new(),
            has_word: false,
            before: Vec::new(),
            openers: Vec::new(),
            behind: None,
            comment: None,
            in_text: false,
            between_dots: false,
            place,
            file,
        };
        let Some(left) = left else {
            return Some(around);
        };
        let inside = around.place.range_of(&left).end > offset;
        let mut next = Some(left.clone());
        around.behind = left.next_token();
        match left.kind() {
            SyntaxKind::COMMENT if inside || left.text().starts_with("//") => {
                around.comment = Some(left);
                return Some(around);
            }
            SyntaxKind::STRING
            | SyntaxKind::BYTE_STRING
            | SyntaxKind::C_STRING
            | SyntaxKind::CHAR
            | SyntaxKind::BYTE
            | SyntaxKind::LIFETIME_IDENT
            | SyntaxKind::FLOAT_NUMBER => around.in_text = true,
            // The two dots of a range, between which a chain goes on: `x.view()..fetch()`.
            SyntaxKind::DOT2 if inside => around.between_dots = true,
            kind if is_word(kind) => {
                around.replace = around.place.range_of(&left);
                around.has_word = true;
                around.word = left.text().to_owned();
                next = left.prev_token();
            }
            _ => {}
        }
        let tokens = std::iter::successors(next, SyntaxToken::prev_token)
            .filter(|token| !token.kind().is_trivia())
            .take(TOKEN_LIMIT);
        around.collect(tokens);
        Some(around)
    }

    /// Keeps the tokens up to the start of the statement, and the brackets that are open.
    fn collect(&mut self, tokens: impl Iterator<Item = SyntaxToken>) {
        let mut closed = 0_usize;
        let mut angles = 0_usize;
        let mut counted = Counted::default();
        for token in tokens {
            let index = self.before.len();
            let kind = token.kind();
            self.before.push(token);
            match kind {
                SyntaxKind::R_PAREN | SyntaxKind::R_BRACK | SyntaxKind::R_CURLY => closed += 1,
                SyntaxKind::L_PAREN | SyntaxKind::L_BRACK | SyntaxKind::L_CURLY if closed > 0 => {
                    closed -= 1;
                }
                SyntaxKind::L_PAREN | SyntaxKind::L_BRACK | SyntaxKind::L_CURLY => {
                    let bracket = match kind {
                        SyntaxKind::L_PAREN => Bracket::Round,
                        SyntaxKind::L_BRACK => Bracket::Square,
                        _ => Bracket::Curly,
                    };
                    // An angle that nothing opens was a comparison.
                    let commas = if angles > 0 {
                        counted.all
                    } else {
                        counted.outside
                    };
                    self.openers.push(Opener {
                        bracket,
                        index,
                        commas,
                    });
                    (angles, counted) = (0, Counted::default());
                }
                SyntaxKind::SEMICOLON if closed == 0 => break,
                _ if closed > 0 => {}
                SyntaxKind::R_ANGLE => angles += 1,
                SyntaxKind::L_ANGLE if angles > 0 => angles -= 1,
                SyntaxKind::L_ANGLE => {
                    // Whether it is one of generic arguments shows by what is before it, which is looked at later.
                    self.openers.push(Opener {
                        bracket: Bracket::Angle,
                        index,
                        commas: counted.outside.saturating_sub(counted.lifetimes),
                    });
                    counted = Counted::default();
                }
                SyntaxKind::COMMA => counted.comma(angles),
                SyntaxKind::LIFETIME_IDENT if angles == 0 => counted.lifetimes += 1,
                _ => {}
            }
            if self.openers.len() >= OPENER_LIMIT {
                break;
            }
        }
        let comparisons: Vec<usize> = (0..self.openers.len())
            .filter(|at| {
                self.openers.get(*at).is_some_and(|opener| {
                    opener.bracket == Bracket::Angle && self.owner(*opener) == Owner::Other
                })
            })
            .collect();
        let mut at = 0;
        self.openers.retain(|_| {
            at += 1;
            !comparisons.contains(&(at - 1))
        });
    }

    /// The text of a token before the cursor; empty beyond the first.
    pub(crate) fn text(&self, index: usize) -> &str {
        self.before.get(index).map_or("", SyntaxToken::text)
    }

    fn name(&self, index: usize) -> Option<&str> {
        self.before
            .get(index)
            .filter(|token| token.kind() == SyntaxKind::IDENT)
            .map(SyntaxToken::text)
    }

    /// Behind two colons at a place: one token, or two in the arguments of a macro.
    fn after_colons(&self, index: usize) -> Option<usize> {
        match (self.text(index), self.text(index + 1)) {
            ("::", _) => Some(index + 1),
            (":", ":") => Some(index + 2),
            _ => None,
        }
    }

    /// What a bracket belongs to.
    pub(crate) fn owner(&self, opener: Opener) -> Owner {
        let before = opener.index + 1;
        if opener.bracket == Bracket::Angle {
            return self.generics_owner(before).unwrap_or(Owner::Other);
        }
        if self.text(before) == "!"
            && let Some(name) = self.name(before + 1)
        {
            return Owner::Macro(name.to_owned());
        }
        let owner = match opener.bracket {
            Bracket::Round => self.call_owner(before),
            Bracket::Curly => self.path(before).and_then(|(owner, variant)| {
                (!owner.is_empty()).then_some(Owner::Record(owner, variant))
            }),
            Bracket::Square | Bracket::Angle => None,
        };
        owner.unwrap_or(Owner::Other)
    }

    fn generics_owner(&self, before: usize) -> Option<Owner> {
        let at = self.after_colons(before).unwrap_or(before);
        let name = self.name(at)?.to_owned();
        if at != before && self.text(at + 1) == "." {
            return Some(Owner::Turbofish { name, dot: at + 1 });
        }
        name.starts_with(|first: char| first.is_ascii_uppercase())
            .then_some(Owner::Type(name))
    }

    fn call_owner(&self, before: usize) -> Option<Owner> {
        let at = if self.text(before) == ">" {
            self.after_colons(self.opening_angle(before)? + 1)?
        } else {
            before
        };
        let name = self.name(at)?.to_owned();
        if self.text(at + 1) == "." {
            return Some(Owner::Arguments { name, dot: at + 1 });
        }
        let (owner, name) = self.path(at)?;
        Some(Owner::Call(owner, name))
    }

    /// `Name::variant` or `variant` that ends at a place.
    fn path(&self, at: usize) -> Option<(String, String)> {
        let name = self.name(at)?.to_owned();
        let owner = self
            .after_colons(at + 1)
            .and_then(|at| self.type_name(at))
            .unwrap_or("");
        Some((owner.to_owned(), name))
    }

    /// The `<` that a `>` closes.
    fn opening_angle(&self, close: usize) -> Option<usize> {
        let mut angles = 0_usize;
        let mut closed = 0_usize;
        for (index, token) in self.before.iter().enumerate().skip(close) {
            match token.kind() {
                SyntaxKind::R_PAREN | SyntaxKind::R_BRACK | SyntaxKind::R_CURLY => closed += 1,
                SyntaxKind::L_PAREN | SyntaxKind::L_BRACK | SyntaxKind::L_CURLY => {
                    closed = closed.checked_sub(1)?;
                }
                SyntaxKind::R_ANGLE if closed == 0 => angles += 1,
                SyntaxKind::L_ANGLE if closed == 0 => {
                    angles = angles.checked_sub(1)?;
                    if angles == 0 {
                        return Some(index);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// The enum of `Enum::` directly before the word.
    pub(crate) fn path_owner(&self) -> Option<&str> {
        self.after_colons(0).and_then(|at| self.type_name(at))
    }

    /// The name of a type that ends at a place, its generics left out: `DmTensor` of `DmTensor::<i8>`.
    fn type_name(&self, at: usize) -> Option<&str> {
        if self.text(at) != ">" {
            return self.name(at);
        }
        let open = self.opening_angle(at)?.checked_add(1)?;
        self.name(self.after_colons(open).unwrap_or(open))
    }

    /// The place of the dot directly before the word, if it follows an expression.
    pub(crate) fn dot(&self) -> Option<usize> {
        let dot = match self.before.first()?.kind() {
            SyntaxKind::DOT => true,
            SyntaxKind::DOT2 => self.between_dots,
            _ => false,
        };
        (dot && self.before.len() > 1).then_some(0)
    }

    /// The item that the token at a place is in, and the token's end in the item's text.
    pub(crate) fn item_end(&self, db: &dyn Db, index: usize) -> Option<(ItemId, u32)> {
        let token = self.before.get(index)?;
        let (item, start) = self.place.item(db, token)?;
        Some((
            item,
            start.saturating_add(u32::from(token.text_range().len())),
        ))
    }

    /// The item of the nearest token, and the place in its text where the word under the cursor starts.
    pub(crate) fn item_here(&self, db: &dyn Db) -> Option<(ItemId, u32)> {
        self.item_end(db, 0)
    }

    /// Whether generics or arguments follow the word under the cursor already.
    pub(crate) fn is_called(&self) -> bool {
        let mut next = self.behind.clone();
        while let Some(token) = next {
            if !token.kind().is_trivia() {
                return matches!(token.text(), "(" | "::" | ":");
            }
            if token.text().contains('\n') {
                return false;
            }
            next = token.next_token();
        }
        false
    }

    /// The first byte of the file of a token.
    pub(crate) fn start_of(&self, token: &SyntaxToken) -> u32 {
        self.place.range_of(token).start
    }

    /// The byte of the file behind a token.
    pub(crate) fn end_of(&self, token: &SyntaxToken) -> u32 {
        self.place.range_of(token).end
    }

    /// The file.
    pub(crate) fn file(&self) -> SourceFile {
        self.file
    }

    /// The table of the library that the file is written for.
    pub(crate) fn dialect(&self, db: &dyn Db) -> Dialect {
        dialect::of_file(db, self.file)
    }

    /// The tokens between an opener and the cursor, in the order of the text.
    pub(crate) fn tokens_since(&self, opener: Opener) -> impl Iterator<Item = &SyntaxToken> {
        self.before.iter().take(opener.index).rev()
    }
}

/// Commas met since the last open bracket.
#[derive(Default)]
struct Counted {
    /// Outside of angles.
    outside: usize,
    /// All.
    all: usize,
    lifetimes: usize,
}

impl Counted {
    fn comma(&mut self, angles: usize) {
        self.all += 1;
        if angles == 0 {
            self.outside += 1;
        }
    }
}

/// Words and numbers: what a proposal replaces.
fn is_word(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::IDENT | SyntaxKind::INT_NUMBER | SyntaxKind::UNDERSCORE
    ) || kind.is_keyword(crate::syntax::EDITION)
}
