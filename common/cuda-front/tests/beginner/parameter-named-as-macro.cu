#define N 1024
#define M (N / 2)
__global__ void k(float *out, int N) { // EXPECT missing-closing-paren
    out[0] = 1;
}
__global__ void m(float *out) {
    int N = 4; // EXPECT unexpected-token
    out[0] = 1;
}
