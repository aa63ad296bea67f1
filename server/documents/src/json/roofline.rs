//! The bounds of a kernel in JSON and in words.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use visa_analysis::{Bound, Roofline, thousands};

/// The bounds as scripts and views read them; `null` is what is not known.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Roofline")]
pub(crate) struct Document {
    hbm_bytes: Option<u64>,
    hbm_bytes_a_cycle: u64,
    hbm_cycles: Option<u64>,
    multiply_accumulates: Option<u64>,
    /// What the machine does in a cycle, by element type.
    multiply_accumulates_a_cycle: Map<String, Value>,
    multiply_accumulate_cycles: Option<u64>,
    critical_path_cycles: u64,
    /// All bounds, as they are drawn.
    bars: Vec<Bar>,
    /// The bound that explains most of the kernel's cycles.
    binds: &'static str,
    /// The same for a list of kernels: with its share of the kernel's cycles.
    binds_words: String,
    sentence: String,
}

/// A bound.
#[derive(Serialize, JsonSchema)]
struct Bar {
    bound: &'static str,
    /// What it is called in tables.
    name: &'static str,
    cycles: Option<u64>,
    /// What it is made of.
    detail: String,
}

/// The bounds of a kernel.
pub(crate) fn roofline_document(roofline: &Roofline) -> Document {
    let peaks = roofline.peaks.iter();
    let bars = roofline.bounds().map(|bound| Bar {
        bound: bound.name(),
        name: bound_name(bound),
        cycles: roofline.cycles(bound),
        detail: bound_detail(roofline, bound),
    });
    Document {
        hbm_bytes: roofline.hbm_bytes,
        hbm_bytes_a_cycle: Roofline::HBM_BYTES_A_CYCLE,
        hbm_cycles: roofline.hbm_cycles(),
        multiply_accumulates: roofline.multiply_accumulates,
        multiply_accumulates_a_cycle: peaks
            .map(|(element_type, peak)| (element_type.name().to_owned(), (*peak).into()))
            .collect(),
        multiply_accumulate_cycles: roofline.multiply_accumulate_cycles,
        critical_path_cycles: roofline.critical_path,
        bars: bars.collect(),
        binds: roofline.binds().name(),
        binds_words: binding_bound(roofline),
        sentence: binding_sentence(roofline),
    }
}

/// What a bound is called in tables.
pub fn bound_name(bound: Bound) -> &'static str {
    match bound {
        Bound::Hbm => "HBM's bandwidth",
        Bound::MultiplyAccumulates => "multiply-accumulates",
        Bound::Busy(lane) => lane.track(),
        Bound::Fixed => "start and end",
        Bound::CriticalPath => "dependency chain",
    }
}

/// What a bound is made of.
pub fn bound_detail(roofline: &Roofline, bound: Bound) -> String {
    let unknown = || "unknown".to_owned();
    match bound {
        Bound::Hbm => roofline.hbm_bytes.map_or_else(unknown, |bytes| {
            let rate = thousands(Roofline::HBM_BYTES_A_CYCLE);
            format!("{} bytes at {rate} a cycle", thousands(bytes))
        }),
        Bound::MultiplyAccumulates => {
            let peaks = roofline.peaks.iter().map(|(element_type, peak)| {
                format!("{} {} a cycle", thousands(*peak), element_type.name())
            });
            let peaks: Vec<String> = peaks.collect();
            roofline
                .multiply_accumulates
                .map_or_else(unknown, |count| match peaks.as_slice() {
                    [] => thousands(count),
                    peaks => format!("{} at {}", thousands(count), peaks.join(", ")),
                })
        }
        Bound::Busy(_) => format!("busy, of {} cycles", thousands(roofline.total)),
        Bound::Fixed => "before the first and after the last operation".to_owned(),
        Bound::CriticalPath => "operations that need each other's bytes".to_owned(),
    }
}

/// What binds, with its share of the kernel's cycles: `tensor DMA 91 %`.
pub fn binding_bound(roofline: &Roofline) -> String {
    let bound = roofline.binds();
    format!("{} {} %", bound_name(bound), bound_share(roofline, bound))
}

/// Cycles of a bound in percent of the kernel's, rounded down.
fn bound_share(roofline: &Roofline, bound: Bound) -> u128 {
    let cycles = roofline.cycles(bound).unwrap_or(0);
    u128::from(cycles) * 100 / u128::from(roofline.total.max(1))
}

/// Which bound binds, with what share of the kernel's cycles, and what is next to it.
pub fn binding_sentence(roofline: &Roofline) -> String {
    let cycles = |bound| {
        roofline
            .cycles(bound)
            .map_or_else(|| "unknown".to_owned(), thousands)
    };
    let bound = roofline.binds();
    let share = bound_share(roofline, bound);
    let of_total = format!(
        "{} of {} cycles ({share} %)",
        cycles(bound),
        thousands(roofline.total)
    );
    let chain = cycles(Bound::CriticalPath);
    let mut sentence = match bound {
        Bound::Hbm => format!(
            "HBM's bandwidth binds: the bytes take {of_total} at the full rate; the dependency chain takes {chain}"
        ),
        Bound::MultiplyAccumulates => format!(
            "The multiply-accumulates bind: they take {of_total} at their peak; the dependency chain takes {chain}"
        ),
        Bound::Busy(lane) => format!(
            "The {} binds: it is busy in {of_total}; the dependency chain takes {chain}, HBM at its full rate would take {}",
            lane.track(),
            cycles(Bound::Hbm)
        ),
        Bound::Fixed => format!(
            "The start and the end bind: {of_total} pass before the first and after the last operation; the dependency chain takes {chain}"
        ),
        Bound::CriticalPath => format!(
            "The dependency chain binds: {of_total} are operations that need each other's bytes, so that no context is busy for long; \
             HBM at its full rate would take {}, the multiply-accumulates at their peak {}",
            cycles(Bound::Hbm),
            cycles(Bound::MultiplyAccumulates)
        ),
    };
    if share < 50 {
        sentence.push_str("; no bound alone explains half of the cycles");
    }
    sentence
}
