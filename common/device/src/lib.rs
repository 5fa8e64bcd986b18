//! What a lab sees of a GPU, simulated or real: the [`Device`] trait.
//!
//! A device compiles a kernel file at run time, holds buffers, constant symbols and textures, launches kernels, and
//! reports what a launch did: counters (a simulator, or a profiler), a modelled time (from counters and a device
//! model) and a measured time (from the device's own clock). The two kinds of time have two types and never mix.
//!
//! Handles are plain numbers that belong to the device that gave them. Nothing here panics on a wrong handle or
//! size: it is a [`DeviceError`].

mod counters;
mod recording;
mod report;
mod request;
mod trial;

pub use counters::{Counters, LineCounters};
pub use recording::{Recording, WarpAccess, WarpAccessKind, WarpAccesses, WarpBranch};
pub use report::{
    HandedOver, LaunchReport, MeasuredTime, ModelledTime, Occupancy, OutputDependence, TimeLimit,
};
pub use request::{Allowance, Argument, Handover, HandoverPath, LaunchOptions, LaunchRequest, LaunchShape};

pub use trial::{Trial, try_corrections, try_suggestions};

pub use source::Includes;
use source::{Diagnostic, SourceMap};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// A kernel file's name and text, as read by the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelFile {
    /// What messages call it: the path as the user gave it.
    pub name: String,
    /// The text.
    pub text: String,
}

/// How to compile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileOptions {
    /// Macros to define, as `-D NAME=VALUE`; they override constants of the file that test `#ifndef NAME`.
    pub defines: Vec<(String, String)>,
    /// Instances of kernel templates to make, as `tile<16, 32>`.
    pub instantiate: Vec<String>,
    /// Where `#include` looks, after the folder of the including file.
    pub include_dirs: Vec<PathBuf>,
    /// Where included files may come from; nowhere by default.
    pub includes: Includes,
    /// The numbers among the arguments of the launch to come, by position: [`HostLaunch`]es may depend on them.
    pub arguments: Vec<Option<i64>>,
}

/// Diagnostics with the text that they point into.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    /// The files.
    pub sources: Arc<SourceMap>,
    /// In order of position.
    pub diagnostics: Vec<Diagnostic>,
}

/// What can go wrong.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DeviceError {
    /// The kernel file was refused.
    #[error("the kernel file does not compile")]
    Compile(Messages),
    /// The launch was refused or stopped: the kernel did something that it must not.
    #[error("the launch failed")]
    Launch {
        /// What was wrong, and warnings of what the kernel did before.
        messages: Messages,
        /// Whether it still ran to its end, so that buffers hold what came of it; only if [`LaunchOptions::keep_recovered`] asked.
        recovered: bool,
        /// As [`LaunchReport::work`].
        work: u64,
    },
    /// An allocation is over what the device has or what [`Device::limit_memory`] left.
    #[error("out of device memory: {asked} bytes requested, {free} of {total} bytes free")]
    OutOfMemory {
        /// Bytes asked for.
        asked: u64,
        /// Bytes left.
        free: u64,
        /// Bytes in all.
        total: u64,
    },
    /// A wrong use of this trait by the program that calls it (handle, range, name); not the student's fault.
    #[error("{0}")]
    Use(String),
}

impl DeviceError {
    /// A launch that left buffers as they were, and cost nothing.
    pub fn launch(messages: Messages) -> DeviceError {
        DeviceError::Launch { messages, recovered: false, work: 0 }
    }
}

/// A compiled file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProgramId(pub u32);

/// A surface object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SurfaceId(pub u32);

/// A buffer in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferId(pub u32);

/// A texture object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureId(pub u32);

/// What a compiled file has in it.
#[derive(Clone, Debug)]
pub struct ProgramInfo {
    /// The handle for launches.
    pub id: ProgramId,
    /// Its kernels in source order.
    pub kernels: Vec<KernelInfo>,
    /// Constants at file scope (`constexpr`, `const`, enumerators, object-like macros) with a number as value.
    pub constants: Vec<NamedConstant>,
    /// `__constant__` and `__device__` variables, and `static` ones of functions; not those of the front-end, as string literals.
    pub symbols: Vec<SymbolInfo>,
    /// Functions of the host in the file, whose bodies are not checked.
    pub host_functions: Vec<HostFunction>,
    /// Launches in them.
    pub launches: Vec<HostLaunch>,
    /// Warnings.
    pub warnings: Messages,
}

