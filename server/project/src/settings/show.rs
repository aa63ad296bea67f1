//! `--show-settings`: what holds for the files of a run, and where each choice was made.
//!
//! Written as a settings file would be, so that an answer can be taken over into one; remarks say where a line comes from.

use std::fmt::Write;

use visa_analysis::{all_rules, visible};

use super::read::Chosen;
use super::{Settings, SettingsTable, chosen_or_default};

/// Files that are named one by one before the rest is counted.
const NAMED_FILES: usize = 3;

/// The settings of the files that the run reports on, those with the same settings together.
pub fn show_settings(
    table: &SettingsTable,
    reported: &[String],
    shown: impl Fn(&str) -> String,
) -> String {
    let sections: Vec<String> = table
        .sections(reported)
        .into_iter()
        .map(|(settings, files)| {
            let files = files.iter();
            let files = files.map(|file| visible(&shown(file)).into_owned());
            let files: Vec<String> = files.collect();
            format!("{}{}", files_heading(&files), settings_section(settings))
        })
        .collect();
    if sections.is_empty() {
        return "# no files\n".to_owned();
    }
    sections.join("\n")
}

/// `# settings of a.rs, b.rs`
fn files_heading(files: &[String]) -> String {
    let named = files
        .iter()
        .take(NAMED_FILES)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    match files.len().saturating_sub(NAMED_FILES) {
        0 => format!("# settings of {named}\n"),
        more => format!("# settings of {named} and {more} more\n"),
    }
}

fn settings_section(settings: &Settings) -> String {
    let mut text = String::new();
    let file = settings.configuration.as_deref();
    let shown = file.map_or("none", |file| &*file.shown);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "# settings file: {}\n", visible(shown));
    let mut line = |name: &str, value: &str, origin: Option<String>| {
        let origin = origin.unwrap_or_else(|| "default".to_owned());
        let _ = writeln!(text, "{name} = {value}  # {}", visible(&origin));
    };
    let chosen = &settings.library;
    let dialect = chosen_or_default(chosen.dialect.as_ref());
    line(
        "dialect",
        &toml_string(&dialect.name()),
        origin_text(chosen.dialect.as_ref()),
    );
    if let Some((release, origin)) = &chosen.release
        && dialect.release != Some(*release)
    {
        let release = toml_string(&release.to_string());
        line("library.version", &release, Some(origin.to_string()));
    }
    let target = chosen_or_default(settings.target.as_ref()).name();
    line(
        "target",
        &toml_string(target),
        origin_text(settings.target.as_ref()),
    );
    let model = chosen_or_default(settings.model.as_ref()).name();
    line(
        "model",
        &toml_string(model),
        origin_text(settings.model.as_ref()),
    );
    if let Some((chips, origin)) = &settings.chips {
        line("chips", &chips.to_string(), Some(origin.to_string()));
    }
    if let Some(file) = file {
        let numbers = [
            (
                "pto.gm_bytes_per_cycle",
                file.pto
                    .gm_bytes_per_cycle
                    .as_ref()
                    .map(|(own, _)| own.get()),
                origin_text(file.pto.gm_bytes_per_cycle.as_ref()),
            ),
            (
                "pto.setup_cycles",
                file.pto.setup_cycles.as_ref().map(|(own, _)| *own),
                origin_text(file.pto.setup_cycles.as_ref()),
            ),
        ];
        for (name, number, origin) in numbers {
            if let Some(number) = number {
                line(name, &number.to_string(), origin);
            }
        }
        if let Some((target, origin)) = &file.nki.target {
            let name = toml_string(target.of_engine().name());
            line("nki.target", &name, Some(origin.to_string()));
        }
        if let Some(((major, minor), origin)) = &file.nki.version {
            let version = toml_string(&format!("{major}.{minor}"));
            line("nki.version", &version, Some(origin.to_string()));
        }
    }
    if let Some(file) = file.filter(|file| !file.cfg.is_empty()) {
        let conditions: Vec<_> = file.cfg.iter().map(|((text, _), _)| text.clone()).collect();
        let place = file.cfg.first().map(|(place, _)| place);
        line("cfg", &toml_list(&conditions), origin_text(place));
    }
    for (name, names) in [
        ("select", &settings.levels.select),
        ("ignore", &settings.levels.ignore),
    ] {
        if !names.is_empty() {
            let mut origins: Vec<_> = names.iter().map(|named| named.origin.to_string()).collect();
            origins.dedup();
            let names: Vec<_> = names.iter().map(|named| named.name.clone()).collect();
            line(name, &toml_list(&names), Some(origins.join(", ")));
        }
    }
    if let Some(file) = file.filter(|file| !file.exclude.written.is_empty()) {
        let patterns: Vec<_> = file
            .exclude
            .written
            .iter()
            .map(|(pattern, _)| pattern.clone())
            .collect();
        let place = file.exclude.written.first();
        line("exclude", &toml_list(&patterns), origin_text(place));
    }
    text + &changed_levels_text(settings) + &budgets_text(settings)
}

/// The rules whose level is not the default one.
fn changed_levels_text(settings: &Settings) -> String {
    let mut text = String::new();
    for rule in all_rules() {
        let default = rule.default_level();
        let runs = settings.levels.runs_rule(rule.name, rule.group);
        let (level, change) = settings.levels.level(rule.name, rule.group, default);
        let origin = match change {
            Some(change) => format!("{} of {}", change.origin, change.name),
            None if runs => continue,
            None => "not selected".to_owned(),
        };
        let _ = writeln!(
            text,
            "{} = \"{}\"  # {}",
            rule.name,
            level.name(),
            visible(&origin)
        );
    }
    if text.is_empty() {
        return "\n# levels: those of the catalogue (`visa-lint rules`)\n".to_owned();
    }
    format!("\n[levels]  # all others as in the catalogue (`visa-lint rules`)\n{text}")
}

fn budgets_text(settings: &Settings) -> String {
    let entries = settings
        .configuration
        .iter()
        .flat_map(|file| file.budgets.entries());
    let lines: Vec<String> = entries
        .map(|entry| {
            let limits = [
                ("cycles", entry.budget.cycles),
                ("dm_bytes", entry.budget.dm_bytes),
                ("trf_bytes", entry.budget.trf_bytes),
                ("vrf_bytes", entry.budget.vrf_bytes),
            ];
            let limits: Vec<_> = limits
                .into_iter()
                .filter_map(|(name, limit)| Some(format!("{name} = {}", limit?)))
                .collect();
            let (name, limits) = (toml_string(&entry.pattern), limits.join(", "));
            format!(
                "{name} = {{ {limits} }}  # {}\n",
                visible(&entry.origin.to_string())
            )
        })
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    format!("\n[budgets]\n{}", lines.concat())
}

fn origin_text<T>(chosen: Option<&Chosen<T>>) -> Option<String> {
    chosen.map(|(_, origin)| origin.to_string())
}

/// A list of strings as TOML writes it.
fn toml_list(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| toml_string(name)).collect();
    format!("[{}]", names.join(", "))
}

/// A string as TOML writes it. JSON's escapes are TOML's too.
fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
