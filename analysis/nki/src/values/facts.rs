//! What a condition says where it holds: extents and types of arguments, numbers behind symbols, the generation of the core.
//!
//! Knows assertions and tests; whether they are true is not asked.

use ruff_python_ast::{BoolOp, CmpOp, Expr, UnaryOp};

use super::environment::Environment;
use super::functions::Interpreter;
use super::{Argument, Value};
use crate::symbols::{Atom, Kind, Size};
use crate::types::{Dtype, Generations, numbered_generation, version_generation};

impl<'a> Interpreter<'a> {
    /// A condition is known to hold, or not to.
    pub fn assume(&mut self, test: &'a Expr, holds: bool, environment: &mut Environment) {
        match test {
            Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => {
                self.assume(&unary.operand, !holds, environment);
            }
            Expr::BoolOp(parts) if (parts.op == BoolOp::And) == holds => {
                for part in &parts.values {
                    self.assume(part, holds, environment);
                }
            }
            Expr::Compare(compare) => {
                if compare.ops.len() > 1 && !holds {
                    return;
                }
                let mut left = &*compare.left;
                for (operator, right) in compare.ops.iter().zip(&compare.comparators) {
                    self.compared(left, *operator, right, holds, environment);
                    left = right;
                }
            }
            _ => {}
        }
    }

    fn compared(
        &mut self,
        left: &'a Expr,
        operator: CmpOp,
        right: &'a Expr,
        holds: bool,
        environment: &mut Environment,
    ) {
        let was_recording = std::mem::replace(&mut self.is_recording, false);
        self.states_shapes = true;
        let (left, right) = (
            self.value(left, environment),
            self.value(right, environment),
        );
        self.states_shapes = false;
        self.is_recording = was_recording;
        if let Some(generations) = of_version(&left, operator, &right) {
            let generations = if holds {
                generations
            } else {
                generations.not()
            };
            environment.restrict_generations(generations);
            return;
        }
        let is_equal = match operator {
            CmpOp::Eq | CmpOp::Is => holds,
            CmpOp::NotEq | CmpOp::IsNot => !holds,
            _ => false,
        };
        if is_equal {
            self.learn_equal(&left, &right, environment);
            self.learn_equal(&right, &left, environment);
        }
    }

    fn learn_equal(&self, left: &Value, right: &Value, environment: &mut Environment) {
        match (left, right) {
            (Value::ShapeOf(one), Value::ShapeOf(other)) => environment.learn_alike(one, other),
            (Value::ShapeOf(argument), _) => {
                if let Some(elements) = right.elements() {
                    environment.learn_rank(argument.number, elements.len());
                    for (axis, element) in (0_i64..).zip(elements) {
                        if let Some(extent) = element.as_size() {
                            environment
                                .learn()
                                .extents
                                .insert((argument.number, axis), extent);
                        }
                    }
                }
            }
            (Value::RankOf(argument), Value::Int(rank)) => {
                if let Some(rank) = rank.value().and_then(|rank| usize::try_from(rank).ok()) {
                    environment.learn_rank(argument.number, rank);
                }
            }
            (Value::Dtype(Dtype::Of { number, .. }), Value::Dtype(dtype @ Dtype::Named(_))) => {
                environment.learn().dtypes.insert(*number, dtype.clone());
            }
            (Value::Tuple(left), Value::Tuple(right)) if left.len() == right.len() => {
                for (left, right) in left.iter().zip(right.iter()) {
                    if let (Some(left), Some(right)) = (left.as_size(), right.as_size()) {
                        self.learn_same_size(&left, &right, environment);
                    }
                }
            }
            _ => {
                if let (Some(left), Some(right)) = (left.as_size(), right.as_size()) {
                    self.learn_same_size(&left, &right, environment);
                }
            }
        }
    }

    /// Two sizes are the same: a symbol is replaced by the number, or by the other symbol.
    fn learn_same_size(&self, left: &Size, right: &Size, environment: &mut Environment) {
        let Some(atom) = left.as_atom() else { return };
        if left == right || right.with_replaced(atom, &Size::number(0)).as_ref() != Some(right) {
            return;
        }
        // A number replaces a symbol; of two symbols the left one goes. The other order would only undo it.
        if right.value().is_none() && right.as_atom().is_none_or(|other| other < atom) {
            return;
        }
        if let Atom::Name { number, .. } = atom
            && let Some(key) = self.axes_of_extents.get(number)
        {
            environment.learn().extents.insert(*key, right.clone());
        }
        environment.substitute_symbol(&atom.clone(), right);
    }

    /// The extent of an argument's axis; `None` where it has no such axis.
    pub fn extent(
        &mut self,
        argument: &Argument,
        axis: i64,
        label: Option<&str>,
        environment: &Environment,
    ) -> Option<Size> {
        let axis = match environment.arguments().ranks.get(&argument.number) {
            Some(rank) => {
                let rank = i64::try_from(*rank).ok()?;
                let axis = if axis < 0 { axis + rank } else { axis };
                (0..rank).contains(&axis).then_some(axis)?
            }
            None => axis,
        };
        let key = (argument.number, axis);
        if let Some(extent) = environment
            .arguments()
            .extents
            .get(&key)
            .or_else(|| self.extents.get(&key))
        {
            return Some(extent.clone());
        }
        let number = self.fresh_number();
        let text = label.map_or_else(|| format!("{}.shape[{axis}]", argument.name), str::to_owned);
        let extent = Size::named(text, number, Kind::Extent);
        self.extents.insert(key, extent.clone());
        self.axes_of_extents.insert(number, key);
        Some(extent)
    }
}

/// The generations for which a comparison with the core's version holds.
fn of_version(left: &Value, operator: CmpOp, right: &Value) -> Option<Generations> {
    let generation = |value: &Value| match value {
        Value::Known(known) => version_generation(known.isa()?.strip_prefix("nc_version.")?),
        Value::Int(number) => numbered_generation(u64::try_from(number.value()?).ok()?),
        _ => None,
    };
    let (stated, is_swapped) = match (left, right) {
        (Value::CoreVersion, other) => (generation(other)?, false),
        (other, Value::CoreVersion) => (generation(other)?, true),
        _ => return None,
    };
    if matches!(operator, CmpOp::In | CmpOp::NotIn) {
        return None;
    }
    Some(Generations::which(|runs| {
        let (left, right) = if is_swapped {
            (stated, runs)
        } else {
            (runs, stated)
        };
        match operator {
            CmpOp::Eq | CmpOp::Is => left == right,
            CmpOp::NotEq | CmpOp::IsNot => left != right,
            CmpOp::Lt => left < right,
            CmpOp::LtE => left <= right,
            CmpOp::Gt => left > right,
            CmpOp::GtE => left >= right,
            CmpOp::In | CmpOp::NotIn => true,
        }
    }))
}
