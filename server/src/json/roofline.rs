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
    binds: &'static str,
    sentence: String,
    /// What each of the three is made of, in words.
    details: [String; 3],
}

/// The bounds of a kernel that takes `total` cycles.
pub(crate) fn document(roofline: &Roofline, total: u64) -> Document {
    let peaks = roofline.peaks.iter();
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
        binds: roofline.binds().name(),
        sentence: sentence(roofline, total),
        details: details(roofline),
    }
}

/// What each of the three bounds is made of.
pub(crate) fn details(roofline: &Roofline) -> [String; 3] {
    let unknown = || "unknown".to_owned();
    let hbm = roofline.hbm_bytes.map_or_else(unknown, |bytes| {
        let rate = thousands(Roofline::HBM_BYTES_A_CYCLE);
        format!("{} bytes at {rate} a cycle", thousands(bytes))
    });
    let products = roofline.multiply_accumulates.map_or_else(unknown, |count| {
        let peaks = roofline.peaks.iter();
        let peaks: Vec<String> = peaks
            .map(|(element_type, peak)| {
                format!("{} {} a cycle", thousands(*peak), element_type.name())
            })
            .collect();
        match peaks.as_slice() {
            [] => thousands(count),
            peaks => format!("{} at {}", thousands(count), peaks.join(", ")),
        }
    });
    let path = "operations that need each other's bytes".to_owned();
    [hbm, products, path]
}

/// Which bound binds, and what the others would take.
pub(crate) fn sentence(roofline: &Roofline, total: u64) -> String {
    let path = roofline.critical_path;
    let cycles = |cycles: Option<u64>| cycles.map_or_else(|| "unknown".to_owned(), thousands);
    let hbm = cycles(roofline.hbm_cycles());
    let products = cycles(roofline.multiply_accumulate_cycles);
    let (path, total) = (thousands(path), thousands(total));
    match roofline.binds() {
        Bound::Hbm => format!(
            "HBM's bandwidth binds: at its full rate the bytes take {hbm} cycles, the critical path {path}, the kernel {total}"
        ),
        Bound::MultiplyAccumulates => format!(
            "The multiply-accumulates bind: at their peak they take {products} cycles, the critical path {path}, the kernel {total}"
        ),
        Bound::CriticalPath => format!(
            "The critical path binds: {path} of {total} cycles are a chain of operations that need each other's bytes; HBM at its full \
             rate would take {hbm}, the multiply-accumulates at their peak {products}"
        ),
    }
}
