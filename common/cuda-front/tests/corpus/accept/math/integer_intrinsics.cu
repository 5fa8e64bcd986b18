// Integer intrinsics.
__global__ void integers(int *i, unsigned *u, unsigned long long *l) {
    i[0] = __popc(u[0]) + __clz(i[1]) + __ffs(i[2]) + __brev(u[1]);
    i[1] = __popcll(l[0]) + __clzll(l[0]) + __ffsll(l[0]);
    i[2] = __mul24(i[3], i[4]) + __mulhi(i[3], i[4]);
    u[1] = __umulhi(u[2], u[3]) + __umul24(u[2], u[3]) + __byte_perm(u[2], u[3], 0x3210);
    l[1] = __umul64hi(l[2], l[3]) + __brevll(l[2]);
    i[3] = __sad(1, 2, 3u) + __hadd(4, 6) + __rhadd(4, 7);
    u[2] = __funnelshift_l(u[0], u[1], 3) + __funnelshift_r(u[0], u[1], 3);
}