/// A function of the host, whose body is not checked.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct HostFunction {
    /// Its name without its class.
    pub name: String,
    /// 1-based line of its name.
    pub line: u32,
    /// 1-based line of its end.
    pub end_line: u32,
}

/// `kernel<<<grid, block, shared>>>(…)` in host code. An error is the name whose value is not known before the program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostLaunch {
    /// The kernel as the file writes it, such as `tile<16>`.
    pub kernel: String,
    /// 1-based line.
    pub line: u32,
    /// Blocks by axis.
    pub grid: Result<[u32; 3], String>,
    /// Threads of a block by axis.
    pub block: Result<[u32; 3], String>,
    /// Bytes of dynamic shared memory.
    pub shared: Result<u32, String>,
}

impl ProgramInfo {
    /// The kernel of that name.
    pub fn kernel(&self, name: &str) -> Option<&KernelInfo> {
        self.kernels.iter().find(|k| k.name == name)
    }

    /// The value of an integer constant of the file, as `TILE`.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.constants.iter().find(|c| c.name == name).and_then(|c| match c.value {
            ConstantValue::Integer(value) => Some(value),
            ConstantValue::Float(_) => None,
        })
    }

    /// The symbol of that name.
    pub fn symbol(&self, name: &str) -> Option<&SymbolInfo> {
        self.symbols.iter().find(|s| s.name == name)
    }
}

/// A constant of a kernel file.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedConstant {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: ConstantValue,
}

/// The value of a [`NamedConstant`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstantValue {
    /// An integer or truth value.
    Integer(i64),
    /// A float or double.
    Float(f64),
}

/// A `__constant__` or `__device__` variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolInfo {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether it is `__constant__`.
    pub is_constant: bool,
}

/// A kernel of a compiled file.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelInfo {
    /// Its name; an instance of a template has its arguments in it.
    pub name: String,
    /// Its parameters in order.
    pub parameters: Vec<ParameterInfo>,
    /// The parameters as C++ declares them, in order: where one is a structure, each of its scalars is in `parameters`.
    pub arguments: Vec<ArgumentLayout>,
    /// Bytes of shared memory that it declares, without the dynamic part.
    pub static_shared_bytes: u32,
    /// Whether it has an `extern __shared__` array.
    pub dynamic_shared: bool,
    /// `__launch_bounds__`: the most threads that a block may have.
    pub max_threads: Option<u32>,
    /// Lines of its definition that are neither blank nor comment only.
    pub source_lines: u32,
    /// 1-based line of its name.
    pub line: u32,
}

/// What a kernel takes of a device, as far as only its optimised code says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelResources {
    /// Bytes of the `__constant__` variables that it refers to.
    pub constant_bytes: u64,
    /// Bytes of local memory of a thread.
    pub local_bytes: u32,
    /// 32-bit registers of a thread. An estimate where only a simulator compiled it.
    pub registers: u32,
}

/// The memory of a parameter as C++ declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentLayout {
    /// Its `sizeof`.
    pub bytes: u64,
    /// Where in it each of its scalars lies, in bytes and in the order of [`KernelInfo::parameters`]; none for an empty
    /// structure.
    pub places: Vec<Range<u64>>,
}

/// A kernel's parameter, or a scalar of one that is a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterInfo {
    /// Its name; may be empty.
    pub name: String,
    /// Its type as C++ spells it, as in `const float *`.
    pub spelling: String,
    /// What it is.
    pub kind: ParameterKind,
}

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A number.
    Scalar(Element),
    /// A pointer to device memory, read-only if it points to `const`. `element` is `None` for structs and `void`.
    Pointer {
        /// What it points to.
        element: Option<Element>,
        /// Whether the kernel may only read through it.
        read_only: bool,
    },
    /// A texture object.
    Texture,
}

/// Number types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Named by kind and bits.
pub enum Element {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    I64,
    F32,
    F64,
}

