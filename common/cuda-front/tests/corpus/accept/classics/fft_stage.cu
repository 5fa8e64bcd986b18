// A stage of a fast Fourier transform on float2.
__device__ inline float2 cmul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ inline unsigned reverse_bits(unsigned v, int bits) { return __brev(v) >> (32 - bits); }
__global__ void fft(float2 *data, int bits) {
    extern __shared__ float2 s[];
    const float PI = 3.14159265358979f;
    int n = 1 << bits, t = threadIdx.x;
    for (int i = t; i < n; i += blockDim.x) s[reverse_bits(i, bits)] = data[blockIdx.x * n + i];
    for (int half = 1; half < n; half *= 2) {
        __syncthreads();
        for (int i = t; i < n / 2; i += blockDim.x) {
            int k = i & (half - 1), a = ((i - k) << 1) + k, b = a + half;
            float2 w;
            __sincosf(-PI * k / half, &w.y, &w.x);
            float2 u = s[a], v = cmul(w, s[b]);
            s[a] = make_float2(u.x + v.x, u.y + v.y);
            s[b] = make_float2(u.x - v.x, u.y - v.y);
        }
    }
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) data[blockIdx.x * n + i] = s[i];
}
