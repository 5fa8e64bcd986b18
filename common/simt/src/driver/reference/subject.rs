//! What is run by the definition.

use crate::launch::{Launch, Options};
use crate::machine::memory::device::Symbols;
use simt_ir::ValidModule;
use simt_ref::Schedule;

/// A launch with all that the definition needs to run it.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) module: &'a ValidModule,
    pub(crate) index: usize,
    pub(crate) symbols: &'a Symbols,
    pub(crate) launch: &'a Launch,
}

impl<'a> Subject<'a> {
    /// The launch as the definition takes it, with room for so many steps.
    pub(super) fn launch_of(&self, options: &Options, steps: u64, schedule: Schedule) -> simt_ref::Launch {
        simt_ref::Launch {
            grid: self.launch.grid,
            block: self.launch.block,
            dynamic_shared: self.launch.dynamic_shared,
            cooperative: self.launch.cooperative.is_some(),
            resident: options.limits.resident_blocks,
            independent_lanes: options.limits.independent_lanes,
            steps,
            follows_undefined: options.checks,
            schedule,
            // How large a frame is the IR leaves open, so this is for endless recursion alone.
            stack_bytes: 4 * u64::from(options.limits.stack_bytes),
            ..simt_ref::Launch::new(1, 1, &self.launch.args)
        }
    }
}
