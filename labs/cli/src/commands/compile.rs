//! `cargo lab compile`: lists the kernels of a CUDA C++ file, their resources, and all messages.

use crate::args::CompileArgs;
use crate::format::{self, Format};
use crate::kernel_file;
use crate::ptxas;
use crate::screen::Screen;
use device::{Device, KernelInfo, KernelResources, Occupancy, ProgramInfo};
use device_sim::{DeviceModel, occupancy_with_registers};
use launch_line::Outcome;
use nvrtc::Resources;
use serde_json::{Value, json};
use source::Failure;

/// Default threads per block for the occupancy, if the kernel allows so many.
const USUAL_BLOCK: u32 = 256;

/// Compiles a file and prints its messages and kernels.
pub(crate) fn compile(screen: &Screen, args: &CompileArgs) -> anyhow::Result<bool> {
    let format = args.file.format.format()?;
    let block = args.block.as_deref().map(|text| launch_line::dimensions("--block", text)).transpose()?;
    let mut device = kernel_file::device(&args.file.model)?;
    let model = device.model().clone();
    if let Some(block) = block {
        fits(block, &model)?;
    }
    let name = args.file.file.display().to_string();
    let (file, options) = kernel_file::read(&args.file, &args.kernel)?;
    let mut compiled = launch_line::compile(&mut device, &file, &options)?;
    if let Err(messages) = &mut compiled {
        launch_line::suggest_for_file(messages, &mut device, (&file, &options));
    }
    let (program, messages) = match &compiled {
        Ok(program) => (Some(program), &program.warnings),
        Err(messages) => (None, messages),
    };
    let mut kernels = Vec::new();
    if let Some(program) = program {
        for kernel in &program.kernels {
            kernels.push((kernel, device.resources(program.id, &kernel.name)?));
        }
    }
    let verdict = Outcome::of(&messages.diagnostics, Outcome::Rejected);
    if let Some(program) = program {
        for kernel in args.kernel.iter() {
            launch_line::kernel(program, kernel)?;
        }
    }
    let ptxas = match program.filter(|_| args.ptxas) {
        Some(program) => Some(ptxas::resources(&args.file, program)?),
        None => None,
    };
    match format {
        Format::Json => {
            let kernels =
                kernels.iter().map(|(k, takes)| as_json(k, takes, block, &model)).collect::<Value>();
            let object = json!({
                "file": name,
                "model": model.name,
                "verdict": verdict,
                "diagnostics": launch_line::json(messages),
                "kernels": kernels,
                "host_functions": program.map_or(&[][..], |program| &program.host_functions),
                "symbols": program.map_or(json!([]), symbols),
                "ptxas": ptxas.as_ref().map(|(by, kernels)| ptxas_json(by, kernels)),
            });
            screen.json(object.to_string())?;
        }
        Format::Ncu => {
            return Err(Failure::new(
                "--format ncu prints counters, and compiling counts nothing",
                "use it with `run` or `launch`",
            )
            .into());
        }
        Format::Sarif => screen.json(format::sarif(&kernel_file::findings(messages))?)?,
        Format::Concise => {
            kernel_file::findings(messages)
                .iter()
                .try_for_each(|finding| screen.concise(finding.concise()))?;
            screen.concise(title(&name, verdict, kernels.len()))?;
        }
        Format::Full => {
            kernel_file::print(screen, messages)?;
            screen.line(title(&name, verdict, kernels.len()))?;
            if let Some(note) = program.and_then(device::ProgramInfo::unchecked_host_code) {
                screen.line(note)?;
            }
            print(screen, &kernels, block, &model)?;
            if let Some((by, kernels)) = ptxas {
                print_ptxas(screen, &by, &kernels)?;
            }
        }
    }
    Ok(verdict == Outcome::Ok)
}

/// The outcome in one line.
fn title(name: &str, verdict: Outcome, kernels: usize) -> String {
    match (verdict, kernels) {
        (Outcome::Unsupported, _) => format!("{name} is not supported by the simulator yet"),
        (Outcome::Rejected | Outcome::Diagnosed, _) => format!("{name} does not compile"),
        (Outcome::Ok, 0) => {
            format!(
                "{name}: no kernel: write `__global__` before a function to make it one (a kernel template appears once it is named, such as --kernel 'NAME<16,32>')"
            )
        }
        (Outcome::Ok, 1) => format!("{name}: 1 kernel"),
        (Outcome::Ok, n) => format!("{name}: {n} kernels"),
    }
}

fn fits(block: [u32; 3], model: &DeviceModel) -> Result<(), Failure> {
    let most = model.threads_per_block;
    let threads = block.iter().try_fold(1u32, |n, axis| n.checked_mul(*axis));
    if threads.is_some_and(|threads| (1..=most).contains(&threads)) {
        return Ok(());
    }
    let given = threads.map_or("more than 2^32".to_string(), |threads| threads.to_string());
    let what = format!("--block: {given} threads; a block has 1 to {most} on {}", model.name);
    Err(Failure::new(what, "choose another size"))
}

