//! [`GpuDevice`]: implements the [`Device`] trait with NVIDIA's driver.

mod bind;
mod launch;

use crate::compile;
use crate::fault::{Fault, checked};
use crate::memory::{Held, Region};
use crate::program::Program;
use crate::properties::{self, Absent, Properties};
use crate::replay::Record;
use crate::surface::Surface;
use crate::texture::Texture;
use ::device::{
    BufferId, CompileOptions, Device, DeviceError, DeviceInfo, KernelFile, KernelResources, LaunchOptions,
    LaunchReport, LaunchRequest, MeasuredTime, ParameterInfo, ProgramId, ProgramInfo, SurfaceDescription,
    SurfaceId, TextureDescription, TextureId, Transfers,
};
use cust::context::legacy::{Context, ContextFlags, CurrentContext};
use cust::stream::{Stream, StreamFlags};
use device_sim::{DEFAULT_MODEL, DeviceModel, SimDevice};
use source::Code;
use std::collections::HashMap;
use std::time::Duration;

/// Default time limit of a launch.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Bytes of stack per thread in a new context.
const STACK_BYTES: u32 = 1024;

/// The first GPU that the driver lists.
pub struct GpuDevice {
    info: DeviceInfo,
    properties: &'static Properties,
    /// The simulator: its front-end reads kernel files, and it repeats failed launches to explain them.
    front: SimDevice,
    record: Option<Record>,
    programs: HashMap<ProgramId, Program>,
    buffers: HashMap<BufferId, Held>,
    textures: HashMap<TextureId, (BufferId, Texture)>,
    surfaces: HashMap<SurfaceId, (BufferId, Surface)>,
    handles: u32,
    limit: Option<u64>,
    transfers: Transfers,
    times: HashMap<String, MeasuredTime>,
    time_limit: Duration,
    /// Why the device refuses all further work; `None` while it works.
    broken: Option<String>,
    gpu: Option<Gpu>,
}

/// The context and its stream. Field order matters: the stream must be dropped before the context.
struct Gpu {
    stream: Stream,
    context: Context,
    /// Bytes of stack per thread, as currently set.
    stack_bytes: u32,
}

impl Gpu {
    fn new() -> Result<Gpu, Fault> {
        let device = properties::first()?;
        let flags = ContextFlags::SCHED_AUTO | ContextFlags::MAP_HOST;
        let context = checked("making a context", Context::create_and_push(flags, device))?;
        let stream = checked("making a stream", Stream::new(StreamFlags::DEFAULT, None))?;
        Ok(Gpu { stream, context, stack_bytes: STACK_BYTES })
    }
}

impl GpuDevice {
    /// Opens the first GPU.
    ///
    /// # Errors
    /// The reason why there is no usable GPU, with advice.
    pub fn new() -> Result<GpuDevice, String> {
        let properties = properties::probe().map_err(|absent| match absent {
            Absent::NoDriver => {
                source::spelled("no NVIDIA driver is installed; `cargo lab doctor` says how to get one")
            }
            refused @ Absent::Refused { .. } => refused.to_string(),
        })?;
        let link = properties::link_bandwidth()?;
        let model = DeviceModel::named(DEFAULT_MODEL).map_err(|e| e.to_string())?;
        let (major, minor) = properties.compute_capability;
        let info = DeviceInfo {
            id: "gpu".into(),
            name: properties.name.clone(),
            simulated: false,
            memory_bandwidth: properties.memory_bandwidth,
            f32_rate: properties.f32_rate,
            host_link_bandwidth: link.pinned_to_device,
            source: format!(
                "the driver (compute capability {major}.{minor}; bandwidth from memory clock and bus width, rate from lanes and \
                 clock); host link measured with page-locked memory"
            ),
        };
        let gpu = Gpu::new().map_err(|fault| match fault.of_kernel() {
            Some(_) => format!(
                "an earlier kernel of this process faulted on the GPU, and the driver takes no more work from it ({}): run the \
                 rest in another command",
                fault.text()
            ),
            None => fault.text(),
        })?;
        Ok(GpuDevice {
            info,
            properties,
            front: SimDevice::new(&model),
            record: Some(Record::default()),
            programs: HashMap::new(),
            buffers: HashMap::new(),
            textures: HashMap::new(),
            surfaces: HashMap::new(),
            handles: 0,
            limit: None,
            transfers: Transfers::default(),
            times: HashMap::new(),
            time_limit: TIME_LIMIT,
            broken: None,
            gpu: Some(gpu),
        })
    }

