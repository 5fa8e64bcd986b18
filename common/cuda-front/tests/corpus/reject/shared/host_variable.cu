// A variable without a memory space is the host's.
// NVRTC: line 3 (it knows no host variables at all)
int total = 3;
__global__ void k(int *out) {
    out[0] = total; // ERROR
}
