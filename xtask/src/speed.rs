//! Measures folders of kernels in counted instructions: a check, the first findings of an opened file, keys.
//!
//! Each work runs in a process of its own (`visa-speed`, of the tests' package) under `valgrind`, or under `perf` where that counts. What
//! reading the folder takes is counted alone and taken off. Where nothing counts, times stand for the counts, and only their ratio to a
//! bare parse is printed. Knows processes and tables; what a work does is the business of `visa-speed`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// Keys behind the first one: `visa_tests::speed::LATER_KEYS`.
const LATER_KEYS: f64 = 8.0;
/// How often a work is timed where nothing counts: the shortest time is taken.
const TIMES: usize = 5;

/// Measures some folders; the answer is a table. `arguments` are folders, `--file FILE` for each file that has rows in place of the largest
/// ones, `--json FILE`, `--measurer PATH` and `--program PATH`.
pub(crate) fn measure_folders(repository: &Path, arguments: &[&str]) -> Result<String, String> {
    let asked = Asked::of_arguments(arguments)?;
    let measurer = match &asked.measurer {
        Some(path) => path.clone(),
        None => built_measurer(repository)?,
    };
    let meter = Meter {
        measurer,
        counter: Counter::find_working(),
        taken: RefCell::default(),
    };
    let mut folders = Vec::new();
    for folder in &asked.folders {
        folders.push(meter.folder_rows(folder, &asked)?);
    }
    let measured = json!({
        "unit": if meter.counter.is_some() { "instructions" } else { "seconds" },
        "folders": folders,
    });
    if let Some(file) = &asked.json {
        fs::write(file, format!("{measured:#}\n"))
            .map_err(|error| format!("cannot write `{}`: {error}", file.display()))?;
    }
    Ok(measurement_table(&measured))
}

/// What the arguments ask for.
#[derive(Debug, Default)]
struct Asked {
    folders: Vec<PathBuf>,
    /// The files with rows of their own; none for the largest ones.
    files: Vec<PathBuf>,
    json: Option<PathBuf>,
    measurer: Option<PathBuf>,
    program: Option<PathBuf>,
}

impl Asked {
    fn of_arguments(arguments: &[&str]) -> Result<Self, String> {
        let mut asked = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || {
                let value = rest.next();
                value.ok_or_else(|| format!("`{argument}` wants a value"))
            };
            match *argument {
                "--json" => asked.json = Some(PathBuf::from(value()?)),
                "--measurer" => asked.measurer = Some(PathBuf::from(value()?)),
                "--program" => asked.program = Some(PathBuf::from(value()?)),
                "--file" => asked.files.push(known_path(value()?)?),
                other if other.starts_with('-') => {
                    return Err(format!(
                        "`{other}`: there are `--file FILE`, `--json FILE`, `--measurer PATH` and `--program PATH`"
                    ));
                }
                folder => asked.folders.push(known_path(folder)?),
            }
        }
        if asked.folders.is_empty() {
            return Err("name a folder, such as a crate of kernels".to_owned());
        }
        Ok(asked)
    }
}

/// The path of a folder or a file that is there.
fn known_path(path: &str) -> Result<PathBuf, String> {
    fs::canonicalize(path).map_err(|error| format!("`{path}`: {error}"))
}

/// The program that does the works, built as programs are released, but with the names of functions.
fn built_measurer(repository: &Path) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args([
            "build",
            "--profile",
            "profiling",
            "--quiet",
            "-p",
            "visa-tests",
        ])
        .args(["--bin", "visa-speed"])
        .current_dir(repository)
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if !built.success() {
        return Err("the measuring program does not build".to_owned());
    }
    let target = std::env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or_else(|| repository.join("target"), PathBuf::from);
    let name = format!("visa-speed{}", std::env::consts::EXE_SUFFIX);
    Ok(target.join("profiling").join(name))
}

/// What counts the instructions of a process.
#[derive(Debug, Clone, Copy)]
enum Counter {
    Callgrind,
    Perf,
}

impl Counter {
    /// The one that is there and works.
    fn find_working() -> Option<Self> {
        let works = |counter: &Self| counter.count_instructions(Path::new("true"), &[]).is_ok();
        [Self::Callgrind, Self::Perf].into_iter().find(works)
    }

    /// The instructions of a program.
    fn count_instructions(self, program: &Path, arguments: &[&str]) -> Result<f64, String> {
        let mut command = match self {
            Self::Callgrind => {
                let mut command = Command::new("valgrind");
                command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
                command
            }
            Self::Perf => {
                let mut command = Command::new("perf");
                command.args(["stat", "-x,", "-e", "instructions:u"]);
                command
            }
        };
        let done = command
            .arg(program)
            .args(arguments)
            .env("RAYON_NUM_THREADS", "1")
            .output()
            .map_err(|error| format!("nothing counts: {error}"))?;
        let told = String::from_utf8_lossy(&done.stderr);
        if !done.status.success() {
            return Err(format!(
                "`{}` failed: {}",
                program.display(),
                told.trim_end()
            ));
        }
        let count = told.lines().find_map(|line| match self {
            Self::Callgrind => line.split_once("Collected :")?.1.trim().parse().ok(),
            Self::Perf => {
                let (count, rest) = line.split_once(',')?;
                rest.contains("instructions").then(|| count.parse().ok())?
            }
        });
        count.ok_or_else(|| "the counter gave no count".to_owned())
    }
}

