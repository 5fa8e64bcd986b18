//! The page of graded exercises.
//!
//! The renderer takes the JSON of a report (`lab run --json`, one line of `lab grade`), not the harness's types. The JSON is public and
//! has a version, so a page can also be made of grades that were stored, or of what a simulator in a browser has said, and this crate
//! depends on no other of the project. What it does not know is passed over; what it needs and does not find is an [`Error`] that names
//! the field.

mod checks;
mod data;
mod diagnostics;
mod page;
mod performance;
mod pictures;

pub use data::{
    Case, Check, Counters, Device, Diagnostic, Error, Extra, Gate, GateSize, HotLine, Label, Message,
    Metrics, OLDEST_SCHEMA, Occupancy, Recorded, Report, SCHEMA, Status, Table, Time, TimeKind,
};
pub use page::{Graded, handout, ids, page};
pub use pictures::{Picture, pictures};
