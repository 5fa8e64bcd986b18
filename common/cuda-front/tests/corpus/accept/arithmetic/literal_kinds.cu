// The type of a literal: 3000000000 is long, 0xFFFFFFFF is unsigned.
__device__ int kind(int) { return 1; }
__device__ int kind(unsigned) { return 2; }
__device__ int kind(long) { return 3; }
__device__ int kind(unsigned long) { return 4; }
__device__ int kind(float) { return 5; }
__device__ int kind(double) { return 6; }
__device__ int kind(char) { return 7; }
__device__ int kind(bool) { return 8; }
__global__ void kinds(int *out) {
    out[0] = kind(1) * 10 + kind(3000000000);
    out[1] = kind(0xFFFFFFFF) * 10 + kind(1ul);
    out[2] = kind(1.0) * 10 + kind(1.0f);
    out[3] = kind('c') * 10 + kind(true);
    out[4] = kind('c' + 'c') * 10 + kind(1 < 2);
    out[5] = kind(1u + 1) * 10 + kind(1.0f + 1);
}
