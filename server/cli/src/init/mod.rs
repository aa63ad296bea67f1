//! `visa-lint init`: a settings file to begin with, and on request a CI job and a pre-commit hook.
//!
//! For coding agents it writes a section of the file that they read, and a skill. What is there stays: nothing is written where one of the files would be overwritten, unless the user insists.

mod agents;

use std::fmt::Write;
use std::path::Path;

use visa_analysis::documentation_url;

use super::arguments::{InitArguments, Service};
use super::outcome::Outcome;
use super::output::Console;
use crate::documents::json::pretty;
use crate::project::Failure;
use crate::project::paths::{end_of, shown_path, system_reason};
use crate::project::settings::{FILE_NAME, schema};
use crate::project::writing::write_file;

/// A file to write, and what is to be done with it then.
struct Template {
    path: &'static str,
    text: &'static str,
    advice: &'static str,
}

impl Template {
    /// The text for this release: with its version, the repository that its manifest names, and the address of the schema, where a release
    /// names one.
    fn filled(&self) -> String {
        let action = env!("CARGO_PKG_REPOSITORY").trim_start_matches("https://github.com/");
        let text = self
            .text
            .replace("{version}", env!("CARGO_PKG_VERSION"))
            .replace("{action}", action);
        match documentation_url(SCHEMA).filter(|_| self.path == FILE_NAME) {
            Some(address) => format!("#:schema {address}\n\n{text}"),
            None => text,
        }
    }
}

/// The schema of the settings in the documentation.
const SCHEMA: &str = "visa-lint.schema.json";

const SETTINGS: Template = Template {
    path: FILE_NAME,
    text: include_str!("visa-lint.toml"),
    advice: "",
};

const GITHUB: Template = Template {
    path: ".github/workflows/visa-lint.yml",
    text: include_str!("github.yml"),
    advice: "",
};

const GITLAB: Template = Template {
    path: ".gitlab/visa-lint.yml",
    text: include_str!("gitlab.yml"),
    advice: "; `.gitlab-ci.yml` has to include it",
};

const PRE_COMMIT: Template = Template {
    path: ".pre-commit-config.yaml",
    text: include_str!("pre-commit.yaml"),
    advice: "; `pre-commit install` puts it in force",
};

/// Runs the command.
pub(crate) fn run(options: &InitArguments, console: Console) -> Result<Outcome, Failure> {
    if options.schema {
        console.print(&pretty(&schema())?)?;
        return Ok(Outcome::Fine);
    }
    if !options.folder.is_dir() {
        return Err(Failure::new(format!(
            "cannot write to `{}`: no such folder",
            options.folder.display()
        )));
    }
    let mut said = String::new();
    let mut wanted = Vec::new();
    let extra: Vec<Template> = options
        .ci
        .map(|service| match service {
            Service::Github => GITHUB,
            Service::Gitlab => GITLAB,
        })
        .into_iter()
        .chain(options.pre_commit.then_some(PRE_COMMIT))
        .collect();
    if (!extra.is_empty() || options.agents) && path_exists(&options.folder.join(SETTINGS.path)) {
        said = format!("`{}` stays as it is\n", SETTINGS.path);
    } else {
        wanted.push(SETTINGS);
    }
    wanted.extend(extra);

    let there: Vec<String> = wanted
        .iter()
        .map(|template| options.folder.join(template.path))
        .filter(|path| !options.force && path_exists(path))
        .map(|path| {
            format!(
                "`{}` is there already; `--force` overwrites it",
                shown_path(&path)
            )
        })
        .collect();
    if !there.is_empty() {
        return Err(Failure::several(there));
    }
    let agent_files = agents::FILES.iter().filter(|_| options.agents).copied();
    let written = wanted.iter().map(|template| template.path);
    refuse_outside(&options.folder, written.chain(agent_files))?;
    // What they are refused for is said before anything is written.
    let agents = options
        .agents
        .then(|| agents::prepare_files(&options.folder, options.force))
        .transpose()?;
    // Writing to a string cannot fail.
    for template in wanted {
        let path = options.folder.join(template.path);
        write(&path, &template.filled())?;
        let _ = writeln!(said, "wrote `{}`{}", shown_path(&path), template.advice);
    }
    for file in agents.into_iter().flatten() {
        said.push_str(&agents::write_prepared(file)?);
    }
    console.print(&said)?;
    Ok(Outcome::Fine)
}

/// Refuses files that are links out of the folder, or below such a link: what they lead to may be anybody's.
fn refuse_outside(folder: &Path, files: impl Iterator<Item = &'static str>) -> Result<(), Failure> {
    let end = end_of(folder);
    let leads_out = |path: &Path| {
        let own = end_of(path).zip(end.as_ref());
        !own.is_some_and(|(path, folder)| path.starts_with(folder))
    };
    let refused = files.map(|file| folder.join(file));
    let refused = refused.filter(|path| leads_out(path)).map(|path| {
        format!(
            "cannot write `{}`: it is a link that leads out of the folder",
            shown_path(&path)
        )
    });
    let refused: Vec<String> = refused.collect();
    if refused.is_empty() {
        Ok(())
    } else {
        Err(Failure::several(refused))
    }
}

/// Whether something is there, a link that leads nowhere included.
fn path_exists(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| {
            let reason = system_reason(&error);
            Failure::new(format!("cannot write to `{}`: {reason}", folder.display()))
        })?;
    }
    write_file(path, text)
}
