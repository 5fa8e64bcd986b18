//! Comparison of a device's result with the host reference.
//!
//! # The tolerance
//!
//! An element is correct when `|x - ref| ≤ C·√K·u·scale`, with
//! - `u` = 2⁻²⁴, the unit roundoff of `float`;
//! - `K` the number of terms accumulated into the element, in any order, with or without fused multiply-adds;
//! - `scale` the sum of the magnitudes of those terms, Σ|terms|, of the element or one for all;
//! - `C` = 8.
//!
//! The worst case of a sum of K products grows as K·u·Σ|terms|; with roundings that are independent and of mean zero it
//! stays below λ·√K·u·Σ|terms| with probability at least 1 - 2·exp(-λ²/2) (Higham and Mary, "A new approach to probabilistic
//! rounding error analysis", SIAM J. Sci. Comput. 41(5), 2019, theorem 2.4). λ = 6 leaves a chance of 3·10⁻⁸ for
//! each element; C = 8 adds what the host's double reference and the product's own rounding bring. A lost or doubled term is of the size of Σ|terms|/K,
//! above the tolerance for every K below about 10⁴. The bound is never widened for a kernel.
//!
//! K = 0 requires equality (a copy rounds nothing). A NaN never passes, because `approx::abs_diff_eq!` is false for
//! it.

use crate::guess::{self, Clue, Kind};
use approx::AbsDiffEq;
use std::fmt;

/// `C` of the tolerance.
pub const C: f64 = 8.0;

/// `u` of the tolerance: the unit roundoff of `float`, 2⁻²⁴.
pub const UNIT_ROUNDOFF: f64 = 1.0 / 16_777_216.0;

/// Maximum number of wrong elements named in a message.
const NAMED: usize = 5;

/// A result and its reference, both row-major; a 1D array is one row.
pub struct Comparison<'a> {
    array: &'a str,
    kernel: Option<&'a str>,
    pub(crate) got: &'a [f32],
    pub(crate) reference: &'a [f64],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) tile: Option<(usize, usize)>,
    pub(crate) halo: usize,
    pub(crate) candidates: Vec<Candidate<'a>>,
    /// `C·√K·u` of the tolerance.
    factor: f64,
    scale: Scale<'a>,
}

/// Name of a typical mistake, and the function that computes its result.
type Candidate<'a> = (&'a str, Box<dyn Fn() -> Vec<f64> + 'a>);

/// Σ|terms|.
enum Scale<'a> {
    One(f64),
    Each(&'a [f64]),
}

impl<'a> Comparison<'a> {
    /// Compares a 1D array, named `array` in messages. Requires equality unless [`Comparison::terms`] sets a
    /// tolerance.
    pub fn new(array: &'a str, got: &'a [f32], reference: &'a [f64]) -> Comparison<'a> {
        Comparison {
            array,
            kernel: None,
            got,
            reference,
            rows: 1,
            columns: reference.len(),
            tile: None,
            halo: 0,
            candidates: Vec::new(),
            factor: 0.0,
            scale: Scale::One(0.0),
        }
    }

    /// Names the kernel that wrote the array, if the file has several.
    pub fn kernel(mut self, name: &'a str) -> Comparison<'a> {
        self.kernel = Some(name);
        self
    }

    /// Declares the array two-dimensional (row-major): messages name elements as (row, column).
    pub fn shape(mut self, rows: usize, columns: usize) -> Comparison<'a> {
        (self.rows, self.columns) = (rows, columns);
        self
    }

    /// Sets the tolerance: each element is a sum of `terms` numbers whose magnitudes sum to `scale`.
    pub fn terms(mut self, terms: usize, scale: f64) -> Comparison<'a> {
        (self.factor, self.scale) = (factor(terms), Scale::One(scale));
        self
    }

    /// Sets the tolerance with a separate scale for each element.
    pub fn terms_each(mut self, terms: usize, scale: &'a [f64]) -> Comparison<'a> {
        (self.factor, self.scale) = (factor(terms), Scale::Each(scale));
        self
    }

    /// Sets the rows and columns of outputs per block, for guesses.
    pub fn tile(mut self, rows: usize, columns: usize) -> Comparison<'a> {
        self.tile = Some((rows, columns));
        self
    }

