// Constant expressions at file scope from each other, with casts, ?:, sizeof and functions.
#define SHIFT(x) (1 << (x))
enum { LOG = 5, WARP = SHIFT(LOG) };
constexpr int BLOCK = 8 * WARP;
constexpr size_t BYTES = BLOCK * sizeof(float) + (BLOCK > 128 ? 16 : 0);
constexpr float STEP = 1.0f / BLOCK, NEG = -STEP;
static const unsigned MASK = ~0u >> (32 - WARP + 0), LOW = MASK & 0xff;
constexpr bool WIDE = sizeof(long long) == 8 && BLOCK % 32 == 0;
__host__ __device__ constexpr int next_pow2(int n) { return n <= 1 ? 1 : 2 * next_pow2((n + 1) / 2); }
constexpr int PADDED = next_pow2(BLOCK + 1);
__constant__ int table[PADDED / 64] = {BLOCK, WARP, LOW, -1};
__global__ void constants(float *out) {
    __shared__ unsigned char bytes[BYTES];
    static_assert(PADDED == 512 && WIDE, "");
    bytes[threadIdx.x] = (unsigned char)(LOW + 'a');
    __syncthreads();
    out[threadIdx.x] = bytes[0] * STEP + NEG + table[threadIdx.x % (sizeof(table) / sizeof(*table))];
}
