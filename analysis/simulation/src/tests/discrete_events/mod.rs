//! A slow simulator beside the formulas: it knows layouts as lists of digits, walks every access and every flit of small
//! random operations cycle by cycle, and counts. Nothing of the derivations is used here but the kernels' text.

mod engines;
mod memory;

use rand::Rng;
use rand::rngs::StdRng;

use crate::{BodySimulation, Engine};

use super::functions;

/// An operation as text, and what walking it counts for each engine.
struct Case {
    /// A function's parameters and body.
    function: String,
    /// Its axes.
    axes: Vec<(String, u64)>,
    /// Busy cycles; `None` where the engine cannot work at all.
    walked: Vec<(Engine, Option<u64>)>,
}

/// Lowers and costs the cases, and compares: the number of engines compared.
fn compare(cases: &[Case]) -> usize {
    let mut compared = 0;
    for cases in cases.chunks(50) {
        let mut text = String::new();
        for (number, case) in cases.iter().enumerate() {
            let axes: Vec<String> = case
                .axes
                .iter()
                .map(|(name, size)| format!("{name} = {size}"))
                .collect();
            text.push_str(&format!(
                "mod m{number} {{ use furiosa_visa_std::prelude::*; axes![{}]; {} }}\n",
                axes.join(", "),
                case.function
            ));
        }
        let functions = functions(&text);
        assert_eq!(functions.len(), cases.len());
        for (case, function) in cases.iter().zip(&functions) {
            let shown = format!("{:?}\n{}", case.axes, case.function);
            assert_eq!(function.body.unresolved, [], "{shown}");
            for (engine, walked) in &case.walked {
                assert_eq!(
                    &busy(&function.simulation, *engine),
                    walked,
                    "{engine:?}\n{shown}"
                );
                compared += 1;
            }
        }
    }
    compared
}

/// The busy cycles of an engine in the only operation of a function.
fn busy(simulation: &BodySimulation, engine: Engine) -> Option<u64> {
    let mut stages = simulation.operations.first()?.stages.iter();
    stages.rfind(|stage| stage.engine == engine)?.busy
}

/// A part of an axis as the kernel writes it: `text` of `size` values, `weight` apart on the axis.
#[derive(Debug, Clone)]
struct Part {
    text: String,
    axis: usize,
    size: u64,
    weight: u64,
}

/// Axes cut into one to three parts each, the outermost part first.
fn random_parts(
    random: &mut StdRng,
    sizes: &[u64],
    count: usize,
) -> (Vec<(String, u64)>, Vec<Part>) {
    let mut axes = Vec::new();
    let mut parts = Vec::new();
    for axis in 0..count {
        let name = ["A", "B", "C", "D"][axis].to_owned();
        let mut pick = || sizes[random.random_range(0..sizes.len())];
        let (outer, inner) = (pick(), pick());
        if random.random_bool(0.4) {
            let size = outer * inner;
            parts.push(Part {
                text: format!("{name} / {inner}"),
                axis,
                size: outer,
                weight: inner,
            });
            parts.push(Part {
                text: format!("{name} % {inner}"),
                axis,
                size: inner,
                weight: 1,
            });
            axes.push((name, size));
        } else {
            parts.push(Part {
                text: name.clone(),
                axis,
                size: outer,
                weight: 1,
            });
            axes.push((name, outer));
        }
    }
    (axes, parts)
}

fn shuffled<T>(random: &mut StdRng, mut items: Vec<T>) -> Vec<T> {
    for end in (1..items.len()).rev() {
        items.swap(end, random.random_range(0..=end));
    }
    items
}

/// Parts as a mapping.
fn written(parts: &[Part]) -> String {
    if parts.is_empty() {
        return "1".to_owned();
    }
    let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
    texts.join(", ")
}

/// The coordinates of a position in the product of some parts.
fn coordinates(parts: &[Part], position: u64, into: &mut [u64]) {
    let mut rest = position;
    for part in parts.iter().rev() {
        into[part.axis] += rest % part.size * part.weight;
        rest /= part.size;
    }
}

fn size(parts: &[Part]) -> u64 {
    parts.iter().map(|part| part.size).product()
}
