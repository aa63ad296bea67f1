//! What [`Analysis`] answers about running kernels.

use std::sync::Arc;

use super::Analysis;
use crate::inputs::SourceFile;
use crate::items::device_attribute;
use crate::items::functions_of_file;
use crate::lowering::body;

impl Analysis {
    /// The names of a file's `#[device]` functions, in the order of the file; none of a file in another language than Rust.
    pub fn device_functions(&self, path: &str) -> Vec<Arc<str>> {
        let of_part = |file: SourceFile| {
            let named: Result<Vec<Arc<str>>, _> = self.guarded(|db| {
                functions_of_file(db, file)
                    .into_iter()
                    .filter(|function| device_attribute(db, *function).is_some())
                    .map(|function| Arc::from(body(db, function).name.as_str()))
                    .collect()
            });
            named.unwrap_or_default()
        };
        self.parts(path).into_iter().flat_map(of_part).collect()
    }
}
