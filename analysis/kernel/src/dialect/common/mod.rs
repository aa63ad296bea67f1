//! What the libraries have in common: how their rows are written, and the rows, arguments and names that both have.
//!
//! Which release of which library something belongs to is said in the libraries' own folders.

pub(super) mod arguments;
pub(super) mod guide;
pub(super) mod rows;
pub(super) mod types;
pub(super) mod vector;
pub(super) mod words;
