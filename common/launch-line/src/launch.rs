//! Checks a launch, performs it as often as requested, and collects its results.

use crate::arguments::{self, Arguments, Bound};
use crate::arrays::{Arrays, Clock};
use crate::options::{LaunchLimits, LaunchLine};
use crate::program::{self, Outcome};
use crate::symbols::{self, Symbol};
use device::{
    Device, DeviceError, DeviceInfo, LaunchOptions, LaunchReport, LaunchRequest, LaunchShape, Messages,
    ProgramInfo,
};
use source::Failure;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A requested launch.
#[derive(Clone, Debug)]
pub struct Request {
    /// Name of the kernel file in messages.
    pub file: String,
    /// Name of the device model.
    pub model: String,
    /// What to launch.
    pub line: LaunchLine,
    /// How to run it.
    pub limits: LaunchLimits,
    pub(crate) shape: LaunchShape,
    /// Arguments or variables to write, each with its file.
    dumps: Vec<(String, PathBuf)>,
}

/// Results of a launch.
pub struct Launched {
    /// Outcome of the compilation and launch.
    pub verdict: Outcome,
    /// Messages of the compiler and of the launch.
    pub messages: Messages,
    pub(crate) device: DeviceInfo,
    pub(crate) kernel: String,
    pub(crate) report: Option<LaunchReport>,
    /// Median duration of the simulation in seconds; `None` on a GPU or without a clock.
    pub(crate) seconds: Option<f64>,
    pub(crate) registers: Option<u32>,
    /// The buffers, each with the hash of its content.
    pub(crate) buffers: Vec<(Bound, u64)>,
}

/// A buffer or variable to write to a file.
struct Dump<'a> {
    /// The buffer; `None` if `name` is a variable.
    bound: Option<&'a Bound>,
    name: &'a str,
    file: &'a Path,
}

impl Request {
    /// Creates a request for a kernel of the file that messages call `file`.
    ///
    /// # Errors
    /// Says that the grid, the block or an output option is malformed.
    pub fn new(
        file: String,
        model: String,
        line: LaunchLine,
        limits: LaunchLimits,
    ) -> Result<Request, Failure> {
        let shape = LaunchShape {
            grid: program::dimensions("--grid", &line.grid)?,
            block: program::dimensions("--block", &line.block)?,
            dynamic_shared: line.shared,
        };
        let dumps = line.dumps.iter().map(|text| dump(text)).collect::<Result<Vec<_>, _>>()?;
        Ok(Request { file, model, line, limits, shape, dumps })
    }

    /// The options that the device receives.
    pub fn launch_options(&self) -> LaunchOptions {
        LaunchOptions {
            cooperative: self.line.cooperative,
            instruction_budget: self.limits.budget,
            stack_bytes: self.limits.stack,
            fast: self.limits.fast,
            timed: true,
            suggest: true,
            ..LaunchOptions::default()
        }
    }

    /// Launches a kernel of the compiled file. If the file has errors (`Err` in `compiled`), returns these.
    ///
    /// # Errors
    /// Says what is wrong with the launch line, or which file cannot be read or written.
    pub fn run(
        &self,
        device: &mut dyn Device,
        compiled: Result<ProgramInfo, Messages>,
        arrays: &dyn Arrays,
        clock: Clock<'_>,
    ) -> Result<Launched, Failure> {
        match compiled {
            Ok(program) => self.launch(device, &program, arrays, clock),
            Err(messages) => Ok(Launched {
                device: device.info().clone(),
                kernel: self.line.kernel.clone(),
                verdict: Outcome::of(&messages.diagnostics, Outcome::Rejected),
                messages,
                report: None,
                seconds: None,
                registers: None,
                buffers: Vec::new(),
            }),
        }
    }

