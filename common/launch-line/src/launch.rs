//! Checks a launch, performs it as often as requested, and collects its results.

use crate::arguments::{self, Arguments, Bound};
use crate::arrays::{Arrays, Clock};
use crate::options::{LaunchLimits, LaunchLine};
use crate::overview::Overview;
use crate::print::{self, Place, Printed, Selection};
use crate::program::{self, Outcome};
use crate::shape::Shape;
use crate::spec::element::Number;
use crate::symbols::{self, Symbol};
use device::{
    Device, DeviceError, DeviceInfo, HostFunction, LaunchOptions, LaunchReport, LaunchRequest, Messages,
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
    pub(crate) shape: Shape,
    /// Names of arguments or variables, and files.
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
    /// What is in each buffer.
    pub(crate) buffers: Vec<Held>,
    /// What the kernel printed, also if the launch was stopped then.
    pub(crate) kernel_output: String,
    /// What `--print` asked for.
    pub(crate) printed: Vec<Printed>,
    /// What `--dump ARG=-` writes to standard output, as text.
    pub dumped: String,
    /// Functions that were not checked.
    pub(crate) host_functions: Vec<HostFunction>,
    /// The same in a line.
    pub(crate) host_code: Option<String>,
}

/// A buffer after the launch.
pub(crate) struct Held {
    pub(crate) bound: Bound,
    /// Of all its bytes.
    pub(crate) hash: u64,
    pub(crate) overview: Overview,
}

/// What is to be written to a file, or to standard output as text where the file is [`STANDARD_OUTPUT`].
struct Dump<'a> {
    place: Place<'a>,
    name: &'a str,
    file: &'a Path,
}

/// The file's name that stands for standard output.
const STANDARD_OUTPUT: &str = "-";

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
        let given = |option, text: &Option<String>| {
            text.as_deref().map(|text| program::dimensions(option, text)).transpose()
        };
        let (grid, block) = (given("--grid", &line.grid)?, given("--block", &line.block)?);
        let shape = Shape { grid, block, shared: line.shared, line: None };
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

    /// The numbers among the arguments, by position: the file's launches may depend on them.
    pub fn numbers(&self) -> Vec<Option<i64>> {
        let number = |text: &String| match Number::parse(text.trim()) {
            Some(Number::Integer(value)) => i64::try_from(value).ok(),
            _ => None,
        };
        self.line.arguments.iter().map(number).collect()
    }

    /// Whether values are for standard output, where the report would be in their way.
    pub fn dumps_text(&self) -> bool {
        self.dumps.iter().any(|(_, file)| file == Path::new(STANDARD_OUTPUT))
    }

    /// Launches a kernel of the compiled file. If the file has errors (`Err` in `compiled`), returns these.
    ///
    /// # Errors
    /// Says what is wrong with the launch line, or which file cannot be read or written.
    pub fn run(
        &mut self,
        device: &mut dyn Device,
        compiled: Result<ProgramInfo, Messages>,
        arrays: &dyn Arrays,
        clock: Clock<'_>,
    ) -> Result<Launched, Failure> {
        match compiled {
            Ok(program) => {
                let kernel = program::chosen(&program, self.line.kernel.as_deref())?;
                self.take_shape(&program, kernel)?;
                self.launch(device, &program, arrays, clock)
            }
            Err(messages) => Ok(Launched {
                device: device.info().clone(),
                kernel: self.line.kernel.clone().unwrap_or_default(),
                verdict: Outcome::of(&messages.diagnostics, Outcome::Rejected),
                messages,
                kernel_output: String::new(),
                report: None,
                seconds: None,
                registers: None,
                buffers: Vec::new(),
                printed: Vec::new(),
                dumped: String::new(),
                host_functions: Vec::new(),
                host_code: None,
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
        let kernel = program::chosen(program, self.line.kernel.as_deref())?;
        let set = |text: &String| symbols::set(device, arrays, program, text);
        let symbols = self.line.symbols.iter().map(set).collect::<Result<Vec<_>, _>>()?;
        let arguments = arguments::bind(device, arrays, kernel, &self.line.arguments)?;
        let dumps = self.dumps(program, &arguments)?;
        let print = |text| Selection::parse(device, program, &arguments, text);
        let prints = self.line.prints.iter().map(|text| print(text)).collect::<Result<Vec<_>, _>>()?;
        // This makes the simulator optimise the kernel now, so that the first, timed launch does not include it.
        let registers = device.resources(program.id, &kernel.name).map_err(|e| defect(&e))?.registers;
        let plain = LaunchRequest::new(program.id, &kernel.name, self.shape.whole(), &arguments.list);
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
        let mut stopped_after = String::new();
        let (mut verdict, mut report) = match outcome {
            Some(Ok(report)) => {
                messages.diagnostics.extend(report.warnings.diagnostics.iter().cloned());
                (Outcome::Ok, Some(report))
            }
            Some(Err(DeviceError::Launch { messages: fault, printed, .. })) => {
                messages.diagnostics.extend(fault.diagnostics);
                stopped_after = printed;
                (Outcome::of(&messages.diagnostics, Outcome::Diagnosed), None)
            }
            Some(Err(other)) => return Err(defect(&other)),
            None => return Err(Failure::new("nothing was launched", "give --repeat 1 or more")),
        };
        let (mut buffers, mut printed, mut dumped) = (Vec::new(), Vec::new(), String::new());
        if report.is_some() {
            buffers = held(device, arrays, &arguments, &mut messages)?;
            verdict = Outcome::of(&messages.diagnostics, Outcome::Diagnosed);
        }
        if verdict != Outcome::Ok {
            (report, buffers) = (None, Vec::new());
        } else {
            for selection in prints {
                printed.push(selection.read(device, program)?);
            }
            dumped = written(device, arrays, program, &dumps)?;
        }
        let (kernel, registers) = (kernel.name.clone(), Some(registers));
        let device = device.info().clone();
        let seconds = median(times).filter(|_| device.simulated).map(|time| time.as_secs_f64());
        let kernel_output = report.as_ref().map_or(stopped_after, |report| report.printed.clone());
        Ok(Launched {
            verdict,
            messages,
            device,
            kernel,
            kernel_output,
            report,
            seconds,
            registers,
            buffers,
            printed,
            dumped,
            host_functions: program.host_functions.clone(),
            host_code: program.unchecked_host_code(),
        })
    }

    /// Resolves the names in `dumps` to buffers or variables.
    fn dumps<'a>(
        &'a self,
        program: &ProgramInfo,
        arguments: &'a Arguments,
    ) -> Result<Vec<Dump<'a>>, Failure> {
        let mut dumps = Vec::new();
        for (name, file) in &self.dumps {
            if name.is_empty() {
                let written = arguments.bound.iter().filter(|bound| !bound.alias && !bound.is_read_only);
                let dump = |bound: &'a Bound| Dump { place: Place::Buffer(bound), name: &bound.name, file };
                dumps.extend(written.map(dump));
                continue;
            }
            let place = Place::find(program, arguments, name)
                .map_err(|[what, help]| Failure::new(format!("--dump {name}: {what}"), help))?;
            dumps.push(Dump { place, name, file });
        }
        Ok(dumps)
    }
}

