__device__ void helper(float *p, int n);
void host_only() { }
float host_value = 1.0f;
__global__ void k(float *out, const float *in, int n) {
    int i = thredIdx.x;
    _syncthreads();
    __syncthread();
    out[i] = inn[i];
    float4 v = make_float4(1, 2, 3, 4);
    v.q = 1;
    host_only();
    out[0] = host_value;
    later(1);
    malloc(4);
    cudaMalloc(out, 4);
    std::vector<int> xs;
    __half h;
    k<<<1, 1>>>(out, in, n);
    std::cout << 1;
}
__device__ int later(int x) { return x; }
