//! The Vector Engine on its own: the order of its stages, lanes, ALUs, types and shapes.

use std::collections::BTreeSet;

use crate::mutations::mapping::Expr;
use crate::mutations::oracle::set;
use crate::mutations::source::Call;
use crate::mutations::stages::Walk;
use crate::mutations::table::{Cell, live};

/// What is known of the engine in a pass.
#[derive(Default)]
pub(crate) struct Lanes {
    /// The last stage's place in the order; none before the first.
    stage: Option<u32>,
    /// The stream has four lanes.
    narrow: bool,
    /// ALUs in use.
    used: BTreeSet<&'static str>,
    /// Two groups.
    pair: bool,
    /// Something was wrong: what follows is not judged.
    broken: bool,
}

impl Lanes {
    /// Whether the stream that leaves is known.
    pub(crate) const fn may_leave(&self) -> bool {
        !self.broken
    }
}

/// Stages by the beginnings of their methods: order, four lanes, several operations, the types it works on.
const STAGES: &[(&str, u32, bool, bool, &str)] = &[
    ("vector_intra_slice_branch", 0, false, false, ""),
    ("vector_intra_slice_unzip", 0, false, false, ""),
    ("vector_logic", 1, false, true, ""),
    ("vector_fxp_to_fp", 3, false, false, "i32"),
    ("vector_fxp", 2, false, true, "i32"),
    ("vector_split", 4, false, false, ""),
    ("vector_trim_way4", 4, false, false, ""),
    ("vector_fp_to_fxp", 9, false, false, "f32"),
    ("vector_fp_div", 7, true, false, "f32"),
    ("vector_fp", 5, true, true, "f32"),
    ("vector_intra_slice_reduce", 6, true, false, ""),
    ("vector_concat", 8, true, false, ""),
    ("vector_pad_way8", 8, true, false, ""),
    ("vector_clip", 10, false, true, ""),
];

/// ALUs by operation.
const ALUS: &[(&str, &str)] = &[
    ("LogicBinaryOpI32::BitAnd", "LogicAnd"),
    ("LogicBinaryOpF32::BitAnd", "LogicAnd"),
    ("LogicBinaryOpI32::BitOr", "LogicOr"),
    ("LogicBinaryOpF32::BitOr", "LogicOr"),
    ("LogicBinaryOpI32::BitXor", "LogicXor"),
    ("LogicBinaryOpF32::BitXor", "LogicXor"),
    ("LogicBinaryOpI32::LeftShift", "LogicLshift"),
    ("LogicBinaryOpI32::LogicRightShift", "LogicRshift"),
    ("LogicBinaryOpI32::ArithRightShift", "LogicRshift"),
    ("FxpBinaryOp::AddFxp", "FxpAdd"),
    ("FxpBinaryOp::SubFxp", "FxpAdd"),
    ("FxpBinaryOp::LeftShift", "FxpLshift"),
    ("FxpBinaryOp::Mul", "FxpMul"),
    ("FxpBinaryOp::LogicRightShift", "FxpRshift"),
    ("FxpBinaryOp::ArithRightShift", "FxpRshift"),
    ("FpUnaryOp::Exp", "FpExp"),
    ("FpUnaryOp::NegExp", "FpExp"),
    ("FpUnaryOp::", "FpFpu"),
    ("FpBinaryOp::AddF", "FpFma"),
    ("FpBinaryOp::SubF", "FpFma"),
    ("FpBinaryOp::DivF", "FpFpu"),
    ("FpBinaryOp::MulF(FpMulAlu::Mul0)", "FpMul0"),
    ("FpBinaryOp::MulF(FpMulAlu::Mul1)", "FpMul1"),
    ("FpBinaryOp::MulF(FpMulAlu::Fma)", "FpFma"),
    ("FpTernaryOp::FmaF", "FpFma"),
    ("FpDivBinaryOp::DivF", "ReduceFpDiv"),
    ("ClipBinaryOpI32::AddFxp", "ClipAdd"),
    ("ClipBinaryOpF32::Add", "ClipAdd"),
    ("ClipBinaryOpI32::Max", "ClipMax"),
    ("ClipBinaryOpI32::AbsMax", "ClipMax"),
    ("ClipBinaryOpF32::Max", "ClipMax"),
    ("ClipBinaryOpF32::AbsMax", "ClipMax"),
    ("ClipBinaryOpI32::Min", "ClipMin"),
    ("ClipBinaryOpI32::AbsMin", "ClipMin"),
    ("ClipBinaryOpF32::Min", "ClipMin"),
    ("ClipBinaryOpF32::AbsMin", "ClipMin"),
];

