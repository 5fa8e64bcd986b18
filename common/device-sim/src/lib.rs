//! The simulated device: cuda-front and simt behind the Device trait.