    /// Sets how far the window reaches beyond an element, for guesses.
    pub fn halo(mut self, radius: usize) -> Comparison<'a> {
        self.halo = radius;
        self
    }

    /// Adds a typical wrong result, which is computed only if the result is wrong. `what` completes "it is what …
    /// gives", such as `a flipped filter`.
    pub fn candidate(mut self, what: &'a str, compute: impl Fn() -> Vec<f64> + 'a) -> Comparison<'a> {
        self.candidates.push((what, Box::new(compute)));
        self
    }

    /// Adds typical wrong results of a weighted sum; `sums` computes the result for other weights.
    pub fn weighted(
        self,
        weights: &'a [f32],
        sums: impl Fn(&[f32]) -> Vec<f64> + Copy + 'a,
    ) -> Comparison<'a> {
        let terms = weights.len();
        let average = move || sums(&weights.iter().map(|weight| weight / terms as f32).collect::<Vec<_>>());
        let last = move || {
            let mut last = vec![0.0; terms];
            last.iter_mut().zip(weights).next_back().into_iter().for_each(|(to, weight)| *to = *weight);
            sums(&last)
        };
        self.candidate("sums without their weights", move || sums(&vec![1.0; terms]))
            .candidate("sums divided by the number of their terms", average)
            .candidate("the last term of each sum alone (`=` in place of `+=`)", last)
    }

    /// The absolute tolerance of an element.
    pub fn tolerance(&self, index: usize) -> f64 {
        let scale = match self.scale {
            Scale::One(scale) => scale,
            Scale::Each(scales) => scales.get(index).copied().unwrap_or(0.0),
        };
        self.factor * scale
    }

    /// Compares all elements.
    ///
    /// # Errors
    /// Says which elements are wrong, how many, and guesses the cause.
    pub fn check(&self) -> Result<(), Mismatch> {
        let wrong: Vec<usize> = (0..self.reference.len()).filter(|i| !self.is_right(*i)).collect();
        if wrong.is_empty() && self.got.len() == self.reference.len() {
            return Ok(());
        }
        let first = wrong.iter().take(NAMED).map(|i| self.element(*i)).collect();
        let unwritten = wrong.iter().filter(|i| self.is_unwritten(**i)).count();
        let nans = wrong.iter().filter(|i| self.got.get(**i).is_some_and(|v| v.is_nan())).count() - unwritten;
        Err(Mismatch {
            array: self.array.to_owned(),
            kernel: self.kernel.map(Box::from),
            total: self.reference.len(),
            wrong: wrong.len(),
            unwritten,
            nans,
            first,
            clues: guess::clues(self, &wrong).into(),
        })
    }

    pub(crate) fn is_right(&self, index: usize) -> bool {
        let tolerance = self.tolerance(index);
        let got = self.got.get(index).map(|v| f64::from(*v));
        got.is_some_and(|got| got.abs_diff_eq(&self.reference[index], tolerance))
    }

    /// Whether the element still holds the poison value (or is missing from the result).
    pub(crate) fn is_unwritten(&self, index: usize) -> bool {
        self.got.get(index).is_none_or(|v| v.to_bits() == device::POISON)
    }

    fn element(&self, index: usize) -> WrongElement {
        let columns = self.columns.max(1);
        WrongElement {
            index,
            place: (self.rows > 1).then_some((index / columns, index % columns)),
            got: self.got.get(index).copied().filter(|_| !self.is_unwritten(index)),
            expected: self.reference[index],
        }
    }
}

fn factor(terms: usize) -> f64 {
    C * (terms as f64).sqrt() * UNIT_ROUNDOFF
}

/// A wrong element.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongElement {
    /// 0-based index in the flat array.
    pub index: usize,
    /// Row and column, for a 2D array.
    pub place: Option<(usize, usize)>,
    /// The value; `None` if it was never written.
    pub got: Option<f32>,
    /// The value of the reference.
    pub expected: f64,
}

/// A wrong result.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// The array's name.
    pub array: String,
    /// The kernel that wrote it, if the file has several.
    pub kernel: Option<Box<str>>,
    /// Number of elements.
    pub total: usize,
    /// Number of wrong elements, including unwritten ones and NaNs.
    pub wrong: usize,
    /// Number of elements that were never written.
    pub unwritten: usize,
    /// Number of elements written as NaN.
    pub nans: usize,
    /// The first wrong ones.
    pub first: Vec<WrongElement>,
    /// The guesses that fit the wrong elements of this size; [`Mismatch::guess`] chooses one that fits all sizes.
    pub(crate) clues: Box<[Clue]>,
}

impl Mismatch {
    /// Finds one guess that explains every wrong element of all the mismatches, and returns its text for each mismatch, in order. `None` if
    /// there is none, or if the mismatches are not all of one array and kernel.
    pub fn guess(of_all: &[&Mismatch]) -> Option<Vec<String>> {
        let first = of_all.first()?;
        let same = |m: &&Mismatch| (&m.array, &m.kernel) == (&first.array, &first.kernel);
        let kind: Kind = guess::common(of_all).filter(|_| of_all.iter().all(same))?;
        let text =
            |m: &&Mismatch| m.clues.iter().find(|clue| clue.kind == kind).map(|clue| clue.text.clone());
        of_all.iter().map(text).collect()
    }

    /// The fraction of correct elements.
    pub fn share_right(&self) -> f64 {
        self.total.saturating_sub(self.wrong) as f64 / self.total.max(1) as f64
    }
}

impl std::error::Error for Mismatch {}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(kernel) = &self.kernel {
            write!(f, "`{kernel}`: ")?;
        }
        write!(f, "`{}` is wrong in {} of {} elements", self.array, self.wrong, self.total)?;
        if self.unwritten > 0 {
            write!(f, ", {} never written", self.unwritten)?;
        }
        if self.nans > 0 {
            write!(f, ", {} NaN", self.nans)?;
        }
        for element in &self.first {
            write!(f, "\n  {element}")?;
        }
        if self.wrong > self.first.len() {
            write!(f, "\n  …")?;
        }
        Ok(())
    }
}

impl fmt::Display for WrongElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some((row, column)) => write!(f, "(row {row}, column {column}): ")?,
            None => write!(f, "[{}]: ", self.index)?,
        }
        match self.got {
            Some(got) => write!(f, "got {got}, expected {}", self.expected as f32),
            None => write!(f, "never written, expected {}", self.expected as f32),
        }
    }
}
