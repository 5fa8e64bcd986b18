//! Lab 7: transpose.
