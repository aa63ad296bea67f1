//! How many errors a file has: those of the parser, and those that its library finds in the finished tree.
//!
//! The library's own check of a tree makes a node with parents of each part of it, which takes half as long as parsing. What it
//! looks for is rare in a right text: [`may_be_refused`] sees from the shared nodes alone that there is none of it, and errs
//! on the safe side. What the errors are is `rustc`'s to say.

use ra_ap_parser::{LexedStr, StrStep, TopEntryPoint};
use ra_ap_syntax::{NodeOrToken, Parse, SourceFile as SourceTree, SyntaxKind, SyntaxTreeBuilder};
use rowan::{Children, GreenNodeData};

use super::EDITION;
use super::finding::{green_child, green_name};

/// A parsed text that knows how many errors it has.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    /// The tree, without what was wrong while it was parsed.
    parse: Parse<SourceTree>,
    /// Errors of the lexer and the parser.
    parser_errors: usize,
}

impl Counted {
    /// Parses a text.
    pub(super) fn of(text: &str) -> Self {
        let lexed = LexedStr::new(EDITION, text);
        let output = TopEntryPoint::SourceFile.parse(&lexed.to_input(EDITION));
        let mut builder = SyntaxTreeBuilder::default();
        let mut parser_errors = lexed.errors().count();
        lexed.intersperse_trivia(&output, &mut |step| match step {
            StrStep::Token { kind, text } => builder.token(kind, text),
            StrStep::Enter { kind } => builder.start_node(kind),
            StrStep::Exit => builder.finish_node(),
            StrStep::Error { .. } => parser_errors += 1,
        });
        match builder.finish().cast() {
            Some(parse) => Self {
                parse,
                parser_errors,
            },
            // The root of what is parsed as a file is that of a file; the library's own parser is asked if it ever were not.
            None => Self {
                parse: SourceTree::parse(text, EDITION),
                parser_errors: 0,
            },
        }
    }

    /// The tree.
    pub(super) const fn parse(&self) -> &Parse<SourceTree> {
        &self.parse
    }

    /// Its errors. Counting them walks the tree once.
    pub(super) fn error_count(&self) -> usize {
        let root = self.parse.syntax_node();
        let refused = if may_be_refused(root.green()) {
            self.parse.errors().len()
        } else {
            0
        };
        self.parser_errors + refused
    }
}

