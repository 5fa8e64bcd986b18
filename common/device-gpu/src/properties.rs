//! Properties of the installed GPU, or the reason why none is usable.

use crate::fault::{Fault, check, checked};
use crate::memory::Held;
use cust::context::legacy::{Context, ContextFlags};
use cust::device::{Device, DeviceAttribute};
use cust::memory::{LockedBuffer, mem_get_info};
use cust::sys::{CUdevice_attribute, cuDeviceGetAttribute, cuMemcpyDtoH_v2, cuMemcpyHtoD_v2};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Instant;

/// Numbers of the first GPU.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Properties {
    /// Product name, such as `NVIDIA H200`.
    pub name: String,
    /// Compute capability, such as `(9, 0)`.
    pub compute_capability: (u32, u32),
    /// CUDA version that the driver supports, such as `(13, 0)`.
    pub driver_cuda: (u32, u32),
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Device memory, bytes.
    pub memory_bytes: u64,
    /// L2 cache, bytes.
    pub l2_bytes: u64,
    /// Device memory bandwidth in bytes per second, from memory clock and bus width.
    pub memory_bandwidth: f64,
    /// Single-precision operations per second at the highest clock; a fused multiply-add counts 2.
    pub f32_rate: f64,
    /// Maximum shared memory per block, bytes.
    pub shared_per_block: u32,
    /// Maximum threads per block.
    pub threads_per_block: u32,
    /// Maximum resident warps per multiprocessor.
    pub warps_per_multiprocessor: u32,
}

/// Why there is no GPU to run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absent {
    /// No driver is installed.
    NoDriver,
    /// The driver finds no GPU, or refuses to use it.
    Refused {
        /// Path of the driver's library.
        library: PathBuf,
        /// The driver's error, with advice.
        why: String,
    },
}

impl std::fmt::Display for Absent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Absent::NoDriver => write!(f, "no NVIDIA driver"),
            Absent::Refused { library, why } => {
                write!(f, "no usable NVIDIA GPU (driver library {}): {why}", library.display())
            }
        }
    }
}

/// The properties of the first GPU. The first call asks the driver; later calls return the same answer.
///
/// # Errors
/// The reason why there is no GPU.
pub fn probe() -> Result<&'static Properties, Absent> {
    static FOUND: OnceLock<Result<Properties, Absent>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let library = cuda_driver::library().ok_or(Absent::NoDriver)?;
        look().map_err(|fault| Absent::Refused { library, why: fault.text() })
    });
    found.as_ref().map_err(Clone::clone)
}

/// `cust`'s handle of the first GPU.
pub(crate) fn first() -> Result<Device, Fault> {
    checked("starting CUDA", cust::init(cust::CudaFlags::empty()))?;
    checked("looking for a GPU", Device::get_device(0))
}

fn look() -> Result<Properties, Fault> {
    let device = first()?;
    let ask = |attribute| checked("asking for its properties", device.get_attribute(attribute));
    let number = |attribute| ask(attribute).map(|n| u32::try_from(n).unwrap_or(0));
    let (major, minor) =
        (number(DeviceAttribute::ComputeCapabilityMajor)?, number(DeviceAttribute::ComputeCapabilityMinor)?);
    let multiprocessors = number(DeviceAttribute::MultiprocessorCount)?;
    let kilohertz = f64::from(number(DeviceAttribute::ClockRate)?);
    let memory_kilohertz = f64::from(number(DeviceAttribute::MemoryClockRate)?);
    let bus_bytes = f64::from(number(DeviceAttribute::GlobalMemoryBusWidth)?) / 8.0;
    let warp = number(DeviceAttribute::WarpSize)?.max(1);
    let lanes = multiprocessors * f32_lanes(major, minor);
    let version = checked("asking for the driver's version", cust::CudaApiVersion::get())?;
    let mut opt_in = 0;
    // SAFETY: `opt_in` is a live integer, and the driver returned the device handle.
    check("asking for its properties", unsafe {
        let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        cuDeviceGetAttribute(&mut opt_in, attribute, device.as_raw())
    })?;
    Ok(Properties {
        name: checked("asking for its name", device.name())?,
        compute_capability: (major, minor),
        driver_cuda: (version.major().unsigned_abs(), version.minor().unsigned_abs()),
        multiprocessors,
        memory_bytes: checked("asking for its memory", device.total_memory())? as u64,
        l2_bytes: number(DeviceAttribute::L2CacheSize)?.into(),
        // Double data rate: two transfers per clock.
        memory_bandwidth: 2.0 * memory_kilohertz * 1e3 * bus_bytes,
        f32_rate: 2.0 * kilohertz * 1e3 * f64::from(lanes),
        shared_per_block: u32::try_from(opt_in).unwrap_or(0),
        threads_per_block: number(DeviceAttribute::MaxThreadsPerBlock)?,
        warps_per_multiprocessor: number(DeviceAttribute::MaxThreadsPerMultiprocessor)? / warp,
    })
}

