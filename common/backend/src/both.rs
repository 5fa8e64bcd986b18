//! [`BothDevices`]: the simulator and a GPU as one device.
//!
//! Everything is done on both. A launch runs on the simulator first: what it finds wrong is the answer, and the GPU never sees
//! that launch. Counters and the modelled time are the simulator's, the measured time is the GPU's. What is read is
//! what the GPU has, after it was compared with what the simulator has.
//!
//! The comparison. Integers must be the same bits. Floats may differ by [`TOLERANCE`] of the largest magnitude that was read,
//! because the order of atomic additions and the last digits of approximate functions are not the same on both; two NaNs are
//! the same, and so are bytes that neither device wrote. The type of a buffer's elements is that of the last parameter it was passed for.

use device::{
    Argument, BufferId, CompileOptions, Device, DeviceError, DeviceInfo, Element, KernelFile,
    KernelResources, LaunchOptions, LaunchReport, LaunchRequest, Messages, ParameterInfo, ParameterKind,
    ProgramId, ProgramInfo, SurfaceDescription, SurfaceId, TextureDescription, TextureId, Transfers,
};
use source::{Code, Diagnostic};
use std::collections::HashMap;

/// Largest difference of two floats, as a part of the largest magnitude among them.
const TOLERANCE: f64 = 1e-5;

/// A simulator and a GPU.
pub struct BothDevices<S, G> {
    info: DeviceInfo,
    sim: S,
    gpu: G,
    programs: Vec<(ProgramInfo, ProgramId)>,
    buffers: HashMap<BufferId, Pair>,
    textures: HashMap<TextureId, TextureId>,
    surfaces: HashMap<SurfaceId, SurfaceId>,
}

/// A buffer of the simulator has the handle that callers see; this is what goes with it.
struct Pair {
    gpu: BufferId,
    element: Option<Element>,
}

impl<S: Device, G: Device> BothDevices<S, G> {
    /// Both with nothing in their memory.
    pub fn new(sim: S, gpu: G) -> BothDevices<S, G> {
        let name = format!("{}, beside the {}", gpu.info().name, sim.info().name);
        let info = DeviceInfo { id: "both".into(), name, ..gpu.info().clone() };
        BothDevices {
            info,
            sim,
            gpu,
            programs: Vec::new(),
            buffers: HashMap::new(),
            textures: HashMap::new(),
            surfaces: HashMap::new(),
        }
    }

    fn pair(&self, buffer: BufferId) -> Result<&Pair, DeviceError> {
        self.buffers.get(&buffer).ok_or_else(|| DeviceError::Use(format!("there is no buffer {}", buffer.0)))
    }

    /// The program as the simulator has it, and the GPU's handle.
    fn program(&self, id: ProgramId) -> Result<&(ProgramInfo, ProgramId), DeviceError> {
        let unknown = || DeviceError::Use(format!("there is no program {}", id.0));
        self.programs.iter().find(|(info, _)| info.id == id).ok_or_else(unknown)
    }

    fn arguments(&self, arguments: &[Argument]) -> Result<Vec<Argument>, DeviceError> {
        let own = |argument: &Argument| match *argument {
            Argument::Buffer(buffer) => Ok(Argument::Buffer(self.pair(buffer)?.gpu)),
            Argument::Texture(texture) => {
                let unknown = || DeviceError::Use(format!("there is no texture {}", texture.0));
                self.textures.get(&texture).copied().map(Argument::Texture).ok_or_else(unknown)
            }
            Argument::Surface(surface) => {
                let unknown = || DeviceError::Use(format!("there is no surface {}", surface.0));
                self.surfaces.get(&surface).copied().map(Argument::Surface).ok_or_else(unknown)
            }
            other => Ok(other),
        };
        arguments.iter().map(own).collect()
    }

