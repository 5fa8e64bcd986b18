// Each row with mean 0 and variance 1, and then scaled and shifted by column; a block per row.

#define BLOCK 128

kernel void layer_norm_arrays(global const float *in, global const float *scale, global const float *shift,
                              global float *out, int columns) {
    local float sums[BLOCK];
    local float squares[BLOCK];
    int t = get_local_id(0);
    int first = get_group_id(0) * columns;
    float sum = 0.0f, square = 0.0f;
    for (int j = t; j < columns; j += BLOCK) {
        float value = in[first + j];
        sum += value;
        square += value * value;
    }
    sums[t] = sum;
    squares[t] = square;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (t < s) {
            sums[t] += sums[t + s];
            squares[t] += squares[t + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float mean = sums[0] / columns;
    float variance = squares[0] / columns - mean * mean;
    float factor = rsqrt(variance + 1e-5f);
    for (int j = t; j < columns; j += BLOCK) {
        out[first + j] = (in[first + j] - mean) * factor * scale[j] + shift[j];
    }
}

// Both trees in one array; pointers to the row.
kernel void layer_norm_rows(global const float *in, global const float *scale, global const float *shift,
                            global float *out, int columns) {
    local float trees[2][BLOCK];
    const int t = get_local_id(0);
    global const float *from = in + get_group_id(0) * columns;
    global float *to = out + get_group_id(0) * columns;
    trees[0][t] = 0.0f;
    trees[1][t] = 0.0f;
    for (int j = t; j < columns; j += get_local_size(0)) {
        trees[0][t] += from[j];
        trees[1][t] += from[j] * from[j];
    }
    for (int s = get_local_size(0) >> 1; s >= 1; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < s) {
            for (int k = 0; k < 2; k++) {
                trees[k][t] += trees[k][t + s];
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const float mean = trees[0][0] / (float)columns;
    const float deviation = sqrt(trees[1][0] / (float)columns - mean * mean + 1e-5f);
    int j = t;
    while (j < columns) {
        to[j] = (from[j] - mean) / deviation * scale[j] + shift[j];
        j += get_local_size(0);
    }
}
