//! From structured IR to flat code: control flow becomes jumps and explicit masks, each IR instruction one operation, each register a
//! slot of a register file.
//!
//! [`control_flow`] walks the structure, [`instructions`] and [`effects`] select operations, [`registers`] assigns slots.

mod control_flow;
mod effects;
mod instructions;
mod register_allocation;
mod registers;
mod selector;

#[cfg(test)]
pub(crate) use register_allocation::{SharedFile, slot_owners};
pub(crate) use selector::{Input, select};
