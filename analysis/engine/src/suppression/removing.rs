//! Taking suppressions away so that no trace of them is left: no empty line, no space at a line's end, no comma.

use std::ops::Range;

use super::Suppression;
use crate::libraries::TOOLS;
use crate::names::is_word_letter;

/// The bytes whose removal takes away a suppression, if it can be taken away without the others beside it.
pub(super) fn removal(text: &str, suppression: &Suppression) -> Option<Range<u32>> {
    let range = match &suppression.whole {
        Some(whole) => of_whole(text, byte_range(whole))?,
        None => of_name(text, byte_range(&suppression.place))?,
    };
    Some(u32::try_from(range.start).ok()?..u32::try_from(range.end).ok()?)
}

fn byte_range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// A whole attribute or comment: with its line where nothing else is there, else with the space that set it apart.
fn of_whole(text: &str, whole: Range<usize>) -> Option<Range<usize>> {
    let before = text.get(..whole.start)?;
    let after = text.get(whole.end..)?;
    let mark = text.len() - text.trim_start_matches('\u{feff}').len();
    let line = before.rfind('\n').map_or(mark, |at| at + 1);
    let (line_end, next) = match after.find('\n') {
        Some(at) => (whole.end + at, whole.end + at + 1),
        None => (text.len(), text.len()),
    };
    let last = text.get(whole.end..line_end)?.trim().is_empty();
    let first = text.get(line..whole.start)?.trim().is_empty();
    if first && last {
        return Some(line..next);
    }
    if last {
        // The parser gives the `\r` before a line's end to the comment.
        let end = text.get(..whole.end)?.trim_end_matches('\r').len();
        return Some(before.trim_end().len()..end);
    }
    let space = after.len() - after.trim_start_matches([' ', '\t']).len();
    Some(whole.start..whole.end + space)
}

/// One name of several, with the comma that parts it from the next or, for the last one, from the one before.
fn of_name(text: &str, name: Range<usize>) -> Option<Range<usize>> {
    let before = text.get(..name.start)?;
    let tool = before.trim_end().strip_suffix("::").map(str::trim_end);
    let start = tool
        .and_then(|path| TOOLS.iter().find_map(|tool| path.strip_suffix(tool)))
        .map_or(name.start, str::len);
    let after = text.get(name.end..)?;
    if let Some(rest) = after.trim_start().strip_prefix(',') {
        let next = rest.trim_start();
        return (!next.starts_with([')', '*', '/'])).then(|| start..text.len() - next.len());
    }
    let others = text.get(..start)?.trim_end().strip_suffix(',')?.trim_end();
    let another = others.ends_with(is_word_letter);
    another.then_some(others.len()..name.end)
}

#[cfg(test)]
mod tests {
    use crate::fixing::{Trust, fix_all};
    use crate::workspace::Workspace;

    #[track_caller]
    fn assert_removed(text: &str, after: &str) {
        let mut workspace = Workspace::new();
        workspace.set_files([("a.rs", text)]);
        fix_all(&mut workspace, Trust::Machine);
        let texts: Vec<_> = workspace
            .files()
            .map(|(_, text)| text.to_string())
            .collect();
        assert_eq!(texts, [after]);
    }

    #[test]
    fn a_suppression_alone_on_its_line_goes_with_the_line() {
        let code = "mod m {\r\n    fn f() {}\r\n}\r\n";
        for suppression in [
            "    #[allow(tcp::slice_size)]\r\n",
            "    #[expect(tcp::slice_size, reason = \"so, and so\")]  \r\n",
            "    // visa-lint: allow(slice_size): so\r\n",
        ] {
            let text = code.replace("    fn", &format!("{suppression}    fn"));
            assert_removed(&text, code);
        }
        assert_removed(
            "\u{feff}#![allow(tcp::slice_size)]\nfn f() {}",
            "\u{feff}fn f() {}",
        );
    }

    #[test]
    fn a_suppression_beside_code_goes_with_the_space_between() {
        for text in [
            "fn f() {}  // visa-lint: allow(slice_size): so\n",
            "#[allow(tcp::slice_size)] fn f() {}\n",
            "/* visa-lint: allow(slice_size) */ fn f() {}\n",
        ] {
            assert_removed(text, "fn f() {}\n");
            assert_removed(&text.replace('\n', "\r\n"), "fn f() {}\r\n");
        }
    }

    #[test]
    fn one_name_of_several_goes_with_its_comma() {
        let used = |names: &str| format!("axes![Q = 0]; // visa-lint: allow({names}): so\n");
        for names in [
            "slice_size, axis_size_zero",
            "axis_size_zero , slice_size",
            "slice_size,axis_size_zero, cast_packet",
        ] {
            assert_removed(&used(names), &used("axis_size_zero"));
        }
        assert_removed(
            "#[allow(tcp :: slice_size, clippy::all)]\nfn f() {}\n",
            "#[allow(clippy::all)]\nfn f() {}\n",
        );
        assert_removed(
            "#[allow(clippy::all, visa::slice_size)]\nfn f() {}\n",
            "#[allow(clippy::all)]\nfn f() {}\n",
        );
        // All of them are of no use.
        assert_removed(
            "#[allow(tcp::slice_size, visa::cast_packet)]\nfn f() {}\n",
            "fn f() {}\n",
        );
        // Nothing is known about the condition.
        let conditional = "#[cfg_attr(x, allow(tcp::slice_size))]\nfn f() {}\n";
        assert_removed(conditional, conditional);
    }
}
