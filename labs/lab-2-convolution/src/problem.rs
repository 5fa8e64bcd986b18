//! The convolution problem: sizes, inputs, host reference, comparison.

use harness::gates::{self, coalesced_loads, coalesced_stores, sectors, warps};
use harness::{Case, Comparison, Failure, Gate, HandoverPath, SeededSizes, Technique};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Value of cells outside the image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ghost {
    /// This number.
    Value(f32),
    /// The value of the nearest cell of the image.
    Clamp,
}

/// A convolution's result on the host, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolved {
    /// The sums.
    pub values: Vec<f64>,
    /// For each sum, the sum of the magnitudes of its terms; the tolerance is proportional to it.
    pub scales: Vec<f64>,
}

/// The host reference: `out[y][x] = Σ filter[i][j] · image[y - radius + i][x - radius + j]`. The image has rows of `width`
/// cells, the filter (2·radius + 1)² elements, row by row.
pub fn convolve(image: &[f32], width: usize, filter: &[f32], radius: usize, ghost: Ghost) -> Convolved {
    let height = image.len() / width;
    let size = 2 * radius + 1;
    let mut result = Convolved { values: vec![0.0; image.len()], scales: vec![0.0; image.len()] };
    let outputs = result.values.chunks_mut(width).zip(result.scales.chunks_mut(width));
    let first =
        (0..2 * radius).map(|at| with_ghosts(image, width, at as isize - radius as isize, radius, ghost));
    // The rows of the current window, extended by `radius` cells at both ends.
    let mut rows: VecDeque<Vec<f32>> = first.collect();
    for (y, (values, scales)) in outputs.enumerate().take(height) {
        rows.push_back(with_ghosts(image, width, (y + radius) as isize, radius, ghost));
        for (row, weights) in rows.iter().zip(filter.chunks(size)) {
            for (j, weight) in weights.iter().enumerate() {
                harness::accumulate(values, scales, *weight, &row[j..]);
            }
        }
        rows.pop_front();
    }
    result
}

/// A row inside or outside the image, extended by `radius` cells at both ends.
fn with_ghosts(image: &[f32], width: usize, row: isize, radius: usize, ghost: Ghost) -> Vec<f32> {
    let last = (image.len() / width) as isize - 1;
    let inside = &image[row.clamp(0, last) as usize * width..][..width];
    let (before, inside, after) = match ghost {
        Ghost::Clamp => (inside[0], inside.to_vec(), inside[width - 1]),
        Ghost::Value(value) if (0..=last).contains(&row) => (value, inside.to_vec(), value),
        Ghost::Value(value) => (value, vec![value; width], value),
    };
    [vec![before; radius], inside, vec![after; radius]].concat()
}

/// An image, a filter, and the values outside the image.
pub struct Problem {
    /// Rows of the image.
    pub height: usize,
    /// Columns of the image.
    pub width: usize,
    /// The filter has 2·radius + 1 rows and columns.
    pub radius: usize,
    /// The image, row-major.
    pub image: Arc<Vec<f32>>,
    /// The filter, row-major.
    pub filter: Arc<Vec<f32>>,
    /// Seed of both.
    pub seed: u64,
    /// Values outside the image.
    pub ghost: Ghost,
}

impl Problem {
    /// The problem of a case with sizes `height`, `width`, `radius`; cells outside the image are 0.
    pub fn new(case: &Case, seed: u64) -> Problem {
        let (height, width, radius) = (case.size("height"), case.size("width"), case.size("radius"));
        Problem {
            height,
            width,
            radius,
            image: harness::input(seed, "image", height * width),
            filter: harness::input(seed, "filter", (2 * radius + 1) * (2 * radius + 1)),
            seed,
            ghost: Ghost::Value(0.0),
        }
    }

    fn reference(&self) -> Arc<Convolved> {
        let Problem { height, width, radius, seed, ghost, .. } = self;
        let key = format!("convolution {seed} {height} {width} {radius} {ghost:?}");
        let make = || convolve(&self.image, *width, &self.filter, *radius, *ghost);
        harness::kept(&key, 16 * self.image.len(), make)
    }

    fn with(&self, filter: &[f32], ghost: Ghost) -> Vec<f64> {
        convolve(&self.image, self.width, filter, self.radius, ghost).values
    }

    /// A typical wrong result: a fixed radius instead of the parameter; empty if the filter is smaller.
    fn fixed(&self, radius: usize) -> Vec<f64> {
        let filter = self.filter.get(..(2 * radius + 1).pow(2));
        filter.map_or(Vec::new(), |f| convolve(&self.image, self.width, f, radius, self.ghost).values)
    }

    fn transposed_filter(&self) -> Vec<f32> {
        let size = 2 * self.radius + 1;
        (0..size * size).map(|at| self.filter[at % size * size + at / size]).collect()
    }