/// How a texture reads a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureDescription {
    /// What a texel is made of.
    pub element: Element,
    /// Channels of a texel: 1, 2 or 4.
    pub channels: u8,
    /// Texels by axis; unused axes are 0. The last axis counts layers or faces where `layers` says so.
    pub extent: [u32; 3],
    /// Over the buffer itself, rather than over a copy in an array: `[n, 0, 0]` for `tex1Dfetch`, `[w, h, 0]` for `tex2D` of
    /// rows that follow one another.
    pub linear: bool,
    /// What the last axis is.
    pub layers: TextureLayers,
    /// Whether 8- and 16-bit integers are read as floats from 0 to 1, or -1 to 1 if signed.
    pub normalized_read: bool,
    /// What lies outside (array textures).
    pub address: AddressMode,
    /// Between texels (array textures).
    pub filter: FilterMode,
    /// Whether coordinates are 0 to 1.
    pub normalized: bool,
}

/// What a surface lies over; what it is made of is the buffer's own memory, x fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceDescription {
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    pub element_bytes: u32,
    /// Elements by axis; unused axes are 0. The last axis counts layers or faces where `layers` says so.
    pub extent: [u32; 3],
    /// What the last axis is.
    pub layers: TextureLayers,
}

/// What the last axis of a texture is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextureLayers {
    /// A dimension.
    #[default]
    None,
    /// Layers.
    Layered,
    /// The six faces of a cube.
    Cube,
    /// Cubes, six faces each.
    CubeLayered,
}

/// What a texture reads outside its extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressMode {
    /// The texel at the edge.
    Clamp,
    /// Zero.
    Border,
    /// Repeats (normalised coordinates only).
    Wrap,
    /// Repeats, mirrored (normalised coordinates only).
    Mirror,
}

/// What a texture reads between texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterMode {
    /// The nearest texel.
    Point,
    /// Linear interpolation.
    Linear,
}

/// What a device is.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct DeviceInfo {
    /// A short name for commands, as `sim` or `gpu`.
    pub id: String,
    /// A name for people, as `simulator (model: NVIDIA H200)`.
    pub name: String,
    /// Whether it is a simulator.
    pub simulated: bool,
    /// Device memory bandwidth in bytes per second, of the card or the model.
    pub memory_bandwidth: f64,
    /// Single-precision operations per second without tensor cores (a fused multiply-add counts 2).
    pub f32_rate: f64,
    /// Host link bandwidth in bytes per second, one direction.
    pub host_link_bandwidth: f64,
    /// Where these numbers are from.
    pub source: String,
}

/// Bytes moved between host and device since the device was made or [`Device::reset_transfers`] was called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Transfers {
    /// Host to device, bytes.
    pub to_device: u64,
    /// Device to host, bytes.
    pub to_host: u64,
    /// Most bytes of device memory allocated at one time.
    pub peak_allocated: u64,
}

/// A GPU, simulated or real.
pub trait Device {
    /// What it is.
    fn info(&self) -> &DeviceInfo;

    /// Whether its counters go by the rules of today's devices (32-byte sectors, whole warps, 32 banks), for which gates
    /// are set; a model of an old device may go by others.
    fn counts_by_todays_rules(&self) -> bool {
        true
    }

    /// Whether it checks what kernels do (bounds, initialisation, races), so that a run without a diagnosis says something.
    fn checks_accesses(&self) -> bool {
        self.info().simulated
    }

    /// Compiles a kernel file.
    ///
    /// # Errors
    /// [`DeviceError::Compile`] with every error of the file.
    fn compile(&mut self, file: &KernelFile, options: &CompileOptions) -> Result<ProgramInfo, DeviceError>;

    /// Frees what a program takes; its handle means nothing from then on. An unknown one is ignored.
    fn unload(&mut self, program: ProgramId);

    /// What a kernel takes. Not part of [`Device::compile`], because a simulator optimises a kernel when it is first needed.
    ///
    /// # Errors
    /// [`DeviceError::Use`] for an unknown program or kernel.
    fn resources(&mut self, program: ProgramId, kernel: &str) -> Result<KernelResources, DeviceError>;