/// Single-precision lanes per multiprocessor (CUDA C++ Programming Guide, "Arithmetic Instructions": results per
/// clock).
fn f32_lanes(major: u32, minor: u32) -> u32 {
    match (major, minor) {
        (3, _) => 192,
        (5, _) | (6, 1 | 2) => 128,
        (6, _) | (7, _) | (8, 0) => 64,
        _ => 128,
    }
}

/// The host link in bytes per second.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct LinkBandwidth {
    /// Host to device from page-locked memory.
    pub pinned_to_device: f64,
    /// Device to host into page-locked memory.
    pub pinned_to_host: f64,
    /// Host to device from pageable memory.
    pub pageable_to_device: f64,
    /// Device to host into pageable memory.
    pub pageable_to_host: f64,
}

/// Bytes of each transfer that [`link_bandwidth`] times.
const LINK_BYTES: usize = 32 << 20;

/// Measures the host link: the best of three transfers of 32 MiB in each direction. Only the first call measures.
///
/// # Errors
/// The driver's error, in words.
pub fn link_bandwidth() -> Result<LinkBandwidth, String> {
    static MEASURED: OnceLock<Result<LinkBandwidth, String>> = OnceLock::new();
    MEASURED.get_or_init(|| measure_link().map_err(Fault::text)).clone()
}

fn measure_link() -> Result<LinkBandwidth, Fault> {
    let device = first()?;
    let context = Context::create_and_push(ContextFlags::SCHED_AUTO, device);
    let _context = checked("making a context", context)?;
    let held = Held::new(LINK_BYTES as u64)?;
    let mut pinned = checked("allocating page-locked memory", LockedBuffer::new(&1_u8, LINK_BYTES))?;
    let mut pageable = vec![1_u8; LINK_BYTES];
    let (pinned_to_device, pinned_to_host) = both_ways(&held, pinned.as_mut_slice())?;
    let (pageable_to_device, pageable_to_host) = both_ways(&held, &mut pageable)?;
    Ok(LinkBandwidth { pinned_to_device, pinned_to_host, pageable_to_device, pageable_to_host })
}

fn both_ways(held: &Held, host: &mut [u8]) -> Result<(f64, f64), Fault> {
    let (mut there, mut back) = (f64::MAX, f64::MAX);
    for _ in 0..3 {
        let start = Instant::now();
        // SAFETY: both sides have `host.len()` bytes, and the copy is complete when the call returns.
        check("copying", unsafe { cuMemcpyHtoD_v2(held.address(), host.as_ptr().cast(), host.len()) })?;
        there = there.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        // SAFETY: as above.
        check("copying", unsafe { cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), held.address(), host.len()) })?;
        back = back.min(start.elapsed().as_secs_f64());
    }
    let rate = |seconds: f64| host.len() as f64 / seconds;
    Ok((rate(there), rate(back)))
}

/// Free and total bytes of device memory.
pub(crate) fn free_memory() -> Result<(u64, u64), Fault> {
    let (free, total) = checked("asking for free memory", mem_get_info())?;
    Ok((free as u64, total as u64))
}
