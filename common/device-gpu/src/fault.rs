//! Errors of the driver, in plain words with advice.

use ::device::{DeviceError, Messages};
use cust::error::CudaError;
use cust::sys::CUresult;
use source::{Code, Diagnostic};

/// An error of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The driver's error code.
    pub(crate) code: u32,
    /// What the driver was doing, such as `copying to the device`.
    pub(crate) what: &'static str,
}

/// Converts the result of a driver function.
pub(crate) fn check(what: &'static str, code: CUresult) -> Result<(), Fault> {
    match code {
        CUresult::CUDA_SUCCESS => Ok(()),
        CUresult::CUDA_ERROR_UNKNOWN => Err(Fault { code: cuda_driver::last_error(), what }),
        code => Err(Fault { code: code as u32, what }),
    }
}

/// Converts the result of a `cust` call. `cust` maps codes that it does not know to `UnknownError`, so the real code
/// is taken from the driver.
pub(crate) fn checked<T>(what: &'static str, result: Result<T, CudaError>) -> Result<T, Fault> {
    result.map_err(|error| match error {
        CudaError::UnknownError => Fault { code: cuda_driver::last_error(), what },
        error => Fault { code: error as u32, what },
    })
}

/// Driver errors that a kernel causes: driver's code, diagnostic code, title, help.
const OF_KERNELS: &[(u32, Code, &str, &str)] = &[
    (
        700,
        Code::GpuIllegalAddress,
        "the kernel accessed an address outside its memory",
        "`--on sim` names the line, the thread and the array",
    ),
    (
        701,
        Code::GpuOutOfResources,
        "a block of this kernel needs more registers or shared memory than a multiprocessor has",
        "make the block smaller, or bound its registers with `__launch_bounds__`",
    ),
    (
        702,
        Code::GpuLaunchTimeout,
        "the system ended the kernel because it ran too long",
        "is there a loop that does not end? A GPU that drives a screen allows a few seconds",
    ),
    (710, Code::GpuAssert, "an `assert` in the kernel failed", "the message of the assertion is above"),
    (
        714,
        Code::GpuStackOverflow,
        "the kernel's call stack overflowed or was overwritten",
        "recursion, or a local array that is written out of bounds",
    ),
    (
        715,
        Code::GpuIllegalInstruction,
        "the kernel executed an illegal instruction",
        "`__trap()` does so too",
    ),
    (
        716,
        Code::GpuMisalignedAddress,
        "the kernel accessed an address that is not aligned for its type",
        "a `float4` is loaded from a multiple of 16 bytes",
    ),
    (
        717,
        Code::GpuAddressSpace,
        "the kernel used an address in the wrong memory space",
        "`--on sim` names the line",
    ),
    (
        718,
        Code::GpuInvalidPc,
        "the kernel jumped out of its code",
        "was a function pointer or the stack overwritten?",
    ),
    (
        719,
        Code::GpuLaunchFailed,
        "the kernel was stopped by a fault of the device",
        "`--on sim` names the line",
    ),
];

impl Fault {
    /// The diagnostic for an error in [`OF_KERNELS`]; `None` for any other error.
    pub(crate) fn of_kernel(self) -> Option<Diagnostic> {
        let (_, code, title, help) = OF_KERNELS.iter().find(|(number, ..)| *number == self.code)?;
        Some(Diagnostic::new(*code, *title).note(format!("the driver says {}", self.name())).help(*help))
    }

    fn name(self) -> String {
        format!("error {} while {}", self.code, self.what)
    }

    /// The error and advice, in one or two sentences.
    pub(crate) fn text(self) -> String {
        let advice = match self.code {
            2 => "the device is out of memory: other programs may use it too (`nvidia-smi` lists them)",
            3 | 100 => "there is no GPU that the driver knows: `cargo lab doctor` says what is missing",
            34 => "the library found is the toolkit's stub, not a driver: install the NVIDIA driver",
            35 | 803 => "the driver and its kernel module are of different versions: restart the computer",
            46 | 101 => {
                "another program has exclusive use of the GPU, or it is not present: `nvidia-smi` says which"
            }
            209 => "the compiled kernel is for another architecture: remove the cache of compiled kernels",
            218 | 222 => {
                "the driver is older than the compiler: update the driver, or use an older CUDA toolkit"
            }
            801 => "the driver is too old for this: update it",
            802 => "the system is not ready for CUDA yet: wait, or start its fabric manager",
            804 => "this driver does not support the GPU: update it",
            _ => "",
        };
        let advice = if advice.is_empty() { String::new() } else { format!(": {advice}") };
        source::spelled(format!("the NVIDIA driver reports {}{advice}", self.name()))
    }
}

impl From<Fault> for DeviceError {
    fn from(fault: Fault) -> DeviceError {
        match fault.of_kernel() {
            Some(diagnostic) => {
                DeviceError::launch(Messages { diagnostics: vec![diagnostic], ..Messages::default() })
            }
            None => DeviceError::Use(fault.text()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_that_cust_lacks_keep_their_number() {
        let newer = check("loading", CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION).unwrap_err();
        assert_eq!(newer.code, 222);
        assert!(newer.text().contains("error 222") && newer.text().contains("update the driver"));
    }

    #[test]
    fn a_fault_of_the_kernel_is_a_diagnostic() {
        let fault = Fault { code: 700, what: "running the kernel" };
        let DeviceError::Launch { messages, .. } = DeviceError::from(fault) else { panic!("{fault:?}") };
        assert_eq!(messages.diagnostics[0].code, "gpu-illegal-address");
        assert!(matches!(DeviceError::from(Fault { code: 2, what: "allocating" }), DeviceError::Use(_)));
    }
}
