//! Stencils and convolutions.

use super::Inputs;
use crate::suite::values::Values;

pub(super) fn stencil_1d(inputs: &Inputs) -> Vec<Values> {
    vec![inputs.f32(0).windows(9).map(|window| window.iter().sum()).collect::<Vec<f32>>().into()]
}

pub(super) fn jacobi_2d(inputs: &Inputs) -> Vec<Values> {
    let (width, height) = (inputs.size("width"), inputs.size("height"));
    let from = inputs.f32(0);
    let mut out = from.to_vec();
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let i = y * width + x;
            out[i] = 0.25 * (from[i - 1] + from[i + 1] + from[i - width] + from[i + width]);
        }
    }
    vec![out.into()]
}
