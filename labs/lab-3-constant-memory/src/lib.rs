//! Lab 3: constant memory.
