//! Races: two accesses to the same bytes, at least one of them a write, that no synchronization orders.
//!
//! [`shared`] finds them in a block's shared memory, exactly but for what its page says. [`global`] finds them between blocks in global
//! memory, when blocks run in order. Accesses to global memory by threads of one block are not looked at.

pub(crate) mod cells;
pub(crate) mod deferred;
pub(crate) mod global;
pub(crate) mod shared;
#[cfg(test)]
mod tests;
