//! What is run by the definition.

use crate::launch::Launch;
use crate::machine::memory::device::Symbols;
use simt_ir::ValidModule;

/// A launch with all that the definition needs to run it.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) module: &'a ValidModule,
    pub(crate) index: usize,
    pub(crate) symbols: &'a Symbols,
    pub(crate) launch: &'a Launch,
}
