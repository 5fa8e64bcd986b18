//! What instructions on textures and surfaces name.

use crate::Operand;

/// How a texture is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Each variant's page says what its fields are.
pub enum TextureFetch {
    /// `tex1Dfetch`: element `x` (`I32`) of a linear texture; outside it reads 0.
    Element { x: Operand },
    /// Samples an array: as many `F32` coordinates of `at` as the shape has, and `layer` (`I32`) where it has an integer.
    Sample { shape: TextureShape, at: [Operand; 3], layer: Operand },
}

/// What a sample reads (CUDA C++ Programming Guide, texture functions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureShape {
    /// `tex1D(x)`.
    D1,
    /// `tex2D(x, y)`, of an array or of pitched memory.
    D2,
    /// `tex3D(x, y, z)`.
    D3,
    /// `tex1DLayered(x, layer)`.
    Layered1,
    /// `tex2DLayered(x, y, layer)`.
    Layered2,
    /// `texCubemap(x, y, z)`: a direction.
    Cube,
    /// `texCubemapLayered(x, y, z, layer)`.
    CubeLayered,
    /// `tex2Dgather(x, y)`: one component of the four texels that a linear filter would read; `layer` is the component.
    Gather,
}

impl TextureShape {
    /// How many coordinates it has.
    pub const fn coordinates(self) -> usize {
        match self {
            TextureShape::D1 | TextureShape::Layered1 => 1,
            TextureShape::D2 | TextureShape::Layered2 | TextureShape::Gather => 2,
            TextureShape::D3 | TextureShape::Cube | TextureShape::CubeLayered => 3,
        }
    }

    /// How many integers say where a surface's element is: bytes, row, and slice, layer or face.
    pub const fn integers(self) -> usize {
        match self {
            TextureShape::D1 => 1,
            TextureShape::D2 | TextureShape::Layered1 | TextureShape::Gather => 2,
            _ => 3,
        }
    }

    /// Whether it has an integer: the layer, or the component of a gather.
    pub const fn has_integer(self) -> bool {
        use TextureShape::*;
        matches!(self, Layered1 | Layered2 | CubeLayered | Gather)
    }
}

/// Where an element of a surface is: the byte `at[0]` of row `at[1]` of slice, layer or face `at[2]` (`I32`), as many of them as
/// the shape has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SurfacePlace {
    /// The surface's shape.
    pub shape: TextureShape,
    /// Byte, row, and slice, layer or face.
    pub at: [Operand; 3],
}

/// What an access outside a surface does (`cudaSurfaceBoundaryMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoundaryMode {
    /// Stops the launch.
    Trap,
    /// Takes the nearest element.
    Clamp,
    /// Reads zero; a write is left out.
    Zero,
}
