//! A file's kernels as they were lowered and after all passes: both compute the same.
//!
//! Compared where the result is one that CUDA defines, and the passes keep: not after a mistake or a warning, not where a race or the
//! order of warps decides, and not where a product and a sum became one rounding (`fma`).

use super::{Shape, arguments};
use crate::Finding;
use simt::{KernelRef, LaunchOutcome, Options, Simulator};
use simt_ir::{
    Constant, ElementType, InstKind, Kernel, ParamKind, Special, Type, ValidModule, for_each_inst,
};

/// Runs each kernel of a file before and after all passes, and compares what buffers hold and what was printed.
///
/// # Errors
/// What differs.
pub(super) fn compare(text: &str, shape: &Shape, budget: u64) -> Result<(), Finding> {
    let Some(lowered) = cuda_front::lower_only("fuzz.cu", text) else { return Ok(()) };
    let compiled = cuda_front::compile("fuzz.cu", text, &cuda_front::Options::default());
    let Some(optimised) = compiled.module else {
        return Err(Finding::new("passes refuse", format!("{:?}", compiled.diagnostics)));
    };
    for index in 0..lowered.kernels.len() {
        let (before, after) = (&lowered.kernels[index], &optimised.kernels[index]);
        if is_left_open(before) || has(after, |kind| matches!(kind, InstKind::Fma { .. })) {
            continue;
        }
        let runs = [(&lowered, 4 * budget), (&optimised, budget)]
            .map(|(module, budget)| run(module, index, shape, budget));
        if let [Some(Ok(one)), Some(Ok(other))] = &runs
            && one != other
        {
            let buffer = one.buffers.iter().zip(&other.buffers).enumerate().find(|(_, (a, b))| a != b);
            let word = buffer.and_then(|(number, (a, b))| {
                let at = a.iter().zip(b).position(|(a, b)| a != b)?;
                Some(format!("byte {at} of buffer {number} is {} lowered and {} optimised", a[at], b[at]))
            });
            let what = word.unwrap_or_else(|| format!("printed {:?} and {:?}", one.printed, other.printed));
            return Err(Finding::new("passes change the result", format!("{}: {what}", before.name)));
        }
    }
    Ok(())
}

fn has(kernel: &Kernel, wanted: fn(&InstKind) -> bool) -> bool {
    let mut found = false;
    for body in kernel.bodies() {
        for_each_inst(body, &mut |inst| found |= wanted(&inst.kind));
    }
    found
}

/// Whether the result depends on more than the program: a clock, which lanes are active, or the order of atomics.
fn is_left_open(kernel: &Kernel) -> bool {
    has(kernel, |kind| match kind {
        InstKind::Clock { .. } | InstKind::Atomic { .. } => true,
        InstKind::Special { value, .. } => *value == Special::ActiveMask,
        _ => false,
    })
}

/// What a run leaves.
#[derive(PartialEq)]
struct Left {
    buffers: Vec<Vec<u8>>,
    printed: String,
}

/// Runs a kernel; `None` if it takes what is not made here, and an error if it fails or is warned of.
fn run(module: &ValidModule, index: usize, shape: &Shape, budget: u64) -> Option<Result<Left, ()>> {
    let kernel = &module.kernels[index];
    let mut simulator = Simulator::new(1 << 30);
    let symbols = simulator.memory.load(module).ok()?;
    let mut buffers = Vec::new();
    let mut args = Vec::new();
    for param in &kernel.params {
        args.push(match param.kind {
            ParamKind::Pointer { .. } => {
                let buffer = simulator.memory.alloc(arguments::BYTES).ok()?;
                simulator.memory.write(buffer, 0, &arguments::contents(None)).ok()?;
                buffers.push(buffer);
                Constant::Ptr(buffer.pointer())
            }
            ParamKind::Scalar(ElementType::Bool) => Constant::Bool(true),
            ParamKind::Scalar(element) => match element.register() {
                Type::I32 => Constant::i32(shape.n),
                Type::I64 => Constant::I64(i64::from(shape.n) as u64),
                Type::F32 => Constant::F32(1.5f32.to_bits()),
                Type::F64 => Constant::F64(0.75f64.to_bits()),
                Type::Bool | Type::Ptr => return None,
            },
            ParamKind::Texture => return None,
        });
    }
    let dynamic = kernel.shared.iter().any(|shared| shared.dynamic);
    let device::LaunchShape { grid, block, dynamic_shared } = shape.launch(kernel.max_threads, dynamic);
    let launch = simt::Launch { grid, block, dynamic_shared, cooperative: None, args };
    let options = Options { threads: 1, instruction_budget: budget, ..Options::default() };
    match simulator.run(KernelRef { module, symbols, index }, &launch, &options) {
        Ok(LaunchOutcome { warnings, printed, .. }) if warnings.is_empty() => {
            let read = |buffer| {
                let mut bytes = vec![0; arguments::BYTES as usize];
                simulator.memory.read(buffer, 0, &mut bytes).map(|()| bytes)
            };
            let buffers = buffers.into_iter().map(read).collect::<Result<_, _>>();
            Some(buffers.map(|buffers| Left { buffers, printed }).map_err(drop))
        }
        Ok(_) | Err(_) => Some(Err(())),
    }
}