    /// Stops recording requests for a repetition on the simulator, which explains failed launches. Use it if a simulator already runs every
    /// launch before this device, as `both` does.
    pub fn without_replay(mut self) -> GpuDevice {
        self.record = None;
        self
    }

    /// Sets how long a launch may run before it is reported as endless.
    pub fn set_time_limit(&mut self, limit: Duration) {
        self.time_limit = limit;
    }

    /// Numbers of the GPU.
    pub fn properties(&self) -> &Properties {
        self.properties
    }

    /// Makes this device's context current for the calling thread.
    fn enter(&self) -> Result<&Gpu, DeviceError> {
        let broken =
            || DeviceError::Use(self.broken.clone().unwrap_or_else(|| "the GPU has no context".into()));
        let gpu = self.gpu.as_ref().filter(|_| self.broken.is_none()).ok_or_else(broken)?;
        checked("entering the context", CurrentContext::set_current(&gpu.context))?;
        Ok(gpu)
    }

    fn held(&self, buffer: BufferId) -> Result<&Held, DeviceError> {
        self.buffers.get(&buffer).ok_or_else(|| no_buffer(buffer))
    }

    fn region(&self, buffer: BufferId) -> Result<Region, DeviceError> {
        let held = self.held(buffer)?;
        Ok(Region { address: held.address(), bytes: held.bytes() })
    }

    /// The buffer, after a check that `len` bytes at `offset` lie inside it.
    fn held_range(&mut self, buffer: BufferId, offset: u64, len: usize) -> Result<&mut Held, DeviceError> {
        let held = self.buffers.get_mut(&buffer).ok_or_else(|| no_buffer(buffer))?;
        let bytes = held.bytes();
        match offset.checked_add(len as u64).filter(|end| *end <= bytes) {
            Some(_) => Ok(held),
            None => Err(DeviceError::Use(format!(
                "{len} bytes at offset {offset} are outside a buffer of {bytes} bytes"
            ))),
        }
    }

    fn program(&self, id: ProgramId) -> Result<&Program, DeviceError> {
        self.programs.get(&id).ok_or_else(|| DeviceError::Use(format!("there is no program {}", id.0)))
    }

    /// The memory of a variable, after a check that it has at least `bytes` bytes.
    fn symbol(&self, program: ProgramId, name: &str, bytes: usize) -> Result<Region, DeviceError> {
        let found = self.program(program)?;
        if found.info.symbol(name).is_none() {
            return Err(DeviceError::Use(format!("the program has no variable `{name}`")));
        }
        let region = found.symbol(name)?;
        match bytes as u64 > region.bytes {
            true => Err(DeviceError::Use(format!(
                "{bytes} bytes are more than the {} that `{name}` has",
                region.bytes
            ))),
            false => Ok(region),
        }
    }

    fn used(&self) -> u64 {
        self.buffers.values().map(Held::bytes).sum()
    }

    /// Replaces a lost context. It loads the programs again and allocates the buffers again, poisoned; textures and
    /// surfaces are lost. Newer drivers (such as 580) do not let a process continue after a fault; the device then
    /// sets `broken` and refuses everything else.
    fn renew(&mut self) {
        self.abandon();
        if let Some(record) = &mut self.record {
            record.invalidate();
        }
        let renewed = Gpu::new().and_then(|gpu| {
            self.gpu = Some(gpu);
            for (_, held) in self.buffers.iter_mut() {
                let bytes = held.bytes();
                std::mem::forget(std::mem::replace(held, Held::new(bytes)?));
                held.poison()?;
            }
            self.programs.values_mut().try_for_each(Program::load)
        });
        if let Err(fault) = renewed {
            self.broken = Some(format!(
                "a kernel faulted on the GPU, and the driver takes no more work from this process ({}): run the rest in another \
                 command, or on `both`, where the simulator finds such a fault before the GPU does",
                fault.text()
            ));
        }
    }

    /// Forgets the objects of a lost context without freeing them, because the driver frees them with the context.
    fn abandon(&mut self) {
        self.programs.values_mut().for_each(Program::forget);
        self.textures.drain().for_each(|(_, texture)| std::mem::forget(texture));
        self.surfaces.drain().for_each(|(_, surface)| std::mem::forget(surface));
        self.times.clear();
        if let Some(Gpu { stream, context, .. }) = self.gpu.take() {
            std::mem::forget(stream);
            drop(context);
        }
    }
}

