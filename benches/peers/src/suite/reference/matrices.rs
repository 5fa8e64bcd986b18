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

pub(super) fn matmul_double(inputs: &Inputs) -> Vec<Values> {
    let n = inputs.size("n");
    let mut c = vec![0.0; n * n];
    for (row, a) in c.chunks_mut(n).zip(inputs.f64(0).chunks(n)) {
        for (a, b) in a.iter().zip(inputs.f64(1).chunks(n)) {
            row.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
        }
    }
    vec![c.into()]
}

pub(super) fn matmul_int(inputs: &Inputs) -> Vec<Values> {
    let n = inputs.size("n");
    let mut c = vec![0i32; n * n];
    for (row, a) in c.chunks_mut(n).zip(inputs.i32(0).chunks(n)) {
        for (a, b) in a.iter().zip(inputs.i32(1).chunks(n)) {
            row.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
        }
    }
    vec![c.into()]
}

pub(super) fn matvec(inputs: &Inputs) -> Vec<Values> {
    let x = inputs.f32(1);
    let sum = |row: &[f32]| row.iter().zip(x).map(|(a, x)| a * x).sum();
    vec![inputs.f32(0).chunks(inputs.size("columns")).map(sum).collect::<Vec<f32>>().into()]
}

/// Where each row of a sparse matrix, or each vertex' list of edges, lies.
fn ranges(offsets: &[i32]) -> impl Iterator<Item = std::ops::Range<usize>> {
    offsets.windows(2).map(|ends| ends[0] as usize..ends[1] as usize)
}

pub(super) fn spmv(inputs: &Inputs) -> Vec<Values> {
    let (columns, values, x) = (inputs.i32(1), inputs.f32(2), inputs.f32(3));
    let sum = |row: std::ops::Range<usize>| row.map(|i| values[i] * x[columns[i] as usize]).sum();
    vec![ranges(inputs.i32(0)).map(sum).collect::<Vec<f32>>().into()]
}

pub(super) fn bfs_step(inputs: &Inputs) -> Vec<Values> {
    let (edges, frontier, visited) = (inputs.i32(1), inputs.i32(2), inputs.i32(3));
    let mut next = inputs.i32(4).to_vec();
    for (range, _) in ranges(inputs.i32(0)).zip(frontier).filter(|(_, frontier)| **frontier != 0) {
        for to in &edges[range] {
            if visited[*to as usize] == 0 {
                next[*to as usize] = 1;
            }
        }
    }
    vec![next.into()]
}

pub(super) fn floyd_warshall(inputs: &Inputs) -> Vec<Values> {
    let (n, k) = (inputs.size("n"), inputs.size("k"));
    let distance = inputs.i32(0);
    let shortest = |i: usize| distance[i].min(distance[i / n * n + k] + distance[k * n + i % n]);
    vec![(0..n * n).map(shortest).collect::<Vec<i32>>().into()]
}

pub(super) fn lu_step(inputs: &Inputs) -> Vec<Values> {
    let (n, k) = (inputs.size("n"), inputs.size("k"));
    let mut a = inputs.f32(0).to_vec();
    for i in k + 1..n {
        for j in k + 1..n {
            a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
    }
    vec![a.into()]
}
