//! Surface objects: memory that kernels read and write by bytes of a row, row and slice.
//!
//! A surface lies over a buffer, row by row, so that the checks of races and of uninitialised memory see each
//! element as they see a buffer's.

use crate::machine::memory::buffer::BufferId;
use crate::machine::memory::error::MemoryError;
use crate::machine::memory::texture::{in_names, index};
use simt_ir::{BoundaryMode, TextureShape};

/// A surface object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceDesc {
    /// Where its elements are, x fastest, from the start.
    pub buffer: BufferId,
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    pub element_bytes: u32,
    /// Elements along x, rows, and slices, layers or faces; 1 where the shape has none.
    pub extent: [u32; 3],
    /// What it is.
    pub shape: TextureShape,
}

/// The highest byte of a surface's handle.
pub(super) const TAG: u64 = 0x7d;

/// The surface of a handle, of the shape that the access takes it for.
pub(crate) fn find(
    surfaces: &[SurfaceDesc],
    handle: u64,
    shape: TextureShape,
) -> Result<&SurfaceDesc, String> {
    let number = index(TAG, handle).ok_or("the value is not a surface handle")?;
    let desc = surfaces.get(number).ok_or("there is no such surface")?;
    if desc.shape == shape {
        Ok(desc)
    } else {
        Err(format!("the surface is accessed by surf{}read", in_names(desc.shape)))
    }
}

impl SurfaceDesc {
    pub(crate) fn check(&self, bytes: u64) -> Result<(), MemoryError> {
        let error = |message: String| Err(MemoryError::Texture(message));
        if !matches!(self.element_bytes, 1 | 2 | 4 | 8 | 16) {
            return error(format!(
                "a surface's element has 1, 2, 4, 8 or 16 bytes, not {}",
                self.element_bytes
            ));
        }
        let [x, y, z] = self.extent;
        let faces = match self.shape {
            TextureShape::Cube => x == y && z == 6,
            TextureShape::CubeLayered => x == y && z % 6 == 0,
            _ => true,
        };
        if !faces {
            return error("a cube has six square faces".into());
        }
        let all =
            [x, y, z].iter().try_fold(u64::from(self.element_bytes), |n, e| n.checked_mul(u64::from(*e)));
        match all {
            Some(all) if all > 0 && all <= bytes => Ok(()),
            _ => error(format!("{x} by {y} by {z} elements do not fit in {bytes} bytes")),
        }
    }

    /// Byte offset of an access: `None` where it is outside and reads zero, `Err` where that stops the launch.
    pub(crate) fn offset(
        &self,
        at: [i32; 3],
        bytes: u32,
        boundary: BoundaryMode,
    ) -> Result<Option<u64>, String> {
        let row = i64::from(self.extent[0]) * i64::from(self.element_bytes);
        let most = [row - i64::from(bytes), i64::from(self.extent[1]) - 1, i64::from(self.extent[2]) - 1];
        let mut place = at.map(i64::from);
        let outside = (0..3).find(|i| place[*i] < 0 || place[*i] > most[*i]);
        match (outside, boundary) {
            (None, _) => {}
            (Some(_), BoundaryMode::Zero) => return Ok(None),
            (Some(_), BoundaryMode::Clamp) if most[0] >= 0 => {
                (0..3).for_each(|i| place[i] = place[i].clamp(0, most[i]));
            }
            (Some(axis), _) => {
                let [x, y, z] = at;
                return Err(match axis {
                    0 => {
                        format!("{bytes} bytes from byte {x} on are outside a row, which has {row} bytes")
                    }
                    1 => format!("row or layer {y} is outside the surface, which has {}", self.extent[1]),
                    _ => format!(
                        "slice, layer or face {z} is outside the surface, which has {}",
                        self.extent[2]
                    ),
                });
            }
        }
        let rows = place[2] * i64::from(self.extent[1]) + place[1];
        Ok(Some((rows * row + place[0]) as u64))
    }
}
