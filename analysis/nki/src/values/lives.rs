//! When tensors in SBUF and PSUM are used: each instruction is a step, and so is each allocation.
//!
//! Knows which arguments an instruction reads. What is not an instruction of NKI may write what it is given, so that nothing from before
//! is known to be needed.

use ruff_python_ast::ExprCall;

use super::calls::Passed;
use super::functions::Interpreter;
use super::{Elements, Use, Value};
use crate::names::Api;
use crate::syntax::span_of;
use crate::types::{Space, Span, Tensor};

/// Keywords of what an instruction writes.
const WRITTEN: &[&str] = &["dst", "dst_idx", "out", "reduce_res"];

impl<'a> Interpreter<'a> {
    /// Notes what a call reads and writes.
    pub fn note_call(&mut self, callee: &Value, call: &'a ExprCall, passed: &Passed<'a>) {
        if !self.is_recording {
            return;
        }
        let Value::Known(known) = callee else {
            self.note_unseen(passed, call);
            return;
        };
        let is_instruction = known.isa().is_some();
        let (Some(name), true) = (
            known.isa().or_else(|| known.language()),
            is_instruction || !OF_SHAPES.contains(&known.language().unwrap_or_default()),
        ) else {
            return;
        };
        self.step = self.step.saturating_add(1);
        let is_store = !is_instruction && name == "store";
        // A transfer with one argument and no source has no other than the source; in the older form other instructions give back
        // what they write.
        let has_destination_first = is_instruction
            && passed.named_argument("dst").is_none()
            && if name.starts_with("dma_") {
                let has_source = passed
                    .named_argument("src")
                    .or_else(|| passed.named_argument("srcs"));
                passed.positional.len() > 1 || has_source.is_some()
            } else {
                known.api != Api::Older
            };
        let span = span_of(&*call.func);
        for (place, given) in passed.positional.iter().enumerate() {
            let writes = place == 0 && (is_store || has_destination_first);
            self.note_use(&given.value, !writes, span);
        }
        for (keyword, given) in &passed.keywords {
            self.note_use(&given.value, !WRITTEN.contains(keyword), span);
        }
    }

    /// Notes what a function that is not followed here is given.
    pub fn note_unseen(&mut self, passed: &Passed<'a>, call: &'a ExprCall) {
        if !self.is_recording {
            return;
        }
        self.step = self.step.saturating_add(1);
        let span = span_of(&*call.func);
        let keywords = passed.keywords.iter().map(|(_, given)| given);
        for given in passed.positional.iter().chain(keywords) {
            self.note_use(&given.value, false, span);
        }
    }

    /// Notes that a value is used at the step that is followed.
    pub fn note_use(&mut self, value: &Value, reads: bool, span: Span) {
        if !self.is_recording {
            return;
        }
        match value {
            Value::Tensor(tensor) => self.note_tensor(tensor, reads, span),
            Value::Tensors(Elements::Each(tensor)) => self.note_tensor(tensor, reads, span),
            Value::Tuple(elements) | Value::List(elements) => {
                for element in elements.iter() {
                    self.note_use(element, reads, span);
                }
            }
            _ => {}
        }
    }

    fn note_tensor(&mut self, tensor: &Tensor, reads: bool, span: Span) {
        if let Some(declared) = tensor
            .declared
            .filter(|_| tensor.space.is_some_and(Space::has_partitions))
        {
            self.out.uses.push(Use {
                declared,
                at: self.step,
                reads,
                branch: self.branch,
                function: self.function,
                span,
            });
        }
    }

    /// Begins a branch; what [`Self::leave_branch`] wants to know at its end.
    pub fn enter_branch(&mut self) -> usize {
        let outer = self.branch;
        if self.is_recording {
            self.out.branches.push(outer);
            self.branch = self.out.branches.len() - 1;
        }
        outer
    }

    /// Ends a branch.
    pub const fn leave_branch(&mut self, outer: usize) {
        self.branch = outer;
    }
}

/// Functions of the language that look at the shape of what they are given, or at nothing of it.
const OF_SHAPES: &[&str] = &[
    "empty_like",
    "ones_like",
    "zeros_like",
    "par_dim",
    "ds",
    "ndarray",
];
