//! Device memory: buffers between guard zones, and copies between them.
//!
//! A GPU does not check array bounds. Guard zones reveal writes just outside a buffer. They do not reveal reads, or
//! writes further away.

use crate::fault::{Fault, check, checked};
use ::device::POISON;
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::stream::Stream;
use cust::sys::{
    CUdeviceptr, cuMemcpyDtoDAsync_v2, cuMemcpyDtoH_v2, cuMemcpyHtoD_v2, cuMemsetD8_v2, cuMemsetD32_v2,
};

/// Bytes of each guard zone, one before and one after each buffer. Also the alignment that textures require.
const ZONE: usize = 512;

/// The word that fills the guard zones.
const UNTOUCHED: u32 = 0xa55a_c33c;

/// `len` bytes of the fill pattern.
fn untouched(len: usize) -> Vec<u8> {
    UNTOUCHED.to_le_bytes().into_iter().cycle().take(len).collect()
}

/// A buffer in device memory between two guard zones. Dropping it frees the memory.
pub(crate) struct Held {
    /// The buffer with its zones; empty if the buffer has 0 bytes.
    memory: DeviceBuffer<u8>,
    bytes: usize,
}

/// Changes found in the guard zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    /// Number of changed bytes in both zones.
    pub(crate) bytes: usize,
    /// Whether the nearest changed byte lies before the buffer; `distance` is its distance from the buffer in bytes.
    pub(crate) before: bool,
    pub(crate) distance: usize,
}

/// Compares both zones with the fill pattern; `None` if neither changed.
fn damage(before: &[u8], behind: &[u8]) -> Option<Damage> {
    let differs = |zone: &[u8]| -> Vec<usize> {
        let expected = untouched(zone.len());
        (0..zone.len()).filter(|i| zone[*i] != expected[*i]).collect()
    };
    let (before, behind) = (differs(before), differs(behind));
    let bytes = before.len() + behind.len();
    match (before.last(), behind.first()) {
        (Some(at), _) => Some(Damage { bytes, before: true, distance: ZONE - at }),
        (None, Some(at)) => Some(Damage { bytes, before: false, distance: at + 1 }),
        (None, None) => None,
    }
}

impl Held {
    /// Allocates uninitialised memory with filled zones.
    pub(crate) fn new(bytes: u64) -> Result<Held, Fault> {
        let too_large = Fault { code: 2, what: "allocating device memory" };
        let bytes = usize::try_from(bytes).map_err(|_| too_large)?;
        let all = if bytes == 0 { 0 } else { (bytes.next_multiple_of(4)).saturating_add(2 * ZONE) };
        // SAFETY: `u8` needs no initialisation, and every caller writes, poisons or copies the bytes before it reads
        // them.
        let memory = checked("allocating device memory", unsafe { DeviceBuffer::uninitialized(all) })?;
        let mut held = Held { memory, bytes };
        held.guard()?;
        Ok(held)
    }

    /// The buffer's device address; 0 if it has 0 bytes.
    pub(crate) fn address(&self) -> CUdeviceptr {
        self.memory.as_device_ptr().as_raw() + if self.bytes == 0 { 0 } else { ZONE as u64 }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes as u64
    }

    /// Byte ranges of the two zones within `memory`. The second starts right after the buffer's last byte.
    fn zones(&self) -> [std::ops::Range<usize>; 2] {
        [0..ZONE, ZONE + self.bytes..self.memory.len()]
    }

    /// Fills both zones with the pattern.
    pub(crate) fn guard(&mut self) -> Result<(), Fault> {
        if self.bytes == 0 {
            return Ok(());
        }
        for zone in self.zones() {
            let pattern = untouched(zone.len());
            checked("filling a guard zone", self.memory.index(zone).copy_from(&pattern))?;
        }
        Ok(())
    }

