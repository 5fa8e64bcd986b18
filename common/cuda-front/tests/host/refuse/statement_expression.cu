#define SMALLER(a, b) ({ int x = (a); int y = (b); x < y ? x : y; })

__global__ void k(int *out) { out[0] = SMALLER(out[1], 3); }
