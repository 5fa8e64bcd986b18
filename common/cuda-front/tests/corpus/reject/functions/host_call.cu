// A function of the host called by a kernel: without an execution space a function is for the host.
// NVRTC: line 3 (it knows no host functions at all)
int f(int x) { return x + 1; }
__global__ void k(int *out) {
    out[0] = f(1); // ERROR
}
