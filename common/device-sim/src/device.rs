//! [`SimDevice`]: the `Device` trait over the front-end and the machine.

use crate::model::{Coalescing, DeviceModel};
use crate::occupancy::occupancy_with_registers;
use crate::program::{self, Program};
use crate::{advise, diagnose, handover, recording, report};
use ::device::{
    AddressMode, Argument, BufferId, CompileOptions, Device, DeviceError, DeviceInfo, Element, FilterMode,
    KernelFile, KernelResources, LaunchOptions, LaunchReport, LaunchRequest, LaunchShape, Messages,
    ParameterInfo, ProgramId, ProgramInfo, SurfaceDescription, SurfaceId, TextureDescription, TextureId,
    TextureLayers, Transfers,
};
use simt::{
    Channel, DeviceLimits, DeviceMemory, FaultKind, KernelRef, LaunchOutcome, MemoryError, MemoryRules,
    Recorded, Simulator, SurfaceDesc, TextureDesc, TextureSource,
};
use simt_ir::{Constant, TextureShape};
use source::Severity;

/// Maximum bytes of host memory that simulated device memory takes, whatever the model has.
const HOST_BYTES: u64 = 8 << 30;

/// Default budget of a launch in warp instructions: about ten times what any exercise needs, so that an endless loop is found soon.
const INSTRUCTIONS: u64 = 400_000_000;
/// Maximum number of warp instructions (or one block, if that is more) that are run again after a launch was stopped at its budget, to see
/// which lines the work is in.
const SAMPLE: u64 = 4_000_000;

/// Maximum number of mistakes besides the first that a failed launch looks for.
const FURTHER: usize = 31;

/// A simulated GPU.
pub struct SimDevice {
    model: DeviceModel,
    info: DeviceInfo,
    options: simt::Options,
    simulator: Simulator,
    limit: Option<u64>,
    transfers: Transfers,
    /// By handle; `None` for one that was unloaded.
    programs: Vec<Option<Box<Program>>>,
    textures: Vec<Texture>,
    /// Handle and bytes of the buffer below.
    surfaces: Vec<(u64, u64)>,
}

/// A texture object; `handle` is `None` once it or its buffer was freed.
struct Texture {
    handle: Option<u64>,
    buffer: BufferId,
    bytes: u64,
}

impl SimDevice {
    /// What a file declares, for a device with a compiler of its own: bodies of functions are left out where nothing depends on
    /// them, so that what is not supported in them does not matter. Its kernels do nothing here.
    ///
    /// # Errors
    /// As [`Device::compile`].
    pub fn declarations(
        &mut self,
        file: &KernelFile,
        options: &CompileOptions,
    ) -> Result<ProgramInfo, DeviceError> {
        self.compiled(file, options, true)
    }

    fn compiled(
        &mut self,
        file: &KernelFile,
        options: &CompileOptions,
        declarations: bool,
    ) -> Result<ProgramInfo, DeviceError> {
        let id = ProgramId(self.programs.len() as u32);
        let (program, info) = program::compile(file, options, declarations, &mut self.simulator.memory, id)?;
        self.programs.push(Some(Box::new(program)));
        Ok(info)
    }

    /// A device with nothing in its memory. Checks and counters are on.
    pub fn new(model: &DeviceModel) -> SimDevice {
        let info = DeviceInfo {
            id: "sim".into(),
            name: format!("simulator (model: {})", model.title),
            simulated: true,
            memory_bandwidth: model.memory_bandwidth,
            f32_rate: model.f32_flops,
            host_link_bandwidth: model.host_link_bandwidth,
            source: format!("device model `{}`", model.name),
        };
        SimDevice {
            model: model.clone(),
            info,
            options: options(model),
            simulator: Simulator::new(model.memory_bytes.min(HOST_BYTES)),
            limit: None,
            transfers: Transfers::default(),
            programs: Vec::new(),
            textures: Vec::new(),
            surfaces: Vec::new(),
        }
    }

