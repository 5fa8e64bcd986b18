// A seven-point stencil that slides along z with planes in registers and shared memory.
template <int TX, int TY>
__global__ void heat(float *__restrict__ out, const float *__restrict__ in, int nx, int ny, int nz, float c0, float c1) {
    __shared__ float plane[TY + 2][TX + 2];
    int x = blockIdx.x * TX + threadIdx.x + 1, y = blockIdx.y * TY + threadIdx.y + 1;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const size_t slice = (size_t)nx * ny;
    bool inside = x < nx - 1 && y < ny - 1;
    size_t at = (size_t)y * nx + x;
    float below = inside ? in[at] : 0.0f, here = inside ? in[at + slice] : 0.0f, above;
    for (int z = 1; z < nz - 1; ++z) {
        at += slice;
        above = inside ? in[at + slice] : 0.0f;
        __syncthreads();
        plane[ty][tx] = here;
        if (inside) {
            if (threadIdx.x == 0) plane[ty][0] = in[at - 1];
            if (threadIdx.x == TX - 1 || x == nx - 2) plane[ty][tx + 1] = in[at + 1];
            if (threadIdx.y == 0) plane[0][tx] = in[at - nx];
            if (threadIdx.y == TY - 1 || y == ny - 2) plane[ty + 1][tx] = in[at + nx];
        }
        __syncthreads();
        if (inside)
            out[at] = c0 * here + c1 * (plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx] + below + above);
        below = here;
        here = above;
    }
}
template __global__ void heat<32, 8>(float *, const float *, int, int, int, float, float);
