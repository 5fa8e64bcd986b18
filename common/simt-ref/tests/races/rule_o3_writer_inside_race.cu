// All lanes read a word. A lane writes it after a barrier that not all of them took part in.
// launch: <<<1, 32>>>
// expect: race (P1)
__global__ void k(int *out) {
    __shared__ int s[1];
    int t = threadIdx.x;
    if (t == 0) s[0] = 1;
    __syncthreads();
    out[t] = s[0];
    __syncwarp(t < 8 ? 0xffu : 0xffffff00u);
    if (t == 0) s[0] = 2;
}
