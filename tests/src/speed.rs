//! Works on a folder of kernels that are measured: a check, the first findings of an opened file, keys.
//!
//! Each work runs in a process of its own (`visa-speed`), so that its instructions can be counted; what it takes to read the folder is
//! a work too, to be taken off. Knows the engine; what counts, and the table, are of `cargo xtask speed`.

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use ra_ap_syntax::ast::{self, AstNode, HasAttrs};
use ra_ap_syntax::{Edition, SourceFile, SyntaxKind, SyntaxNode, TextRange};
use serde_json::json;
use visa_analysis::Workspace;

use crate::typing::{Keystroke, replace, typed_and_deleted};

/// Digits that are typed after the first key, each time deleted by the next key.
pub const LATER_KEYS: usize = 8;

const USAGE: &str = "usage: visa-speed files FOLDER
       visa-speed read|parse|check FOLDER
       visa-speed parse-file|open|ready|first-key|later-keys FOLDER FILE";

/// Does the work that the arguments name. Gives what it took as JSON, or for `files` the files that are worth a row.
///
/// # Errors
///
/// The arguments are wrong, or the folder cannot be read.
pub fn run_work(arguments: &[&str]) -> Result<String, String> {
    match arguments {
        ["files", folder] => files_with_rows(&read_folder(folder)?),
        [work @ ("read" | "parse" | "check"), folder] => {
            let workspace = read_folder(folder)?;
            timed_work(|| match *work {
                "parse" => parse_all(&workspace),
                "check" => {
                    black_box(workspace.analysis().check_all());
                }
                _ => {}
            })
        }
        [
            work @ ("parse-file" | "open" | "ready" | "first-key" | "later-keys"),
            folder,
            file,
        ] => on_file(&mut read_folder(folder)?, work, file),
        _ => Err(USAGE.to_owned()),
    }
}

fn read_folder(folder: &str) -> Result<Workspace, String> {
    visa_server::workspace_of_folder(Path::new(folder)).map_err(|lines| lines.join("\n"))
}

/// Runs a work, and says how long it took: no count, only for machines that cannot count.
fn timed_work(work: impl FnOnce()) -> Result<String, String> {
    let started = Instant::now();
    work();
    let took: Duration = started.elapsed();
    Ok(json!({"seconds": took.as_secs_f64()}).to_string())
}

fn parse_all(workspace: &Workspace) {
    for (_, text) in rust_texts(workspace) {
        black_box(SourceFile::parse(text, Edition::Edition2024));
    }
}

fn rust_texts(workspace: &Workspace) -> impl Iterator<Item = (&str, &str)> {
    let files = workspace.files();
    files
        .map(|(path, text)| (&**path, &**text))
        .filter(|(path, _)| path.ends_with(".rs"))
}

/// A work on one file, which is open.
fn on_file(workspace: &mut Workspace, work: &str, file: &str) -> Result<String, String> {
    let found = rust_texts(workspace).find(|(path, _)| *path == file);
    let Some((path, text)) = found.map(|(path, text)| (path.to_owned(), text.to_owned())) else {
        return Err(format!("`{file}`: no such file is read"));
    };
    if work == "parse-file" {
        return timed_work(|| {
            black_box(SourceFile::parse(&text, Edition::Edition2024));
        });
    }
    workspace.open_file(&path);
    if work == "open" {
        // What an editor shows first of a project of which nothing is known.
        return timed_work(|| {
            black_box(workspace.analysis().check_own(&path));
        });
    }
    black_box(workspace.analysis().check_all());
    let keys = match work {
        "first-key" => 1,
        "later-keys" => LATER_KEYS + 1,
        _ => 0,
    };
    let places = typed_numbers(&text);
    if places.is_empty() {
        return Err(format!("`{file}`: it has no number to type into"));
    }
    timed_work(|| {
        let mut text = text;
        for key in places.iter().flat_map(digit_keys).cycle().take(keys) {
            text = replace(&text, &key);
            workspace.set_file(&path, &text);
            black_box(workspace.analysis().check_file(&path));
        }
    })
}

/// A digit behind a number, and away again.
fn digit_keys(place: &TextRange) -> Vec<Keystroke> {
    typed_and_deleted(place.end().into(), "6")
}

