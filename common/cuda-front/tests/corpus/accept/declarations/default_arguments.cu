// Default arguments, one that uses a constant, declared before the definition.
constexpr int STEP = 3;
__device__ int advance(int x, int by = STEP, bool twice = false);
__device__ int advance(int x, int by, bool twice) { return x + (twice ? 2 * by : by); }
__global__ void defaults(int *out) {
    out[0] = advance(1);
    out[1] = advance(1, 5);
    out[2] = advance(1, 5, true);
}
