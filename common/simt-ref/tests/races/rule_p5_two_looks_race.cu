// A volatile flag that is looked at twice: the first look is neither a poll nor fenced.
// launch: <<<2, 1>>>
// expect: race (P5)
__global__ void k(int *g, volatile int *f, int *out) {
    if (blockIdx.x == 0) {
        __threadfence();
        *f = 1;
    }
    if (blockIdx.x == 1) {
        int first = *f;
        int second = *f;
        __threadfence();
        out[0] = first + second;
    }
}
