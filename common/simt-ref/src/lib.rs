//! The executable definition of the SIMT IR: a scalar interpreter, written down from the page of [`simt_ir`] as plainly as it
//! can be, to compare everything else with.
//!
//! [`run`] takes a valid module, a launch and memory, and gives what the launch does: the memory afterwards, what it prints, and
//! the fault that stops it, if one does. It shares nothing with the machine that students' kernels run on, or with the passes, but
//! the IR and its math library. It is slow, and it refuses what would make it long: no plan, no analysis, no vector, no thread of
//! the host. An observer receives each access and what orders accesses ([`log`]); one of
//! them says which accesses race ([`races`]).
//!
//! # Lanes
//!
//! A thread's place in the tree of nodes is a path (`thread`), and the lockstep of the IR's page is one sentence about paths:
//! of a warp's lanes those with the lowest path go first, and lanes with one path execute an instruction together. As a
//! lane's path only ever grows, those behind catch up with those ahead before any of them continues, which is at the end of
//! each node.
//!
//! # Order
//!
//! Which threads go first is a [`Schedule`]. Under [`Schedule::Lockstep`] lanes go by path, warps of a block go in the order of
//! their index, each until it waits (or for 65536 nodes), and blocks one after the other. Under [`Schedule::Threads`] each
//! thread goes as far as it can alone. Threads that wait in loops for others let these continue: see `waits`. A program without races whose atomics do not depend on their order does the same under each.
//!
//! # What the IR's page leaves open
//!
//! * Lanes of one store that meet at one byte: they write in lane order. Lanes of one instruction never see each other's stores
//!   half done, because every element of an access is aligned to its size.
//! * What shared memory and local arrays hold that nothing has written: the launch says it, and no program may depend on it.
//! * A function that gives no result gives zeros.
//! * An instruction that fails in several lanes stops the launch once, and its [`Fault`] names all of them.
//! * Stack: a call takes 16 bytes, and its local arrays, aligned to 16.
//! * Among what must not be is a divergent barrier: in lockstep lanes that wait at a barrier hold up the rest of their warp, so
//!   all of them must be there at once, and a thread that has ended never comes.

mod access;
mod asynchronous;
mod block;
mod collective;
mod definedness;
mod fault;
mod grid;
mod inst;
pub mod log;
mod matrix;
mod memory;
pub mod races;
mod texture;
mod thread;
pub mod value;
mod waits;

pub use fault::{Fault, FaultKind};
pub use log::{AccessKind, Event, Place};
pub use memory::{Bytes, Heap, Memory, Variable};
pub use texture::{NoTextures, SurfaceElement, Texel, TextureRead, TextureUnit};

use fault::Stop;
use simt_ir::{Constant, Kernel, Location, Node, SourceVariable, StringIndex, ValidModule};
use std::collections::BTreeMap;
use std::sync::Arc;

/// In which order threads go where the IR does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// The lanes of a warp together, node by node; warps and blocks in order.
    Lockstep,
    /// Each thread by itself, until it ends or has to wait: at barriers, and where an instruction looks at other lanes. In
    /// order, or in descending order of blocks, warps and lanes.
    Threads {
        /// Whether the last one goes first.
        descending: bool,
    },
}

impl Schedule {
    /// Which of `count` has turn `number`.
    fn pick(self, number: usize, count: usize) -> usize {
        match self {
            Schedule::Lockstep | Schedule::Threads { descending: false } => number,
            Schedule::Threads { descending: true } => count - 1 - number,
        }
    }
}

