//! A launch that was accepted: what it runs, within the limits, and what a run of it is for.

use crate::counters::Counters;
use crate::driver::limits;
use crate::fault::{Fault, FaultKind};
use crate::launch::{Launch, Options};
use crate::machine::memory::device::{DeviceMemory, ModuleId, Symbols};
use crate::machine::recovery::Recovery;
use crate::machine::watching::Watching;
use simt_ir::{Kernel, ValidModule};
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

/// A kernel that can be launched: of a module whose variables are in memory.
#[derive(Clone, Copy, Debug)]
pub struct KernelRef<'a> {
    /// The module.
    pub module: &'a ValidModule,
    /// Its variables, as [`DeviceMemory::load`] gave them.
    pub symbols: ModuleId,
    /// Which kernel: index into [`simt_ir::Module::kernels`] (0-based).
    pub index: usize,
}

/// What a run is for, beside its outcome.
#[derive(Clone, Copy, Default)]
pub(super) struct Purpose<'a> {
    /// To find more mistakes: the launch continues after faults.
    pub(super) recovery: Option<&'a Recovery>,
    /// To see what was counted by location until the budget ended.
    pub(super) sampled: Option<&'a Mutex<Vec<Counters>>>,
    /// To follow elements of its inputs.
    pub(super) watching: Option<&'a Watching<'a>>,
}

/// A launch that is within the limits.
pub(super) struct Accepted<'a> {
    pub(super) kernel: KernelRef<'a>,
    pub(super) launch: &'a Launch,
    pub(super) entry: &'a Kernel,
    pub(super) symbols: Symbols,
    /// Bytes of a block's shared segment.
    pub(super) shared_bytes: u32,
    /// What its runs have cost.
    pub(super) work: AtomicU64,
}

impl<'a> Accepted<'a> {
    pub(super) fn of(
        memory: &DeviceMemory,
        kernel: KernelRef<'a>,
        launch: &'a Launch,
        options: &Options,
    ) -> Result<Accepted<'a>, Box<Fault>> {
        let KernelRef { module, symbols, index } = kernel;
        let invalid = |message: String| Box::new(Fault::launch(FaultKind::InvalidModule { message }, None));
        let no_kernel = || invalid(format!("kernel {index} does not exist"));
        let entry = module.kernels.get(index).ok_or_else(no_kernel)?;
        let found = memory.modules.get(symbols.0 as usize);
        let found = found.filter(|s| s.globals.len() == module.globals.len());
        let symbols = found.cloned().ok_or_else(|| invalid("the module is not loaded".into()))?;
        let shared_bytes = limits::check_launch(entry, launch, options)?;
        Ok(Accepted { kernel, launch, entry, symbols, shared_bytes, work: AtomicU64::new(0) })
    }
}
