//! The library and release of what belongs to no file, by the folder that it is asked in.

use std::path::Path;

use visa_analysis::Library;

use super::levels::Levels;
use super::libraries::dialect_of_folder;
use super::paths::slashes;
use super::settings::{Configurations, Dialect, Resolver, SettingsArguments};

/// The dialect of an expression that belongs to no file: what is chosen, else what settings and manifest say of the current
/// folder's crate, else the newest release of the current library.
pub fn dialect_here(chosen: Dialect) -> visa_analysis::Dialect {
    dialect_in(&std::env::current_dir().unwrap_or_default(), chosen)
}

/// The same for a folder, given by its absolute path.
pub fn dialect_in(here: &Path, chosen: Dialect) -> visa_analysis::Dialect {
    known_dialect_in(here, chosen)
        .unwrap_or_else(|| visa_analysis::Dialect::newest(Library::OptStd))
}

/// The same; `None` where neither the choice nor settings nor the manifest name a library.
pub(crate) fn known_dialect_in(here: &Path, chosen: Dialect) -> Option<visa_analysis::Dialect> {
    let file = slashes(&here.join("question.rs"));
    let arguments = SettingsArguments {
        dialect: Some(chosen).filter(|chosen| *chosen != Dialect::default()),
        ..SettingsArguments::default()
    };
    let mut settings = Resolver::from_folder(
        here.to_path_buf(),
        &arguments,
        Levels::default(),
        Configurations::new(),
    );
    let table = settings.lenient_table([file.as_str()], &here.join("question.rs"));
    let options = table.settings_of(&file).engine_options();
    let of_crate = dialect_of_folder(here, options.library);
    let library = options
        .library
        .or(of_crate.map(|(library, _)| library))
        .or(options.release.map(Library::having))?;
    let named = options
        .release
        .filter(|release| Library::having(*release) == library);
    let of_crate = of_crate.and_then(|(own, release)| release.filter(|_| own == library));
    Some(visa_analysis::Dialect {
        library,
        release: library.nearest(named.or(of_crate).unwrap_or_else(|| library.newest())),
    })
}

/// The release that pages are shown for: the one that is chosen, else that of the crate around a folder; nothing outside of a crate of
/// kernels.
pub fn asked_in(folder: &Path, chosen: Option<Dialect>) -> Dialect {
    let found = chosen.or_else(|| {
        let dialect = known_dialect_in(folder, Dialect::default())?;
        Some(Dialect {
            library: Some(dialect.library),
            release: Some(dialect.release),
        })
    });
    found.unwrap_or_default()
}
