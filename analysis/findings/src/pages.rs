//! Where the pages of the documentation are.

/// The address of a rule's page. Without one the programs show the page themselves.
pub fn rule_url(name: &str) -> Option<String> {
    documentation_url(&format!("rules/{name}.html"))
}

/// The address of a file of the documentation, below the one that a release of the programs names while it is built (`VISA_LINT_DOCS`); none
/// without that.
pub fn documentation_url(file: &str) -> Option<String> {
    let base = option_env!("VISA_LINT_DOCS").map(|base| base.trim_end_matches('/'));
    base.filter(|base| !base.is_empty())
        .map(|base| format!("{base}/{file}"))
}
