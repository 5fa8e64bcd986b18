//! Products of matrices, dense and sparse, and steps of solvers.

use super::Inputs;
use crate::suite::values::Values;

pub(super) fn matmul(inputs: &Inputs) -> Vec<Values> {
    let n = inputs.size("n");
    let mut c = vec![0.0; n * n];
    for (row, a) in c.chunks_mut(n).zip(inputs.f32(0).chunks(n)) {
        for (a, b) in a.iter().zip(inputs.f32(1).chunks(n)) {
            row.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
        }
    }
    vec![c.into()]
}
