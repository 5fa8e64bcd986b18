//! Compiled files on the device: modules, kernels and variables.
//!
//! Through the driver's functions: a `Module` of `cust` can look up a variable only by a type of its exact size.

use crate::fault::{Fault, check};
use crate::memory::Region;
use crate::names::Names;
use ::device::{DeviceError, ProgramInfo};
use cust::sys::*;
use std::ffi::CString;
use std::ptr;
use std::sync::Arc;

/// A compiled file: what it takes to load it again into another context, and the loaded module.
pub(crate) struct Program {
    /// What it has in it.
    pub(crate) info: ProgramInfo,
    cubin: Arc<Vec<u8>>,
    names: Names,
    module: Option<Module>,
}

/// A loaded module, unloaded when it goes.
struct Module(CUmodule);

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded by the driver and unloaded once. An error has nobody left to hear of it.
        let _ = unsafe { cuModuleUnload(self.0) };
    }
}

impl Program {
    /// Not loaded yet. `lowered`: the names in the cubin of the kernels and then the variables of `info`.
    pub(crate) fn new(info: ProgramInfo, cubin: Vec<u8>, lowered: &[String]) -> Program {
        let names = Names::of(&info, lowered, &cubin);
        Program { info, cubin: Arc::new(cubin), names, module: None }
    }

    /// Whether a kernel may print.
    pub(crate) fn prints(&self) -> bool {
        self.names.prints()
    }

    /// Loads the module into the current context.
    pub(crate) fn load(&mut self) -> Result<(), Fault> {
        let mut module = ptr::null_mut();
        // SAFETY: the image is a whole cubin, as the compiler gave it.
        check("loading the compiled kernels", unsafe {
            cuModuleLoadData(&mut module, self.cubin.as_ptr().cast())
        })?;
        self.module = Some(Module(module));
        Ok(())
    }

    /// Forgets a module whose context is lost, without unloading it.
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
        // SAFETY: the module is loaded, or null, which is an error; the name lives.
        let found = check("looking a kernel up", unsafe {
            cuModuleGetFunction(&mut function, self.module(), c_name(lowered).as_ptr())
        });
        match found {
            Err(Fault { code: NOT_FOUND, .. }) => Err(no_kernel(kernel)),
            other => Ok(other.map(|()| Function(function))?),
        }
    }

    /// A variable of the loaded module, whatever its size.
    ///
    /// # Errors
    /// The module has no such variable, or the driver refuses.
    pub(crate) fn symbol(&self, name: &str) -> Result<Region, DeviceError> {
        let found = self.names.variable(name).map(|lowered| self.region(lowered)).transpose()?;
        found.flatten().ok_or_else(|| no_variable(name))
    }

    /// The memory of a variable by its name in the module, which may have none of that name.
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

    /// The variables that kernels may change, and those of functions with them.
    ///
    /// # Errors
    /// The driver refuses.
    pub(crate) fn changeable(&self) -> Result<Vec<Region>, Fault> {
        self.names.changeable().filter_map(|lowered| self.region(lowered).transpose()).collect()
    }
}

/// The driver's code for a name that a module lacks.
const NOT_FOUND: u32 = CUresult::CUDA_ERROR_NOT_FOUND as u32;

/// Names come from source text and from symbols and have no zero byte; the empty name is one that no module has.
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
        // SAFETY: the function is of a loaded module.
        check("asking for a kernel's resources", unsafe {
            cuFuncGetAttribute(&mut value, attribute, self.0)
        })?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// 32-bit registers of a thread.
    pub(crate) fn registers(self) -> Result<u32, Fault> {
        self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)
    }

    /// Bytes of local memory of a thread.
    pub(crate) fn local_bytes(self) -> Result<u32, Fault> {
        self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
    }

    /// Bytes of shared memory that it declares.
    pub(crate) fn static_shared(self) -> Result<u32, Fault> {
        self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
    }

    /// The most threads of a block that its registers allow.
    pub(crate) fn max_threads(self) -> Result<u32, Fault> {
        self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
    }

    /// Lets a block have so many bytes of dynamic shared memory, which above 48 KiB must be asked for.
    pub(crate) fn allow_dynamic_shared(self, bytes: u32) -> Result<(), Fault> {
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        // SAFETY: the function is of a loaded module.
        check("asking for shared memory", unsafe { cuFuncSetAttribute(self.0, attribute, bytes) })
    }

    /// Blocks that fit on a multiprocessor.
    pub(crate) fn resident_blocks(self, threads: u32, dynamic_shared: u32) -> Result<u32, Fault> {
        let mut blocks = 0;
        // SAFETY: the function is of a loaded module.
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
