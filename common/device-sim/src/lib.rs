//! The simulated device: the front-end and the SIMT machine behind the [`device::Device`] trait, with device models, an
//! occupancy calculation and a modelled time.

mod model;
mod occupancy;
pub mod time;

pub use model::{Coalescing, DEFAULT_MODEL, DeviceModel, UnknownModel};
pub use occupancy::occupancy;
