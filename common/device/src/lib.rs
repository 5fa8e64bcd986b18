//! The [`Device`] trait: the interface between a lab and a GPU, simulated or real.
//!
//! A device compiles a kernel file at run time, holds buffers, constant symbols and textures, launches kernels, and
//! reports about each launch: counters (from a simulator or a profiler), a modelled time (from counters and a device
//! model) and a measured time (from the device's own clock). Modelled and measured times have different types, so
//! code cannot mix them up.
//!
//! Handles are plain numbers that belong to the device that returned them. A device does not panic on a wrong handle
//! or size; it returns a [`DeviceError`].

mod profiler;
mod recording;
mod report;
mod request;
mod trial;

pub use self::report::{
    HandedOver, LaunchReport, MeasuredTime, ModelledTime, OutputDependence, Proved, TimeLimit,
};
pub use ::report::{
    Counters, DeviceInfo, LineCounters, Occupancy, WarpAccess, WarpAccessKind, WarpAccesses, WarpBranch,
};
pub use profiler::{PROFILER_METRICS, ProfiledLaunch, ProfilerMetric, profiler_csv, profiler_values};
pub use recording::Recording;
pub use request::{Allowance, Argument, Handover, HandoverPath, LaunchOptions, LaunchRequest, LaunchShape};

pub use trial::{Remedy, Trial, try_corrections, try_suggestions};

pub use source::Includes;
use source::{Code, Diagnostic, FileId, Severity, SourceMap, Span};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Name and text of a kernel file. The caller reads the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelFile {
    /// The path as the user gave it. Messages show this name.
    pub name: String,
    /// The whole text of the file.
    pub text: String,
}

/// Options for [`Device::compile`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompileOptions {
    /// Macros to define, as by `-D NAME=VALUE`. A kernel file lets a macro replace a constant by defining the
    /// constant inside `#ifndef NAME`.
    pub defines: Vec<(String, String)>,
    /// Kernel templates to instantiate, such as `tile<16, 32>`.
    pub instantiate: Vec<String>,
    /// Folders that `#include` searches after the folder of the including file.
    pub include_dirs: Vec<PathBuf>,
    /// Folders that included files may come from; none by default.
    pub includes: Includes,
    /// The numbers among the arguments of the launch to come, by position: [`HostLaunch`]es may depend on them.
    pub arguments: Vec<Option<i64>>,
}

/// Diagnostics, with the source files that their spans point into.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    /// The files that the spans point into.
    pub sources: Arc<SourceMap>,
    /// Sorted by position in the source.
    pub diagnostics: Vec<Diagnostic>,
}

/// Error of a device.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DeviceError {
    /// The kernel file has errors.
    #[error("the kernel file does not compile")]
    Compile(Messages),
    /// The device refused the launch, or stopped it because the kernel made an error such as an access out of bounds.
    #[error("the launch failed")]
    Launch {
        /// The errors, after warnings about what the kernel did before.
        messages: Messages,
        /// Whether the launch continued to its end despite the error, so that the buffers hold its results. Only with
        /// [`LaunchOptions::keep_recovered`].
        recovered: bool,
        /// Cost of the launch, as in [`LaunchReport::work`].
        work: u64,
        /// What the kernel printed until then, where the device knows it.
        printed: String,
    },
    /// An allocation exceeds the device's free memory or the limit set by [`Device::limit_memory`].
    #[error("out of device memory: {asked} bytes requested, {free} of {total} bytes free")]
    OutOfMemory {
        /// Bytes requested.
        asked: u64,
        /// Bytes still free.
        free: u64,
        /// Bytes of the device, or of the limit if that is smaller.
        total: u64,
    },
    /// The calling program used this trait wrongly (unknown handle, range or name). This is a bug in the caller, not
    /// in the student's kernel.
    #[error("{0}")]
    Use(String),
}

impl DeviceError {
    /// The error of a launch that changed no buffer and cost nothing.
    pub fn launch(messages: Messages) -> DeviceError {
        DeviceError::Launch { messages, recovered: false, work: 0, printed: String::new() }
    }
}

/// Handle of a compiled file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProgramId(pub u32);

