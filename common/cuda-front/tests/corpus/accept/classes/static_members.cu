// Static constants and static methods.
struct Config {
    static const int TILE = 16;
    static constexpr float EPS = 1e-5f;
    static __device__ int blocks(int n) { return (n + TILE - 1) / TILE; }
};
__global__ void config(float *out, int n) {
    __shared__ float s[Config::TILE];
    s[threadIdx.x % Config::TILE] = Config::EPS;
    __syncthreads();
    out[0] = s[0] + Config::blocks(n);
}
