//! The types of reports, for what writes their JSON and what reads it.
//!
//! A field is declared once, here: the devices and the harness fill it in, and pages and grades read it. What newer
//! reports added has a default, so that older reports can be read, too.

mod counters;
mod device;
mod diagnostic;
mod grade;
mod graded;
mod metrics;
mod recording;

pub use counters::{Counters, LineCounters};
pub use device::{DeviceInfo, Occupancy};
pub use diagnostic::{
    Barrier, Diagnostic, Edit, Label, Message, Race, RaceAccess, Related, Suggestion, Tried,
};
pub use grade::{Case, Check, Extra, GateResult, GateSize, HotLine, Status, Table};
pub use graded::{Error, OLDEST_SCHEMA, Recorded, Report, SCHEMA};
pub use metrics::{Explained, Metrics, Note, Time, TimeKind, duration};
pub use recording::{WarpAccess, WarpAccessKind, WarpAccesses, WarpBranch};