    fn window(&self, cell: impl Fn(isize, isize) -> f64, shift: usize) -> Vec<f64> {
        let (size, shift) = (2 * self.radius + 1, shift as isize);
        let at = |y: usize, x: usize| -> f64 {
            let term = |k: usize| {
                let (row, column) = ((y + k / size) as isize - shift, (x + k % size) as isize - shift);
                f64::from(self.filter[k]) * cell(row, column)
            };
            (0..size * size).map(term).sum()
        };
        (0..self.height * self.width).map(|i| at(i / self.width, i % self.width)).collect()
    }

    fn inside(&self, row: isize, column: isize) -> Option<(usize, usize)> {
        let (row, column) = (usize::try_from(row).ok()?, usize::try_from(column).ok()?);
        (row < self.height && column < self.width).then_some((row, column))
    }

    fn unshifted(&self) -> Vec<f64> {
        let cell = |row, column| match self.inside(row, column) {
            Some((row, column)) => f64::from(self.image[row * self.width + column]),
            None => 0.0,
        };
        self.window(cell, 0)
    }

    fn transposed_image(&self) -> Vec<f64> {
        let cell = |row, column| match self.inside(row, column) {
            Some((row, column)) => f64::from(self.image[column * self.height + row]),
            None => 0.0,
        };
        self.window(cell, self.radius)
    }

    /// A typical wrong result: rows indexed with the height as their length.
    fn pitched(&self) -> Vec<f64> {
        let at = |row: usize, column: usize| {
            self.image.get(row * self.height + column).map_or(0.0, |v| f64::from(*v))
        };
        let cell = |row: isize, column: isize| match (self.inside(row, column), self.ghost) {
            (Some((row, column)), _) => at(row, column),
            (None, Ghost::Value(value)) => f64::from(value),
            (None, Ghost::Clamp) => {
                let within = |place: isize, len: usize| place.clamp(0, len as isize - 1) as usize;
                at(within(row, self.height), within(column, self.width))
            }
        };
        self.window(cell, self.radius)
    }

    /// A typical wrong result: some filter rows and columns are left out. `left_out` gets an index and the last
    /// index.
    fn cut(&self, left_out: impl Fn(usize, usize) -> bool) -> Vec<f64> {
        self.without(|row, column, last| left_out(row, last) || left_out(column, last))
    }

    fn without(&self, left_out: impl Fn(usize, usize, usize) -> bool) -> Vec<f64> {
        let size = 2 * self.radius + 1;
        let weight = |(at, weight): (usize, &f32)| match left_out(at / size, at % size, size - 1) {
            true => 0.0,
            false => *weight,
        };
        self.with(&self.filter.iter().enumerate().map(weight).collect::<Vec<_>>(), self.ghost)
    }

    /// Compares an output with the host reference. `tile` is the rows and columns of outputs per block.
    ///
    /// # Errors
    /// Describes the first wrong element.
    pub fn check(&self, got: &[f32], tile: (usize, usize)) -> Result<(), Failure> {
        let reference = self.reference();
        let flipped: Vec<f32> = self.filter.iter().rev().copied().collect();
        let other = match self.ghost {
            Ghost::Clamp => Ghost::Value(0.0),
            Ghost::Value(_) => Ghost::Clamp,
        };
        let other_name = match self.ghost {
            Ghost::Clamp => "cells outside the image taken as 0, where the nearest cell is required",
            Ghost::Value(_) => "cells outside the image taken from its edge, where a fixed value is required",
        };
        Comparison::new("out", got, &reference.values)
            .shape(self.height, self.width)
            .terms_each(self.filter.len(), &reference.scales)
            .tile(tile.0, tile.1)
            .halo(self.radius)
            .candidate("the filter flipped in both directions", || self.with(&flipped, self.ghost))
            .candidate("the filter's rows and columns swapped", || {
                self.with(&self.transposed_filter(), self.ghost)
            })
            .candidate(
                "a window that begins at the output's own cell: y + i and x + j without - radius",
                || self.unshifted(),
            )
            .candidate("an image read with rows and columns swapped, as in in[column * height + row]", || {
                self.transposed_image()
            })
            .candidate("`height` used as the length of a row, as in in[row * height + column]", || {
                self.pitched()
            })
            .candidate("a window without its last row and column", || self.cut(|at, last| at == last))
            .candidate("a window without its first row and column", || self.cut(|at, _| at == 0))
            .candidate("a window without its last column", || self.without(|_, column, last| column == last))
            .candidate("a window without its last row", || self.without(|row, _, last| row == last))
            .candidate(other_name, || self.with(&self.filter, other))
            .candidate("cells outside the image taken as 0, where another value is required", || {
                self.with(&self.filter, Ghost::Value(0.0))
            })
            .candidate("a window of radius 1, whatever `radius` is", || self.fixed(1))
            .candidate("a window of radius 2, whatever `radius` is", || self.fixed(2))
            .candidate("a window of radius 3, whatever `radius` is", || self.fixed(3))
            .weighted(&self.filter, |filter| self.with(filter, self.ghost))
            .check()?;
        Ok(())
    }
}

