//! Costs as one page for a browser, with nothing else to load.
//!
//! `page.html` is made of the extension's views (`vscode-extension/scripts/page.mjs`) and committed, so that a build needs no
//! Node. Its policy names the hashes of its script and style; the costs are data in it, which no browser runs.

use visa_analysis::KernelCost;

use super::drawn::{drawn_kernels, page_document};
use crate::project::Failure;
use crate::session::Session;

const PAGE: &str = include_str!("page.html");
/// Where the page has its costs.
const MARK: &str = "@COST@";

/// The page of some kernels, whose texts the session has.
pub(super) fn write(session: &Session<'_>, kernels: &[KernelCost]) -> Result<String, Failure> {
    let kernels = drawn_kernels(session, kernels)?;
    let data = serde_json::to_string(&page_document(&kernels))
        .map_err(|error| Failure::new(format!("cannot write the page: {error}")))?;
    Ok(PAGE.replacen(MARK, &within_script(&data), 1))
}

/// JSON that is within an element `script`: nothing in it can end the element or begin a comment.
fn within_script(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                safe.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::{MARK, PAGE, within_script};

    #[test]
    fn the_page_has_one_place_for_costs_and_a_strict_policy() {
        assert_eq!(PAGE.matches(MARK).count(), 1);
        assert_eq!(PAGE.matches("<script").count(), 2);
        assert_eq!(PAGE.matches("</script>").count(), 2);
        let policy = PAGE.split("Content-Security-Policy\" content=\"").nth(1);
        let policy = policy
            .and_then(|rest| rest.split('"').next())
            .expect("a policy");
        let parts: Vec<&str> = policy.split("; ").collect();
        assert_eq!(parts.first(), Some(&"default-src 'none'"));
        assert!(
            parts
                .iter()
                .any(|part| part.starts_with("script-src 'sha256-"))
        );
        assert!(
            parts
                .iter()
                .any(|part| part.starts_with("style-src 'sha256-"))
        );
        assert!(!policy.contains("unsafe") && !policy.contains('*') && !policy.contains("http"));
        // The policy comes before what it is about.
        let at = |words: &str| PAGE.find(words).expect(words);
        assert!(at("Content-Security-Policy") < at("<style") && at("<style") < at("<script"));
        let addresses = PAGE.matches("http://").count() + PAGE.matches("https://").count();
        assert_eq!(
            addresses,
            PAGE.matches("http://www.w3.org/2000/svg").count()
        );
    }

    #[test]
    fn no_text_ends_the_element() {
        let json = serde_json::to_string("</script><!-- & \u{2028}").expect("JSON");
        let safe = within_script(&json);
        assert_eq!(safe, "\"\\u003c/script\\u003e\\u003c!-- \\u0026 \\u2028\"");
        let back: String = serde_json::from_str(&safe).expect("JSON");
        assert_eq!(back, "</script><!-- & \u{2028}");
    }
}
