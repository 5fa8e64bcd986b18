//! A device with one program of `tests/classics`, for short tests.

use device::{
    Argument, BufferId, CompileOptions, Counters, Device, DeviceError, KernelFile, LaunchReport,
    LaunchRequest, LaunchShape, Messages, ProgramId,
};
use device_sim::{DeviceModel, SimDevice};

/// A compiled program on an H200 of its own.
pub(crate) struct Run {
    device: SimDevice,
    program: ProgramId,
}

fn text(messages: &Messages) -> String {
    let full = |d| source::render::full(&messages.sources, d, false) + "\n";
    messages.diagnostics.iter().map(full).collect()
}

fn id(argument: Argument) -> BufferId {
    match argument {
        Argument::Buffer(id) => id,
        other => panic!("{other:?} is no buffer"),
    }
}

impl Run {
    /// Compiles a file of `tests/classics`, which must give no message.
    pub(crate) fn new(name: &str) -> Run {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/classics").join(name);
        Run::of_file(name, std::fs::read_to_string(path).expect("the program is there"))
    }

    /// Compiles a text, which must give no message.
    pub(crate) fn of_text(code: &str) -> Run {
        Run::of_file("k.cu", code.into())
    }

    fn of_file(name: &str, code: String) -> Run {
        let file = KernelFile { name: name.into(), text: code };
        let mut device = SimDevice::new(&DeviceModel::named("h200").expect("a model"));
        device.options_mut().every_mode = true;
        match device.compile(&file, &CompileOptions::default()) {
            Ok(program) => Run { device, program: program.id },
            Err(DeviceError::Compile(messages)) => panic!("{}", text(&messages)),
            Err(error) => panic!("{error}"),
        }
    }

    /// A buffer with these bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Argument {
        let buffer = self.device.alloc(bytes.len() as u64).expect("room");
        self.device.write(buffer, 0, bytes).expect("in range");
        Argument::Buffer(buffer)
    }

    /// A buffer of floats.
    pub(crate) fn floats(&mut self, values: &[f32]) -> Argument {
        self.bytes(&values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
    }

    /// A buffer of integers.
    pub(crate) fn ints(&mut self, values: &[i32]) -> Argument {
        self.bytes(&values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
    }

    /// Sets a variable of the program.
    pub(crate) fn symbol(&mut self, name: &str, values: &[f32]) {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.device.set_symbol(self.program, name, &bytes).expect("the program has it");
    }

    /// Runs a kernel, which must not be diagnosed; `shared` is dynamic shared memory in bytes.
    pub(crate) fn launch(
        &mut self,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        arguments: &[Argument],
    ) {
        self.report(kernel, LaunchShape { grid, block, dynamic_shared: shared }, arguments);
    }

    /// Runs a kernel with one block, which must not be diagnosed; gives its counters.
    pub(crate) fn counted(
        &mut self,
        kernel: &str,
        block: [u32; 3],
        shared: u32,
        arguments: &[Argument],
    ) -> Counters {
        let shape = LaunchShape { grid: [1; 3], block, dynamic_shared: shared };
        self.report(kernel, shape, arguments).counters.expect("the simulator counts")
    }

    fn report(&mut self, kernel: &str, shape: LaunchShape, arguments: &[Argument]) -> LaunchReport {
        match self.device.launch(&LaunchRequest::new(self.program, kernel, shape, arguments)) {
            Ok(report) => report,
            Err(DeviceError::Launch { messages, .. }) => panic!("{kernel}: {}", text(&messages)),
            Err(error) => panic!("{kernel}: {error}"),
        }
    }

    /// Runs a kernel that must be diagnosed; gives the code of the first message, and all of them as text.
    pub(crate) fn fault(
        &mut self,
        kernel: &str,
        block: u32,
        arguments: &[Argument],
    ) -> (&'static str, String) {
        let shape = LaunchShape { grid: [1; 3], block: [block, 1, 1], dynamic_shared: 0 };
        match self.device.launch(&LaunchRequest::new(self.program, kernel, shape, arguments)) {
            Err(DeviceError::Launch { messages, .. }) => {
                (messages.diagnostics[0].code.as_str(), text(&messages))
            }
            Err(error) => panic!("{kernel}: {error}"),
            Ok(_) => panic!("{kernel} was not diagnosed"),
        }
    }

    /// The machine's options.
    pub(crate) fn options(&mut self) -> &mut simt::Options {
        self.device.options_mut()
    }

    /// The first bytes of a buffer.
    pub(crate) fn read_bytes(&mut self, buffer: Argument, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.device.read(id(buffer), 0, &mut bytes).expect("in range");
        bytes
    }

    /// The first floats of a buffer.
    pub(crate) fn read_floats(&mut self, buffer: Argument, count: usize) -> Vec<f32> {
        let bytes = self.read_bytes(buffer, count * 4);
        bytes.chunks_exact(4).map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    }

    /// The first integers of a buffer.
    pub(crate) fn read_ints(&mut self, buffer: Argument, count: usize) -> Vec<i32> {
        let bytes = self.read_bytes(buffer, count * 4);
        bytes.chunks_exact(4).map(|c| i32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    }
}

/// Numbers without pattern (a linear congruential generator, its upper bits).
pub(crate) fn numbers(count: usize, seed: u64) -> Vec<u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    (0..count).map(|_| next()).collect()
}

/// Floats from 0.25 to 1.25: positive, so that a sum's relative error is that of its terms.
pub(crate) fn floats_of(count: usize, seed: u64) -> Vec<f32> {
    numbers(count, seed).iter().map(|v| 0.25 + (v % 65_536) as f32 / 65_536.0).collect()
}

/// Integers from -500 to 499.
pub(crate) fn integers_of(count: usize, seed: u64) -> Vec<i32> {
    numbers(count, seed).iter().map(|v| (v % 1000) as i32 - 500).collect()
}

/// Each value within `tolerance` of the expected one, relative to the larger of 1 and its size.
#[track_caller]
pub(crate) fn close(found: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        let error = (f64::from(*f) - e).abs();
        assert!(error <= tolerance * e.abs().max(1.0), "element {i} is {f}, expected {e}");
    }
}
