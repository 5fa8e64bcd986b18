//! An OpenCL platform as a contestant. The library is looked up when the process runs, so nothing of OpenCL is needed to build.

use crate::problem::{Kernel, Problem};
use crate::worker::Contestant;
use anyhow::{Context as _, anyhow};
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device};
use opencl3::kernel::{ExecuteKernel, Kernel as Function};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::platform::{Platform, get_platforms};
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, cl_int};

/// A compiled kernel with its buffers on a device.
pub(crate) struct OpenCl {
    version: String,
    kernel: Kernel,
    n: usize,
    function: Function,
    inputs: Vec<Buffer<f32>>,
    out: Buffer<f32>,
    queue: CommandQueue,
    // Dropped last: what is above belongs to it.
    _context: Context,
}

/// The name of PoCL's platform.
pub(crate) const POCL_PLATFORM: &str = "Portable Computing Language";

/// The platform whose name begins like that.
pub(crate) fn platform(name: &str) -> anyhow::Result<Platform> {
    let all = get_platforms().map_err(|e| anyhow!("the OpenCL library cannot be used: {e}"))?;
    let names: Vec<String> = all.iter().map(|p| p.name().unwrap_or_default()).collect();
    let found = names.iter().position(|n| n.starts_with(name));
    let index = found.with_context(|| format!("there is no OpenCL platform `{name}`, only {names:?}"))?;
    Ok(all[index])
}

impl OpenCl {
    pub(crate) fn new(problem: &Problem, name: &str) -> anyhow::Result<OpenCl> {
        let platform = platform(name)?;
        let id = *platform.get_devices(CL_DEVICE_TYPE_ALL)?.first().context("the platform has no device")?;
        let context = Context::from_device(&Device::new(id))?;
        #[allow(deprecated)] // The call that also devices of OpenCL 1.2 have.
        let queue = CommandQueue::create_default(&context, 0)?;
        let source = include_str!("../kernels/kernels.cl");
        // As nvcc does by default, a product and a sum may be one operation.
        let program = Program::create_and_build_from_source(&context, source, "-cl-mad-enable")
            .map_err(|log| anyhow!("kernels.cl does not compile: {log}"))?;
        let function = Function::create(&program, problem.kernel.function())?;
        let upload = |data: &[f32]| -> anyhow::Result<Buffer<f32>> {
            // SAFETY: no host memory is given to the buffer.
            let mut buffer =
                unsafe { Buffer::create(&context, CL_MEM_READ_WRITE, data.len(), std::ptr::null_mut()) }?;
            // SAFETY: the buffer is as long as the data, and the call blocks until it is read.
            unsafe { queue.enqueue_write_buffer(&mut buffer, CL_BLOCKING, 0, data, &[]) }?;
            Ok(buffer)
        };
        let inputs = problem.inputs().map(upload).collect::<anyhow::Result<_>>()?;
        let out = upload(&vec![f32::NAN; problem.n * problem.n])?;
        let version = platform.version()?.trim().to_owned();
        let (kernel, n) = (problem.kernel, problem.n);
        Ok(OpenCl { version, kernel, n, function, inputs, out, queue, _context: context })
    }
}

impl Contestant for OpenCl {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn launch(&mut self) -> anyhow::Result<()> {
        let block = self.kernel.block().map(|side| side as usize);
        let blocks = self.kernel.blocks(self.n) as usize;
        let n = self.n as cl_int;
        let mut execute = ExecuteKernel::new(&self.function);
        // SAFETY: every kernel of kernels.cl takes its inputs, the output and `int n` in this order; the buffers have the
        // lengths that it reads and writes for this n, and live until the queue is empty, which is waited for.
        unsafe {
            for input in &self.inputs {
                execute.set_arg(input);
            }
            execute.set_arg(&self.out).set_arg(&n);
            execute.set_global_work_sizes(&block.map(|side| side * blocks)).set_local_work_sizes(&block);
            execute.enqueue_nd_range(&self.queue)?;
        }
        Ok(self.queue.finish()?)
    }

    fn result(&mut self) -> anyhow::Result<Vec<f32>> {
        let mut data = vec![0.0; self.n * self.n];
        // SAFETY: the buffer has n * n floats, and the call blocks until they are written.
        unsafe { self.queue.enqueue_read_buffer(&self.out, CL_BLOCKING, 0, &mut data, &[]) }?;
        Ok(data)
    }
}