/// The block for which occupancy is shown: the requested one, or [`USUAL_BLOCK`] threads limited by the kernel's
/// launch bounds.
fn block_of(kernel: &KernelInfo, asked: Option<[u32; 3]>, model: &DeviceModel) -> [u32; 3] {
    let most = kernel.max_threads.unwrap_or(model.threads_per_block).min(model.threads_per_block);
    asked.unwrap_or([USUAL_BLOCK.min(most.max(1)), 1, 1])
}

/// The occupancy; `None` if the kernel's launch bounds do not allow the block.
fn occupancy(
    kernel: &KernelInfo,
    takes: &KernelResources,
    block: [u32; 3],
    model: &DeviceModel,
) -> Option<Occupancy> {
    let threads = block.iter().product();
    let allowed = kernel.max_threads.is_none_or(|most| threads <= most);
    allowed.then(|| occupancy_with_registers(model, threads, kernel.static_shared_bytes, takes.registers))
}

fn as_json(
    kernel: &KernelInfo,
    takes: &KernelResources,
    block: Option<[u32; 3]>,
    model: &DeviceModel,
) -> Value {
    let block = block_of(kernel, block, model);
    let parameters = kernel.parameters.iter().map(|p| json!({ "name": p.name, "type": p.spelling }));
    let occupancy = occupancy(kernel, takes, block, model).map(
        |o| json!({ "block": block, "fraction": o.fraction, "blocks_per_sm": o.blocks, "limit": o.limit }),
    );
    json!({
        "name": kernel.name,
        "line": kernel.line,
        "parameters": parameters.collect::<Value>(),
        "static_shared_bytes": kernel.static_shared_bytes,
        "dynamic_shared": kernel.dynamic_shared,
        "constant_bytes": takes.constant_bytes,
        "local_bytes": takes.local_bytes,
        "registers_estimate": takes.registers,
        "max_threads": kernel.max_threads,
        "source_lines": kernel.source_lines,
        "occupancy": occupancy,
    })
}

fn symbols(program: &ProgramInfo) -> Value {
    let space = |is_constant| if is_constant { "constant" } else { "device" };
    let symbols = program.symbols.iter();
    symbols.map(|s| json!({ "name": s.name, "bytes": s.bytes, "space": space(s.is_constant) })).collect()
}

fn print(
    screen: &Screen,
    kernels: &[(&KernelInfo, KernelResources)],
    block: Option<[u32; 3]>,
    model: &DeviceModel,
) -> anyhow::Result<()> {
    for (kernel, takes) in kernels {
        screen.line(format!("\n{}", screen.bold(&format!("{} (line {})", kernel.name, kernel.line))))?;
        let parameters: Vec<String> = kernel.parameters.iter().map(launch_line::parameter).collect();
        let dynamic = if kernel.dynamic_shared { ", and a dynamic part" } else { "" };
        let block = block_of(kernel, block, model);
        let threads: u32 = block.iter().product();
        let occupancy = match occupancy(kernel, takes, block, model) {
            Some(o) => format!(
                "{:.0} % in blocks of {threads} threads ({}): {} blocks per multiprocessor (SM), limited by {}",
                100.0 * o.fraction,
                model.name,
                o.blocks,
                o.limit
            ),
            None => format!("a block of {threads} threads is more than its `__launch_bounds__`"),
        };
        for (what, value) in [
            ("parameters", if parameters.is_empty() { "none".into() } else { parameters.join(", ") }),
            ("shared memory", format!("{} bytes static{dynamic}", kernel.static_shared_bytes)),
            ("constant memory", format!("{} bytes", takes.constant_bytes)),
            ("local memory", format!("{} bytes per thread", takes.local_bytes)),
            ("registers", format!("about {} per thread (an estimate)", takes.registers)),
            ("occupancy", occupancy),
        ] {
            screen.line(format!("  {what:<15}  {value}"))?;
        }
    }
    Ok(())
}

fn ptxas_json(by: &str, kernels: &[(String, Resources)]) -> Value {
    let kernel = |(name, r): &(String, Resources)| {
        json!({
            "name": name,
            "registers": r.registers,
            "stack_bytes": r.stack,
            "spill_store_bytes": r.spill_stores,
            "spill_load_bytes": r.spill_loads,
        })
    };
    json!({ "compiler": by, "kernels": kernels.iter().map(kernel).collect::<Value>() })
}

fn print_ptxas(screen: &Screen, by: &str, kernels: &[(String, Resources)]) -> anyhow::Result<()> {
    screen.line(format!("\nptxas ({by})"))?;
    for (name, r) in kernels {
        let spills = format!("{} bytes of spills stored, {} loaded", r.spill_stores, r.spill_loads);
        screen.line(format!("  {name}:  {} registers, {} bytes of stack, {spills}", r.registers, r.stack))?;
    }
    Ok(())
}
