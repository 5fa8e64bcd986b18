// auto with const, & and *; decltype; trailing result types.
__device__ auto half_of(float x) -> float { return x * 0.5f; }
__device__ auto guess(int a) {
    if (a > 0) return a * 2;
    return 0;
}
__global__ void autos(float *out, const float *in) {
    auto i = threadIdx.x;
    auto x = in[i];
    auto *p = &out[i];
    const auto n = 3;
    auto &r = out[0];
    decltype(x) y = x + n;
    decltype(i + 1.0) z = y;
    auto q = in;
    q++;
    *p = half_of(y) + z + guess(2) + *q;
    r = 1;
}
