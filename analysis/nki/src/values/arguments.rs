//! Arguments and what is known of them, and values where a tensor or an integer is wanted.
//!
//! Reads the facts that hold at a place; learns none.

use std::sync::Arc;

use super::environment::Environment;
use super::expressions::{int, shape_tuple};
use super::functions::Interpreter;
use super::{Argument, Value};
use crate::symbols::{Kind, Size};
use crate::types::{Dtype, Reason, Shape, ShapeOf, Tensor};

impl Interpreter<'_> {
    /// A field of an argument.
    pub fn of_argument(
        &mut self,
        argument: &Arc<Argument>,
        name: &str,
        environment: &Environment,
    ) -> Value {
        match name {
            "shape" => match self.argument_shape(argument, environment) {
                // The code knows better than a description.
                Shape::Known(_) if self.states_shapes && environment.is_described(argument) => {
                    Value::ShapeOf(environment.owner_of_shape(argument))
                }
                Shape::Known(extents) => shape_tuple(&extents),
                Shape::Unknown(_) => Value::ShapeOf(environment.owner_of_shape(argument)),
            },
            "ndim" => {
                let owner = environment.owner_of_shape(argument);
                match environment.arguments().ranks.get(&owner.number) {
                    Some(rank) => int(*rank),
                    None => Value::RankOf(owner),
                }
            }
            "dtype" => Value::Dtype(argument_dtype(argument, environment)),
            _ => {
                let key = (argument.number, Arc::from(name));
                if let Some(field) = self.fields.get(&key) {
                    return Value::Argument(Arc::clone(field));
                }
                let field = Arc::new(Argument {
                    name: format!("{}.{name}", argument.name).into(),
                    number: self.fresh_number(),
                    space: None,
                });
                self.fields.insert(key, Arc::clone(&field));
                Value::Argument(field)
            }
        }
    }

    /// The shape of an argument, as far as the kernel states it.
    pub fn argument_shape(&mut self, argument: &Arc<Argument>, environment: &Environment) -> Shape {
        let argument = &*environment.owner_of_shape(argument);
        let Some(rank) = environment.arguments().ranks.get(&argument.number) else {
            return Shape::Unknown(Reason::Argument);
        };
        let axes = 0..i64::try_from(*rank).unwrap_or(0);
        let extents: Option<Vec<Size>> = axes
            .map(|axis| self.extent(argument, axis, None, environment))
            .collect();
        extents.map_or(Shape::Unknown(Reason::Argument), Shape::Known)
    }

    /// A value that must be an integer where it is used, as an extent or a bound of a slice: what is not known is a symbol of its own,
    /// of which nothing is ever proven.
    pub fn integer(&mut self, value: &Value) -> Option<Size> {
        match value {
            Value::Unknown(_) => {
                let number = self.fresh_number();
                Some(Size::named("?", number, Kind::Parameter))
            }
            other => other.as_size(),
        }
    }

    /// Integers of one tuple or list.
    pub fn integers(&mut self, values: &[Value]) -> Option<Vec<Size>> {
        values.iter().map(|value| self.integer(value)).collect()
    }

    /// A value as a tensor; one of which nothing is known where it is none.
    pub fn tensor(&mut self, value: &Value, environment: &Environment) -> Arc<Tensor> {
        match value {
            Value::Tensor(tensor) => self.with_learned_shape(tensor, environment),
            Value::Argument(argument) => {
                let shape = self.argument_shape(argument, environment);
                let shape_of = shape.known_extents().is_none().then(|| ShapeOf {
                    argument: environment.owner_of_shape(argument),
                    without: 0,
                });
                Arc::new(Tensor {
                    name: Some(Arc::clone(&argument.name)),
                    space: argument.space,
                    shape_of,
                    steps: shape.known_extents().and_then(Tensor::row_major),
                    shape,
                    dtype: Some(argument_dtype(argument, environment)),
                    argument: Some(Arc::clone(&argument.name)),
                    ..Tensor::unknown(Reason::Argument)
                })
            }
            other => Arc::new(Tensor::unknown(other.reason())),
        }
    }

    /// A tensor with the shape of an argument, of which more is known by now than where the tensor was declared.
    pub fn with_learned_shape(
        &mut self,
        tensor: &Arc<Tensor>,
        environment: &Environment,
    ) -> Arc<Tensor> {
        let (Some(of), None) = (&tensor.shape_of, tensor.shape.known_extents()) else {
            return Arc::clone(tensor);
        };
        let shape = self.argument_shape(&of.argument, environment);
        let Some(extents) = shape.known_extents().and_then(|all| all.get(of.without..)) else {
            let owner = environment.owner_of_shape(&of.argument);
            if owner.number == of.argument.number {
                return Arc::clone(tensor);
            }
            return Arc::new(Tensor {
                shape_of: Some(ShapeOf {
                    argument: owner,
                    without: of.without,
                }),
                ..(**tensor).clone()
            });
        };
        Arc::new(Tensor {
            shape: Shape::Known(extents.to_vec()),
            steps: Tensor::row_major(extents),
            shape_of: None,
            ..(**tensor).clone()
        })
    }
}

fn argument_dtype(argument: &Argument, environment: &Environment) -> Dtype {
    let stated = environment
        .arguments()
        .dtypes
        .get(&argument.number)
        .cloned();
    stated.unwrap_or_else(|| Dtype::Of {
        argument: Arc::clone(&argument.name),
        number: argument.number,
    })
}
