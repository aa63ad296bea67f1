//! Baselines: findings that a project knows of, so that only new ones are shown and fail a run.
//!
//! A baseline counts findings by file, rule and fingerprint, so that moved lines change nothing in it. Paths are relative
//! to the folder of the baseline: it means the same wherever the program is started. What no longer occurs is judged only
//! for files and rules that the run looked at.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use visa_analysis::{Group, find_rule};

use super::arguments::{BaselineArguments, CheckArguments};
use super::fingerprint::{Fingerprint, fingerprints_by};
use super::outcome::Outcome;
use super::session::{Checked, Session};
use crate::documents::json::pretty;
use crate::project::Failure;
use crate::project::notes::{write_error, write_note, write_warning};
use crate::project::paths::absolute;
use crate::project::regular::{SOURCE_BYTES, read_text};
use crate::project::writing::write_file;
use visa_analysis::counted;

/// The version of the file's shape.
const VERSION: u32 = 1;
/// Entries that a warning names.
const NAMED: usize = 3;

impl BaselineArguments {
    /// The baseline that the run is to read.
    pub(crate) fn known_baseline(&self) -> Result<Option<Baseline>, Failure> {
        self.baseline.as_deref().map(Baseline::read).transpose()
    }
}

/// Ends a run that writes a baseline: the findings are known from now on, so they are not shown and fail nothing.
pub(crate) fn write(
    path: &Path,
    options: &CheckArguments,
    checked: &Checked,
    session: &Session<'_>,
    failed: bool,
) -> Result<Outcome, Failure> {
    if failed {
        write_error(&format!(
            "`{}` is not written, because the run failed",
            path.display()
        ));
        return Ok(Outcome::Failed);
    }
    let count = Baseline::write(path, checked, session)?;
    if !options.quiet {
        write_note(&format!(
            "{} written to `{}`",
            counted(count, "finding"),
            path.display()
        ));
    }
    Ok(Outcome::Fine)
}

#[derive(Serialize, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "an object with `version` and `findings`"
)]
struct Document {
    version: u32,
    findings: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object a finding")]
struct Entry {
    file: String,
    rule: String,
    /// The group that the finding was reported as of.
    group: String,
    fingerprint: String,
    count: u64,
    /// For people who read the file; nothing is compared with it.
    message: String,
}

/// What is counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    file: String,
    rule: String,
    fingerprint: String,
}

#[derive(Debug, Clone, Default)]
struct Known {
    group: String,
    count: u64,
    message: String,
}

/// Known findings, and the file that they are in.
#[derive(Debug)]
pub(crate) struct Baseline {
    path: PathBuf,
    names: Names,
    entries: BTreeMap<Key, Known>,
}

