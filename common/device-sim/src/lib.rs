//! The simulated device: the front-end and the SIMT machine behind the [`Device`](::device::Device) trait, with device models, an
//! occupancy calculation and a modelled time.

/// The value of the machine's enumeration that has the same name.
macro_rules! same {
    ($value:expr, $from:ident as $to:ident: $($name:ident)*) => {
        match $value { $($from::$name => simt::$to::$name,)* }
    };
}

mod advise;
mod device;
mod diagnose;
mod handover;
mod model;
mod occupancy;
mod program;
mod recording;
mod report;
mod source_lines;
pub mod time;

pub use crate::device::SimDevice;
pub use cuda_syntax::with_large_stack;
pub use model::{Coalescing, DEFAULT_MODEL, DeviceModel, UnknownModel};
pub use occupancy::{occupancy, occupancy_with_registers};
pub use simt::run_launches_on_their_callers_thread;
