//! Who is answered: a browser on this machine that was given the address, and no page of another origin in it.
//!
//! Any page that a person has open may send requests to the loopback address, and a name that somebody else owns may lead there. So the
//! secret has to be in the path, the host has to be the loopback's own, and a browser that says that a request comes from elsewhere is
//! believed.

use hyper::header::{HOST, HeaderName, HeaderValue, ORIGIN};
use hyper::{HeaderMap, Method, StatusCode};

use crate::project::Failure;

/// Bytes of the secret.
const SECRET_BYTES: usize = 16;

/// What makes the site's own address.
#[derive(Debug, Clone)]
pub(super) struct Own {
    port: u16,
    /// Hexadecimal digits.
    secret: String,
}

/// Why a request is not answered: the status, and words for a person.
pub(super) type Refusal = (StatusCode, &'static str);

/// A word that nobody can guess, of hexadecimal digits.
///
/// # Errors
///
/// The system gives no random bytes.
pub(super) fn random_word() -> Result<String, Failure> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::new(format!("the system gives no random bytes: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Own {
    /// A site at a port, with a new secret.
    ///
    /// # Errors
    ///
    /// The system gives no random bytes.
    pub(super) fn new(port: u16) -> Result<Self, Failure> {
        let secret = random_word()?;
        Ok(Self { port, secret })
    }

    /// Where the site is.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.secret)
    }

    /// What is asked for, behind the secret; `None` in place of the folder without its last `/`.
    ///
    /// # Errors
    ///
    /// The request is not one to be answered.
    pub(super) fn admit<'p>(
        &self,
        method: &Method,
        headers: &HeaderMap,
        path: &'p str,
    ) -> Result<Option<&'p str>, Refusal> {
        let said = |name: HeaderName| headers.get(name).map(HeaderValue::as_bytes);
        if !said(HOST).is_some_and(|host| self.is_own_host(host)) {
            let words = "The address of this page begins with http://127.0.0.1.";
            return Err((StatusCode::MISDIRECTED_REQUEST, words));
        }
        let origin = said(ORIGIN).is_none_or(|origin| {
            let host = origin.strip_prefix(b"http://");
            host.is_some_and(|host| self.is_own_host(host))
        });
        if !origin || comes_from_elsewhere(headers) {
            let words = "A page of another origin gets no answer.";
            return Err((StatusCode::FORBIDDEN, words));
        }
        let behind = path.strip_prefix('/').unwrap_or(path);
        let (secret, rest) = match behind.split_once('/') {
            Some((secret, rest)) => (secret, Some(rest)),
            None => (behind, None),
        };
        if !constant_time_equal(secret.as_bytes(), self.secret.as_bytes()) {
            let words = "The secret is missing: use the whole address that visa-lint view printed.";
            return Err((StatusCode::FORBIDDEN, words));
        }
        if method != Method::GET {
            return Err((StatusCode::METHOD_NOT_ALLOWED, "There is nothing to write."));
        }
        Ok(rest)
    }

    fn is_own_host(&self, host: &[u8]) -> bool {
        ["127.0.0.1", "localhost"]
            .iter()
            .any(|name| host == format!("{name}:{}", self.port).as_bytes())
    }
}

/// Whether a browser says that another origin's page asks. A person who follows a link comes from there, too, and may.
fn comes_from_elsewhere(headers: &HeaderMap) -> bool {
    let said = |name: &str| headers.get(name).map(HeaderValue::as_bytes);
    let site = said("sec-fetch-site");
    let own = matches!(site, None | Some(b"same-origin" | b"none"));
    !own && said("sec-fetch-mode") != Some(b"navigate")
}

/// Whether two texts are the same, in a time that does not tell how much of them is.
fn constant_time_equal(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderMap, HeaderName, HeaderValue};
    use hyper::{Method, StatusCode};

    use super::Own;

    const FORBIDDEN: Result<Option<&str>, StatusCode> = Err(StatusCode::FORBIDDEN);

    fn own() -> Own {
        Own {
            port: 4711,
            secret: "5ec2e7".to_owned(),
        }
    }

    fn admitted<'p>(
        method: &Method,
        path: &'p str,
        headers: &[(&'static str, &'static str)],
    ) -> Result<Option<&'p str>, StatusCode> {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| {
                let name = HeaderName::from_static(name);
                (name, HeaderValue::from_static(value))
            })
            .collect();
        let admitted = own().admit(method, &headers, path);
        admitted.map_err(|(status, _)| status)
    }

    fn get<'p>(
        path: &'p str,
        more: &[(&'static str, &'static str)],
    ) -> Result<Option<&'p str>, StatusCode> {
        let host = [("host", "127.0.0.1:4711")];
        admitted(&Method::GET, path, &[&host, more].concat())
    }

    #[test]
    fn the_secret_is_needed_as_a_whole() {
        assert_eq!(get("/5ec2e7/", &[]), Ok(Some("")));
        assert_eq!(get("/5ec2e7/data", &[]), Ok(Some("data")));
        assert_eq!(get("/5ec2e7", &[]), Ok(None));
        for path in [
            "/",
            "",
            "/data",
            "/5ec2e/",
            "/5ec2e78/",
            "//5ec2e7/",
            "/5EC2E7/",
        ] {
            assert_eq!(get(path, &[]), FORBIDDEN, "{path}");
        }
    }

    #[test]
    fn the_host_is_the_loopback() {
        let of = |host| admitted(&Method::GET, "/5ec2e7/", &[("host", host)]);
        assert_eq!(of("localhost:4711"), Ok(Some("")));
        for host in ["127.0.0.1", "127.0.0.1:4712", "attacker.example:4711", ""] {
            assert_eq!(of(host), Err(StatusCode::MISDIRECTED_REQUEST), "{host}");
        }
        let none = admitted(&Method::GET, "/5ec2e7/", &[]);
        assert_eq!(none, Err(StatusCode::MISDIRECTED_REQUEST));
    }

    #[test]
    fn other_origins_are_refused() {
        let of = |origin| get("/5ec2e7/", &[("origin", origin)]);
        assert_eq!(of("http://127.0.0.1:4711"), Ok(Some("")));
        assert_eq!(of("http://localhost:4711"), Ok(Some("")));
        for origin in [
            "null",
            "https://127.0.0.1:4711",
            "http://127.0.0.1:80",
            "http://attacker.example",
        ] {
            assert_eq!(of(origin), FORBIDDEN, "{origin}");
        }
        let site = |site, mode| {
            let said = [("sec-fetch-site", site), ("sec-fetch-mode", mode)];
            get("/5ec2e7/", &said)
        };
        assert_eq!(site("cross-site", "no-cors"), FORBIDDEN);
        assert_eq!(site("same-site", "cors"), FORBIDDEN);
        assert_eq!(site("same-origin", "cors"), Ok(Some("")));
        assert_eq!(site("none", "navigate"), Ok(Some("")));
        assert_eq!(site("cross-site", "navigate"), Ok(Some("")));
    }

    #[test]
    fn nothing_is_written() {
        let host = [("host", "127.0.0.1:4711")];
        for method in [Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS] {
            let refused = admitted(&method, "/5ec2e7/", &host);
            assert_eq!(refused, Err(StatusCode::METHOD_NOT_ALLOWED), "{method}");
        }
    }

    #[test]
    fn each_program_has_a_secret_of_its_own() -> Result<(), crate::project::Failure> {
        let (one, other) = (Own::new(1)?.address(), Own::new(1)?.address());
        assert_ne!(one, other);
        assert_eq!(one.len(), "http://127.0.0.1:1/".len() + 32 + 1);
        Ok(())
    }
}
