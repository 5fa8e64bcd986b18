"""The four kernels as numba's CUDA simulator runs them, and what `peers` asks of a contestant's process (see src/session.rs).

Usage: kernels.py KERNEL N FOLDER OUT
"""

import json
import os
import sys
import time

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import numba
import numpy as np
from numba import cuda, float32

TILE = 16
RADIUS = 2
SIDE = TILE + 2 * RADIUS
WINDOW = 2 * RADIUS + 1


@cuda.jit
def matmul_tiled(a, b, c, n):
    a_tile = cuda.shared.array((TILE, TILE), float32)
    b_tile = cuda.shared.array((TILE, TILE), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    column = cuda.blockIdx.x * TILE + tx
    row = cuda.blockIdx.y * TILE + ty
    total = float32(0)
    for start in range(0, n, TILE):
        a_tile[ty, tx] = a[row * n + start + tx]
        b_tile[ty, tx] = b[(start + ty) * n + column]
        cuda.syncthreads()
        for p in range(TILE):
            total += a_tile[ty, p] * b_tile[p, tx]
        cuda.syncthreads()
    c[row * n + column] = total


@cuda.jit
def matmul_naive(a, b, c, n):
    column = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    row = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    total = float32(0)
    for p in range(n):
        total += a[row * n + p] * b[p * n + column]
    c[row * n + column] = total


@cuda.jit
def convolution(image, weights, out, n):
    tile = cuda.shared.array((SIDE, SIDE), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    first_row = cuda.blockIdx.y * TILE - RADIUS
    first_column = cuda.blockIdx.x * TILE - RADIUS
    for t in range(ty * TILE + tx, SIDE * SIDE, TILE * TILE):
        i = t // SIDE
        j = t - i * SIDE
        row = first_row + i
        column = first_column + j
        inside = row >= 0 and row < n and column >= 0 and column < n
        tile[i, j] = image[row * n + column] if inside else float32(0)
    cuda.syncthreads()
    total = float32(0)
    for i in range(WINDOW):
        for j in range(WINDOW):
            total += weights[i * WINDOW + j] * tile[ty + i, tx + j]
    out[(cuda.blockIdx.y * TILE + ty) * n + cuda.blockIdx.x * TILE + tx] = total


@cuda.jit
def transpose(matrix, out, n):
    tile = cuda.shared.array((32, 33), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    for i in range(ty, 32, 8):
        tile[i, tx] = matrix[(cuda.blockIdx.y * 32 + i) * n + cuda.blockIdx.x * 32 + tx]
    cuda.syncthreads()
    for i in range(ty, 32, 8):
        out[(cuda.blockIdx.x * 32 + i) * n + cuda.blockIdx.y * 32 + tx] = tile[tx, i]


# Kernel, its input files, outputs of a block by axis, and threads of a block by axis.
KERNELS = {
    "matmul_tiled": (matmul_tiled, ("a", "b"), TILE, (TILE, TILE)),
    "matmul_naive": (matmul_naive, ("a", "b"), TILE, (TILE, TILE)),
    "convolution": (convolution, ("a", "b"), TILE, (TILE, TILE)),
    "transpose": (transpose, ("a",), 32, (32, 8)),
}


def main():
    name, n, folder, out_file = sys.argv[1:]
    kernel, inputs, step, block = KERNELS[name]
    n = int(n)
    grid = (n // step, n // step)
    inputs = [cuda.to_device(np.fromfile(os.path.join(folder, i + ".f32"), np.float32)) for i in inputs]
    out = cuda.to_device(np.full(n * n, np.nan, np.float32))
    kernel[grid, block](*inputs, out, n)
    out.copy_to_host().tofile(out_file)
    print(json.dumps({"version": f"numba {numba.__version__}, Python {sys.version.split()[0]}"}), flush=True)
    for line in sys.stdin:
        launch = kernel[grid, block]
        begin = time.perf_counter()
        for _ in range(int(line)):
            launch(*inputs, out, n)
        print(json.dumps({"seconds": time.perf_counter() - begin}), flush=True)


main()
