// A static_assert that fails.
constexpr int TILE = 20;
static_assert(TILE % 16 == 0, "TILE must be a multiple of 16"); // ERROR
__global__ void k(int *out) { out[0] = TILE; }
