//! One module per command. A command returns whether everything that it checked passed.

pub(crate) mod autograder;
pub(crate) mod best;
pub(crate) mod compare;
pub(crate) mod compile;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod export_course;
mod feedback;
pub(crate) mod grade;
pub(crate) mod gradebook;
pub(crate) mod hint;
pub(crate) mod init;
pub(crate) mod launch;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod models;
pub(crate) mod once;
pub(crate) mod profile;
pub(crate) mod reset;
pub(crate) mod run;
pub(crate) mod sanitize;
pub(crate) mod similar;
pub(crate) mod starters;
pub(crate) mod status;
pub(crate) mod tune;
pub(crate) mod watch;
