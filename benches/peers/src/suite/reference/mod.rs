//! What the kernels of the project's own suite compute, written plainly for the host: one function per row of the manifest that
//! names it. Floats are computed in double precision and rounded at the end, unless the kernel's own steps matter.

mod matrices;
mod memory;
mod numbers;
mod stencils;
mod words;

use super::argument::Argument;
use super::expression::Sizes;
use super::manifest::Row;
use super::values::Values;
use anyhow::Context;

/// The arrays that a kernel writes, in order of its arguments.
pub(crate) type Reference = fn(&Inputs) -> Vec<Values>;

/// What a kernel gets.
pub(crate) struct Inputs {
    sizes: Sizes,
    /// By argument, from 0; `None` for numbers and what is only written.
    arrays: Vec<Option<Values>>,
}

impl Inputs {
    /// Those of a row.
    pub(crate) fn new(row: &Row, tiny: bool) -> anyhow::Result<Inputs> {
        let arrays = row.arguments(tiny)?.iter().map(Argument::values).collect::<anyhow::Result<_>>()?;
        Ok(Inputs { sizes: row.sizes(tiny), arrays })
    }

    /// A size of the row.
    ///
    /// # Panics
    /// If it has none of that name, or a negative one; the row and the reference do not fit each other then.
    fn size(&self, name: &str) -> usize {
        let size = self.sizes.get(name).and_then(|size| usize::try_from(*size).ok());
        size.unwrap_or_else(|| panic!("the row has no size `{name}`"))
    }
}

macro_rules! arrays {
    ($($name:ident $variant:ident $type:ty;)*) => {
        impl Inputs {
            $(
                /// The array that is this argument.
                ///
                /// # Panics
                /// If it is none of this type; the row and the reference do not fit each other then.
                fn $name(&self, argument: usize) -> &[$type] {
                    match self.arrays.get(argument) {
                        Some(Some(Values::$variant(values))) => values,
                        _ => panic!("argument {argument} of the row is not an array of {}", stringify!($type)),
                    }
                }
            )*
        }
    };
}

arrays! {
    f32 F32 f32;
    f64 F64 f64;
    u8 U8 u8;
    i32 I32 i32;
    u32 U32 u32;
}

/// References by name.
const REFERENCES: &[(&str, Reference)] = &[
    ("vector_add", memory::vector_add),
    ("saxpy", memory::saxpy),
    ("copy", memory::copy),
    ("strided_copy", memory::strided_copy),
    ("gather", memory::gather),
    ("scatter", memory::scatter),
    ("histogram", memory::histogram),
    ("block_sums", memory::block_sums),
    ("dot_product", memory::dot_product),
    ("inclusive_scan", memory::inclusive_scan),
    ("transpose", memory::transpose),
    ("transpose_double", memory::transpose_double),
    ("warp_sums", memory::warp_sums),
    ("exclusive_scan", memory::exclusive_scan),
    ("lut", memory::lut),
    ("grey", memory::grey),
    ("particles", memory::particles),
    ("stencil_1d", stencils::stencil_1d),
    ("jacobi_2d", stencils::jacobi_2d),
    ("stencil_3d", stencils::stencil_3d),
    ("convolution_2d", stencils::convolution_2d),
    ("convolution_rows", stencils::convolution_rows),
    ("convolution_columns", stencils::convolution_columns),
    ("life", stencils::life),
    ("sobel", stencils::sobel),
    ("matmul", matrices::matmul),
    ("matmul_double", matrices::matmul_double),
    ("matmul_int", matrices::matmul_int),
    ("matvec", matrices::matvec),
    ("spmv", matrices::spmv),
    ("bfs_step", matrices::bfs_step),
    ("floyd_warshall", matrices::floyd_warshall),
    ("lu_step", matrices::lu_step),
    ("nbody", numbers::nbody),
    ("mandelbrot", numbers::mandelbrot),
    ("monte_carlo", numbers::monte_carlo),
    ("lcg", numbers::lcg),
    ("black_scholes", numbers::black_scholes),
    ("kmeans_assign", numbers::kmeans_assign),
    ("softmax", numbers::softmax),
    ("layer_norm", numbers::layer_norm),
    ("primes", numbers::primes),
    ("collatz", numbers::collatz),
    ("fft_step", numbers::fft_step),
    ("sort_512", words::sort_512),
    ("sort_256", words::sort_256),
    ("binary_search", words::binary_search),
    ("string_match", words::string_match),
    ("edit_distance", words::edit_distance),
    ("crc32", words::crc32),
    ("sha256", words::sha256),
];

/// The reference of that name.
pub(crate) fn reference(name: &str) -> anyhow::Result<Reference> {
    let found = REFERENCES.iter().find(|(known, _)| *known == name);
    found.map(|(_, reference)| *reference).with_context(|| format!("there is no reference `{name}`"))
}
