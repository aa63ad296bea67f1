//! The command line of visa-lint.

fn main() {}
