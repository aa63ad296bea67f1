//! Addresses of documents to the engine's paths, and back.
//!
//! The engine knows files by `/`-separated paths. A `file:` address becomes the absolute path it stands for, on every
//! platform alike: `/home/a.rs`, `C:/a.rs`, `//server/share/a.rs`. Any other address (`untitled:Untitled-1`) is its own path.

use std::fmt::Write;
use std::str::FromStr;

use serde_json::Value;
use tower_lsp::ls_types::Uri;

use crate::project::paths::has_drive;

/// The engine's path of a document.
pub(crate) fn path_of(uri: &Uri) -> String {
    if !uri.scheme().as_str().eq_ignore_ascii_case("file") {
        return uri.as_str().replace('\\', "/");
    }
    let path = uri.path().decode().to_string_lossy().replace('\\', "/");
    let host = uri.authority().map(|authority| authority.host());
    match host {
        Some(host) if !host.is_empty() && host != "localhost" => format!("//{host}{path}"),
        _ => match path.strip_prefix('/') {
            // One drive has one name, however the client writes it.
            Some(rest) if has_drive(rest) => {
                let (drive, rest) = rest.split_at(1);
                drive.to_ascii_uppercase() + rest
            }
            _ => path,
        },
    }
}

/// The engine's path of a folder: without a `/` at its end, except where it is all of the path.
pub(crate) fn folder_of(uri: &Uri) -> String {
    let path = path_of(uri);
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() || trimmed.ends_with(':') {
        path
    } else {
        trimmed.to_owned()
    }
}

/// The address of a path of the engine; none for a path that is neither absolute nor an address.
pub(crate) fn uri_of(path: &str) -> Option<Uri> {
    let text = if let Some(share) = path.strip_prefix("//") {
        format!("file://{}", encoded(share))
    } else if path.starts_with('/') {
        format!("file://{}", encoded(path))
    } else if has_drive(path) {
        format!("file:///{}", encoded(path))
    } else {
        path.to_owned()
    };
    Uri::from_str(&text).ok()
}

/// Writes the addresses in a message's parameters as addresses must be written. Some editors leave characters such as `[`,
/// `|` or `^` of a file's name as they are; a message with such an address could not be read at all.
pub(crate) fn mend_addresses(params: &mut Value) {
    match params {
        Value::Array(items) => items.iter_mut().for_each(mend_addresses),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if matches!(name.as_str(), "uri" | "rootUri") => {
                        if Uri::from_str(text).is_err() {
                            *text = mended(text);
                        }
                    }
                    _ => mend_addresses(value),
                }
            }
        }
        _ => {}
    }
}

/// An address with all that cannot be in one encoded; what is encoded stays.
fn mended(uri: &str) -> String {
    let mut text = String::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let kept = match byte {
            b'%' => {
                matches!(behind, [first, second, ..] if first.is_ascii_hexdigit() && second.is_ascii_hexdigit())
            }
            _ => byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=".contains(&byte),
        };
        if kept {
            text.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(text, "%{byte:02X}");
        }
        rest = behind;
    }
    text
}

/// A path as part of an address.
fn encoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use tower_lsp::ls_types::Uri;

    use super::{folder_of, mend_addresses, path_of, uri_of};

    fn path(uri: &str) -> String {
        Uri::from_str(uri).map_or_else(|error| error.to_string(), |uri| path_of(&uri))
    }

    #[test]
    fn addresses_of_files_are_absolute_paths() {
        assert_eq!(path("file:///home/me/a.rs"), "/home/me/a.rs");
        assert_eq!(path("file://localhost/home/a.rs"), "/home/a.rs");
        assert_eq!(path("FILE:///a%20b/%C3%A9%5B1%5D.rs"), "/a b/\u{e9}[1].rs");
        // However a client writes a drive, it is one.
        for uri in [
            "file:///c:/a/b.rs",
            "file:///C%3A/a/b.rs",
            "file:///c%3a/a/b.rs",
        ] {
            assert_eq!(path(uri), "C:/a/b.rs");
        }
        assert_eq!(path("file:///c:"), "C:");
        assert_eq!(path("file://host/share/a.rs"), "//host/share/a.rs");
        // No drive: a folder whose name has a colon.
        assert_eq!(path("file:///ab:/c.rs"), "/ab:/c.rs");
    }

    #[test]
    fn other_addresses_are_their_own_paths() {
        assert_eq!(path("untitled:Untitled-1"), "untitled:Untitled-1");
    }

    #[test]
    fn paths_lead_back() {
        for text in [
            "/home/me/a.rs",
            "/a b/\u{e9}[1]#?%.rs",
            "C:/a/b.rs",
            "//host/share/a.rs",
            "untitled:Untitled-1",
        ] {
            let uri = uri_of(text);
            assert_eq!(uri.as_ref().map(path_of).as_deref(), Some(text), "{uri:?}");
        }
        assert_eq!(uri_of("a b.rs"), None);
    }

    #[test]
    fn addresses_that_cannot_be_read_are_mended_and_others_stay() {
        for (sent, read) in [
            ("file:///a[1]/b|c^.rs", "/a[1]/b|c^.rs"),
            ("file:///50%/\u{e9} %5B%zz.rs", "/50%/\u{e9} [%zz.rs"),
            ("file:///a%20b/c.rs", "/a b/c.rs"),
        ] {
            let mut params = serde_json::json!({ "list": [{ "uri": sent }], "text": sent });
            mend_addresses(&mut params);
            let uri = params.pointer("/list/0/uri").and_then(|uri| uri.as_str());
            assert_eq!(uri.map(path).as_deref(), Some(read));
            assert_eq!(params.get("text"), Some(&sent.into()));
        }
    }

    #[test]
    fn folders_have_no_slash_at_their_end() {
        let folder = |uri: &str| Uri::from_str(uri).ok().map(|uri| folder_of(&uri));
        assert_eq!(folder("file:///home/me/").as_deref(), Some("/home/me"));
        assert_eq!(folder("file:///home/me").as_deref(), Some("/home/me"));
        assert_eq!(folder("file:///").as_deref(), Some("/"));
        assert_eq!(folder("file:///c:/").as_deref(), Some("C:/"));
    }
}
