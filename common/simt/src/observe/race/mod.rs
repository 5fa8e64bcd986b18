//! Races: two accesses to the same bytes, at least one of them a write, that no synchronization orders. What counts as one is on the
//! book's page on races.
//!
//! A launch is first screened: [`screening`] says whether threads of one block certainly do not race, by the epochs of [`epochs`]. Only where
//! that is in doubt, the launch runs again with what follows.
//!
//! Within a block, shared and global memory alike: [`clock`] knows which accesses barriers order, [`record`] who has accessed a
//! cell since the last barrier, and [`cell`] which of two accesses are a race. [`shared`] and [`block`] keep the cells of the two memories, [`rows`] lines of global memory that
//! need none.
//! Between blocks [`grid`] finds races in global memory, when blocks run in order. Of a kernel in which fences, or what a thread does
//! next, may order or excuse accesses as well, all these find suspects only; the launch is run again then, and [`causality`] decides.
//!
//! Races are looked for in the order in which the simulator runs threads. What another order would do, on branches that this one does not
//! take, is not seen.

pub(crate) mod access;
pub(crate) mod block;
mod causality;
pub(crate) mod cell;
pub(crate) mod cells;
pub(crate) mod clock;
pub(crate) mod deferred;
mod epochs;
pub(in crate::observe) mod granule;
pub(crate) mod grid;
mod guesses;
mod ordered;
mod pages;
pub(crate) mod record;
mod report;
mod rows;
pub(crate) mod screening;
pub(crate) mod shared;
#[cfg(test)]
mod tests;
