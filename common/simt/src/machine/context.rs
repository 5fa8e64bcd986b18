//! What all blocks of a launch share: the kernel's plan, memory as the launch sees it, limits, and what was found suspect.

use crate::fault::{Fault, FaultKind, Target};
use crate::isa::HostIsa;
use crate::launch::{Launch, Options};
use crate::machine::event::{InstSite, LaneFault};
use crate::machine::memory::owners::log::AccessLog;
use crate::machine::memory::owners::owner_table::OwnerTable;
use crate::machine::memory::surface::SurfaceDesc;
use crate::machine::memory::texture::TextureDesc;
use crate::plan::{Pc, Plan};
use simt_ir::pointer::Space;
use simt_ir::{Kernel, Location, Module};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};

/// A buffer as a launch sees it.
pub(crate) enum BufferView<'a> {
    /// Freed.
    Freed,
    /// No instruction of this kernel writes it.
    ReadOnly { words: &'a [u32], bytes: u64, unwritten: Option<&'a [u64]> },
    /// Perhaps written: by whichever block, so in relaxed atomic words.
    Written(WrittenBuffer<'a>),
}

/// A buffer that the kernel may write.
pub(crate) struct WrittenBuffer<'a> {
    pub(crate) words: &'a [AtomicU32],
    pub(crate) bytes: u64,
    pub(crate) unwritten: Option<&'a [u64]>,
    /// Which block has touched which word.
    pub(crate) owners: &'a OwnerTable,
}

/// What all blocks of a launch share.
pub(crate) struct Machine<'a> {
    pub(crate) module: &'a Module,
    pub(crate) kernel: &'a Kernel,
    pub(crate) plan: &'a Plan,
    pub(crate) launch: &'a Launch,
    pub(crate) options: &'a Options,
    pub(crate) isa: HostIsa,
    pub(crate) buffers: Vec<BufferView<'a>>,
    /// By global of the module; `None` for those in global memory.
    pub(crate) constants: Vec<Option<(&'a [u32], u64)>>,
    pub(crate) textures: &'a [Option<TextureDesc>],
    pub(crate) surfaces: &'a [Option<SurfaceDesc>],
    /// Bytes of a block's shared segment.
    pub(crate) shared_bytes: u32,
    /// Instructions that one block may execute.
    pub(crate) block_budget: u64,
    /// Whether blocks run one after the other, in order.
    pub(crate) ordered: bool,
    /// Set when two blocks touch a word and one of them writes it.
    pub(crate) conflict: AtomicBool,
    /// What is suspect and stops nothing, with the first block that does it: each once, however often its line stands in the
    /// plan.
    pub(crate) warnings: Mutex<BTreeMap<Suspect, (u32, Fault)>>,
}

/// What tells one suspect thing from another: where it is, and where the variable is declared that it is of.
pub(crate) type Suspect = (Option<Location>, Option<Location>);

