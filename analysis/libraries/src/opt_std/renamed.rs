//! Types, variants and functions that releases of the current library renamed or dropped, and those of the book's library that
//! it calls otherwise.

use super::super::Release;
use super::super::renamed::{Comparison, Renamed, Renames};

const fn minor_release(minor: u16) -> Release {
    Release::new(0, minor)
}

const R2: Release = minor_release(2);
const R4: Release = minor_release(4);
const R5: Release = minor_release(5);
const R6: Release = minor_release(6);
const R8: Release = minor_release(8);

/// What the book calls one way and all releases another.
const fn of_book(book: &'static str, releases: &'static [(Release, &'static str)]) -> Renamed {
    Renamed {
        book: Some(book),
        releases,
    }
}

const OPERANDS: &str =
    "operands are values, registers or the stash, and guarded ones slots of `Branched`";
const WITHDRAWN: &str = "withdrawn: no release has lowered it";

pub(crate) static RENAMES: Renames = Renames {
    types: &[
        of_book("Context", &[(R2, "Context"), (R8, "Device")]),
        of_book("StreamTensor", &[(R2, "TuTensor")]),
        of_book("AccumulationTensor", &[(R2, "ContractTensor")]),
        of_book("AccumulationKind", &[(R2, "LaneMode")]),
        of_book("BranchMode", &[(R2, "TagMode")]),
        Renamed {
            book: None,
            releases: &[(R5, "TableLookup"), (R8, "TableLookupCast")],
        },
    ],
    variants: &[(
        &["BranchMode", "TagMode"],
        of_book("Unconditional", &[(R2, "Zero")]),
    )],
    wrappers: &[
        ("VeRhs", "constant", R6),
        ("VeRhs", "vrf", R6),
        ("VeBranchOperand", "always", R6),
        ("TernaryOperand", "always", R6),
    ],
    bare: &[("VeRhs", "Stash", R6)],
    comparison: Some(Comparison {
        outer: "InputCmp",
        inner: &["InputCmpI32", "InputCmpF32"],
        plain: "Cmp",
        since: R6,
    }),
    gone: &[
        (
            "Context",
            Some("acquire"),
            R8,
            "the host makes a device of a kernel's topology: `Device::new(kernel.topology())?`",
        ),
        (
            "AlignedPair",
            None,
            R2,
            "`ContractOuterTensor` takes the type of the sums and that of the operands",
        ),
        (
            "ContractionTensor",
            None,
            R2,
            "`ContractPacketTensor` after the sum within packets, `ContractTimeTensor` after that over time",
        ),
        ("UnaryArgMode", None, R2, "unary operations take no mode"),
        ("ValidBranchIds", None, R6, "a guard is a `TagGuard`"),
        ("TagFilter", None, R6, "a guard is a `TagGuard`"),
        ("TagMode", Some("ValidCount"), R6, WITHDRAWN),
        ("TagMode", Some("Vrf"), R6, WITHDRAWN),
        ("BranchMode", Some("ValidCount"), R6, WITHDRAWN),
        ("BranchMode", Some("Vrf"), R6, WITHDRAWN),
        ("VeRhs", None, R6, OPERANDS),
        ("VeBranchOperand", None, R6, OPERANDS),
        ("TernaryOperand", None, R6, OPERANDS),
        ("BinaryOperandTag", None, R6, OPERANDS),
        ("TernaryOperandTag", None, R6, OPERANDS),
        ("OperandTagValue", None, R6, OPERANDS),
        ("BranchOperands", None, R6, OPERANDS),
        (
            "InputCmp",
            None,
            R6,
            "a comparison is a `Cmp` of the stream's type",
        ),
        (
            "InputCmpI32",
            None,
            R6,
            "a comparison is a `Cmp` of the stream's type",
        ),
        (
            "InputCmpF32",
            None,
            R6,
            "a comparison is a `Cmp` of the stream's type",
        ),
        ("FpDivOp", None, R4, "the division takes its operand alone"),
        (
            "StreamCast",
            None,
            R6,
            "each engine has a trait of its own: `FetchCast`, `CastEngineCast`, `CommitCast`",
        ),
    ],
};
