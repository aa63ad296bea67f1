//! The programs of visa-lint as a library, so that tests can call them in-process.