    fn launch(
        &self,
        device: &mut dyn Device,
        program: &ProgramInfo,
        arrays: &dyn Arrays,
        clock: Clock<'_>,
    ) -> Result<Launched, Failure> {
        let kernel = program::kernel(program, &self.line.kernel)?;
        let set = |text: &String| symbols::set(device, arrays, program, text);
        let symbols = self.line.symbols.iter().map(set).collect::<Result<Vec<_>, _>>()?;
        let arguments = arguments::bind(device, arrays, kernel, &self.line.arguments)?;
        let dumps = self.dumps(program, &arguments)?;
        // This makes the simulator optimise the kernel now, so that the first, timed launch does not include it.
        let registers = device.resources(program.id, &kernel.name).map_err(|e| defect(&e))?.registers;
        let plain = LaunchRequest::new(program.id, &kernel.name, self.shape, &arguments.list);
        let mut times = Vec::new();
        let mut outcome = None;
        // Recording takes time, so it needs an additional launch, which is not timed.
        for repetition in 0..self.limits.repeat + u32::from(self.limits.show_access) {
            prepare(device, arrays, program, &symbols, &arguments, repetition > 0)?;
            let recorded = repetition == self.limits.repeat;
            let request = plain.clone().with(LaunchOptions { recorded, ..self.launch_options() });
            let start = clock();
            let launched = device.launch(&request);
            let time = start.zip(clock()).map(|(start, end)| end.saturating_sub(start));
            times.extend(time.filter(|_| !recorded));
            let failed = launched.is_err();
            outcome = Some(launched);
            if failed {
                break;
            }
        }
        let mut messages = program.warnings.clone();
        let (mut verdict, mut report) = match outcome {
            Some(Ok(report)) => {
                messages.diagnostics.extend(report.warnings.diagnostics.iter().cloned());
                (Outcome::Ok, Some(report))
            }
            Some(Err(DeviceError::Launch { messages: fault, .. })) => {
                messages.diagnostics.extend(fault.diagnostics);
                (Outcome::of(&messages.diagnostics, Outcome::Diagnosed), None)
            }
            Some(Err(other)) => return Err(defect(&other)),
            None => return Err(Failure::new("nothing was launched", "give --repeat 1 or more")),
        };
        let mut buffers = Vec::new();
        if report.is_some() {
            buffers = hashed(device, &arguments, &mut messages)?;
            verdict = Outcome::of(&messages.diagnostics, Outcome::Diagnosed);
        }
        if verdict != Outcome::Ok {
            (report, buffers) = (None, Vec::new());
        } else {
            for Dump { bound, name, file } in dumps {
                match bound {
                    Some(bound) => arguments::dump(device, arrays, bound, file)?,
                    None => symbols::dump(device, arrays, program, name, file)?,
                }
            }
        }
        let (kernel, registers) = (kernel.name.clone(), Some(registers));
        let device = device.info().clone();
        let seconds = median(times).filter(|_| device.simulated).map(|time| time.as_secs_f64());
        Ok(Launched { device, kernel, verdict, messages, report, seconds, registers, buffers })
    }

    /// Resolves the names in `dumps` to buffers or variables.
    fn dumps<'a>(
        &'a self,
        program: &ProgramInfo,
        arguments: &'a Arguments,
    ) -> Result<Vec<Dump<'a>>, Failure> {
        let dumps = self.dumps.iter().map(|(name, file)| match arguments::find(&arguments.bound, name) {
            Some(bound) => Ok(Dump { bound: Some(bound), name, file }),
            None if program.symbol(name).is_some() => Ok(Dump { bound: None, name, file }),
            None => {
                let variables = symbols::find(program, name).err().unwrap_or_default();
                Err(Failure::new(
                    format!("--dump {name}: no buffer of that name or index, and {variables}"),
                    arguments::names(&arguments.bound),
                ))
            }
        });
        dumps.collect()
    }
}

/// Parses `NAME=FILE.npy`.
fn dump(text: &str) -> Result<(String, PathBuf), Failure> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok((name.to_string(), file.into())),
        _ => Err(Failure::new(
            format!("--dump {text}: expected ARG=FILE.npy"),
            "name the parameter or its 0-based index, such as --dump out=out.npy or --dump 1=out.npy",
        )),
    }
}

/// Hashes each buffer. If two devices disagree about a buffer, adds that to the messages.
fn hashed(
    device: &mut dyn Device,
    arguments: &Arguments,
    messages: &mut Messages,
) -> Result<Vec<(Bound, u64)>, Failure> {
    let mut buffers = Vec::new();
    for bound in &arguments.bound {
        match arguments::hash(device, bound) {
            Ok(hash) => buffers.push((bound.clone(), hash)),
            // The contents differ between the simulator and the GPU; the error says so.
            Err(DeviceError::Launch { messages: differ, .. }) => {
                let name = format!("in argument {} `{}`", bound.index, bound.name);
                messages.diagnostics.extend(differ.diagnostics.into_iter().map(|d| d.note(&name)));
            }
            Err(other) => return Err(defect(&other)),
        }
    }
    Ok(buffers)
}

/// Sets the variables, and after an earlier launch also restores the buffers' initial content.
pub(crate) fn prepare(
    device: &mut dyn Device,
    arrays: &dyn Arrays,
    program: &ProgramInfo,
    symbols: &[Symbol],
    arguments: &Arguments,
    again: bool,
) -> Result<(), Failure> {
    for symbol in symbols {
        symbol.set(device, program)?;
    }
    for bound in arguments.bound.iter().filter(|b| again && !b.alias) {
        arguments::fill(device, arrays, bound.buffer, &bound.what).map_err(|what| {
            Failure::new(format!("`{}`: {what}", bound.name), "do not change files during the run")
        })?;
    }
    Ok(())
}

fn defect(error: &DeviceError) -> Failure {
    Failure::new(error.to_string(), "report it with the kernel file and the command")
}

/// The median; `None` if there are no times.
fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort();
    let middle = times.len() / 2;
    let upper = *times.get(middle)?;
    Some(if times.len().is_multiple_of(2) { (times[middle - 1] + upper) / 2 } else { upper })
}
