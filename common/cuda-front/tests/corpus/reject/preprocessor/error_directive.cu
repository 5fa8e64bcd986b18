// #error.
#define TILE 24
#if TILE % 16
#error "TILE must be a multiple of 16" // ERROR
#endif
__global__ void k(int *out) { out[0] = TILE; }
