//! The four kernels: what is computed, on which inputs, and what is right.
//!
//! Inputs are small whole numbers, so every product and every sum is exact in single precision, in any order and fused or not.
//! Results are compared for equality: there is no tolerance that could hide a wrong index. Sizes are multiples of 32 (no kernel here
//! tests for the edge of a matrix); what is wrong at ragged sizes is what the labs' own tests look for.

use crate::task::{Argument, Scalar, Task, Text};
use anyhow::Context;
use clap::ValueEnum;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// One of the four kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub(crate) enum Kernel {
    /// Product of two n x n matrices through 16 x 16 tiles
    MatmulTiled,
    /// The same from global memory
    MatmulNaive,
    /// 5 x 5 convolution of an n x n image through tiles
    Convolution,
    /// Transposition of an n x n matrix through padded tiles
    Transpose,
}

/// Weights of a filter's row and rows of it.
const WINDOW: usize = 5;

impl Kernel {
    /// The name of the function in every language.
    pub(crate) fn function(self) -> &'static str {
        match self {
            Kernel::MatmulTiled => "matmul_tiled",
            Kernel::MatmulNaive => "matmul_naive",
            Kernel::Convolution => "convolution",
            Kernel::Transpose => "transpose",
        }
    }

    /// What tables call it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Kernel::MatmulTiled => "tiled matmul",
            Kernel::MatmulNaive => "naive matmul",
            Kernel::Convolution => "5x5 convolution",
            Kernel::Transpose => "transpose",
        }
    }

    /// What [`Kernel::work`] counts.
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Kernel::MatmulTiled | Kernel::MatmulNaive => "multiply-adds",
            Kernel::Convolution => "outputs",
            Kernel::Transpose => "elements",
        }
    }

    /// Units of work of a problem of size n.
    pub(crate) fn work(self, n: usize) -> f64 {
        (n as f64).powi(self.power())
    }

    /// The work grows with this power of n.
    pub(crate) fn power(self) -> i32 {
        match self {
            Kernel::MatmulTiled | Kernel::MatmulNaive => 3,
            Kernel::Convolution | Kernel::Transpose => 2,
        }
    }

    /// Threads of a block, by axis.
    pub(crate) fn block(self) -> [u32; 2] {
        if self == Kernel::Transpose { [32, 8] } else { [16, 16] }
    }

    /// Blocks of the grid along either axis.
    pub(crate) fn blocks(self, n: usize) -> u32 {
        let outputs = if self == Kernel::Transpose { 32 } else { 16 };
        n as u32 / outputs
    }

    /// Elements of the inputs `a` and `b`; `b` may have none.
    fn lengths(self, n: usize) -> [usize; 2] {
        match self {
            Kernel::MatmulTiled | Kernel::MatmulNaive => [n * n, n * n],
            Kernel::Convolution => [n * n, WINDOW * WINDOW],
            Kernel::Transpose => [n * n, 0],
        }
    }
}

/// A kernel with its inputs.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// Which.
    pub(crate) kernel: Kernel,
    /// Rows, and columns, of a matrix or an image; a multiple of 32.
    pub(crate) n: usize,
    /// The matrix or image, row by row.
    pub(crate) a: Vec<f32>,
    /// The second matrix or the filter, row by row; empty for a transposition.
    pub(crate) b: Vec<f32>,
}

impl Problem {
    /// Random inputs, the same on every machine.
    pub(crate) fn new(kernel: Kernel, n: usize) -> Problem {
        let mut random = ChaCha8Rng::seed_from_u64(n as u64);
        let mut fill = |length| (0..length).map(|_| random.random_range(-8i8..=8).into()).collect();
        let [a, b] = kernel.lengths(n);
        Problem { kernel, n, a: fill(a), b: fill(b) }
    }

    /// Writes the inputs as `a.f32` and `b.f32`: floats of this machine's byte order, and no more.
    pub(crate) fn save(&self, folder: &Path) -> anyhow::Result<()> {
        for (file, data) in files(folder).iter().zip([&self.a, &self.b]) {
            std::fs::write(file, bytes(data))?;
        }
        Ok(())
    }

    /// Reads what [`Problem::save`] wrote.
    pub(crate) fn load(kernel: Kernel, n: usize, folder: &Path) -> anyhow::Result<Problem> {
        let [a, b] = files(folder);
        Ok(Problem { kernel, n, a: read_floats(&a)?, b: read_floats(&b)? })
    }

