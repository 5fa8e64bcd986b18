//! Execution: a warp runs the flat code until it ends, waits at a barrier, or faults.

mod access;
mod asynchronous;
mod atomics;
mod block;
mod call;
mod collective;
pub(crate) mod grid;
pub(crate) mod lanes;
mod matrix;
mod print;
mod surface;
mod texture;
mod warp;

pub(crate) use asynchronous::Asyncs;
pub(crate) use block::{BlockDone, Worker, run_block};

pub use matrix::TileProblem;

use crate::fault::{AccessKind, FaultKind, Target};
use crate::launch::{Launch, Options};
use crate::memory::marks::Marks;
use crate::memory::surface::SurfaceDesc;
use crate::memory::texture::TextureDesc;
use crate::plan::Plan;
use simt_ir::pointer::Space;
use simt_ir::{Kernel, Module};
use std::sync::atomic::{AtomicBool, AtomicU32};

/// A buffer as a launch sees it.
pub(crate) enum View<'a> {
    /// Freed.
    None,
    /// No instruction of this kernel writes it.
    Plain { words: &'a [u32], bytes: u64, unwritten: Option<&'a [u64]> },
    /// Perhaps written: by whichever block, so in relaxed atomic words.
    Written(WrittenView<'a>),
}

/// A buffer that the kernel may write.
pub(crate) struct WrittenView<'a> {
    pub(crate) words: &'a [AtomicU32],
    pub(crate) bytes: u64,
    pub(crate) unwritten: Option<&'a [u64]>,
    /// Which block has touched which word.
    pub(crate) marks: &'a Marks,
}

/// What all blocks of a launch share.
pub(crate) struct Machine<'a> {
    pub(crate) module: &'a Module,
    pub(crate) kernel: &'a Kernel,
    pub(crate) plan: &'a Plan,
    pub(crate) launch: &'a Launch,
    pub(crate) options: &'a Options,
    pub(crate) isa: lanes::Isa,
    pub(crate) buffers: Vec<View<'a>>,
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
}

/// A fault as the executor finds it: lanes of a warp.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) kind: FaultKind,
    pub(crate) lane: usize,
    pub(crate) further: u32,
    pub(crate) other: Option<simt_ir::Location>,
}

impl Raw {
    pub(crate) fn lanes(kind: FaultKind, lanes: u32) -> Box<Raw> {
        let further = lanes.count_ones().saturating_sub(1);
        Box::new(Raw { kind, lane: lanes::first(lanes), further, other: None })
    }
}

/// Where an instruction runs.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    pub(crate) pc: u32,
    /// Index of the warp in its block.
    pub(crate) warp: u32,
    /// Linear index of the block.
    pub(crate) block: u32,
}

impl Site {
    /// Linear index of a lane's thread in its block.
    pub(crate) fn thread(&self, lane: usize) -> u32 {
        self.warp * 32 + lane as u32
    }
}

/// How the offsets of a span lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One for all lanes.
    Same,
    /// Each lane after the one before; all 32 lanes.
    Contiguous,
    /// Anyhow.
    Any,
}

/// The part of a warp's access that lies in one allocation; checked against its bounds.
pub(crate) struct Span {
    pub(crate) space: Space,
    pub(crate) allocation: u32,
    /// Byte offsets as the pointer has them; those of lanes not in `mask` repeat one that is.
    pub(crate) off: [u32; 32],
    pub(crate) mask: u32,
    pub(crate) shape: Shape,
    /// Bytes a lane.
    pub(crate) bytes: u32,
}

/// A word that an instruction writes.
pub(crate) struct WordWrite {
    pub(crate) lane: usize,
    pub(crate) allocation: u32,
    pub(crate) word: u32,
    /// First byte in the word, and how many.
    pub(crate) first: u32,
    pub(crate) len: u32,
    pub(crate) old: u32,
    pub(crate) new: u32,
    pub(crate) atomic: bool,
}

