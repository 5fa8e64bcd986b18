//! The integration tests of the IR, in one program.

mod rules;
