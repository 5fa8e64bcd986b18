//! An OpenCL platform as a contestant. What it makes lives as long as its process.

use crate::opencl_library::{Handle, OpenClLibrary};
use crate::problem::{Kernel, Problem};
use crate::worker::Contestant;
use anyhow::Context;

/// PoCL's platform.
pub(crate) const POCL_PLATFORM: &str = "Portable Computing Language";
/// Oclgrind's platform. It is in a library of its own, which `oclgrind` lets the process find.
pub(crate) const OCLGRIND_PLATFORM: &str = "Oclgrind";

/// Where a platform is.
fn library(platform: &str) -> anyhow::Result<OpenClLibrary> {
    let names: &[&str] = match platform {
        OCLGRIND_PLATFORM => &["liboclgrind-rt.so"],
        _ if cfg!(windows) => &["OpenCL.dll"],
        _ => &["libOpenCL.so.1", "libOpenCL.so"],
    };
    OpenClLibrary::open(names)
}

/// Whether there is a platform of that name.
pub(crate) fn is_installed(platform: &str) -> bool {
    library(platform).is_ok_and(|library| library.platform(platform).is_ok())
}

/// A compiled kernel with its buffers on a device.
pub(crate) struct OpenCl {
    driver: OpenClLibrary,
    version: String,
    kernel: Kernel,
    n: usize,
    queue: Handle,
    function: Handle,
    out: Handle,
}

impl OpenCl {
    pub(crate) fn new(problem: &Problem, platform: &str) -> anyhow::Result<OpenCl> {
        let library = library(platform)?;
        let (platform, version) = library.platform(platform)?;
        let device = library.device(platform)?;
        let (context, queue) = library.context(device)?;
        let (kernel, n) = (problem.kernel, problem.n);
        let source = include_str!("../kernels/kernels.cl");
        // As nvcc does by default, a product and a sum may be one operation.
        let function = library
            .function(context, device, source, "-cl-mad-enable", kernel.function())
            .context("kernels.cl")?;
        let mut buffers = Vec::new();
        for data in problem.inputs() {
            buffers.push(library.buffer(context, data)?);
        }
        let out = library.buffer(context, &vec![f32::NAN; n * n])?;
        buffers.push(out);
        for (index, buffer) in buffers.iter().enumerate() {
            // SAFETY: every kernel of kernels.cl takes its inputs and the output in this order.
            unsafe { library.set(function, index, *buffer) }?;
        }
        // SAFETY: the last parameter of every kernel is `int n`.
        unsafe { library.set(function, buffers.len(), n as i32) }?;
        Ok(OpenCl { driver: library, version, kernel, n, queue, function, out })
    }
}

impl Contestant for OpenCl {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn launch(&mut self) -> anyhow::Result<()> {
        let group = self.kernel.block().map(|side| side as usize);
        let items = group.map(|side| side * self.kernel.blocks(self.n) as usize);
        // SAFETY: the arguments were set when this was made, to buffers of the lengths that a problem of size n has.
        unsafe { self.driver.run(self.queue, self.function, items, group) }
    }

    fn result(&mut self) -> anyhow::Result<Vec<f32>> {
        self.driver.read(self.queue, self.out, self.n * self.n)
    }
}