/// What to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Blocks by axis.
    pub grid: [u32; 3],
    /// Threads of a block by axis.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Whether blocks may wait for each other at barriers of the grid.
    pub cooperative: bool,
    /// Blocks that are resident at once, if it is not cooperative.
    pub resident: u64,
    /// Whether lanes that wait for lanes of their own warp can continue by themselves.
    pub independent_lanes: bool,
    /// Arguments, one for each parameter, each of its register type.
    pub args: Vec<Constant>,
    /// Who goes first.
    pub schedule: Schedule,
    /// Nodes that all threads together may execute, counted for each thread; also the most threads that may be started.
    pub steps: u64,
    /// Bytes of stack that a thread has for calls.
    pub stack_bytes: u64,
    /// What each byte of shared and local memory holds that nothing has written.
    pub unwritten: u8,
    /// Whether uses of undefined values are looked for; else they are values like any other.
    pub follows_undefined: bool,
}

impl Launch {
    /// One of so many blocks and threads along x, in lockstep, with room for ten million steps.
    pub fn new(grid: u32, block: u32, args: &[Constant]) -> Launch {
        Launch {
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            dynamic_shared: 0,
            cooperative: false,
            resident: u64::MAX,
            independent_lanes: true,
            args: args.to_vec(),
            schedule: Schedule::Lockstep,
            steps: 10_000_000,
            stack_bytes: 1024,
            unwritten: 0xff,
            follows_undefined: true,
        }
    }
}

/// A launch that cannot be begun.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LaunchError(pub String);

/// How a launch ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// All threads have ended.
    Done,
    /// An instruction failed. What memory holds then is not defined.
    Fault(Fault),
    /// [`Launch::steps`] were not enough.
    OutOfSteps,
}

/// A `printf` of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// Linear index of the block.
    pub block: u32,
    /// Linear index of the thread in it.
    pub thread: u32,
    /// The format.
    pub format: StringIndex,
    /// Type and bits of each argument.
    pub args: Vec<(simt_ir::Type, u64)>,
}

/// An undefined value that was used, where that does not stop the launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoValue {
    /// The instruction's position.
    pub location: Location,
    /// The variable because of which it is undefined.
    pub variable: Arc<SourceVariable>,
    /// Linear index of the block of the first thread that did.
    pub block: u32,
    /// Linear index of the thread in it.
    pub thread: u32,
    /// Whether all that was done with it is to store it in local arrays, which a pass may put into registers: then it is a copy.
    pub kept: bool,
}

/// What a launch did, besides memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How it ended.
    pub end: End,
    /// What it printed, in the order in which it did.
    pub printed: Vec<Printed>,
    /// Once for each instruction and variable.
    pub no_value: Vec<NoValue>,
    /// Whether a warp had to let others continue after 65536 nodes. If warps wait for what others store, the outcome may depend on
    /// that number.
    pub sliced: bool,
}

/// What a launch may use besides memory.
#[derive(Default)]
pub struct Host<'r, 'm> {
    /// The texture unit; [`NoTextures`] if there is none.
    pub textures: Option<&'r dyn TextureUnit>,
    /// Receives each event.
    pub observer: Option<&'r mut dyn FnMut(&Event<'m>)>,
}

/// What all threads of a launch share.
struct World<'r, 'm> {
    kernel: &'m Kernel,
    /// What values may be undefined because of, by number from 1.
    variables: Vec<Arc<SourceVariable>>,
    launch: &'r Launch,
    memory: &'r mut Memory,
    textures: &'r dyn TextureUnit,
    observer: Option<&'r mut dyn FnMut(&Event<'m>)>,
    /// Bytes of a block's shared segment.
    shared_bytes: usize,
    report: Report,
    /// Steps that are left.
    steps: u64,
    /// Asynchronous copies so far.
    copies: u64,
    /// Whether lanes that wait for spinning lanes of their warp become a part of their own at once.
    splits_early: bool,
    /// By loop, whether it polls.
    polling: BTreeMap<usize, bool>,
}

/// The most threads of a block, bytes of its shared segment and of a thread's local arrays: far above what devices have, so
/// that a launch cannot ask for all memory of the host.
const MAX_THREADS: u64 = 1 << 16;
const MAX_SEGMENT: u64 = 1 << 20;

