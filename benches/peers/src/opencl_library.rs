//! The functions of an OpenCL library that a contestant needs, looked up when the process runs: nothing of OpenCL is needed to build.

use anyhow::{Context, bail, ensure};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

/// A platform, device, context, queue, program, function or buffer of the library.
pub(crate) type Handle = *mut c_void;

const DEVICE_TYPE_ALL: u64 = 0xffff_ffff;
const MEM_READ_WRITE_COPY: u64 = (1 << 0) | (1 << 5);
const PLATFORM_VERSION: u32 = 0x0901;
const PLATFORM_NAME: u32 = 0x0902;
const PROGRAM_BUILD_LOG: u32 = 0x1183;
const BLOCKING: u32 = 1;

macro_rules! functions {
    ($($name:ident($($argument:ty),*) -> $result:ty;)*) => {
        /// The library, open, with its functions under their own names.
        #[allow(non_snake_case)]
        pub(crate) struct OpenClLibrary {
            $($name: unsafe extern "system" fn($($argument),*) -> $result,)*
            // Last: the functions are gone with it.
            _library: Library,
        }

        impl OpenClLibrary {
            fn load(name: &str) -> Result<OpenClLibrary, libloading::Error> {
                // SAFETY: OpenCL libraries' initialisers have no preconditions.
                let library = unsafe { Library::new(name) }?;
                Ok(OpenClLibrary {
                    // SAFETY: the types are those of the OpenCL 1.2 specification.
                    $($name: *unsafe { library.get(stringify!($name)) }?,)*
                    _library: library,
                })
            }
        }
    };
}