/// Handle of a surface object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SurfaceId(pub u32);

/// Handle of a buffer in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferId(pub u32);

/// Handle of a texture object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureId(pub u32);

/// Contents of a compiled file.
#[derive(Clone, Debug)]
pub struct ProgramInfo {
    /// The handle for launches.
    pub id: ProgramId,
    /// Its kernels in source order.
    pub kernels: Vec<KernelInfo>,
    /// File-scope constants (`constexpr`, `const`, enumerators, object-like macros) whose value is a number.
    pub constants: Vec<NamedConstant>,
    /// `__constant__` and `__device__` variables and `static` variables of device functions; without variables that
    /// the front-end adds, such as string literals.
    pub symbols: Vec<SymbolInfo>,
    /// Functions of the host in the file, whose bodies are not checked.
    pub host_functions: Vec<HostFunction>,
    /// Launches in the file's host code.
    pub launches: Vec<HostLaunch>,
    /// Warnings of the compilation.
    pub warnings: Messages,
}

/// Maximum number of host functions that [`ProgramInfo::unchecked_host_code`] names.
const MAX_HOST_FUNCTIONS: usize = 3;

impl ProgramInfo {
    /// Names the file's host functions, whose bodies are not checked; `None` if it has none.
    pub fn unchecked_host_code(&self) -> Option<String> {
        let functions = &self.host_functions;
        let named = functions.iter().take(MAX_HOST_FUNCTIONS).map(|HostFunction { name, line, end_line }| {
            match line == end_line {
                true => format!("`{name}` (line {line})"),
                false => format!("`{name}` (lines {line} to {end_line})"),
            }
        });
        let rest = functions.len().saturating_sub(MAX_HOST_FUNCTIONS);
        let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        (!functions.is_empty())
            .then(|| format!("host code is not checked: {}{rest}", named.collect::<Vec<_>>().join(", ")))
    }

    /// The same as a note at the first of these functions.
    pub fn host_code_note(&self) -> Option<Messages> {
        let title = self.unchecked_host_code()?;
        let sources = self.warnings.sources.clone();
        let above = self.host_functions.first()?.line.saturating_sub(1) as usize;
        let text = sources.file(FileId::default()).text();
        let start: usize = text.split_inclusive('\n').take(above).map(str::len).sum();
        let end = start + text[start..].lines().next().map_or(0, str::len);
        let at = Span { file: FileId::default(), start: start as u32, end: end as u32 };
        let mut note = Diagnostic::new(Code::UncheckedHostCode, title).label(at, "");
        note.severity = Severity::Note;
        Some(Messages { sources, diagnostics: vec![note] })
    }
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
    /// The kernel named `name`.
    pub fn kernel(&self, name: &str) -> Option<&KernelInfo> {
        self.kernels.iter().find(|k| k.name == name)
    }

    /// The value of the file's integer constant `name`, such as `TILE`.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.constants.iter().find(|c| c.name == name).and_then(|c| match c.value {
            ConstantValue::Integer(value) => Some(value),
            ConstantValue::Float(_) => None,
        })
    }

    /// The symbol named `name`.
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
    /// An integer or a `bool` (0 or 1).
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
    /// Its name; for an instance of a template, with the template arguments.
    pub name: String,
    /// Its parameters in order; a structure parameter appears as one entry per scalar member.
    pub parameters: Vec<ParameterInfo>,
    /// Memory layout of the parameters as C++ declares them, in order. A structure parameter is one entry here and
    /// one entry per scalar in `parameters`.
    pub arguments: Vec<ArgumentLayout>,
    /// Bytes of statically declared shared memory.
    pub static_shared_bytes: u32,
    /// Whether it has an `extern __shared__` array.
    pub dynamic_shared: bool,
    /// Maximum threads per block, from `__launch_bounds__`.
    pub max_threads: Option<u32>,
    /// Lines of its definition, without blank lines and lines that hold only a comment.
    pub source_lines: u32,
    /// 1-based line of its name.
    pub line: u32,
}

/// Device resources of a kernel that are known only after optimisation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelResources {
    /// Bytes of the `__constant__` variables that the kernel refers to.
    pub constant_bytes: u64,
    /// Bytes of local memory per thread.
    pub local_bytes: u32,
    /// 32-bit registers per thread. The simulator only estimates them.
    pub registers: u32,
}