    /// How launches are run where their requests say nothing else: threads of the host, budget, checks.
    pub fn options_mut(&mut self) -> &mut simt::Options {
        &mut self.options
    }

    /// How many launches were compared with the IR's executable definition; see [`simt::Options::every_mode`].
    pub fn comparisons(&self) -> &simt::Comparisons {
        &self.simulator.comparisons
    }

    /// Blocks of a launch that the device can have resident at once.
    fn resident(&self, kernel: &simt_ir::Kernel, registers: u32, shape: &LaunchShape) -> u64 {
        let threads = shape.block.iter().fold(1u32, |n, e| n.saturating_mul(*e));
        let shared = kernel.static_shared_bytes().saturating_add(shape.dynamic_shared);
        let occupancy = occupancy_with_registers(&self.model, threads, shared, registers);
        u64::from(occupancy.blocks) * u64::from(self.model.sms)
    }

    /// The device model.
    pub fn model(&self) -> &DeviceModel {
        &self.model
    }

    fn program(&self, id: ProgramId) -> Result<&Program, DeviceError> {
        find(&self.programs, id)
    }

    /// Optimises a kernel of a program unless it is, and says what it takes.
    fn ready(&mut self, id: ProgramId, kernel: usize) -> Result<KernelResources, DeviceError> {
        let program = self.programs.get_mut(id.0 as usize).and_then(Option::as_mut);
        program.ok_or_else(|| DeviceError::Use(format!("there is no program {}", id.0)))?.ready(kernel)
    }

    fn total(&self) -> u64 {
        let all = self.model.memory_bytes.min(HOST_BYTES);
        self.limit.map_or(all, |limit| limit.min(all))
    }

    /// How the machine runs a launch of which so many blocks can be resident.
    fn launch_options(&self, asked: &LaunchOptions, resident: u64) -> simt::Options {
        let mut options = self.options.clone();
        // A block that is launched fits, whatever the estimate of its registers says.
        options.limits.resident_blocks = resident.max(self.model.sms.into());
        options.limits.stack_bytes = asked.stack_bytes.unwrap_or(options.limits.stack_bytes);
        options.instruction_budget = asked.instruction_budget.unwrap_or(options.instruction_budget);
        if let Some(allowance) = asked.allowance {
            options.instruction_budget = allowance.left;
            options.weighted = true;
        }
        if asked.fast {
            (options.checks, options.counters) = (false, false);
        }
        options.schedule_seed = asked.schedule;
        options.keep_recovered = asked.keep_recovered;
        options
    }

    /// The arguments of a launch as the machine takes them, with the bytes of memory that they give the kernel.
    fn arguments(&self, request: &LaunchRequest, index: usize) -> Result<(Vec<Constant>, u64), DeviceError> {
        let parameters = &self.program(request.program)?.parameters[index];
        if parameters.len() != request.arguments.len() {
            return Err(DeviceError::Use(format!(
                "`{}` has {} parameters, but {} arguments were given",
                request.kernel,
                parameters.len(),
                request.arguments.len()
            )));
        }
        let mut footprint = 0;
        let mut args = Vec::with_capacity(parameters.len());
        for (argument, parameter) in request.arguments.iter().zip(parameters) {
            let (constant, bytes) = self.argument(argument, parameter)?;
            footprint += if args.contains(&constant) { 0 } else { bytes };
            args.push(constant);
        }
        Ok((args, footprint))
    }