functions! {
    clGetPlatformIDs(u32, *mut Handle, *mut u32) -> i32;
    clGetPlatformInfo(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    clGetDeviceIDs(Handle, u64, u32, *mut Handle, *mut u32) -> i32;
    clCreateContext(*const isize, u32, *const Handle, *const c_void, *mut c_void, *mut i32) -> Handle;
    clCreateCommandQueue(Handle, Handle, u64, *mut i32) -> Handle;
    clCreateProgramWithSource(Handle, u32, *const *const c_char, *const usize, *mut i32) -> Handle;
    clBuildProgram(Handle, u32, *const Handle, *const c_char, *const c_void, *mut c_void) -> i32;
    clGetProgramBuildInfo(Handle, Handle, u32, usize, *mut c_void, *mut usize) -> i32;
    clCreateKernel(Handle, *const c_char, *mut i32) -> Handle;
    clCreateBuffer(Handle, u64, usize, *mut c_void, *mut i32) -> Handle;
    clSetKernelArg(Handle, u32, usize, *const c_void) -> i32;
    clEnqueueNDRangeKernel(Handle, Handle, u32, *const usize, *const usize, *const usize, u32, *const Handle, *mut Handle) -> i32;
    clEnqueueReadBuffer(Handle, Handle, u32, usize, usize, *mut c_void, u32, *const Handle, *mut Handle) -> i32;
    clEnqueueWriteBuffer(Handle, Handle, u32, usize, usize, *const c_void, u32, *const Handle, *mut Handle) -> i32;
    clFinish(Handle) -> i32;
}

/// An error of the library, by its number.
fn check(code: i32, what: &str) -> anyhow::Result<()> {
    ensure!(code == 0, "{what} returned the OpenCL error {code}");
    Ok(())
}

/// What a function that makes something returned, and its code.
fn made(make: impl FnOnce(&mut i32) -> Handle, what: &str) -> anyhow::Result<Handle> {
    let mut code = 0;
    let handle = make(&mut code);
    check(code, what)?;
    Ok(handle)
}

/// Text that the library writes to a place of a given length; the call with no place says how long it is.
fn text(mut call: impl FnMut(usize, *mut c_void, *mut usize) -> i32, what: &str) -> anyhow::Result<String> {
    let mut length = 0;
    check(call(0, null_mut(), &mut length), what)?;
    let mut bytes = vec![0u8; length];
    check(call(length, bytes.as_mut_ptr().cast(), null_mut()), what)?;
    let text = CStr::from_bytes_until_nul(&bytes).map_or(&bytes[..], CStr::to_bytes);
    Ok(String::from_utf8_lossy(text).trim().to_owned())
}

impl OpenClLibrary {
    /// The first library of these names that there is.
    pub(crate) fn open(names: &[&str]) -> anyhow::Result<OpenClLibrary> {
        let mut last = None;
        for name in names {
            match OpenClLibrary::load(name) {
                Ok(library) => return Ok(library),
                Err(error) => last = Some(error),
            }
        }
        bail!("there is no OpenCL library: {}", last.map_or_else(String::new, |e| e.to_string()))
    }

    /// The platform of that name, and its version.
    pub(crate) fn platform(&self, wanted: &str) -> anyhow::Result<(Handle, String)> {
        let mut count = 0;
        // SAFETY: with no place for them only their number is written.
        check(unsafe { (self.clGetPlatformIDs)(0, null_mut(), &mut count) }, "clGetPlatformIDs")?;
        let mut platforms = vec![null_mut(); count as usize];
        // SAFETY: there is place for `count`.
        let code = unsafe { (self.clGetPlatformIDs)(count, platforms.as_mut_ptr(), null_mut()) };
        check(code, "clGetPlatformIDs")?;
        let info = |platform: Handle, which| {
            // SAFETY: the platform is the library's, and `text` gives the length of the place.
            let call = |length, place, needed| unsafe {
                (self.clGetPlatformInfo)(platform, which, length, place, needed)
            };
            text(call, "clGetPlatformInfo")
        };
        let mut names = Vec::new();
        for platform in platforms {
            let name = info(platform, PLATFORM_NAME)?;
            if name == wanted {
                return Ok((platform, info(platform, PLATFORM_VERSION)?));
            }
            names.push(name);
        }
        bail!("there is no OpenCL platform `{wanted}`, only {names:?}")
    }

    /// The first device of a platform.
    pub(crate) fn device(&self, platform: Handle) -> anyhow::Result<Handle> {
        let mut device = null_mut();
        // SAFETY: the platform is the library's; there is place for one device.
        let code = unsafe { (self.clGetDeviceIDs)(platform, DEVICE_TYPE_ALL, 1, &mut device, null_mut()) };
        check(code, "clGetDeviceIDs")?;
        Ok(device)
    }

    /// A context and a queue of a device.
    pub(crate) fn context(&self, device: Handle) -> anyhow::Result<(Handle, Handle)> {
        let make = |code: &mut i32| {
            // SAFETY: one device of the library, no properties, no callback.
            unsafe { (self.clCreateContext)(null(), 1, &device, null(), null_mut(), code) }
        };
        let context = made(make, "clCreateContext")?;
        // SAFETY: the context was made for the device.
        let make = |code: &mut i32| unsafe { (self.clCreateCommandQueue)(context, device, 0, code) };
        Ok((context, made(make, "clCreateCommandQueue")?))
    }

    /// A function of a compiled program.
    ///
    /// # Errors
    /// What the compiler says.
    pub(crate) fn function(
        &self,
        context: Handle,
        device: Handle,
        source: &str,
        options: &str,
        name: &str,
    ) -> anyhow::Result<Handle> {
        let (options, name) = (CString::new(options)?, CString::new(name)?);
        let (begin, length) = (source.as_ptr().cast(), source.len());
        let make = |code: &mut i32| {
            // SAFETY: one text with its length.
            unsafe { (self.clCreateProgramWithSource)(context, 1, &begin, &length, code) }
        };
        let program = made(make, "clCreateProgramWithSource")?;
        // SAFETY: the program is of this device's context; no callback.
        let code =
            unsafe { (self.clBuildProgram)(program, 1, &device, options.as_ptr(), null(), null_mut()) };
        if code != 0 {
            // SAFETY: as above, and `text` gives the length of the place.
            let call = |length, place, needed| unsafe {
                (self.clGetProgramBuildInfo)(program, device, PROGRAM_BUILD_LOG, length, place, needed)
            };
            bail!("the program does not compile: {}", text(call, "clGetProgramBuildInfo")?);
        }
        // SAFETY: the program is built, the name ends with a zero.
        made(|code| unsafe { (self.clCreateKernel)(program, name.as_ptr(), code) }, "clCreateKernel")
    }

    /// A buffer with these bytes in it.
    pub(crate) fn buffer(&self, context: Handle, data: &[u8]) -> anyhow::Result<Handle> {
        let place = data.as_ptr().cast_mut().cast();
        let make = |code: &mut i32| {
            // SAFETY: the library copies as many bytes as the data has, and writes none of them.
            unsafe { (self.clCreateBuffer)(context, MEM_READ_WRITE_COPY, data.len(), place, code) }
        };
        made(make, "clCreateBuffer")
    }

    /// Sets an argument of a function: a buffer's handle, or a number.
    ///
    /// # Safety
    /// The function's parameter of that index must be of this kind and size.
    pub(crate) unsafe fn set<T: Copy>(&self, function: Handle, index: usize, value: T) -> anyhow::Result<()> {
        let place = (&raw const value).cast();
        // SAFETY: the library copies the value; the caller knows its type.
        let code = unsafe { (self.clSetKernelArg)(function, index as u32, size_of::<T>(), place) };
        check(code, "clSetKernelArg").with_context(|| format!("argument {index}"))
    }

    /// Sets an argument of a function to so many bytes of local memory; the library refuses other parameters.
    pub(crate) fn set_local(&self, function: Handle, index: usize, bytes: usize) -> anyhow::Result<()> {
        // SAFETY: without a value, only the size is read.
        let code = unsafe { (self.clSetKernelArg)(function, index as u32, bytes, null()) };
        check(code, "clSetKernelArg").with_context(|| format!("argument {index}"))
    }

    /// Runs a function on so many work-items by axis, in groups of so many, and waits for it.
    ///
    /// # Safety
    /// Its arguments must be set, and it must stay within its buffers at this size.
    pub(crate) unsafe fn run(
        &self,
        queue: Handle,
        function: Handle,
        items: &[usize],
        group: &[usize],
    ) -> anyhow::Result<()> {
        ensure!(items.len() == group.len(), "a launch has {} and {} axes", items.len(), group.len());
        let axes = items.len() as u32;
        let (items, group) = (items.as_ptr(), group.as_ptr());
        // SAFETY: `axes` sizes each, no events; the caller knows the function.
        let code = unsafe {
            (self.clEnqueueNDRangeKernel)(queue, function, axes, null(), items, group, 0, null(), null_mut())
        };
        check(code, "clEnqueueNDRangeKernel")?;
        // SAFETY: the queue is the library's.
        check(unsafe { (self.clFinish)(queue) }, "clFinish")
    }

    /// Writes bytes to the begin of a buffer.
    pub(crate) fn write(&self, queue: Handle, buffer: Handle, data: &[u8]) -> anyhow::Result<()> {
        let place = data.as_ptr().cast();
        // SAFETY: the call blocks until the bytes are read; it refuses a buffer that is shorter.
        let code = unsafe {
            (self.clEnqueueWriteBuffer)(queue, buffer, BLOCKING, 0, data.len(), place, 0, null(), null_mut())
        };
        check(code, "clEnqueueWriteBuffer")
    }

    /// The first so many bytes of a buffer.
    pub(crate) fn read(&self, queue: Handle, buffer: Handle, length: usize) -> anyhow::Result<Vec<u8>> {
        let mut data = vec![0; length];
        let place = data.as_mut_ptr().cast();
        // SAFETY: the call blocks until the bytes, for which there is place, are written; it refuses a buffer that is shorter.
        let code = unsafe {
            (self.clEnqueueReadBuffer)(queue, buffer, BLOCKING, 0, length, place, 0, null(), null_mut())
        };
        check(code, "clEnqueueReadBuffer")?;
        Ok(data)
    }
}
