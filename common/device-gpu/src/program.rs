//! Compiled files on the device: their modules, kernels and variables.
//!
//! It calls the driver directly, because `cust::Module` looks up a variable only with a Rust type of the same size.

use crate::fault::{Fault, check};
use crate::memory::Region;
use crate::names::Names;
use ::device::{DeviceError, ProgramInfo};
use cust::sys::*;
use std::ffi::CString;
use std::ptr;
use std::sync::Arc;

/// A compiled file: the cubin, from which another context can load it again, and the loaded module.
pub(crate) struct Program {
    /// The front-end's description of the file.
    pub(crate) info: ProgramInfo,
    cubin: Arc<Vec<u8>>,
    names: Names,
    module: Option<Module>,
}

/// A loaded module. Dropping it unloads it.
struct Module(CUmodule);

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: the driver loaded the module, and it is unloaded once. `drop` cannot report an error.
        let _ = unsafe { cuModuleUnload(self.0) };
    }
}

impl Program {
    /// A program whose module is not loaded yet. `lowered`: the cubin's names of the kernels and then the variables
    /// of `info`.
    pub(crate) fn new(info: ProgramInfo, cubin: Vec<u8>, lowered: &[String]) -> Program {
        let names = Names::of(&info, lowered, &cubin);
        Program { info, cubin: Arc::new(cubin), names, module: None }
    }

    /// Whether a kernel may call `printf`.
    pub(crate) fn prints(&self) -> bool {
        self.names.prints()
    }

    /// Loads the module into the current context.
    pub(crate) fn load(&mut self) -> Result<(), Fault> {
        let mut module = ptr::null_mut();
        // SAFETY: the image is a complete cubin from the compiler.
        check("loading the compiled kernels", unsafe {
            cuModuleLoadData(&mut module, self.cubin.as_ptr().cast())
        })?;
        self.module = Some(Module(module));
        Ok(())
    }

    /// Drops the handle of a module whose context is lost, without unloading the module.
    pub(crate) fn forget(&mut self) {
        std::mem::forget(self.module.take());
    }

    fn module(&self) -> CUmodule {
        self.module.as_ref().map_or(ptr::null_mut(), |m| m.0)
    }

    /// A kernel of the loaded module.
    ///
    /// # Errors
    /// The module has no such kernel, or the driver refuses.
    pub(crate) fn function(&self, kernel: &str) -> Result<Function, DeviceError> {
        let lowered = self.names.kernel(kernel).ok_or_else(|| no_kernel(kernel))?;
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded or null (the driver reports null as an error), and the name is alive.
        let found = check("looking a kernel up", unsafe {
            cuModuleGetFunction(&mut function, self.module(), c_name(lowered).as_ptr())
        });
        match found {
            Err(Fault { code: NOT_FOUND, .. }) => Err(no_kernel(kernel)),
            other => Ok(other.map(|()| Function(function))?),
        }
    }

    /// The memory of a variable of the loaded module.
    ///
    /// # Errors
    /// The module has no such variable, or the driver refuses.
    pub(crate) fn symbol(&self, name: &str) -> Result<Region, DeviceError> {
        let found = self.names.variable(name).map(|lowered| self.region(lowered)).transpose()?;
        found.flatten().ok_or_else(|| no_variable(name))
    }

    /// The memory of a variable by its name in the cubin; `None` if the module has no such name.
    fn region(&self, lowered: &str) -> Result<Option<Region>, Fault> {
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: as above.
        let found = check("looking a variable up", unsafe {
            cuModuleGetGlobal_v2(&mut address, &mut bytes, self.module(), c_name(lowered).as_ptr())
        });
        match found {
            Err(Fault { code: NOT_FOUND, .. }) => Ok(None),
            other => other.map(|()| Some(Region { address, bytes: bytes as u64 })),
        }
    }

    /// The memory of all variables that kernels may change, including `static` variables of functions.
    ///
    /// # Errors
    /// The driver refuses.
    pub(crate) fn changeable(&self) -> Result<Vec<Region>, Fault> {
        self.names.changeable().filter_map(|lowered| self.region(lowered).transpose()).collect()
    }
}

/// The driver's code for a name that a module lacks.
const NOT_FOUND: u32 = CUresult::CUDA_ERROR_NOT_FOUND as u32;

/// Names contain no zero byte, because they come from source text or from symbols. An impossible name becomes the
/// empty name, which no module has.
fn c_name(name: &str) -> CString {
    CString::new(name).unwrap_or_default()
}

fn no_kernel(kernel: &str) -> DeviceError {
    DeviceError::Use(format!(
        "CUDA's compiler made no code for the kernel `{kernel}`: nothing outside the file can name it, or it is a template that is \
         not instantiated"
    ))
}

fn no_variable(name: &str) -> DeviceError {
    DeviceError::Use(format!(
        "no kernel uses the variable `{name}`, so CUDA's compiler left it out: there is nothing to set or to read on the GPU \
         (`--on sim` has it)"
    ))
}

/// A kernel of a loaded module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Function(pub(crate) CUfunction);

impl Function {
    fn attribute(self, attribute: CUfunction_attribute) -> Result<u32, Fault> {
        let mut value = 0;
        // SAFETY: the function belongs to a loaded module.
        check("asking for a kernel's resources", unsafe {
            cuFuncGetAttribute(&mut value, attribute, self.0)
        })?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// 32-bit registers per thread.
    pub(crate) fn registers(self) -> Result<u32, Fault> {
        self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)
    }

    /// Bytes of local memory per thread.
    pub(crate) fn local_bytes(self) -> Result<u32, Fault> {
        self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
    }

    /// Bytes of statically declared shared memory per block.
    pub(crate) fn static_shared(self) -> Result<u32, Fault> {
        self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
    }

    /// Maximum threads per block that the kernel's registers allow.
    pub(crate) fn max_threads(self) -> Result<u32, Fault> {
        self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
    }

    /// Allows launches with `bytes` of dynamic shared memory. The driver requires this call above 48 KiB.
    pub(crate) fn allow_dynamic_shared(self, bytes: u32) -> Result<(), Fault> {
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        // SAFETY: the function belongs to a loaded module.
        check("asking for shared memory", unsafe { cuFuncSetAttribute(self.0, attribute, bytes) })
    }

    /// Number of blocks that fit on one multiprocessor at a time.
    pub(crate) fn resident_blocks(self, threads: u32, dynamic_shared: u32) -> Result<u32, Fault> {
        let mut blocks = 0;
        // SAFETY: the function belongs to a loaded module.
        check("asking for the occupancy", unsafe {
            cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut blocks,
                self.0,
                i32::try_from(threads).unwrap_or(i32::MAX),
                dynamic_shared as usize,
            )
        })?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }
}