    /// What a contestant runs: the kernel on the inputs, the output and n.
    pub(crate) fn task(&self) -> Task {
        let text = |name: &str, text: &str| Text { name: name.into(), text: text.into() };
        let mut arguments = vec![Argument::Input(bytes(&self.a))];
        match self.kernel {
            Kernel::MatmulTiled | Kernel::MatmulNaive => arguments.push(Argument::Input(bytes(&self.b))),
            Kernel::Convolution => arguments.push(Argument::Constant("FILTER".into(), bytes(&self.b))),
            Kernel::Transpose => {}
        }
        arguments.push(Argument::Output(self.n * self.n * size_of::<f32>()));
        arguments.push(Argument::Scalar(Scalar::I32(self.n as i32)));
        Task {
            cuda: text("kernels.cu", include_str!("../kernels/kernels.cu")),
            opencl: text("kernels.cl", include_str!("../kernels/kernels.cl")),
            function: self.kernel.function().into(),
            template: None,
            grid: vec![self.kernel.blocks(self.n); 2],
            block: self.kernel.block().to_vec(),
            arguments,
        }
    }

    /// What a contestant should write.
    pub(crate) fn reference(&self) -> Vec<f32> {
        let n = self.n;
        let mut out = vec![0.0; n * n];
        for (y, row) in out.chunks_exact_mut(n).enumerate() {
            match self.kernel {
                Kernel::MatmulTiled | Kernel::MatmulNaive => {
                    let rows = self.b.chunks_exact(n);
                    for (value, from) in self.a[y * n..][..n].iter().zip(rows) {
                        row.iter_mut().zip(from).for_each(|(sum, b)| *sum += value * b);
                    }
                }
                Kernel::Convolution => {
                    row.iter_mut().enumerate().for_each(|(x, sum)| *sum = self.window(y, x))
                }
                Kernel::Transpose => row.iter_mut().enumerate().for_each(|(x, v)| *v = self.a[x * n + y]),
            }
        }
        out
    }

    /// The weighted sum of the inputs around (y, x); 0 is outside the image.
    fn window(&self, y: usize, x: usize) -> f32 {
        let inside = |at: usize, offset: usize| (at + offset).checked_sub(WINDOW / 2).filter(|p| *p < self.n);
        let mut sum = 0.0;
        for (index, weight) in self.b.iter().enumerate() {
            if let (Some(row), Some(column)) = (inside(y, index / WINDOW), inside(x, index % WINDOW)) {
                sum += weight * self.a[row * self.n + column];
            }
        }
        sum
    }
}

fn files(folder: &Path) -> [PathBuf; 2] {
    ["a.f32", "b.f32"].map(|name| folder.join(name))
}

/// A file of floats of this machine's byte order.
pub(crate) fn read_floats(path: &Path) -> anyhow::Result<Vec<f32>> {
    floats(&std::fs::read(path)?).with_context(|| path.display().to_string())
}

/// Floats from their bytes in this machine's order.
pub(crate) fn floats(bytes: &[u8]) -> anyhow::Result<Vec<f32>> {
    let (floats, rest) = bytes.as_chunks();
    anyhow::ensure!(rest.is_empty(), "{} bytes do not end with a whole float", bytes.len());
    Ok(floats.iter().map(|f| f32::from_ne_bytes(*f)).collect())
}

/// Bytes of floats in this machine's order.
pub(crate) fn bytes(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|v| v.to_ne_bytes()).collect()
}

/// Where `found` first differs from `expected`, in words; a NaN always differs.
pub(crate) fn difference(expected: &[f32], found: &[f32]) -> Option<String> {
    if expected.len() != found.len() {
        return Some(format!("{} elements were written, expected {}", found.len(), expected.len()));
    }
    let at = expected.iter().zip(found).position(|(e, f)| e != f)?;
    Some(format!("element {at} is {}, expected {}", found[at], expected[at]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Kernel::*;

    #[test]
    fn references_of_known_problems() {
        // A window with its only weight left of the centre moves the image to the right.
        let mut moved = Problem::new(Convolution, 32);
        moved.b = vec![0.0; 25];
        moved.b[11] = 1.0;
        let out = moved.reference();
        assert_eq!(out[0], 0.0);
        assert_eq!(out[1..32], moved.a[..31]);

        let transposed = Problem::new(Transpose, 32);
        assert_eq!(transposed.reference()[5 * 32 + 7], transposed.a[7 * 32 + 5]);

        let product = Problem::new(MatmulTiled, 32);
        let sum: f32 = (0..32).map(|p| product.a[3 * 32 + p] * product.b[p * 32 + 9]).sum();
        assert_eq!(product.reference()[3 * 32 + 9], sum);
    }

    #[test]
    fn inputs_survive_the_way_to_a_contestant() {
        let folder = tempfile::tempdir().unwrap();
        let problem = Problem::new(Convolution, 64);
        problem.save(folder.path()).unwrap();
        let read = Problem::load(Convolution, 64, folder.path()).unwrap();
        assert_eq!((read.a, read.b), (problem.a, problem.b));
    }

    #[test]
    fn what_nobody_wrote_is_a_difference() {
        assert_eq!(difference(&[1.0], &[1.0]), None);
        assert!(difference(&[1.0], &[f32::NAN]).unwrap().starts_with("element 0 is NaN"));
        assert!(difference(&[1.0], &[]).unwrap().starts_with("0 elements"));
    }
}
