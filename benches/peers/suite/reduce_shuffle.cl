// The sum of each block's 256 elements: warps by shuffles, and then the warps' sums.
//
// Groups of 32 work-items exchange values through local memory.

kernel void reduce_shuffle_down(global const float *in, global float *sums) {
    local float values[256];
    local float warp_sums[8];
    int t = get_local_id(0);
    int lane = t % 32;
    values[t] = in[get_global_id(0)];
    for (int offset = 16; offset > 0; offset /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < offset) {
            values[t] += values[t + offset];
        }
    }
    if (lane == 0) {
        warp_sums[t / 32] = values[t];
    }
    for (int offset = 4; offset > 0; offset /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < offset) {
            warp_sums[t] += warp_sums[t + offset];
        }
    }
    if (t == 0) {
        sums[get_group_id(0)] = warp_sums[0];
    }
}

kernel void reduce_shuffle_xor(global const float *in, global float *sums) {
    local float values[2][256];
    const int t = get_local_id(0);
    float value = in[get_global_id(0)];
    int from = 0;
    for (int mask = 16; mask >= 1; mask >>= 1) {
        values[from][t] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        value += values[from][t ^ mask];
        from ^= 1;
    }
    values[from][t] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0) {
        for (int warp = 1; warp < 8; warp++) {
            value += values[from][warp << 5];
        }
        sums[get_group_id(0)] = value;
    }
}
