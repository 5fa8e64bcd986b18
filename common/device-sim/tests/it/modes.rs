//! Every right program that the tests have, in every mode of the simulator: whatever a kernel does with the arguments it
//! gets here, a result or a mistake, it must be the same with each number of the host's threads, each instruction set, all
//! levels of specialization, and without checks and counters.
//!
//! Programs are found in the folders below, so one that is added to the corpus is tried here too. Each kernel is launched in two
//! shapes; `MODES=all` takes more shapes, and `MODES_PROGRAMS=FOLDER` the `.cu` files below that folder instead.

use device::{
    AddressMode, Argument, CompileOptions, Device, DeviceError, Element, FilterMode, KernelFile, KernelInfo,
    LaunchOptions, LaunchShape, ParameterKind, ProgramId, TextureDescription, TextureLayers,
};
use device_sim::{DeviceModel, SimDevice};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const FOLDERS: [&str; 6] = [
    "tests/classics",
    "../cuda-front/tests/corpus/accept",
    "../cuda-front/tests/kernels",
    "../cuda-front/tests/host/accept",
    "../cuda-front/tests/check/pass",
    "../../kernels",
];

/// Bytes of each buffer.
const BYTES: u64 = 16_384;

/// How a kernel is launched.
struct Shape {
    grid: [u32; 3],
    block: [u32; 3],
    /// What integers are.
    n: i32,
    /// Whether buffers that the kernel may write start without values.
    unwritten: bool,
    cooperative: bool,
}

const SHAPES: [Shape; 4] = [
    Shape { grid: [3, 1, 1], block: [64, 1, 1], n: 64, unwritten: false, cooperative: false },
    Shape { grid: [2, 2, 1], block: [16, 9, 1], n: 100, unwritten: true, cooperative: true },
    Shape { grid: [5, 1, 2], block: [7, 5, 3], n: 33, unwritten: false, cooperative: false },
    Shape { grid: [1, 1, 1], block: [256, 1, 1], n: 1000, unwritten: true, cooperative: false },
];

const TEXTURE: TextureDescription = TextureDescription {
    element: Element::F32,
    channels: 1,
    extent: [32, 32, 0],
    linear: false,
    layers: TextureLayers::None,
    normalized_read: false,
    address: AddressMode::Clamp,
    filter: FilterMode::Point,
    normalized: false,
};

fn simulator() -> SimDevice {
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    device.options_mut().every_mode = true;
    device
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|e| e == "cu" || e == "cuh") {
            found.push(path);
        }
    }
}

/// Small numbers, so that as indices they lie in a buffer.
fn contents(element: Option<Element>) -> Vec<u8> {
    let numbers = (0u32..).map(|i| i.wrapping_mul(2_654_435_761) >> 26);
    let bytes = BYTES as usize;
    match element {
        Some(Element::F32) => {
            numbers.flat_map(|v| (v as f32 / 8.0 - 2.0).to_le_bytes()).take(bytes).collect()
        }
        Some(Element::F64) => numbers.flat_map(|v| (f64::from(v) / 8.0).to_le_bytes()).take(bytes).collect(),
        Some(Element::Bool) => numbers.map(|v| (v & 1) as u8).take(bytes).collect(),
        Some(Element::I8 | Element::U8) => numbers.map(|v| v as u8).take(bytes).collect(),
        Some(Element::I16 | Element::U16) => {
            numbers.flat_map(|v| (v as u16).to_le_bytes()).take(bytes).collect()
        }
        Some(Element::I64) => numbers.flat_map(|v| u64::from(v).to_le_bytes()).take(bytes).collect(),
        Some(Element::I32) | None => numbers.flat_map(u32::to_le_bytes).take(bytes).collect(),
    }
}

fn argument(device: &mut SimDevice, kind: ParameterKind, shape: &Shape) -> Result<Argument, DeviceError> {
    Ok(match kind {
        ParameterKind::Scalar(Element::F32) => Argument::F32(1.5),
        ParameterKind::Scalar(Element::F64) => Argument::F64(0.75),
        ParameterKind::Scalar(Element::Bool) => Argument::Bool(true),
        ParameterKind::Scalar(Element::I64) => Argument::I64(shape.n.into()),
        ParameterKind::Scalar(_) => Argument::I32(shape.n),
        ParameterKind::Pointer { element, read_only } => {
            let buffer = device.alloc(BYTES)?;
            if read_only || !shape.unwritten {
                device.write(buffer, 0, &contents(element))?;
            }
            Argument::Buffer(buffer)
        }
        ParameterKind::Texture => {
            let buffer = device.alloc(BYTES)?;
            device.write(buffer, 0, &contents(Some(Element::F32)))?;
            Argument::Texture(device.create_texture(buffer, &TEXTURE)?)
        }
    })
}

/// What came of a launch.
#[derive(Clone, Copy, PartialEq)]
enum Outcome {
    Result,
    Mistake,
    /// These arguments are not for it.
    None,
}

