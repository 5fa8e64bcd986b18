//! The page of graded exercises.
//!
//! The renderer reads the JSON of a report (`lab run --json`, one line of `lab grade`) with the types of the crate
//! `report`. The JSON is public and versioned, so a page can also be made from stored grades or from a simulator in a
//! browser. It ignores unknown fields; a missing required field is an [`Error`] that names the field.

mod checks;
mod data;
mod diagnostics;
mod page;
mod performance;
mod pictures;

pub use ::report::{Check, Status};
pub use data::{Diagnostic, Error, Label, Message, OLDEST_SCHEMA, Recorded, Report, SCHEMA};
pub use page::{Graded, handout, ids, page};
pub use pictures::{Picture, pictures};
