// The inclusive prefix sums of each block's 256 elements, after Hillis and Steele.

#define BLOCK 256

// Two buffers take turns.
kernel void scan_two_buffers(global const int *in, global int *out) {
    local int buffer[2][BLOCK];
    int t = get_local_id(0);
    int i = get_global_id(0);
    int from = 0;
    buffer[from][t] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int distance = 1; distance < BLOCK; distance *= 2) {
        int to = 1 - from;
        if (t >= distance) {
            buffer[to][t] = buffer[from][t] + buffer[from][t - distance];
        } else {
            buffer[to][t] = buffer[from][t];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        from = to;
    }
    out[i] = buffer[from][t];
}

// One buffer with two barriers per step.
kernel void scan_one_buffer(global const int *in, global int *out) {
    local int sums[BLOCK];
    const int t = get_local_id(0);
    const int first = get_group_id(0) * BLOCK;
    sums[t] = in[first + t];
    for (int distance = 1; distance < BLOCK; distance <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int left = 0;
        if (t >= distance) {
            left = sums[t - distance];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[t] += left;
    }
    out[first + t] = sums[t];
}
