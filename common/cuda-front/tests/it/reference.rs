//! Runs what the front-end makes by the IR's executable definition, to compare it with what C++ means.

use simt_ir::pointer::{self, Space};
use simt_ir::{Constant, Module, Type, ValidModule};
use simt_ref::{End, Host, Launch, Memory, Schedule};

/// A pointer to a buffer's first byte.
pub(crate) fn buffer(number: u32) -> u64 {
    pointer::pack(Space::Global, number, 0)
}

/// Runs one block of `kernel`, each thread as far as it can alone; gives the buffers back. `params` are bits.
pub(crate) fn run(
    module: &Module,
    kernel: &str,
    block: [u32; 3],
    params: &[u64],
    buffers: Vec<Vec<u8>>,
) -> Vec<Vec<u8>> {
    try_run(module, kernel, block, params, buffers).unwrap_or_else(|end| panic!("{kernel}: {end}"))
}

/// The same; or how the run ended, if a thread failed or read what nothing had written.
pub(crate) fn try_run(
    module: &Module,
    kernel: &str,
    block: [u32; 3],
    params: &[u64],
    buffers: Vec<Vec<u8>>,
) -> Result<Vec<Vec<u8>>, String> {
    let module = ValidModule::new(module.clone()).expect("the module is valid");
    let number = module.kernels.iter().position(|k| k.name == kernel).expect("the kernel exists");
    let given = buffers.len();
    let mut memory = Memory::new(&module, buffers.into_iter().map(Into::into));
    let types = module.kernels[number].params.iter().map(|param| param.kind.register());
    let args: Vec<Constant> = types.zip(params).map(|(ty, bits)| constant(ty, *bits)).collect();
    let schedule = Schedule::Threads { descending: false };
    let launch = Launch { block, schedule, dynamic_shared: 4096, ..Launch::new(1, 1, &args) };
    let report = simt_ref::run(&module, number, &launch, &mut memory, Host::default());
    let report = report.expect("the launch fits");
    if report.end != End::Done || !report.no_value.is_empty() {
        return Err(format!("{:?}, read without a value: {:?}", report.end, report.no_value));
    }
    Ok(memory.buffers.into_iter().take(given).flatten().map(|buffer| buffer.data).collect())
}

fn constant(ty: Type, bits: u64) -> Constant {
    match ty {
        Type::Bool => Constant::Bool(bits != 0),
        Type::I32 => Constant::I32(bits as u32),
        Type::I64 => Constant::I64(bits),
        Type::F32 => Constant::F32(bits as u32),
        Type::F64 => Constant::F64(bits),
        Type::Ptr => Constant::Ptr(bits),
    }
}
