// The last warp reads what the others have written, which did not fence before they counted. The counter is another shared variable.
// launch: <<<1, 128>>>
// expect: race (P1)
__global__ void k(int *out) {
    __shared__ int count, parts[4];
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (threadIdx.x % 32 != 0) return;
    parts[threadIdx.x / 32] = threadIdx.x;
    int before = atomicAdd(&count, 1);
    __threadfence_block();
    if (before == 3) out[0] = parts[0] + parts[3];
}
