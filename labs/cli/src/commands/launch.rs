//! `cargo lab launch`: one kernel of any CUDA C++ file, run on the simulator, a GPU or both with arguments given as text.
//!
//! A time is the simulator's own (wall clock), modelled, or measured on a GPU, and is always named as what it is.

use crate::args::LaunchArgs;
use crate::arguments::{self, Arguments, Bound};
use crate::devices;
use crate::failure::Failure;
use crate::format::{self, Format};
use crate::kernel_file::{self, Outcome};
use crate::screen::Screen;
use crate::symbols::{self, Symbol};
use device::{
    Counters, Device, DeviceError, DeviceInfo, LaunchOptions, LaunchReport, LaunchShape, Messages,
    ProgramInfo,
};
use serde_json::{Value, json};
use source::text::printable;
use std::path::PathBuf;
use std::time::Instant;

/// What there is to print.
struct Launched {
    device: DeviceInfo,
    kernel: String,
    verdict: Outcome,
    messages: Messages,
    report: Option<LaunchReport>,
    seconds: Option<f64>,
    registers: Option<u32>,
    buffers: Vec<(Bound, u64)>,
}

/// Compiles a file, runs a kernel and prints what it did.
pub(crate) fn launch(screen: &Screen, args: &LaunchArgs) -> anyhow::Result<bool> {
    let format = args.file.format.format()?;
    let shape = LaunchShape {
        grid: kernel_file::dimensions("--grid", &args.grid)?,
        block: kernel_file::dimensions("--block", &args.block)?,
        dynamic_shared: args.shared,
    };
    let dumps = args.dumps.iter().map(|text| dump(text)).collect::<Result<Vec<_>, _>>()?;
    let mut device = open(args)?;
    let device = device.as_mut();
    let result = match kernel_file::compile(device, &args.file, std::slice::from_ref(&args.kernel))? {
        Ok(program) => run(device, &program, args, &shape, &dumps)?,
        Err(messages) => Launched {
            device: device.info().clone(),
            kernel: args.kernel.clone(),
            verdict: Outcome::of(&messages.diagnostics, Outcome::Rejected),
            messages,
            report: None,
            seconds: None,
            registers: None,
            buffers: Vec::new(),
        },
    };
    let findings = || kernel_file::findings(&result.messages);
    match format {
        Format::Json => screen.json(as_json(&result, args, &shape).to_string())?,
        Format::Sarif => screen.json(format::sarif(&findings())?)?,
        Format::Concise => {
            findings().iter().try_for_each(|finding| screen.concise(finding.concise()))?;
            screen.concise(title(&result, args, &shape))?;
        }
        Format::Full => print(screen, &result, args, &shape)?,
    }
    Ok(result.verdict == Outcome::Ok)
}

/// The device, set up for the launch.
fn open(args: &LaunchArgs) -> Result<Box<dyn Device>, Failure> {
    let on = args.device();
    let mut device = devices::device(&on, &args.file.model)?;
    if on != "gpu" {
        device.limit_memory(Some(kernel_file::MEMORY));
    }
    let options = LaunchOptions {
        cooperative: args.cooperative,
        instruction_budget: args.budget,
        stack_bytes: args.stack,
        fast: args.fast,
    };
    let refused = |why: DeviceError| {
        Failure::new(format!("--on {on}: {why}"), "omit the option, or launch with `--on sim`")
    };
    device.set_launch_options(&options).map_err(refused)?;
    device.set_timing(true);
    Ok(device)
}

/// `NAME=FILE.npy`.
fn dump(text: &str) -> Result<(String, PathBuf), Failure> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok((name.to_string(), file.into())),
        _ => Err(Failure::new(
            format!("--dump {text}: expected ARG=FILE.npy"),
            "name the parameter or its 0-based index, such as --dump out=out.npy or --dump 1=out.npy",
        )),
    }
}