impl Walk<'_> {
    /// One call of the engine; `None` where what follows is not judged any more.
    pub(crate) fn vector(&mut self, call: &Call) -> Option<()> {
        let done = self.vector_call(call);
        if done.is_none() {
            self.lanes.broken = true;
        }
        done
    }

    fn vector_call(&mut self, call: &Call) -> Option<()> {
        match call.name.as_str() {
            "vector_init" => return self.init(),
            "vector_stash" => return Some(()),
            "vector_final" => {
                if self.lanes.narrow {
                    self.fault("four lanes leave the engine".to_owned());
                    return None;
                }
                return Some(());
            }
            _ => {}
        }
        let row = STAGES
            .iter()
            .find(|(name, ..)| call.name.starts_with(name))?;
        let (_, order, narrow, repeats, types) = *row;
        if let Some(stage) = self.lanes.stage
            && (order < stage || (order == stage && !repeats))
        {
            self.fault(format!("`{}` after a later stage", call.name));
            return None;
        }
        if narrow != self.lanes.narrow {
            self.fault(format!("`{}` on other lanes", call.name));
            return None;
        }
        if !types.is_empty() && types != self.stream.element {
            self.fault(format!("`{}` on `{}`", call.name, self.stream.element));
            return None;
        }
        self.lanes.stage = Some(order);
        self.operation(call)?;
        self.shape(call, order)
    }

    fn init(&mut self) -> Option<()> {
        if !["i32", "f32"].contains(&self.stream.element.as_str()) {
            self.fault(format!(
                "`{}` enters the Vector Engine",
                self.stream.element
            ));
            return None;
        }
        (self.stream.packet.size()? == 8).then_some(())
    }

    /// The operation's type, its ALU, and the types of its constants.
    fn operation(&mut self, call: &Call) -> Option<()> {
        let arguments: Vec<String> = call
            .arguments
            .iter()
            .map(|range| self.source.at(range).to_owned())
            .collect();
        let Some(operation) = arguments.first().filter(|text| text.contains("Op")) else {
            return Some(());
        };
        let written_for = [
            ("OpI32::", "i32"),
            ("OpF32::", "f32"),
            ("FxpBinaryOp::", "i32"),
        ];
        if let Some((_, element)) = written_for
            .iter()
            .find(|(mark, _)| operation.contains(mark))
            && *element != self.stream.element
        {
            self.fault(format!("`{operation}` on `{}`", self.stream.element));
            return None;
        }
        let skipped = arguments.len() > 1 && arguments[1..].iter().all(|operand| operand == "()");
        if let Some((_, alu)) = ALUS.iter().find(|(start, _)| operation.starts_with(start))
            && !skipped
            && !self.lanes.used.insert(alu)
        {
            self.fault(format!("{alu} is used twice"));
            return None;
        }
        if call.name.contains("reduce") || call.name.contains("ternary") {
            return Some(());
        }
        for operand in &arguments[1..] {
            let float = operand.ends_with("f32");
            let integer =
                operand.ends_with("i32") && operand.starts_with(|c: char| c.is_ascii_digit());
            let wrong = (float && self.stream.element == "i32")
                || (integer && self.stream.element == "f32");
            if wrong {
                self.fault(format!("`{operand}` beside `{}`", self.stream.element));
                return None;
            }
        }
        Some(())
    }

    /// What the call makes of time and packet.
    fn shape(&mut self, call: &Call, order: u32) -> Option<()> {
        let generic = |at: usize| self.source.mapping(self.source.at(call.generics.get(at)?));
        match (order, call.name.as_str()) {
            (3, _) => "f32".clone_into(&mut self.stream.element),
            (9, _) => "i32".clone_into(&mut self.stream.element),
            (0, "vector_intra_slice_unzip") => {
                self.lanes.pair = true;
                self.stream.time = generic(2)?;
            }
            (4 | 8, name) => {
                let (time, packet) = match name {
                    "vector_split" | "vector_concat" => (generic(0)?, generic(1)?),
                    _ => (self.stream.time.clone(), generic(0)?),
                };
                self.lanes.narrow = order == 4;
                self.regroup(name, time, packet)?;
            }
            (6, _) => self.reduce(call)?,
            _ => {}
        }
        Some(())
    }

    fn regroup(&mut self, name: &str, time: Expr, packet: Expr) -> Option<()> {
        let wanted = if self.lanes.narrow { 4 } else { 8 };
        if packet.size()? != wanted {
            self.fault(format!("`{name}` makes {:?} lanes", packet.size()));
            return None;
        }
        let (from, to) = if matches!(name, "vector_split" | "vector_concat") {
            let all = [&self.stream.time, &self.stream.packet, &time, &packet];
            let [a, b, c, d] = self.axes.tables(all, &[0..2, 2..4])?;
            ((a, b), (c, d))
        } else {
            let from = (
                self.axes.table(&self.stream.time)?,
                self.axes.table(&self.stream.packet)?,
            );
            (from, (self.axes.table(&time)?, self.axes.table(&packet)?))
        };
        let fault = match name {
            "vector_split" | "vector_concat" => {
                self.axes.differ((&from.0, &from.1), (&to.0, &to.1))
            }
            "vector_trim_way4" => {
                from.1[4..].iter().any(Option::is_some) || from.1[..4] != to.1[..]
            }
            _ => from.1[..] != to.1[..4] || to.1[4..].iter().any(Option::is_some),
        };
        if fault {
            self.fault(format!("`{name}` makes another stream"));
            return None;
        }
        self.stream.time = time;
        self.stream.packet = packet;
        Some(())
    }

    fn reduce(&mut self, call: &Call) -> Option<()> {
        let axis = self.source.at(call.generics.first()?).to_owned();
        let generic = |at: usize| self.source.mapping(self.source.at(call.generics.get(at)?));
        let (time, packet) = (generic(1)?, generic(2)?);
        let (from, given) = (
            self.axes.table(&self.stream.time)?,
            self.axes.table(&self.stream.packet)?,
        );
        let (to, out) = (self.axes.table(&time)?, self.axes.table(&packet)?);
        let own = self.axes.mask_of(|name| name == axis);
        let touches = |cells: &[Cell]| cells.iter().flatten().any(|cell| cell & own != 0);
        let rest = set(from.iter().map(|cell| cell.map(|cell| cell & !own)));
        let in_packet = touches(&given);
        let wrong_packet = if in_packet {
            live(&out) != [Some(0)] || out.len() != 4
        } else {
            out != given
        };
        if touches(&to) || touches(&out) || wrong_packet || set(to.into_iter()) != rest {
            self.fault(format!("`{axis}` is not what the reduce takes out"));
            return None;
        }
        self.stream.time = time;
        self.stream.packet = packet;
        Some(())
    }
}