/// Memory layout of a parameter as C++ declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentLayout {
    /// Its `sizeof`.
    pub bytes: u64,
    /// Byte range of each of its scalars within the parameter, in the order of [`KernelInfo::parameters`]; empty for
    /// an empty structure.
    pub places: Vec<Range<u64>>,
}

/// A kernel's parameter, or one scalar member of a structure parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterInfo {
    /// Its name; may be empty.
    pub name: String,
    /// Its type as C++ spells it, such as `const float *`.
    pub spelling: String,
    /// Its kind.
    pub kind: ParameterKind,
}

/// Kind of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A number.
    Scalar(Element),
    /// A pointer to device memory.
    Pointer {
        /// The type that it points to; `None` for structures and `void`.
        element: Option<Element>,
        /// Whether it points to `const`, so that the kernel cannot write through it.
        read_only: bool,
    },
    /// A texture object.
    Texture,
}

/// Number types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The name says kind and bits.
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
    /// Type of one channel of a texel.
    pub element: Element,
    /// Channels per texel: 1, 2 or 4.
    pub channels: u8,
    /// Number of texels along each axis; 0 for unused axes. If `layers` is set, the last axis counts layers or faces.
    pub extent: [u32; 3],
    /// Whether the texture reads the buffer itself instead of a copy in a CUDA array. `extent` is then `[n, 0, 0]`
    /// for `tex1Dfetch`, or `[w, h, 0]` for `tex2D` over rows without padding.
    pub linear: bool,
    /// Meaning of the last axis.
    pub layers: TextureLayers,
    /// Whether 8- and 16-bit integers are read as floats from 0 to 1, or -1 to 1 if signed.
    pub normalized_read: bool,
    /// What the texture returns for coordinates outside the extent (array textures only).
    pub address: AddressMode,
    /// How the texture interpolates between texels (array textures only).
    pub filter: FilterMode,
    /// Whether coordinates run from 0 to 1 instead of from 0 to the extent.
    pub normalized: bool,
}

/// Shape of a surface over a buffer. The surface reads and writes the buffer's memory directly, x fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceDescription {
    /// Bytes per element: 1, 2, 4, 8 or 16.
    pub element_bytes: u32,
    /// Number of elements along each axis; 0 for unused axes. If `layers` is set, the last axis counts layers or
    /// faces.
    pub extent: [u32; 3],
    /// Meaning of the last axis.
    pub layers: TextureLayers,
}

/// Meaning of the last axis of a texture or surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextureLayers {
    /// An ordinary dimension; there are no layers.
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

/// Bytes copied between host and device since the device was created or [`Device::reset_transfers`] was called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Transfers {
    /// Host to device, bytes.
    pub to_device: u64,
    /// Device to host, bytes.
    pub to_host: u64,
    /// Maximum number of bytes of device memory allocated at one time.
    pub peak_allocated: u64,
}

/// A GPU, simulated or real.
pub trait Device {
    /// Name and peak rates of the device.
    fn info(&self) -> &DeviceInfo;

    /// Whether its counters follow the rules of current devices (32-byte sectors, whole warps, 32 banks), on which
    /// the limits of gates are based. A model of an old device may follow other rules.
    fn counts_by_todays_rules(&self) -> bool {
        true
    }

    /// Whether the device checks bounds, initialisation and races, so that a run without errors means that the kernel
    /// made none of these mistakes.
    fn checks_accesses(&self) -> bool {
        self.info().simulated
    }

    /// Compiles a kernel file.
    ///
    /// # Errors
    /// [`DeviceError::Compile`] with every error of the file.
    fn compile(&mut self, file: &KernelFile, options: &CompileOptions) -> Result<ProgramInfo, DeviceError>;

    /// Frees a program and invalidates its handle. Ignores an unknown handle.
    fn unload(&mut self, program: ProgramId);