    /// A launch argument as the machine takes it, with the bytes of memory that it gives the kernel.
    fn argument(
        &self,
        argument: &Argument,
        parameter: &ParameterInfo,
    ) -> Result<(Constant, u64), DeviceError> {
        argument.check(parameter)?;
        let constant = match *argument {
            Argument::Null => Constant::Ptr(0),
            Argument::Buffer(buffer) => {
                let bytes = self.simulator.memory.bytes(machine_buffer(buffer)).map_err(use_error)?;
                return Ok((Constant::Ptr(machine_buffer(buffer).pointer()), bytes));
            }
            Argument::Texture(texture) => {
                let found = self.textures.get(texture.0 as usize);
                let live = found.and_then(|t| t.handle.map(|h| (Constant::I64(h), t.bytes)));
                return live.ok_or_else(|| DeviceError::Use(format!("there is no texture {}", texture.0)));
            }
            Argument::Surface(surface) => {
                let found =
                    self.surfaces.get(surface.0 as usize).map(|(h, bytes)| (Constant::I64(*h), *bytes));
                return found.ok_or_else(|| DeviceError::Use(format!("there is no surface {}", surface.0)));
            }
            Argument::I32(v) => Constant::I32(v as u32),
            Argument::U32(v) => Constant::I32(v),
            Argument::I64(v) => Constant::I64(v as u64),
            Argument::U64(v) => Constant::I64(v),
            Argument::F32(v) => Constant::F32(v.to_bits()),
            Argument::F64(v) => Constant::F64(v.to_bits()),
            Argument::Bool(v) => Constant::Bool(v),
        };
        Ok((constant, 0))
    }
}

fn find(programs: &[Option<Box<Program>>], id: ProgramId) -> Result<&Program, DeviceError> {
    let found = programs.get(id.0 as usize).and_then(|program| program.as_deref());
    found.ok_or_else(|| DeviceError::Use(format!("there is no program {}", id.0)))
}

/// The machine's limits and rules for a model.
fn options(model: &DeviceModel) -> simt::Options {
    // Before Volta, L1 is beside shared memory; the machine takes their sum. From compute capability 8.0 on a block
    // can have all but the 1 KiB that the system keeps, if it asks for it as dynamic shared memory.
    let beside = matches!(model.major(), 5 | 6);
    let l1 = model.l1_bytes_per_sm + if beside { u64::from(model.shared_bytes_per_sm) } else { 0 };
    let opt_in =
        if model.major() >= 8 { model.shared_bytes_per_sm - 1024 } else { model.shared_bytes_per_block };
    let limits = DeviceLimits {
        max_threads: model.threads_per_block,
        static_shared_limit: model.shared_bytes_per_block,
        shared_limit: opt_in.max(model.shared_bytes_per_block),
        l1_bytes: l1,
        independent_lanes: model.major() >= 7,
        rules: match model.coalescing {
            Coalescing::Modern => MemoryRules::Modern,
            Coalescing::Compute13 => MemoryRules::Compute1,
        },
        ..DeviceLimits::default()
    };
    simt::Options { limits, instruction_budget: INSTRUCTIONS, further: FURTHER, ..simt::Options::default() }
}

fn machine_buffer(buffer: BufferId) -> simt::BufferId {
    simt::BufferId(buffer.0)
}

fn use_error(error: MemoryError) -> DeviceError {
    match error {
        MemoryError::OutOfMemory { asked, used, budget } => {
            DeviceError::OutOfMemory { asked, free: budget.saturating_sub(used), total: budget }
        }
        MemoryError::NoBuffer(_)
        | MemoryError::NoSymbol
        | MemoryError::NoTexture(_)
        | MemoryError::Range { .. }
        | MemoryError::Texture(_) => DeviceError::Use(error.to_string()),
    }
}