/// What measures works.
struct Meter {
    measurer: PathBuf,
    counter: Option<Counter>,
    /// What the works so far took, by their arguments: several rows take the same work off.
    taken: RefCell<BTreeMap<Vec<String>, f64>>,
}

impl Meter {
    /// What a work takes: instructions, or seconds where nothing counts.
    fn take_work(&self, arguments: &[&str]) -> Result<f64, String> {
        let work: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        if let Some(took) = self.taken.borrow().get(&work) {
            return Ok(*took);
        }
        let took = match self.counter {
            Some(counter) => counter.count_instructions(&self.measurer, arguments)?,
            None => self.shortest_time(arguments)?,
        };
        self.taken.borrow_mut().insert(work, took);
        Ok(took)
    }

    fn shortest_time(&self, arguments: &[&str]) -> Result<f64, String> {
        let times = (0..TIMES).map(|_| self.seconds_of_work(arguments));
        let times: Result<Vec<f64>, String> = times.collect();
        Ok(times?.into_iter().fold(f64::INFINITY, f64::min))
    }

    /// What a work takes beyond another one.
    fn taken_beyond(&self, work: &[&str], other: &[&str]) -> Result<f64, String> {
        let took = self.take_work(work)?;
        // Times are those of the work alone already.
        let off = match (self.counter, other.first()) {
            (None, Some(&"read" | &"ready")) => 0.0,
            _ => self.take_work(other)?,
        };
        Ok((took - off).max(0.0))
    }

    fn seconds_of_work(&self, arguments: &[&str]) -> Result<f64, String> {
        let answer = self.measurer_answer(arguments)?;
        answer["seconds"]
            .as_f64()
            .ok_or_else(|| "no time was given".to_owned())
    }

    /// What the measuring program answers.
    fn measurer_answer(&self, arguments: &[&str]) -> Result<Value, String> {
        let done = Command::new(&self.measurer)
            .args(arguments)
            .output()
            .map_err(|error| format!("cannot run `{}`: {error}", self.measurer.display()))?;
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).trim_end().to_owned());
        }
        serde_json::from_slice(&done.stdout).map_err(|error| format!("no JSON was given: {error}"))
    }

    /// The files of a folder with rows of their own: the named ones, or else the largest.
    fn files_with_rows(
        &self,
        folder: &Path,
        path: &str,
        named: &[PathBuf],
    ) -> Result<Vec<String>, String> {
        let inside = named.iter().filter(|file| file.starts_with(folder));
        let inside: Vec<String> = inside.map(|file| file.display().to_string()).collect();
        if !named.is_empty() {
            return Ok(inside);
        }
        let answer = self.measurer_answer(&["files", path])?;
        let files = answer["files"].as_array().into_iter().flatten();
        Ok(files
            .filter_map(|file| file.as_str().map(str::to_owned))
            .collect())
    }

    /// The rows of a folder.
    fn folder_rows(&self, folder: &Path, asked: &Asked) -> Result<Value, String> {
        let path = folder.to_str().ok_or("the folder's path is no text")?;
        let files = self.files_with_rows(folder, path, &asked.files)?;
        let read = ["read", path];
        let parse = self.taken_beyond(&["parse", path], &read)?;
        let mut rows = vec![
            measured_row("bare parse of all files", parse, parse),
            measured_row("check", self.taken_beyond(&["check", path], &read)?, parse),
        ];
        for file in &files {
            let shown = file
                .strip_prefix(path)
                .unwrap_or(file)
                .trim_start_matches('/');
            let parse = self.taken_beyond(&["parse-file", path, file], &read)?;
            let open = self.taken_beyond(&["open", path, file], &read)?;
            rows.push(measured_row(
                &format!("first findings of {shown}"),
                open,
                parse,
            ));
            let first = self.taken_beyond(&["first-key", path, file], &["ready", path, file])?;
            rows.push(measured_row(&format!("first key in {shown}"), first, parse));
            let later =
                self.taken_beyond(&["later-keys", path, file], &["first-key", path, file])?;
            rows.push(measured_row(
                &format!("a later key in {shown}"),
                later / LATER_KEYS,
                parse,
            ));
        }
        if let (Some(program), Some(counter)) = (&asked.program, self.counter) {
            for what in ["the program's check", "the program's unchanged check again"] {
                let arguments = [
                    "check",
                    "--isolated",
                    "--exit-zero",
                    "--format",
                    "json",
                    path,
                ];
                rows.push(measured_row(
                    what,
                    counter.count_instructions(program, &arguments)?,
                    parse,
                ));
            }
        }
        Ok(json!({"folder": path, "rows": rows}))
    }
}

