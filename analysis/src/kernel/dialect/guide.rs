//! The library's methods in words: what their generics and arguments are called and mean, and whether a release has them.
//!
//! For editors: nothing is judged by it. Operations of the ALUs are worded by their stage, all others row by row.

use super::visa_std::GUIDE;
use super::{Action, Arity, Method, Receiver, StageAction};
use crate::kernel::{Position, Tier, VectorStage};

/// A generic parameter or an argument in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Its name in a signature.
    pub name: &'static str,
    /// Its type, for an argument; empty for a generic parameter.
    pub ty: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What usually stands there; empty where there is nothing usual.
    pub usual: &'static str,
}

/// A row of the table of methods in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuideRow {
    /// The method's name.
    pub name: &'static str,
    /// The memory of its receiver, where methods of the name differ by it.
    pub tier: Option<Tier>,
    /// What it does.
    pub summary: &'static str,
    /// Its generics, in order.
    pub generics: &'static [Part],
    /// Its arguments, in order.
    pub arguments: &'static [Part],
    /// Whether authors write the generics out; else an annotation says them.
    pub turbofish: bool,
}

/// A method in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guide {
    /// What it does.
    pub summary: String,
    /// Its generics, in order.
    pub generics: Vec<Part>,
    /// Its arguments, in order.
    pub arguments: Vec<Part>,
    /// Whether authors write the generics out; else an annotation says them.
    pub turbofish: bool,
    /// Orders methods of one receiver: the lower the more often it is written.
    pub order: u32,
}

impl Method {
    /// The method in words; none for a method that no release of the library has.
    #[must_use]
    pub fn guide(&self) -> Option<Guide> {
        if !self.is_published() {
            return None;
        }
        if let Action::Stage(StageAction::VectorAlu {
            stage,
            arity,
            mode,
            zip,
        }) = self.action
        {
            let is_pair = self.receiver == Receiver::Pair;
            return Some(alu_guide(stage, arity, (mode, zip, is_pair)));
        }
        let tier = match self.receiver {
            Receiver::Tensor(tier, _) => Some(tier),
            _ => None,
        };
        let (order, row) = (0_u32..).zip(GUIDE).find(|(_, row)| {
            row.name == self.name
                && row.generics.len() == self.generics.len()
                && (row.tier.is_none() || row.tier == tier)
        })?;
        Some(Guide {
            summary: row.summary.to_owned(),
            generics: row.generics.to_vec(),
            arguments: row.arguments.to_vec(),
            turbofish: row.turbofish,
            order,
        })
    }

    /// Whether a release of the library has the method; some are only the book's.
    #[must_use]
    pub fn is_published(&self) -> bool {
        let Action::Stage(action) = self.action else {
            return true;
        };
        match action {
            StageAction::Fetch { table, zero_points } => !table && !zero_points,
            StageAction::Contract { maximum } => !maximum,
            StageAction::VectorTrim | StageAction::VectorPad => self.receiver != Receiver::Pair,
            _ => true,
        }
    }

    /// The positions behind which the library has a method of a stream; none for methods of other receivers and for
    /// those inside the Vector Engine, whose stages have an order of their own.
    #[must_use]
    pub const fn positions(&self) -> Option<&'static [Position]> {
        use Position::{
            Accumulate, Align, Begin, Cast, Collect, Contract, Fetch, Switch, Transpose,
            VectorFinal,
        };
        Some(match self.action {
            Action::Stage(StageAction::Fetch { .. }) => &[Begin],
            Action::Stage(StageAction::Switch) => &[Fetch],
            Action::Stage(StageAction::Collect) => &[Fetch, Switch],
            Action::Stage(StageAction::Align) | Action::ToTrf => &[Collect],
            Action::Stage(StageAction::Contract { .. }) => &[Align],
            Action::Stage(StageAction::Accumulate) => &[Contract],
            Action::Stage(StageAction::VectorInit) => &[Collect, Accumulate],
            Action::Stage(StageAction::Cast) => &[Collect, Accumulate, VectorFinal],
            Action::Stage(StageAction::Transpose) | Action::ToVrf => &[Collect, VectorFinal],
            Action::Commit | Action::CommitView => &[
                Fetch,
                Switch,
                Collect,
                Accumulate,
                VectorFinal,
                Cast,
                Transpose,
            ],
            _ => return None,
        })
    }
}

