//! Device memory: buffers, and copies among them.

use crate::fault::{Fault, check, checked};
use ::device::POISON;
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::stream::Stream;
use cust::sys::{
    CUdeviceptr, cuMemcpyDtoDAsync_v2, cuMemcpyDtoH_v2, cuMemcpyHtoD_v2, cuMemsetD8_v2, cuMemsetD32_v2,
};

/// A piece of device memory, freed when it goes.
pub(crate) struct Held {
    memory: DeviceBuffer<u8>,
}

impl Held {
    /// Uninitialised memory.
    pub(crate) fn new(bytes: u64) -> Result<Held, Fault> {
        let too_large = Fault { code: 2, what: "allocating device memory" };
        let bytes = usize::try_from(bytes).map_err(|_| too_large)?;
        // SAFETY: bytes need no initialisation: whoever reads them first has written, poisoned or copied them.
        let memory = checked("allocating device memory", unsafe { DeviceBuffer::uninitialized(bytes) })?;
        Ok(Held { memory })
    }

    /// The address on the device; 0 for no bytes.
    pub(crate) fn address(&self) -> CUdeviceptr {
        self.memory.as_device_ptr().as_raw()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.memory.len() as u64
    }

    /// Copies host bytes to an offset; the range must lie inside.
    pub(crate) fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), Fault> {
        checked("copying to the device", self.memory.index(offset..offset + bytes.len()).copy_from(bytes))
    }

    /// Copies bytes from an offset to the host; the range must lie inside.
    pub(crate) fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), Fault> {
        checked("copying to the host", self.memory.index(offset..offset + bytes.len()).copy_to(bytes))
    }

    /// Repeats [`POISON`], the end of the memory cut off.
    pub(crate) fn poison(&mut self) -> Result<(), Fault> {
        let (words, rest) = (self.memory.len() / 4, self.memory.len() % 4);
        if words > 0 {
            // SAFETY: the memory has that many words, and the driver's allocations are aligned for them.
            check("filling memory", unsafe { cuMemsetD32_v2(self.address(), POISON, words) })?;
        }
        for (i, byte) in POISON.to_le_bytes().into_iter().enumerate().take(rest) {
            let at = self.address() + (4 * words + i) as u64;
            // SAFETY: the byte is inside.
            check("filling memory", unsafe { cuMemsetD8_v2(at, byte, 1) })?;
        }
        Ok(())
    }
}

/// A range of device memory that belongs to somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) address: CUdeviceptr,
    pub(crate) bytes: u64,
}

impl Region {
    /// Copies host bytes to its start; it has as many.
    pub(crate) fn write(self, bytes: &[u8]) -> Result<(), Fault> {
        let len = bytes.len().min(self.bytes as usize);
        // SAFETY: the range lies inside a variable of a loaded module, and the copy is complete when the call returns.
        check("copying to the device", unsafe { cuMemcpyHtoD_v2(self.address, bytes.as_ptr().cast(), len) })
    }

    /// Copies its start to the host; it has as many bytes.
    pub(crate) fn read(self, bytes: &mut [u8]) -> Result<(), Fault> {
        let len = bytes.len().min(self.bytes as usize);
        // SAFETY: as above.
        check("copying to the host", unsafe { cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), self.address, len) })
    }
}

/// Copies on the device, in the order of the stream.
///
/// # Safety
/// Both addresses have that many bytes of live device memory, and the ranges do not overlap.
pub(crate) unsafe fn copy(
    to: CUdeviceptr,
    from: CUdeviceptr,
    bytes: u64,
    stream: &Stream,
) -> Result<(), Fault> {
    if bytes == 0 {
        return Ok(());
    }
    // SAFETY: as the caller says.
    check("copying on the device", unsafe {
        cuMemcpyDtoDAsync_v2(to, from, bytes as usize, stream.as_inner())
    })
}
