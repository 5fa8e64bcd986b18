//! [`LaunchRequest`]: everything that a device needs to know for one launch.
//!
//! A request holds all options of one launch. [`LaunchReport`] or [`DeviceError::Launch`] hold all results. A device
//! keeps no options from one launch to the next.

use crate::{
    BufferId, DeviceError, Element, LaunchReport, ParameterInfo, ParameterKind, ProgramId, SurfaceId,
    TextureId,
};

/// A launch: which kernel, in which shape, with which arguments, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchRequest {
    /// The compiled file.
    pub program: ProgramId,
    /// The name of its kernel.
    pub kernel: String,
    /// Grid, block and dynamic shared memory.
    pub shape: LaunchShape,
    /// One argument per entry of [`crate::KernelInfo::parameters`], in order.
    pub arguments: Vec<Argument>,
    /// How to launch, and which analyses to run besides.
    pub options: LaunchOptions,
}

impl LaunchRequest {
    /// A launch with default options, as by `kernel<<<grid, block>>>`.
    pub fn new(
        program: ProgramId,
        kernel: &str,
        shape: LaunchShape,
        arguments: &[Argument],
    ) -> LaunchRequest {
        let options = LaunchOptions::default();
        LaunchRequest { program, kernel: kernel.to_owned(), shape, arguments: arguments.to_vec(), options }
    }

    /// Replaces the options.
    pub fn with(self, options: LaunchOptions) -> LaunchRequest {
        LaunchRequest { options, ..self }
    }
}

/// How a launch differs from a plain `kernel<<<grid, block>>>`, and which analyses it runs. The default is a plain
/// launch.
///
/// A device refuses an option that it does not support ([`crate::Device::supports`]). It ignores some options
/// instead; their comments say so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchOptions {
    /// A cooperative launch (`cudaLaunchCooperativeKernel`): all blocks are resident at once and may wait for each
    /// other.
    pub cooperative: bool,
    /// Bytes of stack per thread for function calls, as set by `cudaLimitStackSize`; `None` for the device's default.
    pub stack_bytes: Option<u32>,
    /// Maximum number of warp instructions of the launch; `None` for the device's default. Only simulators support
    /// it.
    pub instruction_budget: Option<u64>,
    /// Fast mode: no checks for races and uninitialised reads, no counters. Bounds, alignment and barriers are still
    /// checked. Only simulators support it.
    pub fast: bool,
    /// Selects the order in which the warps of a block run: 0 is the default order, every other number a different
    /// one. Only simulators support it.
    pub schedule: u64,
    /// Budget that several launches share; it replaces `instruction_budget`. A device that does not count
    /// instructions ignores it.
    pub allowance: Option<Allowance>,
    /// Whether to time the launch. A measuring device launches the kernel many times, but leaves the results of a
    /// single launch. A device that does not measure ignores it.
    pub timed: bool,
    /// Whether to record accesses of single warps ([`LaunchReport::recording`]), which needs a second, slower run.
    /// Only simulators record; other devices ignore it.
    pub recorded: bool,
    /// Analysis of the data that reach threads on a path ([`LaunchReport::handed_over`]). It runs on copies of the
    /// buffers, so the launch writes nothing. Only simulators analyse; other devices ignore it.
    pub handover: Option<Handover>,
    /// Whether a failed launch attaches suggested edits to its first error ([`source::Diagnostic::suggestions`]).
    /// They are untried; see [`crate::try_suggestions`]. A device without suggestions ignores it.
    pub suggest: bool,
    /// Whether a failing launch may continue after its faults and keep its results in the buffers. A device that
    /// stops at a fault ignores it.
    pub keep_recovered: bool,
}

impl LaunchOptions {
    /// These options, with the ones that a device may ignore reset to their defaults.
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

/// Requests an analysis of how much of a launch's output is computed from elements that reach threads on a path. The
/// analysis runs some of the blocks several times with changed elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handover {
    /// The path that the elements take.
    pub path: HandoverPath,
    /// 0-based index of the kernel's argument that holds the elements: a buffer of floats, or a texture over one.
    /// `None` for elements of `__constant__` variables.
    pub from: Option<usize>,
    /// Seed that chooses the blocks and the changed values.
    pub seed: u64,
}

/// A path on which data reach a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandoverPath {
    /// Shared memory: the thread reads elements, in any encoding, that another thread of the block wrote last.
    Shared,
    /// Values computed from several elements by another thread of the block, received through shared memory or a
    /// shuffle.
    Sums,
    /// `__constant__` variables, which the thread reads itself.
    Constant,
    /// Textures, which the thread reads itself.
    Texture,
    /// Read-only loads of global memory (`__ldg`) by the thread itself.
    ReadOnly,
}

/// Budget that several launches share. A warp instruction costs one unit; a slow instruction costs more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Units at the start, for messages.
    pub total: u64,
    /// Units not spent yet.
    pub left: u64,
}

impl Allowance {
    /// An allowance with all units left.
    pub fn new(total: u64) -> Allowance {
        Allowance { total, left: total }
    }

    /// As much of it as is left, but at most `most` units.
    pub fn part(self, most: u64) -> Allowance {
        Allowance::new(self.left.min(most))
    }

    /// What is left once a part of it was spent as far as `part` says.
    pub fn without(self, part: Allowance) -> Allowance {
        Allowance { left: self.left.saturating_sub(part.total - part.left), ..self }
    }

    /// Subtracts the cost of a launch, whether it succeeded or failed.
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
    /// Number of blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads per block along x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory per block.
    pub dynamic_shared: u32,
}

/// An argument of a launch; its type must match the parameter's.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // The name says kind and bits.
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
    /// Checks that the argument fits a parameter: the types of numbers must agree, pointers and textures only in
    /// kind.
    ///
    /// # Errors
    /// [`DeviceError::Use`] that names the argument and the parameter.
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
