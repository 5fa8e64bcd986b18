//! What is asked of a launch: [`LaunchRequest`].
//!
//! A request says all that is wanted of one launch, and [`LaunchReport`] or [`DeviceError::Launch`] all that came of it. A device keeps
//! no wishes from one launch to the next.

use crate::{
    BufferId, DeviceError, Element, LaunchReport, ParameterInfo, ParameterKind, ProgramId, SurfaceId,
    TextureId,
};

/// A launch: which kernel, in which shape, with which arguments, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchRequest {
    /// The program.
    pub program: ProgramId,
    /// The name of its kernel.
    pub kernel: String,
    /// Blocks and threads.
    pub shape: LaunchShape,
    /// One argument for each parameter, in order.
    pub arguments: Vec<Argument>,
    /// How to launch, and what to find out besides the results.
    pub options: LaunchOptions,
}

impl LaunchRequest {
    /// A launch as by `kernel<<<grid, block>>>`.
    pub fn new(
        program: ProgramId,
        kernel: &str,
        shape: LaunchShape,
        arguments: &[Argument],
    ) -> LaunchRequest {
        let options = LaunchOptions::default();
        LaunchRequest { program, kernel: kernel.to_owned(), shape, arguments: arguments.to_vec(), options }
    }

    /// The same launch with these options.
    pub fn with(self, options: LaunchOptions) -> LaunchRequest {
        LaunchRequest { options, ..self }
    }
}

/// How a launch is made where that is not as by `kernel<<<grid, block>>>`, and what is to be found out.
///
/// A device refuses an option that it cannot do ([`crate::Device::supports`]), but for those that say that it ignores them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchOptions {
    /// As by `cudaLaunchCooperativeKernel`: all blocks are resident at once, and may wait for each other.
    pub cooperative: bool,
    /// Bytes of stack that a thread has for calls, as by `cudaLimitStackSize`; `None` for the device's own.
    pub stack_bytes: Option<u32>,
    /// Warp instructions that the launch may execute; a simulator's. `None` for the device's own limit.
    pub instruction_budget: Option<u64>,
    /// To check for no races and no uninitialised reads, and to count nothing; a simulator's. Bounds, alignment and
    /// barriers are checked all the same.
    pub fast: bool,
    /// In which order the warps of a block have their turns: 0 is the usual one, each other number another; a simulator's.
    pub schedule: u64,
    /// What the launch may cost, in place of `instruction_budget`, where several launches share an allowance. A device that does not count
    /// instructions ignores it.
    pub allowance: Option<Allowance>,
    /// Whether the launch is timed. A device that measures repeats it, which takes a while; what the kernel wrote is what one launch
    /// writes. A device that does not measure ignores it.
    pub timed: bool,
    /// Whether accesses of single warps are recorded ([`LaunchReport::recording`]), which takes another, slower run. A device that is no
    /// simulator ignores it.
    pub recorded: bool,
    /// To find out what reaches threads on a path ([`LaunchReport::handed_over`]), on copies of the buffers: the launch then writes nothing. A device
    /// that is no simulator ignores it.
    pub handover: Option<Handover>,
    /// Whether the first mistake of a launch that fails comes with changes of the text that may mend it
    /// ([`source::Diagnostic::suggestions`]), which are still to be tried. A device that knows none ignores it.
    pub suggest: bool,
    /// Whether buffers keep what the launch gives if it fails and continues after its faults. A device that stops at a fault ignores it.
    pub keep_recovered: bool,
}

impl LaunchOptions {
    /// The options without those that a device may ignore.
    pub fn required(self) -> LaunchOptions {
        LaunchOptions {
            allowance: None,
            timed: false,
            recorded: false,
            handover: None,
            suggest: false,
            keep_recovered: false,
            ..self
        }
    }
}

/// What is found out of a launch: how much of its outputs is computed from elements that reach threads on a path. It runs in some of its blocks
/// several times, with other values for elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handover {
    /// The path.
    pub path: HandoverPath,
    /// Which of the kernel's arguments, from 0 on, is the buffer of floats, or the texture of one, whose elements they are; `None` for those of
    /// `__constant__` variables.
    pub from: Option<usize>,
    /// Chooses the blocks and the other values.
    pub seed: u64,
}

/// A path that data take to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandoverPath {
    /// Shared memory: elements, in any encoding, that another thread of the block has written last.
    Shared,
    /// Values computed from several elements that come from another thread of the block, in shared memory or by a shuffle.
    Sums,
    /// `__constant__` variables, which the thread reads itself.
    Constant,
    /// Textures, which the thread reads itself.
    Texture,
    /// Read-only loads of global memory (`__ldg`) by the thread itself.
    ReadOnly,
}

/// What several launches may cost together. A warp instruction is one unit, and one that takes long more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Units that there were at first, for messages.
    pub total: u64,
    /// Units that are left.
    pub left: u64,
}

impl Allowance {
    /// An allowance of which nothing is spent.
    pub fn new(total: u64) -> Allowance {
        Allowance { total, left: total }
    }

    /// Subtracts what a launch cost, however it ended.
    pub fn spend(&mut self, launched: &Result<LaunchReport, DeviceError>) {
        let work = match launched {
            Ok(report) => report.work,
            Err(DeviceError::Launch { work, .. }) => *work,
            Err(DeviceError::Compile(_) | DeviceError::OutOfMemory { .. } | DeviceError::Use(_)) => 0,
        };
        self.left = self.left.saturating_sub(work);
    }
}

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Blocks by axis x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block by axis x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub dynamic_shared: u32,
}

/// An argument of a launch; its type must match the parameter's.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // Named by kind and bits.
pub enum Argument {
    /// The null pointer.
    Null,
    Buffer(BufferId),
    Texture(TextureId),
    Surface(SurfaceId),
    I32(i32),
    U32(u32),
    I64(i64),
    U64(u64),
    F32(f32),
    F64(f64),
    Bool(bool),
}

impl Argument {
    /// Whether a parameter takes it: numbers by their type, pointers and textures by their kind.
    ///
    /// # Errors
    /// [`DeviceError::Use`] that names both.
    pub fn check(&self, parameter: &ParameterInfo) -> Result<(), DeviceError> {
        let narrow = [Element::I8, Element::U8, Element::I16, Element::U16, Element::I32];
        let scalar = |elements: &[Element]| matches!(parameter.kind, ParameterKind::Scalar(e) if elements.contains(&e));
        let fits = match self {
            Argument::Null | Argument::Buffer(_) => matches!(parameter.kind, ParameterKind::Pointer { .. }),
            // `cudaTextureObject_t` and `cudaSurfaceObject_t` are `unsigned long long` under other names.
            Argument::Texture(_) | Argument::Surface(_) => {
                parameter.kind == ParameterKind::Texture || scalar(&[Element::I64])
            }
            Argument::I32(_) | Argument::U32(_) => scalar(&narrow),
            Argument::I64(_) | Argument::U64(_) => scalar(&[Element::I64]),
            Argument::F32(_) => scalar(&[Element::F32]),
            Argument::F64(_) => scalar(&[Element::F64]),
            Argument::Bool(_) => scalar(&[Element::Bool]),
        };
        let (name, spelling) = (&parameter.name, &parameter.spelling);
        let wrong = || format!("{self:?} does not fit the parameter `{name}` of type `{spelling}`");
        if fits { Ok(()) } else { Err(DeviceError::Use(wrong())) }
    }
}