impl Device for SimDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn counts_by_todays_rules(&self) -> bool {
        self.model.coalescing == Coalescing::Modern
    }

    fn compile(&mut self, file: &KernelFile, options: &CompileOptions) -> Result<ProgramInfo, DeviceError> {
        self.compiled(file, options, false)
    }

    fn resources(&mut self, program: ProgramId, kernel: &str) -> Result<KernelResources, DeviceError> {
        let index = self.program(program)?.index(kernel)?;
        self.ready(program, index)
    }

    fn unload(&mut self, program: ProgramId) {
        let freed = self.programs.get_mut(program.0 as usize).and_then(Option::take);
        freed.into_iter().for_each(|program| self.simulator.memory.unload(program.symbols));
    }

    fn alloc(&mut self, bytes: u64) -> Result<BufferId, DeviceError> {
        let (total, used) = (self.total(), self.simulator.memory.used());
        if used.saturating_add(bytes) > total {
            return Err(DeviceError::OutOfMemory { asked: bytes, free: total.saturating_sub(used), total });
        }
        let buffer = self.simulator.memory.alloc(bytes).map_err(use_error)?;
        self.transfers.peak_allocated = self.transfers.peak_allocated.max(self.simulator.memory.used());
        Ok(BufferId(buffer.0))
    }

    fn free(&mut self, buffer: BufferId) -> Result<(), DeviceError> {
        self.simulator.memory.free(machine_buffer(buffer)).map_err(use_error)?;
        for texture in self.textures.iter_mut().filter(|t| t.buffer == buffer) {
            if let Some(handle) = texture.handle.take() {
                self.simulator.memory.destroy_texture(handle).map_err(use_error)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, buffer: BufferId, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.simulator.memory.write(machine_buffer(buffer), offset, bytes).map_err(use_error)?;
        self.transfers.to_device += bytes.len() as u64;
        Ok(())
    }

    fn read(&mut self, buffer: BufferId, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.simulator.memory.read(machine_buffer(buffer), offset, bytes).map_err(use_error)?;
        self.transfers.to_host += bytes.len() as u64;
        Ok(())
    }

    fn poison(&mut self, buffer: BufferId) -> Result<(), DeviceError> {
        self.simulator.memory.poison(machine_buffer(buffer)).map_err(use_error)
    }

    fn set_symbol(&mut self, program: ProgramId, name: &str, bytes: &[u8]) -> Result<(), DeviceError> {
        let found = self.program(program)?;
        let unknown = || DeviceError::Use(format!("the program has no variable `{name}`"));
        let global = found.module.globals.iter().position(|g| g.name == name).ok_or_else(unknown)?;
        let symbols = found.symbols;
        self.simulator.memory.write_symbol(symbols, global as u32, 0, bytes).map_err(use_error)?;
        self.transfers.to_device += bytes.len() as u64;
        Ok(())
    }

    fn variable(&self, program: ProgramId, name: &str) -> Option<&ParameterInfo> {
        self.program(program).ok()?.variables.iter().find(|v| v.name == name)
    }

    fn read_symbol(&mut self, program: ProgramId, name: &str, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let found = self.program(program)?;
        let unknown = || DeviceError::Use(format!("the program has no variable `{name}`"));
        let global = found.module.globals.iter().position(|g| g.name == name).ok_or_else(unknown)?;
        self.simulator.memory.read_symbol(found.symbols, global as u32, 0, bytes).map_err(use_error)?;
        self.transfers.to_host += bytes.len() as u64;
        Ok(())
    }

    fn create_texture(
        &mut self,
        buffer: BufferId,
        what: &TextureDescription,
    ) -> Result<TextureId, DeviceError> {
        let bytes = self.simulator.memory.bytes(machine_buffer(buffer)).map_err(use_error)?;
        let description = texture(&self.simulator.memory, buffer, what)?;
        let handle = self.simulator.memory.create_texture(description).map_err(use_error)?;
        self.textures.push(Texture { handle: Some(handle), buffer, bytes });
        Ok(TextureId(self.textures.len() as u32 - 1))
    }

    fn create_surface(
        &mut self,
        buffer: BufferId,
        what: &SurfaceDescription,
    ) -> Result<SurfaceId, DeviceError> {
        let bytes = self.simulator.memory.bytes(machine_buffer(buffer)).map_err(use_error)?;
        let [x, y, z] = what.extent;
        let shape = match (what.layers, y, z) {
            (TextureLayers::None, 0, _) => TextureShape::D1,
            (TextureLayers::None, _, 0) => TextureShape::D2,
            (TextureLayers::None, ..) => TextureShape::D3,
            (TextureLayers::Layered, _, 0) => TextureShape::Layered1,
            (TextureLayers::Layered, ..) => TextureShape::Layered2,
            (TextureLayers::Cube, ..) => TextureShape::Cube,
            (TextureLayers::CubeLayered, ..) => TextureShape::CubeLayered,
        };
        let description = SurfaceDesc {
            buffer: machine_buffer(buffer),
            element_bytes: what.element_bytes,
            extent: [x, y.max(1), z.max(1)],
            shape,
        };
        let handle = self.simulator.memory.create_surface(description).map_err(use_error)?;
        self.surfaces.push((handle, bytes));
        Ok(SurfaceId(self.surfaces.len() as u32 - 1))
    }

    fn supports(&self, _: &LaunchOptions) -> Result<(), DeviceError> {
        Ok(())
    }

    fn launch(&mut self, request: &LaunchRequest) -> Result<LaunchReport, DeviceError> {
        let index = self.program(request.program)?.index(&request.kernel)?;
        let (args, footprint) = self.arguments(request, index)?;
        let registers = self.ready(request.program, index)?.registers;
        let found = find(&self.programs, request.program)?;
        let resident = self.resident(&found.module.kernels[index], registers, &request.shape);
        let mut options = self.launch_options(&request.options, resident);
        options.counters &= request.options.handover.is_none();
        // Devices before compute capability 6.0 have no cooperative launches.
        let cooperative = if self.model.major() < 6 { 0 } else { resident };
        let launch = simt::Launch {
            grid: request.shape.grid,
            block: request.shape.block,
            dynamic_shared: request.shape.dynamic_shared,
            cooperative: request.options.cooperative.then_some(cooperative),
            args,
        };
        let kernel = KernelRef { module: &found.module, symbols: found.symbols, index };
        // Before the launch itself, because it runs on a copy of the memory. What fails here fails there, too, and is reported there.
        let recorded = match request.options.recorded {
            true => self.simulator.record(kernel, &launch, &options).unwrap_or_default(),
            false => Recorded::default(),
        };
        let mut handed_over = None;
        let outcome = match &request.options.handover {
            Some(handover) => {
                let buffer_of = |texture: usize| self.textures.get(texture).map(|of| of.buffer);
                let watch = handover::watch(handover, &request.arguments, buffer_of);
                self.simulator.follow(kernel, &launch, &options, watch).map(|watched| {
                    handed_over = Some(handover::handed_over(&watched, &request.arguments));
                    LaunchOutcome::default()
                })
            }
            None => self.simulator.run(kernel, &launch, &options),
        };
        let work = request.options.allowance.map_or(0, |_| self.simulator.work());
        match outcome {
            Ok(outcome) => {
                let footprint = options.counters.then_some(footprint);
                let report = report::report(&self.model, found, index, &request.shape, footprint, outcome);
                Ok(LaunchReport {
                    recording: recording::recording(found, recorded),
                    handed_over,
                    work,
                    ..report
                })
            }
            Err(mut failure) => {
                let lines = match failure.fault.kind {
                    FaultKind::InstructionBudget { .. } => {
                        self.simulator.sample(kernel, &launch, &options, SAMPLE)
                    }
                    _ => Vec::new(),
                };
                let mut messages = messages(found, index, request, &mut failure, lines);
                if request.options.suggest {
                    let facts = facts(request, &found.parameters[index]);
                    let cooperative = request.options.cooperative;
                    let proposals = advise::suggestions(found, index, cooperative, &facts, &failure.fault);
                    let first = messages.diagnostics.iter_mut().find(|d| d.severity == Severity::Error);
                    first.into_iter().for_each(|d| d.suggestions.clone_from(&proposals));
                }
                let printed = std::mem::take(&mut failure.printed);
                Err(DeviceError::Launch { messages, recovered: failure.completed, work, printed })
            }
        }
    }

    fn limit_memory(&mut self, bytes: Option<u64>) {
        self.limit = bytes;
    }

    fn transfers(&self) -> Transfers {
        self.transfers
    }

    fn reset_transfers(&mut self) {
        self.transfers = Transfers { peak_allocated: self.simulator.memory.used(), ..Transfers::default() };
    }
}

/// What is said of a launch that failed. `lines`: what a part of a launch that its budget has stopped counts, by location.
fn messages(
    program: &Program,
    index: usize,
    request: &LaunchRequest,
    failure: &mut simt::LaunchFailure,
    lines: Vec<simt::Counters>,
) -> Messages {
    let mut messages = report::warnings(program, index, &failure.warnings);
    let mut facts = facts(request, &program.parameters[index]);
    if let FaultKind::InstructionBudget { limit } = &mut failure.fault.kind {
        let total = request.options.allowance.map(|allowance| allowance.total);
        // What other launches have left may be too little for a loop that ends.
        let is_most = total.is_none_or(|total| *limit > total / 2);
        *limit = total.unwrap_or(*limit);
        facts.budget = Some(diagnose::SpentBudget { is_shared: total.is_some(), is_most, lines });
    }
    messages.diagnostics.extend(diagnose::mistakes(program, index, &facts, failure));
    messages
}

/// What messages say of a launch.
fn facts(request: &LaunchRequest, parameters: &[ParameterInfo]) -> diagnose::LaunchFacts {
    let integer = |argument: &Argument| match *argument {
        Argument::I32(value) => Some(i64::from(value)),
        Argument::U32(value) => Some(i64::from(value)),
        Argument::I64(value) => Some(value),
        Argument::U64(value) => i64::try_from(value).ok(),
        _ => None,
    };
    let LaunchShape { grid, block, .. } = request.shape;
    let arguments = request.arguments.iter().zip(parameters);
    let named = arguments.filter_map(|(a, p)| Some((p.name.clone(), integer(a)?)));
    diagnose::LaunchFacts { block, grid, integers: named.collect(), budget: None }
}

/// The machine's form of a texture; array textures take a copy of the buffer, as `cudaMemcpyToArray` would.
fn texture(
    memory: &DeviceMemory,
    buffer: BufferId,
    what: &TextureDescription,
) -> Result<TextureDesc, DeviceError> {
    let channel = match what.element {
        Element::F32 => Channel::F32,
        Element::I32 => Channel::I32,
        Element::I16 => Channel::S16,
        Element::U16 => Channel::U16,
        Element::I8 => Channel::S8,
        Element::U8 => Channel::U8,
        Element::Bool | Element::I64 | Element::F64 => {
            return Err(DeviceError::Use(format!(
                "{:?} is not a valid type for a texture channel",
                what.element
            )));
        }
    };
    let texel = u64::from(channel.bytes()) * u64::from(what.channels);
    let source = if what.linear && what.extent[1] > 0 {
        TextureSource::Pitch {
            buffer: machine_buffer(buffer),
            width: what.extent[0],
            height: what.extent[1],
            pitch: u64::from(what.extent[0]) * texel,
        }
    } else if what.linear {
        TextureSource::Linear { buffer: machine_buffer(buffer), elements: u64::from(what.extent[0]) }
    } else {
        let texels = what.extent.iter().fold(1u64, |n, e| n.saturating_mul(u64::from((*e).max(1))));
        let available = memory.bytes(machine_buffer(buffer)).map_err(use_error)?;
        if texels.saturating_mul(texel) > available {
            return Err(DeviceError::Use(format!("a texture of {texels} texels is larger than its buffer")));
        }
        let mut data = vec![0; (texels * texel) as usize];
        memory.read(machine_buffer(buffer), 0, &mut data).map_err(use_error)?;
        TextureSource::Array { extent: what.extent, data }
    };
    Ok(TextureDesc {
        source,
        channel,
        channels: u32::from(what.channels),
        layers: same!(what.layers, TextureLayers as Layers: None Layered Cube CubeLayered),
        address: [same!(what.address, AddressMode as AddressMode: Clamp Border Wrap Mirror); 3],
        filter: same!(what.filter, FilterMode as FilterMode: Point Linear),
        normalized_coordinates: what.normalized,
        normalized_read: what.normalized_read,
    })
}
