//! What names mean, and which of them mean nothing, in generated programs ([`LOOKUPS`]): see [`crate::constants`].

use crate::constants::{compare_with_nvrtc, compare_with_recorded};
use generate::feature::LOOKUPS;

#[test]
fn names_mean_what_they_mean_to_cuda() {
    compare_with_nvrtc("look-up", &LOOKUPS);
}

#[test]
fn names_mean_what_is_recorded() {
    compare_with_recorded(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lookup.txt"), &LOOKUPS, 20);
}
