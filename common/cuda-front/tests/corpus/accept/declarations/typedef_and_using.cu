// typedef, using, arrays and pointers to functions behind a name.
typedef unsigned int uint_t;
typedef float Row[4];
using Index = long long;
using Unary = float (*)(float);
__device__ float twice(float x) { return 2 * x; }
__global__ void aliases(float *out, uint_t n) {
    Row row = {1, 2, 3, 4};
    Index i = n;
    Unary f = twice;
    out[i] = f(row[n & 3u]);
}