/// What checkers and counters are told. All that is not overridden costs nothing.
#[allow(unused_variables)]
pub(crate) trait Observer {
    /// Whether [`Observer::shared_write`] and [`Observer::global_write`] do anything.
    const WRITES: bool = false;
    /// What it knows of one block alone, while that block waits at a barrier of the grid.
    type Parked;
    /// A block stops at a barrier of the grid.
    fn park(&mut self) -> Self::Parked;
    /// A block goes on that had stopped there.
    fn resume(&mut self, machine: &Machine, block: u32, parked: Self::Parked);
    /// All blocks leave a barrier of the grid.
    fn release_grid(&mut self) {}
    /// A block begins.
    fn begin(&mut self, machine: &Machine, block: u32) {}
    /// A warp executed the instructions from `from` up to, without, `to`.
    fn executed(&mut self, from: u32, to: u32, active: u32) {}
    /// A conditional branch.
    fn branch(&mut self, pc: u32, divergent: bool) {}
    /// A memory access, before it happens.
    fn access(
        &mut self,
        machine: &Machine,
        at: &Site,
        span: &Span,
        kind: AccessKind,
    ) -> Result<(), Box<Raw>> {
        Ok(())
    }
    /// A word of shared memory is about to change.
    fn shared_write(&mut self, machine: &Machine, at: &Site, write: &WordWrite) -> Result<(), Box<Raw>> {
        Ok(())
    }
    /// An asynchronous copy to a word of shared memory begins.
    fn async_begin(&mut self, machine: &Machine, at: &Site, write: &WordWrite) -> Result<(), Box<Raw>> {
        Ok(())
    }
    /// It ends: the word is about to change.
    fn async_end(&mut self, write: &WordWrite) {}
    /// A barrier in shared memory is arrived at or waited for.
    fn barrier_use(&mut self, machine: &Machine, at: &Site, span: &Span) -> Result<(), Box<Raw>> {
        Ok(())
    }
    /// A word of global memory is about to change; told when blocks run in order.
    fn global_write(&mut self, machine: &Machine, at: &Site, write: &WordWrite) -> Result<(), Box<Raw>> {
        Ok(())
    }
    /// A warp's call has given words `from` up to, without, `to` of its local memory to a new frame.
    fn frame(&mut self, warp: u32, from: u32, to: u32) {}
    /// Texture elements at those byte offsets were read by eight lanes.
    fn texture(&mut self, pc: u32, texture: u32, offsets: &[u64]) {}
    /// A warp arrives at a block barrier.
    fn arrive(&mut self, pc: u32) {}
    /// All warps of the block wait at a barrier or have ended. A fault that was held back until now: warp, instruction, what.
    fn settle(&mut self) -> Result<(), (u32, u32, Box<Raw>)> {
        Ok(())
    }
    /// All warps of the block leave a barrier.
    fn release(&mut self) {}
    /// Lanes of a warp synchronise.
    fn warp_sync(&mut self, warp: u32) {}
    /// A memory fence.
    fn fence(&mut self, block: u32) {}
}

/// Observes nothing.
#[derive(Default)]
pub(crate) struct Nothing;

