//! Kernels that compute: physics, statistics, random numbers, and series.

use super::Inputs;
use crate::suite::values::Values;

pub(super) fn nbody(inputs: &Inputs) -> Vec<Values> {
    let bodies: Vec<[f64; 4]> =
        inputs.f32(0).chunks(4).map(|body| std::array::from_fn(|k| f64::from(body[k]))).collect();
    let mut out = Vec::new();
    for mine in &bodies {
        let mut sum = [0.0; 3];
        for other in &bodies {
            let distance: [f64; 3] = std::array::from_fn(|k| other[k] - mine[k]);
            let squared = distance.iter().map(|d| d * d).sum::<f64>() + 0.01;
            for (sum, distance) in sum.iter_mut().zip(distance) {
                *sum += distance * other[3] / (squared * squared.sqrt());
            }
        }
        out.extend(sum.map(|v| v as f32));
        out.push(0.0f32);
    }
    vec![out.into()]
}

pub(super) fn mandelbrot(inputs: &Inputs) -> Vec<Values> {
    let [width, height, limit] = ["width", "height", "limit"].map(|name| inputs.size(name));
    let steps = |i: usize| {
        let cx = -2.0 + 3.0 * (i % width) as f32 / width as f32;
        let cy = -1.5 + 3.0 * (i / width) as f32 / height as f32;
        let (mut x, mut y) = (0.0f32, 0.0f32);
        let mut count = 0;
        while x * x + y * y < 4.0 && count < limit {
            (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
            count += 1;
        }
        count as i32
    };
    vec![(0..width * height).map(steps).collect::<Vec<i32>>().into()]
}

pub(super) fn monte_carlo(inputs: &Inputs) -> Vec<Values> {
    let points = inputs.size("points");
    let hits = |seed: &u32| {
        let mut state = *seed;
        let mut hit = |_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            let (x, y) = (state & 0x7fff, state >> 16 & 0x7fff);
            x * x + y * y < 0x4000_0000
        };
        (0..points).map(&mut hit).filter(|hit| *hit).count() as i32
    };
    vec![inputs.u32(0).iter().map(hits).collect::<Vec<i32>>().into()]
}

pub(super) fn lcg(inputs: &Inputs) -> Vec<Values> {
    let mut states: Vec<u64> = inputs.u32(0).iter().map(|seed| u64::from(*seed)).collect();
    let mut out = Vec::new();
    for _ in 0..inputs.size("each") {
        for state in &mut states {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            out.push((*state >> 32) as u32);
        }
    }
    vec![out.into()]
}

/// The normal distribution after Hull.
fn normal(d: f64) -> f64 {
    let k = 1.0 / (1.0 + 0.2316419 * d.abs());
    let polynomial =
        k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    let tail = 0.3989422804014327 * (-0.5 * d * d).exp() * polynomial;
    if d > 0.0 { 1.0 - tail } else { tail }
}

pub(super) fn black_scholes(inputs: &Inputs) -> Vec<Values> {
    let (rate, volatility) = (0.02, 0.3);
    let (mut calls, mut puts) = (Vec::new(), Vec::new());
    for i in 0..inputs.size("n") {
        let [price, strike, years] = [0, 1, 2].map(|argument| f64::from(inputs.f32(argument)[i]));
        let deviation = volatility * years.sqrt();
        let d1 = ((price / strike).ln() + (rate + 0.5 * volatility * volatility) * years) / deviation;
        let discounted = strike * (-rate * years).exp();
        let call = price * normal(d1) - discounted * normal(d1 - deviation);
        calls.push(call as f32);
        puts.push((call + discounted - price) as f32);
    }
    vec![calls.into(), puts.into()]
}

pub(super) fn kmeans_assign(inputs: &Inputs) -> Vec<Values> {
    let nearest = |point: &[f32]| {
        let distance =
            |center: &[f32]| -> f32 { point.iter().zip(center).map(|(p, c)| (p - c) * (p - c)).sum() };
        let distances = inputs.f32(1).chunks(4).map(distance).enumerate();
        distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(label, _)| label as i32)
    };
    vec![inputs.f32(0).chunks(4).map(nearest).collect::<Vec<i32>>().into()]
}

pub(super) fn softmax(inputs: &Inputs) -> Vec<Values> {
    let row = |row: &[f32]| {
        let powers: Vec<f64> = row.iter().map(|value| f64::from(*value).exp()).collect();
        let sum: f64 = powers.iter().sum();
        powers.into_iter().map(|power| (power / sum) as f32).collect::<Vec<f32>>()
    };
    vec![inputs.f32(0).chunks(inputs.size("columns")).flat_map(row).collect::<Vec<f32>>().into()]
}

pub(super) fn layer_norm(inputs: &Inputs) -> Vec<Values> {
    let columns = inputs.size("columns");
    let (scale, shift) = (inputs.f32(1), inputs.f32(2));
    let row = |row: &[f32]| {
        let mean = row.iter().map(|v| f64::from(*v)).sum::<f64>() / columns as f64;
        let variance =
            row.iter().map(|v| (f64::from(*v) - mean) * (f64::from(*v) - mean)).sum::<f64>() / columns as f64;
        let normalized = row.iter().map(|v| (f64::from(*v) - mean) / (variance + 1e-5).sqrt());
        let scaled = normalized
            .zip(scale)
            .zip(shift)
            .map(|((v, scale), shift)| v * f64::from(*scale) + f64::from(*shift));
        scaled.map(|v| v as f32).collect::<Vec<f32>>()
    };
    vec![inputs.f32(0).chunks(columns).flat_map(row).collect::<Vec<f32>>().into()]
}

pub(super) fn primes(inputs: &Inputs) -> Vec<Values> {
    let n = inputs.size("n");
    let mut prime = vec![1u8; n];
    prime[..2].fill(0);
    for i in 2..n {
        (i * i..n).step_by(i).for_each(|multiple| prime[multiple] = 0);
    }
    vec![prime.into()]
}

pub(super) fn collatz(inputs: &Inputs) -> Vec<Values> {
    let steps = |start: u32| {
        let next = |value: &u32| Some(if value.is_multiple_of(2) { value / 2 } else { 3 * value + 1 });
        std::iter::successors(Some(start), next).take_while(|value| *value != 1).count() as i32
    };
    vec![(1..=inputs.size("n") as u32).map(steps).collect::<Vec<i32>>().into()]
}

pub(super) fn fft_step(inputs: &Inputs) -> Vec<Values> {
    let (n, half) = (inputs.size("n"), inputs.size("half"));
    let (re, im) = (inputs.f32(0), inputs.f32(1));
    let (mut re_out, mut im_out) = (vec![0f32; n], vec![0f32; n]);
    for i in (0..n).filter(|i| i / half % 2 == 0) {
        let j = i + half;
        let (sin, cos) = (-std::f64::consts::PI * (i % half) as f64 / half as f64).sin_cos();
        let [a, b, c, d] = [re[i], im[i], re[j], im[j]].map(f64::from);
        let (x, y) = (c * cos - d * sin, c * sin + d * cos);
        (re_out[i], im_out[i]) = ((a + x) as f32, (b + y) as f32);
        (re_out[j], im_out[j]) = ((a - x) as f32, (b - y) as f32);
    }
    vec![re_out.into(), im_out.into()]
}
