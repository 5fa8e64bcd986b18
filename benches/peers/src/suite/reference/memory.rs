//! Kernels that move, count and add up data.

use super::Inputs;
use crate::suite::values::Values;

pub(super) fn vector_add(inputs: &Inputs) -> Vec<Values> {
    let (a, b) = (inputs.f32(0), inputs.f32(1));
    vec![a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<f32>>().into()]
}

pub(super) fn saxpy(inputs: &Inputs) -> Vec<Values> {
    let (x, y) = (inputs.f32(2), inputs.f32(3));
    vec![x.iter().zip(y).map(|(x, y)| 2.5 * x + y).collect::<Vec<f32>>().into()]
}

pub(super) fn copy(inputs: &Inputs) -> Vec<Values> {
    vec![inputs.f32(0).to_vec().into()]
}

pub(super) fn strided_copy(inputs: &Inputs) -> Vec<Values> {
    vec![inputs.f32(0).iter().copied().step_by(inputs.size("stride")).collect::<Vec<f32>>().into()]
}

pub(super) fn gather(inputs: &Inputs) -> Vec<Values> {
    let from = inputs.f32(0);
    vec![inputs.i32(1).iter().map(|index| from[*index as usize]).collect::<Vec<f32>>().into()]
}

pub(super) fn scatter(inputs: &Inputs) -> Vec<Values> {
    let mut out = vec![0.0; inputs.size("n")];
    for (value, position) in inputs.f32(0).iter().zip(inputs.i32(1)) {
        out[*position as usize] = *value;
    }
    vec![out.into()]
}

pub(super) fn histogram(inputs: &Inputs) -> Vec<Values> {
    let mut bins = vec![0i32; 256];
    for value in inputs.u8(0) {
        bins[usize::from(*value)] += 1;
    }
    vec![bins.into()]
}

pub(super) fn block_sums(inputs: &Inputs) -> Vec<Values> {
    vec![inputs.f32(0).chunks(512).map(|chunk| chunk.iter().sum()).collect::<Vec<f32>>().into()]
}

pub(super) fn dot_product(inputs: &Inputs) -> Vec<Values> {
    let chunk = inputs.size("chunk");
    let sum = |(a, b): (&[f32], &[f32])| a.iter().zip(b).map(|(a, b)| a * b).sum();
    vec![inputs.f32(0).chunks(chunk).zip(inputs.f32(1).chunks(chunk)).map(sum).collect::<Vec<f32>>().into()]
}

pub(super) fn inclusive_scan(inputs: &Inputs) -> Vec<Values> {
    let sums = |chunk: &[i32]| {
        let add = |sum: &mut i32, value: &i32| {
            *sum += value;
            Some(*sum)
        };
        chunk.iter().scan(0, add).collect::<Vec<i32>>()
    };
    vec![inputs.i32(0).chunks(256).flat_map(sums).collect::<Vec<i32>>().into()]
}

pub(super) fn transpose(inputs: &Inputs) -> Vec<Values> {
    let (width, height) = (inputs.size("width"), inputs.size("height"));
    let from = inputs.f32(0);
    let element = |i| from[i % height * width + i / height];
    vec![(0..width * height).map(element).collect::<Vec<f32>>().into()]
}

pub(super) fn transpose_double(inputs: &Inputs) -> Vec<Values> {
    let (width, height) = (inputs.size("width"), inputs.size("height"));
    let from = inputs.f64(0);
    let element = |i| from[i % height * width + i / height];
    vec![(0..width * height).map(element).collect::<Vec<f64>>().into()]
}

pub(super) fn warp_sums(inputs: &Inputs) -> Vec<Values> {
    vec![inputs.f32(0).chunks(256).map(|chunk| chunk.iter().sum()).collect::<Vec<f32>>().into()]
}

pub(super) fn exclusive_scan(inputs: &Inputs) -> Vec<Values> {
    let sums = |chunk: &[i32]| {
        let add = |sum: &mut i32, value: &i32| {
            let before = *sum;
            *sum += value;
            Some(before)
        };
        chunk.iter().scan(0, add).collect::<Vec<i32>>()
    };
    vec![inputs.i32(0).chunks(512).flat_map(sums).collect::<Vec<i32>>().into()]
}

pub(super) fn lut(inputs: &Inputs) -> Vec<Values> {
    let table = inputs.u8(1);
    vec![inputs.u8(0).iter().map(|value| table[usize::from(*value)]).collect::<Vec<u8>>().into()]
}

pub(super) fn grey(inputs: &Inputs) -> Vec<Values> {
    let weighted = |pixel: &[u8]| {
        let [r, g, b] = [0, 1, 2].map(|i| u32::from(pixel[i]));
        ((77 * r + 150 * g + 29 * b) / 256) as u8
    };
    vec![inputs.u8(0).chunks(3).map(weighted).collect::<Vec<u8>>().into()]
}

pub(super) fn particles(inputs: &Inputs) -> Vec<Values> {
    let dt = 0.01f32;
    let step = |p: &[f32]| {
        let vz = p[5] - 9.81 * dt;
        let z = p[2] + vz * dt;
        let sign = if z < 0.0 { -1.0 } else { 1.0 };
        [p[0] + p[3] * dt, p[1] + p[4] * dt, sign * z, p[3], p[4], sign * vz]
    };
    vec![inputs.f32(0).chunks(6).flat_map(step).collect::<Vec<f32>>().into()]
}
