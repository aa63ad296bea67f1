//! Axes of one name in one body.

use super::*;
use crate::kernel::StageKind;

const MODULES: &str =
    "mod a { use furiosa_visa_std::prelude::*; axes![T = 64]; pub type Low = m![T % 8]; }
mod b { pub mod c { use furiosa_visa_std::prelude::*; axes![T = 32]; } }
axes![S = 256, U = 8];
type Chip = m![1];
type Cluster = m![1 # 2];
";

/// The elements of all tensors of a body, in order.
fn elements(parameters: &str, statements: &str) -> Vec<String> {
    let text = format!(
        "{MODULES}#[device(chip = 1)] fn k(ctx: &mut Context, {parameters}) {{ {statements} }}"
    );
    let (_, body) = lower_in(&text, "k");
    body.tensors
        .iter()
        .map(|tensor| shown(&tensor.levels.element))
        .collect()
}

#[test]
fn axes_of_one_name_are_called_by_their_paths() {
    let found = elements(
        "x: &HbmTensor<f32, Chip, m![S, { a::T }, U]>",
        "let y: DmTensor<f32, Chip, Cluster, m![S], m![{ b::c::T } / 4, { a::Low }]> = x.to_dm(&mut ctx.tdma, 0);",
    );
    assert_eq!(found, ["S, { a::T }, U", "{ b::c::T } / 4, { a::T } % 8"]);
}

/// One of them alone is called by its name, and so is what a block declares.
#[test]
fn names_that_tell_apart_stay() {
    let x = "x: &HbmTensor<f32, Chip, m![S, { a::T }]>";
    let load = |element: &str| {
        format!(
            "let y: DmTensor<f32, Chip, Cluster, m![S], m![{element}]> = x.to_dm(&mut ctx.tdma, 0);"
        )
    };
    assert_eq!(elements(x, &load("{ a::T }")), ["S, T", "T"]);
    let shadowed = format!("axes![T = 16]; {}", load("T"));
    assert_eq!(elements(x, &shadowed), ["S, { a::T }", "T"]);
    // Two declarations of one name and one size are one axis.
    let twice = format!("axes![T = 64]; {}", load("T"));
    assert_eq!(elements(x, &twice), ["S, T", "T"]);
}

/// One whose name means another axis where the function is, is called by its path, although the other one is not used.
#[test]
fn a_name_that_means_another_axis_is_not_used() {
    let text = format!(
        "{MODULES}use b::c::T;
        #[device(chip = 1)]
        fn k(ctx: &mut Context, x: &HbmTensor<f32, Chip, m![S, {{ a::T }}]>) {{ }}"
    );
    let (_, body) = lower_in(&text, "k");
    assert_eq!(shown(&body.tensors[0].levels.element), "S, { a::T }");
}

#[test]
fn reduced_axes_keep_to_their_streams() {
    let text = format!(
        "{MODULES}use b::c::T;
        #[device(chip = 1)]
        fn k(ctx: &mut Context, x: &DmTensor<f32, Chip, Cluster, m![S], m![{{ a::T }}, T, U]>) {{
            let y = ctx.main.begin(x.view()).fetch::<f32, m![{{ a::T }}, T], m![U]>()
                .collect::<m![{{ a::T }}, T], m![U]>().vector_init()
                .vector_intra_slice_branch(BranchMode::Unconditional)
                .vector_split::<m![{{ a::T }}, T, U / 4], m![U % 4]>()
                .vector_intra_slice_reduce::<T, m![{{ a::T }}, U / 4], m![U % 4]>(IntraSliceReduceOpF32::Add)
                .vector_concat::<m![{{ a::T }}], m![U]>().vector_final().commit::<m![{{ a::T }}, U]>(0x10000);
        }}"
    );
    let (_, body) = lower_in(&text, "k");
    let passes = passes(&body);
    let reduced = passes[0].stages.iter().find_map(|stage| match &stage.kind {
        StageKind::VectorIntraReduce { axis, .. } => axis.value.as_ref(),
        _ => None,
    });
    assert_eq!(
        reduced.map(|axis| (axis.name(), axis.size())),
        Some(("b::c::T", 32))
    );
    assert_eq!(shown(&passes[0].output().time), "{ a::T }");
}
