//! Races: two accesses to the same bytes, at least one of them a write, that no synchronization orders. What counts as one is on the
//! book's page on races.
//!
//! A launch is first screened, its blocks at once: [`screening`] says whether there is certainly no race, by barriers alone and with a few bytes
//! per cell ([`epochs`]). Where that is in doubt, the launch runs again, its blocks in order, and the exact [`engine`] watches each access: with
//! all that orders them ([`causality`]), what was accessed before ([`history`]), and which pairs race ([`pairs`]). If anything but barriers
//! has ordered accesses, it runs once more with the last threads first, because a lock or a flag may have hidden a race by a lucky order.
//!
//! Races are looked for in the order in which the simulator runs threads. What another order would do, on branches that this one does not
//! take, is not seen.

mod causality;
pub(crate) mod engine;
mod epochs;
pub(in crate::observe) mod granule;
mod history;
mod kept;
mod pages;
mod pairs;
mod report;
mod rows;
pub(crate) mod screening;
mod time;
