// Inline PTX that reads special registers.
__global__ void ptx(unsigned *out, long long *time) {
    unsigned lane, warp, below;
    long long begin, end;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(begin)::"memory");
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(end)::"memory");
    out[threadIdx.x] = lane + warp + __popc(below);
    *time = end - begin;
}
