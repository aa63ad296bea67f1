//! What a crate says of its library and what its sources show: shapes of another release, imports of the other library,
//! releases that are not known, arguments of `#[device]` that the library passes over.
//!
//! What is decided, and by what, is in `items`; here it gets words.

use crate::db::Db;
use crate::items::{
    Crate, DeviceEntry, Dialect, Excluded, FileLibrary, ItemId, Span, device_attribute, dialect,
    functions_of,
};
use crate::libraries::{DeviceKey, Library};
use crate::names::nearest_names;

use super::coverage::DIALECT_UNSUPPORTED;
use super::{Alternative, Applicability, Checked, Finding, Rule, rule};

/// Other shapes that a finding shows beside the first one.
const SHOWN: usize = 4;

pub(crate) static LIBRARY_VERSION_MISMATCH: Rule = rule!(
    "library_version_mismatch",
    Suspicious,
    Library,
    "library",
    "a file is written as for another release or library than its crate is for",
    "A crate is written for one release of its library: the user says which, else the lock file, else the manifest. \
     Names, type arguments and addresses changed from release to release, so that sources show theirs. Other releases \
     have all that the files of a crate use, and the crate's own lacks some of it. So the manifest or the lock file \
     names a release that the kernels are not written for. The compiler refuses them, and findings for the wrong \
     release may be wrong. Single names of another release among those of the crate's own are no such case. A crate \
     has one library as well: a file that imports the other one is read as the crate is, and the import is reported. \
     Name the release that the kernels are written for in `Cargo.toml`, or under `[library]` in `visa-lint.toml`, or \
     change the kernels.";
    refused: Refusal::OWN,
);

pub(crate) static DEVICE_ATTRIBUTE: Rule = rule!(
    "device_attribute",
    Suspicious,
    Library,
    "library",
    "an argument of `#[device]` that the library ignores without a message",
    "The attribute of a kernel says how many chips it runs on and, in later releases, how many processing elements of \
     each. The library reads the value of each key that it knows as a plain decimal number. It ignores an unknown \
     key, and uses the key's default for a value that is not such a number, both without a message. A kernel for four \
     chips then runs on one. Write keys that the release has, and numbers of digits alone.";
    refused: Refusal::OWN,
);

/// The family's rules.
pub const RULES: &[&Rule] = &[&LIBRARY_VERSION_MISMATCH, &DEVICE_ATTRIBUTE];

/// These rules look at files and items, not at bodies: see [`excluded`], [`other_library`] and [`check_item`].
pub(super) fn check_versions(_: &Checked<'_>, _: &mut Vec<Finding>) {}

/// How a crate is called in a sentence.
pub(super) fn crate_phrase(krate: &Crate) -> String {
    match &krate.package {
        Some(package) if !package.is_empty() => format!("the crate `{package}`"),
        _ => "this crate".to_owned(),
    }
}

/// The release of a library, as it is written or read.
fn release_of(library: &FileLibrary) -> String {
    let written = library.release.as_deref();
    written.map_or_else(|| library.dialect.release.to_string(), str::to_owned)
}

/// Shapes of a file that its crate's release does not have.
pub fn excluded(krate: &Crate, library: &FileLibrary, found: &Excluded) -> Option<Finding> {
    let ((span, first), others) = found.shapes.split_first()?;
    let (oldest, newest) = found.fitting;
    let fitting = if oldest == newest {
        format!("release {oldest} has")
    } else {
        format!("releases {oldest} to {newest} have")
    };
    let release = release_of(library);
    let message = format!(
        "{} is of {}, and {} is for release {release}",
        first.words,
        first.releases(),
        crate_phrase(krate)
    );
    let mut finding = Finding::new(&LIBRARY_VERSION_MISMATCH, *span, message)
        .note(format!("release {release}, because {}", library.because))
        .note(format!("{fitting} all that the crate uses"))
        .note(format!(
            "name release {newest} in `Cargo.toml` or under `[library]` in `visa-lint.toml` if the kernels are written for it, \
             else change them"
        ))
        .note(migration(library));
    for (place, shape) in others.iter().take(SHOWN) {
        let message = format!("{} is of {}", shape.words, shape.releases());
        finding = finding.related(*place, message);
    }
    if let Some(more) = others.len().checked_sub(SHOWN + 1) {
        let more = more + 1;
        finding = finding.note(format!("{more} more of other releases in the file"));
    }
    Some(finding)
}

/// An import of another library than the crate's.
pub fn other_library(
    place: Span,
    imported: Library,
    krate: &Crate,
    library: &FileLibrary,
) -> Finding {
    let own = library.dialect.library.crate_name();
    let other = imported.crate_name();
    let message = format!(
        "`{other}` is imported, and {} is read as for `{own}`",
        crate_phrase(krate)
    );
    Finding::new(&LIBRARY_VERSION_MISMATCH, place, message)
        .note(format!("`{own}`, because {}", library.because))
        .note(format!(
            "`dialect = \"{}\"` under `[[overrides]]` in `visa-lint.toml` reads single files otherwise",
            imported.name()
        ))
        .note(migration(library))
}

/// How kernels are rewritten for what their crate is for.
fn migration(library: &FileLibrary) -> String {
    match library.dialect.library {
        Library::OptStd => format!(
            "`visa-lint migrate --to {}` rewrites kernels of earlier releases and of the book's library",
            library.dialect.release
        ),
        Library::VisaStd => "kernels are rewritten for later releases only".to_owned(),
    }
}

/// A release that is not known, said once a crate.
pub fn unknown_release(place: Span, krate: &Crate, library: &FileLibrary) -> Finding {
    let Dialect {
        library: of,
        release,
    } = library.dialect;
    let name = of.crate_name();
    let kind = if release == of.newest() {
        "newer than all"
    } else {
        "none of those"
    };
    let message = format!(
        "release {} of `{name}` is {kind} that are known: {} is read as for {release}",
        release_of(library),
        crate_phrase(krate)
    );
    Finding::new(&DIALECT_UNSUPPORTED, place, message)
        .note(format!(
            "release {}, because {}",
            release_of(library),
            library.because
        ))
        .note("what changed in it is not known: findings may be missing, or wrong")
}

/// What is wrong with the arguments of `#[device]` of an item's functions.
pub(super) fn check_item(db: &dyn Db, item: ItemId) -> Vec<Finding> {
    let functions = functions_of(db, item);
    let mut findings = Vec::new();
    for function in functions {
        let attribute = device_attribute(db, function);
        if let Some(attribute) = attribute.filter(|attribute| !attribute.entries.is_empty()) {
            let dialect = dialect(db, function.file(db));
            findings.extend(of_entries(dialect, &attribute.entries));
        }
    }
    findings
}

fn of_entries(dialect: Dialect, entries: &[DeviceEntry]) -> Vec<Finding> {
    let keys: Vec<&DeviceKey> = dialect.library.device_keys(dialect.release).collect();
    let mut findings = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let (name, place) = &entry.key;
        let earlier = entries.get(..at).unwrap_or_default();
        let finding = match keys.iter().find(|key| key.name == name) {
            None => Some(unknown_key(&keys, entries, entry)),
            Some(_) if earlier.iter().any(|other| other.key.0 == *name) => {
                let message = format!("`{name}` is given before: this one is ignored");
                Some(Finding::new(&DEVICE_ATTRIBUTE, *place, message))
            }
            Some(key) => unreadable_value(key, entry),
        };
        findings.extend(finding);
    }
    findings
}

