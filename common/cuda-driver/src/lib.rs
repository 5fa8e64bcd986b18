//! The CUDA driver's entry points, looked up in the installed driver when they are called.
//!
//! `cust` and `cust_raw` declare the driver's functions and expect the linker to find them in `libcuda`. This crate defines
//! functions of those names instead. Each looks itself up in the driver's library by its name when it is first called, and
//! passes the call on. Where there is no driver every one of them returns an error code, so one and the same program is
//! built without CUDA, runs without a GPU, and uses one where it is.
//!
//! | where | what a call returns |
//! |---|---|
//! | no driver library | `CUDA_ERROR_NO_DEVICE` |
//! | a driver without that function (it is older than the function) | `CUDA_ERROR_NOT_SUPPORTED` |
//! | a code that `cust_raw` does not know (it is newer than the crate) | `CUDA_ERROR_UNKNOWN`; [`last_error`] has it |
//!
//! A program that only links `cust` gets these definitions by naming this crate once (`use cuda_driver as _;`).

mod codes;
mod entry_points;

pub use cust_raw as sys;

use cust_raw::CUresult;
use libloading::Library;
use std::cell::Cell;
use std::ffi::{CString, c_void};
use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::OnceLock;

/// Names under which drivers install their library, best first.
const LIBRARIES: &[&str] = if cfg!(windows) {
    &["nvcuda.dll"]
} else {
    &["libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "libcuda.so"]
};

/// The driver's library, kept for the life of the program: its threads may outlive any caller.
struct Driver {
    handle: Library,
    name: PathBuf,
}

fn driver() -> Option<&'static Driver> {
    static DRIVER: OnceLock<Option<Driver>> = OnceLock::new();
    let open = |name: &&str| {
        // SAFETY: the driver's initialisers have no preconditions.
        let handle = unsafe { Library::new(*name) }.ok()?;
        Some(Driver { handle, name: PathBuf::from(name) })
    };
    DRIVER.get_or_init(|| LIBRARIES.iter().find_map(open)).as_ref()
}

/// The name under which the driver's library was found; `None` where there is no driver.
pub fn library() -> Option<PathBuf> {
    driver().map(|d| d.name.clone())
}

thread_local! {
    static LAST_ERROR: Cell<u32> = const { Cell::new(0) };
}

/// The number of the last error that an entry point returned on this thread, as the driver gave it; 0 for none.
pub fn last_error() -> u32 {
    LAST_ERROR.get()
}

/// A function of the driver, looked up once.
struct Entry {
    name: &'static str,
    address: OnceLock<Option<Address>>,
}

/// The address of a function.
#[derive(Clone, Copy)]
struct Address(NonNull<c_void>);

impl Address {
    fn as_ptr(self) -> *mut c_void {
        self.0.as_ptr()
    }
}

// SAFETY: the address of a function of a library that is never unloaded; it is only read.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

impl Entry {
    const fn new(name: &'static str) -> Entry {
        Entry { name, address: OnceLock::new() }
    }

    fn address(&self) -> Option<Address> {
        *self.address.get_or_init(|| {
            let name = CString::new(self.name).ok()?;
            // SAFETY: only the address is taken; it is called as a function of the signature that its name has.
            let symbol = unsafe { driver()?.handle.get::<*mut c_void>(name.as_bytes_with_nul()) }.ok()?;
            NonNull::new(*symbol).map(Address)
        })
    }

    /// What a function that is not there returns.
    fn missing(&self) -> CUresult {
        let none = driver().is_none();
        let code = if none { CUresult::CUDA_ERROR_NO_DEVICE } else { CUresult::CUDA_ERROR_NOT_SUPPORTED };
        answer(code as u32)
    }
}

/// Notes the code of an error, and gives it as the enumeration has it.
fn answer(code: u32) -> CUresult {
    // "Not ready" is an answer and no error.
    if code != 0 && code != CUresult::CUDA_ERROR_NOT_READY as u32 {
        LAST_ERROR.set(code);
    }
    codes::known(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_that_the_enumeration_lacks_is_unknown_and_kept() {
        assert_eq!(answer(222), CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
        assert_eq!(answer(12345), CUresult::CUDA_ERROR_UNKNOWN);
        assert_eq!(last_error(), 12345);
        assert_eq!(answer(600), CUresult::CUDA_ERROR_NOT_READY);
        assert_eq!(last_error(), 12345);
    }

    #[test]
    fn a_function_that_no_driver_has_is_an_error_code() {
        static NONE: Entry = Entry::new("cuNoDriverHasThis");
        assert!(NONE.address().is_none());
        let expected = match library() {
            None => CUresult::CUDA_ERROR_NO_DEVICE,
            Some(_) => CUresult::CUDA_ERROR_NOT_SUPPORTED,
        };
        assert_eq!(NONE.missing(), expected);
    }

    #[test]
    fn the_linker_takes_these_definitions() {
        // SAFETY: `cuInit` may be called at any time, with 0.
        let code = unsafe { cust_raw::cuInit(0) };
        if library().is_none() {
            assert_eq!(code, CUresult::CUDA_ERROR_NO_DEVICE);
        }
    }
}
