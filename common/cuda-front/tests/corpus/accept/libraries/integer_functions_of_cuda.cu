#include <cuda/cmath>

__global__ void k(int *out, short n) {
    int i = threadIdx.x;
    out[i] = cuda::ceil_div(i, 4) + cuda::round_up(i, 4u) + cuda::round_down(n, n) + cuda::ilog2(i) + cuda::ilog10(i);
    static_assert(cuda::ceil_div(9, 4u) == 3 && cuda::round_up(9, 4) == 12 && cuda::round_down(11, 4) == 8, "");
    static_assert(cuda::ilog2(8) == 3 && cuda::ilog2(1ull << 40) == 40 && cuda::ilog10(999) == 2, "");
    static_assert(sizeof(cuda::ceil_div(n, n)) == 2 && sizeof(cuda::round_up(n, 1ll)) == 8, "");
}