    /// Notes what the buffers among the arguments hold.
    fn learn_elements(&mut self, launch: &LaunchRequest) {
        let Ok((info, _)) = self.program(launch.program) else { return };
        let Some(kernel) = info.kernel(&launch.kernel) else { return };
        let kinds: Vec<ParameterKind> = kernel.parameters.iter().map(|p| p.kind).collect();
        for (argument, kind) in launch.arguments.iter().zip(kinds) {
            if let (Argument::Buffer(buffer), ParameterKind::Pointer { element, .. }) = (argument, kind)
                && let Some(pair) = self.buffers.get_mut(buffer)
            {
                pair.element = element;
            }
        }
    }
}

/// The options for the GPU of a launch that the simulator has checked, bounded and ordered before.
fn of_gpu(options: &LaunchOptions) -> LaunchOptions {
    LaunchOptions { instruction_budget: None, fast: false, schedule: 0, ..*options }
}

/// Whether both devices have the same, of an element type.
fn agreed(of: &str, element: Option<Element>, simulated: &[u8], real: &[u8]) -> Result<(), DeviceError> {
    let Some((index, sim, gpu)) = difference(element, simulated, real) else { return Ok(()) };
    let title = format!(
        "the simulator and the GPU disagree: element {index}{of} is {sim} on the simulator and {gpu} on the GPU"
    );
    let diagnostic = Diagnostic::new(Code::DevicesDisagree, title)
        .note("the simulator found no race, no out-of-bounds access and no uninitialised read")
        .help("`--on sim` and `--on gpu` show the two results; a kernel that depends on an order of threads differs \
        like this");
    Err(DeviceError::launch(Messages { diagnostics: vec![diagnostic], ..Messages::default() }))
}

/// Where two devices' memory differs by more than it may: index of the element, and both values as text.
fn difference(element: Option<Element>, sim: &[u8], gpu: &[u8]) -> Option<(usize, String, String)> {
    if sim == gpu {
        return None;
    }
    match element {
        Some(Element::F32) => {
            let words = |bytes: &[u8]| -> Vec<f64> {
                bytes.as_chunks::<4>().0.iter().map(|w| f64::from(f32::from_le_bytes(*w))).collect()
            };
            floats(&words(sim), &words(gpu))
        }
        Some(Element::F64) => {
            let words = |bytes: &[u8]| -> Vec<f64> {
                bytes.as_chunks::<8>().0.iter().map(|w| f64::from_le_bytes(*w)).collect()
            };
            floats(&words(sim), &words(gpu))
        }
        _ => {
            let at = sim.iter().zip(gpu).position(|(a, b)| a != b)?;
            let size = match element {
                Some(Element::I32) => 4,
                Some(Element::I64) => 8,
                Some(Element::I16 | Element::U16) => 2,
                _ => 1,
            };
            let index = at / size;
            let range = index * size..((index + 1) * size).min(sim.len());
            let hex = |bytes: &[u8]| {
                let digits = bytes.iter().rev().map(|b| format!("{b:02x}")).collect::<String>();
                format!("0x{digits}")
            };
            Some((index, hex(&sim[range.clone()]), hex(&gpu[range])))
        }
    }
}

fn floats(sim: &[f64], gpu: &[f64]) -> Option<(usize, String, String)> {
    let largest = sim.iter().chain(gpu).filter(|v| v.is_finite()).fold(0.0_f64, |m, v| m.max(v.abs()));
    let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= TOLERANCE * largest;
    let at = sim.iter().zip(gpu).position(|(a, b)| !same(*a, *b))?;
    Some((at, sim[at].to_string(), gpu[at].to_string()))
}

impl<S: Device, G: Device> Device for BothDevices<S, G> {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn counts_by_todays_rules(&self) -> bool {
        self.sim.counts_by_todays_rules()
    }

    fn checks_accesses(&self) -> bool {
        self.sim.checks_accesses()
    }

    fn compile(&mut self, file: &KernelFile, options: &CompileOptions) -> Result<ProgramInfo, DeviceError> {
        let gpu = self.gpu.compile(file, options)?;
        let sim = self.sim.compile(file, options)?;
        self.programs.push((sim.clone(), gpu.id));
        Ok(sim)
    }

    fn resources(&mut self, program: ProgramId, kernel: &str) -> Result<KernelResources, DeviceError> {
        // Those that the GPU's compiler gave.
        let gpu = self.program(program)?.1;
        self.gpu.resources(gpu, kernel)
    }

