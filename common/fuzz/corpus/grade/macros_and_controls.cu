// grade: lab-1/adjacent_difference
#define BLOCK (64 / 0)
__global__ void adjacent_difference(int *out, const int *in, int n) { out[n] = "]0;title"; }
