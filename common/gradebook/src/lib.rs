//! What happens to results after grading: they are read, merged, written in other formats, and summed up for each student.
//!
//! The results are the JSON lines of `lab grade`: one object for each file, a report or the reason why there is none. This crate knows
//! neither labs nor the simulator, and it opens no file: it reads from streams and returns text, so all of it can be tested without a disk.
//!
//! | module | what it is |
//! |---|---|
//! | [`record`] | one line of results |
//! | [`lines`] | a stream of results, a line at a time |
//! | [`format`](mod@format) | the same results as CSV, JUnit XML, Gradescope's and Autolab's JSON |
//! | [`cell`] | text in a table that a spreadsheet opens |
//! | [`merge`] | the results of several shards as those of one run |
//! | [`course`], [`moment`] | the course file, with deadlines |
//! | [`exception`] | groups of students, and what is different for single ones |
//! | [`naming`], [`roster`] | whose a file is |
//! | [`builder`], [`rollup`] | the grades of each student |
//! | [`grades`] | the grades as text, JSON, and tables for learning management systems |
//! | [`alias`] | the grades without names |
//! | [`pages`] | pages to hand back |
//!
//! # What holds for everything written here
//!
//! - A file that could not be graded has no score. It is never written as 0, and a sum without it says that it is provisional.
//! - Names, paths and kernel text come from students. Each format escapes them, and characters that a terminal or a spreadsheet would
//!   obey are spelled out.
//! - The same results give the same bytes, on every computer.

pub mod alias;
pub mod builder;
pub mod cell;
pub mod course;
pub mod exception;
pub mod format;
pub mod grades;
pub mod lines;
pub mod merge;
pub mod moment;
pub mod naming;
pub mod pages;
pub mod record;
pub mod rollup;
pub mod roster;

pub use format::{Format, Options, Writer};
pub use lines::{Line, Lines, ReadError};
pub use record::{Outcome, Record};
