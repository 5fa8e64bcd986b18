//! One kernel, compiled and bound, for benchmarks of the launch alone.
//!
//! Arguments are bound by the parameter's name, so that a new kernel needs no new code: `in` and `vectors` are small positive
//! numbers, `link` is a random cycle through its own indices, `out` and `sums` are written, `image` is a texture of `in`,
//! `n` the size.

use device::{
    AddressMode, Argument, BufferId, CompileOptions, Counters, Device, DeviceError, Element, FilterMode,
    KernelFile, LaunchRequest, LaunchShape, TextureDescription, TextureLayers,
};
use device_sim::{DeviceModel, SimDevice};

/// Elements of `in` and of `out`: 4 MiB each.
const ELEMENTS: usize = 1 << 20;
/// Elements of `link`.
const LINKS: usize = 1 << 12;
/// Texels of `image` by axis.
const IMAGE: [u32; 3] = [1024, 1024, 0];

/// Which observers a launch has.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// What benchmarks call it.
    pub name: &'static str,
    /// Whether races and uninitialised reads are looked for.
    pub checks: bool,
    /// Whether it counts.
    pub counters: bool,
}

/// As a student runs it, and with neither checks nor counters.
pub const ON_AND_OFF: [Mode; 2] = [MODES[0], MODES[3]];

/// All there are.
pub const MODES: [Mode; 4] = [
    Mode { name: "all", checks: true, counters: true },
    Mode { name: "counters", checks: false, counters: true },
    Mode { name: "checks", checks: true, counters: false },
    Mode { name: "none", checks: false, counters: false },
];

/// A kernel with its arguments in simulated memory.
pub struct Launchable {
    device: SimDevice,
    request: LaunchRequest,
}

impl Launchable {
    /// Compiles `text` and binds the arguments of `kernel`, with `n` as size.
    ///
    /// # Panics
    /// If the text does not compile, or the kernel is not in it or has a parameter of an unknown name.
    pub fn new(text: &str, kernel: &str, grid: [u32; 2], block: [u32; 2], n: i32) -> Launchable {
        let model = DeviceModel::named("h200").expect("the simulator knows the H200");
        let mut device = SimDevice::new(&model);
        // It finds loops without an end; here is none.
        device.options_mut().instruction_budget = u64::MAX;
        let file = KernelFile { name: "benchmark.cu".into(), text: text.into() };
        let info =
            device.compile(&file, &CompileOptions::default()).unwrap_or_else(|e| panic!("{}", said(&e)));
        for symbol in &info.symbols {
            let values = floats(symbol.bytes as usize / 4);
            device.set_symbol(info.id, &symbol.name, &values).expect("the variable is of floats");
        }
        let found = info.kernel(kernel).unwrap_or_else(|| panic!("there is a kernel `{kernel}`"));
        let arguments: Vec<Argument> =
            found.parameters.iter().map(|p| bind(&mut device, &p.name, n)).collect();
        let shape =
            LaunchShape { grid: [grid[0], grid[1], 1], block: [block[0], block[1], 1], dynamic_shared: 0 };
        Launchable { device, request: LaunchRequest::new(info.id, kernel, shape, &arguments) }
    }

    /// Sets which observers the next launches have.
    pub fn set_mode(&mut self, mode: Mode) {
        let options = self.device.options_mut();
        options.checks = mode.checks;
        options.counters = mode.counters;
    }

    /// Sets how many threads run the blocks of the next launches.
    pub fn set_threads(&mut self, threads: usize) {
        self.device.options_mut().threads = threads;
    }

    /// Launches once; there are no counters where the mode does not count.
    ///
    /// # Panics
    /// If the launch fails.
    pub fn launch(&mut self) -> Option<Counters> {
        let done = self.device.launch(&self.request);
        done.unwrap_or_else(|e| panic!("{}: {}", self.request.kernel, said(&e))).counters
    }
}

fn bind(device: &mut SimDevice, name: &str, n: i32) -> Argument {
    match name {
        "in" | "a" | "b" | "vectors" => Argument::Buffer(filled(device, &floats(ELEMENTS))),
        "link" => Argument::Buffer(filled(device, &cycle())),
        "out" | "c" | "sums" => Argument::Buffer(filled(device, &vec![0; ELEMENTS * 4])),
        "image" => {
            let texels = filled(device, &floats(ELEMENTS));
            let what = TextureDescription {
                element: Element::F32,
                channels: 1,
                extent: IMAGE,
                linear: false,
                layers: TextureLayers::None,
                normalized_read: false,
                address: AddressMode::Clamp,
                filter: FilterMode::Point,
                normalized: false,
            };
            Argument::Texture(device.create_texture(texels, &what).expect("the texture fits its buffer"))
        }
        "n" => Argument::I32(n),
        _ => panic!("no argument is known for a parameter `{name}`"),
    }
}

fn filled(device: &mut SimDevice, bytes: &[u8]) -> BufferId {
    let buffer = device.alloc(bytes.len() as u64).expect("it fits into device memory");
    device.write(buffer, 0, bytes).expect("it is as large");
    buffer
}

fn floats(count: usize) -> Vec<u8> {
    (0..count).flat_map(|i| ((i % 7) as f32 * 0.25 + 0.5).to_le_bytes()).collect()
}

/// A permutation of `0..LINKS` that is one cycle in no order that the memory has.
fn cycle() -> Vec<u8> {
    // A full period: the factor is 1 modulo 4 and the summand odd (Hull and Dobell).
    (0..LINKS).flat_map(|i| (((i * 1229 + 2731) % LINKS) as i32).to_le_bytes()).collect()
}

/// An error with the titles of its messages.
fn said(error: &DeviceError) -> String {
    match error {
        DeviceError::Compile(found) | DeviceError::Launch { messages: found, .. } => {
            let lines = found.diagnostics.iter().map(|d| source::render::concise(&found.sources, d));
            format!("{error}: {}", lines.collect::<Vec<_>>().join("; "))
        }
        DeviceError::OutOfMemory { .. } | DeviceError::Use(_) => error.to_string(),
    }
}
