//! Files that compile, launched with small arguments: the simulator in every mode and the reference interpreter give the same, optimised
//! code computes what lowered code does, and a second run repeats the first.

mod arguments;
mod shape;
mod unoptimised;

pub use shape::Shape;

use super::compile::messages;
use crate::{Finding, Random, Target, mutate, seeds};
use device::{
    CompileOptions, Device, DeviceError, KernelFile, KernelInfo, LaunchOptions, LaunchRequest, ProgramId,
};
use device_sim::{DEFAULT_MODEL, DeviceModel, SimDevice};

/// Files that compile, launched.
#[derive(Clone, Copy, Debug)]
pub struct Launch;

/// Warp instructions of a launch, so that a case takes milliseconds.
const BUDGET: u64 = 20_000;

/// Longest program to begin with, bytes: short ones run more cases in the same time.
const LONGEST_SEED: usize = 3000;

impl Target for Launch {
    fn name(&self) -> &'static str {
        "launch"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let mut programs = seeds::programs(seeds::ACCEPTED);
        programs.retain(|program| program.len() <= LONGEST_SEED);
        programs.extend(generated());
        programs
    }

    fn mutate(&self, input: &[u8], donors: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
        let mut input = match random.below(8) {
            0 => input.to_vec(),
            _ => mutate::program(input, donors, random),
        };
        if random.one_in(4) {
            input = Shape::random(random).written_into(&String::from_utf8_lossy(&input)).into();
        }
        input
    }

    fn run(&self, input: &[u8]) -> Result<(), Finding> {
        let Ok(text) = std::str::from_utf8(input) else { return Ok(()) };
        let shape = Shape::of(text);
        let trial = Trial { shape, budget: BUDGET, device: |device| device.options_mut().every_mode = true };
        let first = trial.run("fuzz.cu", text)?;
        let plain = Trial { device: |device| device.options_mut().threads = 2, ..trial };
        let second = plain.run("fuzz.cu", text)?;
        if first.results != second.results {
            let differ = first.results.iter().zip(&second.results).find(|(a, b)| a != b);
            let what = differ.map(|((_, one), (_, other))| one.difference(other));
            return Err(Finding::new("not deterministic", what.unwrap_or_default()));
        }
        unoptimised::compare(text, &trial.shape, BUDGET)
    }
}

/// Programs out of the grammar, for the front-end's sake written so that they end.
fn generated() -> impl Iterator<Item = Vec<u8>> {
    (0..100).map(|case| {
        let mut random = Random::of(0, case);
        let length = 100 + random.below(700);
        let numbers: Vec<u32> = (0..length).map(|_| random.number()).collect();
        generate::grammar::program(&numbers, false).text.into_bytes()
    })
}

/// What came of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ran to its end.
    Result,
    /// A mistake was found.
    Mistake,
    /// These arguments are not for it.
    None,
}

/// How the kernels of a file are launched.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// In which shape.
    pub shape: Shape,
    /// Warp instructions of each launch.
    pub budget: u64,
    /// What is set of the device.
    pub device: fn(&mut SimDevice),
}

/// What came of all kernels of a file.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    /// Of each kernel what came of it, and in words and bytes all that a caller sees.
    pub results: Vec<(Outcome, Seen)>,
    /// Launches that were compared with the reference interpreter, and that were not.
    pub compared: [u64; 2],
}

/// What a caller sees of a launch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Counters, lines, occupancy and output; or the diagnostics.
    report: String,
    /// What buffers hold afterwards.
    buffers: Vec<Vec<u8>>,
}

impl Seen {
    /// Where the two differ first.
    fn difference(&self, other: &Seen) -> String {
        let (one, two) = (self.report.as_bytes(), other.report.as_bytes());
        let Some(at) = one.iter().zip(two).position(|(a, b)| a != b) else {
            return "buffers hold other values".to_owned();
        };
        let near = |report: &[u8]| {
            let part = &report[at.saturating_sub(200)..report.len().min(at + 200)];
            String::from_utf8_lossy(part).into_owned()
        };
        format!("the reports are\n{}\nand\n{}", near(one), near(two))
    }
}

impl Trial {
    /// Launches each kernel of a file; nothing if it does not compile.
    ///
    /// # Errors
    /// A defect of the simulator: modes that differ, a wrong diagnostic.
    pub fn run(&self, name: &str, text: &str) -> Result<Tried, Finding> {
        // On a new device, so with variables as they are at first.
        let model = DeviceModel::named(DEFAULT_MODEL).map_err(|e| Finding::new("no model", e.to_string()))?;
        let mut device = SimDevice::new(&model);
        (self.device)(&mut device);
        let file = KernelFile { name: name.to_owned(), text: text.to_owned() };
        let program = match device.compile(&file, &CompileOptions::default()) {
            Ok(program) => program,
            Err(DeviceError::Compile(found)) => {
                messages(&found.sources, &found.diagnostics)?;
                return Ok(Tried::default());
            }
            Err(other) => return Err(Finding::new("another error", other.to_string())),
        };
        let mut tried = Tried::default();
        for kernel in &program.kernels {
            tried.results.push(self.launch(&mut device, program.id, kernel)?);
        }
        let comparisons = device.comparisons();
        tried.compared = [comparisons.compared, comparisons.skipped.values().sum()];
        Ok(tried)
    }

    fn launch(
        &self,
        device: &mut SimDevice,
        program: ProgramId,
        kernel: &KernelInfo,
    ) -> Result<(Outcome, Seen), Finding> {
        let Ok((arguments, buffers)) = arguments::of(device, kernel, &self.shape) else {
            return Ok((Outcome::None, Seen::default()));
        };
        let options = LaunchOptions {
            cooperative: self.shape.cooperative,
            instruction_budget: Some(self.budget),
            ..LaunchOptions::default()
        };
        let shape = self.shape.launch(kernel.max_threads, kernel.dynamic_shared);
        let request = LaunchRequest::new(program, &kernel.name, shape, &arguments).with(options);
        let (outcome, report) = match device.launch(&request) {
            Ok(report) => {
                messages(&report.warnings.sources, &report.warnings.diagnostics)?;
                let warnings = &report.warnings.diagnostics;
                let shown =
                    format!("{:?} {:?} {:?} {warnings:?}", report.counters, report.lines, report.printed);
                (Outcome::Result, shown)
            }
            Err(DeviceError::Launch { messages: found, .. }) => {
                messages(&found.sources, &found.diagnostics)?;
                (Outcome::Mistake, format!("{:?}", found.diagnostics))
            }
            Err(other) => (Outcome::None, other.to_string()),
        };
        let mut seen = Seen { report, buffers: Vec::new() };
        for buffer in buffers {
            let mut bytes = vec![0; arguments::BYTES as usize];
            let unread = |e: DeviceError| Finding::new("a buffer cannot be read", e.to_string());
            device.read(buffer, 0, &mut bytes).map_err(unread)?;
            seen.buffers.push(bytes);
        }
        Ok((outcome, seen))
    }
}
