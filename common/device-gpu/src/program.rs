//! Compiled files on the device: modules, kernels and variables.
//!
//! Through the driver's functions: a `Module` of `cust` can look up a variable only by a type of its exact size.

use crate::fault::{Fault, check};
use crate::memory::Region;
use ::device::{ProgramInfo, SymbolInfo};
use cust::sys::*;
use std::collections::HashMap;
use std::ffi::CString;
use std::ptr;
use std::sync::Arc;

/// A compiled file: what it takes to load it again into another context, and the loaded module.
pub(crate) struct Program {
    /// What it has in it.
    pub(crate) info: ProgramInfo,
    /// Whether a kernel may print.
    pub(crate) prints: bool,
    cubin: Arc<Vec<u8>>,
    names: HashMap<String, String>,
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
    pub(crate) fn new(info: ProgramInfo, prints: bool, cubin: Vec<u8>, lowered: &[String]) -> Program {
        let names = info.kernels.iter().map(|k| &k.name).chain(info.symbols.iter().map(|s| &s.name));
        let names = names.cloned().zip(lowered.iter().cloned()).filter(|(_, l)| !l.is_empty()).collect();
        Program { info, prints, cubin: Arc::new(cubin), names, module: None }
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

    fn named(&self, name: &str) -> CString {
        let lowered = self.names.get(name).map_or(name, String::as_str);
        // Names come from source text and have no zero byte; the empty name is one that no module has.
        CString::new(lowered).unwrap_or_default()
    }

    fn module(&self) -> CUmodule {
        self.module.as_ref().map_or(ptr::null_mut(), |m| m.0)
    }

    /// A kernel of the loaded module.
    pub(crate) fn function(&self, kernel: &str) -> Result<Function, Fault> {
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded, or null, which is an error; the name lives.
        check("looking a kernel up", unsafe {
            cuModuleGetFunction(&mut function, self.module(), self.named(kernel).as_ptr())
        })?;
        Ok(Function(function))
    }

    /// A variable of the loaded module, whatever its size.
    pub(crate) fn symbol(&self, name: &str) -> Result<Region, Fault> {
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: as above.
        check("looking a variable up", unsafe {
            cuModuleGetGlobal_v2(&mut address, &mut bytes, self.module(), self.named(name).as_ptr())
        })?;
        Ok(Region { address, bytes: bytes as u64 })
    }

    /// The variables that kernels may change.
    pub(crate) fn changeable(&self) -> impl Iterator<Item = &SymbolInfo> {
        self.info.symbols.iter().filter(|s| !s.is_constant)
    }
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
