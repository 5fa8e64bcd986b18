#define N 100
#define TILE 7
// Integer arithmetic that is written on purpose: no warning.
template <typename T> __global__ void sums(T *out, const float *in) {
    T sum = 0;
    for (int j = 0; j < 4; j++) sum += in[j];
    out[threadIdx.x] = sum;
}
template __global__ void sums<float>(float *, const float *);
template __global__ void sums<int>(int *, const float *);

__global__ void meant(int *out, const float *in, int n) {
    int whole = N / 32 * 32 + (N + 31) / 32 * 32 + 100 / 32 * 32 + 64 / 32 * n + TILE / 2 * n + n * (1 / 1);
    int count = 0;
    count += floorf(in[0]) + 2.0f * (float)n;
    count += (int)(in[1] * in[2]);
    count += in[3] > 0 ? 1.0f : 0.0f;
    count = whole + in[4];
    out[threadIdx.x] = count + whole;
}
