// Variables that host and device share.
__managed__ int total;
__device__ __managed__ float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};
static __managed__ double2 pair;

__global__ void add(const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&total, in[i]);
    if (i == 0) pair = make_double2(table[1], table[3]);
}
