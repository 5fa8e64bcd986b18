//! The GPU device's integration tests, in one program.

mod oracle;
mod standard;
mod symbols;
