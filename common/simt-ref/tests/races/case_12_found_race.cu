// Blocks write different values, each its own one.
// launch: <<<2, 64>>>
// expect: race (P1), note (P2)
__global__ void k(int *found) {
    *found = 1 + blockIdx.x;
}
