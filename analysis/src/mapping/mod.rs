//! The mapping algebra.
