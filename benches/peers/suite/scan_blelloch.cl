// The exclusive prefix sums of each block's 512 elements, after Blelloch: up a tree and down again.

#define LENGTH 512

// As in GPU Gems 3: an offset that doubles.
kernel void scan_tree_offset(global const int *in, global int *out) {
    local int temp[LENGTH];
    int t = get_local_id(0);
    int first = get_group_id(0) * LENGTH;
    int offset = 1;
    temp[2 * t] = in[first + 2 * t];
    temp[2 * t + 1] = in[first + 2 * t + 1];
    for (int d = LENGTH >> 1; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1;
            int bi = offset * (2 * t + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (t == 0) {
        temp[LENGTH - 1] = 0;
    }
    for (int d = 1; d < LENGTH; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1;
            int bi = offset * (2 * t + 2) - 1;
            int left = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += left;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[first + 2 * t] = temp[2 * t];
    out[first + 2 * t + 1] = temp[2 * t + 1];
}

// With a stride, and elements half the block's apart.
kernel void scan_tree_stride(global const int *in, global int *out) {
    local int sums[LENGTH];
    const int t = get_local_id(0);
    global const int *from = in + get_group_id(0) * LENGTH;
    global int *to = out + get_group_id(0) * LENGTH;
    sums[t] = from[t];
    sums[t + LENGTH / 2] = from[t + LENGTH / 2];
    for (int stride = 1; stride < LENGTH; stride *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int i = (t + 1) * stride * 2 - 1;
        if (i < LENGTH) {
            sums[i] += sums[i - stride];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0) {
        sums[LENGTH - 1] = 0;
    }
    for (int stride = LENGTH / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int i = (t + 1) * stride * 2 - 1;
        if (i < LENGTH) {
            int sum = sums[i];
            sums[i] = sum + sums[i - stride];
            sums[i - stride] = sum;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    to[t] = sums[t];
    to[t + LENGTH / 2] = sums[t + LENGTH / 2];
}