impl Machine<'_> {
    /// The words of an allocation that no block changes during the launch.
    #[inline(always)]
    pub(crate) fn fixed_words(&self, space: Space, allocation: u32) -> Option<&[u32]> {
        match space {
            Space::Global => match &self.buffers[allocation as usize] {
                BufferView::ReadOnly { words, .. } => Some(words),
                BufferView::Written(_) | BufferView::Freed => None,
            },
            Space::Constant => self.constants[allocation as usize].map(|(words, _)| words),
            _ => None,
        }
    }

    /// Keeps what is suspect, unless a block before this one, or this one before, did the same.
    pub(crate) fn warn(&self, at: &InstSite, fault: LaneFault) {
        let declared = match fault.kind {
            FaultKind::NoValue { declared } => Some(declared),
            _ => None,
        };
        let suspect = (self.plan.locations[at.pc], declared);
        let mut warnings = self.warnings.lock().unwrap_or_else(|e| e.into_inner());
        let known = warnings.get(&suspect).is_some_and(|(block, _)| *block <= at.block);
        if !known {
            warnings.insert(suspect, (at.block, self.fault((at.block, at.warp, at.pc), fault)));
        }
    }

    /// What was kept of blocks up to `last`, in the order of the code.
    pub(crate) fn warned(&self, last: u32) -> Vec<Fault> {
        let warnings = std::mem::take(&mut *self.warnings.lock().unwrap_or_else(|e| e.into_inner()));
        warnings.into_values().filter(|(block, _)| *block <= last).map(|(_, fault)| fault).collect()
    }

    /// First byte offset and size of an allocation as pointers see them; `None` if there is none.
    #[inline]
    pub(crate) fn extent(&self, space: Space, allocation: u32) -> Option<(u64, u64)> {
        let index = allocation as usize;
        match space {
            Space::None => None,
            Space::Global => match self.buffers.get(index)? {
                BufferView::Freed => None,
                BufferView::ReadOnly { bytes, .. } => Some((0, *bytes)),
                BufferView::Written(view) => Some((0, view.bytes)),
            },
            Space::Shared => self.kernel.shared.get(index).map(|v| {
                let bytes = if v.dynamic { self.launch.dynamic_shared } else { v.bytes };
                (u64::from(v.offset), u64::from(bytes))
            }),
            Space::Constant => self.constants.get(index).copied().flatten().map(|(_, bytes)| (0, bytes)),
            Space::Local => self.kernel.locals.get(index).map(|v| (u64::from(v.offset), u64::from(v.bytes))),
        }
    }

    /// What a pointer means, for a message; and the start of it in the pointer's offsets.
    pub(crate) fn target(&self, space: Space, allocation: u32) -> (Target, u64) {
        let (start, bytes) = self.extent(space, allocation).unwrap_or((0, 0));
        let index = allocation as usize;
        let name = match space {
            Space::None => None,
            Space::Global => self.global_name(allocation),
            Space::Shared => self.kernel.shared.get(index).map(|v| v.name.clone()),
            Space::Constant => self.module.globals.get(index).map(|v| v.name.clone()),
            Space::Local => self.kernel.locals.get(index).map(|v| v.name.clone()),
        };
        (Target { space, allocation, name, bytes }, start)
    }

    /// The text that a pointer into a string literal points to: of a variable with initial bytes that end in a zero.
    pub(crate) fn string_literal(&self, pointer: u64) -> Option<String> {
        use simt_ir::pointer;
        if pointer::space(pointer) != Space::Global {
            return None;
        }
        let allocation = pointer::allocation(pointer);
        let device = self.plan.device_globals.iter().find(|device| device.buffer == allocation)?;
        let bytes =
            self.module.globals[device.global.index()].initial.get(pointer::offset(pointer) as usize..)?;
        let end = bytes.iter().position(|b| *b == 0)?;
        Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }

    fn global_name(&self, allocation: u32) -> Option<String> {
        let named = self.kernel.params.iter().zip(&self.launch.args).find(|(_, arg)| {
            matches!(arg, simt_ir::Constant::Ptr(p)
                if simt_ir::pointer::space(*p) == Space::Global && simt_ir::pointer::allocation(*p) == allocation)
        });
        named.map(|(param, _)| param.name.clone()).filter(|n| !n.is_empty()).or_else(|| {
            let device = self.plan.device_globals.iter().find(|device| device.buffer == allocation)?;
            Some(self.module.globals[device.global.index()].name.clone())
        })
    }

    /// Warps of a block.
    pub(crate) fn warps(&self) -> u32 {
        let [x, y, z] = self.launch.block;
        (x * y * z).div_ceil(32)
    }

    /// `threadIdx` of a thread by its linear index.
    pub(crate) fn thread(&self, linear: u32) -> [u32; 3] {
        let [x, y, _] = self.launch.block;
        [linear % x, linear / x % y, linear / x / y]
    }

    /// `blockIdx` of a block by its linear index.
    pub(crate) fn block(&self, linear: u32) -> [u32; 3] {
        let [x, y, _] = self.launch.grid;
        [linear % x, linear / x % y, linear / x / y]
    }

    /// A fault in terms of threads and blocks.
    pub(crate) fn fault(&self, (block, warp, pc): (u32, u32, Pc), fault: LaneFault) -> Fault {
        Fault {
            kind: fault.kind,
            location: self.plan.locations[pc],
            other: fault.other,
            thread: self.thread(warp * 32 + fault.lane as u32),
            block: self.block(block),
            further: fault.further,
        }
    }

    /// Empties a worker's log if it is full.
    #[inline(always)]
    pub(crate) fn flush_if_full(&self, log: &mut AccessLog) {
        if log.is_full() {
            self.flush(log);
        }
    }

    /// Empties a worker's log, and takes note of blocks that touch the same word.
    #[cold]
    pub(crate) fn flush(&self, log: &mut AccessLog) {
        let owners = |buffer: u32| match &self.buffers[buffer as usize] {
            BufferView::Written(view) => Some(view.owners),
            BufferView::ReadOnly { .. } | BufferView::Freed => None,
        };
        if log.flush(owners) {
            self.conflict.store(true, Relaxed);
        }
    }
}
