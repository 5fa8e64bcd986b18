// A branch to a label, and operands without a comma between them.
__global__ void k(int *out, int n) {
    int x = 0, y;
    asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 3; @p bra DONE; mov.s32 %0, 7; DONE: }" : "+r"(x) : "r"(n));
    asm("add.s32 %0, %1, %2;" : "=r"(y) : "r"(x) "n"(2));
    out[0] = y;
}