fn no_buffer(buffer: BufferId) -> DeviceError {
    DeviceError::Use(format!("there is no buffer {}", buffer.0))
}

impl Device for GpuDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn compile(&mut self, file: &KernelFile, options: &CompileOptions) -> Result<ProgramInfo, DeviceError> {
        self.enter()?;
        let architecture = compile::architecture(self.properties.compute_capability);
        let info = match self.front.compile(file, options) {
            Ok(info) => info,
            // CUDA's compiler may support what the front-end does not: what the file declares is enough to launch its kernels.
            Err(DeviceError::Compile(messages))
                if compile::is_unsupported(&messages) && compile::has_compiler() =>
            {
                let Ok(info) = self.front.declarations(file, options) else {
                    return Err(DeviceError::Compile(messages));
                };
                ProgramInfo { warnings: compile::as_notes(messages), ..info }
            }
            Err(DeviceError::Compile(mut messages)) => {
                // Skip the second opinion if an include was forbidden: CUDA's compiler would read that file.
                if messages.diagnostics.iter().all(|d| d.code != Code::IncludeOutside) {
                    messages.diagnostics.extend(compile::second_opinion(file, options, &architecture));
                }
                return Err(DeviceError::Compile(messages));
            }
            Err(other) => return Err(other),
        };
        let answer = compile::build(file, options, &info, &architecture)?;
        compile::agrees(&info, &answer)?;
        let mut program = Program::new(info.clone(), answer.cubin, &answer.lowered);
        program.load()?;
        self.programs.insert(info.id, program);
        Ok(info)
    }

    fn resources(&mut self, program: ProgramId, kernel: &str) -> Result<KernelResources, DeviceError> {
        self.enter()?;
        // `constant_bytes` comes from the front-end, which knows the variables that the kernel uses.
        let read = self.front.resources(program, kernel)?;
        let function = self.program(program)?.function(kernel)?;
        Ok(KernelResources { registers: function.registers()?, local_bytes: function.local_bytes()?, ..read })
    }

    fn unload(&mut self, program: ProgramId) {
        self.front.unload(program);
        if let Some(mut program) = self.programs.remove(&program)
            && self.enter().is_err()
        {
            // The context is lost or runs an endless kernel, so nothing in it can be freed.
            program.forget();
        }
    }

    fn alloc(&mut self, bytes: u64) -> Result<BufferId, DeviceError> {
        self.enter()?;
        let (mut free, mut total) = properties::free_memory()?;
        if let Some(limit) = self.limit {
            (free, total) = (limit.saturating_sub(self.used()).min(free), limit.min(total));
        }
        let out_of_memory = DeviceError::OutOfMemory { asked: bytes, free, total };
        if bytes > free {
            return Err(out_of_memory);
        }
        let mut held = match Held::new(bytes) {
            Err(Fault { code: 2, .. }) => return Err(out_of_memory),
            other => other?,
        };
        held.poison()?;
        let buffer = BufferId(self.handles);
        self.handles += 1;
        self.buffers.insert(buffer, held);
        self.transfers.peak_allocated = self.transfers.peak_allocated.max(self.used());
        if let Some(record) = &mut self.record {
            record.alloc(buffer, bytes);
        }
        Ok(buffer)
    }

    fn free(&mut self, buffer: BufferId) -> Result<(), DeviceError> {
        let held = self.buffers.remove(&buffer).ok_or_else(|| no_buffer(buffer))?;
        if let Some(record) = &mut self.record {
            record.free(buffer);
        }
        if self.enter().is_err() {
            // The context is lost or runs an endless kernel, so nothing in it can be freed.
            std::mem::forget(held);
            return Ok(());
        }
        self.textures.retain(|_, (over, _)| *over != buffer);
        self.surfaces.retain(|_, (over, _)| *over != buffer);
        Ok(())
    }

    fn write(&mut self, buffer: BufferId, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.enter()?;
        self.held_range(buffer, offset, bytes.len())?.write(offset as usize, bytes)?;
        self.transfers.to_device += bytes.len() as u64;
        if let Some(record) = &mut self.record {
            record.write(buffer, offset, bytes);
        }
        Ok(())
    }

    fn read(&mut self, buffer: BufferId, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.enter()?;
        self.held_range(buffer, offset, bytes.len())?.read(offset as usize, bytes)?;
        self.transfers.to_host += bytes.len() as u64;
        Ok(())
    }

    fn poison(&mut self, buffer: BufferId) -> Result<(), DeviceError> {
        self.enter()?;
        self.held_range(buffer, 0, 0)?.poison()?;
        if let Some(record) = &mut self.record {
            record.poison(buffer);
        }
        Ok(())
    }

    fn set_symbol(&mut self, program: ProgramId, name: &str, bytes: &[u8]) -> Result<(), DeviceError> {
        self.enter()?;
        self.symbol(program, name, bytes.len())?.write(bytes)?;
        self.transfers.to_device += bytes.len() as u64;
        if let Some(record) = &mut self.record {
            record.symbol(program, name, bytes);
        }
        Ok(())
    }

    fn create_texture(
        &mut self,
        buffer: BufferId,
        what: &TextureDescription,
    ) -> Result<TextureId, DeviceError> {
        self.enter()?;
        let texture = Texture::new(self.region(buffer)?, what)?;
        let id = TextureId(self.handles);
        self.handles += 1;
        self.textures.insert(id, (buffer, texture));
        if let Some(record) = &mut self.record {
            record.texture(id, buffer, what);
        }
        Ok(id)
    }

    fn create_surface(
        &mut self,
        buffer: BufferId,
        what: &SurfaceDescription,
    ) -> Result<SurfaceId, DeviceError> {
        self.enter()?;
        let surface = Surface::new(self.held(buffer)?.bytes(), what)?;
        let id = SurfaceId(self.handles);
        self.handles += 1;
        self.surfaces.insert(id, (buffer, surface));
        if let Some(record) = &mut self.record {
            record.surface(id, buffer, what);
        }
        Ok(id)
    }

    fn variable(&self, program: ProgramId, name: &str) -> Option<&ParameterInfo> {
        self.front.variable(program, name)
    }

    fn read_symbol(&mut self, program: ProgramId, name: &str, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.enter()?;
        self.symbol(program, name, bytes.len())?.read(bytes)?;
        self.transfers.to_host += bytes.len() as u64;
        Ok(())
    }

    fn supports(&self, options: &LaunchOptions) -> Result<(), DeviceError> {
        let advice = match options {
            LaunchOptions { instruction_budget: Some(_), .. } => {
                "a GPU counts no instructions before it runs them: LAB_TIME_LIMIT=SECONDS bounds a launch there"
            }
            LaunchOptions { fast: true, .. } => "a GPU does not look for races anyway: omit `--fast`",
            LaunchOptions { schedule: 1.., .. } => "a GPU orders its warps itself",
            LaunchOptions { schedule: 0, .. } => return Ok(()),
        };
        Err(DeviceError::Use(advice.into()))
    }

    fn launch(&mut self, request: &LaunchRequest) -> Result<LaunchReport, DeviceError> {
        self.supports(&request.options)?;
        let LaunchOptions { cooperative, stack_bytes, timed, .. } = request.options;
        // Drop all other options: `launch` is also what the simulator repeats after a failure.
        let launch =
            request.clone().with(LaunchOptions { cooperative, stack_bytes, ..LaunchOptions::default() });
        self.set_stack(stack_bytes.unwrap_or(STACK_BYTES))?;
        self.launch_once(&launch, timed).map_err(|error| self.failed(error, &launch))
    }

    fn limit_memory(&mut self, bytes: Option<u64>) {
        self.limit = bytes;
    }

    fn transfers(&self) -> Transfers {
        self.transfers
    }

    fn reset_transfers(&mut self) {
        self.transfers = Transfers { peak_allocated: self.used(), ..Transfers::default() };
    }
}

impl Drop for GpuDevice {
    fn drop(&mut self) {
        if self.enter().is_ok() {
            return;
        }
        // After an endless kernel or a lost context nothing can be freed; the driver frees everything when the
        // process ends.
        self.programs.values_mut().for_each(Program::forget);
        self.textures.drain().for_each(|(_, texture)| std::mem::forget(texture));
        self.surfaces.drain().for_each(|(_, surface)| std::mem::forget(surface));
        std::mem::take(&mut self.buffers).into_values().for_each(std::mem::forget);
        std::mem::forget(self.gpu.take());
    }
}
