//! The Device trait: what a lab sees of a GPU, simulated or real.
