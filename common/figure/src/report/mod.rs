//! The page of graded exercises.
//!
//! The renderer reads the JSON of a report (`lab run --json`, one line of `lab grade`) with the types of the crate
//! `report`. The JSON is public and versioned, so a page can also be made from stored grades or from a simulator in a
//! browser. It ignores unknown fields; a missing required field is an [`Error`] that names the field.

mod checks;
mod diagnostics;
mod page;
mod performance;
mod pictures;

pub use ::report::{Check, Error, OLDEST_SCHEMA, Recorded, Report, SCHEMA, Status};
pub use page::{Graded, handout, ids, page};
pub use pictures::{Picture, pictures, recorded};
