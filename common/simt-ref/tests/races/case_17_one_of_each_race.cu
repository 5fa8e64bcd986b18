// Both must be in the scope of the other.
// launch: <<<2, 64>>>
// expect: race (P7)
__global__ void k(int *g, int *out) {
    if (blockIdx.x == 0) atomicAdd_block(g, 1);
    else atomicAdd(g, 1);
}
