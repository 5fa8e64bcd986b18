// A layer of a neural network forward: each block multiplies 16 inputs with their weights to 16 hidden units and adds them up
// in shared memory. Row 0 and column 0 of the weights and input 0 belong to the bias; products replace the weights.

#define INPUTS 16
#define HIDDEN 16

kernel void backprop_layer_modulo(global const float *input, global float *weights, global float *partial) {
    local float node[INPUTS];
    local float products[INPUTS][HIDDEN];
    int by = get_group_id(1);
    int tx = get_local_id(0);
    int ty = get_local_id(1);
    int index = (HIDDEN + 1) * INPUTS * by + (HIDDEN + 1) * ty + tx + 1 + (HIDDEN + 1);
    if (tx == 0) {
        node[ty] = input[INPUTS * by + ty + 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    products[ty][tx] = weights[index];
    barrier(CLK_LOCAL_MEM_FENCE);
    products[ty][tx] = products[ty][tx] * node[ty];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int power = 2; power <= INPUTS; power *= 2) {
        if (ty % power == 0) {
            products[ty][tx] = products[ty][tx] + products[ty + power / 2][tx];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    weights[index] = products[ty][tx];
    if (ty == 0) {
        partial[by * HIDDEN + tx] = products[0][tx];
    }
}

// Flat, with the same tree by bits.
kernel void backprop_layer_flat(global const float *input, global float *weights, global float *partial) {
    local float products[INPUTS * HIDDEN];
    const unsigned int t = get_local_id(1) * get_local_size(0) + get_local_id(0);
    const unsigned int unit = t & (HIDDEN - 1);
    const unsigned int from = t / HIDDEN;
    global float *weight = weights + (get_group_id(0) * INPUTS + from + 1) * (HIDDEN + 1) + unit + 1;
    products[t] = *weight * input[get_group_id(0) * INPUTS + from + 1];
    for (unsigned int step = 1; step < INPUTS; step <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((from & (2 * step - 1)) == 0) {
            products[t] += products[t + step * HIDDEN];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *weight = products[t];
    if (from != 0)
        return;
    partial[get_group_id(0) * HIDDEN + unit] = products[t];
}