const fn argument(name: &'static str, ty: &'static str, meaning: &'static str) -> Part {
    Part {
        name,
        ty,
        meaning,
        usual: "",
    }
}

/// The words of an operation of an ALU; what it does besides is said by its stage.
fn alu_guide(stage: VectorStage, arity: Arity, (mode, zip, is_pair): (bool, bool, bool)) -> Guide {
    let (what, order) = match stage {
        VectorStage::Logic => ("A bitwise operation", 0),
        VectorStage::Fxp => ("A fixed-point operation", 10),
        VectorStage::FpDiv => ("A division behind the reduction", 50),
        VectorStage::Clip => ("A clip, a maximum or an addition", 80),
        _ => ("A float operation", 30),
    };
    let order = order
        + match arity {
            Arity::Unary => 0,
            Arity::Binary => 1,
            Arity::Ternary => 2,
        };
    let summary = match (zip, mode) {
        (true, _) => format!("{what} that makes one stream of the two groups."),
        (false, true) => format!("{what}, with the order of its operands."),
        (false, false) => format!("{what}."),
    };
    let mut arguments = vec![argument(
        "op",
        operation_type(stage, arity, zip, is_pair || mode),
        "The operation. Each ALU works once in a pass.",
    )];
    if mode {
        let ty = match (zip, arity) {
            (true, _) | (false, Arity::Binary) => "BinaryArgMode",
            (false, Arity::Unary) => "UnaryArgMode",
            (false, Arity::Ternary) => "TernaryArgMode",
        };
        arguments.push(argument(
            "mode",
            ty,
            "Which operand stands where: digit 0 is the stream (on a zip the first group), 1 the operand.",
        ));
    }
    let operand = |name| match arity {
        Arity::Unary => argument(name, "bool", "Whether the group runs the operation."),
        Arity::Binary => argument(
            name,
            "operand",
            "A constant, `&vrf`, `Stash`, or operands with their branches.",
        ),
        Arity::Ternary => argument(
            name,
            "(operand, constant)",
            "An operand as of a binary operation, and a constant.",
        ),
    };
    match (zip, is_pair, arity) {
        (true, ..) | (false, false, Arity::Unary) => {}
        (false, true, _) => arguments.extend([operand("group0"), operand("group1")]),
        (false, false, _) => arguments.push(operand("operand")),
    }
    Guide {
        summary,
        generics: Vec::new(),
        arguments,
        turbofish: false,
        order: order + if mode { 5 } else { 0 },
    }
}

const fn operation_type(
    stage: VectorStage,
    arity: Arity,
    zip: bool,
    plain_division: bool,
) -> &'static str {
    match (stage, arity) {
        (VectorStage::Logic, _) => "LogicBinaryOp",
        (VectorStage::Fxp, _) => "FxpBinaryOp",
        (VectorStage::FpDiv, _) if plain_division => "FpDivBinaryOp",
        (VectorStage::FpDiv, _) => "FpDivOp",
        (VectorStage::Clip, _) => "ClipBinaryOp",
        (_, Arity::Unary) if !zip => "FpUnaryOp",
        (_, Arity::Ternary) => "FpTernaryOp",
        _ => "FpBinaryOp",
    }
}

#[cfg(test)]
mod tests {
    use super::super::VISA_STD;
    use super::*;

    #[test]
    fn every_method_of_a_release_has_words_for_each_of_its_generics() {
        for method in VISA_STD
            .methods
            .iter()
            .filter(|method| method.is_published())
        {
            let guide = method.guide();
            let count = guide.map(|guide| guide.generics.len());
            assert_eq!(count, Some(method.generics.len()), "{}", method.name);
        }
    }

    #[test]
    fn no_row_is_without_a_method() {
        for row in GUIDE {
            let fits = VISA_STD
                .methods(row.name)
                .any(|method| method.generics.len() == row.generics.len());
            assert!(fits, "{}", row.name);
        }
    }

    #[test]
    fn what_only_the_book_has_is_no_method_of_a_release() {
        for name in ["fetch_with_table", "fetch_with_zero_points", "contract_max"] {
            assert!(
                VISA_STD
                    .methods(name)
                    .all(|method| method.guide().is_none()),
                "{name}"
            );
        }
    }
}
