// The sum of the 9 elements around each; the input has 4 more at both ends.

#define RADIUS 4
#define BLOCK 256

// The first threads load the halo as well.
kernel void stencil_1d_first(global const float *in, global float *out) {
    local float tile[BLOCK + 2 * RADIUS];
    int global_index = get_global_id(0) + RADIUS;
    int local_index = get_local_id(0) + RADIUS;
    tile[local_index] = in[global_index];
    if (get_local_id(0) < RADIUS) {
        tile[local_index - RADIUS] = in[global_index - RADIUS];
        tile[local_index + BLOCK] = in[global_index + BLOCK];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int offset = -RADIUS; offset <= RADIUS; offset++) {
        sum += tile[local_index + offset];
    }
    out[global_index - RADIUS] = sum;
}

// All threads load the tile in turns.
kernel void stencil_1d_turns(global const float *in, global float *out) {
    local float tile[BLOCK + 2 * RADIUS];
    const int t = get_local_id(0);
    const int first = get_group_id(0) * BLOCK;
    for (int i = t; i < BLOCK + 2 * RADIUS; i += BLOCK) {
        tile[i] = in[first + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = tile[t];
    for (int k = 1; k <= 2 * RADIUS; ++k) {
        sum = sum + tile[t + k];
    }
    out[first + t] = sum;
}
