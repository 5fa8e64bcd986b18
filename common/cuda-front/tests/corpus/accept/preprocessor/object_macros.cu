// Object-like macros as sizes and as names of types.
#define TILE 16
#define HALO 1
#define WIDTH (TILE + 2 * HALO)
#define real float

__global__ void copy_tile(real *out, const real *in) {
    __shared__ real tile[WIDTH];
    if (threadIdx.x < WIDTH) tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < TILE) out[threadIdx.x] = tile[threadIdx.x + HALO];
}
