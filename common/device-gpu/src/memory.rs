//! Device memory: buffers between guard zones, and copies among them.
//!
//! A GPU checks no array's bounds. What a kernel writes just outside one shows in the zones; what it reads there does not, and neither
//! does what it writes further away.

use crate::fault::{Fault, check, checked};
use ::device::POISON;
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::stream::Stream;
use cust::sys::{
    CUdeviceptr, cuMemcpyDtoDAsync_v2, cuMemcpyDtoH_v2, cuMemcpyHtoD_v2, cuMemsetD8_v2, cuMemsetD32_v2,
};

/// Bytes of the zone before and of the one behind each piece of memory. Textures ask for this alignment.
const ZONE: usize = 512;

/// What zones hold, repeated.
const UNTOUCHED: u32 = 0xa55a_c33c;

/// The bytes of an untouched zone.
fn untouched(len: usize) -> Vec<u8> {
    UNTOUCHED.to_le_bytes().into_iter().cycle().take(len).collect()
}

/// A piece of device memory between two guard zones, freed when it goes.
pub(crate) struct Held {
    /// With the zones; nothing for no bytes.
    memory: DeviceBuffer<u8>,
    bytes: usize,
}

/// Bytes that were written into a guard zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    /// How many bytes of the zones differ.
    pub(crate) bytes: usize,
    /// Whether the first of them lies before the memory, and how far from it.
    pub(crate) before: bool,
    pub(crate) distance: usize,
}

/// The damage that two zones show.
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
    /// Uninitialised memory.
    pub(crate) fn new(bytes: u64) -> Result<Held, Fault> {
        let too_large = Fault { code: 2, what: "allocating device memory" };
        let bytes = usize::try_from(bytes).map_err(|_| too_large)?;
        let all = if bytes == 0 { 0 } else { (bytes.next_multiple_of(4)).saturating_add(2 * ZONE) };
        // SAFETY: bytes need no initialisation: whoever reads them first has written, poisoned or copied them.
        let memory = checked("allocating device memory", unsafe { DeviceBuffer::uninitialized(all) })?;
        let mut held = Held { memory, bytes };
        held.guard()?;
        Ok(held)
    }

    /// The address on the device; 0 for no bytes.
    pub(crate) fn address(&self) -> CUdeviceptr {
        self.memory.as_device_ptr().as_raw() + if self.bytes == 0 { 0 } else { ZONE as u64 }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes as u64
    }

    /// The zones' bytes: the one behind begins at the memory's last byte.
    fn zones(&self) -> [std::ops::Range<usize>; 2] {
        [0..ZONE, ZONE + self.bytes..self.memory.len()]
    }

    /// Fills the zones.
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

    /// What was written into the zones, if anything was.
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

    /// Copies host bytes to an offset; the range must lie inside.
    pub(crate) fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), Fault> {
        if bytes.is_empty() {
            return Ok(());
        }
        checked(
            "copying to the device",
            self.memory.index(ZONE + offset..ZONE + offset + bytes.len()).copy_from(bytes),
        )
    }

    /// Copies bytes from an offset to the host; the range must lie inside.
    pub(crate) fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<(), Fault> {
        if bytes.is_empty() {
            return Ok(());
        }
        checked(
            "copying to the host",
            self.memory.index(ZONE + offset..ZONE + offset + bytes.len()).copy_to(bytes),
        )
    }

    /// Repeats [`POISON`], the end of the memory cut off.
    pub(crate) fn poison(&mut self) -> Result<(), Fault> {
        let (words, rest) = (self.bytes / 4, self.bytes % 4);
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

/// A range of device memory with another owner.
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
