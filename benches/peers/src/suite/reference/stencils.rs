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

pub(super) fn stencil_3d(inputs: &Inputs) -> Vec<Values> {
    let [nx, ny, nz] = ["nx", "ny", "nz"].map(|name| inputs.size(name));
    let from = inputs.f32(0);
    let mut out = from.to_vec();
    for z in 1..nz - 1 {
        for y in 1..ny - 1 {
            for x in 1..nx - 1 {
                let i = (z * ny + y) * nx + x;
                let neighbours = [i - 1, i + 1, i - nx, i + nx, i - nx * ny, i + nx * ny];
                out[i] = neighbours.iter().map(|at| from[*at]).sum::<f32>() - 6.0 * from[i];
            }
        }
    }
    vec![out.into()]
}

/// The image's element `offset - radius` from `at`, or `None` outside.
fn inside(at: usize, offset: usize, radius: usize, length: usize) -> Option<usize> {
    (at + offset).checked_sub(radius).filter(|at| *at < length)
}

pub(super) fn convolution_2d(inputs: &Inputs) -> Vec<Values> {
    let (width, height) = (inputs.size("width"), inputs.size("height"));
    let (from, filter) = (inputs.f32(0), inputs.f32(1));
    let mut out = vec![0.0; width * height];
    for (i, sum) in out.iter_mut().enumerate() {
        for (k, weight) in filter.iter().enumerate() {
            let (row, column) = (inside(i / width, k / 5, 2, height), inside(i % width, k % 5, 2, width));
            if let (Some(row), Some(column)) = (row, column) {
                *sum += weight * from[row * width + column];
            }
        }
    }
    vec![out.into()]
}

pub(super) fn convolution_rows(inputs: &Inputs) -> Vec<Values> {
    let width = inputs.size("width");
    let weights = inputs.f32(1);
    let row = |row: &[f32]| -> Vec<f32> {
        let product = |x, k| inside(x, k, 8, width).map_or(0.0, |at| weights[16 - k] * row[at]);
        (0..width).map(|x| (0..17).map(|k| product(x, k)).sum()).collect()
    };
    vec![inputs.f32(0).chunks(width).flat_map(row).collect::<Vec<f32>>().into()]
}

pub(super) fn convolution_columns(inputs: &Inputs) -> Vec<Values> {
    let (width, height) = (inputs.size("width"), inputs.size("height"));
    let (from, weights) = (inputs.f32(0), inputs.f32(1));
    let element = |i: usize| {
        let row = |k: usize| (i / width + k).saturating_sub(8).min(height - 1);
        (0..17).map(|k| weights[k] * from[row(k) * width + i % width]).sum()
    };
    vec![(0..width * height).map(element).collect::<Vec<f32>>().into()]
}

pub(super) fn life(inputs: &Inputs) -> Vec<Values> {
    let (width, height) = (inputs.size("width"), inputs.size("height"));
    let cells = inputs.u8(0);
    let next = |i: usize| {
        let (x, y) = (i % width, i / width);
        let mut around = 0;
        for dy in [height - 1, 0, 1] {
            for dx in [width - 1, 0, 1] {
                around += cells[(y + dy) % height * width + (x + dx) % width];
            }
        }
        // The cell itself is among the 3 x 3.
        u8::from(around == 3 || (around == 4 && cells[i] == 1))
    };
    vec![(0..width * height).map(next).collect::<Vec<u8>>().into()]
}

pub(super) fn sobel(inputs: &Inputs) -> Vec<Values> {
    let (width, height) = (inputs.size("width"), inputs.size("height"));
    let image = inputs.u8(0);
    let mut out = vec![0u8; width * height];
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let at = |dx: usize, dy: usize| i32::from(image[(y + dy - 1) * width + x + dx - 1]);
            let gx = at(2, 0) + 2 * at(2, 1) + at(2, 2) - at(0, 0) - 2 * at(0, 1) - at(0, 2);
            let gy = at(0, 2) + 2 * at(1, 2) + at(2, 2) - at(0, 0) - 2 * at(1, 0) - at(2, 0);
            out[y * width + x] = (gx.abs() + gy.abs()).min(255) as u8;
        }
    }
    vec![out.into()]
}