/// A key that the library does not have.
fn unknown_key(keys: &[&DeviceKey], entries: &[DeviceEntry], entry: &DeviceEntry) -> Finding {
    let (name, place) = &entry.key;
    let known: Vec<String> = keys
        .iter()
        .map(|key| match key.default {
            Some(default) => format!("`{}` (default {default})", key.name),
            None => format!("`{}`", key.name),
        })
        .collect();
    let is_are = if keys.len() == 1 {
        "the only key is"
    } else {
        "the keys are"
    };
    let place = match (&entry.value, name.as_str()) {
        (Some((_, value)), "") => value,
        _ => place,
    };
    let message = format!("`#[device]` has no key `{name}`; the library ignores it");
    let finding = Finding::new(&DEVICE_ATTRIBUTE, *place, message)
        .note(format!("{is_are} {}", known.join(" and ")));
    let free = keys
        .iter()
        .map(|key| key.name)
        .filter(|key| entries.iter().all(|other| other.key.0 != *key));
    let meant = nearest_names(name, free).into_iter().next();
    match meant.filter(|_| entry.value.is_some()) {
        Some(meant) => finding
            .alternatives("write ", [Alternative::text(*place, meant.clone())])
            .fix(
                Applicability::Maybe,
                format!("write `{meant}`"),
                *place,
                meant,
            ),
        None => finding,
    }
}

/// A value that the library does not read as it is meant.
fn unreadable_value(key: &DeviceKey, entry: &DeviceEntry) -> Option<Finding> {
    // A library that does not look at values reads none wrongly.
    let default = key.default?;
    let Some((text, place)) = &entry.value else {
        let message = format!("`{}` has no value, and counts as {default}", key.name);
        return Some(
            Finding::new(&DEVICE_ATTRIBUTE, entry.key.1, message).note(format!(
                "write `{} = {default}` or another number",
                key.name
            )),
        );
    };
    let read = text.parse::<usize>().ok();
    let counts_as = match read {
        // The library keeps a byte of it.
        Some(number) if number > usize::from(u8::MAX) => number % 256,
        Some(_) => return None,
        None => usize::from(default),
    };
    let place = if text.is_empty() { entry.key.1 } else { *place };
    let why = if read.is_some() {
        "does not fit a byte"
    } else {
        "is not a plain decimal number"
    };
    let message = format!("`{} = {text}` {why}, and counts as {counts_as}", key.name);
    let finding = Finding::new(&DEVICE_ATTRIBUTE, place, message).note(format!(
        "write the number in digits alone, such as `{} = 4`",
        key.name
    ));
    let plain = crate::items::literal_number(text).filter(|_| read.is_none());
    Some(match plain {
        Some(number) if number <= u64::from(u8::MAX) => finding
            .alternatives("write ", [Alternative::text(place, number.to_string())])
            .fix(
                Applicability::Maybe,
                format!("write `{number}`"),
                place,
                number.to_string(),
            ),
        _ => finding,
    })
}
