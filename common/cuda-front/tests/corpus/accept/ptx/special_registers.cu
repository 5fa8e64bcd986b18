// Inline PTX: special registers and an addition.
__device__ unsigned lane_id() {
    unsigned r;
    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}
__global__ void ptx(int *out, int a, int b) {
    int s;
    asm("add.s32 %0, %1, %2;" : "=r"(s) : "r"(a), "r"(b));
    out[threadIdx.x] = s + lane_id();
}