fn run(
    device: &mut dyn Device,
    program: &ProgramInfo,
    args: &LaunchArgs,
    shape: &LaunchShape,
    dumps: &[(String, PathBuf)],
) -> anyhow::Result<Launched> {
    let kernel = kernel_file::kernel(program, &args.kernel)?;
    let symbols =
        args.symbols.iter().map(|text| symbols::set(device, program, text)).collect::<Result<Vec<_>, _>>()?;
    let arguments = arguments::bind(device, kernel, &args.arguments)?;
    let dumps = dumps.iter().map(|(name, file)| match arguments::find(&arguments.bound, name) {
        Some(bound) => Ok((Some(bound), name, file)),
        None if program.symbol(name).is_some() => Ok((None, name, file)),
        None => {
            let variables = symbols::find(program, name).err().unwrap_or_default();
            Err(Failure::new(
                format!("--dump {name}: no buffer of that name or index, and {variables}"),
                arguments::names(&arguments.bound),
            ))
        }
    });
    let dumps = dumps.collect::<Result<Vec<_>, _>>()?;
    // The kernel is optimised now, and not in the first launch, which is timed.
    let registers = device.resources(program.id, &kernel.name).map_err(|e| defect(&e))?.registers;
    let mut times = Vec::new();
    let mut outcome = None;
    for repetition in 0..args.repeat {
        prepare(device, program, &symbols, &arguments, repetition > 0)?;
        let start = Instant::now();
        let launched = device.launch(program.id, &kernel.name, shape, &arguments.list);
        times.push(start.elapsed().as_secs_f64());
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
        Some(Err(DeviceError::Launch(fault))) => {
            messages.diagnostics.extend(fault.diagnostics);
            (Outcome::of(&messages.diagnostics, Outcome::Diagnosed), None)
        }
        Some(Err(other)) => return Err(defect(&other).into()),
        None => return Err(Failure::new("nothing was launched", "give --repeat 1 or more").into()),
    };
    let mut buffers = Vec::new();
    if report.is_some() {
        for bound in &arguments.bound {
            match arguments::hash(device, bound) {
                Ok(hash) => buffers.push((bound.clone(), hash)),
                // The simulator's memory and the GPU's differ: that is the answer.
                Err(DeviceError::Launch(differ)) => {
                    let name = format!("in argument {} `{}`", bound.index, bound.name);
                    messages.diagnostics.extend(differ.diagnostics.into_iter().map(|d| d.note(&name)));
                }
                Err(other) => return Err(defect(&other).into()),
            }
        }
        verdict = Outcome::of(&messages.diagnostics, Outcome::Diagnosed);
    }
    if verdict != Outcome::Ok {
        (report, buffers) = (None, Vec::new());
    } else {
        for (bound, name, file) in dumps {
            match bound {
                Some(bound) => arguments::dump(device, bound, file)?,
                None => symbols::dump(device, program, name, file)?,
            }
        }
    }
    let (kernel, registers) = (kernel.name.clone(), Some(registers));
    let device = device.info().clone();
    let seconds = device.simulated.then(|| median(times));
    Ok(Launched { device, kernel, verdict, messages, report, seconds, registers, buffers })
}

/// Sets variables, and buffers as before the first launch if there was one.
fn prepare(
    device: &mut dyn Device,
    program: &ProgramInfo,
    symbols: &[Symbol],
    arguments: &Arguments,
    again: bool,
) -> Result<(), Failure> {
    for symbol in symbols {
        symbol.set(device, program).map_err(|e| defect(&e))?;
    }
    for bound in arguments.bound.iter().filter(|b| again && !b.alias) {
        arguments::fill(device, bound.buffer, &bound.what).map_err(|what| {
            Failure::new(format!("`{}`: {what}", bound.name), "do not change files during the run")
        })?;
    }
    Ok(())
}

fn defect(error: &DeviceError) -> Failure {
    Failure::new(error.to_string(), "report it with the kernel file and the command")
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    let middle = times.len() / 2;
    match times.len() % 2 {
        0 => (times[middle - 1] + times[middle]) / 2.0,
        _ => times[middle],
    }
}

/// Counters by the profiler's names, with the ratios and renamed ones that a profile has.
fn counters(counters: &Counters, occupancy: Option<f64>) -> Value {
    let mut value = json!(counters);
    value["shared_load_instructions"] = counters.shared_load_requests.into();
    value["shared_store_instructions"] = counters.shared_store_requests.into();
    value["threads_per_instruction"] = counters.threads_per_instruction().into();
    value["theoretical_occupancy_pct"] = occupancy.map(|o| 100.0 * o).into();
    value
}

