//! One line above every kernel: what it costs.
//!
//! One number comes first, the kernel's own; what follows says which engine spends it. A kernel with anything unresolved has
//! no number but the first reason.

use crate::check::{function_simulation, functions};
use crate::db::{Db, SourceFile};
use crate::items::{device_attribute, token_map};
use crate::kernel::body;
use crate::rules::thousands;
use crate::simulation::{BodySimulation, Lane};

use super::{ByteRange, Lens};

/// The lines above the kernels of a file.
pub(super) fn lenses(db: &dyn Db, file: SourceFile) -> Vec<Lens> {
    let tokens = token_map(db, file);
    let kernels = functions(db, file)
        .into_iter()
        .filter(|function| device_attribute(db, *function).is_some());
    let lenses = kernels.filter_map(|kernel| {
        let body = body(db, kernel);
        let simulation = function_simulation(db, kernel);
        let (start, end) = tokens.range(body.span)?;
        Some(Lens {
            range: ByteRange { start, end },
            title: title(&simulation),
            kernel: body.name.clone(),
            cycles: simulation.total(),
        })
    });
    lenses.collect()
}

fn title(simulation: &BodySimulation) -> String {
    let Some(total) = simulation.total() else {
        return match simulation.gaps.first() {
            Some(gap) => format!("cycles unknown: {}", gap.reason),
            None => "cycles unknown".to_owned(),
        };
    };
    let schedule = &simulation.schedule;
    let busy = |lane| schedule.busy(lane);
    let dma = busy(Lane::TensorDma).saturating_add(busy(Lane::PcieDma));
    let parts = [
        ("main", busy(Lane::Main)),
        ("sub", busy(Lane::Sub)),
        ("DMA", dma),
    ];
    let mut title = cycles(total);
    for (name, cycles) in parts {
        title.push_str(&format!(" · {name} {}", thousands(cycles)));
    }
    title
}

/// A number of cycles in words.
pub(super) fn cycles(number: u64) -> String {
    match number {
        1 => "1 cycle".to_owned(),
        _ => format!("{} cycles", thousands(number)),
    }
}