/// The numbers that are typed into, from the middle of the kernels on, or of the other functions where the file has no kernel.
fn typed_numbers(text: &str) -> Vec<TextRange> {
    let tree = SourceFile::parse(text, Edition::Edition2024).tree();
    let functions: Vec<ast::Fn> = tree
        .syntax()
        .descendants()
        .filter_map(ast::Fn::cast)
        .collect();
    let inside = |wanted: &dyn Fn(&ast::Fn) -> bool| -> Vec<TextRange> {
        let bodies = functions.iter().filter(|function| wanted(function));
        let bodies = bodies.filter_map(ast::Fn::body);
        bodies
            .flat_map(|body| decimal_numbers(body.syntax()))
            .collect()
    };
    let mut numbers = inside(&is_kernel);
    if numbers.is_empty() {
        numbers = inside(&|_| true);
    }
    let half = numbers.len() / 2;
    numbers.split_off(half)
}

fn decimal_numbers(node: &SyntaxNode) -> Vec<TextRange> {
    let tokens = node
        .descendants_with_tokens()
        .filter_map(ra_ap_syntax::NodeOrToken::into_token);
    tokens
        .filter(|token| {
            let is_decimal = token.text().bytes().all(|byte| byte.is_ascii_digit());
            token.kind() == SyntaxKind::INT_NUMBER && is_decimal
        })
        .map(|token| token.text_range())
        .collect()
}

fn is_kernel(function: &ast::Fn) -> bool {
    function.attrs().any(|attribute| {
        let path = attribute.syntax().descendants().find_map(ast::Path::cast);
        path.is_some_and(|path| path.syntax().text() == "device")
    })
}

/// The files of a folder that have a row of their own: the largest ones with a kernel, and the largest without.
fn files_with_rows(workspace: &Workspace) -> Result<String, String> {
    let mut sized: Vec<(usize, bool, &str)> = rust_texts(workspace)
        .filter(|(_, text)| !typed_numbers(text).is_empty())
        .map(|(path, text)| {
            let tree = SourceFile::parse(text, Edition::Edition2024).tree();
            let mut functions = tree.syntax().descendants().filter_map(ast::Fn::cast);
            (
                text.len(),
                functions.any(|function| is_kernel(&function)),
                path,
            )
        })
        .collect();
    sized.sort_by(|one, other| other.cmp(one));
    let of = |kernels: bool, most: usize| {
        let fitting = sized
            .iter()
            .filter(move |(_, is_kernel, _)| *is_kernel == kernels);
        fitting.take(most).map(|(_, _, path)| *path)
    };
    let chosen: Vec<&str> = of(true, 2).chain(of(false, 1)).collect();
    Ok(json!({"files": chosen}).to_string())
}

#[cfg(test)]
mod tests {
    use super::{digit_keys, typed_numbers};

    #[test]
    fn digits_are_typed_into_the_second_half_of_a_kernel_and_deleted_again() {
        let text = "fn host() { f(9); }\n#[device(chip = 1)]\nfn kernel() { a(12); b(0x4, 3, 45); c::<m![N / 7]>(8); }\n";
        let numbers = typed_numbers(text);
        let words: Vec<&str> = numbers.iter().map(|range| &text[*range]).collect();
        assert_eq!(words, ["45", "7", "8"]);
        let keys = digit_keys(&numbers[0]);
        let longer = super::replace(text, &keys[0]);
        assert!(longer.contains("3, 456)"), "{longer}");
        assert_eq!(super::replace(&longer, &keys[1]), text);
    }

    #[test]
    fn a_file_without_kernels_is_typed_into_too() {
        let text = "const N: usize = 5;\nfn host() { f(9); }\n";
        let numbers = typed_numbers(text);
        let words: Vec<&str> = numbers.iter().map(|range| &text[*range]).collect();
        assert_eq!(words, ["9"]);
    }

    #[test]
    fn wrong_arguments_are_said() {
        assert!(super::run_work(&["check"]).is_err_and(|words| words.contains("usage")));
        assert!(
            super::run_work(&["check", "/nowhere"]).is_err_and(|words| words.contains("/nowhere"))
        );
    }
}
