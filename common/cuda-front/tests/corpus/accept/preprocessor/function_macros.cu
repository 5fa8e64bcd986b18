// Function-like macros, arguments used twice, nested calls.
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CLAMP(x, lo, hi) MIN(MAX(x, lo), hi)
#define IDX(r, c, n) ((r) * (n) + (c))

__global__ void clamp_rows(int *m, int n) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < n; ++r) m[IDX(r, MIN(c, n - 1), n)] = CLAMP(m[IDX(r, MIN(c, n - 1), n)], -8, 8);
}