/// Runs a kernel: `kernel` indexes [`simt_ir::Module::kernels`].
///
/// # Errors
/// If the launch does not fit the kernel.
pub fn run<'r, 'm>(
    module: &'m ValidModule,
    kernel: usize,
    launch: &'r Launch,
    memory: &'r mut Memory,
    host: Host<'r, 'm>,
) -> Result<Report, LaunchError> {
    let refuse = |message: &str| Err(LaunchError(message.to_owned()));
    let Some(kernel) = module.kernels.get(kernel) else { return refuse("there is no such kernel") };
    let product = |axes: [u32; 3]| axes.iter().try_fold(1u32, |n, axis| n.checked_mul(*axis));
    let (Some(blocks), Some(threads)) = (product(launch.grid), product(launch.block)) else {
        return refuse("more than 2^32 blocks, or threads of a block");
    };
    if blocks == 0 || threads == 0 || u64::from(threads) > MAX_THREADS {
        return refuse("no blocks, no threads, or too many of them");
    }
    let types = kernel.params.iter().map(|param| param.kind.register());
    if !types.eq(launch.args.iter().map(|arg| arg.ty())) {
        return refuse("the arguments are not of the parameters' types");
    }
    if memory.variables.len() != module.globals.len() {
        return refuse("memory lacks the module's variables");
    }
    let arrays = kernel.functions.iter().flat_map(|function| &function.locals).chain(&kernel.locals);
    let local = arrays.map(|array| u64::from(array.offset) + u64::from(array.bytes)).max();
    let shared = kernel.shared.iter().map(|variable| {
        let bytes = if variable.dynamic { launch.dynamic_shared } else { variable.bytes };
        u64::from(variable.offset) + u64::from(bytes)
    });
    let shared = shared.max().unwrap_or(0);
    if shared.max(local.unwrap_or(0)) > MAX_SEGMENT {
        return refuse("more than a mebibyte of shared memory, or of local arrays of a call");
    }
    let report = Report { end: End::Done, printed: Vec::new(), no_value: Vec::new(), sliced: false };
    let mut world = World {
        kernel,
        variables: if launch.follows_undefined { kernel.undefined_variables() } else { Vec::new() },
        launch,
        memory,
        textures: host.textures.unwrap_or(&NoTextures),
        observer: host.observer,
        shared_bytes: shared as usize,
        report,
        steps: launch.steps,
        copies: 0,
        splits_early: false,
        polling: BTreeMap::new(),
    };
    world.report.end = match world.run_grid(blocks) {
        Ok(()) => End::Done,
        Err(Stop::Fault(fault)) => End::Fault(fault),
        Err(Stop::OutOfSteps) => End::OutOfSteps,
    };
    Ok(world.report)
}

impl<'m> World<'_, 'm> {
    /// Whether a loop polls.
    fn polls(&mut self, round: &'m Node) -> bool {
        let Node::Loop { header, body, step, .. } = round else { return false };
        let known = self.polling.entry(std::ptr::from_ref(round).addr());
        *known.or_insert_with(|| simt_ir::polls([&header[..], body, step]))
    }

    /// Takes steps from what is left.
    fn spend(&mut self, steps: u64) -> Result<(), Stop> {
        self.steps = self.steps.checked_sub(steps).ok_or(Stop::OutOfSteps)?;
        Ok(())
    }

    /// Tells the observer of an event, if there is one.
    fn tell(&mut self, event: impl FnOnce() -> Event<'m>) {
        if let Some(observer) = &mut self.observer {
            observer(&event());
        }
    }

    fn warn(&mut self, warning: NoValue) {
        let is_same =
            |known: &NoValue| known.location == warning.location && known.variable == warning.variable;
        match self.report.no_value.iter_mut().find(|known| is_same(known)) {
            Some(known) => known.kept &= warning.kept,
            None => self.report.no_value.push(warning),
        }
    }
}
