// The least value of each of 64 segments, given each value's segment, by atomics.

#define SEGMENTS 64

kernel void segmented_min_global(global const int *values, global const int *segments, global int *least, int n) {
    int stride = get_local_size(0) * get_num_groups(0);
    for (int i = get_group_id(0) * get_local_size(0) + get_local_id(0); i < n; i += stride) {
        atomic_min(&least[segments[i]], values[i]);
    }
}

// Minima of the block in shared memory first; each block has a range.
kernel void segmented_min_shared(global const int *values, global const int *segments, global int *least, int n) {
    local int mine[SEGMENTS];
    const unsigned int t = get_local_id(0);
    if (t < SEGMENTS)
        mine[t] = 0x7fffffff;
    barrier(CLK_LOCAL_MEM_FENCE);
    const unsigned int each = (n + get_num_groups(0) - 1) / get_num_groups(0);
    const unsigned int begin = get_group_id(0) * each;
    const unsigned int end = min(begin + each, (unsigned int)n);
    unsigned int i = begin + t;
    while (i < end) {
        atomic_min(mine + segments[i], values[i]);
        i += get_local_size(0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < SEGMENTS)
        atomic_min(least + t, mine[t]);
}