fn launch(
    device: &mut SimDevice,
    program: ProgramId,
    kernel: &KernelInfo,
    shape: &Shape,
) -> Result<Outcome, String> {
    let mut arguments = Vec::new();
    for parameter in &kernel.parameters {
        match argument(device, parameter.kind, shape) {
            Ok(argument) => arguments.push(argument),
            Err(_) => return Ok(Outcome::None),
        }
    }
    let dynamic_shared = if kernel.dynamic_shared { 8192 } else { 0 };
    let mut block = shape.block;
    if kernel.max_threads.is_some_and(|most| block.iter().product::<u32>() > most) {
        block = [kernel.max_threads.unwrap_or(1), 1, 1];
    }
    let options = LaunchOptions {
        cooperative: shape.cooperative,
        instruction_budget: Some(1_000_000),
        ..LaunchOptions::default()
    };
    device.set_launch_options(&options).map_err(|e| e.to_string())?;
    match device.launch(
        program,
        &kernel.name,
        &LaunchShape { grid: shape.grid, block, dynamic_shared },
        &arguments,
    ) {
        Ok(_) => Ok(Outcome::Result),
        Err(DeviceError::Launch(messages)) => {
            match messages.diagnostics.iter().find(|d| d.code == "internal-error") {
                Some(defect) => Err(format!("{defect:?}")),
                None => Ok(Outcome::Mistake),
            }
        }
        Err(_) => Ok(Outcome::None),
    }
}

/// What comes of the launches of some programs.
#[derive(Default)]
struct Found {
    outcomes: Vec<Outcome>,
    /// What differs between modes.
    wrong: Vec<String>,
    /// Launches that were compared with the IR's executable definition, and that were not.
    compared: u64,
    skipped: u64,
}

/// Runs the kernels of a program in each shape.
fn run_program(path: &Path, shapes: &[Shape], found: &Mutex<Found>) {
    let file = KernelFile {
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        text: String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned(),
    };
    for shape in shapes {
        // With its variables as they are at first.
        let mut device = simulator();
        let Ok(program) = device.compile(&file, &CompileOptions::default()) else { break };
        for kernel in &program.kernels {
            let result = launch(&mut device, program.id, kernel, shape);
            let mut found = found.lock().unwrap();
            match result {
                Ok(outcome) => found.outcomes.push(outcome),
                Err(what) => found.wrong.push(format!("{}, {}: {what}", path.display(), kernel.name)),
            }
        }
        let (comparisons, mut found) = (device.comparisons(), found.lock().unwrap());
        found.compared += comparisons.compared;
        found.skipped += comparisons.skipped.values().sum::<u64>();
    }
}

#[test]
fn every_program_is_the_same_in_every_mode() {
    let mut paths = Vec::new();
    match std::env::var("MODES_PROGRAMS") {
        Ok(folder) => programs(Path::new(&folder), &mut paths),
        Err(_) => {
            let own = Path::new(env!("CARGO_MANIFEST_DIR"));
            FOLDERS.iter().for_each(|folder| programs(&own.join(folder), &mut paths));
        }
    }
    paths.sort();
    let all = std::env::var("MODES").is_ok_and(|modes| modes == "all");
    let shapes = if all { &SHAPES[..] } else { &SHAPES[..2] };
    let next = Mutex::new(paths.iter());
    let found = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some(path) = next.lock().unwrap().next() else { return };
                    run_program(path, shapes, &found);
                }
            });
        }
    });
    let Found { outcomes, wrong, compared, skipped } = found.into_inner().unwrap();
    let count = |what: Outcome| outcomes.iter().filter(|o| **o == what).count();
    let [right, mistakes, none] = [Outcome::Result, Outcome::Mistake, Outcome::None].map(count);
    println!("{} programs: {right} launches, {mistakes} with a mistake, {none} not possible", paths.len());
    println!("{compared} compared with the IR's definition, {skipped} not");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if std::env::var_os("MODES_PROGRAMS").is_none() {
        assert!(right > 500 && mistakes > 50 && none < right / 10, "{right} {mistakes} {none}");
        assert!(skipped < compared / 20, "{compared} {skipped}");
    }
}

/// The programs of the language, each with what g++ computes for the same text.
#[test]
fn programs_of_the_language_compute_what_cpp_means_in_every_mode() {
    let mut paths = Vec::new();
    programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../cuda-front/tests/language"), &mut paths);
    for path in &paths {
        let text = std::fs::read_to_string(path).unwrap();
        let line = text.lines().find_map(|l| l.strip_prefix("// EXPECT: ")).expect("a line `// EXPECT: …`");
        let expected: Vec<i32> = line.split_whitespace().map(|w| w.parse().unwrap()).collect();
        let mut device = simulator();
        let program =
            device.compile(&KernelFile { name: "k.cu".into(), text }, &CompileOptions::default()).unwrap();
        let buffer = device.alloc(4 * 64).unwrap();
        device.write(buffer, 0, &[0; 4 * 64]).unwrap();
        let mut arguments = vec![Argument::Buffer(buffer)];
        arguments.resize(program.kernel("k").unwrap().parameters.len(), Argument::I32(1));
        let shape = LaunchShape { grid: [1; 3], block: [1; 3], dynamic_shared: 0 };
        if let Err(error) = device.launch(program.id, "k", &shape, &arguments) {
            panic!("{}: {error:?}", path.display());
        }
        let mut bytes = [0; 4 * 64];
        device.read(buffer, 0, &mut bytes).unwrap();
        let found = bytes.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b));
        assert!(found.take(expected.len()).eq(expected.iter().copied()), "{}", path.display());
    }
    assert!(paths.len() > 40);
}
