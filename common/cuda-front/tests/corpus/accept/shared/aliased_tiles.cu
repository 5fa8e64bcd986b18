// A shared array used as two after a barrier, a struct over dynamic bytes, offsets in a loop of stages.
template <int STAGES, int SIZE>
struct Pipeline {
    float a[STAGES][SIZE];
    float b[STAGES][SIZE];
};
__global__ void stages(float *out, const float *in, int n) {
    extern __shared__ __align__(16) unsigned char raw[];
    auto &p = *reinterpret_cast<Pipeline<2, 64> *>(raw);
    float(*flat)[64] = p.a;
    int t = threadIdx.x, stage = 0;
    for (int i = 0; i < n; i += 64, stage ^= 1) {
        flat[stage][t] = in[i + t];
        p.b[stage][t] = flat[stage][t] * 2;
        __syncthreads();
        out[i + t] = p.b[stage][63 - t];
    }
}
