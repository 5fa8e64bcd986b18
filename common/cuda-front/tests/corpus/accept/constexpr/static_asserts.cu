// static_assert at every level, with and without a message.
constexpr int BLOCK = 256;
static_assert(BLOCK % 32 == 0, "whole warps");
static_assert(sizeof(float4) == 16);
template <int N>
struct Checked {
    static_assert(N > 0, "positive");
    int v[N];
};
template <typename T>
__device__ T id(T x) {
    static_assert(sizeof(T) <= 8, "small");
    return x;
}
__global__ void asserted(int *out) {
    static_assert((BLOCK & (BLOCK - 1)) == 0, "a power of " "two");
    Checked<2> c = {{1, 2}};
    out[0] = id(c.v[1]);
}
