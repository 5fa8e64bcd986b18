// A double in a register of 32 bits.
__global__ void ptx(double *out, double v) {
    unsigned r;
    asm("mov.b32 %0, %1;" : "=r"(r) : "r"(v));  // ERROR
    out[threadIdx.x] = r;
}
