//! The crate's integration tests, in one program.

mod chart;
mod listing;
mod page;
mod support;
mod theme;
