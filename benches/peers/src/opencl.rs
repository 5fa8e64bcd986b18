//! An OpenCL platform as a contestant. What it makes lives as long as its process.

use crate::opencl_library::{Handle, OpenClLibrary};
use crate::task::{Argument, Scalar, Task};
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
    queue: Handle,
    function: Handle,
    /// Work-items by axis.
    items: Vec<usize>,
    /// Those of a group.
    group: Vec<usize>,
    /// What the kernel writes, with its bytes.
    results: Vec<(Handle, usize)>,
    /// What has its first content again before each launch.
    changed: Vec<(Handle, Vec<u8>)>,
}

impl OpenCl {
    pub(crate) fn new(task: &Task, platform: &str) -> anyhow::Result<OpenCl> {
        let library = library(platform)?;
        let (platform, version) = library.platform(platform)?;
        let device = library.device(platform)?;
        let (context, queue) = library.context(device)?;
        // As nvcc does by default, a product and a sum may be one operation.
        let function = library
            .function(context, device, &task.opencl.text, "-cl-mad-enable", &task.function)
            .with_context(|| task.opencl.name.clone())?;
        let (mut results, mut changed) = (Vec::new(), Vec::new());
        for (index, argument) in task.arguments.iter().enumerate() {
            let buffer = match argument {
                Argument::Input(data) | Argument::Constant(_, data) => library.buffer(context, data)?,
                Argument::Output(bytes) => {
                    let buffer = library.buffer(context, &vec![0xff; *bytes])?;
                    results.push((buffer, *bytes));
                    buffer
                }
                Argument::Changed(data) => {
                    let buffer = library.buffer(context, data)?;
                    results.push((buffer, data.len()));
                    changed.push((buffer, data.clone()));
                    buffer
                }
                Argument::Local(bytes) => {
                    library.set_local(function, index, *bytes)?;
                    continue;
                }
                Argument::Scalar(value) => {
                    // SAFETY: the text's parameters are those of the task; the library refuses another size.
                    unsafe {
                        match *value {
                            Scalar::I32(v) => library.set(function, index, v),
                            Scalar::U32(v) => library.set(function, index, v),
                            Scalar::I64(v) => library.set(function, index, v),
                            Scalar::U64(v) => library.set(function, index, v),
                            Scalar::F32(v) => library.set(function, index, v),
                            Scalar::F64(v) => library.set(function, index, v),
                        }
                    }?;
                    continue;
                }
            };
            // SAFETY: as above.
            unsafe { library.set(function, index, buffer) }?;
        }
        let group: Vec<usize> = task.block.iter().map(|threads| *threads as usize).collect();
        let items =
            group.iter().zip(&task.grid).map(|(threads, blocks)| threads * *blocks as usize).collect();
        Ok(OpenCl { driver: library, version, queue, function, items, group, results, changed })
    }
}

impl Contestant for OpenCl {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn restore(&mut self) -> anyhow::Result<()> {
        self.changed.iter().try_for_each(|(buffer, data)| self.driver.write(self.queue, *buffer, data))
    }

    fn launch(&mut self) -> anyhow::Result<()> {
        // SAFETY: the arguments were set when this was made, to buffers of the lengths that the task has.
        unsafe { self.driver.run(self.queue, self.function, &self.items, &self.group) }
    }

    fn result(&mut self) -> anyhow::Result<Vec<u8>> {
        let mut all = Vec::new();
        for (buffer, bytes) in &self.results {
            all.extend(self.driver.read(self.queue, *buffer, *bytes)?);
        }
        Ok(all)
    }
}
