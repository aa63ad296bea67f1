//! The front end for NKI: what it answers about files of that language.

mod rules;

use std::sync::Arc;

use crate::db::Db;
use crate::findings::Rule;
use crate::inputs::SourceFile;
use crate::neighbours::{FrontEnd, NeighbourReport};

/// The front end.
pub(crate) struct Nki;

impl FrontEnd for Nki {
    fn rules(&self) -> &'static [&'static Rule] {
        rules::RULES
    }

    fn report(&self, db: &dyn Db, file: SourceFile) -> Arc<NeighbourReport> {
        report(db, file)
    }
}

/// What is known of a file.
#[salsa::tracked(returns(clone))]
fn report(_db: &dyn Db, _file: SourceFile) -> Arc<NeighbourReport> {
    Arc::default()
}
