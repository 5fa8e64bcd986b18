//! The crate's integration tests, in one program.

#![expect(
    clippy::disallowed_methods,
    reason = "random figures and colours' contrast, of which no bit matters"
)]

mod book;
mod chart;
mod listing;
mod page;
mod support;
mod theme;
mod warp;
