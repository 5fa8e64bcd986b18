// All threads write one value.
// launch: <<<2, 64>>>
// expect: note (P2)
__global__ void k(int *found) {
    *found = 1;
}
