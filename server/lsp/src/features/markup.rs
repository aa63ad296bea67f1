//! Words for the client: Markdown where it can show that, else the plain text of it.

use tower_lsp::ls_types::{Documentation, MarkupContent, MarkupKind};

/// How a client shows words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// As Markdown.
    Markdown,
    /// As they are.
    Plain,
}

impl Format {
    /// The format of a client that can show Markdown, or cannot.
    pub(crate) const fn of(markdown: bool) -> Self {
        if markdown {
            Self::Markdown
        } else {
            Self::Plain
        }
    }

    /// Markdown for the client.
    pub(crate) fn content(self, markdown: &str) -> MarkupContent {
        match self {
            Self::Markdown => MarkupContent {
                kind: MarkupKind::Markdown,
                value: markdown.to_owned(),
            },
            Self::Plain => MarkupContent {
                kind: MarkupKind::PlainText,
                value: plain_text(markdown),
            },
        }
    }

    /// Markdown as the documentation of something.
    pub(crate) fn documentation(self, markdown: &str) -> Documentation {
        Documentation::MarkupContent(self.content(markdown))
    }
}

/// The text of Markdown: fences, emphasis and the rules of tables go, links keep their words.
fn plain_text(markdown: &str) -> String {
    let mut lines = Vec::new();
    let mut fenced = false;
    for line in markdown.lines() {
        let start = line.trim_start();
        if start.starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            lines.push(line.to_owned());
        } else if !is_table_rule(start) {
            lines.push(without_marks(line));
        }
    }
    lines.join("\n")
}

/// Whether a line only parts the head of a table from its rows.
fn is_table_rule(line: &str) -> bool {
    line.starts_with('|')
        && line.contains('-')
        && line
            .chars()
            .all(|letter| matches!(letter, '|' | '-' | ':' | ' '))
}

fn without_marks(line: &str) -> String {
    let heading = line.trim_start_matches('#');
    let line = if heading.len() < line.len() {
        heading.trim_start()
    } else {
        line
    };
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let tail = rest.get(letter.len_utf8()..).unwrap_or_default();
        match letter {
            '`' => rest = tail,
            '*' if tail.starts_with('*') => rest = tail.get(1..).unwrap_or_default(),
            // What is escaped stands for itself.
            '\\' if tail.starts_with(|letter: char| letter.is_ascii_punctuation()) => {
                let (escaped, after) = tail.split_at(1);
                text.push_str(escaped);
                rest = after;
            }
            '[' => match link(tail) {
                Some((words, after)) => {
                    text.push_str(&without_marks(words));
                    rest = after;
                }
                None => {
                    text.push(letter);
                    rest = tail;
                }
            },
            _ => {
                text.push(letter);
                rest = tail;
            }
        }
    }
    text
}

/// The words of a link whose opening bracket was read, and what follows it.
fn link(text: &str) -> Option<(&str, &str)> {
    let (words, address) = text.split_once("](")?;
    let (_, after) = address.split_once(')')?;
    (!words.contains(['[', ']'])).then_some((words, after))
}

#[cfg(test)]
mod tests {
    use super::plain_text;

    #[test]
    fn plain_text_keeps_words_and_code() {
        let markdown = "### Axis `A`\n\n**8** rows, see [the rule](https://a.b/c) \\*\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n\
                        ```rust\nm![A / 2, [B # 4]] ** `x`\n```\n[1, 2] (3)";
        assert_eq!(
            plain_text(markdown),
            "Axis A\n\n8 rows, see the rule *\n\n| a | b |\n| 1 | 2 |\n\nm![A / 2, [B # 4]] ** `x`\n[1, 2] (3)"
        );
    }
}