    fn unload(&mut self, program: ProgramId) {
        if let Some(at) = self.programs.iter().position(|(info, _)| info.id == program) {
            let (_, gpu) = self.programs.remove(at);
            self.sim.unload(program);
            self.gpu.unload(gpu);
        }
    }

    fn alloc(&mut self, bytes: u64) -> Result<BufferId, DeviceError> {
        let sim = self.sim.alloc(bytes)?;
        let gpu = match self.gpu.alloc(bytes) {
            Ok(gpu) => gpu,
            Err(error) => {
                self.sim.free(sim)?;
                return Err(error);
            }
        };
        self.buffers.insert(sim, Pair { gpu, element: None });
        Ok(sim)
    }

    fn free(&mut self, buffer: BufferId) -> Result<(), DeviceError> {
        let gpu = self.pair(buffer)?.gpu;
        self.buffers.remove(&buffer);
        self.gpu.free(gpu)?;
        self.sim.free(buffer)
    }

    fn write(&mut self, buffer: BufferId, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.gpu.write(self.pair(buffer)?.gpu, offset, bytes)?;
        self.sim.write(buffer, offset, bytes)
    }

    fn read(&mut self, buffer: BufferId, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let pair = self.pair(buffer)?;
        let (gpu, element) = (pair.gpu, pair.element);
        self.gpu.read(gpu, offset, bytes)?;
        let mut simulated = vec![0; bytes.len()];
        self.sim.read(buffer, offset, &mut simulated)?;
        agreed("", element, &simulated, bytes)
    }

    fn poison(&mut self, buffer: BufferId) -> Result<(), DeviceError> {
        self.gpu.poison(self.pair(buffer)?.gpu)?;
        self.sim.poison(buffer)
    }

    fn set_symbol(&mut self, program: ProgramId, name: &str, bytes: &[u8]) -> Result<(), DeviceError> {
        let gpu = self.program(program)?.1;
        self.gpu.set_symbol(gpu, name, bytes)?;
        self.sim.set_symbol(program, name, bytes)
    }

    fn create_texture(
        &mut self,
        buffer: BufferId,
        what: &TextureDescription,
    ) -> Result<TextureId, DeviceError> {
        let gpu = self.gpu.create_texture(self.pair(buffer)?.gpu, what)?;
        let sim = self.sim.create_texture(buffer, what)?;
        self.textures.insert(sim, gpu);
        Ok(sim)
    }

    fn create_surface(
        &mut self,
        buffer: BufferId,
        what: &SurfaceDescription,
    ) -> Result<SurfaceId, DeviceError> {
        let gpu = self.gpu.create_surface(self.pair(buffer)?.gpu, what)?;
        let sim = self.sim.create_surface(buffer, what)?;
        self.surfaces.insert(sim, gpu);
        Ok(sim)
    }

    fn variable(&self, program: ProgramId, name: &str) -> Option<&ParameterInfo> {
        self.sim.variable(program, name)
    }

    fn read_symbol(&mut self, program: ProgramId, name: &str, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let element = self.sim.variable(program, name).and_then(|v| match v.kind {
            ParameterKind::Scalar(element) => Some(element),
            ParameterKind::Pointer { .. } | ParameterKind::Texture => None,
        });
        let mut simulated = vec![0; bytes.len()];
        self.sim.read_symbol(program, name, &mut simulated)?;
        let gpu = self.program(program)?.1;
        self.gpu.read_symbol(gpu, name, bytes)?;
        agreed(&format!(" of `{name}`"), element, &simulated, bytes)
    }

    fn supports(&self, options: &LaunchOptions) -> Result<(), DeviceError> {
        self.sim.supports(options)?;
        self.gpu.supports(&of_gpu(options))
    }