/// A row: what it is, what it takes, and its multiple of a bare parse of the same texts.
fn measured_row(what: &str, took: f64, parse: f64) -> Value {
    let rounded = |value: f64, places: f64| (value * places).round() / places;
    let ratio = if parse > 0.0 {
        json!(rounded(took / parse, 100.0))
    } else {
        Value::Null
    };
    json!({"what": what, "took": took, "parses": ratio})
}

/// The measurement as text.
fn measurement_table(measured: &Value) -> String {
    let counts = measured["unit"] == "instructions";
    let mut text = String::new();
    for folder in measured["folders"].as_array().into_iter().flatten() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", folder["folder"].as_str().unwrap_or(""));
        let head = if counts {
            "million instructions | "
        } else {
            ""
        };
        let _ = writeln!(text, "{head}bare parses | what");
        for row in folder["rows"].as_array().into_iter().flatten() {
            if counts {
                let _ = write!(
                    text,
                    "{:20.2} | ",
                    row["took"].as_f64().unwrap_or(0.0) / 1e6
                );
            }
            let ratio = row["parses"].as_f64();
            let ratio = ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
            let _ = writeln!(text, "{ratio:>11} | {}", row["what"].as_str().unwrap_or(""));
        }
    }
    text.trim_end().to_owned()
}

/// The rows of a measurement that also another one has: before and after.
pub(crate) fn compare_measurements(before: &str, after: &str) -> Result<String, String> {
    let read = |path: &str| -> Result<BTreeMap<String, f64>, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("`{path}`: {error}"))?;
        let measured: Value =
            serde_json::from_str(&text).map_err(|error| format!("`{path}` is no JSON: {error}"))?;
        let mut rows = BTreeMap::new();
        for folder in measured["folders"].as_array().into_iter().flatten() {
            let name = folder["folder"].as_str().unwrap_or("");
            let name = name.rsplit('/').next().unwrap_or(name);
            for row in folder["rows"].as_array().into_iter().flatten() {
                let what = format!("{name}: {}", row["what"].as_str().unwrap_or(""));
                rows.insert(what, row["took"].as_f64().unwrap_or(0.0));
            }
        }
        Ok(rows)
    };
    let (before, after) = (read(before)?, read(after)?);
    let mut text = "      before |        after | ratio | what\n".to_owned();
    for (what, one) in &before {
        if let Some(other) = after.get(what) {
            let ratio = if *one > 0.0 { other / one } else { 1.0 };
            let _ = writeln!(
                text,
                "{:12.2} | {:12.2} | {ratio:5.2} | {what}",
                one / 1e6,
                other / 1e6
            );
        }
    }
    Ok(text.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_its_multiple_of_a_bare_parse() {
        let measured = json!({
            "unit": "instructions",
            "folders": [{"folder": "/k", "rows": [measured_row("check", 9e6, 2e6), measured_row("key", 1e6, 0.0)]}],
        });
        let text = measurement_table(&measured);
        assert_eq!(
            text,
            "/k\nmillion instructions | bare parses | what\n                9.00 |        4.50 | check\n                \
             1.00 |           - | key"
        );
    }

    #[test]
    fn times_are_shown_as_multiples_alone() {
        let measured = json!({
            "unit": "seconds",
            "folders": [{"folder": "/k", "rows": [measured_row("check", 0.5, 0.25)]}],
        });
        assert_eq!(
            measurement_table(&measured),
            "/k\nbare parses | what\n       2.00 | check"
        );
    }

    #[test]
    fn two_measurements_are_compared_by_their_rows() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, took: f64| {
            let path = folder.path().join(name);
            let measured = json!({"folders": [{"folder": "/a/g", "rows": [measured_row("check", took, 1e6)]}]});
            fs::write(&path, measured.to_string()).expect("a file");
            path.to_str().expect("a path").to_owned()
        };
        let text =
            compare_measurements(&write("one", 8e6), &write("other", 2e6)).expect("both are there");
        assert!(
            text.ends_with("8.00 |         2.00 |  0.25 | g: check"),
            "{text}"
        );
    }

    #[test]
    fn wrong_arguments_are_said() {
        assert!(Asked::of_arguments(&[]).is_err_and(|words| words.contains("folder")));
        assert!(Asked::of_arguments(&[".", "--jsn"]).is_err_and(|words| words.contains("--jsn")));
        assert!(Asked::of_arguments(&[".", "--json"]).is_err_and(|words| words.contains("value")));
        assert!(Asked::of_arguments(&["/nowhere"]).is_err_and(|words| words.contains("/nowhere")));
    }
}
