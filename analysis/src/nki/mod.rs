//! Python kernels for the NeuronCore, written in NKI, as far as their transfers by DMA go.
//!
//! `syntax` parses; `names` knows the API; `symbols` is arithmetic with symbols; `values` follows statements without running any;
//! `transfers` are the calls that it meets. `rules`, `ide` and `cost` read those and derive nothing again. Imports nothing of the rooms
//! of Rust kernels.

#![allow(dead_code)]
mod names;
mod symbols;
mod syntax;
mod transfers;
mod types;
mod values;
