//! What all blocks of a launch share: the kernel's plan, memory as the launch sees it, limits, and warnings.
//!
//! A [`Machine`] is read-only while the blocks run, but for what they write to buffers, for warnings, and for the note that two blocks
//! conflict. It knows how to put a fault of lanes into terms of threads and blocks; it runs nothing.

use crate::fault::{Fault, FaultKind, NoteReason, Target};
use crate::isa::HostIsa;
use crate::launch::{Launch, Options, coordinates};
use crate::machine::event::{InstSite, LaneFault, WarpFault};
use crate::machine::mask::first;
use crate::machine::memory::heap::{Heap, HeapBlock};
use crate::machine::memory::owners::log::AccessLog;
use crate::machine::memory::owners::owner_table::OwnerTable;
use crate::machine::memory::surface::SurfaceDesc;
use crate::machine::memory::texture::TextureDesc;
use crate::machine::recording::Recording;
use crate::machine::recovery::Recovery;
use crate::machine::watching::Watching;
use crate::plan::Plan;
use simt_ir::pointer::{self, Space};
use simt_ir::{Kernel, Location, Module};
use source::hash::Mixer;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex};

/// A buffer as a launch sees it.
pub(crate) enum BufferView<'a> {
    Freed,
    /// No instruction of this kernel writes it. `unwritten` has a bit for each word that was never written, if there are any.
    ReadOnly {
        words: &'a [u32],
        bytes: u64,
        unwritten: Option<&'a [u64]>,
    },
    /// Some block may write it.
    Written(WrittenBuffer<'a>),
}

/// A buffer that the kernel may write: in relaxed atomic words, because blocks run at the same time.
pub(crate) struct WrittenBuffer<'a> {
    pub(crate) words: &'a [AtomicU32],
    pub(crate) bytes: u64,
    /// A bit for each word that was not written before the launch, if there are any and reads of them are to be found.
    pub(crate) unwritten: Option<&'a [u64]>,
    /// Which block has accessed which word.
    pub(crate) owners: &'a OwnerTable,
    /// Whether the kernel has nothing but atomic operations on it, for the whole device, which do not race among themselves.
    pub(crate) atomics_only: bool,
    /// Whether it is certain that no two threads access a byte of it that one of them writes.
    pub(crate) apart: bool,
}

/// A `__constant__` variable as a launch sees it.
#[derive(Clone, Copy)]
pub(crate) struct ConstantView<'a> {
    pub(crate) words: &'a [u32],
    pub(crate) bytes: u64,
}

/// The bytes of an allocation, as offsets of pointers to it.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) start: u64,
    /// How many.
    pub(crate) bytes: u64,
}

/// What distinguishes one warning from another: where it is, and the declaration and name of the variable concerned. An instruction
/// that stands in the plan several times warns once.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WarningKey {
    location: Option<Location>,
    variable: Option<(Location, Arc<str>)>,
    /// Of a note on a race: why, and where the other access is.
    race: Option<(NoteReason, Option<Location>)>,
    /// Whether it is where the search for races ends, of which there is one.
    is_limit: bool,
}

/// A warning of the first block that had it.
pub(crate) struct Warning {
    block: u32,
    fault: Fault,
}

/// Which threads go first where nothing orders them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ThreadOrder {
    /// Blocks and warps by index, or as [`Options::schedule_seed`] permutes warps.
    #[default]
    Ascending,
    /// The last block first, and in each the last warp.
    Descending,
    /// The same, and the lanes of each warp by themselves, the last one first.
    LanesDescending,
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
    pub(crate) constants: Vec<Option<ConstantView<'a>>>,
    pub(crate) textures: &'a [Option<TextureDesc>],
    pub(crate) surfaces: &'a [SurfaceDesc],
    /// The device's heap, if the kernel allocates.
    pub(crate) heap: Option<Heap<'a>>,
    /// Bytes of a block's shared segment.
    pub(crate) shared_bytes: u32,
    /// Whether blocks run one after the other, in order.
    pub(crate) ordered: bool,
    /// Which threads go first.
    pub(crate) thread_order: ThreadOrder,
    /// Set when two blocks access a word and one of them writes it, or one waits for others: when they have to run in order.
    pub(crate) conflict: AtomicBool,
    /// Set when a value of 64 bits turns out not to be affine though the plan says so.
    pub(crate) misfit: AtomicBool,
    /// Set when an access turns out to be elsewhere than was proved.
    pub(crate) refuted: AtomicBool,
    pub(crate) warnings: Mutex<BTreeMap<WarningKey, Warning>>,
    /// Set if the launch continues after faults.
    pub(crate) recovery: Option<&'a Recovery>,
    /// Whether accesses to shared memory are screened for races, and not watched one by one.
    pub(crate) screens_shared: bool,
    /// Set by checks that found accesses ordered by more than barriers, so that another order of threads may show more.
    pub(crate) learned: AtomicBool,
    /// Set if the launch records accesses.
    pub(crate) recording: Option<Recording>,
    /// Set if elements of its inputs are followed.
    pub(crate) watching: Option<&'a Watching<'a>>,
}

