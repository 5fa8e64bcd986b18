// Both scopes have the threads of one block.
// launch: <<<1, 64>>>
// expect: clean
__global__ void k(int *g, int *out) {
    int t = threadIdx.x;
    if (t == 0) atomicAdd_block(g, 1);
    if (t == 32) atomicAdd(g, 1);
}
