//! The sources of a kernel that is to run: its file, with the settings and the crate that it belongs to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use visa_analysis::{RunRefusal, RunReport, RunRequest, StandingError};

use crate::project::Failure;
use crate::project::files::StandardInput;
use crate::project::levels::Levels;
use crate::project::settings::SettingsArguments;
use crate::session::{Given, Session};

/// What a user calls a function: its file, and its name where that is given.
pub(crate) struct Named {
    file: [PathBuf; 1],
    function: Option<Arc<str>>,
}

impl Named {
    /// `FILE` or `FILE::FUNCTION`.
    pub(crate) fn parse(text: &str) -> Self {
        if !Path::new(text).exists()
            && let Some((file, function)) = text.rsplit_once("::")
            && !function.is_empty()
            && !function.contains(['/', '.'])
        {
            return Self {
                file: [PathBuf::from(file)],
                function: Some(function.into()),
            };
        }
        Self {
            file: [PathBuf::from(text)],
            function: None,
        }
    }
}

/// A file and a function of it, in the engine.
pub(crate) struct Target<'a> {
    session: Session<'a>,
    /// The engine's path of the file.
    path: String,
    function: Option<Arc<str>>,
}

impl<'a> Target<'a> {
    /// Reads a file and what is beside it.
    pub(crate) fn open(
        named: &'a Named,
        settings: &'a SettingsArguments,
        quiet: bool,
    ) -> Result<Self, Failure> {
        let [file] = &named.file;
        let shown = file.display();
        if file.is_dir() {
            return Err(Failure::new(format!(
                "`{shown}` is a folder: name a kernel's file, or run all of them by `--all`"
            )));
        }
        let session = Session::open(given(&named.file, settings, quiet), &Levels::default())?;
        let errors: Vec<String> = session.unreadable().cloned().collect();
        if !errors.is_empty() {
            return Err(Failure::several(errors));
        }
        let path = session.reported_paths().next().map(str::to_owned);
        let path =
            path.ok_or_else(|| Failure::new(format!("`{shown}` is left out by the settings")))?;
        Ok(Self {
            session,
            path,
            function: named.function.clone(),
        })
    }

    /// The function's name, where the user gave it.
    pub(crate) fn function(&self) -> Option<Arc<str>> {
        self.function.clone()
    }

    /// What messages call the function: its name, or that of its file.
    pub(crate) fn title(&self) -> String {
        let named = self.function.as_ref().map(ToString::to_string);
        named.unwrap_or_else(|| self.file())
    }

    /// The file as the user sees it.
    pub(crate) fn file(&self) -> String {
        self.session.shown_path(&self.path)
    }

    /// The texts of all files that are read, by the paths that users see.
    pub(crate) fn texts(&self) -> visa_analysis::Texts {
        self.session.shown_texts()
    }

    /// Executes the function.
    pub(crate) fn run(&self, request: &RunRequest) -> Result<RunReport, RunRefusal> {
        run_in(&self.session, &self.path, request)
    }
}

/// Executes a function of a file of a session; the errors of `check` that stand in the file are told with it.
pub(super) fn run_in(
    session: &Session<'_>,
    path: &str,
    request: &RunRequest,
) -> Result<RunReport, RunRefusal> {
    let analysis = session.workspace().analysis();
    let mut result = analysis.run(path, request);
    if let Ok(report) = &mut result {
        // What an operation takes in cycles says nothing of its results, and is the dearest part of a check.
        let found = analysis
            .check_file_without_costs(path)
            .diagnostics
            .into_iter();
        let errors = found.filter(|finding| {
            !finding.suppressed && session.level(finding) == visa_analysis::Level::Deny
        });
        report.standing = errors
            .map(|error| StandingError {
                rule: error.rule,
                message: error.message,
                span: (error.file, error.range).into(),
            })
            .collect();
    }
    show_paths(&mut result, &|path| session.shown_path(path));
    result
}

/// What a session is given to read for a run.
pub(super) fn given<'a>(
    paths: &'a [PathBuf],
    settings: &'a SettingsArguments,
    quiet: bool,
) -> Given<'a> {
    Given {
        paths,
        stdin: StandardInput::Text(None),
        settings,
        since: None,
        quiet,
        inline_allow: true,
    }
}

/// Puts the paths that people gave in the place of the engine's.
fn show_paths(result: &mut Result<RunReport, RunRefusal>, shown: &dyn Fn(&str) -> String) {
    let show = |path: &mut Arc<str>| *path = shown(path).into();
    match result {
        Err(refusal) => {
            if let Some(place) = &mut refusal.place {
                show(&mut place.file);
            }
        }
        Ok(report) => {
            for finding in &mut report.findings {
                if let Some(origin) = &mut finding.origin {
                    show(&mut origin.span.file);
                }
                let stations = finding.through.iter_mut();
                stations.for_each(|station| show(&mut station.span.file));
            }
            let standing = report.standing.iter_mut();
            standing.for_each(|error| show(&mut error.span.file));
            let traced = report.traced.iter_mut();
            traced.for_each(|value| show(&mut value.span.file));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_behind_two_colons() {
        let named = Named::parse("no/such/kernel.rs::softmax");
        assert_eq!(named.file, [PathBuf::from("no/such/kernel.rs")]);
        assert_eq!(named.function.as_deref(), Some("softmax"));
        let named = Named::parse("no/such::folder/kernel.rs");
        assert_eq!(named.file, [PathBuf::from("no/such::folder/kernel.rs")]);
        assert_eq!(named.function, None);
    }
}