    /// The changes in the zones; `None` if there are none.
    pub(crate) fn damage(&self) -> Result<Option<Damage>, Fault> {
        if self.bytes == 0 {
            return Ok(None);
        }
        let read = |zone: std::ops::Range<usize>| {
            let mut bytes = vec![0; zone.len()];
            checked("reading a guard zone", self.memory.index(zone).copy_to(&mut bytes)).map(|()| bytes)
        };
        let [before, behind] = self.zones();
        Ok(damage(&read(before)?, &read(behind)?))
    }

    /// Copies host bytes to `offset`; the caller has checked the range.
    pub(crate) fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), Fault> {
        if bytes.is_empty() {
            return Ok(());
        }
        checked(
            "copying to the device",
            self.memory.index(ZONE + offset..ZONE + offset + bytes.len()).copy_from(bytes),
        )
    }

    /// Copies bytes at `offset` to the host; the caller has checked the range.
    pub(crate) fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), Fault> {
        if bytes.is_empty() {
            return Ok(());
        }
        checked(
            "copying to the host",
            self.memory.index(ZONE + offset..ZONE + offset + bytes.len()).copy_to(bytes),
        )
    }

    /// Fills the buffer with [`POISON`], cut off at the end if the length is not a multiple of 4.
    pub(crate) fn poison(&mut self) -> Result<(), Fault> {
        let (words, rest) = (self.bytes / 4, self.bytes % 4);
        if words > 0 {
            // SAFETY: the buffer has `words` words, and the driver aligns allocations.
            check("filling memory", unsafe { cuMemsetD32_v2(self.address(), POISON, words) })?;
        }
        for (i, byte) in POISON.to_le_bytes().into_iter().enumerate().take(rest) {
            let at = self.address() + (4 * words + i) as u64;
            // SAFETY: the byte lies inside the buffer.
            check("filling memory", unsafe { cuMemsetD8_v2(at, byte, 1) })?;
        }
        Ok(())
    }
}

/// A range of device memory that it does not own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) address: CUdeviceptr,
    pub(crate) bytes: u64,
}

impl Region {
    /// Copies host bytes to the start of the region, at most as many as the region has.
    pub(crate) fn write(self, bytes: &[u8]) -> Result<(), Fault> {
        let len = bytes.len().min(self.bytes as usize);
        // SAFETY: `len` bytes lie inside the region, a variable of a loaded module, and the copy is complete when the
        // call returns.
        check("copying to the device", unsafe { cuMemcpyHtoD_v2(self.address, bytes.as_ptr().cast(), len) })
    }

    /// Copies the start of the region to the host, at most as many bytes as the region has.
    pub(crate) fn read(self, bytes: &mut [u8]) -> Result<(), Fault> {
        let len = bytes.len().min(self.bytes as usize);
        // SAFETY: as in `write`.
        check("copying to the host", unsafe { cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), self.address, len) })
    }
}

/// Enqueues a copy within device memory in `stream`.
///
/// # Safety
/// Both addresses point to at least `bytes` bytes of live device memory, and the ranges do not overlap.
pub(crate) unsafe fn copy(
    to: CUdeviceptr,
    from: CUdeviceptr,
    bytes: u64,
    stream: &Stream,
) -> Result<(), Fault> {
    if bytes == 0 {
        return Ok(());
    }
    // SAFETY: the caller guarantees it (see above).
    check("copying on the device", unsafe {
        cuMemcpyDtoDAsync_v2(to, from, bytes as usize, stream.as_inner())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_told_from_the_side_and_the_distance() {
        let zone = untouched(ZONE);
        assert_eq!(damage(&zone, &zone), None);
        let mut behind = zone.clone();
        behind[4..8].fill(0);
        let found = damage(&zone, &behind).unwrap();
        assert_eq!(found, Damage { bytes: 4, before: false, distance: 5 });
        let mut before = zone;
        before[ZONE - 4..].fill(0);
        assert_eq!(damage(&before, &behind).unwrap(), Damage { bytes: 8, before: true, distance: 1 });
    }
}
