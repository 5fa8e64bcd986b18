//! Labs, exercises, comparison, gates, grading and reports.
//!
//! A [`Lab`] is a list of exercises; an [`Exercise`] says which kernels a file must have, runs them on a device through a
//! [`Context`], and compares with a host reference. [`grade()`] turns one kernel file into an [`ExerciseReport`],
//! [`report`] renders it, and [`testing::main`] stamps it to named tests for `cargo test`.
//!
//! This crate knows no back-end: the caller passes a [`device::Device`]. It never panics on a student's file.

mod best;
pub mod compare;
mod context;
mod exercise;
mod expect;
mod explain;
pub mod explanation;
mod gate;
pub mod gates;
pub mod glossary;
pub mod grade;
mod guess;
mod hints;
mod host;
mod kept;
mod lab;
mod metrics;
mod random;
pub mod reference;
pub mod report;
mod result;
pub mod score;
pub mod starter;
mod suggest;
mod technique;
pub mod testing;

pub use self::report::bar;
pub use ::report::{
    Case, Check, Explained, Extra, GateResult, GateSize, HotLine, Metrics, Note, SCHEMA, Status, Table, Time,
    TimeKind,
};
pub use best::{Best, LargeRun, Outcome, Setting, Trial, Tuned, Tuning, large_runs, tune};
pub use compare::{Comparison, Mismatch};
pub use context::{Context, Failure, Printed, Tally, unless_too_large};
pub use exercise::{Exercise, Run};
pub use expect::{Expected, ExpectedConstant, ExpectedKernel, ExpectedSymbol, Parameter};
pub use gate::{Gate, Limit, Measured, Quantity};
pub use grade::{
    INSTRUCTIONS, LARGEST_FILE, Options, grade, grade_text, kernel_file, measure, read_kernel_file, record,
    run_report_case,
};
pub use hints::{Hint, Hints};
pub use host::{accumulate, time_host};
pub use kept::kept;
pub use lab::{Lab, Paths, Published, hyphenated, is_kernel_file};
pub use random::{SeededSizes, input};
pub use result::{ExerciseReport, Message};
pub use score::Weights;
pub use technique::Technique;

// Re-exports of the device interface, so that a lab depends on this crate alone.
pub use device::{
    AddressMode, Argument, BufferId, Counters, Device, DeviceError, DeviceInfo, Element, FilterMode,
    HandedOver, HandoverPath, Includes, KernelFile, LaunchRequest, LaunchShape, ProgramInfo,
    TextureDescription, TextureId, TextureLayers, Transfers,
};
