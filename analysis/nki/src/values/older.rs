//! Forms of an earlier API that a kernel of the current package still has.
//!
//! Knows how each is written and what takes its place; the rules know which releases refuse it.

use ruff_python_ast::{Expr, ExprCall, StmtAssign};

use super::calls::{Passed, engine_numbered};
use super::functions::Interpreter;
use super::{OlderForm, OlderKind, Value};
use crate::names::{Api, Known, Mode, space_named};
use crate::syntax::span_of;
use crate::transfers::Written;
use crate::types::Span;

/// Instructions that write a destination, which is their first argument.
const WITH_DESTINATION: &[&str] = &[
    "activation",
    "activation_reduce",
    "affine_select",
    "bn_aggr",
    "bn_stats",
    "dma_copy",
    "dma_transpose",
    "dropout",
    "iota",
    "local_gather",
    "max8",
    "memset",
    "nc_find_index8",
    "nc_match_replace8",
    "nc_matmul",
    "nc_stream_shuffle",
    "nc_transpose",
    "range_select",
    "reciprocal",
    "scalar_tensor_tensor",
    "select_reduce",
    "tensor_copy",
    "tensor_copy_predicated",
    "tensor_partition_reduce",
    "tensor_reduce",
    "tensor_scalar",
    "tensor_tensor",
    "tensor_tensor_scan",
];

impl<'a> Interpreter<'a> {
    fn note_older(&mut self, kind: OlderKind, span: Span, edits: Vec<(Span, String)>) {
        if self.is_recording {
            self.out.older.push(OlderForm { kind, span, edits });
        }
    }

    /// The text before a called name that leads to its module: `nisa.`.
    fn module_of(&self, call: &ExprCall) -> Option<String> {
        let attribute = call.func.as_attribute_expr()?;
        Some(format!(
            "{}.",
            span_of(&*attribute.value).text_in(self.text)
        ))
    }

    /// Looks at a call of NKI.
    pub fn note_older_call(&mut self, known: &Known, call: &'a ExprCall, passed: &Passed<'a>) {
        if known.api != Api::Current || !self.is_recording {
            return;
        }
        match (known.isa(), known.language()) {
            (Some(name), _) => self.older_instruction(name, call, passed),
            (None, Some("par_dim")) => {
                // Behind other axes it marks another one than the first, which takes thought.
                let before = self.text.get(..span_of(call).start as usize);
                let is_first = before.is_some_and(|text| text.trim_end().ends_with(['(', '[']));
                let extent = passed.positional.first().map(|given| given.written.value);
                let edit = extent
                    .filter(|_| is_first)
                    .map(|extent| (span_of(call), extent.text_in(self.text).to_owned()));
                self.note_older(
                    OlderKind::Partition,
                    span_of(call),
                    edit.into_iter().collect(),
                );
            }
            (None, Some("arange")) => {
                self.note_older(OlderKind::Arange, span_of(&*call.func), Vec::new());
            }
            (None, Some("ndarray" | "zeros" | "ones" | "full" | "empty")) => {
                self.older_buffer(call, passed);
            }
            _ => {}
        }
    }

    fn older_instruction(&mut self, name: &str, call: &'a ExprCall, passed: &Passed<'a>) {
        let is_transfer = matches!(name, "dma_copy" | "dma_transpose" | "dma_compute");
        if let Some(mask) = passed.named_argument("mask").filter(|_| !is_transfer) {
            self.note_older(OlderKind::Mask, mask.written.whole, Vec::new());
        }
        if WITH_DESTINATION.contains(&name)
            && passed.named_argument("dst").is_none()
            && !passed.has_unseen
        {
            self.without_destination.insert(span_of(call));
        }
        match name {
            "tensor_copy_dynamic_src" | "tensor_copy_dynamic_dst" => {
                self.note_older(OlderKind::DynamicCopy, span_of(&*call.func), Vec::new());
            }
            "register_move" => {
                if let Some(moved) = passed.named_argument("imm") {
                    self.note_older(OlderKind::Immediate, moved.written.whole, Vec::new());
                }
            }
            "sendrecv" => {
                if let Some(stated) = passed.named_argument("use_gpsimd_dma") {
                    let member = match &stated.value {
                        Value::Bool(true) => Some("gpsimd_dma"),
                        Value::Bool(false) => Some("dma"),
                        _ => None,
                    };
                    let module = self.module_of(call);
                    let edit = module.zip(member).map(|(module, member)| {
                        let text = format!("dma_engine={module}dma_engine.{member}");
                        (stated.written.whole, text)
                    });
                    let edits = edit.into_iter().collect();
                    self.note_older(OlderKind::GpsimdDma, stated.written.whole, edits);
                }
            }
            "dma_compute" => self.older_order(passed),
            _ => {}
        }
        for (keyword, given) in &passed.keywords {
            let number = match (&given.value, *keyword) {
                (Value::Int(size), "dge_mode" | "engine" | "oob_mode") => size.value(),
                _ => None,
            };
            if let Some(number) = number {
                self.older_number(call, keyword, number, given.written);
            }
        }
    }

