// __match_any_sync, __match_all_sync and the reductions of compute capability 8.
__global__ void match(unsigned *out, const int *in) {
    int v = in[threadIdx.x];
    int all;
    unsigned peers = __match_any_sync(0xffffffff, v);
    unsigned same = __match_all_sync(0xffffffff, v, &all);
    out[threadIdx.x] = peers + same + all;
    out[0] = __reduce_add_sync(0xffffffff, (unsigned)v) + __reduce_max_sync(0xffffffff, v);
    out[1] = __reduce_or_sync(0xffffffff, (unsigned)v);
}