impl Observer for Nothing {
    type Parked = ();
    fn park(&mut self) {}
    fn resume(&mut self, _: &Machine, _: u32, (): ()) {}
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    const WRITES: bool = A::WRITES || B::WRITES;
    type Parked = (A::Parked, B::Parked);
    fn park(&mut self) -> Self::Parked {
        (self.0.park(), self.1.park())
    }
    fn resume(&mut self, machine: &Machine, block: u32, parked: Self::Parked) {
        self.0.resume(machine, block, parked.0);
        self.1.resume(machine, block, parked.1);
    }
    fn release_grid(&mut self) {
        self.0.release_grid();
        self.1.release_grid();
    }
    fn begin(&mut self, machine: &Machine, block: u32) {
        self.0.begin(machine, block);
        self.1.begin(machine, block);
    }
    #[inline(always)]
    fn executed(&mut self, from: u32, to: u32, active: u32) {
        self.0.executed(from, to, active);
        self.1.executed(from, to, active);
    }
    #[inline(always)]
    fn branch(&mut self, pc: u32, divergent: bool) {
        self.0.branch(pc, divergent);
        self.1.branch(pc, divergent);
    }
    #[inline(always)]
    fn access(
        &mut self,
        machine: &Machine,
        at: &Site,
        span: &Span,
        kind: AccessKind,
    ) -> Result<(), Box<Raw>> {
        self.0.access(machine, at, span, kind)?;
        self.1.access(machine, at, span, kind)
    }
    #[inline(always)]
    fn shared_write(&mut self, machine: &Machine, at: &Site, write: &WordWrite) -> Result<(), Box<Raw>> {
        self.0.shared_write(machine, at, write)?;
        self.1.shared_write(machine, at, write)
    }
    fn async_begin(&mut self, machine: &Machine, at: &Site, write: &WordWrite) -> Result<(), Box<Raw>> {
        self.0.async_begin(machine, at, write)?;
        self.1.async_begin(machine, at, write)
    }
    fn async_end(&mut self, write: &WordWrite) {
        self.0.async_end(write);
        self.1.async_end(write);
    }
    fn barrier_use(&mut self, machine: &Machine, at: &Site, span: &Span) -> Result<(), Box<Raw>> {
        self.0.barrier_use(machine, at, span)?;
        self.1.barrier_use(machine, at, span)
    }
    fn global_write(&mut self, machine: &Machine, at: &Site, write: &WordWrite) -> Result<(), Box<Raw>> {
        self.0.global_write(machine, at, write)?;
        self.1.global_write(machine, at, write)
    }
    fn frame(&mut self, warp: u32, from: u32, to: u32) {
        self.0.frame(warp, from, to);
        self.1.frame(warp, from, to);
    }
    fn texture(&mut self, pc: u32, texture: u32, offsets: &[u64]) {
        self.0.texture(pc, texture, offsets);
        self.1.texture(pc, texture, offsets);
    }
    fn arrive(&mut self, pc: u32) {
        self.0.arrive(pc);
        self.1.arrive(pc);
    }
    fn settle(&mut self) -> Result<(), (u32, u32, Box<Raw>)> {
        self.0.settle()?;
        self.1.settle()
    }
    fn release(&mut self) {
        self.0.release();
        self.1.release();
    }
    fn warp_sync(&mut self, warp: u32) {
        self.0.warp_sync(warp);
        self.1.warp_sync(warp);
    }
    fn fence(&mut self, block: u32) {
        self.0.fence(block);
        self.1.fence(block);
    }
}

impl Machine<'_> {
    /// First byte offset and size of an allocation as pointers see them; `None` if there is none.
    #[inline]
    pub(crate) fn extent(&self, space: Space, allocation: u32) -> Option<(u64, u64)> {
        let index = allocation as usize;
        match space {
            Space::None => None,
            Space::Global => match self.buffers.get(index)? {
                View::None => None,
                View::Plain { bytes, .. } => Some((0, *bytes)),
                View::Written(view) => Some((0, view.bytes)),
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
        let (index, _) = self.plan.device_globals.iter().find(|(_, buffer)| *buffer == allocation)?;
        let bytes = self.module.globals[*index as usize].initial.get(pointer::offset(pointer) as usize..)?;
        let end = bytes.iter().position(|b| *b == 0)?;
        Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }

    fn global_name(&self, allocation: u32) -> Option<String> {
        let named = self.kernel.params.iter().zip(&self.launch.args).find(|(_, arg)| {
            matches!(arg, simt_ir::Constant::Ptr(p)
                if simt_ir::pointer::space(*p) == Space::Global && simt_ir::pointer::allocation(*p) == allocation)
        });
        named.map(|(param, _)| param.name.clone()).filter(|n| !n.is_empty()).or_else(|| {
            let device = self.plan.device_globals.iter().find(|(_, buffer)| *buffer == allocation)?;
            Some(self.module.globals[device.0 as usize].name.clone())
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
}