impl Baseline {
    /// Reads a baseline.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let failed = |why: &str| {
            Failure::new(format!(
                "cannot use the baseline `{}`: {why}",
                path.display()
            ))
        };
        let text = read_text(path, SOURCE_BYTES).map_err(|why| failed(&why))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let document: Document =
            serde_json::from_str(text).map_err(|error| failed(&error.to_string()))?;
        if document.version != VERSION {
            return Err(failed(&format!(
                "it has version {}, and this program knows version {VERSION}",
                document.version
            )));
        }
        let mut entries: BTreeMap<Key, Known> = BTreeMap::new();
        for entry in document.findings {
            let key = Key {
                file: entry.file,
                rule: entry.rule,
                fingerprint: entry.fingerprint,
            };
            // Two branches that were merged may both have added the finding.
            let known = entries.entry(key).or_default();
            known.count = known.count.max(entry.count);
            known.group = entry.group;
            known.message = entry.message;
        }
        Ok(Self {
            path: path.to_path_buf(),
            names: Names::of(path),
            entries,
        })
    }

    /// Writes the open findings of a check to a new baseline; how many they are.
    fn write(path: &Path, checked: &Checked, session: &Session<'_>) -> Result<u64, Failure> {
        let mut baseline = Self {
            path: path.to_path_buf(),
            names: Names::of(path),
            entries: BTreeMap::new(),
        };
        let keys = baseline.keys(checked, session);
        for (finding, key) in checked.findings.iter().zip(keys) {
            if !finding.diagnostic.suppressed {
                let known = baseline.entries.entry(key).or_insert_with(|| Known {
                    group: finding.diagnostic.group.name().to_owned(),
                    count: 0,
                    message: finding.diagnostic.message.clone(),
                });
                known.count = known.count.saturating_add(1);
            }
        }
        baseline.store()?;
        Ok(saturating_total(
            baseline.entries.values().map(|known| &known.count),
        ))
    }

    fn store(&self) -> Result<(), Failure> {
        let entries = self.entries.iter();
        let document = Document {
            version: VERSION,
            findings: entries
                .map(|(key, known)| Entry {
                    file: key.file.clone(),
                    rule: key.rule.clone(),
                    group: known.group.clone(),
                    fingerprint: key.fingerprint.clone(),
                    count: known.count,
                    message: known.message.clone(),
                })
                .collect(),
        };
        write_file(&self.path, &pretty(&document)?)
    }

    /// Takes the known findings out of a check. Of findings that only their place tells apart the first ones are known.
    /// Gives what the baseline knows and the check did not find.
    pub(crate) fn take_known(&self, checked: &mut Checked, session: &Session<'_>) -> Gone {
        let mut left: BTreeMap<&Key, u64> = self
            .entries
            .iter()
            .map(|(key, known)| (key, known.count))
            .collect();
        let keys = self.keys(checked, session);
        let mut keys = keys.iter();
        let mut taken = 0_u64;
        checked.findings.retain(|finding| {
            let count = keys.next().and_then(|key| left.get_mut(key));
            match count {
                Some(count) if *count > 0 && !finding.diagnostic.suppressed => {
                    *count -= 1;
                    taken = taken.saturating_add(1);
                    false
                }
                _ => true,
            }
        });
        checked.known = taken;
        let reported: BTreeMap<String, &str> = session
            .reported_paths()
            .map(|path| (self.names.of_path(Path::new(path)), path))
            .collect();
        left.retain(|key, count| {
            *count > 0
                && match reported.get(&key.file) {
                    Some(path) => self.would_find(key, path, checked, session),
                    None => !self.names.exists(&key.file),
                }
        });
        Gone {
            entries: left
                .into_iter()
                .map(|(key, count)| (key.clone(), count))
                .collect(),
        }
    }

    /// Whether the run would have found a known finding of one of its files, if it were still there.
    fn would_find(&self, key: &Key, path: &str, checked: &Checked, session: &Session<'_>) -> bool {
        let group = self.entries.get(key).map_or("", |known| &known.group);
        let group = Group::ALL.into_iter().find(|other| other.name() == group);
        let runs = find_rule(&key.rule).is_none_or(|rule| {
            let group = group.unwrap_or(rule.group);
            session.runs_rule(rule, group, path)
        });
        runs && !checked
            .with_syntax_errors
            .iter()
            .any(|other| **other == *path)
    }

    /// Drops what no longer occurs, or says that it could be dropped.
    pub(crate) fn settle_gone(
        mut self,
        gone: &Gone,
        options: &CheckArguments,
    ) -> Result<(), Failure> {
        let quiet = options.quiet;
        if gone.entries.is_empty() {
            return Ok(());
        }
        let path = self.path.display().to_string();
        let count = counted(saturating_total(gone.entries.values()), "known finding");
        if !options.baseline.prune_baseline {
            if !quiet {
                write_warning(&format!(
                    "`{path}`: {count} no longer occur{}: {}; `--prune-baseline` drops what is gone",
                    if count.starts_with("1 ") { "s" } else { "" },
                    gone.gone_in_words()
                ));
            }
            return Ok(());
        }
        for (key, count) in &gone.entries {
            if let Some(known) = self.entries.get_mut(key) {
                known.count = known.count.saturating_sub(*count);
            }
        }
        self.entries.retain(|_, known| known.count > 0);
        self.store()?;
        if !quiet {
            write_note(&format!("{count} dropped from `{path}`"));
        }
        Ok(())
    }

    /// The keys of all findings of a check, in their order.
    fn keys(&self, checked: &Checked, session: &Session<'_>) -> Vec<Key> {
        let texts = session.texts();
        let name = |path: &str| {
            self.names
                .of_path(&absolute(&self.names.here, Path::new(path)))
        };
        let fingerprints = fingerprints_by(&checked.findings, &texts, &name);
        let findings = checked.findings.iter().zip(fingerprints);
        findings
            .map(|(finding, Fingerprint { hash, .. })| Key {
                file: name(&finding.diagnostic.file),
                rule: finding.diagnostic.rule.to_owned(),
                fingerprint: hash,
            })
            .collect()
    }
}

/// The sum of counts, which a file may claim to be as large as it likes.
fn saturating_total<'a>(counts: impl IntoIterator<Item = &'a u64>) -> u64 {
    counts
        .into_iter()
        .fold(0, |sum, count| sum.saturating_add(*count))
}

/// Known findings that no longer occur, with how many of them.
#[derive(Debug)]
pub(crate) struct Gone {
    entries: BTreeMap<Key, u64>,
}

impl Gone {
    fn gone_in_words(&self) -> String {
        let mut words: Vec<String> = self
            .entries
            .keys()
            .take(NAMED)
            .map(|key| format!("`{}` in `{}`", key.rule, key.file))
            .collect();
        if self.entries.len() > NAMED {
            words.push("…".to_owned());
        }
        words.join(", ")
    }
}

/// How a baseline names files: relative to its own folder.
#[derive(Debug)]
struct Names {
    here: PathBuf,
    folder: PathBuf,
}

impl Names {
    fn of(baseline: &Path) -> Self {
        let here = std::env::current_dir().unwrap_or_default();
        let mut folder = absolute(&here, baseline);
        folder.pop();
        Self { here, folder }
    }

    /// The name of a file with an absolute path.
    fn of_path(&self, path: &Path) -> String {
        let (from, to): (Vec<_>, Vec<_>) = (
            self.folder.components().collect(),
            path.components().collect(),
        );
        let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        let up = from.iter().skip(common).map(|_| "..".to_owned());
        let down = to
            .iter()
            .skip(common)
            .map(|part| part.as_os_str().to_string_lossy().into_owned());
        up.chain(down).collect::<Vec<_>>().join("/")
    }

    fn exists(&self, name: &str) -> bool {
        absolute(&self.folder, Path::new(name)).exists()
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::Names;

    #[test]
    fn files_are_named_from_the_folder_of_the_baseline() {
        let names = Names {
            here: PathBuf::from("/p/work"),
            folder: PathBuf::from("/p/ci/lint"),
        };
        for (path, name) in [
            ("/p/ci/lint/a.rs", "a.rs"),
            ("/p/ci/lint/k/a.rs", "k/a.rs"),
            ("/p/src/a.rs", "../../src/a.rs"),
            ("/q/a.rs", "../../../q/a.rs"),
        ] {
            assert_eq!(names.of_path(Path::new(path)), name);
        }
    }
}