    /// The resources of a kernel. Separate from [`Device::compile`], because the simulator optimises a kernel only on
    /// first use.
    ///
    /// # Errors
    /// [`DeviceError::Use`] for an unknown program or kernel.
    fn resources(&mut self, program: ProgramId, kernel: &str) -> Result<KernelResources, DeviceError>;

    /// Allocates device memory and fills it as [`Device::poison`] does.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`].
    fn alloc(&mut self, bytes: u64) -> Result<BufferId, DeviceError>;

    /// Frees a buffer. Textures over it become invalid.
    ///
    /// # Errors
    /// [`DeviceError::Use`] on an unknown handle.
    fn free(&mut self, buffer: BufferId) -> Result<(), DeviceError>;

    /// Copies host bytes into a buffer, starting `offset` bytes into the buffer.
    ///
    /// # Errors
    /// [`DeviceError::Use`] on an unknown handle or a range outside the buffer.
    fn write(&mut self, buffer: BufferId, offset: u64, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Copies a buffer's bytes to the host, starting `offset` bytes into the buffer.
    ///
    /// # Errors
    /// [`DeviceError::Use`] on an unknown handle or a range outside the buffer.
    fn read(&mut self, buffer: BufferId, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceError>;

    /// Fills a buffer with [`POISON`]. A simulator also marks it as uninitialised. Does not count as a transfer.
    ///
    /// # Errors
    /// [`DeviceError::Use`] on an unknown handle.
    fn poison(&mut self, buffer: BufferId) -> Result<(), DeviceError>;

    /// Copies host bytes to the start of a `__constant__` or `__device__` variable.
    ///
    /// # Errors
    /// [`DeviceError::Use`] if the name is unknown or `bytes` is longer than the variable.
    fn set_symbol(&mut self, program: ProgramId, name: &str, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Creates a texture object over a buffer.
    ///
    /// # Errors
    /// [`DeviceError::Use`] on an unknown handle or a description that does not fit it.
    fn create_texture(
        &mut self,
        buffer: BufferId,
        what: &TextureDescription,
    ) -> Result<TextureId, DeviceError>;

    /// Creates a surface object over a buffer.
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

    /// The element type of a program's variable (inside its arrays), described as a parameter of that type would be.
    /// For a structure only `spelling` is meaningful. `None` if the variable is unknown.
    fn variable(&self, program: ProgramId, name: &str) -> Option<&ParameterInfo> {
        let _ = (program, name);
        None
    }

    /// Copies the start of a `__constant__`, `__device__` or `__managed__` variable to the host.
    ///
    /// # Errors
    /// [`DeviceError::Use`] if the name is unknown, if `bytes` is longer than the variable, or if the device cannot
    /// read variables.
    fn read_symbol(&mut self, program: ProgramId, name: &str, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let _ = (program, name, bytes);
        Err(DeviceError::Use("this device does not read variables".into()))
    }

    /// Checks that the device can launch with these options.
    ///
    /// # Errors
    /// [`DeviceError::Use`] that names the option the device does not support.
    fn supports(&self, options: &LaunchOptions) -> Result<(), DeviceError> {
        match options.required() == LaunchOptions::default() {
            true => Ok(()),
            false => Err(DeviceError::Use("this device makes plain launches only".into())),
        }
    }

    /// Launches a kernel and waits for it.
    ///
    /// # Errors
    /// [`DeviceError::Launch`] if the kernel made an error; [`DeviceError::Use`] if the arguments do not match its
    /// parameters or the device does not support an option.
    fn launch(&mut self, request: &LaunchRequest) -> Result<LaunchReport, DeviceError>;

    /// Limits the bytes that all allocations together may take (for tasks whose data must not fit at once); `None`
    /// removes the limit. The limit is not part of a launch request, because it affects only [`Device::alloc`]. It is
    /// not fixed when a device is opened, because the cases of an exercise share a device and have different limits.
    fn limit_memory(&mut self, bytes: Option<u64>);

    /// Bytes copied between host and device so far.
    fn transfers(&self) -> Transfers;

    /// Resets the counts of transfers and the peak allocation.
    fn reset_transfers(&mut self);
}

/// The little-endian word that fills poisoned memory: a quiet NaN as `float`, and half of a NaN as `double`.
pub const POISON: u32 = 0x7fff_dead;
