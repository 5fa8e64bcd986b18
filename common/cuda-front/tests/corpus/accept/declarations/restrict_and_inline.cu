// __restrict__, inline, __forceinline__, __noinline__, static, __host__ __device__.
static __device__ __forceinline__ float square(float x) { return x * x; }
__host__ __device__ inline float cube(float x) { return x * square(x); }
__device__ __noinline__ float third(float x) { return x / 3.0f; }
__global__ void attrs(float *__restrict__ out, const float *__restrict__ in) {
    out[threadIdx.x] = third(cube(in[threadIdx.x]));
}