    /// `dge_mode=2`.
    fn older_number(&mut self, call: &ExprCall, keyword: &str, number: i64, written: Written) {
        let member = match keyword {
            "dge_mode" => Mode::numbered(number, Api::Current).map(Mode::name),
            "engine" => engine_numbered(number),
            _ => match number {
                0 => Some("error"),
                1 => Some("skip"),
                _ => None,
            },
        };
        let module = self.module_of(call);
        let edit = module
            .zip(member)
            .map(|(module, member)| (written.value, format!("{module}{keyword}.{member}")));
        let edits = edit.into_iter().collect();
        self.note_older(OlderKind::Number, written.value, edits);
    }

    /// `dma_compute(dst, srcs, scales, reduce_op)`: the operation comes before the scales by now.
    fn older_order(&mut self, passed: &Passed<'a>) {
        let [_, _, scales, operation, ..] = passed.positional.as_slice() else {
            return;
        };
        if scales.value.elements().is_some() && matches!(operation.value, Value::Known(_)) {
            let (scales, operation) = (scales.written.value, operation.written.value);
            let edits = vec![
                (scales, operation.text_in(self.text).to_owned()),
                (operation, scales.text_in(self.text).to_owned()),
            ];
            self.note_older(OlderKind::ScalesFirst, scales, edits);
        }
    }

    /// `buffer="sbuf"`.
    fn older_buffer(&mut self, call: &ExprCall, passed: &Passed<'a>) {
        let Some(given) = passed.named_argument("buffer") else {
            return;
        };
        if let Value::Text(name) = &given.value
            && space_named(name).is_some()
        {
            let edit = self
                .module_of(call)
                .map(|module| (given.written.value, format!("{module}{name}")));
            let edits = edit.into_iter().collect();
            self.note_older(OlderKind::TextBuffer, given.written.value, edits);
        }
    }

    /// An argument of `@nki.jit` that later releases refuse.
    pub fn note_older_decorator(&mut self, known: &Known, call: &'a ExprCall) {
        if known.api != Api::Current {
            return;
        }
        for keyword in &call.arguments.keywords {
            let name = keyword
                .arg
                .as_ref()
                .map(ruff_python_ast::Identifier::as_str);
            if matches!(name, Some("platform_target" | "mode")) {
                self.note_older(OlderKind::Decorator, span_of(keyword), Vec::new());
            }
        }
    }

    /// A module or a member of the older package is imported.
    pub fn note_older_package(&mut self, path: &str, span: Span) {
        if path == "neuronxcc.nki" || path.starts_with("neuronxcc.nki.") {
            self.note_older(OlderKind::Package, span, Vec::new());
        }
    }

    /// `target[…] = nisa.reciprocal(x)`: what an instruction gives back is kept, so that it has no destination.
    pub fn note_assigned(&mut self, assign: &'a StmtAssign) {
        let span = span_of(&*assign.value);
        let ([target], Expr::Call(call)) = (assign.targets.as_slice(), &*assign.value) else {
            return;
        };
        let is_ignored = matches!(target, Expr::Name(name) if name.id.as_str() == "_");
        if !self.without_destination.remove(&span) || is_ignored {
            return;
        }
        let mut edits = Vec::new();
        if target.is_subscript_expr() {
            let written = span_of(target);
            let arguments = span_of(&call.arguments);
            let inside = Span {
                start: arguments.start + 1,
                end: arguments.start + 1,
            };
            let comma = if call.arguments.is_empty() { "" } else { ", " };
            edits.push((
                Span {
                    start: written.start,
                    end: span.start,
                },
                String::new(),
            ));
            edits.push((inside, format!("{}{comma}", written.text_in(self.text))));
        }
        self.note_older(OlderKind::Result, span_of(&*call.func), edits);
    }

    /// `nl.store(out, nisa.reciprocal(x))`: what an instruction gives back is passed on.
    pub fn note_argument(&mut self, argument: &'a Expr) {
        if let Expr::Call(call) = argument
            && self.without_destination.remove(&span_of(call))
        {
            self.note_older(OlderKind::Result, span_of(&*call.func), Vec::new());
        }
    }
}
