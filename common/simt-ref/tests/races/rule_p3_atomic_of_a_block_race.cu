// A store of the value that another block's atomic at block scope has left.
// launch: <<<2, 1>>>
// expect: race (P3)
__global__ void k(int *g) {
    if (blockIdx.x == 0) atomicAdd_block(g, 1);
    if (blockIdx.x == 1) g[0] = 1;
}
