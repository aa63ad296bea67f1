//! PTO files: MLIR text of the PTO dialect, as far as data moves between global memory and the Unified Buffer.
//!
//! Data flows one way: text to operations, operations to functions of actions, and from these transfers, registers and order.

pub mod order;
pub mod program;
pub mod registers;
pub mod syntax;
pub mod transfers;
pub mod values;
