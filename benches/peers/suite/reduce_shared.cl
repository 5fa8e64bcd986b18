// The sum of each block's 512 elements: a tree in shared memory.

kernel void reduce_shared_shift(global const float *in, global float *sums) {
    local float partial[256];
    uint t = get_local_id(0);
    uint i = get_group_id(0) * (get_local_size(0) * 2) + get_local_id(0);
    partial[t] = in[i] + in[i + get_local_size(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (t < s) {
            partial[t] += partial[t + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0) {
        sums[get_group_id(0)] = partial[0];
    }
}

#define BLOCK 256

kernel void reduce_shared_template(global const float *in, global float *sums) {
    local float partial[BLOCK];
    const int t = get_local_id(0);
    global const float *mine = in + get_group_id(0) * 2 * BLOCK;
    partial[t] = mine[t] + mine[BLOCK + t];
    for (int active = BLOCK / 2; active >= 1; active /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < active) {
            partial[t] = partial[t] + partial[t + active];
        }
    }
    if (t == 0) {
        sums[get_group_id(0)] = partial[t];
    }
}