fn as_json(result: &Launched, args: &LaunchArgs, shape: &LaunchShape) -> Value {
    let report = result.report.as_ref();
    let buffers = result.buffers.iter().map(|(bound, hash)| {
        json!({
            "index": bound.index,
            "name": bound.name,
            "type": bound.what.spelling(),
            "bytes": bound.what.bytes(),
            "alias": bound.alias,
            "hash": format!("fnv1a64:{hash:016x}"),
        })
    });
    json!({
        "file": args.file.file.display().to_string(),
        "kernel": result.kernel,
        "model": args.file.model,
        "grid": shape.grid,
        "block": shape.block,
        "shared_bytes": shape.dynamic_shared,
        "cooperative": args.cooperative,
        "verdict": result.verdict,
        "diagnostics": kernel_file::json(&result.messages),
        "counters": report.and_then(|r| Some(counters(r.counters.as_ref()?, r.occupancy.as_ref().map(|o| o.fraction)))),
        "device": result.device.id,
        "device_name": result.device.name,
        "registers_estimate": result.registers.filter(|_| result.device.simulated),
        "registers": result.registers.filter(|_| !result.device.simulated),
        "occupancy": report.and_then(|r| r.occupancy.as_ref()),
        "modelled": report.and_then(|r| r.modelled.as_ref()),
        "measured": report.and_then(|r| r.measured.as_ref()),
        "simulation_seconds": result.seconds,
        "repeat": args.repeat,
        "buffers": buffers.collect::<Value>(),
        "printed": report.map(|r| &r.printed),
    })
}

/// What became of the launch, in a line.
fn title(result: &Launched, args: &LaunchArgs, shape: &LaunchShape) -> String {
    let dimensions = |[x, y, z]: [u32; 3]| format!("{x}x{y}x{z}");
    let what = match result.verdict {
        Outcome::Ok => match result.device.id.as_str() {
            "sim" => "ran".to_owned(),
            "both" => format!("ran on {}; the results agree", result.device.name),
            _ => format!("ran on {}", result.device.name),
        },
        Outcome::Diagnosed => "was stopped: see the message above".to_owned(),
        Outcome::Rejected => "does not compile".to_owned(),
        Outcome::Unsupported => "is not supported by the simulator yet".to_owned(),
    };
    let (grid, block) = (dimensions(shape.grid), dimensions(shape.block));
    format!("{} of {}, grid {grid}, block {block}: {what}", result.kernel, args.file.file.display())
}

fn print(screen: &Screen, result: &Launched, args: &LaunchArgs, shape: &LaunchShape) -> anyhow::Result<()> {
    kernel_file::print(screen, &result.messages)?;
    let title = title(result, args, shape);
    screen.line(if result.verdict == Outcome::Ok { screen.good(&title) } else { screen.bad(&title) })?;
    let Some(report) = &result.report else { return Ok(()) };
    if !report.printed.is_empty() {
        screen.line("\nprinted by the kernel")?;
        // Without colours of its own, whatever it prints.
        screen.line(printable(report.printed.trim_end_matches('\n')))?;
    }
    screen.line("")?;
    let row = |name: &str, value: String| screen.line(format!("  {name:<26}  {value}"));
    times(result, report, args).into_iter().try_for_each(|(name, value)| row(name, value))?;
    if let Some(o) = &report.occupancy {
        let percent = 100.0 * o.fraction;
        row("occupancy", format!("{percent:.0} % ({} blocks per SM, limited by {})", o.blocks, o.limit))?;
    }
    if let Some(c) = &report.counters {
        let Value::Object(all) = json!(c) else { return Ok(()) };
        for (name, value) in all.iter().filter(|(_, v)| v.as_u64() != Some(0)) {
            row(&name.replace('_', " "), value.to_string())?;
        }
    }
    for (bound, hash) in &result.buffers {
        let name = format!("{} {}", bound.index, bound.name);
        row(&name, format!("{}  fnv1a64:{hash:016x}", bound.what.spelling()))?;
    }
    Ok(())
}

/// Each time with what it is: of the simulator's run, measured on a GPU, or modelled.
fn times(result: &Launched, report: &LaunchReport, args: &LaunchArgs) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    if let Some(seconds) = result.seconds {
        let median = if args.repeat > 1 { format!(", the median of {}", args.repeat) } else { String::new() };
        rows.push(("simulated in", format!("{:.3} ms{median}", 1e3 * seconds)));
    }
    if let Some(time) = &report.measured {
        let cache = if time.cold_cache { "data from device memory" } else { "data in the cache" };
        let (value, confidence) = (1e6 * time.seconds, 1e6 * time.confidence);
        rows.push((
            "measured time",
            format!("{value:.2} µs ± {confidence:.2} (median of {} launches, {cache})", time.launches),
        ));
    }
    if let Some(time) = &report.modelled {
        rows.push(("modelled time", format!("{:.2} µs ({})", 1e6 * time.seconds, time.model)));
    }
    rows
}
