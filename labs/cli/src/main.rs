//! The lab command line.
fn main() {}
