//! Benchmarks of the front-end, the simulator and the labs.