    fn launch(&mut self, request: &LaunchRequest) -> Result<LaunchReport, DeviceError> {
        // The GPU's memory has nothing of a launch that the simulator stopped.
        let options = LaunchOptions { keep_recovered: false, ..request.options };
        let simulated = self.sim.launch(&request.clone().with(options))?;
        self.learn_elements(request);
        let real = LaunchRequest {
            program: self.program(request.program)?.1,
            arguments: self.arguments(&request.arguments)?,
            options: of_gpu(&request.options),
            ..request.clone()
        };
        let real = self.gpu.launch(&real)?;
        let mut warnings = simulated.warnings;
        warnings.diagnostics.extend(real.warnings.diagnostics);
        Ok(LaunchReport {
            measured: real.measured,
            occupancy: real.occupancy.or(simulated.occupancy),
            warnings,
            ..simulated
        })
    }

    fn limit_memory(&mut self, bytes: Option<u64>) {
        self.gpu.limit_memory(bytes);
        self.sim.limit_memory(bytes);
    }

    fn transfers(&self) -> Transfers {
        self.gpu.transfers()
    }

    fn reset_transfers(&mut self) {
        self.gpu.reset_transfers();
        self.sim.reset_transfers();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use device::LaunchShape;
    use device_sim::{DeviceModel, SimDevice};

    fn sim() -> SimDevice {
        SimDevice::new(&DeviceModel::named("h200").unwrap())
    }

    fn add(device: &mut dyn Device, text: &str) -> Result<Vec<u8>, DeviceError> {
        let file = KernelFile { name: "k.cu".into(), text: text.into() };
        let program = device.compile(&file, &CompileOptions::default())?;
        let buffer = device.alloc(128)?;
        device.write(buffer, 0, &1_i32.to_le_bytes().repeat(32))?;
        let shape = LaunchShape { grid: [1; 3], block: [32, 1, 1], dynamic_shared: 0 };
        device.launch(&LaunchRequest::new(program.id, "k", shape, &[Argument::Buffer(buffer)]))?;
        let mut bytes = vec![0; 128];
        device.read(buffer, 0, &mut bytes)?;
        Ok(bytes)
    }

    #[test]
    fn two_alike_agree_and_handles_may_differ() {
        let mut other = sim();
        // So that the second device's handles are not those of the first.
        other.alloc(4).unwrap();
        let mut both = BothDevices::new(sim(), other);
        let kernel = "__global__ void k(int *p) { p[threadIdx.x] += (int)threadIdx.x; }";
        for _ in 0..2 {
            let bytes = add(&mut both, kernel).unwrap();
            assert_eq!(&bytes[4..8], &2_i32.to_le_bytes());
        }
        assert!(both.checks_accesses());
    }

    #[test]
    fn what_the_first_finds_wrong_is_the_answer() {
        let mut both = BothDevices::new(sim(), sim());
        let error = add(&mut both, "__global__ void k(int *p) { p[threadIdx.x + 100] = 1; }").unwrap_err();
        let DeviceError::Launch { messages, .. } = error else { panic!("{error:?}") };
        assert!(messages.diagnostics[0].code.as_str().contains("bounds"), "{messages:?}");
    }

    #[test]
    fn another_result_is_an_error_with_both_values() {
        let bytes = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
        let (a, b) = (bytes(&[1.0, 2.0, f32::NAN]), bytes(&[1.0, 2.00001, f32::NAN]));
        assert_eq!(difference(Some(Element::F32), &a, &b), None, "within the tolerance");
        let (at, sim, gpu) = difference(Some(Element::F32), &a, &bytes(&[1.0, 2.1, f32::NAN])).unwrap();
        assert_eq!((at, sim.as_str(), gpu.starts_with("2.0999")), (1, "2", true));
        assert!(difference(Some(Element::F32), &a, &bytes(&[1.0, 2.0, 3.0])).is_some(), "NaN is no number");
        // Integers have no tolerance: as floats these would be two tiny numbers.
        let (a, b) = ([0_u8, 0, 0, 0, 7, 0, 0, 0], [0_u8, 0, 0, 0, 8, 0, 0, 0]);
        let expected = Some((1, "0x00000007".to_owned(), "0x00000008".to_owned()));
        assert_eq!(difference(Some(Element::I32), &a, &b), expected);
        assert!(difference(None, &a, &b).is_some());
    }
}
