//! The findings of a run as `explain` describes them. They are no rules of `check`: only an execution has them.

/// A kind of finding that a run has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunRule {
    /// Its name in reports.
    pub name: &'static str,
    /// One line: what it reports.
    pub summary: &'static str,
    /// What the machine does, what goes wrong, and what to do: a paragraph each.
    pub why: &'static [&'static str],
    /// A kernel that has it, of release 0.10.
    pub wrong: &'static str,
    /// The nearest kernel that does not.
    pub right: &'static str,
}

/// The kinds of findings that runs have.
pub const RUN_RULES: [RunRule; 4] = [UNDEFINED, STALE, ERROR, UNEQUAL];

/// The kind of that name.
pub fn find_run_rule(name: &str) -> Option<&'static RunRule> {
    RUN_RULES.iter().find(|rule| rule.name == name)
}

const UNDEFINED: RunRule = RunRule {
    name: "run_undefined",
    summary: "An output has elements that the device never writes",
    why: &[
        "The library's CPU back end fills memory with zeros and makes every copy that a type claims. The device does neither: an element that \
         no operation wrote holds whatever lay there before.",
        "A run follows each element from where it was made to the outputs. An element is undefined where nothing wrote it, where it is padding, \
         and where an operation computed it from an undefined one. Undefined elements that no output depends on are no finding.",
        "The finding names the output, how many elements it concerns, and the line that they come from. Write them there: store to each place \
         of an axis that the source lacks, load all rows, or write the identity into the padding before a reduce.",
    ],
    wrong: CLAIMED_COPY,
    right: ONE_STORE_A_COPY,
};

const STALE: RunRule = RunRule {
    name: "run_stale",
    summary: "An output keeps older values where the CPU has the new ones",
    why: &[
        "A store into a tensor with an axis that its source lacks writes one place of that axis. The library's CPU back end writes all of them. \
         Where the tensor was written before, or is an argument, the device keeps the older values in the others.",
        "The numbers on the CPU are right, and those on the device are from another time. The finding names the store. Store once for each \
         place of the axis.",
    ],
    wrong: STALE_COPY,
    right: FRESH_COPIES,
};

const ERROR: RunRule = RunRule {
    name: "run_error",
    summary: "An operation cannot be executed with the operands that it got",
    why: &[
        "Some operations have no result for some operands: an index beyond its table, a byte offset between two rows, a shift by as many bits \
         as an element has, a sum of a contraction beyond 32 bits. The library stops there, or goes on with other numbers, by release and \
         build.",
        "The run ends at the first of them and has no outputs. An index that is undefined is an error, too, since nobody knows what it names.",
    ],
    wrong: SHIFT_BEYOND,
    right: SHIFT_WITHIN,
};

const UNEQUAL: RunRule = RunRule {
    name: "run_unequal",
    summary: "An output differs from the expected numbers",
    why: &[
        "`--expect` compares an output with a file, and `--against` with the outputs of another function for the same inputs. Elements that are \
         undefined on either side are not compared. NaN equals NaN, and without `--bits` −0 equals 0.",
        "Integers must be equal. Against another function, floats may differ as far as another order of the same operations leads: 2⁻¹⁸ of the \
         number for `f32`, a step of the type for others. `--rtol` and `--atol` set another limit, as numpy has them.",
    ],
    wrong: SCALED,
    right: PLUS_ONE,
};

const CLAIMED_COPY: &str = "\
use furiosa_opt_std::prelude::*;

axes![S = 64, K = 16, X = 4];

type Chip = m![1];

#[device(chip = 1, pe = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<f32, Chip, m![S, K]>) -> HbmTensor<f32, Chip, m![X, S, K]> {
    let x: DmTensor<f32, Chip, m![1], m![S], m![K]> = x.to_dm(&mut device.tdma);
    x.to_hbm(&mut device.tdma)
}
";

const ONE_STORE_A_COPY: &str = "\
use furiosa_opt_std::prelude::*;

axes![S = 64, K = 16, X = 4];

type Chip = m![1];

#[device(chip = 1, pe = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<f32, Chip, m![S, K]>) -> HbmTensor<f32, Chip, m![X, S, K]> {
    let x: DmTensor<f32, Chip, m![1], m![S], m![X, K]> = x.to_dm(&mut device.tdma);
    x.to_hbm(&mut device.tdma)
}
";

const STALE_COPY: &str = "\
use furiosa_opt_std::prelude::*;

axes![S = 64, K = 16, X = 4];

type Chip = m![1];

#[device(chip = 1, pe = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<f32, Chip, m![S, K]>, out: &mut HbmTensor<f32, Chip, m![X, S, K]>) {
    let x: DmTensor<f32, Chip, m![1], m![S], m![K]> = x.to_dm(&mut device.tdma);
    x.view().to_hbm_view(&mut device.tdma, out.view_mut());
}
";

const FRESH_COPIES: &str = "\
use furiosa_opt_std::prelude::*;

axes![S = 64, K = 16, X = 4];

type Chip = m![1];

#[device(chip = 1, pe = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<f32, Chip, m![S, K]>, out: &mut HbmTensor<f32, Chip, m![X, S, K]>) {
    let x: DmTensor<f32, Chip, m![1], m![S], m![K]> = x.to_dm(&mut device.tdma);
    for i in 0..4 {
        x.view().to_hbm_view(&mut device.tdma, out.view_mut().tile::<m![X], 1, m![1 #{!} 4, S, K]>(i));
    }
}
";

/// A kernel with one operation on integers, or floats.
macro_rules! one_operation {
    ($type:literal, $operation:literal) => {
        concat!(
            "\
use furiosa_opt_std::prelude::*;

axes![S = 64, K = 8];

type Chip = m![1];

#[device(chip = 1, pe = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<",
            $type,
            ", Chip, m![S, K]>) -> HbmTensor<",
            $type,
            ", Chip, m![S, K]> {
    let x: DmTensor<",
            $type,
            ", Chip, m![1], m![S], m![K]> = x.to_dm(&mut device.tdma);
    let y: DmTensor<",
            $type,
            ", Chip, m![1], m![S], m![K]> = device
        .main
        .begin(x.view())
        .fetch::<m![1], m![K]>()
        .collect::<m![1], m![K]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .",
            $operation,
            "
        .vector_final()
        .commit_trim::<m![K]>()
        .commit();
    y.to_hbm(&mut device.tdma)
}
"
        )
    };
}

const SHIFT_BEYOND: &str = one_operation!("i32", "vector_logic(LogicBinaryOpI32::LeftShift, 32)");

const SHIFT_WITHIN: &str = one_operation!("i32", "vector_logic(LogicBinaryOpI32::LeftShift, 31)");

const SCALED: &str = one_operation!("f32", "vector_clip(ClipBinaryOpF32::Add, 2.0)");

const PLUS_ONE: &str = one_operation!("f32", "vector_clip(ClipBinaryOpF32::Add, 1.0)");
