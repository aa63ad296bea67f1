//! Measures a folder of kernels with the built program, so that two builds can be compared.
//!
//! The folder is checked once, as any user does it; what is counted comes from the program's own report. Nothing is written into the
//! folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

/// The counts of a measurement outside of its tables, with the words for them.
const COUNTS: [(&str, &str); 6] = [
    ("files", "files"),
    ("kernels", "kernels"),
    ("resolved", "operations resolved"),
    ("unresolved", "operations unresolved"),
    ("not_followed", "files in which nothing was checked"),
    ("errors", "files that could not be checked"),
];

/// The tables of a measurement, with the words above them.
const TABLES: [(&str, &str); 2] = [
    ("rules", "findings by rule"),
    ("reasons", "unresolved by reason"),
];

/// Measures a folder; the answer is a table. `arguments` are `--json FILE` and `--program PATH`.
pub(crate) fn run(repository: &Path, folder: &str, arguments: &[&str]) -> Result<String, String> {
    let (mut file, mut program) = (None, None);
    let mut rest = arguments;
    while let [option, value, others @ ..] = rest {
        match *option {
            "--json" => file = Some(*value),
            "--program" => program = Some(PathBuf::from(value)),
            other => {
                return Err(format!(
                    "`{other}`: there are `--json FILE` and `--program PATH`"
                ));
            }
        }
        rest = others;
    }
    if let [option] = rest {
        return Err(format!("`{option}` wants a value"));
    }
    let program = match program {
        Some(program) => program,
        None => built(repository)?,
    };
    let started = Instant::now();
    let report = checked(&program, folder)?;
    let measured = measurement(&report, started.elapsed().as_secs_f64());
    if let Some(file) = file {
        fs::write(file, format!("{measured:#}\n"))
            .map_err(|error| format!("cannot write `{file}`: {error}"))?;
    }
    Ok(table(&measured))
}

/// Compares two measurements that `--json` wrote.
pub(crate) fn compare(before: &str, after: &str) -> Result<String, String> {
    let read = |path: &str| -> Result<Value, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("`{path}`: {error}"))?;
        serde_json::from_str(&text).map_err(|error| format!("`{path}` is no JSON: {error}"))
    };
    Ok(comparison(&read(before)?, &read(after)?))
}

/// The program, built as it is released.
fn built(repository: &Path) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "--quiet", "--bin", "visa-lint"])
        .current_dir(repository)
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if !built.success() {
        return Err("the program does not build".to_owned());
    }
    let target = std::env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or_else(|| repository.join("target"), PathBuf::from);
    Ok(target
        .join("release")
        .join(format!("visa-lint{}", std::env::consts::EXE_SUFFIX)))
}

/// The report of the program about a folder. What it denies is no failure here.
fn checked(program: &Path, folder: &str) -> Result<Value, String> {
    let output = Command::new(program)
        .args([
            "check",
            "--isolated",
            "--format",
            "json",
            "--statistics",
            "--exit-zero",
            folder,
        ])
        .output()
        .map_err(|error| format!("cannot run `{}`: {error}", program.display()))?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!(
            "`{}` gave no report: {}",
            program.display(),
            said.trim_end()
        )
    })
}

/// What is kept of a report.
fn measurement(report: &Value, seconds: f64) -> Value {
    let length = |key: &str| report[key].as_array().map_or(0, Vec::len);
    let seconds = (seconds * 1000.0).round() / 1000.0;
    json!({
        "version": report["tool"]["version"],
        "files": report["files"],
        "kernels": report["kernels"],
        "resolved": report["operations"]["resolved"],
        "unresolved": report["operations"]["unresolved"],
        "not_followed": length("not_followed"),
        "errors": length("errors"),
        "rules": report["statistics"]["rules"],
        "reasons": report["statistics"]["unresolved"],
        "seconds": seconds,
    })
}

fn counts(measured: &Value, table: &str) -> BTreeMap<String, i64> {
    let entries = measured[table].as_object().into_iter().flatten();
    entries
        .map(|(name, count)| (name.clone(), count.as_i64().unwrap_or(0)))
        .collect()
}

/// A line of the report.
fn line(text: &mut String, name: &str, columns: &[String]) {
    for column in columns {
        let _ = write!(text, "{column:>10}");
    }
    let _ = writeln!(text, "  {name}");
}

