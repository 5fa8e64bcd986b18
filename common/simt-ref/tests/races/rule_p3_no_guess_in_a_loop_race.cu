// A read that is no guess: its thread's next access to the word is the same read after a barrier.
// launch: <<<1, 2>>>
// expect: race (P3)
__global__ void k(int *out) {
    __shared__ int s[2];
    int t = threadIdx.x, sum = 0;
    s[t] = 0;
    __syncthreads();
    for (int i = 0; i < 3; ++i) {
        sum += s[1];
        __syncthreads();
        atomicMax(&s[t], t + 1);
        if (t == 0) {
            int seen = s[0];
            atomicCAS(&s[0], seen, seen + 1);
        }
    }
    out[t] = sum;
}
