// The softmax of each row; a block per row.

#define BLOCK 256

kernel void softmax_two_trees(global const float *in, global float *out, int columns) {
    local float shared[BLOCK];
    int t = get_local_id(0);
    int row = get_group_id(0);
    float largest = -3.402823466e38f;
    for (int j = t; j < columns; j += get_local_size(0)) {
        largest = fmax(largest, in[row * columns + j]);
    }
    shared[t] = largest;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (t < s) {
            shared[t] = fmax(shared[t], shared[t + s]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    largest = shared[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int j = t; j < columns; j += get_local_size(0)) {
        sum += exp(in[row * columns + j] - largest);
    }
    shared[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (t < s) {
            shared[t] += shared[t + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = shared[0];
    for (int j = t; j < columns; j += get_local_size(0)) {
        out[row * columns + j] = exp(in[row * columns + j] - largest) / sum;
    }
}

// Exponentials are kept in the output; the trees are one loop each, with their barrier first.
kernel void softmax_stored(global const float *in, global float *out, int columns) {
    local float tree[BLOCK];
    const int t = get_local_id(0);
    global const float *from = in + get_group_id(0) * columns;
    global float *to = out + get_group_id(0) * columns;
    float most = from[t];
    int j = t + BLOCK;
    while (j < columns) {
        if (from[j] > most) {
            most = from[j];
        }
        j += BLOCK;
    }
    tree[t] = most;
    for (int width = BLOCK / 2; width >= 1; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < width && tree[t + width] > tree[t]) {
            tree[t] = tree[t + width];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    most = tree[0];
    float sum = 0.0f;
    for (j = t; j < columns; j += BLOCK) {
        const float power = exp(from[j] - most);
        to[j] = power;
        sum += power;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    tree[t] = sum;
    for (int width = BLOCK / 2; width >= 1; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < width) {
            tree[t] = tree[t] + tree[t + width];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const float factor = 1.0f / tree[0];
    for (j = t; j < columns; j += BLOCK) {
        to[j] *= factor;
    }
}