/// Writes files, and gives what is for standard output: several there have a line with the name before each.
fn written(
    device: &mut dyn Device,
    arrays: &dyn Arrays,
    program: &ProgramInfo,
    dumps: &[Dump<'_>],
) -> Result<String, Failure> {
    let is_text = |dump: &Dump<'_>| dump.file == Path::new(STANDARD_OUTPUT);
    let are_several = dumps.iter().filter(|dump| is_text(dump)).count() > 1;
    let mut text = String::new();
    for dump in dumps {
        match dump.place {
            _ if is_text(dump) => {
                if are_several {
                    text.push_str(&format!("# {}\n", dump.name));
                }
                text.push_str(&print::dump(device, program, dump.place)?);
            }
            Place::Buffer(bound) => arguments::dump(device, arrays, bound, dump.file)?,
            Place::Variable(name) => symbols::dump(device, arrays, program, name, dump.file)?,
        }
    }
    Ok(text)
}

/// `NAME=FILE.npy`, or `NAME=-`.
fn dump(text: &str) -> Result<(String, PathBuf), Failure> {
    match text.split_once('=') {
        // All that the kernel may write.
        None if text == STANDARD_OUTPUT => Ok((String::new(), text.into())),
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok((name.to_string(), file.into())),
        _ => Err(Failure::new(
            format!("--dump {text}: expected ARG=FILE.npy, or ARG=- for text on standard output"),
            "name the parameter or its 0-based index, such as --dump out=out.npy, --dump 1=out.npy or --dump out=-",
        )),
    }
}

/// What is in each buffer; adds to the messages where devices disagree.
fn held(
    device: &mut dyn Device,
    arrays: &dyn Arrays,
    arguments: &Arguments,
    messages: &mut Messages,
) -> Result<Vec<Held>, Failure> {
    let mut buffers = Vec::new();
    for bound in &arguments.bound {
        match arguments::hash(device, bound) {
            Ok(hash) => {
                let overview = Overview::of(device, arrays, bound)?;
                buffers.push(Held { bound: bound.clone(), hash, overview });
            }
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
