// There is no such constraint.
__global__ void ptx(int *out, int v) {
    int r;
    asm("mov.b32 %0, %1;" : "=r"(r) : "q"(v));  // ERROR
    out[threadIdx.x] = r;
}