/// Whether the library's check may find an error in a tree: false only where it surely finds none.
fn may_be_refused(root: &GreenNodeData) -> bool {
    let mut open: Vec<(SyntaxKind, Children<'_>)> = vec![(kind_of(root), root.children())];
    while let Some((parent, children)) = open.last_mut() {
        match children.next() {
            Some(NodeOrToken::Node(node)) => {
                let kind = kind_of(node);
                if is_suspect(*parent, kind, node) {
                    return true;
                }
                open.push((kind, node.children()));
            }
            Some(NodeOrToken::Token(_)) => {}
            None => {
                open.pop();
            }
        }
    }
    false
}

/// Whether the check may find an error at a node.
fn is_suspect(parent: SyntaxKind, kind: SyntaxKind, node: &GreenNodeData) -> bool {
    use SyntaxKind as K;
    match kind {
        K::LITERAL => has_suspect_text(node),
        K::CONST => has_token(node, K::MUT_KW),
        K::STMT_LIST => green_child(node, K::ATTR).is_some(),
        K::FIELD_EXPR | K::RECORD_EXPR_FIELD => {
            let name = green_child(node, K::NAME_REF).and_then(green_name);
            name.is_some_and(|name| {
                name.starts_with(|first: char| first.is_ascii_digit())
                    && !name.bytes().all(|byte| byte.is_ascii_digit())
            })
        }
        K::VISIBILITY => has_token(node, K::IDENT),
        K::IMPL => gives_trait_with_visibility(node),
        K::RANGE_EXPR => is_open_inclusive(node),
        K::PATH => has_keyword_behind_start(node),
        K::USE_TREE_LIST => has_token(node, K::CRATE_KW),
        K::MACRO_RULES => green_child(node, K::VISIBILITY).is_some(),
        K::LET_EXPR => !matches!(parent, K::IF_EXPR | K::WHILE_EXPR | K::MATCH_GUARD),
        K::DYN_TRAIT_TYPE | K::IMPL_TRAIT_TYPE => !has_one_trait(node),
        _ => false,
    }
}

fn kind_of(node: &GreenNodeData) -> SyntaxKind {
    SyntaxKind::from(node.kind().0)
}

/// Whether a token of a kind is anywhere in a node.
fn has_token(node: &GreenNodeData, kind: SyntaxKind) -> bool {
    let mut open = vec![node.children()];
    while let Some(children) = open.last_mut() {
        match children.next() {
            Some(NodeOrToken::Node(node)) => open.push(node.children()),
            Some(NodeOrToken::Token(token)) => {
                if SyntaxKind::from(token.kind().0) == kind {
                    return true;
                }
            }
            None => {
                open.pop();
            }
        }
    }
    false
}

/// Whether a literal is of characters that may be escaped wrongly.
fn has_suspect_text(literal: &GreenNodeData) -> bool {
    let mut tokens = literal.children().filter_map(NodeOrToken::into_token);
    tokens.any(|token| {
        let text = token.text().as_bytes();
        match SyntaxKind::from(token.kind().0) {
            SyntaxKind::STRING => {
                memchr::memchr2(b'\\', b'\r', text).is_some()
                    || memchr::memchr_iter(b'"', text).count() > 2
            }
            SyntaxKind::CHAR
            | SyntaxKind::BYTE
            | SyntaxKind::BYTE_STRING
            | SyntaxKind::C_STRING => true,
            _ => false,
        }
    })
}

/// Whether a block of a trait's items, as far as it can be told from one without a trait, says who sees one of them.
fn gives_trait_with_visibility(block: &GreenNodeData) -> bool {
    use SyntaxKind as K;
    let nodes = block.children().filter_map(NodeOrToken::into_node);
    let is_type = |node: &&GreenNodeData| {
        !matches!(
            kind_of(node),
            K::ATTR | K::VISIBILITY | K::GENERIC_PARAM_LIST | K::WHERE_CLAUSE | K::ASSOC_ITEM_LIST
        )
    };
    let items = green_child(block, K::ASSOC_ITEM_LIST);
    let mut items = items
        .into_iter()
        .flat_map(|list| list.children().filter_map(NodeOrToken::into_node));
    nodes.filter(is_type).count() > 1
        && items.any(|item| green_child(item, K::VISIBILITY).is_some())
}

/// Whether a range has `..=` and nothing behind it.
fn is_open_inclusive(range: &GreenNodeData) -> bool {
    let mut children = range.children();
    let is_operator = |child: NodeOrToken<_, &rowan::GreenTokenData>| {
        child
            .into_token()
            .is_some_and(|token| SyntaxKind::from(token.kind().0) == SyntaxKind::DOT2EQ)
    };
    children.any(is_operator) && children.filter_map(NodeOrToken::into_node).next().is_none()
}

/// Whether a path's last segment is `self` or `crate` although it is not its first.
fn has_keyword_behind_start(path: &GreenNodeData) -> bool {
    use SyntaxKind as K;
    let Some(segment) = green_child(path, K::PATH_SEGMENT) else {
        return false;
    };
    let name = green_child(segment, K::NAME_REF).and_then(green_name);
    if !matches!(name, Some("self" | "crate")) {
        return false;
    }
    let mut tokens = segment.children().filter_map(NodeOrToken::into_token);
    green_child(path, K::PATH).is_some()
        || tokens.any(|token| SyntaxKind::from(token.kind().0) == K::COLON2)
}

/// Whether a `dyn` or `impl` type names one trait and nothing else.
fn has_one_trait(ty: &GreenNodeData) -> bool {
    let Some(list) = green_child(ty, SyntaxKind::TYPE_BOUND_LIST) else {
        return true;
    };
    let mut bounds = list.children().filter_map(NodeOrToken::into_node);
    let is_trait = |bound: &GreenNodeData| green_child(bound, SyntaxKind::PATH_TYPE).is_some();
    bounds.next().is_some_and(is_trait) && bounds.next().is_none()
}

#[cfg(test)]
mod tests {
    use ra_ap_syntax::SourceFile;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::{Counted, may_be_refused};
    use crate::EDITION;
    use crate::fixture_tests::fixture_texts;

    /// How many errors the library counts.
    fn by_library(text: &str) -> usize {
        SourceFile::parse(text, EDITION).errors().len()
    }

    fn counted(text: &str) -> usize {
        Counted::of(text).error_count()
    }

    /// One text for each thing that the library's check looks for, and some that look alike and are right.
    const TEXTS: &[&str] = &[
        "fn f() { let x = \"\\q\"; }",
        "fn f() { let x = \"a\\n\"; }",
        "fn f() { let x = \"a\rb\"; }",
        "fn f() { let x = b\"\\q\"; }",
        "fn f() { let x = c\"\\0\"; }",
        "fn f() { let x = ''; }",
        "fn f() { let x = b'\\q'; }",
        "const mut X: u8 = 1;",
        "fn f() { let x = { #![a] 1 }; }",
        "fn f() { x.0u8; x.0; x.a; }",
        "fn f() { S { 0u8: 1, 0: 2 }; }",
        "pub(a) fn f() {}",
        "pub(crate) fn f() {}",
        "pub(in a::b) fn f() {}",
        "impl A for B { pub fn f() {} }",
        "impl B { pub fn f() {} }",
        "fn f() { 1..=; 1..=2; 1..; }",
        "fn f() { a::self::b; self::a; a::self; }",
        "use a::{crate::b, self};",
        "fn f() { a::crate::b; crate::a; }",
        "use crate::{a, b};",
        "fn f(x: &dyn A + B, y: *const dyn A + B, z: fn() -> dyn A + B) {}",
        "fn f(x: dyn 'static, y: impl 'static, z: &dyn A, w: impl A + B) {}",
        "pub macro_rules! a { () => {} }",
        "fn f() { let x = let y = 1; if let z = 2 {} }",
        "fn f() { if let a = 1 && let b = 2 {} while (let c = 3) {} }",
    ];

    #[test]
    fn errors_of_finished_trees_are_counted() {
        let mut wrong = 0;
        for text in TEXTS {
            let errors = by_library(text);
            assert_eq!(counted(text), errors, "{text}");
            wrong += usize::from(errors > 0);
        }
        assert!(wrong > 12 && wrong < TEXTS.len(), "{wrong}");
    }

    #[test]
    fn errors_are_as_many_as_the_library_counts() {
        let texts = fixture_texts();
        let mut random = StdRng::seed_from_u64(3);
        let (mut wrong, mut plain) = (0, 0);
        for text in texts
            .iter()
            .map(String::as_str)
            .chain(TEXTS.iter().copied())
        {
            let root = SourceFile::parse(text, EDITION).syntax_node();
            plain += usize::from(!may_be_refused(root.green()));
            assert_eq!(counted(text), by_library(text), "{text}");
            // Broken by a piece that is left out, or by a word of another text that is put in.
            for _ in 0..4 {
                let mut broken = text.to_owned();
                let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
                let place = |random: &mut StdRng| places[random.random_range(0..places.len())];
                if text.is_empty() {
                    continue;
                }
                let (one, two) = (place(&mut random), place(&mut random));
                let (from, to) = (one.min(two), one.max(two).min(one.min(two) + 40));
                let to = (from..=to)
                    .rev()
                    .find(|end| text.is_char_boundary(*end))
                    .unwrap_or(from);
                let other = TEXTS[random.random_range(0..TEXTS.len())];
                let words: Vec<&str> = other.split(' ').collect();
                let word = words[random.random_range(0..words.len())];
                broken.replace_range(from..to, if random.random_bool(0.5) { word } else { "" });
                let errors = by_library(&broken);
                assert_eq!(counted(&broken), errors, "{broken}");
                wrong += usize::from(errors > 0);
            }
        }
        // The check that is left out is left out of most.
        assert!(
            plain * 4 > texts.len() * 3 && wrong > 200,
            "{plain} {wrong}"
        );
    }
}
