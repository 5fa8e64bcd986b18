//! The reference kernels, and the tests that prove them.
