// How often each byte occurs: counted per block in shared memory, and then added up.

#define BINS 256

// A block takes bytes a grid apart.
kernel void histogram_shared_strided(global const uchar *data, global int *bins, int n) {
    local int counts[BINS];
    counts[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        atomic_add(&counts[data[i]], 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[get_local_id(0)], counts[get_local_id(0)]);
}

// A block takes bytes that follow one another.
kernel void histogram_shared_chunked(global const uchar *data, global int *bins, int n) {
    local int counts[BINS];
    int t = get_local_id(0);
    int chunk = (n + get_num_groups(0) - 1) / get_num_groups(0);
    int end = (get_group_id(0) + 1) * chunk;
    if (end > n) {
        end = n;
    }
    for (int bin = t; bin < BINS; bin += get_local_size(0)) {
        counts[bin] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int i = get_group_id(0) * chunk + t;
    while (i < end) {
        int value = data[i];
        atomic_add(counts + value, 1);
        i += get_local_size(0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int bin = t; bin < BINS; bin += get_local_size(0)) {
        if (counts[bin] != 0) {
            atomic_add(bins + bin, counts[bin]);
        }
    }
}