impl<'a> Machine<'a> {
    /// Whether accesses to a buffer or a shared variable have to be looked at for races.
    #[inline(always)]
    pub(crate) fn may_race(&self, space: Space, allocation: u32) -> bool {
        match space {
            Space::Global => {
                matches!(self.buffers.get(allocation as usize), Some(BufferView::Written(view)) if !view.apart)
            }
            Space::Shared => self.plan.proofs.shared_written.get(allocation as usize) != Some(&true),
            Space::Constant | Space::Local | Space::None => false,
        }
    }

    /// The words of a `__constant__` variable.
    #[inline(always)]
    pub(crate) fn constant_words(&self, index: u32) -> Option<&'a [u32]> {
        self.constants[index as usize].map(|constant| constant.words)
    }

    /// Whether a block of the grid runs: all do, but for some of a launch whose elements are followed.
    pub(crate) fn runs(&self, block: u32) -> bool {
        self.watching.is_none_or(|watching| watching.runs(block))
    }

    /// Takes in what the buffers hold that the launch may write.
    pub(crate) fn mix_buffers(&self, hash: &mut Mixer) {
        for buffer in &self.buffers {
            if let BufferView::Written(view) = buffer {
                view.words.iter().for_each(|word| hash.mix(u64::from(word.load(Relaxed))));
            }
        }
    }

    /// Keeps a warning, unless this block or an earlier one had it before.
    pub(crate) fn warn(&self, at: &InstSite, fault: LaneFault) {
        let variable = match &fault.kind {
            FaultKind::NoValue { variable } => Some((variable.declared, variable.name.clone())),
            _ => None,
        };
        let race = match &fault.kind {
            FaultKind::RaceNote { reason, previous, .. } => Some((*reason, previous.location)),
            _ => None,
        };
        let is_limit = matches!(fault.kind, FaultKind::RaceSearchLimit { .. });
        let location = self.plan.locations[at.pc].filter(|_| !is_limit);
        let key = WarningKey { location, variable, race, is_limit };
        let mut warnings = self.warnings.lock().unwrap_or_else(|e| e.into_inner());
        if warnings.get(&key).is_none_or(|known| at.block < known.block) {
            warnings.insert(key, Warning { block: at.block, fault: self.fault(at, fault) });
        }
    }

    /// Takes the warnings of blocks up to `last`, in the order of the code.
    pub(crate) fn take_warnings(&self, last: u32) -> Vec<Fault> {
        let warnings = std::mem::take(&mut *self.warnings.lock().unwrap_or_else(|e| e.into_inner()));
        warnings.into_values().filter(|warning| warning.block <= last).map(|warning| warning.fault).collect()
    }

    /// The bytes of an allocation; `None` if there is no such allocation. Local arrays of called functions have frames of their own.
    #[inline]
    pub(crate) fn extent(&self, space: Space, allocation: u32) -> Option<Extent> {
        let index = allocation as usize;
        let (start, bytes) = match space {
            Space::None => return None,
            Space::Global => match self.buffers.get(index)? {
                BufferView::Freed => return None,
                BufferView::ReadOnly { bytes, .. } => (0, *bytes),
                BufferView::Written(view) => (0, view.bytes),
            },
            Space::Shared => {
                let variable = self.kernel.shared.get(index)?;
                let bytes = if variable.dynamic { self.launch.dynamic_shared } else { variable.bytes };
                (u64::from(variable.offset), u64::from(bytes))
            }
            Space::Constant => (0, self.constants.get(index).copied().flatten()?.bytes),
            Space::Local => {
                let array = self.kernel.locals.get(index)?;
                (u64::from(array.offset), u64::from(array.bytes))
            }
        };
        Some(Extent { start, bytes })
    }

    /// A byte of an allocation as messages give it: from the start of the variable.
    pub(crate) fn offset_in(&self, space: Space, allocation: u32, byte: i64) -> i64 {
        byte - self.extent(space, allocation).map_or(0, |extent| extent.start as i64)
    }

    /// The variable or buffer that a pointer means, for a message.
    pub(crate) fn target(&self, space: Space, allocation: u32) -> Target {
        let index = allocation as usize;
        let name = match space {
            Space::None => None,
            Space::Global => self.global_name(allocation),
            Space::Shared => self.kernel.shared.get(index).map(|v| v.name.clone()),
            Space::Constant => self.module.globals.get(index).map(|v| v.name.clone()),
            Space::Local => self.kernel.locals.get(index).map(|v| v.name.clone()),
        };
        if space == Space::Global && allocation >= pointer::HEAP {
            let bytes = self.heap_block(allocation).map_or(0, |block| block.bytes);
            return Target { space, allocation, name: Some(format!("malloc({bytes})")), bytes };
        }
        let bytes = self.extent(space, allocation).map_or(0, |extent| extent.bytes);
        Target { space, allocation, name, bytes }
    }

    /// A byte of an allocation, as messages give it: in the block that has it, if it is in the heap's buffer.
    pub(crate) fn target_at(&self, space: Space, allocation: u32, byte: i64) -> (Target, i64) {
        match &self.heap {
            Some(heap) if (space, allocation) == (Space::Global, heap.memory.buffer) => {
                let (number, start) = heap.at(byte as u64).map_or((allocation, 0), |(n, b)| (n, b.start));
                (self.target(space, number), byte - start as i64)
            }
            _ => (self.target(space, allocation), self.offset_in(space, allocation, byte)),
        }
    }

    /// The block of the heap that a pointer to global memory means.
    pub(crate) fn heap_block(&self, number: u32) -> Option<HeapBlock> {
        self.heap.as_ref()?.block(number)
    }

    /// The text that a pointer into a string literal points to: of a variable with initial bytes that end in a zero.
    pub(crate) fn string_literal(&self, pointer: u64) -> Option<String> {
        if pointer::space(pointer) != Space::Global {
            return None;
        }
        let allocation = pointer::allocation(pointer);
        let device = self.plan.device_globals.iter().find(|device| device.buffer == allocation)?;
        let initial = &self.module.globals[device.global.index()].initial;
        literal_at(initial, pointer)
    }

    /// The name of the first kernel parameter that points to a buffer, or of the module variable that it is.
    fn global_name(&self, allocation: u32) -> Option<String> {
        self.launch.buffer_parameter(self.kernel, allocation).or_else(|| {
            let device = self.plan.device_globals.iter().find(|device| device.buffer == allocation)?;
            Some(self.module.globals[device.global.index()].name.clone())
        })
    }

    /// Whether lanes execute an atomic operation from the last to the first.
    pub(crate) fn is_last_lane_first(&self) -> bool {
        self.options.schedule_seed % 2 == 1 || self.thread_order != ThreadOrder::Ascending
    }

    /// Warps of a block.
    pub(crate) fn warps(&self) -> u32 {
        let [x, y, z] = self.launch.block;
        (x * y * z).div_ceil(32)
    }

    /// `threadIdx` of a thread by its linear index.
    pub(crate) fn thread(&self, linear: u32) -> [u32; 3] {
        coordinates(linear, self.launch.block)
    }

    /// `blockIdx` of a block by its linear index.
    pub(crate) fn block(&self, linear: u32) -> [u32; 3] {
        coordinates(linear, self.launch.grid)
    }

    /// A fault in terms of threads and blocks.
    pub(crate) fn fault(&self, at: &InstSite, fault: LaneFault) -> Fault {
        Fault {
            kind: fault.kind,
            location: self.plan.locations[at.pc],
            other: fault.other,
            thread: self.thread(at.thread(first(fault.lanes))),
            block: self.block(at.block),
            further: fault.lanes.count_ones().saturating_sub(1),
        }
    }

    /// The same for a warp of a block.
    pub(crate) fn warp_fault(&self, block: u32, WarpFault { warp, pc, fault }: WarpFault) -> Box<Fault> {
        Box::new(self.fault(&InstSite { pc, warp, block }, *fault))
    }

    /// What an observer finds in an access that otherwise does no harm: an error, unless the launch continues after faults.
    #[inline(always)]
    pub(crate) fn tolerate(
        &self,
        at: &InstSite,
        result: Result<(), Box<LaneFault>>,
    ) -> Result<(), Box<LaneFault>> {
        result.or_else(|fault| self.keep(at, fault))
    }

    /// Keeps a fault, if the launch continues after it.
    ///
    /// # Errors
    /// The fault, if it does not.
    #[cold]
    pub(crate) fn keep(&self, at: &InstSite, fault: Box<LaneFault>) -> Result<(), Box<LaneFault>> {
        let Some(recovery) = self.recovery.filter(|_| fault.kind.is_recoverable()) else { return Err(fault) };
        let goes_on = recovery.add(self.fault(at, (*fault).clone()));
        if goes_on { Ok(()) } else { Err(fault) }
    }

    /// The same for a fault that an observer had deferred.
    pub(crate) fn keep_deferred(&self, fault: Box<Fault>) -> Result<(), Box<Fault>> {
        let goes_on =
            self.recovery.filter(|_| fault.kind.is_recoverable()).is_some_and(|r| r.add((*fault).clone()));
        if goes_on { Ok(()) } else { Err(fault) }
    }

    /// Flushes a worker's log if it is full.
    #[inline(always)]
    pub(crate) fn flush_if_full(&self, log: &mut AccessLog) {
        if log.is_full() {
            self.flush(log);
        }
    }

    /// Flushes a worker's log to the owner tables, and notes if two blocks conflict.
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

/// The text in the initial bytes of a variable from where a pointer to it points, up to a zero.
pub(crate) fn literal_at(initial: &[u8], pointer: u64) -> Option<String> {
    let bytes = initial.get(pointer::offset(pointer) as usize..)?;
    let end = bytes.iter().position(|b| *b == 0)?;
    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
}
