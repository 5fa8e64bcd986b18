// EXPECT: 3 0 16
// `__attribute__` behind a parameter and before a declaration.
__device__ int of(int a __attribute__((unused)), int b [[maybe_unused]], int c __attribute__((unused)) = 3) { return c; }
__global__ void k(int *out __attribute__((unused))) {
  __attribute__((aligned(16))) float q[2] = {0, 1};
  __attribute__((unused)) int v = 0;
  out[0] = of(1, 2); out[1] = (unsigned long long)q % 16; out[2] = alignof(float4) + v;
}
