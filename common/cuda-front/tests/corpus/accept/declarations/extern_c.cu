// extern "C" in both forms.
extern "C" __device__ int plus_one(int x) { return x + 1; }
extern "C" {
__device__ int plus_two(int x) { return x + 2; }
}
extern "C" __global__ void plain_name(int *out) { out[0] = plus_one(plus_two(0)); }