/// A case of an image of `height` rows and `width` columns.
pub(crate) fn case(height: usize, width: usize, radius: usize) -> Case {
    let sizes = [("height", height), ("width", width), ("radius", radius)];
    Case::new(format!("{height}x{width}_r{radius}"), &sizes)
}

/// The cases of every convolution: one cell, smaller than the filter, one row, one column, dividing, ragged, the largest
/// radius, and the report size.
pub fn cases() -> Vec<Case> {
    let sizes =
        [(1, 1, 1), (3, 5, 2), (1, 77, 3), (65, 1, 1), (32, 64, 1), (33, 65, 1), (37, 53, 2), (40, 33, 7)];
    let mut cases: Vec<_> = sizes.map(|(height, width, radius)| case(height, width, radius)).into();
    cases.push(case(1024, 2048, 1).reported());
    cases
}

/// The cases of the exercises: also radii and widths with every remainder modulo 4.
pub(crate) fn exercise_cases() -> Vec<Case> {
    let further = [(19, 30, 4), (23, 27, 6), (9, 46, 5)];
    Case::before_report(cases(), further.map(|(height, width, radius)| case(height, width, radius)))
}

/// A case with sizes chosen by a seed. Rows are whole sectors, and the radius is small, so that small tiles can be
/// tested, too.
pub(crate) fn case_of_seed(sizes: &mut SeededSizes) -> Case {
    case(sizes.within(150..=400), 8 * sizes.within(20..=50), sizes.within(1..=3))
}

/// Height, width and radius of a case.
fn sizes(case: &Case) -> (usize, usize, usize) {
    (case.size("height"), case.size("width"), case.size("radius"))
}

/// Minimum sectors to read the window around each output: 4 or 5 per warp and window cell.
pub fn window_sectors(case: &Case) -> f64 {
    let (height, width, radius) = sizes(case);
    (height * (2 * radius + 1)) as f64 * gates::window_sectors(width, radius)
}

/// Reads by warps of an image cell or a filter element: one per warp of outputs and window cell.
pub fn window_reads(case: &Case) -> f64 {
    window_cells(case) * warps(case.size("height") * case.size("width"))
}

/// The technique: at least `share` percent of each output is computed from image cells that other threads wrote to
/// shared memory.
pub fn window_in_shared(kernels: &'static [&'static str], share: f64) -> Technique {
    Technique {
        path: HandoverPath::Shared,
        elements: "image cells that another thread put in shared memory",
        kernels,
        from: &[Some(0)],
        output: (1, "out"),
        share,
        at: with_window,
    }
}

/// A case with so large a window that a thread's own cells are a small part.
fn with_window(of: &Case) -> Case {
    let (height, width, radius) = sizes(of);
    case(height, width, radius.max(2))
}

/// Number of cells of a window.
fn window_cells(case: &Case) -> f64 {
    let side = 2 * case.size("radius") + 1;
    (side * side) as f64
}

/// Sectors of all outputs.
pub fn output_sectors(case: &Case) -> f64 {
    sectors(case.size("height") * case.size("width"))
}

/// The gates of a convolution with image and filter in global memory.
pub(crate) fn global_gates() -> Vec<Gate> {
    vec![
        coalesced_loads(1.5, "read each window and the filter, adjacent cells in adjacent threads", |m| {
            window_sectors(m.case) + window_reads(m.case)
        }),
        coalesced_stores(1.5, "store each output once", |m| output_sectors(m.case)),
    ]
}

/// Floating-point operations: 2·(2·radius + 1)² per output.
pub fn flops(case: &Case) -> f64 {
    let size = 2 * case.size("radius") + 1;
    (2 * size * size * case.size("height") * case.size("width")) as f64
}

/// Compulsory bytes: each cell read once, each output written once.
pub fn bytes(case: &Case) -> f64 {
    (8 * case.size("height") * case.size("width")) as f64
}

/// Time of the plain loop on the host, with 0 outside the image.
pub fn time_host(case: &Case, seed: u64) -> Duration {
    let Problem { height, width, radius, image, filter, .. } = Problem::new(case, seed);
    let size = 2 * radius + 1;
    let mut out = vec![0.0f32; image.len()];
    harness::time_host(|| {
        for y in 0..height {
            for x in 0..width {
                let mut sum = 0.0;
                for i in 0..size {
                    for j in 0..size {
                        let (row, column) = (y + i, x + j);
                        let rows = radius..height + radius;
                        if rows.contains(&row) && (radius..width + radius).contains(&column) {
                            sum += filter[i * size + j] * image[(row - radius) * width + column - radius];
                        }
                    }
                }
                out[y * width + x] = sum;
            }
        }
        out[image.len() / 2]
    })
}
