// A guess is what was read, in shared memory, too: here 7 is compared with, and never read.
// launch: <<<1, 2>>>
// expect: race (P3)
__global__ void k() {
    __shared__ int s[2];
    s[threadIdx.x] = 0;
    __syncthreads();
    atomicMax(&s[threadIdx.x], (int)threadIdx.x + 1);
    int seen = s[0];
    atomicCAS(&s[0], 7, seen + 1);
}