/// One measurement as text, the most frequent first.
fn table(measured: &Value) -> String {
    let mut text = String::new();
    for (key, words) in COUNTS {
        let count = measured[key].as_i64().unwrap_or(0);
        line(&mut text, words, &[count.to_string()]);
    }
    line(&mut text, "seconds", &[seconds(measured)]);
    for (key, words) in TABLES {
        let _ = writeln!(text, "{words}");
        let mut rows: Vec<(String, i64)> = counts(measured, key).into_iter().collect();
        rows.sort_by_key(|(_, count)| -count);
        for (name, count) in rows {
            line(&mut text, &name, &[count.to_string()]);
        }
    }
    text.trim_end().to_owned()
}

fn seconds(measured: &Value) -> String {
    format!("{:.3}", measured["seconds"].as_f64().unwrap_or(0.0))
}

/// Two measurements side by side: before, after, and what changed. Rows that are the same are left out of the tables.
fn comparison(before: &Value, after: &Value) -> String {
    let mut text = String::new();
    let row = |text: &mut String, name: &str, one: i64, other: i64| {
        let change = match other - one {
            0 => "=".to_owned(),
            change => format!("{change:+}"),
        };
        line(text, name, &[one.to_string(), other.to_string(), change]);
    };
    let header = ["before", "after", "change"].map(str::to_owned);
    line(&mut text, "", &header);
    for (key, words) in COUNTS {
        let of = |measured: &Value| measured[key].as_i64().unwrap_or(0);
        row(&mut text, words, of(before), of(after));
    }
    let change =
        after["seconds"].as_f64().unwrap_or(0.0) - before["seconds"].as_f64().unwrap_or(0.0);
    let columns = [seconds(before), seconds(after), format!("{change:+.3}")];
    line(&mut text, "seconds", &columns);
    for (key, words) in TABLES {
        let (one, other) = (counts(before, key), counts(after, key));
        let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
        let of =
            |counts: &BTreeMap<String, i64>, name: &String| counts.get(name).copied().unwrap_or(0);
        let changed: Vec<&&String> = names
            .iter()
            .filter(|name| of(&one, name) != of(&other, name))
            .collect();
        if changed.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{words}");
        for name in changed {
            row(&mut text, name, of(&one, name), of(&other, name));
        }
    }
    text.lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Value {
        json!({
            "tool": {"name": "visa-lint", "version": "0.1.0"},
            "files": 3,
            "kernels": 2,
            "operations": {"resolved": 5, "unresolved": 4},
            "not_followed": [{"file": "a.py", "operations": 1, "reason": "no transfer"}],
            "errors": [],
            "statistics": {
                "rules": {"pto_row_tail": 2, "pto_tile_size": 7},
                "unresolved": {"`n` is not known": 4},
            },
        })
    }

    #[test]
    fn a_table_has_the_most_frequent_first() {
        let text = table(&measurement(&report(), 1.25));
        let expected = "         3  files\n         2  kernels\n         5  operations resolved\n         4  operations unresolved\n         1  \
                        files in which nothing was checked\n         0  files that could not be checked\n     1.250  seconds\n\
                        findings by rule\n         7  pto_tile_size\n         2  pto_row_tail\n\
                        unresolved by reason\n         4  `n` is not known";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_comparison_names_what_changed() {
        let before = measurement(&report(), 1.0);
        let mut later = report();
        later["operations"]["resolved"] = json!(9);
        later["operations"]["unresolved"] = json!(0);
        later["statistics"]["unresolved"] = json!({});
        later["statistics"]["rules"]["pto_view_bounds"] = json!(1);
        let text = comparison(&before, &measurement(&later, 0.5));
        assert!(
            text.contains("         5         9        +4  operations resolved"),
            "{text}"
        );
        assert!(
            text.contains("         3         3         =  files"),
            "{text}"
        );
        assert!(
            text.contains("         4         0        -4  `n` is not known"),
            "{text}"
        );
        assert!(
            text.contains("         0         1        +1  pto_view_bounds"),
            "{text}"
        );
        assert!(
            text.contains("     1.000     0.500    -0.500  seconds"),
            "{text}"
        );
        assert!(!text.contains("pto_row_tail"), "{text}");
    }

    #[test]
    fn wrong_arguments_are_said() {
        let here = Path::new(".");
        assert!(run(here, "x", &["--jsn", "a"]).is_err_and(|words| words.contains("--jsn")));
        assert!(run(here, "x", &["--json"]).is_err_and(|words| words.contains("value")));
        let missing = run(here, "x", &["--program", "/nowhere/visa-lint"]);
        assert!(missing.is_err_and(|words| words.contains("/nowhere/visa-lint")));
        assert!(compare("/nowhere/a.json", "/nowhere/b.json").is_err());
    }
}