    /// Allocates device memory, poisoned as by [`Device::poison`].
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`].
    fn alloc(&mut self, bytes: u64) -> Result<BufferId, DeviceError>;

    /// Frees a buffer. Textures over it become invalid.
    ///
    /// # Errors
    /// [`DeviceError::Use`] on an unknown handle.
    fn free(&mut self, buffer: BufferId) -> Result<(), DeviceError>;

    /// Copies host bytes into a buffer, beginning at `offset` bytes.
    ///
    /// # Errors
    /// [`DeviceError::Use`] on an unknown handle or a range outside the buffer.
    fn write(&mut self, buffer: BufferId, offset: u64, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Copies a buffer's bytes to the host, beginning at `offset` bytes.
    ///
    /// # Errors
    /// [`DeviceError::Use`] on an unknown handle or a range outside the buffer.
    fn read(&mut self, buffer: BufferId, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceError>;

    /// Fills a buffer with [`POISON`] and, on a simulator, marks it as not initialised. Not a transfer.
    ///
    /// # Errors
    /// [`DeviceError::Use`] on an unknown handle.
    fn poison(&mut self, buffer: BufferId) -> Result<(), DeviceError>;

    /// Sets bytes of a `__constant__` or `__device__` variable, from its start.
    ///
    /// # Errors
    /// [`DeviceError::Use`] on an unknown name or more bytes than it has.
    fn set_symbol(&mut self, program: ProgramId, name: &str, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Makes a texture object over a buffer.
    ///
    /// # Errors
    /// [`DeviceError::Use`] on an unknown handle or a description that does not fit it.
    fn create_texture(
        &mut self,
        buffer: BufferId,
        what: &TextureDescription,
    ) -> Result<TextureId, DeviceError>;

    /// Makes a surface object over a buffer.
    ///
    /// # Errors
    /// [`DeviceError::Use`] on an unknown handle or a description that does not fit it, and on a device without surfaces.
    fn create_surface(
        &mut self,
        buffer: BufferId,
        what: &SurfaceDescription,
    ) -> Result<SurfaceId, DeviceError> {
        let _ = (buffer, what);
        Err(DeviceError::Use("this device has no surfaces".into()))
    }

    /// What a variable of a program is made of (the type within its arrays), as a parameter of that type would be; of a
    /// structure the spelling alone counts. `None` for an unknown one.
    fn variable(&self, program: ProgramId, name: &str) -> Option<&ParameterInfo> {
        let _ = (program, name);
        None
    }

    /// Copies bytes of a `__constant__`, `__device__` or `__managed__` variable to the host, from its start.
    ///
    /// # Errors
    /// [`DeviceError::Use`] on an unknown name or more bytes than it has, and on a device that cannot.
    fn read_symbol(&mut self, program: ProgramId, name: &str, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let _ = (program, name, bytes);
        Err(DeviceError::Use("this device does not read variables".into()))
    }

    /// Whether the device can make launches with these options.
    ///
    /// # Errors
    /// [`DeviceError::Use`] that names what it does not do.
    fn supports(&self, options: &LaunchOptions) -> Result<(), DeviceError> {
        match options.required() == LaunchOptions::default() {
            true => Ok(()),
            false => Err(DeviceError::Use("this device makes plain launches only".into())),
        }
    }

    /// Launches a kernel and waits for it.
    ///
    /// # Errors
    /// [`DeviceError::Launch`] when the kernel did something wrong; [`DeviceError::Use`] when the arguments do not match its parameters or
    /// the device does not support an option.
    fn launch(&mut self, request: &LaunchRequest) -> Result<LaunchReport, DeviceError>;

    /// Lets allocations take no more than so many bytes in all (for work that must be done in pieces); `None` for
    /// all that the device has. It bounds [`Device::alloc`] and no launch, so it is not part of a request; and it is not given when a device
    /// is opened, because the cases of an exercise, which run on one device, have different limits.
    fn limit_memory(&mut self, bytes: Option<u64>);

    /// What moved between host and device so far.
    fn transfers(&self) -> Transfers;

    /// Starts counting transfers (and peak allocation) again.
    fn reset_transfers(&mut self);
}

/// The four bytes, little-endian, that poisoned memory repeats: a quiet NaN as `float`, and half of one as `double`.
pub const POISON: u32 = 0x7fff_dead;
